// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "redundant": each packet on all paths that have room.
 *
 * The model: what arrives first counts, so a packet is as fast as the fastest
 * path at that moment, and it is lost only if it is lost on all of them.  The
 * first of its transmissions goes where it is expected to arrive first; the
 * copies are made by tx/duplicate.c, on every other path that is eligible and has room
 * for them.
 *
 * Nothing waits for a path that is full, be it the better one.  So traffic that
 * fits into each path is sent on all, and what exceeds that is spread: from a
 * flow that fills whatever it is given all paths together carry more than the
 * best one, and few packets are sent twice.  Who wants every packet twice must
 * offer less than the thinner path carries.
 */
#include "sched/sched.h"

static int mptun_redundant_pick(struct mptun_sched *s,
				const struct mptun_sched_cand *cand,
				unsigned int n, u32 bytes)
{
	return mptun_sched_nearest(cand, n, bytes);
}

const struct mptun_sched_ops mptun_sched_redundant = {
	.name		= "redundant",
	.pick		= mptun_redundant_pick,
	.copies		= true,
};
