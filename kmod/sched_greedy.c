// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "greedy": the fastest path that has room.
 *
 * The model: windows measure what each path carries, so whoever has room takes
 * the packet, the one with the lowest round-trip time first.  Of two equally
 * fast ones the one with more room is taken, so that they fill up evenly.  A
 * path whose round-trip time is not known comes last.
 */
#include <linux/errno.h>
#include <linux/limits.h>

#include "sched.h"

static bool mptun_greedy_better(const struct mptun_sched_cand *a,
				const struct mptun_sched_cand *b)
{
	u32 rtt_a = a->srtt_us ?: U32_MAX;
	u32 rtt_b = b->srtt_us ?: U32_MAX;

	if (rtt_a != rtt_b)
		return rtt_a < rtt_b;
	return a->room > b->room;
}

static int mptun_greedy_pick(const struct mptun_sched *s,
			     const struct mptun_sched_cand *cand,
			     unsigned int n, u32 bytes)
{
	int best = -EAGAIN;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible || cand[i].room < bytes)
			continue;
		if (best < 0 || mptun_greedy_better(&cand[i], &cand[best]))
			best = i;
	}
	return best;
}

struct mptun_sched_ops mptun_sched_greedy = {
	.algo.name	= "greedy",
	.pick		= mptun_greedy_pick,
};
