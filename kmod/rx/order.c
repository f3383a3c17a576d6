// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Order: account the packets that arrived and pass them through the ring.
 *
 * Packets are decrypted and decapsulated on the CPU they arrive on, and queued
 * for the one NAPI instance of their tunnel.  It processes a batch under one
 * hold of mptun_rx.lock, with one clock reading, one list of released packets,
 * and one decision about the timer and reports.
 *
 * The clock is therefore read up to a softirq after a packet arrived, as if the
 * busy CPU were the last hop of the path.
 */
#include "base/ecn.h"
#include "base/skb_cb.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* Gaps that one arrival may prove lost. */
#define MPTUN_ORDER_GAPS	4

/* Checks that the dsn of a packet without a tag is plausible.  A tag
 * authenticates it: packets below the ring are late then, however many of them
 * a path delivers together after it has stalled.  Returns 0, or the reason to
 * drop the packet.
 */
static unsigned int mptun_order_check_dsn(struct mptun_tunnel *tunnel,
					  u32 dsn, u64 now,
					  struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &tunnel->rx.reorder;

	if (mptun_tunnel_sealed(tunnel))
		return 0;
	switch (mptun_reorder_filter(reorder, dsn, now)) {
	case MPTUN_REORDER_DROP:
		return MPTUN_A_DROP_STATS_RX_JUMP;
	case MPTUN_REORDER_RESTART:
		mptun_reorder_restart(reorder, dsn, now, out);
		break;
	case MPTUN_REORDER_TAKE:
		break;
	}
	return 0;
}

/* Checks that both numbers of a packet are plausible, and its own one new.
 * Returns 0, or the reason to drop it.
 */
static unsigned int mptun_order_check(struct mptun_path *path,
				      struct mptun_recv_info *info,
				      u64 now, struct sk_buff_head *out)
{
	struct mptun_replay *window = &path->rx.data.window;
	enum mptun_replay_credit credit = MPTUN_REPLAY_TAKE;
	unsigned int reason;

	/* A tag authenticates the number as well. */
	if (!mptun_tunnel_sealed(path->tunnel))
		credit = mptun_replay_filter(window, info->number);
	if (credit == MPTUN_REPLAY_DROP)
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (credit == MPTUN_REPLAY_RESTART) {
		mptun_replay_rate_init(&path->rx.data_rate);
		mptun_ranges_init(&path->rx.ranges);
		mptun_loss_proof_init(&path->rx.loss_proof);
	}
	if (!mptun_replay_check(window, info->number))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	if (info->kind == MPTUN_KIND_DATA) {
		reason = mptun_order_check_dsn(path->tunnel, info->dsn, now,
					       out);
		if (reason)
			return reason;
	}
	mptun_replay_take(&path->rx.data, &path->rx.data_rate, info->number,
			  now);
	info->newest = window->next == info->number + 1;
	return 0;
}

/* Accounts an accepted packet on its path. */
static void mptun_order_account(struct mptun_path *path,
				const struct mptun_recv_info *info, u64 now)
{
	struct mptun_path_rx *prx = &path->rx;
	enum mptun_range_verdict verdict;

	verdict = mptun_ranges_add(&prx->ranges, info->number);
	if (verdict == MPTUN_RANGE_NEW_IN_ORDER ||
	    verdict == MPTUN_RANGE_NEW_GAP)
		atomic64_set(&prx->arrival_ns, now);
	atomic64_set(&path->tunnel->rx.active_ns, now);
	atomic64_set(&prx->last_ns, now);
	prx->packets++;
	prx->bytes += info->bytes;
	prx->unreported++;
	prx->cross_unreported++;
	if (info->ecn & MPTUN_ECN_UNMARKED && !prx->ecn.ect_unmarked)
		WRITE_ONCE(prx->ecn.ect_unmarked, true);
	prx->ecn_faults += !!(info->ecn & MPTUN_ECN_FAULT);
	prx->ecn_ignored += !!(info->ecn & MPTUN_ECN_IGNORED);
	if (info->ecn & MPTUN_ECN_MARKED) {
		prx->ecn_ce++;
		prx->marks.ce++;
		if (info->ecn & MPTUN_ECN_L4S)
			prx->marks.l4s++;
		else
			prx->urgent = true;
	}
	if (!(info->flags & MPTUN_F_COPY))
		mptun_owd_update(&prx->owd, info->time, now);
	if (verdict == MPTUN_RANGE_NEW_GAP)
		prx->urgent = true;
}

/* Inserts a packet into the ring, and applies the losses it proves. */
static enum mptun_verdict
mptun_order_insert(struct mptun_path *path, const struct mptun_recv_info *info,
		   struct sk_buff *skb, u64 now, struct sk_buff_head *out)
{
	struct mptun_rx *rx = &path->tunnel->rx;
	bool copy = info->flags & MPTUN_F_COPY;
	struct mptun_gap gap[MPTUN_ORDER_GAPS];
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

	cb->dsn = info->dsn;
	cb->drop = info->ecn & MPTUN_ECN_DROP;
	cb->refused = info->refused;
	cb->copy = copy;
	cb->frag = info->flags & MPTUN_F_FRAG;
	cb->class = info->class;
	cb->time = info->time;
	n = mptun_loss_proof_receive(&path->rx.loss_proof, &arrival, now, gap,
				     MPTUN_ORDER_GAPS);
	verdict = mptun_reorder_insert(&rx->reorder, skb, &pkt, now, out);
	for (i = 0; i < n; i++)
		mptun_reorder_prove(&rx->reorder, &gap[i], now, out);
	return verdict;
}

/* Decodes a repair symbol.  It is no first transmission of anything. */
static void mptun_order_repair(struct mptun_path *path,
			       const struct mptun_recv_info *info,
			       struct sk_buff *skb, u64 now,
			       struct sk_buff_head *out)
{
	struct mptun_arrival arrival = {
		.pn = info->number,
		.fseq = info->fseq,
		.copy = true,
	};
	struct mptun_gap gap[MPTUN_ORDER_GAPS];
	unsigned int n, i;

	/* first, as it may fill what it proves to be lost */
	mptun_code_symbol(path->tunnel, info->dsn, skb, now);
	mptun_code_order(path->tunnel, now, out);
	n = mptun_loss_proof_receive(&path->rx.loss_proof, &arrival, now, gap,
				     MPTUN_ORDER_GAPS);
	for (i = 0; i < n; i++)
		mptun_reorder_prove(&path->tunnel->rx.reorder, &gap[i], now,
				    out);
	consume_skb(skb);
}

/* Processes a packet; returns true if its number is accepted. */
static bool mptun_order_packet(struct mptun_path *path,
			       struct mptun_recv_info *info,
			       struct sk_buff *skb, u64 now,
			       struct sk_buff_head *out)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	enum mptun_verdict verdict;
	unsigned int reason;

	/* It may have been queued in the association before. */
	if (tunnel->rx.running && info->assoc == READ_ONCE(tunnel->assoc.count))
		reason = mptun_order_check(path, info, now, out);
	else
		reason = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	if (reason) {
		mptun_drop(&tunnel->drops, skb, reason);
		return false;
	}
	mptun_order_account(path, info, now);
	if (unlikely(info->kind == MPTUN_KIND_REPAIR)) {
		mptun_order_repair(path, info, skb, now, out);
		return true;
	}
	verdict = mptun_order_insert(path, info, skb, now, out);
	if (verdict == MPTUN_VERDICT_DUPLICATE ||
	    verdict == MPTUN_VERDICT_TOO_OLD)
		consume_skb(skb); /* counted by the ring */
	return true;
}

/* Processes a list, then plans timer and reports once.  Returns true if reports
 * are due; @info and @accepted are those of the last packet.
 */
static bool mptun_order_list(struct mptun_tunnel *tunnel,
			     struct sk_buff_head *list,
			     struct mptun_recv_info *info, bool *accepted)
{
	struct mptun_rx *rx = &tunnel->rx;
	u16 wire_id = MPTUN_WIRE_ID_NONE;
	struct mptun_path *path = NULL;
	struct sk_buff_head out;
	u64 now = mptun_now();
	struct sk_buff *skb;

	lockdep_assert_held(&rx->lock);
	__skb_queue_head_init(&out);
	mptun_hold_playout(tunnel, now);
	while ((skb = __skb_dequeue(list))) {
		*info = *mptun_recv_note(skb);
		if (!path || info->wire_id != wire_id) {
			wire_id = info->wire_id;
			path = mptun_path_by_wire(tunnel, wire_id);
		}
		*accepted = path && mptun_order_packet(path, info, skb, now,
						       &out);
		if (!path) /* deleted meanwhile */
			mptun_drop(&tunnel->drops, skb,
				   MPTUN_A_DROP_STATS_RX_NO_PATH);
	}
	if (unlikely(rx->code.decoder))
		mptun_code_order(tunnel, now, &out);
	mptun_ready_add(tunnel, &out, now);
	mptun_ready_playout(rx, now);
	return mptun_rx_timer_plan(tunnel, now);
}

/**
 * mptun_order_arrived() - process a batch of the packets that have arrived
 * @tunnel: the tunnel
 *
 * Packets in order move to rx.taken under the same hold of the lock.  Called by
 * NAPI only, which keeps the order, between mptun_enter() and mptun_leave().
 *
 * Return: their number, dropped ones included.
 */
unsigned int mptun_order_arrived(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	bool accepted, report = false;
	struct mptun_recv_info info;
	unsigned int arrived;
	struct sk_buff_head list;
	struct sk_buff *skb;

	__skb_queue_head_init(&list);
	spin_lock(&rx->arrived.lock);
	while (skb_queue_len(&list) < MPTUN_ORDER_BATCH &&
	       (skb = __skb_dequeue(&rx->arrived))) {
		rx->arrived_bytes -= skb->truesize;
		__skb_queue_tail(&list, skb);
	}
	mptun_pool_left(&rx->arrived_share, rx->arrived_bytes);
	spin_unlock(&rx->arrived.lock);
	arrived = skb_queue_len(&list);
	/* Others that fill rx.ready schedule NAPI afterwards. */
	if (!arrived && skb_queue_empty_lockless(&rx->ready) &&
	    READ_ONCE(rx->taken_bytes) < MPTUN_POOL_LEAST)
		return 0;

	spin_lock(&rx->lock);
	/* Packets taken before have been delivered. */
	rx->ready_bytes -= rx->taken_bytes;
	if (arrived)
		report = mptun_order_list(tunnel, &list, &info, &accepted);
	else
		mptun_rx_settle(rx);
	skb_queue_splice_tail_init(&rx->ready, &rx->taken);
	WRITE_ONCE(rx->taken_bytes, rx->ready_bytes);
	spin_unlock(&rx->lock);
	if (report)
		mptun_report_due(tunnel, mptun_now());
	return arrived;
}

/**
 * mptun_order_now() - process a packet that must not wait for NAPI
 * @tunnel: the tunnel
 * @info: its headers; sets @newest
 * @skb: the packet, its notes made; consumed
 *
 * It may overtake queued packets of its path.  Called between mptun_enter() and
 * mptun_leave(), without a spinlock of ours.
 *
 * Return: true if its number is accepted.
 */
bool mptun_order_now(struct mptun_tunnel *tunnel, struct mptun_recv_info *info,
		     struct sk_buff *skb)
{
	struct sk_buff_head list;
	bool accepted = false;
	bool report;

	__skb_queue_head_init(&list);
	__skb_queue_tail(&list, skb);
	spin_lock(&tunnel->rx.lock);
	report = mptun_order_list(tunnel, &list, info, &accepted);
	spin_unlock(&tunnel->rx.lock);
	if (report)
		mptun_report_due(tunnel, mptun_now());
	napi_schedule(&tunnel->rx.napi);
	return accepted;
}
