/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared frame of the tests of scheduling: a scheduler and its paths.
 */
#ifndef _MPTUN_TEST_SCHED_FRAME_H
#define _MPTUN_TEST_SCHED_FRAME_H

#include <kunit/test.h>
#include <linux/mptun.h>
#include <linux/time64.h>

#include "sched/sched.h"

#define MPTUN_SCHED_TEST_PATHS	4
#define MPTUN_SCHED_TEST_MS	((u64)NSEC_PER_MSEC)

/**
 * struct mptun_sched_test - what the tests work on
 * @s: the scheduler
 * @cand: the paths, equal at first
 * @mem: their memories
 * @spill: their clocks of the spill-over
 * @low_rate: their state beside paths of higher rate or lower latency
 * @sent: bytes placed on each
 * @waits: backlog while the first path is full
 */
struct mptun_sched_test {
	struct mptun_sched s;
	struct mptun_sched_cand cand[MPTUN_SCHED_TEST_PATHS];
	struct mptun_sched_mem mem[MPTUN_SCHED_TEST_PATHS];
	struct mptun_busy spill[MPTUN_SCHED_TEST_PATHS];
	struct mptun_low_rate low_rate[MPTUN_SCHED_TEST_PATHS];
	u64 sent[MPTUN_SCHED_TEST_PATHS];
	u64 waits;
};

/* Makes a scheduler and paths with room and a round-trip time of 40 ms. */
static inline struct mptun_sched_test *
mptun_sched_test_new(struct kunit *test, const char *sched)
{
	struct mptun_sched_test *t;
	int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, sched), 0);
	for (i = 0; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i] = (struct mptun_sched_cand){
			.room = 100000,
			.srtt_us = 40000,
			.weight = 1,
			.spill_us = MPTUN_SPILL_OFF,
			.cwnd = 100000,
			.mtu = 1428,
			.up = true,
			.mem = &t->mem[i],
			.spill = &t->spill[i],
			.low_rate = &t->low_rate[i],
		};
	t->s.now = 3600ULL * NSEC_PER_SEC;
	test->priv = t;
	return t;
}

/* Chooses a path for a full packet among the first @n. */
static inline int mptun_sched_test_pick(struct mptun_sched_test *t,
					unsigned int n)
{
	return mptun_sched_pick(&t->s, t->cand, n, 1500, 1428);
}

#endif /* _MPTUN_TEST_SCHED_FRAME_H */
