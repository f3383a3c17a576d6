// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "greedy": the path with room on which the packet arrives first.
 *
 * The model: windows measure the capacity of each path, so any path with room
 * takes the packet, the one with the earliest expected arrival first. If two
 * are equal the one with more room is taken, so that they fill up evenly. A
 * path with an unknown arrival comes last.
 *
 * The plain round-trip time would not do. A short path with a full buffer and a
 * long idle one may have the same, but the buffer is all in our direction: the
 * window of one inner flow ended up in the buffers of the short paths, and the
 * long one had nothing to carry.
 *
 * If the path with room has a longer queue than an earlier one that is full,
 * the packet waits: the earlier path will soon have room, and more queue on the
 * other would only end in a loss there. Any controller that probes for loss
 * causes such losses on a low-rate path again and again, and they slow the
 * inner flow down on the high-rate path too: 20 and 2 Mbit/s carried less than
 * 20 alone. A path without a queue takes the packet at once, so all are kept
 * busy.
 *
 * So does a path whose controller has not found its capacity yet, which takes a
 * queue. Two packets at a time make no queue of 10 ms, so the low-rate path
 * would not be recognised, and whenever idle it would get as much at once as an
 * unknown path may have.
 */
#include <linux/errno.h>

#include "sched/sched.h"

/* Longer queue of the path with room: less is noise of the estimate. */
#define MPTUN_GREEDY_QUEUE_US	10000U

static int mptun_greedy_pick(struct mptun_sched *s,
			     const struct mptun_sched_cand *cand,
			     unsigned int n, u32 bytes)
{
	int best = mptun_sched_earliest(cand, n, bytes);
	const struct mptun_sched_cand *b, *full;

	if (best < 0)
		return best;
	b = &cand[best];
	/* A full path may be worth waiting for. */
	for (full = cand; full < cand + n; full++)
		if (full->eligible && full->arrival_us && b->found &&
		    full->arrival_us < b->arrival_us &&
		    b->queue_us > MPTUN_GREEDY_QUEUE_US &&
		    b->queue_us - MPTUN_GREEDY_QUEUE_US > full->queue_us)
			return -EAGAIN;
	return best;
}

const struct mptun_sched_ops mptun_sched_greedy = {
	.name		= "greedy",
	.number		= MPTUN_CAPS_SCHED_GREEDY,
	.pick		= mptun_greedy_pick,
	.high_rate_first	= true,
	.low_latency_first	= true,
};
