// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Manage: create, find, configure and move paths, under mptun_tunnel.lock.
 *
 * path/locate.c finds device and addresses, path/path_id.c gives ids,
 * path/delete.c deletes them.
 */
#include <linux/hrtimer.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* A path is a little more than a page, for which kmalloc() would take two. */
static struct kmem_cache *mptun_path_cache;

/**
 * mptun_path_setup() - create the slab cache of paths
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_path_setup(void)
{
	mptun_path_cache = KMEM_CACHE(mptun_path, SLAB_HWCACHE_ALIGN |
				      SLAB_ACCOUNT);
	return mptun_path_cache ? 0 : -ENOMEM;
}

/**
 * mptun_path_cleanup() - undo mptun_path_setup()
 */
void mptun_path_cleanup(void)
{
	kmem_cache_destroy(mptun_path_cache);
}

/**
 * mptun_path_by_tuple() - find a path by addresses and ports
 * @tunnel: the tunnel
 * @from: addresses of a received packet
 *
 * A path of ours that is not up matches with other ports as well, if nothing
 * else does: its ends may have tried some before they met (path/heal.c).
 *
 * Return: the best match that is not being deleted, or NULL.
 */
struct mptun_path *mptun_path_by_tuple(struct mptun_tunnel *tunnel,
				       const struct mptun_endpoint *from)
{
	struct mptun_path *path, *found = NULL;
	unsigned int match, best = 0;
	struct mptun_endpoint *ep;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list) {
		if (path->live.state == MPTUN_PATH_STATE_DRAINING)
			continue;
		ep = mptun_path_endpoint(path);
		match = mptun_endpoint_matches(ep, path->source_known ?
					       &path->source : NULL, from,
					       !path->learned &&
					       !mptun_path_up(path),
					       tunnel->net);
		if (match > best) {
			best = match;
			found = path;
		}
	}
	return found;
}

/**
 * mptun_path_open() - start to use a path that was added
 * @path: the path
 */
void mptun_path_open(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	mptun_path_settle(path);
	if (tunnel->assoc.established && !path->wire_id)
		mptun_path_renumber(path, MPTUN_PATH_REASON_ADDED);
	mptun_tunnel_retry(tunnel);
}

static int mptun_path_init(struct mptun_path *path)
{
	struct mptun_pool *pool = path->tunnel->pool;
	int err;

	err = mptun_sent_init(&path->tx.sent);
	if (err)
		return err;
	mptun_sent_limit(&path->tx.sent, pool);
	mptun_replay_limit(&path->rx.data, pool);
	mptun_replay_limit(&path->rx.control, pool);
	path->tx.sent.part = mptun_rtx_part;
	err = mptun_cc_assign(&path->tx.cc, mptun_path_cc_name(path));
	if (err)
		goto err_sent;
	err = mptun_group_init(path);
	if (err)
		goto err_sent;
	mptun_pmtu_init(&path->pmtu, MPTUN_PATH_MTU_GUESS);
	path->tx.cc.chance = get_random_u32();
	mptun_cc_set_rate(&path->tx.cc, path->config.rate);
	mptun_path_start(path);
	hrtimer_setup(&path->timer, path->tunnel->path_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	netdev_hold(path->tunnel->dev, &path->tracker, GFP_KERNEL);
	return 0;

err_sent:
	mptun_sent_destroy(&path->tx.sent);
	return err;
}

/**
 * mptun_path_free() - free a path
 * @path: the path, without readers
 *
 * Paths hold the device: one that was removed may be freed when its tunnel is
 * being destroyed, and its rings and windows are charged to the pool of that.
 */
void mptun_path_free(struct mptun_path *path)
{
	mptun_endpoint_free(rcu_dereference_protected(path->endpoint, true));
	kfree(path->tx.bottleneck);
	mptun_sent_destroy(&path->tx.sent);
	mptun_replay_free(&path->rx.data);
	mptun_replay_free(&path->rx.control);
	netdev_put(path->tunnel->dev, &path->tracker);
	kmem_cache_free(mptun_path_cache, path);
}

/* A path leads elsewhere, maybe to an end that knows our instance as a former
 * one and does not answer its INITs.  The attempts are counted from here, and
 * too many end the instance (mptun_assoc_refused()).
 */
static void mptun_path_elsewhere(struct mptun_tunnel *tunnel)
{
	tunnel->assoc.moved = true;
	tunnel->initiator.wait = 0;
}

static int mptun_path_room(const struct mptun_tunnel *tunnel,
			   struct netlink_ext_ack *extack)
{
	if (tunnel->n_paths == MPTUN_PATHS_MAX) {
		NL_SET_ERR_MSG(extack, "a tunnel has at most 32 paths");
		return -ENOSPC;
	}
	if (tunnel->n_paths_all == MPTUN_PATHS_TOTAL) {
		NL_SET_ERR_MSG(extack,
			       "too many deleted paths are still being drained");
		return -EBUSY;
	}
	return 0;
}

/* A path that its tunnel does not know yet, without an endpoint. */
static struct mptun_path *mptun_path_new(struct mptun_tunnel *tunnel,
					 const struct mptun_path_config *config,
					 bool learned)
{
	struct mptun_path *path;
	int err;

	path = kmem_cache_zalloc(mptun_path_cache, GFP_KERNEL);
	if (!path)
		return ERR_PTR(-ENOMEM);
	path->tunnel = tunnel;
	path->config = *config;
	path->learned = learned;
	err = mptun_path_init(path);
	if (err) {
		kmem_cache_free(mptun_path_cache, path);
		return ERR_PTR(err);
	}
	return path;
}

/* From here on the tunnel, its scheduler and its worker see the path. */
static void mptun_path_join(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	tunnel->n_paths++;
	tunnel->n_paths_all++;
	tunnel->generation++;
	spin_lock_bh(&tunnel->tx.lock);
	mptun_cc_join(&path->tx.cc, &tunnel->tx.ccs);
	mptun_group_join(path);
	spin_unlock_bh(&tunnel->tx.lock);
	list_add_tail_rcu(&path->list, &tunnel->paths);
}

/**
 * mptun_path_create() - add a path
 * @tunnel: the tunnel
 * @config: its settings, validated
 * @learned: the peer opened it
 * @extack: explains an error
 *
 * If the peer has already opened the path, that one is adopted.
 *
 * Return: the path, or an ERR_PTR.
 */
struct mptun_path *mptun_path_create(struct mptun_tunnel *tunnel,
				     const struct mptun_path_config *config,
				     bool learned,
				     struct netlink_ext_ack *extack)
{
	struct mptun_path *path, *named;
	struct mptun_endpoint *ep;
	int err;

	lockdep_assert_held(&tunnel->lock);
	named = mptun_path_find(tunnel, config->name);
	if (named && (learned || !named->learned)) {
		NL_SET_ERR_MSG(extack, "a path of this name exists already");
		return ERR_PTR(-EEXIST);
	}
	ep = mptun_path_resolve(tunnel, config, config->local_port, extack);
	if (IS_ERR(ep))
		return ERR_CAST(ep);
	path = learned ? NULL : mptun_adopt(tunnel, config, ep);
	if (path)
		return path;
	err = mptun_path_room(tunnel, extack) ?:
	      mptun_cand_reserve(tunnel, tunnel->n_paths + 1);
	/* The peer gave a path of its own this name. */
	if (!err && named)
		err = mptun_policy_yield(named);
	if (err)
		goto err_endpoint;
	path = mptun_path_new(tunnel, config, learned);
	if (IS_ERR(path)) {
		err = PTR_ERR(path);
		goto err_endpoint;
	}
	RCU_INIT_POINTER(path->endpoint, ep);
	mptun_liveness_init(path, learned ? MPTUN_PATH_REASON_LEARNED :
			    MPTUN_PATH_REASON_ADDED);
	mptun_path_join(path);
	if (!learned && tunnel->assoc.count)
		mptun_path_elsewhere(tunnel);
	netdev_dbg(tunnel->dev, "path %s created\n", path->config.name);
	mptun_event_added(path);
	return path;

err_endpoint:
	mptun_endpoint_free(ep);
	return ERR_PTR(err);
}

static bool mptun_path_moves(const struct mptun_path_config *old,
			     const struct mptun_path_config *new)
{
	return old->family != new->family || old->scope != new->scope ||
	       old->remote_port != new->remote_port ||
	       old->local_port != new->local_port ||
	       memcmp(&old->remote, &new->remote, sizeof(old->remote)) ||
	       memcmp(&old->local, &new->local, sizeof(old->local)) ||
	       strcmp(old->dev, new->dev);
}

/**
 * mptun_path_apply() - apply settings, except addresses
 * @path: the path
 * @config: its new settings, validated
 *
 * Return: 0, or a negative error with nothing changed.
 */
int mptun_path_apply(struct mptun_path *path,
		     const struct mptun_path_config *config)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_tx *tx = &tunnel->tx;
	u64 now = mptun_now();
	int err;

	lockdep_assert_held(&tunnel->lock);
	spin_lock_bh(&tx->lock);
	err = mptun_cc_assign(&path->tx.cc, config->cc[0] ? config->cc :
			      tunnel->config.cc);
	if (!err) {
		path->config = *config;
		mptun_group_join(path);
		mptun_cc_set_rate(&path->tx.cc, config->rate);
		mptun_out_bound(path);
		mptun_out_resize(path);
		mptun_pacer_reset(&path->tx.pacer);
		mptun_liveness_reschedule(path, now);
		mptun_timer_update(path, now);
	}
	spin_unlock_bh(&tx->lock);
	if (!err)
		mptun_tunnel_retry(tunnel);
	return err;
}

/**
 * mptun_path_configure() - change the settings of a path
 * @path: the path
 * @request: its new settings, validated
 * @extack: explains an error
 *
 * Return: 0, or a negative error with nothing changed.
 */
int mptun_path_configure(struct mptun_path *path,
			 const struct mptun_path_config *request,
			 struct netlink_ext_ack *extack)
{
	struct mptun_path_config home = *request, *config = &home;
	struct mptun_tunnel *tunnel = path->tunnel;
	bool moves = mptun_path_moves(&path->config, config);
	bool switched = path->config.enabled != config->enabled;
	bool marked = path->config.fwmark != config->fwmark;
	struct mptun_endpoint *ep = NULL;
	struct mptun_path *adopted;
	int err;

	lockdep_assert_held(&tunnel->lock);
	if (moves) {
		mptun_heal_home(path, config);
		ep = mptun_path_resolve(tunnel, config, config->local_port,
					extack);
		if (IS_ERR(ep))
			return PTR_ERR(ep);
		adopted = path->learned ? NULL :
					  mptun_adopt(tunnel, config, ep);
		if (adopted) {
			/* The peer moved first, to the path just adopted. */
			mptun_path_settle(adopted);
			mptun_delete_path(path, &tunnel->dead);
			mptun_tunnel_kick(tunnel);
			return 0;
		}
	}
	err = mptun_path_apply(path, config);
	if (err) {
		mptun_endpoint_free(ep);
		return err;
	}
	if (moves) {
		mptun_path_elsewhere(tunnel);
		path->heal = (struct mptun_heal){};
		mptun_path_set_endpoint(path, ep);
		mptun_path_settle(path);
	} else if (marked) {
		mptun_path_rebind(path, true);
	}
	if (moves || switched)
		mptun_path_restart(path, moves, MPTUN_PATH_REASON_ADMIN);
	return 0;
}

/**
 * mptun_path_move() - move a path to another address of the peer
 * @path: the path
 * @config: its settings with that address
 * @local_port: local port from now on
 *
 * Unlike with mptun_path_configure() it remains the same path for both ends,
 * with its id and state.
 *
 * Return: 0, or a negative error with nothing changed.
 */
int mptun_path_move(struct mptun_path *path,
		    const struct mptun_path_config *config, __be16 local_port)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_heal *heal = &path->heal;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_endpoint *ep;
	int err;

	lockdep_assert_held(&tunnel->lock);
	ep = mptun_path_resolve(tunnel, config, ntohs(local_port), NULL);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	/* Keep the remote that was configured (path/heal.c). */
	if (!path->learned && (!heal->away || heal->home)) {
		heal->away = true;
		heal->home = false;
		heal->remote = path->config.remote;
		heal->remote_port = path->config.remote_port;
		heal->scope = path->config.scope;
	}
	heal->port = ntohs(local_port);
	spin_lock_bh(&tx->lock);
	path->config = *config;
	spin_unlock_bh(&tx->lock);
	mptun_path_set_endpoint(path, ep);
	/* The provider of its uplink routes the source address that it has. */
	err = mptun_path_locate(path, heal->port, &path->source, false);
	if (err < 0)
		mptun_path_unroutable(path, err);
	tunnel->generation++;
	return 0;
}
