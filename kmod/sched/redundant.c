// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduler "redundant": each packet on all paths with room.
 *
 * The model: the first copy to arrive counts, so a packet is as fast as the
 * fastest path at that moment, and it is lost only if it is lost on all paths.
 * The original goes where it is expected to arrive first; tx/duplicate.c makes
 * the copies, on every other eligible path with room.
 *
 * Nothing waits for a full path, not even the best one. Traffic that fits each
 * path is sent on all, and the excess is spread: a flow that fills whatever it
 * gets is carried by the sum of all paths, and few of its packets are sent
 * twice. To have every packet sent twice, offer less than the slowest path
 * carries.
 */
#include "sched/sched.h"

static int mptun_redundant_pick(struct mptun_sched *s,
				const struct mptun_sched_cand *cand,
				unsigned int n, u32 bytes)
{
	return mptun_sched_earliest(cand, n, bytes);
}

const struct mptun_sched_ops mptun_sched_redundant = {
	.name		= "redundant",
	.number		= MPTUN_CAPS_SCHED_REDUNDANT,
	.pick		= mptun_redundant_pick,
	.copies		= true,
};
