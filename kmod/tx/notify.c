// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Notification of the peer: which packets it no longer needs to wait for.
 *
 * The peer gets the lowest dsn that is not settled, and for each path with
 * losses the lowest packet number still of interest.  Reports carry both.  When
 * a loss has been settled, a packet of its own carries them only if no report
 * has been sent for MPTUN_REPORT_MAX_NS: a path that loses packets has no room
 * for many.  mptun_tx.lock protects the state.
 */
#include "base/seq.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/* Paths with losses in one SET; the others follow in the next. */
#define MPTUN_NOTIFY_FLOORS	4

/**
 * mptun_notify_floor() - append the lowest number of interest of a path
 * @skb: control packet; unchanged if there is no room
 * @path: the path
 */
void mptun_notify_floor(struct sk_buff *skb, struct mptun_path *path)
{
	struct mptun_floor *floor;

	lockdep_assert_held(&path->tunnel->tx.lock);
	floor = mptun_control_block(skb, MPTUN_BLOCK_FLOOR, sizeof(*floor));
	if (!floor)
		return;
	floor->path = cpu_to_be16(path->wire_id);
	floor->number = cpu_to_be64(mptun_sent_floor(&path->tx.sent));
	path->tx.floor_due = false;
}

/**
 * mptun_notify_settled() - append the lowest dsn that is not settled
 * @skb: control packet; unchanged if there is no room
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_notify_settled(struct sk_buff *skb, struct mptun_tunnel *tunnel,
			  u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_settled *settled;

	lockdep_assert_held(&tx->lock);
	settled = mptun_control_block(skb, MPTUN_BLOCK_SETTLED,
				      sizeof(*settled));
	if (!settled)
		return;
	settled->dsn = cpu_to_be32(tx->settled);
	tx->settled_notified = tx->settled;
	tx->settle_ns = now;
}

/**
 * mptun_notify_at() - when the peer is to be notified
 * @tx: sending side of a tunnel
 *
 * Return: time in ns, U64_MAX if the reports are soon enough.
 */
u64 mptun_notify_at(const struct mptun_tx *tx)
{
	lockdep_assert_held(&tx->lock);
	if (!mptun_seq_before(tx->settled_notified, tx->settle_until) ||
	    !mptun_seq_after(tx->settled, tx->settled_notified))
		return U64_MAX;
	return tx->settle_ns + MPTUN_REPORT_MAX_NS;
}

/**
 * mptun_notify_take() - check whether a notification of the peer is due
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * If it is due later a timer is set.  Called between mptun_enter() and
 * mptun_leave() with mptun_tx.lock held.
 *
 * Return: true if the caller has to call mptun_notify_send().
 */
bool mptun_notify_take(struct mptun_tunnel *tunnel, u64 now)
{
	u64 at = mptun_notify_at(&tunnel->tx);
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	if (at <= now) {
		tunnel->tx.settle_ns = now;
		return true;
	}
	if (at == U64_MAX)
		return false;
	path = mptun_control_path(tunnel, NULL);
	if (path)
		mptun_timer_update(path, now);
	return false;
}

/**
 * mptun_notify_send() - notify the peer of what has been settled
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_notify_send(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path, *lossy;
	struct sk_buff *skb;

	path = mptun_control_path(tunnel, NULL);
	if (!path)
		return;
	skb = mptun_control_alloc(sizeof(struct mptun_block) +
				  sizeof(struct mptun_settled) +
				  MPTUN_NOTIFY_FLOORS *
				  (sizeof(struct mptun_block) +
				   sizeof(struct mptun_floor)));
	if (!skb)
		return;
	spin_lock(&tunnel->tx.lock);
	mptun_notify_settled(skb, tunnel, now);
	list_for_each_entry_rcu(lossy, &tunnel->paths, list)
		if (lossy->tx.floor_due)
			mptun_notify_floor(skb, lossy);
	mptun_control_finish(path, path->wire_id, skb, MPTUN_KIND_SET);
}
