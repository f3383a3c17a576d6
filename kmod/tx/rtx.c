// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair: what was lost is sent again.
 *
 * The model: of each packet of a class with repair something is kept until the
 * peer has it: of a segment its header and a reference to the GSO packet that
 * it is cut from, of other packets a copy.  Loss detection (recovery/loss.c) says
 * when it was lost.  Then it leaves once more, on the path on which it arrives
 * first, before all that is new in the same queue of the device.  To the
 * receiver that is a copy (tx/duplicate.c): it keeps its data sequence number (dsn) and
 * its predecessor, and gets a new packet number.
 *
 * A packet or run of which something is kept is flagged REPAIRABLE, so that it
 * waits for a resend of the one before: a proof that a first transmission was
 * lost is no reason to go on without it.  The flag is about the packet before
 * in the same lane, which most likely was kept too.  No dsn is said to be
 * settled while it may be sent again.
 *
 * A path that has become silent may have lost all that is in flight there.
 * What was kept of it is sent again on others at once, as nobody waits for as
 * long as it takes to know: some of it may arrive twice.  What is told to have
 * arrived before its turn is not.
 *
 * There is an end to it.  A receiver waits for a resend no longer than
 * MPTUN_REORDER_REPAIR_US, so what is older than that and a round trip is left
 * to those who sent it.  And no more is kept than MPTUN_RTX_MAX packets:
 * what exceeds that is sent as in a class without repair.
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

/* Its number on the path that it left on last. */
static u64 mptun_rtx_number(const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return be64_to_cpu(hdr->outer.number) & MPTUN_NUMBER_PN_MASK;
}

/* That path, NULL if it is gone. */
static struct mptun_path *mptun_rtx_origin(struct mptun_tunnel *tunnel,
					      const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return mptun_path_by_wire(tunnel, be64_to_cpu(hdr->outer.number) >>
					  MPTUN_NUMBER_PATH_SHIFT);
}

static unsigned int mptun_rtx_queue(const struct mptun_tunnel *tunnel,
				       const struct sk_buff *skb)
{
	return mptun_queue_of(tunnel, mptun_tx_cb(skb)->class);
}

static struct mptun_class_state *
mptun_rtx_state(struct mptun_tx *tx, const struct sk_buff *skb)
{
	return &tx->classes[mptun_tx_cb(skb)->class];
}

static void mptun_rtx_free(struct mptun_tx *tx, struct sk_buff *skb)
{
	tx->repair.kept--;
	mptun_run_free(skb);
}

static void mptun_rtx_free_list(struct mptun_tx *tx,
				   struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		mptun_rtx_free(tx, skb);
}

/* When is it too late to send it again? */
static ktime_t mptun_rtx_until(const struct mptun_path *path, u64 now)
{
	u64 us = MPTUN_REORDER_REPAIR_US + path->tx.rtt.srtt_us;

	return ns_to_ktime(now + us * NSEC_PER_USEC);
}

/* Keeps one packet, of which something is left to keep. */
static bool mptun_rtx_keep_one(struct mptun_path *path,
				  const struct sk_buff *skb, u32 i,
				  ktime_t until)
{
	struct mptun_rtx *repair = &path->tunnel->tx.repair;
	struct sk_buff *kept;

	if (repair->kept == MPTUN_RTX_MAX)
		return false;
	kept = mptun_run_keep(skb, i);
	if (!kept)
		return false;
	kept->tstamp = until;
	if (!mptun_sent_keep(&path->tx.sent, mptun_rtx_number(kept),
			     kept)) {
		mptun_run_free(kept);
		return false;
	}
	repair->kept++;
	return true;
}

/**
 * mptun_rtx_keep() - keep what has been placed, to send it again
 * @path: the path it was placed on
 * @skb: the packet or run, with its numbers
 * @packets: how many packets that is
 * @now: time in ns
 */
void mptun_rtx_keep(struct mptun_path *path, struct sk_buff *skb,
		       u32 packets, u64 now)
{
	struct mptun_packet *hdr = (void *)skb->data;
	ktime_t until = mptun_rtx_until(path, now);
	u32 i;

	lockdep_assert_held(&path->tunnel->tx.lock);
	for (i = 0; i < packets; i++)
		if (!mptun_rtx_keep_one(path, skb, i, until))
			break;
	if (i)
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
}

/* Puts a packet where its dsn belongs.  Losses of a path come in order, so the
 * search begins at the one before (@at), if that is of the same queue.
 */
static struct sk_buff *mptun_rtx_insert(struct sk_buff_head *lost,
					   struct sk_buff *at,
					   struct sk_buff *skb)
{
	u32 dsn = mptun_rtx_dsn(skb);

	if (!at)
		at = lost->prev;
	while (at != (struct sk_buff *)lost &&
	       mptun_seq_before(dsn, mptun_rtx_dsn(at)))
		at = at->prev;
	while (at->next != (struct sk_buff *)lost &&
	       mptun_seq_before(mptun_rtx_dsn(at->next), dsn))
		at = at->next;
	__skb_queue_after(lost, at, skb);
	return skb;
}

/**
 * mptun_rtx_settle() - take what was kept of packets that have been
 *	acknowledged or lost
 * @path: their path
 */
void mptun_rtx_settle(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_sent *sent = &path->tx.sent;
	struct sk_buff_head *lost, *before = NULL;
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff *skb, *at = NULL;

	lockdep_assert_held(&tx->lock);
	mptun_rtx_free_list(tx, &sent->arrived);
	while ((skb = __skb_dequeue(&sent->lost))) {
		lost = &tx->queues[mptun_rtx_queue(tunnel, skb)].lost;
		at = mptun_rtx_insert(lost, lost == before ? at : NULL, skb);
		before = lost;
		tx->repair.lost++;
	}
}

/* Is there a path that answers, and may be used? */
static bool mptun_rtx_other(const struct mptun_tunnel *tunnel)
{
	const struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_path_up(path) && mptun_path_takes_data(path))
			return true;
	return false;
}

/**
 * mptun_rtx_suspect() - a path has become silent
 * @path: the path, no longer a good one; under RCU
 *
 * What is in flight there is sent again, if there is another way.
 */
void mptun_rtx_suspect(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!mptun_rtx_other(path->tunnel))
		return;
	mptun_sent_yield(&path->tx.sent);
	mptun_rtx_settle(path);
}

/**
 * mptun_rtx_forget() - nothing that is in flight on a path is sent again
 * @path: the path, of which nothing is kept if it is about to be made
 */
void mptun_rtx_forget(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_sent *sent = &path->tx.sent;

	mptun_sent_yield(sent);
	mptun_rtx_free_list(tx, &sent->arrived);
	mptun_rtx_free_list(tx, &sent->lost);
}

/**
 * mptun_rtx_purge() - nothing at all is sent again
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
	tx->repair.lost = 0;
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_rtx_forget(path);
	rcu_read_unlock();
}

/**
 * mptun_rtx_oldest_dsn() - dsn of the oldest packet to be sent again
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

	if (!mptun_rtx_waits(&tx->repair))
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
	tunnel->tx.repair.lost--;
}

/* What was taken for lost may have arrived since, all of it if its path was
 * only slow.
 */
static bool mptun_rtx_arrived(struct mptun_tunnel *tunnel,
				 const struct sk_buff *skb)
{
	struct mptun_path *path = mptun_rtx_origin(tunnel, skb);

	return path && mptun_sent_has_arrived(&path->tx.sent,
					      mptun_rtx_number(skb));
}

static void mptun_rtx_expire(struct mptun_tunnel *tunnel,
			       struct sk_buff *skb)
{
	mptun_rtx_state(&tunnel->tx, skb)->lapsed++;
	mptun_rtx_free(&tunnel->tx, skb);
}

/**
 * mptun_rtx_first() - what is to be sent again next
 * @tunnel: the tunnel
 * @q: of which of the device's queues
 * @now: time in ns
 *
 * What has arrived meanwhile is forgotten, and so is what is too late.
 *
 * Return: a packet or a run of one segment, NULL if there is none.
 */
struct sk_buff *mptun_rtx_first(struct mptun_tunnel *tunnel, unsigned int q,
				   u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff *skb;
	bool gone = false;

	lockdep_assert_held(&tx->lock);
	if (!mptun_rtx_waits(&tx->repair))
		return NULL;
	while ((skb = skb_peek(&tx->queues[q].lost))) {
		bool arrived = mptun_rtx_arrived(tunnel, skb);

		if (!arrived && ktime_to_ns(skb->tstamp) > now)
			break;
		mptun_rtx_unlink(tunnel, q, skb);
		if (arrived)
			mptun_rtx_free(tx, skb);
		else
			mptun_rtx_expire(tunnel, skb);
		gone = true;
	}
	if (gone)
		mptun_ack_settle(tunnel);
	return skb;
}

/* May it be on its way still? */
static bool mptun_rtx_outstanding(struct mptun_tunnel *tunnel,
				     const struct sk_buff *skb)
{
	struct mptun_path *path = mptun_rtx_origin(tunnel, skb);

	return path && mptun_sent_outstanding(&path->tx.sent,
					      mptun_rtx_number(skb));
}

/**
 * mptun_rtx_pick() - on which path does it leave?
 * @tunnel: the tunnel, its mptun_tx.cand listed
 * @skb: what mptun_rtx_first() returned
 * @n: number of candidates
 * @bytes: room it needs
 * @packet_mtu: its size as an inner packet
 *
 * It takes the one on which it arrives first.  As long as it may be on its way,
 * one that is as silent as its own is none.
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
	return err ?: mptun_sched_nearest(tx->cand, n, bytes);
}

/* No path takes it: so it is lost, unless it is not. */
static void mptun_rtx_refused(struct mptun_tunnel *tunnel,
				 struct sk_buff *skb)
{
	struct mptun_path *path = mptun_rtx_origin(tunnel, skb);

	if (!mptun_rtx_outstanding(tunnel, skb) ||
	    !mptun_sent_keep(&path->tx.sent, mptun_rtx_number(skb), skb))
		mptun_rtx_expire(tunnel, skb);
	mptun_ack_settle(tunnel);
}

/* Sends it on a path, and keeps it there. */
static void mptun_rtx_send(struct mptun_path *path, struct sk_buff *kept,
			      struct sk_buff *skb, u64 now)
{
	struct mptun_packet *hdr = (void *)kept->data;
	struct mptun_tunnel *tunnel = path->tunnel;
	u32 bytes = mptun_run_placed(kept, 0) + tunnel->overhead;
	u32 dsn = mptun_rtx_dsn(kept);

	hdr->outer.number = mptun_stamp_number(path, dsn, bytes, now);
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.flags_time = cpu_to_be32(mptun_now_us(now) &
					    MPTUN_TIME_MASK) |
				MPTUN_FLAGS(MPTUN_F_COPY | MPTUN_F_REPAIRABLE);
	memcpy(skb->data, hdr, sizeof(*hdr));
	skb->tstamp = 0; /* that is when it lapses */

	mptun_sent_resent(&path->tx.sent, dsn);
	mptun_rtx_state(&tunnel->tx, kept)->resent++;
	if (!mptun_sent_keep(&path->tx.sent, mptun_rtx_number(kept), kept))
		mptun_rtx_free(&tunnel->tx, kept);
	mptun_stamp_out(path, skb, 1);
	mptun_timer_update(path, now);
}

/**
 * mptun_rtx_place() - send it again
 * @tunnel: the tunnel
 * @q: the device's queue that it is of
 * @skb: what mptun_rtx_first() returned
 * @chosen: what mptun_rtx_pick() returned, not -EAGAIN
 * @now: time in ns
 */
void mptun_rtx_place(struct mptun_tunnel *tunnel, unsigned int q,
			struct sk_buff *skb, int chosen, u64 now)
{
	struct sk_buff *copy = NULL;

	lockdep_assert_held(&tunnel->tx.lock);
	mptun_rtx_unlink(tunnel, q, skb);
	if (chosen >= 0)
		copy = mptun_run_copy(skb);
	if (copy)
		mptun_rtx_send(tunnel->tx.cand_path[chosen], skb, copy, now);
	else
		mptun_rtx_refused(tunnel, skb);
}
