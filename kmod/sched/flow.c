// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "flow": each flow on a path of its own.
 *
 * The model is rendezvous hashing (Thaler and Ravishankar, 1998). The lane of a
 * flow (tx/flow.c) and the name of a path hash to a number between 0 and 1, and
 * the path with the highest number takes the lane. If a path fails, only its
 * lanes move, each to its path with the next number, so they spread; when it
 * returns, exactly those come back. With weights the path with the lowest
 *
 *	-log2(number) / weight
 *
 * is chosen: these values are exponentially distributed with the weight as
 * rate, so the shares follow the weights.
 *
 * There is no state per flow. A lane returns with its path at once, not only
 * when it is idle: the receiver's ring waits for packets in flight elsewhere,
 * as with any scheduler, and a path returns only after several good probes.
 *
 * A flow leaves its path for one packet if that path is full and another has
 * room. The tunnel has one queue in which no packet can pass a waiting one:
 * waiting for a low-rate path would slow all others down to its rate.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/minmax.h>

#include "sched/sched.h"

/* log2(1 + f) is f + f (1 - f) (0.4427 - 0.164 f), within 0.006, with the same
 * slope at both ends.
 */
#define MPTUN_FLOW_A		29013U
#define MPTUN_FLOW_B		10748U

/* -log2((hash + 1) / 2^32) */
VISIBLE_IF_KUNIT u32 mptun_flow_log(u32 hash)
{
	u64 x = (u64)hash + 1;
	u32 whole = fls64(x) - 1;
	u32 f = (x << MPTUN_FLOW_SHIFT >> whole) - MPTUN_FLOW_ONE;
	u32 slope = MPTUN_FLOW_A - (u32)((u64)MPTUN_FLOW_B * f >>
					 MPTUN_FLOW_SHIFT);
	u64 bow = (u64)f * (MPTUN_FLOW_ONE - f) >> MPTUN_FLOW_SHIFT;

	return (32U << MPTUN_FLOW_SHIFT) - (whole << MPTUN_FLOW_SHIFT) - f -
	       (u32)(bow * slope >> MPTUN_FLOW_SHIFT);
}

static int mptun_flow_pick(struct mptun_sched *s,
			   const struct mptun_sched_cand *cand, unsigned int n,
			   u32 bytes)
{
	u32 log, weight, best_log = 0, best_weight = 0;
	int best = -EAGAIN;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible || cand[i].room < bytes)
			continue;
		log = mptun_flow_log(jhash_2words(s->lane, cand[i].id, 0));
		weight = clamp_t(u32, cand[i].weight, 1, U16_MAX);
		/* the smallest quotient of both */
		if (best < 0 ||
		    (u64)log * best_weight < (u64)best_log * weight) {
			best = i;
			best_log = log;
			best_weight = weight;
		}
	}
	return best;
}

const struct mptun_sched_ops mptun_sched_flow = {
	.name		= "flow",
	.number		= MPTUN_CAPS_SCHED_FLOW,
	.pick		= mptun_flow_pick,
	.pins		= true,
	.weighs		= true,
};
