// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Copies: what was placed on one path leaves on others as well.
 *
 * The model: a copy is the same packet once more.  It keeps its data sequence
 * number and its predecessor, so the receiver's ring takes what comes first
 * and drops the rest.  On its path it is a packet like all others, with a
 * number of its own: each path acknowledges, loses and slows down by itself.
 * It does not count as a first transmission (fseq), which is on its way
 * elsewhere, so the loss of a copy proves nothing to the receiver.  And since
 * a packet is copied before the next one is numbered, the dsns of a path rise
 * with its numbers: what its oldest packet in flight says about the dsns that
 * are settled (recovery/sent.c) remains true, and none is settled while a copy of it is
 * on its way.
 *
 * What was copied is flagged REPAIRABLE, on all paths.  The flag is about the
 * packet before in the same lane, which most likely was copied too: a proof
 * that its first transmission was lost does not mean that it will not come.
 *
 * The nearest paths come first.  One without room is left out: nothing waits
 * for the slower one.  Of a run it takes as many segments as it has room for.
 *
 * What a class duplicates is meant to arrive twice, also where other traffic
 * fills the windows.  So its copies may overdraw a window, by one packet at a
 * time: what is in flight then keeps everybody from that path until it is below
 * the window again.
 *
 * A path that is tried, parked (sched/bad.c) or at rest (sched/lossy.c), gets copies as
 * well, whatever the scheduler does.  It takes few of them, so nothing is said
 * to be repairable.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static bool mptun_duplicate_fits(struct mptun_path *path,
			    const struct mptun_sched_cand *cand, u32 len,
			    bool overdraws)
{
	if (len > cand->mtu || !mptun_sent_can_add(&path->tx.sent))
		return false;
	return len + path->tunnel->overhead <= cand->room ||
	       (overdraws && cand->in_flight <= cand->cwnd);
}

/* Gives the segments of a copy their numbers, as many as have room; the header
 * is that of the first one. Returns how many these are.
 */
static u32 mptun_duplicate_number(struct mptun_path *path,
			     struct mptun_sched_cand *cand,
			     struct sk_buff *copy, bool overdraws, u64 now)
{
	struct mptun_packet *hdr = (void *)copy->data;
	u32 packets = mptun_run_packets(copy);
	u32 dsn = be32_to_cpu(hdr->inner.dsn);
	__be64 number;
	u32 len, n;

	for (n = 0; n < packets; n++) {
		len = mptun_run_placed(copy, n);
		if (!mptun_duplicate_fits(path, cand, len, overdraws))
			break;
		len += path->tunnel->overhead;
		cand->room -= min(cand->room, len);
		cand->in_flight += len;
		number = mptun_stamp_number(path, dsn + n, len, now);
		if (!n)
			hdr->outer.number = number;
	}
	path->tx.copies += n;
	hdr->inner.fseq = path->tx.fseq;
	hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_COPY |
					     MPTUN_F_REPAIRABLE);
	return n;
}

/* Copies a packet or a run to one more path, if there is room. Returns how many
 * packets that is.
 */
static u32 mptun_duplicate_one(struct mptun_path *path,
			  struct mptun_sched_cand *cand,
			  const struct sk_buff *skb, bool overdraws, u64 now)
{
	struct sk_buff *copy;
	u32 n;

	if (!mptun_duplicate_fits(path, cand, mptun_run_placed(skb, 0), overdraws))
		return 0;
	copy = mptun_run_copy(skb);
	if (!copy)
		return 0;
	n = mptun_duplicate_number(path, cand, copy, overdraws, now);
	if (mptun_tx_cb(copy)->gso)
		mptun_tx_cb(copy)->count = n;
	mptun_stamp_out(path, copy, n);
	return n;
}

/* After copies were placed on a path, or refused: what is refused for want of
 * window lets the window grow.
 */
static void mptun_duplicate_done(struct mptun_path *path, u64 now)
{
	struct mptun_path_tx *tx = &path->tx;

	if (mptun_cc_room(&tx->cc, tx->sent.in_flight) < tx->cc.mss)
		mptun_sent_limited(&tx->sent);
	mptun_timer_update(path, now);
}

/* The nearest path that is not among those done, -1 if there is none. */
static int mptun_duplicate_next(const struct mptun_tx *tx, unsigned int n, u32 done)
{
	int best = -1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (done & BIT(i) || !tx->cand[i].eligible)
			continue;
		if (best < 0 ||
		    mptun_sched_nearer(&tx->cand[i], &tx->cand[best]))
			best = i;
	}
	return best;
}

/* Paths that are tried and not among those done get what they can. */
static void mptun_duplicate_try(struct mptun_tx *tx, const struct sk_buff *skb,
			   unsigned int n, u32 done, u64 now)
{
	unsigned int i;
	u8 copies;

	for (i = 0; i < n; i++) {
		copies = done & BIT(i) ? 0 : tx->cand[i].tried;
		if (!copies)
			continue;
		while (copies--)
			mptun_duplicate_one(tx->cand_path[i], &tx->cand[i], skb,
				       false, now);
		mptun_duplicate_done(tx->cand_path[i], now);
	}
}

/**
 * mptun_duplicate() - copy what has been placed to other paths
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
	struct mptun_packet *hdr = (void *)skb->data;
	struct mptun_tx *tx = &tunnel->tx;
	u32 packets, done = BIT(chosen);
	unsigned int copies = 0, most;
	bool overdraws;
	int i;

	lockdep_assert_held(&tx->lock);
	overdraws = class->policy == MPTUN_CLASS_POLICY_DUPLICATE;
	most = mptun_class_copies(class, &tx->sched);
	while (copies < most && (i = mptun_duplicate_next(tx, n, done)) >= 0) {
		packets = mptun_duplicate_one(tx->cand_path[i], &tx->cand[i], skb,
					 overdraws, now);
		mptun_duplicate_done(tx->cand_path[i], now);
		tx->classes[mptun_tx_cb(skb)->class].copies += packets;
		copies += !!packets;
		done |= BIT(i);
	}
	if (tx->park.tries || tx->avoid.tries || tx->sched.tries)
		mptun_duplicate_try(tx, skb, n, done, now);
	if (copies)
		hdr->inner.flags_time |= MPTUN_FLAGS(MPTUN_F_REPAIRABLE);
}
