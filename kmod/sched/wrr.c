// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Schedulers "wrr" and "wrr-auto": share traffic by weights.
 *
 * The model is a deficit round robin in bytes.  What is placed on one path is
 * at the same time owed to all paths that might have taken it, by weight:
 *
 *	credit[chosen] -= bytes;  credit[i] += bytes * weight[i] / sum
 *
 * The path with the highest credit among those with room is next.  The sum of
 * all credits stays zero, a path that is served less than its share rises
 * until it is chosen, so none starves.  A path without room does not stop the
 * others; what it missed is made up for, but at most 1 MiB, lest a path that
 * was full for long gets everything for as long.
 *
 * There is no position and no round, so paths may come, go and change their
 * weight at any time.
 *
 * "wrr" takes the weights as they are set by hand.  "wrr-auto" multiplies them
 * by what the path carries: the rate at which the receiver reports packets to
 * arrive, or, while the path has no queue and nothing is known of that
 * (recovery/rate.c), its window per round-trip time.
 *
 * This is the rule of PSMC (Cai 2005, section 4.3), in which a sender whose
 * packets arrive in another ratio than it has placed them in adopts the ratio
 * in which they arrive.  Where paths have queues both are the same: who places
 * 2:1 and sees 3:2 arrive has 3:2 from then on.  Where none has, all arrives as
 * it was placed, so that PSMC's ratio stays what it happens to be, and a path
 * that was given little cannot show that it carries more; its window can.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* Credits are kept in 1/65536 bytes, so that rounding never adds up to a
 * share.
 */
#define MPTUN_WRR_SHIFT		16
#define MPTUN_WRR_CREDIT_MAX	((s64)(1 << 20) << MPTUN_WRR_SHIFT)

/**
 * struct mptun_wrr - memory of a path
 * @credit: what the path is owed, in 1/65536 bytes; negative if it is ahead
 */
struct mptun_wrr {
	s64 credit;
};

static_assert(sizeof(struct mptun_wrr) <= sizeof(struct mptun_sched_mem));

static struct mptun_wrr *mptun_wrr(const struct mptun_sched_cand *c)
{
	return (struct mptun_wrr *)c->mem->data;
}

/* Rates count in units of 64 bytes per second, so that 32 of these weights
 * times the largest amount neither wrap nor need a wide divisor.
 */
#define MPTUN_WRR_RATE_SHIFT	6
#define MPTUN_WRR_WEIGHT_MAX	BIT(26)

static u32 mptun_wrr_weight(const struct mptun_sched *s,
			    const struct mptun_sched_cand *c)
{
	u32 weight = clamp_t(u32, c->weight, 1, U16_MAX);
	u64 rate = c->rate;

	if (s->ops != &mptun_sched_wrr_auto)
		return weight;
	if (!rate && c->srtt_us)
		rate = div_u64((u64)c->cwnd * USEC_PER_SEC, c->srtt_us);
	rate = clamp_t(u64, rate >> MPTUN_WRR_RATE_SHIFT, 1,
		       MPTUN_WRR_WEIGHT_MAX);
	return min_t(u64, rate * weight, MPTUN_WRR_WEIGHT_MAX);
}

static int mptun_wrr_pick(struct mptun_sched *s,
			  const struct mptun_sched_cand *cand, unsigned int n,
			  u32 bytes)
{
	int best = -EAGAIN;
	unsigned int i;
	s64 most = 0;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible || cand[i].room < bytes)
			continue;
		if (best < 0 || mptun_wrr(&cand[i])->credit > most) {
			most = mptun_wrr(&cand[i])->credit;
			best = i;
		}
	}
	return best;
}

static void mptun_wrr_add(const struct mptun_sched_cand *c, s64 credit)
{
	struct mptun_wrr *w = mptun_wrr(c);

	w->credit = clamp(w->credit + credit, -MPTUN_WRR_CREDIT_MAX,
			  MPTUN_WRR_CREDIT_MAX);
}

static void mptun_wrr_sent(struct mptun_sched *s,
			   const struct mptun_sched_cand *cand, unsigned int n,
			   unsigned int chosen, u32 bytes)
{
	u64 amount;
	unsigned int i;
	u32 sum = 0;

	/* More than the limit of a credit cannot be settled anyway. */
	bytes = min_t(u32, bytes, MPTUN_WRR_CREDIT_MAX >> MPTUN_WRR_SHIFT);
	amount = (u64)bytes << MPTUN_WRR_SHIFT;

	for (i = 0; i < n; i++)
		if (cand[i].eligible)
			sum += mptun_wrr_weight(s, &cand[i]);
	if (!sum)
		return;
	for (i = 0; i < n; i++)
		if (cand[i].eligible)
			mptun_wrr_add(&cand[i],
				      div_u64(amount *
					      mptun_wrr_weight(s, &cand[i]),
					      sum));
	mptun_wrr_add(&cand[chosen], -(s64)amount);
}

const struct mptun_sched_ops mptun_sched_wrr = {
	.name		= "wrr",
	.pick		= mptun_wrr_pick,
	.sent		= mptun_wrr_sent,
};

const struct mptun_sched_ops mptun_sched_wrr_auto = {
	.name		= "wrr-auto",
	.pick		= mptun_wrr_pick,
	.sent		= mptun_wrr_sent,
};
