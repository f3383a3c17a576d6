// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reorder buffer: combines the loss proofs of single paths.
 *
 * A gap (reorder/loss_proof.c) states how many first transmissions of one path
 * with dsns in an open interval were lost, but not which.  A dsn is unknown
 * while its first transmission has neither arrived nor been proved lost,
 * regardless of copies and of holes given up for other reasons.  Each dsn is
 * first transmitted on one path, and gaps of one path do not overlap, so no
 * loss is counted twice.  Hence for any interval I
 *
 *	unknown(I) >= sum of lost over the gaps inside of I
 *
 * If both are equal nothing in I is in flight on other paths: all unknown dsns
 * in I are lost, and the holes among them are given up.  I is a tight set in
 * the sense of Hall's theorem; as gaps are intervals, it suffices to test those
 * I that begin with one gap and end with one.  So a single gap is decided once
 * the other paths have delivered their part, and overlapping gaps of several
 * paths add up.  If the left side is smaller, a path reordered more than its
 * tolerance: these gaps are dropped.  Dropping a gap loses a proof but never
 * makes a false one.
 *
 * The smallest difference of both sides (slack) is the number of first
 * transmissions that must arrive before anything can be decided, so most
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

/* Marks all unknown dsns in [from, to) as lost, and gives up the holes among
 * them that no repair is awaited for.
 */
static void mptun_reorder_lost_range(struct mptun_reorder *r, u32 from, u32 to,
				     u64 now, struct sk_buff_head *out)
{
	u32 group = mptun_reorder_group_start(from), dsn;
	const struct sk_buff *skb;
	u64 unknown;
	u16 wait;

	for (; mptun_seq_before(group, to); group += MPTUN_REORDER_GROUP) {
		struct mptun_reorder_group *g;

		g = mptun_reorder_group_of(r, group);
		unknown = ~(g->first | g->proved) &
			  mptun_reorder_mask(group, from, to);
		g->proved |= unknown;
		unknown &= ~(g->arrived | g->settled);
		for (; unknown; unknown &= unknown - 1) {
			dsn = group + __ffs64(unknown);
			wait = *mptun_reorder_wait(r, dsn);
			skb = wait ? *mptun_reorder_skb(r, dsn + wait) : NULL;
			if (skb && mptun_rxcb(skb)->list ==
				   MPTUN_REORDER_LIST_REPAIR)
				continue;
			mptun_reorder_give_up(r, dsn, MPTUN_GIVE_UP_PROOF, now,
					      out);
		}
	}
}

static void mptun_reorder_remove(struct mptun_reorder *r, u32 i)
{
	r->gaps--;
	memmove(&r->gap[i], &r->gap[i + 1],
		(r->gaps - i) * sizeof(r->gap[0]));
}

/* Lowest dsn of a gap inside of the ring. */
static u32 mptun_reorder_low_end(const struct mptun_reorder *r, u32 i)
{
	u32 low = r->gap[i].after + 1;

	return mptun_seq_before(low, r->first) ? r->first : low;
}

/* Removes gaps that can prove nothing any more.  A gap that begins below the
 * ring stays valid as long as nothing unknown was left there.
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
 * @order: indices of the gaps by upper end
 * @low: unknown dsns below the lower end of each gap
 * @high: unknown dsns below the upper end of each gap
 *
 * Both counts start at the same dsn.
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
 * @slack: unknown dsns in excess of known losses
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

/* Counts the unknown dsns between all ends in one pass. */
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

/* Finds the interval from the lower end of gap @i with the least slack, the
 * smallest of several.
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

/* Decides what can be decided, the most contradictory gaps first. */
static void mptun_reorder_evaluate(struct mptun_reorder *r, u64 now,
				   struct sk_buff_head *out)
{
	struct mptun_reorder_tight t;
	struct mptun_reorder_sums s;
	u32 i, low;

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
		/* the gaps inside of the interval */
		for (i = r->gaps; i--;) {
			low = mptun_reorder_low_end(r, i);
			if (!mptun_seq_before(low, t.from) &&
			    !mptun_seq_after(r->gap[i].before, t.to))
				mptun_reorder_remove(r, i);
		}
		if (!t.slack)
			mptun_reorder_lost_range(r, t.from, t.to, now, out);
	}
}

/* The first transmission of @dsn, which is inside of the ring, arrived. */
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
 * mptun_reorder_prove() - add a proof of loss
 * @r: the ring
 * @b: the proof; both ends were inserted before
 * @now: our clock in ns
 * @out: released packets are appended
 */
void mptun_reorder_prove(struct mptun_reorder *r,
			 const struct mptun_gap *b, u64 now,
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
