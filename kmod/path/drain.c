// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Drain: how paths are deleted without losing anything.
 *
 * No new packet is placed on a path being deleted.  What is in flight is still
 * acknowledged; then the peer is asked to abandon the path; and at last what
 * the peer has in flight is let in.  The name of the path is free at once.
 *
 * A path that the peer deletes is given up here if the peer had opened it,
 * else it gets another number and is probed, should the peer add it again.  A
 * peer that does so without end does not use up the numbers at once, and when
 * there are none left a new association begins.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/**
 * mptun_drain_notify() - tell the peer how we want a path used
 * @path: the path
 * @status: MPTUN_STATUS_*
 */
void mptun_drain_notify(struct mptun_path *path, u16 status)
{
	struct mptun_status *block;
	struct mptun_path *way;
	struct sk_buff *skb;

	skb = mptun_control_alloc(sizeof(struct mptun_block) + sizeof(*block));
	if (!skb)
		return;
	block = mptun_control_block(skb, MPTUN_BLOCK_STATUS, sizeof(*block));
	block->path = cpu_to_be16(path->wire_id);
	block->status = cpu_to_be16(status);

	mptun_enter();
	way = mptun_control_path(path->tunnel, path);
	mptun_control_send(way, skb, MPTUN_KIND_SET);
	mptun_leave();
}

/**
 * mptun_drain_unlink() - take a path out of its tunnel
 * @path: the path
 * @dead: where to put it, for mptun_drain_free()
 */
void mptun_drain_unlink(struct mptun_path *path, struct list_head *dead)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	mptun_event_deleted(path);
	if (path->live.state != MPTUN_PATH_STATE_DRAINING)
		tunnel->n_paths--;
	tunnel->n_paths_all--;
	tunnel->generation++;
	hash_del_rcu(&path->wire_node);
	list_del_rcu(&path->list);
	spin_lock_bh(&tunnel->tx.lock);
	mptun_ack_abandon(path, mptun_now());
	WRITE_ONCE(path->live.state, MPTUN_PATH_STATE_DRAINING);
	path->live.gone = true;
	mptun_cc_leave(&path->tx.cc);
	mptun_group_leave(path);
	mptun_liveness_carrier(tunnel);
	spin_unlock_bh(&tunnel->tx.lock);
	list_add_tail(&path->dead, dead);
}

/**
 * mptun_drain_free() - free paths that were taken out of their tunnel
 * @dead: the paths
 *
 * Called without any lock that a timer of the paths takes.
 */
void mptun_drain_free(struct list_head *dead)
{
	struct mptun_path *path, *tmp;

	if (list_empty(dead))
		return;
	list_for_each_entry(path, dead, dead)
		mptun_timer_stop(path);
	synchronize_net();
	list_for_each_entry_safe(path, tmp, dead, dead) {
		netdev_dbg(path->tunnel->dev, "path %s destroyed\n",
			   path->config.name);
		mptun_path_free(path);
	}
	INIT_LIST_HEAD(dead);
}

static void mptun_drain_set(struct mptun_path *path,
			    enum mptun_path_drain step, unsigned int ptos)
{
	path->drain = step;
	path->drain_ns = mptun_now() + (u64)ptos * NSEC_PER_USEC *
			 mptun_rtt_pto_us(&path->tx.rtt);
}

/**
 * mptun_drain_path() - delete a path
 * @path: the path
 * @dead: where to put it if there is nothing to wait for
 */
void mptun_drain_path(struct mptun_path *path, struct list_head *dead)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established || !path->wire_id) {
		mptun_drain_unlink(path, dead);
		return;
	}
	tunnel->n_paths--;
	spin_lock_bh(&tunnel->tx.lock);
	path->live.probe_ns = U64_MAX;
	path->live.answer_ns = U64_MAX;
	mptun_drain_set(path, MPTUN_DRAIN_FLIGHT, MPTUN_DRAIN_PTOS);
	mptun_liveness_set(path, MPTUN_PATH_STATE_DRAINING,
			   MPTUN_PATH_REASON_ADMIN, mptun_now());
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_tunnel_kick(tunnel);
}

static u64 mptun_drain_step(struct mptun_path *path, struct list_head *dead)
{
	u64 now = mptun_now();
	bool over = now >= path->drain_ns;

	switch (path->drain) {
	case MPTUN_DRAIN_FLIGHT:
		if (!over && READ_ONCE(path->tx.sent.packets))
			break;
		mptun_drain_set(path, MPTUN_DRAIN_ABANDON, MPTUN_DRAIN_PTOS);
		mptun_drain_notify(path, MPTUN_STATUS_ABANDON);
		break;
	case MPTUN_DRAIN_ABANDON:
		if (!over && READ_ONCE(path->peer_status) !=
			     MPTUN_STATUS_ABANDONED)
			break;
		mptun_drain_set(path, MPTUN_DRAIN_LINGER, 1);
		break;
	case MPTUN_DRAIN_LINGER:
		if (!over)
			break;
		mptun_drain_unlink(path, dead);
		return U64_MAX;
	}
	return path->drain_ns;
}

/* The peer deletes a path: we stop using its number, and the path with it if
 * it was the peer who opened it.
 */
static void mptun_drain_give_way(struct mptun_path *path,
				 struct list_head *dead)
{
	mptun_drain_notify(path, MPTUN_STATUS_ABANDONED);
	if (path->learned)
		mptun_drain_unlink(path, dead);
	else
		mptun_path_dissociate(path);
}

/* A path of ours without a number gets one, unless the peer gave up another
 * just now.
 */
static u64 mptun_drain_renumber(struct mptun_path *path)
{
	u64 now = mptun_now();

	if (!path->tunnel->assoc.established || path->wire_id)
		return U64_MAX;
	if (now < path->renumber_ns)
		return path->renumber_ns;
	path->renumber_ns = now + MPTUN_RENUMBER_NS;
	mptun_path_renumber(path, MPTUN_PATH_REASON_PEER);
	return U64_MAX;
}

/**
 * mptun_drain_work() - what the tunnel's worker does for a path
 * @path: the path
 * @dead: where to put it if it has come to an end
 *
 * Return: time in ns at which to be called again, U64_MAX for none.
 */
u64 mptun_drain_work(struct mptun_path *path, struct list_head *dead)
{
	u64 end;

	lockdep_assert_held(&path->tunnel->lock);
	if (path->live.state == MPTUN_PATH_STATE_DRAINING)
		return mptun_drain_step(path, dead);
	mptun_roam_work(path);
	if (READ_ONCE(path->peer_status) == MPTUN_STATUS_ABANDON) {
		mptun_drain_give_way(path, dead);
		if (path->learned)
			return U64_MAX;
	}
	if (!path->learned)
		return mptun_drain_renumber(path);

	end = READ_ONCE(path->rx.last_ns) + MPTUN_LEARNED_LIFE_NS;
	if (mptun_now() < end)
		return end;
	mptun_drain_unlink(path, dead);
	return U64_MAX;
}
