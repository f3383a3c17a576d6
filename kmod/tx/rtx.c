// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Retransmission of lost packets, for classes with repair.
 *
 * Until the peer has acknowledged a packet, a copy is kept in the records of
 * its path: for a run its header and a reference to the GSO packet, the whole
 * packet otherwise.  Once loss detection (recovery/loss.c) declares a packet
 * lost, it is queued by its data sequence number (dsn) and leaves before new
 * packets of the same device queue, on the path on which it arrives first.  To
 * the receiver it is a copy (tx/duplicate.c): it keeps its dsn and predecessor
 * and gets a new packet number.
 *
 * The successor of a kept packet in its lane is flagged REPAIRABLE, so that the
 * receiver waits for a retransmission even if the first transmission is proved
 * lost.  A dsn that may be retransmitted is not settled.
 *
 * When a path becomes silent, everything kept for it is retransmitted on other
 * paths at once instead of waiting for loss detection.  Some may arrive twice;
 * packets acknowledged before their turn are skipped.  The packets of sparse
 * flows are retransmitted in this case alone, on paths that are as good by
 * their settings; their successors are not flagged, as they would wait for each
 * lost one.
 *
 * The receiver waits for four round trips (mptun_reorder_set_repair()), so
 * older packets expire.  Beyond MPTUN_RTX_MAX packets none is kept.
 * mptun_tx.lock protects everything here.
 */
#include <linux/ktime.h>

#include "base/seq.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static u32 mptun_rtx_dsn(const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return be32_to_cpu(hdr->inner.dsn);
}

/* Packet number of its last transmission. */
static u64 mptun_rtx_number(const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return be64_to_cpu(hdr->outer.number) & MPTUN_NUMBER_PN_MASK;
}

/* Path of its last transmission, NULL if that has been deleted. */
static struct mptun_path *mptun_rtx_origin(struct mptun_tunnel *tunnel,
					   const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return mptun_path_by_wire(tunnel, be64_to_cpu(hdr->outer.number) >>
				  MPTUN_NUMBER_PATH_SHIFT);
}

static struct mptun_class_state *
mptun_rtx_state(struct mptun_tx *tx, const struct sk_buff *skb)
{
	return &tx->classes[mptun_tx_cb(skb)->class];
}

static void mptun_rtx_charge(struct mptun_rtx *rtx)
{
	rtx->most = mptun_pool_settle(&rtx->share, rtx->bytes);
}

static void mptun_rtx_account(struct mptun_rtx *rtx, const struct sk_buff *skb)
{
	rtx->kept += mptun_run_packets(skb);
	rtx->bytes += mptun_run_memory(skb, true);
}

/* Accounts for what is no longer kept. */
static void mptun_rtx_release(struct mptun_rtx *rtx, const struct sk_buff *skb)
{
	rtx->kept -= mptun_run_packets(skb);
	rtx->bytes -= min(rtx->bytes, mptun_run_memory(skb, false));
	if (!rtx->kept)
		rtx->bytes = 0;
	mptun_rtx_charge(rtx);
}

static void mptun_rtx_free(struct mptun_tx *tx, struct sk_buff *skb)
{
	mptun_rtx_release(&tx->rtx, skb);
	consume_skb(mptun_tx_cb(skb)->gso);
	consume_skb(skb);
}

static void mptun_rtx_free_list(struct mptun_tx *tx,
				struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		mptun_rtx_free(tx, skb);
}

/* Tests whether a placed packet or run is to be kept.
 *
 * A run costs little, and TCP is worth it from the start.  Other packets that
 * come one by one need a copy each.  So they are kept while the path loses
 * packets, or while it carries few: their rate follows from those in flight
 * (Little's law).  Sparse flows send little anyway.
 */
static bool mptun_rtx_wanted(const struct mptun_path *path,
			     const struct sk_buff *skb, u64 now)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	u32 few = path->tx.rtt.srtt_us / MPTUN_RTX_COPY_US;

	switch (cb->keep) {
	case MPTUN_CLASS_KEEP_ALWAYS:
		return true;
	case MPTUN_CLASS_KEEP_ALONE:
	case MPTUN_CLASS_KEEP_SILENT:
		return !cb->again;
	case MPTUN_CLASS_KEEP_BULK:
		return !cb->again && (now < path->tx.loses_ns ||
				      path->tx.sent.packets <= few);
	default:
		return false;
	}
}

/* Keeps a placed packet or run for retransmission, if there is memory. */
static void mptun_rtx_keep(struct mptun_path *path, struct sk_buff *skb,
			   u64 now)
{
	struct mptun_rtx *rtx = &path->tunnel->tx.rtx;
	struct mptun_sent *sent = &path->tx.sent;
	u32 rtt_us = path->tx.rtt.srtt_us;
	struct sk_buff *kept;
	u64 us;

	mptun_rtx_charge(rtx);
	if (rtx->kept >= MPTUN_RTX_MAX || rtx->bytes >= rtx->most ||
	    !mptun_sent_can_keep(sent))
		return;
	kept = mptun_run_copy(&path->tunnel->tx, skb);
	if (!kept)
		return;
	mptun_run_release(kept);
	mptun_tx_cb(kept)->session = NULL;
	us = (u64)mptun_reorder_repair_us(rtt_us) + rtt_us;
	kept->tstamp = ns_to_ktime(now + us * NSEC_PER_USEC);
	mptun_sent_keep(sent, mptun_rtx_number(kept), mptun_run_packets(kept),
			kept);
	mptun_rtx_account(rtx, kept);
	mptun_tx_cb(kept)->again = true;
	if (mptun_tx_cb(skb)->keep != MPTUN_CLASS_KEEP_SILENT)
		mptun_tx_cb(skb)->again = true;
}

/**
 * mptun_rtx_protect() - keep a placed packet or run if that is wanted, or add
 *	it to repair symbols
 * @path: the path it was placed on
 * @skb: the packet or run after mptun_duplicate()
 * @lane: its lane
 * @now: time in ns
 *
 * The next packet of the lane then knows whether its predecessor may arrive
 * again.
 */
void mptun_rtx_protect(struct mptun_path *path, struct sk_buff *skb, u16 lane,
		       u64 now)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (unlikely(tx->code.until_ns))
		mptun_code_mark(path, skb, lane, now);
	if (mptun_rtx_wanted(path, skb, now))
		mptun_rtx_keep(path, skb, now);
	if (mptun_tx_cb(skb)->order)
		__assign_bit(lane, tx->again, mptun_tx_cb(skb)->again);
}

/**
 * mptun_rtx_part() - take one packet out of a run that is kept
 * @sent: packets of the path
 * @run: the run
 * @i: index of the packet
 *
 * Return: a run of that packet, NULL without memory.
 */
struct sk_buff *mptun_rtx_part(struct mptun_sent *sent,
			       const struct sk_buff *run, u32 i)
{
	struct mptun_path *path = container_of(sent, struct mptun_path,
					       tx.sent);
	struct mptun_tx *tx = &path->tunnel->tx;
	struct sk_buff *part = mptun_run_part(tx, run, i);

	if (!part) {
		mptun_rtx_state(tx, run)->lapsed++;
		return NULL;
	}
	part->tstamp = run->tstamp;
	mptun_rtx_account(&tx->rtx, part);
	return part;
}

/**
 * struct mptun_rtx_place - where a lost packet was queued
 * @lost: the queue
 * @skb: the packet
 */
struct mptun_rtx_place {
	struct sk_buff_head *lost;
	struct sk_buff *skb;
};

/**
 * mptun_rtx_settle() - free acknowledged packets and queue lost ones
 * @path: their path
 * @sparse: also those of sparse flows
 */
void mptun_rtx_settle(struct mptun_path *path, bool sparse)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_sent *sent = &path->tx.sent;
	struct mptun_rtx_place last[2] = {};
	struct mptun_tx *tx = &tunnel->tx;
	const struct mptun_packet *hdr;
	struct mptun_rtx_place *place;
	struct sk_buff_head *lost;
	struct sk_buff *skb, *at;
	unsigned int q;
	bool resent;
	u32 dsn;

	lockdep_assert_held(&tx->lock);
	mptun_rtx_free_list(tx, &sent->arrived);
	while ((skb = __skb_dequeue(&sent->lost))) {
		if (mptun_tx_cb(skb)->keep == MPTUN_CLASS_KEEP_SILENT &&
		    !sparse) {
			mptun_rtx_free(tx, skb);
			continue;
		}
		q = mptun_queue_of(tunnel, mptun_tx_cb(skb)->class);
		lost = &tx->queues[q].lost;
		dsn = mptun_rtx_dsn(skb);
		/* New packets of a path come in order, and retransmissions
		 * among themselves, which are older.  Begin at the previous one
		 * of its kind, if that is in the same queue.
		 */
		hdr = (const void *)skb->data;
		resent = hdr->inner.flags_time & MPTUN_FLAGS(MPTUN_F_COPY);
		place = &last[resent];
		at = place->lost == lost ? place->skb : lost->prev;
		while (at != (struct sk_buff *)lost &&
		       mptun_seq_before(dsn, mptun_rtx_dsn(at)))
			at = at->prev;
		while (at->next != (struct sk_buff *)lost &&
		       mptun_seq_before(mptun_rtx_dsn(at->next), dsn))
			at = at->next;
		__skb_queue_after(lost, at, skb);
		*place = (struct mptun_rtx_place){ lost, skb };
		tx->rtx.lost++;
	}
}

/**
 * mptun_rtx_suspect() - retransmit what is in flight on a silent path
 * @path: the path, no longer up, or now smaller
 *
 * Packets of sparse flows are retransmitted only if a path that works is as
 * good by its settings, so that a gap of a line costs its backup nothing.  Does
 * nothing without a working path.  Called under rcu_read_lock().
 */
void mptun_rtx_suspect(struct mptun_path *path)
{
	bool any = false, equal = false;
	const struct mptun_path *other;

	lockdep_assert_held(&path->tunnel->tx.lock);
	list_for_each_entry_rcu(other, &path->tunnel->paths, list) {
		if (!mptun_path_up(other) || !mptun_path_takes_data(other))
			continue;
		any = true;
		equal |= mptun_path_rank(other) <= mptun_path_rank(path);
	}
	if (!any)
		return;
	mptun_sent_requeue(&path->tx.sent);
	mptun_rtx_settle(path, equal);
}

/**
 * mptun_rtx_forget() - free what is kept of the packets in flight on a path
 * @path: the path, under mptun_tx.lock or not yet in its tunnel
 */
void mptun_rtx_forget(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_sent *sent = &path->tx.sent;

	mptun_sent_discard(sent);
	mptun_rtx_free_list(tx, &sent->arrived);
	mptun_rtx_free_list(tx, &sent->lost);
}

/**
 * mptun_rtx_purge() - free all packets kept for retransmission
 * @tunnel: the tunnel
 */
void mptun_rtx_purge(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	unsigned int q;

	lockdep_assert_held(&tx->lock);
	for (q = 0; q < tx->n_queues; q++)
		mptun_rtx_free_list(tx, &tx->queues[q].lost);
	tx->rtx.lost = 0;
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_rtx_forget(path);
	rcu_read_unlock();
}

/**
 * mptun_rtx_oldest_dsn() - find the lowest dsn due for retransmission
 * @tunnel: the tunnel
 * @dsn: set if there is one
 *
 * Return: true if there is one.
 */
bool mptun_rtx_oldest_dsn(const struct mptun_tunnel *tunnel, u32 *dsn)
{
	const struct mptun_tx *tx = &tunnel->tx;
	const struct sk_buff *skb;
	bool any = false;
	unsigned int q;
	u32 first;

	if (!mptun_rtx_waits(&tx->rtx))
		return false;
	for (q = 0; q < tx->n_queues; q++) {
		skb = skb_peek(&tx->queues[q].lost);
		if (!skb)
			continue;
		first = mptun_rtx_dsn(skb);
		if (!any || mptun_seq_before(first, *dsn))
			*dsn = first;
		any = true;
	}
	return any;
}

static void mptun_rtx_unlink(struct mptun_tunnel *tunnel, unsigned int q,
			     struct sk_buff *skb)
{
	__skb_unlink(skb, &tunnel->tx.queues[q].lost);
	tunnel->tx.rtx.lost--;
}

static void mptun_rtx_expire(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	mptun_rtx_state(&tunnel->tx, skb)->lapsed++;
	mptun_rtx_free(&tunnel->tx, skb);
}

/**
 * mptun_rtx_first() - find the next packet to retransmit
 * @tunnel: the tunnel
 * @q: number of the device's queue
 * @now: time in ns
 *
 * Frees packets that have been acknowledged in the meantime or have expired.
 *
 * Return: a packet or a run of one segment, NULL if there is none.
 */
struct sk_buff *mptun_rtx_first(struct mptun_tunnel *tunnel, unsigned int q,
				u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	bool arrived, removed = false;
	struct mptun_path *path;
	struct sk_buff *skb;

	lockdep_assert_held(&tx->lock);
	if (!mptun_rtx_waits(&tx->rtx))
		return NULL;
	while ((skb = skb_peek(&tx->queues[q].lost))) {
		path = mptun_rtx_origin(tunnel, skb);
		arrived = path && mptun_sent_has_arrived(&path->tx.sent,
							 mptun_rtx_number(skb));
		if (!arrived && ktime_to_ns(skb->tstamp) > now)
			break;
		mptun_rtx_unlink(tunnel, q, skb);
		if (arrived)
			mptun_rtx_free(tx, skb);
		else
			mptun_rtx_expire(tunnel, skb);
		removed = true;
	}
	if (removed)
		mptun_ack_settle(tunnel);
	return skb;
}

/* Its last transmission is neither acknowledged nor lost. */
static bool mptun_rtx_outstanding(struct mptun_tunnel *tunnel,
				  const struct sk_buff *skb)
{
	struct mptun_path *path = mptun_rtx_origin(tunnel, skb);

	return path && mptun_sent_outstanding(&path->tx.sent,
					      mptun_rtx_number(skb));
}

/**
 * mptun_rtx_pick() - choose the path for a retransmission
 * @tunnel: the tunnel, its mptun_tx.cand listed
 * @skb: what mptun_rtx_first() returned
 * @n: number of candidates
 * @bytes: room it needs
 * @packet_mtu: its size as an inner packet
 *
 * Chooses the path on which it arrives first.  While no path is up, a packet
 * whose last transmission may still arrive is not sent again.
 *
 * Return: as mptun_sched_pick().
 */
int mptun_rtx_pick(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		   unsigned int n, u32 bytes, u32 packet_mtu)
{
	struct mptun_tx *tx = &tunnel->tx;
	bool up = false;
	unsigned int i;
	int err;

	lockdep_assert_held(&tx->lock);
	for (i = 0; i < n; i++)
		up |= tx->cand[i].up;
	if (!up && mptun_rtx_outstanding(tunnel, skb))
		return -ENETDOWN;
	err = mptun_sched_filter(&tx->sched, tx->cand, n, bytes, packet_mtu);
	return err ?: mptun_sched_earliest(tx->cand, n, bytes);
}

/* Prepares a packet that was kept, or a copy of it, to be sent. */
static void mptun_rtx_clear(struct sk_buff *skb)
{
	skb->tstamp = 0; /* held the time at which it expires */
	mptun_tx_cb(skb)->parallel = (struct mptun_parallel_cb){};
	mptun_tx_cb(skb)->again = false;
}

/* Keeps a packet that is in flight again; returns false without memory. */
static bool mptun_rtx_keep_again(struct mptun_path *path, struct sk_buff *skb)
{
	if (!mptun_sent_can_keep(&path->tx.sent))
		return false;
	mptun_sent_keep(&path->tx.sent, mptun_rtx_number(skb), 1, skb);
	return true;
}

/* Sends @skb, the copy of @kept, on a path and keeps @kept there. */
static void mptun_rtx_send(struct mptun_path *path, struct sk_buff *kept,
			   struct sk_buff *skb, u64 now)
{
	struct mptun_packet *hdr = (void *)kept->data;
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 bytes = mptun_run_placed(kept, 0) + tunnel->overhead;
	u32 dsn = mptun_rtx_dsn(kept);
	__be32 same;
	u64 pn;

	same = hdr->inner.flags_time &
	       MPTUN_FLAGS(MPTUN_F_FRAG | MPTUN_F_REPAIRABLE);
	pn = mptun_sent_add(&path->tx.sent, dsn, bytes, now);
	hdr->outer.number = mptun_stamp_number(path, pn, dsn, bytes, now);
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.flags_time = cpu_to_be32(mptun_now_us(now) &
					    MPTUN_TIME_MASK) |
				MPTUN_FLAGS(MPTUN_F_COPY) | same;
	memcpy(skb->data, hdr, sizeof(*hdr));
	mptun_rtx_clear(skb);

	trace_mptun_rtx(path, dsn, bytes);
	mptun_sent_retransmitted(&path->tx.sent, dsn);
	mptun_rtx_state(&tunnel->tx, kept)->resent++;
	if (!mptun_rtx_keep_again(path, kept))
		mptun_rtx_free(&tunnel->tx, kept);
	mptun_stamp_out(path, skb, 1, now);
	mptun_timer_update(path, now);
}

/* Makes a lost packet that no path carries any more a new one: it may be sent
 * in fragments, or its sender gets to know the size.  Returns false if that is
 * not possible.
 */
static bool mptun_rtx_renew(struct mptun_tunnel *tunnel, unsigned int q,
			    struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	struct mptun_tx_cb *cb = mptun_tx_cb(skb);
	struct sk_buff *whole = skb;

	if (hdr->inner.flags_time & MPTUN_FLAGS(MPTUN_F_FRAG))
		return false;
	if (cb->gso) {
		whole = mptun_run_whole(cb, cb->gso);
		if (!whole)
			return false;
		mptun_rtx_free(&tunnel->tx, skb);
	} else {
		mptun_rtx_release(&tunnel->tx.rtx, skb);
		skb_pull(skb, sizeof(*hdr));
		skb_reset_network_header(skb);
		mptun_rtx_clear(skb);
	}
	mptun_tx_cb(whole)->lane = mptun_flow_lane(whole);
	__skb_queue_tail(&tunnel->tx.queues[q].rest, whole);
	return true;
}

/**
 * mptun_rtx_place() - retransmit a packet, or give it up if no path takes it
 * @tunnel: the tunnel
 * @q: number of the device's queue
 * @skb: what mptun_rtx_first() returned
 * @chosen: what mptun_rtx_pick() returned, not -EAGAIN
 * @now: time in ns
 */
void mptun_rtx_place(struct mptun_tunnel *tunnel, unsigned int q,
		     struct sk_buff *skb, int chosen, u64 now)
{
	struct sk_buff *copy = NULL;
	struct mptun_path *path;
	bool kept = false;

	lockdep_assert_held(&tunnel->tx.lock);
	mptun_rtx_unlink(tunnel, q, skb);
	if (chosen >= 0)
		copy = mptun_run_copy(&tunnel->tx, skb);
	if (copy) {
		mptun_rtx_send(tunnel->tx.cand_path[chosen], skb, copy, now);
		return;
	}
	/* The original transmission may still arrive. */
	path = mptun_rtx_origin(tunnel, skb);
	if (mptun_rtx_outstanding(tunnel, skb))
		kept = mptun_rtx_keep_again(path, skb);
	else if (chosen == -EMSGSIZE)
		kept = mptun_rtx_renew(tunnel, q, skb);
	if (!kept)
		mptun_rtx_expire(tunnel, skb);
	mptun_ack_settle(tunnel);
}
