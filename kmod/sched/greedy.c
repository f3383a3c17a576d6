// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "greedy": the path with room on which the packet arrives first.
 *
 * The model: windows measure what each path carries, so whoever has room takes
 * the packet, the one with the earliest expected arrival first.  Of two that
 * are equal the one with more room is taken, so that they fill up evenly.  A
 * path of which nothing is known comes last.
 *
 * The round-trip time itself would not do.  A short path with a full buffer
 * and a long one that is idle may have the same, but the buffer is all in our
 * direction: the window of one inner flow ended in the buffers of the short
 * paths, and the long one had nothing to carry.
 *
 * A nearer path that is full for the moment is waited for if the queue of the
 * one with room is longer: room is left on the nearer one before long, and more
 * queue on the other would only end in a loss there.  Such losses of a thin
 * path, which any controller that probes for loss makes again and again, slow
 * the inner flow down on the thick one too: 20 and 2 Mbit/s carried less than
 * 20 alone.  A path without a queue never waits, so all are kept busy.
 *
 * Nor does one whose controller has not found out what it carries.  That takes
 * a queue.  With two packets at a time, which make none of 10 ms, a thin path
 * would not be known for what it is, and whenever nothing is in flight there
 * it would get as much at once as one that is not known may have.
 */
#include <linux/errno.h>

#include "sched/sched.h"

/* So much longer may the queue be: less than this is noise of the estimate. */
#define MPTUN_GREEDY_QUEUE_US	10000U

/* Is one that is full now worth waiting for? */
static bool mptun_greedy_wait(const struct mptun_sched_cand *full,
			      const struct mptun_sched_cand *best)
{
	return full->eligible && full->arrival_us && best->found &&
	       full->arrival_us < best->arrival_us &&
	       best->queue_us > MPTUN_GREEDY_QUEUE_US &&
	       best->queue_us - MPTUN_GREEDY_QUEUE_US > full->queue_us;
}

static int mptun_greedy_pick(struct mptun_sched *s,
			     const struct mptun_sched_cand *cand,
			     unsigned int n, u32 bytes)
{
	int best = mptun_sched_nearest(cand, n, bytes);
	unsigned int i;

	for (i = 0; best >= 0 && i < n; i++)
		if (mptun_greedy_wait(&cand[i], &cand[best]))
			best = -EAGAIN;
	return best;
}

const struct mptun_sched_ops mptun_sched_greedy = {
	.name		= "greedy",
	.pick		= mptun_greedy_pick,
	.thick_first	= true,
	.near_first	= true,
};
