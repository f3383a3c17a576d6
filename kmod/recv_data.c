// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception of data: strip, account, order.
 *
 * What needs no lock is done packet by packet.  The rest is done for all that
 * came together on one path: one look at the clock, one hold of the lock, one
 * list of what the ring releases, one decision about the timer and the report.
 */
#include <linux/tcp.h>
#include <net/ip_tunnels.h>

#include "deliver.h"
#include "ecn.h"
#include "feedback.h"
#include "parse.h"
#include "path.h"
#include "recv_data.h"
#include "report.h"
#include "skb_cb.h"
#include "tunnel.h"
#include "xmit.h"

/* Brackets one arrival may prove. */
#define MPTUN_RECV_BRACKETS	4

/* What is known of the checksums of an inner packet, which is at its inner
 * header.  A tag says more than they do.  Without one, a sum that was taken
 * over the outer packet holds the one over the inner packet, which so need not
 * be read again.
 */
static void mptun_recv_checksum(const struct mptun_tunnel *tunnel,
				struct sk_buff *skb)
{
	const u8 *outer = skb_transport_header(skb);
	unsigned int len = skb->data - outer;

	if (mptun_tunnel_sealed(tunnel)) {
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		skb->csum_level = SKB_MAX_CSUM_LEVEL;
		return;
	}
	skb->csum_level = 0;
	if (skb->ip_summed == CHECKSUM_COMPLETE && len % sizeof(u16) == 0)
		skb_postpull_rcsum(skb, outer, len);
	else
		skb->ip_summed = CHECKSUM_NONE;
}

/* Takes the outer side off an inner packet, which is at its inner header.
 *
 * A packet may wait in the ring longer than the device below it lives, and one
 * flow must look alike to GRO whatever path its packets came on.  So nothing
 * of the way stays: no device, no route, no hash, no mark.
 */
static void mptun_recv_strip(struct sk_buff *skb)
{
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	skb_reset_mac_len(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->encapsulation = 0;
	skb->mark = 0;
	skb->priority = 0;
	skb->queue_mapping = 0;
}

/* Bytes of the headers that GRO looks at; the one of IP can be read. */
static unsigned int mptun_recv_headers(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = (const void *)skb->data;
	const struct iphdr *ip = (const void *)skb->data;
	bool v4 = skb->protocol == htons(ETH_P_IP);
	unsigned int len = v4 ? ip->ihl * 4 : sizeof(*ip6);
	u8 protocol = v4 ? ip->protocol : ip6->nexthdr;
	const struct tcphdr *th;
	struct tcphdr tcp;

	if (protocol == IPPROTO_UDP)
		return len + sizeof(struct udphdr);
	if (protocol != IPPROTO_TCP)
		return len;
	th = skb_header_pointer(skb, len, sizeof(tcp), &tcp);
	return th ? len + th->doff * 4 : len;
}

/* Checks an inner packet, and cuts off what is behind it.
 *
 * Its headers are made readable at once, and not a byte more: GRO joins pages
 * of packets only if all that is not in pages are headers.
 */
static bool mptun_recv_inner(struct sk_buff *skb)
{
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(struct iphdr)) ||
	    (skb->data[0] >> 4 == 6 &&
	     !pskb_may_pull(skb, sizeof(struct ipv6hdr))))
		return false;
	skb_reset_network_header(skb);
	len = mptun_parse_inner(skb->data, skb_headlen(skb), &skb->protocol);
	if (!len || len > skb->len || pskb_trim_rcsum(skb, len))
		return false;
	return pskb_may_pull(skb, min(len, mptun_recv_headers(skb)));
}

/* Is a data number credible? If the window begins anew, so does all else that
 * was derived from the numbers of before.  A key leaves no doubt.
 */
static bool mptun_recv_number_near(struct mptun_path *path, u64 number)
{
	if (mptun_tunnel_sealed(path->tunnel))
		return true;
	switch (mptun_replay_credit(&path->rx.data.window, number)) {
	case MPTUN_REPLAY_FAR:
		return false;
	case MPTUN_REPLAY_ANEW:
		mptun_ranges_init(&path->rx.ranges);
		mptun_evidence_init(&path->rx.evidence);
		return true;
	default:
		return true;
	}
}

/* Are both numbers of a packet credible, and is its own one new? Returns 0, or
 * the reason to drop it.
 */
static unsigned int mptun_recv_credit(struct mptun_path *path,
				      struct mptun_recv_info *info,
				      u64 now, struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &path->tunnel->rx.reorder;
	struct mptun_replay *window = &path->rx.data.window;

	if (!mptun_recv_number_near(path, info->number))
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (!mptun_replay_check(window, info->number))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	switch (mptun_reorder_credit(reorder, info->dsn)) {
	case MPTUN_REORDER_FAR:
		return MPTUN_A_DROP_STATS_RX_JUMP;
	case MPTUN_REORDER_ANEW:
		mptun_reorder_anew(reorder, info->dsn, now, out);
		break;
	case MPTUN_REORDER_NEAR:
		break;
	}
	mptun_replay_update(window, info->number);
	info->newest = window->next == info->number + 1;
	return 0;
}

/* Accounts what the ECN fields say.  The controller of the path waits for the
 * marks that it answers.
 */
static void mptun_recv_marks(struct mptun_path_rx *prx, unsigned int ecn)
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
static void mptun_recv_account(struct mptun_path *path,
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
	mptun_recv_marks(prx, info->ecn);
	prx->unreported++;
	prx->cross_unreported++;
	if (!(info->flags & MPTUN_F_COPY))
		mptun_skew_update(&prx->skew, info->time, now);
	if (verdict == MPTUN_RANGE_NEW_GAP)
		prx->urgent = true;
}

/* Puts a packet into the ring, and what its arrival proves into effect. */
static enum mptun_verdict mptun_recv_order(struct mptun_path *path,
					   const struct mptun_recv_info *info,
					   struct sk_buff *skb, u64 now,
					   struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &path->tunnel->rx.reorder;
	bool copy = info->flags & MPTUN_F_COPY;
	struct mptun_bracket bracket[MPTUN_RECV_BRACKETS];
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
	enum mptun_verdict verdict;
	unsigned int n, i;

	mptun_rx_cb(skb)->drop = info->ecn & MPTUN_ECN_DROP;
	n = mptun_evidence_receive(&path->rx.evidence, &arrival, now, bracket,
				   MPTUN_RECV_BRACKETS);
	verdict = mptun_reorder_insert(reorder, skb, &pkt, now, out);
	for (i = 0; i < n; i++)
		mptun_reorder_prove(reorder, &bracket[i], now, out);
	return verdict;
}

/* What the headers of a packet of a batch say, in its control block until it
 * is put in order.
 */
static struct mptun_recv_info *mptun_recv_note(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_recv_info) > sizeof(skb->cb));
	return (struct mptun_recv_info *)skb->cb;
}

/* Everything about a DATA packet that needs the lock. Returns whether it is
 * accounted, which a packet that is not accepted is not.
 */
static bool mptun_recv_one(struct mptun_recv_batch *batch, struct sk_buff *skb,
			   u64 now, struct sk_buff_head *out)
{
	struct mptun_recv_info info = *mptun_recv_note(skb);
	struct mptun_path *path = batch->path;
	struct mptun_rx *rx = &path->tunnel->rx;
	enum mptun_verdict verdict;
	unsigned int reason;

	lockdep_assert_held(&rx->lock);
	reason = rx->running ? mptun_recv_credit(path, &info, now, out) :
			       MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	batch->newest = info.newest;
	if (reason) {
		mptun_drop(&path->tunnel->drops, skb, reason);
		return false;
	}
	rx->active_ns = now;
	mptun_recv_account(path, &info, now);
	verdict = mptun_recv_order(path, &info, skb, now, out);
	if (verdict == MPTUN_VERDICT_DUPLICATE ||
	    verdict == MPTUN_VERDICT_TOO_OLD)
		consume_skb(skb); /* counted by the ring */
	return true;
}

/* The same for a batch. Returns whether it makes the path report. */
static bool mptun_recv_all(struct mptun_recv_batch *batch, u64 now)
{
	struct mptun_path *path = batch->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;
	bool accounted = false;
	struct sk_buff *skb;
	u64 at;

	lockdep_assert_held(&rx->lock);
	__skb_queue_head_init(&out);
	while ((skb = __skb_dequeue(&batch->list)))
		accounted |= mptun_recv_one(batch, skb, now, &out);
	mptun_deliver_ready(tunnel, &out);
	if (!accounted)
		return false;

	if (mptun_report_deadline(path) <= now) {
		mptun_deliver_postpone(path, now);
		return true;
	}
	at = mptun_evidence_deadline(&path->rx.evidence, now);
	at = min(at, mptun_report_latest(path));
	mptun_deliver_update(tunnel, at, now);
	return false;
}

/**
 * mptun_recv_flush() - put the packets of a batch in order
 * @batch: the batch; empty afterwards
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_recv_flush(struct mptun_recv_batch *batch)
{
	struct mptun_path *path = batch->path;
	bool report;
	u64 now;

	batch->newest = false;
	if (skb_queue_empty(&batch->list))
		return;
	now = mptun_now();
	spin_lock(&path->tunnel->rx.lock);
	report = mptun_recv_all(batch, now);
	spin_unlock(&path->tunnel->rx.lock);
	if (report)
		mptun_report_send(path, now);
}

/**
 * mptun_recv_batch_init() - begin a batch
 * @batch: the batch, on the stack of who receives
 */
void mptun_recv_batch_init(struct mptun_recv_batch *batch)
{
	__skb_queue_head_init(&batch->list);
	batch->path = NULL;
	batch->newest = false;
}

/* Takes the blocks off the front of a flagged DATA packet. */
static bool mptun_recv_blocks(struct mptun_path *path, struct sk_buff *skb)
{
	unsigned int len;
	int err;

	if (!pskb_may_pull(skb, sizeof(__be16)))
		return false;
	len = be16_to_cpup((__be16 *)skb->data);
	if (!pskb_may_pull(skb, sizeof(__be16) + len))
		return false;
	skb_pull(skb, sizeof(__be16));
	err = mptun_feedback_blocks(path->tunnel, path, skb->data, len);
	mptun_feedback_tell(path->tunnel);
	mptun_xmit_run(path->tunnel);
	skb_pull(skb, len);
	return !err;
}

/* Makes an inner packet of a DATA packet, which is at its body. Returns 0, or
 * the reason to drop it.
 */
static unsigned int mptun_recv_prepare(struct mptun_recv_info *info,
				       struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = info->path->tunnel;

	if (info->flags & MPTUN_F_BLOCKS && !mptun_recv_blocks(info->path, skb))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	if (!mptun_recv_inner(skb))
		return MPTUN_A_DROP_STATS_RX_NOT_IP;
	/* GRO writes into what clones share.  Where both ends are on one host
	 * that is the packet in the sender's retransmit queue.
	 */
	if (skb_unclone(skb, GFP_ATOMIC))
		return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	mptun_recv_checksum(tunnel, skb);
	mptun_recv_strip(skb);
	info->ecn = mptun_ecn_decapsulate(skb, info->ds);
	skb->dev = tunnel->dev;
	return 0;
}

/**
 * mptun_recv_data() - a DATA packet of a path
 * @batch: those before it, which it joins; if they are of another path, these
 *	are put in order first
 * @info: what its headers say
 * @skb: the packet, at its body; consumed, by mptun_recv_flush() at the latest
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_recv_data(struct mptun_recv_batch *batch,
		     struct mptun_recv_info *info, struct sk_buff *skb)
{
	unsigned int reason = mptun_recv_prepare(info, skb);

	if (reason) {
		mptun_drop(&info->path->tunnel->drops, skb, reason);
		return;
	}
	if (batch->path != info->path)
		mptun_recv_flush(batch);
	batch->path = info->path;
	*mptun_recv_note(skb) = *info;
	__skb_queue_tail(&batch->list, skb);
}
