// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Duplication: a packet placed on one path is sent on others as well.
 *
 * A copy keeps its data sequence number (dsn) and its predecessor; the receiver
 * accepts whichever arrives first and drops the rest.  On its path it is an
 * ordinary packet with a packet number of its own: each path acknowledges,
 * loses and reduces its window independently.  It does not count as a first
 * transmission (fseq), so the loss of a copy proves nothing to the receiver.
 *
 * A packet is copied before the next one is numbered, so the dsns of a path
 * rise with its packet numbers.  The dsn of the oldest packet in flight on a
 * path (recovery/sent.c) therefore stays a valid bound for what is settled, and
 * no dsn is settled while a copy of it is in flight.
 *
 * A packet or run that was copied as a whole may arrive again, and its
 * successor in the lane is flagged REPAIRABLE: a proof that its first
 * transmission was lost does not mean that it never arrives.
 *
 * The paths of lowest latency come first.  A path without room is skipped, and
 * takes as many segments of a run as it has room for.
 *
 * A class with policy duplicate gets its copies even if other traffic fills the
 * windows: they may exceed a window by one packet at a time.  Then the path
 * takes no packet until its flight is below the window again.
 *
 * A suspended path on trial (sched/bad.c) gets copies with any scheduler.  They
 * are few, so nothing waits for them.
 *
 * Everything here runs under mptun_tx.lock.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static bool mptun_duplicate_fits(struct mptun_path *path,
				 const struct mptun_sched_cand *cand, u32 len,
				 bool overdraws)
{
	if (len > cand->whole || !mptun_sent_can_add(&path->tx.sent))
		return false;
	return len + path->tunnel->overhead <= cand->room ||
	       (overdraws && cand->in_flight <= cand->cwnd);
}

/* Copies as many segments of a packet or run to a path as it has room for.
 * Returns their number.
 */
static u32 mptun_duplicate_one(struct mptun_path *path,
			       struct mptun_sched_cand *cand,
			       const struct sk_buff *skb, bool overdraws,
			       u64 now)
{
	struct mptun_packet *hdr;
	u32 packets, dsn, len, n;
	struct sk_buff *copy;
	__be64 number;
	u64 pn;

	len = mptun_run_placed(skb, 0);
	if (!mptun_duplicate_fits(path, cand, len, overdraws))
		return 0;
	copy = mptun_run_copy(&path->tunnel->tx, skb);
	if (!copy)
		return 0;
	hdr = (void *)copy->data;
	dsn = be32_to_cpu(hdr->inner.dsn);
	packets = mptun_run_packets(copy);
	for (n = 0; n < packets; n++) {
		len = mptun_run_placed(copy, n);
		if (!mptun_duplicate_fits(path, cand, len, overdraws))
			break;
		len += path->tunnel->overhead;
		cand->room -= min(cand->room, len);
		cand->in_flight += len;
		pn = mptun_sent_add(&path->tx.sent, dsn + n, len, now);
		number = mptun_stamp_number(path, pn, dsn + n, len, now);
		if (!n)
			hdr->outer.number = number;
	}
	path->tx.copies += n;
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_COPY);
	if (mptun_tx_cb(copy)->gso)
		mptun_tx_cb(copy)->count = n;
	mptun_stamp_out(path, copy, n, now);
	return n;
}

/* Ends copying to a path.  A copy that its window refused lets it grow. */
static void mptun_duplicate_done(struct mptun_path *path, u64 now)
{
	struct mptun_path_tx *tx = &path->tx;

	if (mptun_cc_room(&tx->cc, tx->sent.in_flight) < tx->cc.mss)
		mptun_sent_limited(&tx->sent);
	mptun_timer_update(path, now);
}

/* Returns the eligible path of lowest latency that is not in @done, or -1. */
static int mptun_duplicate_next(const struct mptun_tx *tx, unsigned int n,
				u32 done)
{
	int best = -1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (done & BIT(i) || !tx->cand[i].eligible)
			continue;
		if (best < 0 ||
		    mptun_sched_earlier(&tx->cand[i], &tx->cand[best]))
			best = i;
	}
	return best;
}

/**
 * mptun_duplicate() - copy a placed packet to other paths if required
 * @tunnel: the tunnel
 * @skb: the packet or run, with its numbers, in mptun_tx.out
 * @n: number of candidates of the scheduler
 * @chosen: index of the one it was placed on
 * @now: time in ns
 */
void mptun_duplicate(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		     unsigned int n, unsigned int chosen, u64 now)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);
	bool overdraws = class->policy == MPTUN_CLASS_POLICY_DUPLICATE;
	struct mptun_tx *tx = &tunnel->tx;
	u32 packets, done = BIT(chosen);
	unsigned int copies = 0, most;
	bool tries, whole = false;
	int i, k;

	lockdep_assert_held(&tx->lock);
	tries = tx->park.tries || tx->sched.tries;
	most = mptun_class_copies(class, &tx->sched);
	while (copies < most && (i = mptun_duplicate_next(tx, n, done)) >= 0) {
		packets = mptun_duplicate_one(tx->cand_path[i], &tx->cand[i],
					      skb, overdraws, now);
		mptun_duplicate_done(tx->cand_path[i], now);
		tx->classes[mptun_tx_cb(skb)->class].copies += packets;
		copies += !!packets;
		whole |= packets == mptun_run_packets(skb);
		done |= BIT(i);
	}
	for (i = 0; tries && i < n; i++) {
		if (done & BIT(i) || !tx->cand[i].tried)
			continue;
		for (k = 0; k < tx->cand[i].tried; k++)
			mptun_duplicate_one(tx->cand_path[i], &tx->cand[i],
					    skb, false, now);
		mptun_duplicate_done(tx->cand_path[i], now);
	}
	if (whole)
		mptun_tx_cb(skb)->again = true;
}
