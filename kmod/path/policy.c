// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Policy: the end that opens a path says how it is used, in both directions.
 *
 * A router knows that an uplink is metered, a backup or slow; the server at the
 * other end of the path does not.  So the settings of a path of ours go to the
 * peer, and with "follow" on the peer's apply to the paths that it opened.
 * What the administrator has set for such a path precedes them
 * (path/override.c).
 *
 * A learned path takes the name that the peer gives it, if that name is valid
 * and no path of ours has it; else one derived from it.  The peer's names are
 * unique, so another learned path of that name is one that the peer has left:
 * the path with the larger id, the later one, gets the name.
 *
 * sched/policy.c keeps the messages of both directions.  They arrive in softirq
 * and are recorded under mptun_tx.lock; the worker applies and sends them under
 * mptun_tunnel.lock, the newest one if several have come meanwhile.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/* --- the end that opened the path */

/* Sends the policy, or the answer to one. */
static void mptun_policy_send_block(struct mptun_path *path,
				    const struct mptun_path_policy *policy)
{
	struct mptun_path_policy *block;
	struct sk_buff *skb;

	skb = mptun_control_alloc(sizeof(struct mptun_block) + sizeof(*block));
	if (!skb)
		return; /* repeated like a lost one */
	block = mptun_control_block(skb, MPTUN_BLOCK_POLICY, sizeof(*block));
	*block = *policy;
	block->path = cpu_to_be16(path->wire_id);
	mptun_enter();
	mptun_control_send(mptun_control_path(path->tunnel, path), skb,
			   MPTUN_KIND_SET);
	mptun_leave();
}

static void mptun_policy_of(const struct mptun_path *path,
			    struct mptun_policy *policy)
{
	const struct mptun_path_config *c = &path->config;

	*policy = (struct mptun_policy){
		.backup = c->backup,
		.off = !c->enabled,
		.status = path->own_status,
		.priority = c->priority,
		.weight = c->weight,
		.spill_us = c->spill_us,
		.rate = c->rate_down,
	};
	strscpy(policy->name, c->name, sizeof(policy->name));
}

/* The peer learns a path when it comes up; a path that it knows may be off or
 * down, then another one carries the message.
 */
static u64 mptun_policy_say_path(struct mptun_path *path)
{
	struct mptun_policy_out *out = &path->policy_out;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_path_policy block = {};
	struct mptun_policy policy;
	u64 now = mptun_now(), at;
	bool due;

	spin_lock_bh(&tx->lock);
	mptun_policy_of(path, &policy);
	mptun_policy_say(out, &policy, now);
	if (!mptun_policy_open(&out->send) ||
	    (!mptun_path_usable(path) && !out->send.acked)) {
		spin_unlock_bh(&tx->lock);
		return U64_MAX;
	}
	due = out->send.due_ns <= now;
	if (due) {
		mptun_policy_write(out, &block);
		mptun_policy_sent(&out->send, now);
	}
	at = out->send.due_ns;
	spin_unlock_bh(&tx->lock);
	if (due)
		mptun_policy_send_block(path, &block);
	return at;
}

/* --- the end that learned the path */

/* Changes a path, and renames it: for netlink, one path is deleted and another
 * one is added.
 */
static int mptun_policy_change(struct mptun_path *path,
			       struct mptun_path_config *config)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	int err;

	if (!strcmp(path->config.name, config->name))
		return mptun_path_configure(path, config, NULL);
	mptun_override_rename(path, config);
	netdev_dbg(tunnel->dev, "path %s destroyed\n", path->config.name);
	mptun_event_deleted(path);
	err = mptun_path_configure(path, config, NULL);
	tunnel->generation++;
	netdev_dbg(tunnel->dev, "path %s created\n", path->config.name);
	mptun_event_added(path);
	return err;
}

/**
 * mptun_policy_yield() - give the name of a learned path to another path
 * @path: the path, which gets a name derived from its id
 *
 * Return: 0 or a negative error.
 */
int mptun_policy_yield(struct mptun_path *path)
{
	struct mptun_path_config config = path->config;

	lockdep_assert_held(&path->tunnel->lock);
	/* What was set stays with the name. */
	path->overrides = 0;
	mptun_learn_name(path->tunnel, config.name, path->wire_id);
	return mptun_policy_change(path, &config);
}

/* Returns true if the name of another path is free for this one. */
static bool mptun_policy_takes(struct mptun_path *path,
			       struct mptun_path *other)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	bool given;

	if (!other)
		return true;
	if (!other->learned || other->wire_id >= path->wire_id)
		return false;
	/* Not a name that it got here */
	spin_lock_bh(&tx->lock);
	given = !strcmp(other->policy_in.said.name, other->config.name);
	spin_unlock_bh(&tx->lock);
	return given && !mptun_policy_yield(other);
}

/* Sets the name that a path gets from the name the peer gives it, once: the
 * names of the peer's paths do not change.
 */
static void mptun_policy_choose(struct mptun_path *path,
				const char *wanted, char *name)
{
	char derived[MPTUN_PATH_NAME_MAX + 1];
	unsigned int n;

	if (!wanted[0] || path->named)
		return;
	path->named = true;
	if (mptun_policy_takes(path, mptun_path_find(path->tunnel, wanted))) {
		strscpy(name, wanted, sizeof(derived));
		return;
	}
	for (n = 2; n <= MPTUN_PATHS_MAX + 1; n++) {
		mptun_policy_name(derived, wanted, n);
		if (mptun_path_find(path->tunnel, derived))
			continue;
		strscpy(name, derived, sizeof(derived));
		return;
	}
}

/* Merges the policy of the peer into the settings of a path. */
static void mptun_policy_merge(const struct mptun_path *path,
			       const struct mptun_policy *p,
			       struct mptun_path_config *c)
{
	u64 own = path->overrides;

	if (!(own & BIT_ULL(MPTUN_A_PATH_BACKUP)))
		c->backup = p->backup;
	if (!(own & BIT_ULL(MPTUN_A_PATH_PRIORITY)))
		c->priority = p->priority;
	if (!(own & BIT_ULL(MPTUN_A_PATH_WEIGHT)))
		c->weight = p->weight;
	if (!(own & BIT_ULL(MPTUN_A_PATH_SPILL)))
		c->spill_us = p->spill_us;
	if (!(own & BIT_ULL(MPTUN_A_PATH_RATE)))
		c->rate = p->rate;
	if (!(own & BIT_ULL(MPTUN_A_PATH_ENABLED)))
		c->enabled = !p->off;
}

static const struct mptun_policy mptun_policy_none = {
	.weight = MPTUN_DEFAULT_WEIGHT,
	.spill_us = MPTUN_SPILL_OFF,
};

/* Applies the policy of the peer, or the defaults if it is not followed. */
static void mptun_policy_apply(struct mptun_path *path)
{
	const bool follow = path->tunnel->config.follow;
	struct mptun_path_config config = path->config;
	struct mptun_policy said;
	u64 used;

	spin_lock_bh(&path->tunnel->tx.lock);
	said = path->policy_in.said;
	spin_unlock_bh(&path->tunnel->tx.lock);
	if (follow)
		mptun_policy_choose(path, said.name, config.name);
	/* With another name come the settings kept for it. */
	if (strcmp(config.name, path->config.name) &&
	    !mptun_policy_change(path, &config) &&
	    mptun_override_used(path, &used))
		mptun_path_cap_set(path, &used);
	config = path->config;
	mptun_policy_merge(path, follow ? &said : &mptun_policy_none, &config);
	if (memcmp(&config, &path->config, sizeof(config)))
		mptun_policy_change(path, &config);
}

static u64 mptun_policy_follow(struct mptun_path *path)
{
	struct mptun_policy_in *in = &path->policy_in;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_path_policy answer = {
		.flags = MPTUN_POLICY_ACK,
	};
	u64 now = mptun_now(), at = U64_MAX;
	bool fresh;

	spin_lock_bh(&tx->lock);
	if (mptun_policy_waits(&in->recv))
		at = max(in->recv.ready_ns, now);
	answer.version = cpu_to_be32(in->recv.version);
	fresh = path->learned && in->recv.fresh;
	if (at == now)
		mptun_policy_taken(&in->recv, now);
	/* The state of the cap always applies: the peer pays for the path. */
	if (at == now && fresh && path->peer_status != MPTUN_STATUS_ABANDON &&
	    path->peer_status != MPTUN_STATUS_ABANDONED) {
		WRITE_ONCE(path->peer_status, in->said.status);
		mptun_carrier_update(path->tunnel);
	}
	spin_unlock_bh(&tx->lock);
	if (at > now)
		return at;
	if (fresh)
		mptun_policy_apply(path);
	if (path->learned && path->tunnel->config.follow)
		answer.flags |= MPTUN_POLICY_FOLLOWED;
	mptun_policy_send_block(path, &answer);
	return U64_MAX;
}

/**
 * mptun_policy_work() - work of the tunnel's worker for the policy of a path
 * @path: the path
 *
 * Return: time in ns at which to call it again, U64_MAX for none.
 */
u64 mptun_policy_work(struct mptun_path *path)
{
	u64 at;

	lockdep_assert_held(&path->tunnel->lock);
	if (!path->tunnel->assoc.established || !path->wire_id ||
	    path->live.state == MPTUN_PATH_STATE_DRAINING)
		return U64_MAX;
	at = mptun_policy_follow(path);
	return path->learned ? at : min(at, mptun_policy_say_path(path));
}

/**
 * mptun_policy_switch() - begin or cease to follow the peer
 * @tunnel: the tunnel
 *
 * The peer gets new answers from the worker.
 */
void mptun_policy_switch(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list) {
		if (!path->learned || !path->policy_in.recv.version ||
		    path->live.state == MPTUN_PATH_STATE_DRAINING)
			continue;
		mptun_policy_apply(path);
		spin_lock_bh(&tunnel->tx.lock);
		path->policy_in.recv.unanswered = true;
		spin_unlock_bh(&tunnel->tx.lock);
	}
	/* The rates of classes are applied again as well. */
	spin_lock_bh(&tunnel->tx.lock);
	tunnel->class_rates.recv.fresh = tunnel->class_rates.recv.version;
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_tunnel_kick(tunnel);
}
