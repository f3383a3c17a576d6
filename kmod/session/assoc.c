// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Associations: what both ends have agreed on, and who the peer is.
 *
 * The model: each end has an instance id, random and new whenever the tunnel
 * is brought up.  A pair of them is an association, and every number of the
 * protocol belongs to one.  It begins when a handshake with another instance
 * of the peer has led to a session that the peer is known to have, and goes
 * on through any number of sessions; so a peer that was restarted is noticed
 * by its new instance, from either side.
 *
 * Numbers of paths are never used twice in an association, neither ours nor
 * the peer's: with the number of a path goes all that was received on it, and
 * a packet that somebody recorded must find that it has been received.
 *
 * Everything here runs in the worker of the tunnel, under its mutex.
 */
#include <linux/bitmap.h>
#include <linux/random.h>
#include <linux/rcupdate.h>

#include "core/event.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "session/session.h"
#include "tx/tx.h"

/**
 * mptun_assoc_hello() - what we say in a handshake
 * @tunnel: the tunnel
 * @hello: filled
 * @sender: index by which we want to be addressed
 * @counter: number of the attempt
 */
void mptun_assoc_hello(const struct mptun_tunnel *tunnel,
		       struct mptun_hello *hello, u32 sender, u64 counter)
{
	const struct mptun_assoc *assoc = &tunnel->assoc;

	memset(hello, 0, sizeof(*hello));
	hello->sender = cpu_to_be32(sender);
	hello->first_dsn = cpu_to_be32(assoc->first_dsn);
	hello->instance = cpu_to_be64(assoc->instance);
	hello->peer_instance = cpu_to_be64(assoc->peer_instance);
	hello->counter = cpu_to_be64(counter);
	hello->cipher = tunnel->config.cipher;
}

/**
 * mptun_assoc_check() - can this hello be from our peer?
 * @tunnel: the tunnel
 * @hello: what was said
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int mptun_assoc_check(const struct mptun_tunnel *tunnel,
			       const struct mptun_hello *hello)
{
	if (be64_to_cpu(hello->instance) == tunnel->assoc.instance)
		return MPTUN_A_DROP_STATS_RX_REFLECTED;
	if (!hello->instance || !hello->sender || hello->features ||
	    hello->cipher != tunnel->config.cipher)
		return MPTUN_A_DROP_STATS_RX_HANDSHAKE;
	return 0;
}

/**
 * mptun_assoc_seen() - a hello of the peer was accepted
 * @tunnel: the tunnel
 * @hello: what was said
 */
void mptun_assoc_seen(struct mptun_tunnel *tunnel,
		      const struct mptun_hello *hello)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	u64 counter = be64_to_cpu(hello->counter);

	lockdep_assert_held(&tunnel->lock);
	/* Our next attempt is to be later than all of the peer's. */
	assoc->counter = max(assoc->counter, counter);
	if (assoc->established &&
	    be64_to_cpu(hello->instance) == assoc->peer_instance)
		assoc->peer_counter = counter;
}

/* All numbers of the sending side begin anew. */
static void mptun_assoc_restart_tx(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	u32 dsn = tunnel->assoc.first_dsn;

	spin_lock_bh(&tx->lock);
	tx->next_dsn = dsn;
	WRITE_ONCE(tx->settled, dsn);
	tx->settled_told = dsn;
	tx->settle_until = dsn;
	mptun_lane_start(tx);
	mptun_rtx_purge(tunnel);
	spin_unlock_bh(&tx->lock);
}

/* The peer has another instance, or will have when it comes back. Without a key
 * that is only what somebody says.
 */
static void mptun_assoc_bury(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	if (!assoc->established || !mptun_tunnel_sealed(tunnel))
		return;
	assoc->gone[assoc->n_gone++ % MPTUN_GONE_INSTANCES] =
		assoc->peer_instance;
}

/**
 * mptun_assoc_gone() - has the peer left this instance?
 * @tunnel: the tunnel
 * @instance: the instance, not 0
 *
 * An INIT of one that is gone was recorded, however good its cookie still is.
 *
 * Return: true if it has, as far as we remember.
 */
bool mptun_assoc_gone(const struct mptun_tunnel *tunnel, u64 instance)
{
	unsigned int i;

	lockdep_assert_held(&tunnel->lock);
	for (i = 0; i < MPTUN_GONE_INSTANCES; i++)
		if (tunnel->assoc.gone[i] == instance)
			return true;
	return false;
}

/* All sessions end with it, but for those with the instance of the peer with
 * which the next one begins.
 */
static void mptun_assoc_close(struct mptun_tunnel *tunnel, u64 next,
			      struct list_head *dead)
{
	struct mptun_path *path, *tmp;

	lockdep_assert_held(&tunnel->lock);
	/* Also those that wait for a first packet: it may have been held back
	 * since before the peer was restarted.
	 */
	mptun_session_drop_all(tunnel, next);
	if (!tunnel->assoc.established)
		return;
	WRITE_ONCE(tunnel->assoc.established, false);
	WRITE_ONCE(tunnel->assoc.peer_instance, 0);
	list_for_each_entry_safe(path, tmp, &tunnel->paths, list) {
		if (path->learned ||
		    path->live.state == MPTUN_PATH_STATE_DRAINING)
			mptun_drain_unlink(path, dead);
		else
			mptun_path_dissociate(path);
	}
	mptun_deliver_end(tunnel);
	netdev_dbg(tunnel->dev, "association ended\n");
	mptun_event_tunnel(tunnel);
}

/**
 * mptun_assoc_end() - forget the peer
 * @tunnel: the tunnel
 * @dead: paths that the peer had opened are put there, to be freed
 */
void mptun_assoc_end(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	mptun_assoc_close(tunnel, 0, dead);
}

/* The session is that of the association from now on, and is sent with. */
static void mptun_assoc_establish(struct mptun_tunnel *tunnel,
				  const struct mptun_session *session)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_tx *tx = &tunnel->tx;

	spin_lock_bh(&tx->lock);
	WRITE_ONCE(assoc->peer_instance, session->peer_instance);
	WRITE_ONCE(assoc->established, true);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_assoc_begin() - an association begins
 * @tunnel: the tunnel
 * @session: its first session, that the peer has as well
 * @dead: paths that the peer had opened before are put there, to be freed
 */
void mptun_assoc_begin(struct mptun_tunnel *tunnel,
		       struct mptun_session *session, struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	/* No path sends or receives until all have their new numbers; wait for
	 * packets that are half way through with the old ones.
	 */
	mptun_assoc_bury(tunnel);
	mptun_assoc_close(tunnel, session->peer_instance, dead);
	synchronize_net();

	assoc->peer_counter = session->ours ? 0 : session->counter;
	assoc->next_wire_id = assoc->instance > session->peer_instance ? 1 : 2;
	WRITE_ONCE(assoc->count, assoc->count + 1);
	bitmap_zero(assoc->claimed, MPTUN_WIRE_ID_HALF);
	atomic64_set(&assoc->number, 0);
	mptun_replay_init(&assoc->window.window, assoc->window.map,
			  MPTUN_REPLAY_CONTROL_BITS);

	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_associate(path, mptun_wire_id_next(tunnel));
	mptun_assoc_restart_tx(tunnel);
	mptun_deliver_associate(tunnel, session->peer_first_dsn);
	mptun_assoc_establish(tunnel, session);
	mptun_session_heard(session);
	netdev_dbg(tunnel->dev, "association begun\n");
	mptun_event_tunnel(tunnel);

	list_for_each_entry(path, &tunnel->paths, list)
		mptun_path_try(path, MPTUN_PATH_REASON_ASSOCIATED);
}

/**
 * mptun_assoc_left() - the peer leaves
 * @tunnel: the tunnel
 * @skb: a BYE, opened and linear, at its outer header
 * @dead: paths that the peer had opened are put there, to be freed
 *
 * Return: false if it is not about this association.
 */
bool mptun_assoc_left(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		      struct list_head *dead)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	const struct mptun_bye *bye = (const void *)(hdr + 1);

	lockdep_assert_held(&tunnel->lock);
	if (skb->len < sizeof(*hdr) + sizeof(*bye) ||
	    !tunnel->assoc.established ||
	    be64_to_cpu(bye->instance) != tunnel->assoc.peer_instance)
		return false;
	mptun_assoc_bury(tunnel);
	mptun_assoc_end(tunnel, dead);
	return true;
}

/**
 * mptun_assoc_bye() - tell the peer that we leave
 * @tunnel: the tunnel
 */
void mptun_assoc_bye(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	struct mptun_bye *bye;
	struct sk_buff *skb;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established)
		return;
	mptun_enter();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_usable(path))
			continue;
		skb = mptun_control_alloc(sizeof(*bye));
		if (!skb)
			continue;
		bye = skb_put_zero(skb, sizeof(*bye));
		bye->instance = cpu_to_be64(tunnel->assoc.instance);
		mptun_control_send(path, skb, MPTUN_KIND_BYE);
	}
	mptun_leave();
}

/**
 * mptun_assoc_start() - the device comes up: a new instance
 * @tunnel: the tunnel
 */
void mptun_assoc_start(struct mptun_tunnel *tunnel)
{
	struct mptun_assoc *assoc = &tunnel->assoc;

	lockdep_assert_held(&tunnel->lock);
	do {
		assoc->instance = get_random_u64();
	} while (!assoc->instance);
	assoc->first_dsn = get_random_u32();
	assoc->counter = 0;
	tunnel->responder.valid = false;
}

/**
 * mptun_assoc_renew() - begin anew if a path of ours waits for a number and
 *	none is left
 * @tunnel: the tunnel, its paths looked at by mptun_drain_work()
 * @dead: paths that the peer had opened are put there, to be freed
 *
 * Return: true if so: the attempt to open a session has to be reset.
 */
bool mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead)
{
	struct mptun_assoc *assoc = &tunnel->assoc;
	struct mptun_path *path;
	bool waits = false;

	lockdep_assert_held(&tunnel->lock);
	if (!assoc->established || assoc->next_wire_id <= MPTUN_WIRE_ID_MAX)
		return false;
	list_for_each_entry(path, &tunnel->paths, list)
		waits |= !path->learned && !path->wire_id;
	if (!waits)
		return false;
	mptun_assoc_bye(tunnel);
	mptun_assoc_end(tunnel, dead);
	mptun_assoc_start(tunnel);
	return true;
}
