// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "residual": the reduction, and its effect.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "cc/cc.h"
#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL
#define MPTUN_RESIDUAL_TEST_MSS	1000U
#define MPTUN_RESIDUAL_TEST_NOW	(50ULL * NSEC_PER_SEC)

/* Window of 100 packets after a loss, with this many other paths, the first of
 * which differs from the rest.
 */
static u32 mptun_residual_test_cut(struct kunit *test, int others, u32 group,
				   u64 acked_ns)
{
	static struct mptun_cc cc[32];
	struct mptun_rtt rtt;
	struct mptun_cc_loss loss = {
		.now = MPTUN_RESIDUAL_TEST_NOW,
		.newest_sent_ns = MPTUN_RESIDUAL_TEST_NOW - 1,
		.bytes = MPTUN_RESIDUAL_TEST_MSS,
		.packets = 1,
		.rtt = &rtt,
	};
	LIST_HEAD(peers);
	int i;

	memset(cc, 0, sizeof(cc));
	mptun_rtt_init(&rtt);
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&cc[0], "residual"), 0);
	mptun_cc_reset(&cc[0], MPTUN_RESIDUAL_TEST_MSS);
	for (i = 0; i <= others; i++) {
		mptun_cc_join(&cc[i], &peers);
		cc[i].acked_ns = MPTUN_RESIDUAL_TEST_NOW;
	}
	cc[1].group = group;
	cc[1].acked_ns = acked_ns;
	cc[0].cwnd = 100000;
	mptun_cc_on_loss(&cc[0], &loss);
	KUNIT_EXPECT_EQ(test, cc[0].ssthresh, cc[0].cwnd);
	return cc[0].cwnd;
}

/* (n-1)/n, but half for a single path. */
static void mptun_residual_test_paths(struct kunit *test)
{
	u64 now = MPTUN_RESIDUAL_TEST_NOW;

	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 0, 0, now), 50000U);
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 1, 0, now), 50000U);
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 4, 0, now), 80000U);
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 9, 0, now), 90000U);
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 31, 0, now),
			96875U);
}

/* Paths of another group, or not in use, do not count. */
static void mptun_residual_test_group(struct kunit *test)
{
	u64 now = MPTUN_RESIDUAL_TEST_NOW;

	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 4, 7, now), 75000U);
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 4, 0, 0), 75000U);
	now -= NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 4, 0, now), 75000U);
	now++;
	KUNIT_EXPECT_EQ(test, mptun_residual_test_cut(test, 4, 0, now), 80000U);
}

/* Throughput of five paths with random loss, in tenths of a percent. */
static u32 mptun_residual_test_five(struct kunit *test, const char *cc)
{
	struct mptun_sim_config c = {
		.cc = cc,
		.rate = 20 * MPTUN_SIM_MBIT,
		.buffer = 100000,
		.delay_us = 20000,
		.loss = 100,
	};
	struct mptun_sim *first, *sim;
	LIST_HEAD(peers);
	u64 sum = 0;
	int i;

	first = mptun_sim_path(test, &c);
	for (i = 1; i < 5; i++)
		mptun_sim_beside(first, &c, NULL);
	for (sim = first; sim; sim = sim->next)
		mptun_cc_join(&sim->cc, &peers);
	mptun_sim_run(first, 30000);
	for (sim = first; sim; sim = sim->next)
		sum += sim->delivered;
	return div64_u64(sum * 1000, c.rate * 30 * 5);
}

/* PSMC, figure 4.7: (n-1)/n beats 1/2 under random loss. */
static void mptun_residual_test_loss(struct kunit *test)
{
	u32 newreno = mptun_residual_test_five(test, "newreno");
	u32 residual = mptun_residual_test_five(test, "residual");

	kunit_info(test, "five paths, 1 %% lost: newreno %u, residual %u of 1000\n",
		   newreno, residual);
	KUNIT_EXPECT_GE(test, residual * 10, newreno * 14);
}

static struct kunit_case mptun_residual_cases[] = {
	KUNIT_CASE(mptun_residual_test_paths),
	KUNIT_CASE(mptun_residual_test_group),
	KUNIT_CASE(mptun_residual_test_loss),
	{}
};

static struct kunit_suite mptun_residual_suite = {
	.name = "mptun_cc_residual",
	.exit = mptun_sim_exit,
	.test_cases = mptun_residual_cases,
};

kunit_test_suite(mptun_residual_suite);
