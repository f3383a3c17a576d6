// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reordering ring: what the proofs of loss of single paths mean for the
 * dsns of the tunnel.
 *
 * The model: a gap (reorder/loss_proof.c) says that one path lost exactly so many
 * first transmissions with dsns in an open interval, but not which.  A dsn is
 * unknown while its first transmission has neither arrived nor been proved
 * lost; it does not matter here whether a copy came instead, or whether it
 * was given up for another reason.  Every dsn is first transmitted on one
 * path, and the gaps of one path do not overlap, so no loss is counted
 * twice.  Hence in any interval I
 *
 *	unknown(I) >= sum of lost over the gaps that lie inside of I
 *
 * and where both are equal nothing in I is under way on other paths: all
 * that is unknown there was lost, and the holes among it are given up.  This
 * is a tight set in the sense of Hall's theorem; as the gaps are
 * intervals, it is enough to look at those I that begin where one gap
 * begins and end where one ends.  So a single gap is decided as soon as
 * the other paths have filled what is theirs, and overlapping gaps of
 * several paths add up.  If the left side is ever the smaller one, a path
 * reordered more than its evidence expected: these gaps are dropped.
 * Dropping a gap costs a proof, it never makes a false one.
 *
 * The smallest difference of both sides (slack) is how many first
 * transmissions must come before anything can be decided, so that most
 * arrivals cost one decrement.
 *
 * Units: dsns.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "reorder/reorder.h"

/* Number of unknown dsns in [from, to). */
static u32 mptun_reorder_unknown(const struct mptun_reorder *r, u32 from,
				 u32 to)
{
	u32 group = mptun_reorder_group_start(from);
	u32 n = 0;

	for (; mptun_seq_before(group, to); group += MPTUN_REORDER_GROUP) {
		const struct mptun_reorder_group *g;

		g = mptun_reorder_group_of(r, group);
		n += hweight64(~(g->first | g->proved) &
			       mptun_reorder_mask(group, from, to));
	}
	return n;
}

/* A hole was proved to be a loss. */
static void mptun_reorder_lost(struct mptun_reorder *r, u32 dsn, u64 now,
			       struct sk_buff_head *out)
{
	u16 wait = *mptun_reorder_wait(r, dsn);
	const struct sk_buff *skb;

	if (wait) {
		skb = *mptun_reorder_skb(r, dsn + wait);
		if (mptun_rx_cb(skb)->list == MPTUN_REORDER_LIST_REPAIR)
			return;
	}
	mptun_reorder_give_up(r, dsn, MPTUN_GIVE_UP_EVIDENCE, now, out);
}

/* All that is unknown in [from, to) was lost. */
static void mptun_reorder_lost_range(struct mptun_reorder *r, u32 from, u32 to,
				     u64 now, struct sk_buff_head *out)
{
	u32 group = mptun_reorder_group_start(from);
	u64 unknown;

	for (; mptun_seq_before(group, to); group += MPTUN_REORDER_GROUP) {
		struct mptun_reorder_group *g;

		g = mptun_reorder_group_of(r, group);
		unknown = ~(g->first | g->proved) &
			  mptun_reorder_mask(group, from, to);
		g->proved |= unknown;
		unknown &= ~(g->arrived | g->settled);
		for (; unknown; unknown &= unknown - 1)
			mptun_reorder_lost(r, group + __ffs64(unknown), now,
					   out);
	}
}

static void mptun_reorder_remove(struct mptun_reorder *r, u32 i)
{
	r->gaps--;
	memmove(&r->gap[i], &r->gap[i + 1],
		(r->gaps - i) * sizeof(r->gap[0]));
}

/* Lowest dsn of a gap that is in the ring. */
static u32 mptun_reorder_low_end(const struct mptun_reorder *r, u32 i)
{
	u32 low = r->gap[i].after + 1;

	return mptun_seq_before(low, r->first) ? r->first : low;
}

/* Remove the gaps that lie inside of [from, to). */
static void mptun_reorder_remove_range(struct mptun_reorder *r, u32 from,
				       u32 to)
{
	u32 i = r->gaps;

	while (i--) {
		if (!mptun_seq_before(mptun_reorder_low_end(r, i), from) &&
		    !mptun_seq_after(r->gap[i].before, to))
			mptun_reorder_remove(r, i);
	}
}

/**
 * mptun_reorder_remove_old() - forget gaps that say nothing any more
 * @r: the ring
 *
 * Below the ring, a gap is as good as before only as long as nothing
 * unknown was left behind there.
 */
void mptun_reorder_remove_old(struct mptun_reorder *r)
{
	u32 i = r->gaps;

	while (i--) {
		if (mptun_seq_before(r->gap[i].after + 1, r->known) ||
		    !mptun_seq_after(r->gap[i].before, r->first))
			mptun_reorder_remove(r, i);
	}
}

/**
 * struct mptun_reorder_sums - running sums over the ends of all gaps
 * @order: indices of the gaps, by their upper ends
 * @low: unknown dsns below the lower end of each gap
 * @high: unknown dsns below the upper end of each gap
 *
 * Both counts begin at the same dsn.
 */
struct mptun_reorder_sums {
	u8 order[MPTUN_REORDER_GAPS];
	u32 low[MPTUN_REORDER_GAPS];
	u32 high[MPTUN_REORDER_GAPS];
};

/**
 * struct mptun_reorder_tight - an interval of dsns
 * @from: lowest dsn
 * @to: one above the highest dsn
 * @slack: unknown dsns above what is known to be lost
 */
struct mptun_reorder_tight {
	u32 from;
	u32 to;
	s64 slack;
};

static void mptun_reorder_sort(const struct mptun_reorder *r,
			       struct mptun_reorder_sums *s)
{
	u32 i, k;

	for (i = 0; i < r->gaps; i++) {
		for (k = i; k; k--) {
			u8 below = s->order[k - 1];

			if (!mptun_seq_after(r->gap[below].before,
					     r->gap[i].before))
				break;
			s->order[k] = below;
		}
		s->order[k] = i;
	}
}

/* Count the unknown dsns between all ends in one pass. */
static void mptun_reorder_sum(const struct mptun_reorder *r,
			      struct mptun_reorder_sums *s)
{
	u32 at = mptun_reorder_low_end(r, 0);
	u32 low = 0, high = 0, sum = 0;
	u32 a, b;

	while (high < r->gaps) {
		b = r->gap[s->order[high]].before;
		a = low < r->gaps ? mptun_reorder_low_end(r, low) : b;
		if (low < r->gaps && !mptun_seq_after(a, b)) {
			sum += mptun_reorder_unknown(r, at, a);
			s->low[low++] = sum;
			at = a;
		} else {
			sum += mptun_reorder_unknown(r, at, b);
			s->high[s->order[high++]] = sum;
			at = b;
		}
	}
}

/* Note the interval from the lower end of gap @i with the least slack, and
 * the smaller one of two.
 */
static void mptun_reorder_tightest(const struct mptun_reorder *r,
				   const struct mptun_reorder_sums *s, u32 i,
				   struct mptun_reorder_tight *t)
{
	u32 low = mptun_reorder_low_end(r, i);
	u32 k, end, lost = 0;
	s64 slack;

	for (k = 0; k < r->gaps; k++) {
		if (s->order[k] < i)
			continue;
		lost += r->gap[s->order[k]].lost;
		end = r->gap[s->order[k]].before;
		if (k + 1 < r->gaps &&
		    r->gap[s->order[k + 1]].before == end)
			continue;
		slack = (s64)(s->high[s->order[k]] - s->low[i]) - lost;
		if (slack < t->slack ||
		    (slack == t->slack && end - low < t->to - t->from)) {
			t->from = low;
			t->to = end;
			t->slack = slack;
		}
	}
}

/* Decide what can be decided, the most contradictory gaps first. */
static void mptun_reorder_evaluate(struct mptun_reorder *r, u64 now,
				   struct sk_buff_head *out)
{
	struct mptun_reorder_tight t;
	struct mptun_reorder_sums s;
	u32 i;

	mptun_reorder_remove_old(r);
	while (r->gaps) {
		mptun_reorder_sort(r, &s);
		mptun_reorder_sum(r, &s);
		t = (struct mptun_reorder_tight){ .slack = U32_MAX };
		for (i = 0; i < r->gaps; i++)
			mptun_reorder_tightest(r, &s, i, &t);
		if (t.slack > 0) {
			r->slack = t.slack;
			r->top = r->gap[s.order[r->gaps - 1]].before;
			break;
		}
		mptun_reorder_remove_range(r, t.from, t.to);
		if (!t.slack)
			mptun_reorder_lost_range(r, t.from, t.to, now, out);
	}
}

/**
 * mptun_reorder_first_arrived() - the first transmission of a dsn was received
 * @r: the ring
 * @dsn: the dsn, inside of the ring
 * @now: our clock in ns
 * @out: where to append packets that are released by it
 */
void mptun_reorder_first_arrived(struct mptun_reorder *r, u32 dsn, u64 now,
				 struct sk_buff_head *out)
{
	mptun_reorder_group_of(r, dsn)->first |= mptun_reorder_bit(dsn);

	if (!r->gaps || !mptun_seq_before(dsn, r->top) ||
	    !mptun_seq_after(dsn, r->gap[0].after))
		return;
	if (--r->slack)
		return;
	mptun_reorder_evaluate(r, now, out);
}

/**
 * mptun_reorder_prove() - a path proved a loss
 * @r: the ring
 * @b: the proof; both its ends must have been inserted before
 * @now: our clock in ns
 * @out: where to append packets that are released by it
 */
void mptun_reorder_prove(struct mptun_reorder *r,
			 const struct mptun_bracket *b, u64 now,
			 struct sk_buff_head *out)
{
	u32 i;

	if (r->config.mode == MPTUN_REORDER_MODE_OFF ||
	    r->config.mode == MPTUN_REORDER_MODE_PSMC || !b->lost)
		return;
	if (!mptun_seq_before(b->after, b->before) ||
	    !mptun_seq_before(b->before, r->next) ||
	    !mptun_seq_after(b->before, r->first) ||
	    mptun_seq_before(b->after + 1, r->known))
		return;

	if (r->gaps == MPTUN_REORDER_GAPS)
		mptun_reorder_remove(r, 0);
	for (i = r->gaps; i && mptun_seq_after(r->gap[i - 1].after,
					       b->after); i--)
		r->gap[i] = r->gap[i - 1];
	r->gap[i] = *b;
	r->gaps++;
	mptun_reorder_evaluate(r, now, out);
}
