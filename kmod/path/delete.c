// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Deletion of paths without loss of packets.
 *
 * A path that is deleted drains first.  It gets no new packets, and its name is
 * free at once.  It waits until the packets in flight are acknowledged, asks
 * the peer to abandon the path, and then receives what the peer still has in
 * flight.  No packet follows that would prove the loss of the last ones, so
 * after a probe timeout what is kept of them is retransmitted on other paths.
 *
 * The worker performs the steps under mptun_tunnel.lock (path/work.c).
 */
#include <linux/rtnetlink.h>

#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/**
 * mptun_path_notify_status() - notify the peer how to use a path
 * @path: the path
 * @status: MPTUN_STATUS_*
 */
void mptun_path_notify_status(struct mptun_path *path, u16 status)
{
	struct mptun_status *block;
	struct sk_buff *skb, *copy;
	struct mptun_path *way;

	skb = mptun_control_alloc(sizeof(struct mptun_block) + sizeof(*block));
	if (!skb)
		return;
	block = mptun_control_block(skb, MPTUN_BLOCK_STATUS, sizeof(*block));
	block->path = cpu_to_be16(READ_ONCE(path->wire_id));
	block->status = cpu_to_be16(status);

	mptun_enter();
	way = mptun_control_path(path->tunnel, path);
	copy = way != path ? skb_copy(skb, GFP_ATOMIC) : NULL;
	mptun_control_send(way, skb, MPTUN_KIND_SET);
	/* The other path may have failed as well, unnoticed so far. */
	if (copy)
		mptun_control_send(path, copy, MPTUN_KIND_SET);
	mptun_leave();
}

/**
 * mptun_delete_unlink() - remove a path from its tunnel
 * @path: the path
 * @dead: list for mptun_delete_free()
 */
void mptun_delete_unlink(struct mptun_path *path, struct list_head *dead)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	mptun_override_ends(path);
	mptun_event_deleted(path);
	mptun_path_unwatch(path);
	if (path->live.state != MPTUN_PATH_STATE_DRAINING)
		tunnel->n_paths--;
	tunnel->n_paths_all--;
	tunnel->generation++;
	hash_del_rcu(&path->wire_node);
	/* What is in flight here is unsettled until it is abandoned. */
	spin_lock_bh(&tunnel->tx.lock);
	WRITE_ONCE(path->live.state, MPTUN_PATH_STATE_DRAINING);
	mptun_ack_abandon(path, mptun_now());
	path->live.dying = true;
	mptun_cc_leave(&path->tx.cc);
	mptun_group_leave(path);
	mptun_carrier_update(tunnel);
	spin_unlock_bh(&tunnel->tx.lock);
	list_del_rcu(&path->list);
	list_add_tail(&path->dead, dead);
}

/**
 * mptun_delete_free() - free paths that were removed from their tunnel
 * @dead: the paths
 *
 * Waits for their readers, so it is called without RTNL, the lock of the tunnel
 * and any lock that a timer of the paths takes.
 */
void mptun_delete_free(struct list_head *dead)
{
	const struct mptun_path *path;

	if (list_empty(dead))
		return;
	path = list_first_entry(dead, struct mptun_path, dead);
	lockdep_assert_not_held(&path->tunnel->lock);
	RCU_LOCKDEP_WARN(lockdep_rtnl_is_held(), "mptun waits under RTNL");
	synchronize_net();
	mptun_delete_unread(dead);
}

/**
 * mptun_delete_unread() - free paths that were removed a grace period ago
 * @dead: the paths
 *
 * Called without any lock that a timer of the paths takes.
 */
void mptun_delete_unread(struct list_head *dead)
{
	struct mptun_path *path, *tmp;

	list_for_each_entry_safe(path, tmp, dead, dead) {
		hrtimer_cancel(&path->timer);
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
 * mptun_delete_path() - begin to delete a path
 * @path: the path
 * @dead: list for mptun_delete_free(), used if there is nothing to wait for
 */
void mptun_delete_path(struct mptun_path *path, struct list_head *dead)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	if (!tunnel->assoc.established || !path->wire_id) {
		mptun_delete_unlink(path, dead);
		return;
	}
	tunnel->n_paths--;
	spin_lock_bh(&tunnel->tx.lock);
	path->live.probe_ns = U64_MAX;
	path->live.answer_ns = U64_MAX;
	mptun_drain_set(path, MPTUN_DRAIN_FLIGHT, 1);
	mptun_liveness_set(path, MPTUN_PATH_STATE_DRAINING,
			   MPTUN_PATH_REASON_ADMIN, mptun_now());
	spin_unlock_bh(&tunnel->tx.lock);
	mptun_tunnel_kick(tunnel);
}

/**
 * mptun_delete_step() - perform the steps of a deletion that are due
 * @path: the path, draining
 * @dead: list for mptun_delete_free(), used if the path ends
 *
 * Return: time in ns at which the next one is due, U64_MAX for none.
 */
u64 mptun_delete_step(struct mptun_path *path, struct list_head *dead)
{
	bool flight = READ_ONCE(path->tx.sent.packets);
	struct mptun_tunnel *tunnel = path->tunnel;
	bool over = mptun_now() >= path->drain_ns;

	lockdep_assert_held(&tunnel->lock);
	switch (path->drain) {
	case MPTUN_DRAIN_FLIGHT:
		if (flight && !over)
			break;
		if (flight) {
			mptun_drain_set(path, MPTUN_DRAIN_OVERDUE,
					MPTUN_DRAIN_PTOS - 1);
			/* Retransmit what is overdue on other paths. */
			mptun_enter();
			spin_lock(&tunnel->tx.lock);
			mptun_rtx_suspect(path);
			mptun_place_finish_unlock(tunnel);
			mptun_leave();
			break;
		}
		fallthrough;
	case MPTUN_DRAIN_OVERDUE:
		if (flight && !over)
			break;
		mptun_drain_set(path, MPTUN_DRAIN_ABANDON, MPTUN_DRAIN_PTOS);
		mptun_path_notify_status(path, MPTUN_STATUS_ABANDON);
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
		mptun_delete_unlink(path, dead);
		return U64_MAX;
	}
	return path->drain_ns;
}
