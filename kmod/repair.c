// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Repair: what was lost is sent again.
 *
 * The model: of each packet of a class with repair something is kept until the
 * peer has it: of a segment its header and a reference to the GSO packet that
 * it is cut from, of other packets a copy.  Loss detection (sent_loss.c) says
 * when it was lost.  Then it leaves once more, on the path on which it arrives
 * first, before all that is new.  To the receiver that is a copy (copy.c): it
 * keeps its data sequence number (dsn) and its predecessor, and gets a new
 * packet number.
 *
 * What has something kept is flagged REPAIRABLE, so that the packets behind it
 * wait for the resend: a proof that a first transmission was lost is no reason
 * to go on without it.  The flag is about the packet before in the same lane,
 * which most likely was kept too.  No dsn is said to be settled while it may
 * be sent again.
 *
 * A path that has become silent may have lost all that is in flight there.
 * What was kept of it is sent again on others at once, as nobody waits for as
 * long as it takes to know: some of it may arrive twice.
 *
 * There is an end to it.  A receiver waits for a resend no longer than
 * MPTUN_REORDER_REPAIR_US, so what is older than that and a round trip is left
 * to those who sent it.  And no more is kept than MPTUN_REPAIR_MAX packets:
 * what exceeds that is sent as in a class without repair.
 */
#include <linux/ktime.h>

#include "cand.h"
#include "classify.h"
#include "feedback.h"
#include "liveness.h"
#include "path.h"
#include "queue.h"
#include "repair.h"
#include "run.h"
#include "seq.h"
#include "timer.h"
#include "tunnel.h"
#include "xmit.h"

/**
 * mptun_repair_init() - nothing is kept
 * @repair: packets of a tunnel
 */
void mptun_repair_init(struct mptun_repair *repair)
{
	__skb_queue_head_init(&repair->lost);
	repair->kept = 0;
}

static u32 mptun_repair_dsn(const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return be32_to_cpu(hdr->inner.dsn);
}

static struct mptun_class_state *
mptun_repair_state(struct mptun_tx *tx, const struct sk_buff *skb)
{
	return &tx->classes[mptun_tx_cb(skb)->class];
}

static void mptun_repair_free(struct mptun_tx *tx, struct sk_buff *skb)
{
	tx->repair.kept--;
	mptun_run_free(skb);
}

static void mptun_repair_free_list(struct mptun_tx *tx,
				   struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		mptun_repair_free(tx, skb);
}

/* When is it too late to send it again? */
static ktime_t mptun_repair_until(const struct mptun_path *path, u64 now)
{
	u64 us = MPTUN_REORDER_REPAIR_US + path->tx.rtt.srtt_us;

	return ns_to_ktime(now + us * NSEC_PER_USEC);
}

/* Keeps one packet, of which something is left to keep. */
static bool mptun_repair_keep_one(struct mptun_path *path,
				  const struct sk_buff *skb, u32 i, u64 now)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number) & MPTUN_NUMBER_PN_MASK;
	struct mptun_repair *repair = &path->tunnel->tx.repair;
	struct sk_buff *kept;

	if (repair->kept == MPTUN_REPAIR_MAX)
		return false;
	kept = mptun_run_keep(skb, i);
	if (!kept)
		return false;
	kept->tstamp = mptun_repair_until(path, now);
	if (!mptun_sent_keep(&path->tx.sent, number + i, kept)) {
		mptun_run_free(kept);
		return false;
	}
	repair->kept++;
	return true;
}

/**
 * mptun_repair_keep() - keep what has been placed, to send it again
 * @path: the path it was placed on
 * @skb: the packet or run, with its numbers
 * @packets: how many packets that is
 * @now: time in ns
 */
void mptun_repair_keep(struct mptun_path *path, struct sk_buff *skb,
		       u32 packets, u64 now)
{
	struct mptun_packet *hdr = (void *)skb->data;
	u32 i;

	lockdep_assert_held(&path->tunnel->tx.lock);
	for (i = 0; i < packets; i++)
		if (!mptun_repair_keep_one(path, skb, i, now))
			break;
	if (i)
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
}

/* Losses of a path come in order, those of several nearly so. */
static void mptun_repair_lose(struct mptun_tx *tx, struct sk_buff *skb)
{
	struct sk_buff_head *lost = &tx->repair.lost;
	u32 dsn = mptun_repair_dsn(skb);
	struct sk_buff *at;

	skb_queue_reverse_walk(lost, at)
		if (mptun_seq_before(mptun_repair_dsn(at), dsn))
			break;
	__skb_queue_after(lost, at, skb);
}

/**
 * mptun_repair_settle() - take what was kept of packets that have been
 *	acknowledged or lost
 * @path: their path
 */
void mptun_repair_settle(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_sent *sent = &path->tx.sent;
	struct sk_buff *skb;

	lockdep_assert_held(&tx->lock);
	mptun_repair_free_list(tx, &sent->arrived);
	while ((skb = __skb_dequeue(&sent->lost)))
		mptun_repair_lose(tx, skb);
}

/* Is there a path that answers? */
static bool mptun_repair_other(const struct mptun_tunnel *tunnel)
{
	const struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_liveness_good(path))
			return true;
	return false;
}

/**
 * mptun_repair_doubt() - a path has become silent
 * @path: the path, no longer a good one; under RCU
 *
 * What is in flight there is sent again, if there is another way.
 */
void mptun_repair_doubt(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!mptun_repair_other(path->tunnel))
		return;
	mptun_sent_yield(&path->tx.sent);
	mptun_repair_settle(path);
}

/**
 * mptun_repair_forget() - nothing that is in flight on a path is sent again
 * @path: the path, of which nothing is kept if it is about to be made
 */
void mptun_repair_forget(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_sent *sent = &path->tx.sent;

	mptun_sent_yield(sent);
	mptun_repair_free_list(tx, &sent->arrived);
	mptun_repair_free_list(tx, &sent->lost);
}

/**
 * mptun_repair_purge() - nothing that was lost is sent again
 * @tunnel: the tunnel
 */
void mptun_repair_purge(struct mptun_tunnel *tunnel)
{
	lockdep_assert_held(&tunnel->tx.lock);
	mptun_repair_free_list(&tunnel->tx, &tunnel->tx.repair.lost);
}

/**
 * mptun_repair_oldest_dsn() - dsn of the oldest packet to be sent again
 * @repair: packets of a tunnel
 * @dsn: set if there is one
 *
 * Return: true if there is one.
 */
bool mptun_repair_oldest_dsn(const struct mptun_repair *repair, u32 *dsn)
{
	const struct sk_buff *skb = skb_peek(&repair->lost);

	if (skb)
		*dsn = mptun_repair_dsn(skb);
	return skb;
}

/* The path on which it arrives first. Returns as mptun_sched_pick(). */
static int mptun_repair_pick(struct mptun_tunnel *tunnel,
			     const struct sk_buff *skb, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	u32 len = mptun_run_placed(skb, 0);
	u32 need = len + tunnel->overhead;
	unsigned int n;
	int err;

	n = mptun_cand_list(tunnel, 0, need, now);
	n = mptun_classify_cands(tunnel, skb, n, len);
	err = mptun_sched_filter(&tx->sched, tx->cand, n, need, len);
	return err ?: mptun_sched_nearest(tx->cand, n, need);
}

/* Sends it on a path, and keeps it there. */
static bool mptun_repair_send(struct mptun_path *path, struct sk_buff *kept,
			      u64 now)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct sk_buff *skb = mptun_run_copy(kept);
	u32 bytes = mptun_run_placed(kept, 0) + tunnel->overhead;
	struct mptun_packet *hdr;
	u32 dsn;

	if (!skb)
		return false;
	skb->tstamp = 0; /* that is when it lapses */
	hdr = (void *)skb->data;
	dsn = mptun_repair_dsn(skb);
	hdr->outer.number = mptun_xmit_take(path, dsn, bytes, now);
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.flags_time = cpu_to_be32(mptun_now_us(now) &
					    MPTUN_TIME_MASK) |
				MPTUN_FLAGS(MPTUN_F_COPY | MPTUN_F_REPAIRABLE);
	mptun_sent_resent(&path->tx.sent, dsn);
	mptun_repair_state(&tunnel->tx, kept)->resent++;
	if (!mptun_sent_keep(&path->tx.sent, path->tx.sent.next - 1, kept))
		mptun_repair_free(&tunnel->tx, kept);
	mptun_xmit_out(path, skb, 1);
	mptun_timer_update(path, now);
	return true;
}

/* Sends the first of what was lost again, if it is not too late. Returns false
 * if it has to wait for room.
 */
static bool mptun_repair_place_next(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff *skb = skb_peek(&tx->repair.lost);
	int chosen = -ETIME;

	if (ktime_to_ns(skb->tstamp) > now)
		chosen = mptun_repair_pick(tunnel, skb, now);
	if (chosen == -EAGAIN)
		return false;
	__skb_unlink(skb, &tx->repair.lost);
	if (chosen < 0 ||
	    !mptun_repair_send(tx->cand_path[chosen], skb, now)) {
		mptun_repair_state(tx, skb)->lapsed++;
		mptun_repair_free(tx, skb);
	}
	return true;
}

/**
 * mptun_repair_place() - send again what was lost, before anything new
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: false if some of it has to wait for room; then the queues are
 * stopped, as nothing is to overtake it.
 */
bool mptun_repair_place(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (!mptun_repair_waits(&tx->repair))
		return true;
	while (mptun_repair_waits(&tx->repair)) {
		if (mptun_repair_place_next(tunnel, now))
			continue;
		mptun_queue_stop_all(tunnel, now);
		return false;
	}
	mptun_feedback_settle(tunnel);
	return true;
}
