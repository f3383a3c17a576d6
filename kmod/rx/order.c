// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Order: what has arrived is accounted and goes through the ring.
 *
 * Packets are opened and stripped where they arrive, on whatever CPU, and wait
 * in one list for the one NAPI of their tunnel.  It takes what has come
 * meanwhile, and does once what need not be done for each packet: one hold of
 * the lock, one look at the clock, one decision about the timer and reports,
 * and one list of what the ring releases for all that came on one path.
 *
 * So the clock is read up to a softirq after a packet arrived.  That is as if
 * the CPU, which was busy, had been the last hop of the path.
 */
#include "base/ecn.h"
#include "base/skb_cb.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* Brackets one arrival may prove. */
#define MPTUN_ORDER_BRACKETS	4

/**
 * struct mptun_order - packets of one path that are put in order together
 * @path: the path
 * @now: time in ns
 * @out: what the ring releases
 * @accounted: one of them was accepted
 * @newest: the last one was the newest of the path
 */
struct mptun_order {
	struct mptun_path *path;
	u64 now;
	struct sk_buff_head out;
	bool accounted;
	bool newest;
};

/* Is a data number credible? If the window begins anew, so does all else that
 * was derived from the numbers of before.  A key leaves no doubt.
 */
static bool mptun_order_number_near(struct mptun_path *path, u64 number)
{
	if (mptun_tunnel_sealed(path->tunnel))
		return true;
	switch (mptun_replay_filter(&path->rx.data.window, number)) {
	case MPTUN_REPLAY_DROP:
		return false;
	case MPTUN_REPLAY_RESTART:
		mptun_ranges_init(&path->rx.ranges);
		mptun_loss_proof_init(&path->rx.evidence);
		return true;
	default:
		return true;
	}
}

/* Are both numbers of a packet credible, and is its own one new? Returns 0, or
 * the reason to drop it.
 */
static unsigned int mptun_order_credit(struct mptun_path *path,
				       struct mptun_recv_info *info,
				       u64 now, struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &path->tunnel->rx.reorder;
	struct mptun_replay *window = &path->rx.data.window;

	if (!mptun_order_number_near(path, info->number))
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (!mptun_replay_check(window, info->number))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	switch (mptun_reorder_filter(reorder, info->dsn)) {
	case MPTUN_REORDER_DROP:
		return MPTUN_A_DROP_STATS_RX_JUMP;
	case MPTUN_REORDER_RESTART:
		mptun_reorder_restart(reorder, info->dsn, now, out);
		break;
	case MPTUN_REORDER_TAKE:
		break;
	}
	mptun_replay_update(window, info->number);
	info->newest = window->next == info->number + 1;
	return 0;
}

/* Accounts what the ECN fields say.  The controller of the path waits for the
 * marks that it answers.
 */
static void mptun_order_marks(struct mptun_path_rx *prx, unsigned int ecn)
{
	prx->ecn_faults += !!(ecn & MPTUN_ECN_FAULT);
	if (!(ecn & MPTUN_ECN_MARKED))
		return;
	prx->ecn_ce++;
	prx->marks.ce++;
	if (ecn & MPTUN_ECN_L4S)
		prx->marks.l4s++;
	else
		prx->urgent = true;
}

/* Accounts a data number. */
static void mptun_order_account(struct mptun_path *path,
				const struct mptun_recv_info *info, u64 now)
{
	struct mptun_path_rx *prx = &path->rx;
	enum mptun_range_verdict verdict;

	verdict = mptun_ranges_add(&prx->ranges, info->number);
	if (verdict == MPTUN_RANGE_NEW_IN_ORDER ||
	    verdict == MPTUN_RANGE_NEW_GAP)
		prx->arrival_ns = now;
	prx->last_ns = now;
	prx->packets++;
	prx->bytes += info->bytes;
	mptun_order_marks(prx, info->ecn);
	prx->unreported++;
	prx->cross_unreported++;
	if (!(info->flags & MPTUN_F_COPY))
		mptun_owd_update(&prx->skew, info->time, now);
	if (verdict == MPTUN_RANGE_NEW_GAP)
		prx->urgent = true;
}

/* Puts a packet into the ring, and what its arrival proves into effect. */
static enum mptun_verdict
mptun_order_insert(struct mptun_path *path, const struct mptun_recv_info *info,
		   struct sk_buff *skb, u64 now, struct sk_buff_head *out)
{
	struct mptun_rx *rx = &path->tunnel->rx;
	bool copy = info->flags & MPTUN_F_COPY;
	struct mptun_gap bracket[MPTUN_ORDER_BRACKETS];
	struct mptun_arrival arrival = {
		.pn = info->number,
		.dsn = info->dsn,
		.fseq = info->fseq,
		.copy = copy,
	};
	struct mptun_reorder_pkt pkt = {
		.dsn = info->dsn,
		.prev = info->prev,
		.copy = copy,
		.repairable = info->flags & MPTUN_F_REPAIRABLE,
	};
	struct mptun_rx_cb *cb = mptun_rxcb(skb);
	enum mptun_verdict verdict;
	unsigned int n, i;

	cb->drop = info->ecn & MPTUN_ECN_DROP;
	cb->copy = copy;
	cb->class = info->class;
	cb->time = info->time;
	n = mptun_loss_proof_receive(&path->rx.evidence, &arrival, now, bracket,
				   MPTUN_ORDER_BRACKETS);
	verdict = mptun_reorder_insert(&rx->reorder, skb, &pkt, now, out);
	for (i = 0; i < n; i++)
		mptun_reorder_prove(&rx->reorder, &bracket[i], now, out);
	return verdict;
}

/* What waited while an association ended has numbers of that. */
static bool mptun_order_current(const struct mptun_tunnel *tunnel,
				const struct mptun_recv_info *info)
{
	return tunnel->rx.running &&
	       info->assoc == READ_ONCE(tunnel->assoc.count);
}

/* Everything about a DATA packet that needs the lock. */
static void mptun_order_one(struct mptun_order *order, struct sk_buff *skb)
{
	struct mptun_recv_info info = *mptun_recv_note(skb);
	struct mptun_path *path = order->path;
	struct mptun_rx *rx = &path->tunnel->rx;
	enum mptun_verdict verdict;
	unsigned int reason;

	lockdep_assert_held(&rx->lock);
	reason = mptun_order_current(path->tunnel, &info) ?
		 mptun_order_credit(path, &info, order->now, &order->out) :
		 MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	order->newest = info.newest;
	if (reason) {
		mptun_drop(&path->tunnel->drops, skb, reason);
		return;
	}
	order->accounted = true;
	mptun_order_account(path, &info, order->now);
	verdict = mptun_order_insert(path, &info, skb, order->now,
				     &order->out);
	if (verdict == MPTUN_VERDICT_DUPLICATE ||
	    verdict == MPTUN_VERDICT_TOO_OLD)
		consume_skb(skb); /* counted by the ring */
}

/* Puts the packets of a path at the beginning of a list in order.  Returns
 * whether the last one was the newest.
 */
static bool mptun_order_path(struct mptun_path *path, u16 wire_id,
			     struct sk_buff_head *list, u64 now)
{
	struct mptun_order order = { .path = path, .now = now };
	struct mptun_rx *rx = &path->tunnel->rx;
	struct sk_buff *skb;

	lockdep_assert_held(&rx->lock);
	__skb_queue_head_init(&order.out);
	while ((skb = skb_peek(list)) &&
	       mptun_recv_note(skb)->wire_id == wire_id) {
		__skb_unlink(skb, list);
		mptun_order_one(&order, skb);
	}
	mptun_deliver_add(path->tunnel, &order.out, now);
	if (order.accounted)
		rx->active_ns = now;
	return order.newest;
}

/* Puts all of a list in order, and plans what follows from it once.  Returns
 * whether paths are to report.
 */
static bool mptun_order_list(struct mptun_tunnel *tunnel,
			     struct sk_buff_head *list, bool *newest)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	u64 now = mptun_now();
	struct sk_buff *skb;
	u16 wire_id;

	lockdep_assert_held(&rx->lock);
	mptun_hold_playout(tunnel, now);
	while ((skb = skb_peek(list))) {
		wire_id = mptun_recv_note(skb)->wire_id;
		path = mptun_path_by_wire(tunnel, wire_id);
		if (path) {
			*newest = mptun_order_path(path, wire_id, list, now);
			continue;
		}
		/* It has been deleted while the packet waited. */
		__skb_unlink(skb, list);
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_NO_PATH);
	}
	mptun_playout_release(&rx->playout, now, &rx->ready);
	return mptun_rx_timer_plan(tunnel, now);
}

/**
 * mptun_order_arrived() - put some of what has arrived in order
 * @tunnel: the tunnel
 *
 * All that is in order is taken for the stack under the same hold of the lock.
 * Called by NAPI alone, which else would overtake itself, between mptun_enter()
 * and mptun_leave().
 *
 * Return: true if something had arrived.
 */
bool mptun_order_arrived(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	bool arrived, newest, report = false;
	struct sk_buff_head list;
	struct sk_buff *skb;

	__skb_queue_head_init(&list);
	spin_lock(&rx->arrived.lock);
	while (skb_queue_len(&list) < MPTUN_ORDER_BATCH &&
	       (skb = __skb_dequeue(&rx->arrived)))
		__skb_queue_tail(&list, skb);
	spin_unlock(&rx->arrived.lock);
	arrived = !skb_queue_empty(&list);

	spin_lock(&rx->lock);
	if (arrived)
		report = mptun_order_list(tunnel, &list, &newest);
	skb_queue_splice_tail_init(&rx->ready, &rx->taken);
	spin_unlock(&rx->lock);
	if (report)
		mptun_report_due(tunnel, mptun_now());
	return arrived;
}

/**
 * mptun_order_now() - put a packet in order that must not wait for NAPI
 * @path: its path
 * @skb: the packet, its notes made; consumed
 *
 * It may overtake some of its path that wait.  Called between mptun_enter() and
 * mptun_leave(), without a spinlock of ours.
 *
 * Return: true if it is the newest one of its path.
 */
bool mptun_order_now(struct mptun_path *path, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct sk_buff_head list;
	bool newest = false;
	bool report;

	__skb_queue_head_init(&list);
	__skb_queue_tail(&list, skb);
	spin_lock(&tunnel->rx.lock);
	report = mptun_order_list(tunnel, &list, &newest);
	spin_unlock(&tunnel->rx.lock);
	if (report)
		mptun_report_due(tunnel, mptun_now());
	napi_schedule(&tunnel->rx.napi);
	return newest;
}
