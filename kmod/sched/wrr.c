// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Schedulers "wrr" and "wrr-auto": share traffic by weights.
 *
 * The model is a deficit round robin in bytes. Bytes placed on one path are
 * owed to all paths that could have taken them, by weight:
 *
 *	credit[chosen] -= bytes;  credit[i] += bytes * weight[i] / sum
 *
 * The path with the highest credit among those with room is next. The sum of
 * all credits stays zero, and a path served less than its share rises until it
 * is chosen, so none starves. A path without room does not stop the others; it
 * catches up later, by at most 1 MiB, or a path that was full for a long time
 * would get everything for as long.
 *
 * There is no position and no round, so paths may come, go and change their
 * weight at any time.
 *
 * "wrr" takes the configured weights. "wrr-auto" multiplies them by the
 * capacity of the path: the rate at which the receiver reports packets to
 * arrive, or, while there is no queue and that rate is unknown
 * (recovery/rate_sample.c), the window per round-trip time.
 *
 * This is the rule of PSMC (Cai 2005, section 4.3): a sender whose packets
 * arrive in another ratio than it placed them in adopts the ratio of arrival.
 * On paths with queues both are the same: a sender that places 2:1 and sees 3:2
 * arrive continues with 3:2. Without queues everything arrives as it was
 * placed, so the ratio of PSMC stays what it happens to be, and a path with a
 * small share cannot show that it carries more; its window can.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

static_assert(sizeof(struct mptun_wrr) <= sizeof(struct mptun_sched_mem));

static struct mptun_wrr *mptun_wrr_path(const struct mptun_sched_cand *c)
{
	return (struct mptun_wrr *)c->mem->data;
}

/* Rates are in units of 64 bytes per second, so that 32 of these weights times
 * the largest amount neither overflow nor need a wide divisor.
 */
#define MPTUN_WRR_RATE_SHIFT	6
#define MPTUN_WRR_WEIGHT_MAX	BIT(26)

static u32 mptun_wrr_weight(const struct mptun_sched *s,
			    const struct mptun_sched_cand *c)
{
	u32 weight = clamp_t(u32, c->weight, 1, U16_MAX);
	u64 rate;

	if (s->ops != &mptun_sched_wrr_auto)
		return weight;
	rate = clamp_t(u64, mptun_sched_rate(c) >> MPTUN_WRR_RATE_SHIFT, 1,
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
		if (best < 0 || mptun_wrr_path(&cand[i])->credit > most) {
			most = mptun_wrr_path(&cand[i])->credit;
			best = i;
		}
	}
	return best;
}

static void mptun_wrr_add(const struct mptun_sched_cand *c, s64 credit)
{
	struct mptun_wrr *w = mptun_wrr_path(c);

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

	/* More than the limit of a credit cannot be settled. */
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
	.number		= MPTUN_CAPS_SCHED_WRR,
	.pick		= mptun_wrr_pick,
	.sent		= mptun_wrr_sent,
	.weighs		= true,
};

const struct mptun_sched_ops mptun_sched_wrr_auto = {
	.name		= "wrr-auto",
	.number		= MPTUN_CAPS_SCHED_WRR_AUTO,
	.pick		= mptun_wrr_pick,
	.sent		= mptun_wrr_sent,
	.weighs		= true,
};
