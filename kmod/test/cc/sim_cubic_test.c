// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "cubic" over simulated links: long paths and
 * competition.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL

/* With a buffer of one BDP the link is always busy. */
static void mptun_sim_cubic_use(struct kunit *test)
{
	static const struct {
		u64 mbit;
		u32 rtt_ms;
		u32 ms;
	} cases[] = {
		{ 1, 40, 60000 }, { 20, 40, 60000 }, { 100, 20, 60000 },
		{ 20, 200, 100000 }, { 300, 10, 20000 },
	};
	struct mptun_sim_config c = { .cc = "cubic" };
	struct mptun_sim *sim;
	u32 start, use;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.rate = cases[i].mbit * MPTUN_SIM_MBIT;
		c.delay_us = cases[i].rtt_ms * 500;
		c.buffer = max_t(u64, div_u64(c.rate * cases[i].rtt_ms, 1000),
				 6 * MPTUN_SIM_MSS);
		sim = mptun_sim_path(test, &c);
		start = mptun_sim_use(sim, 50 * cases[i].rtt_ms);
		use = mptun_sim_use(sim, cases[i].ms);
		kunit_info(test, "%llu Mbit/s, %u ms: %u, then %u of 1000, %u events\n",
			   cases[i].mbit, cases[i].rtt_ms, start, use,
			   sim->cc.events);
		KUNIT_EXPECT_GE(test, use, 970U);
		KUNIT_EXPECT_GE(test, start, 750U);
		KUNIT_EXPECT_EQ(test, sim->spurious, 0ULL);
		KUNIT_EXPECT_GE(test, sim->cc.events, 1U);
	}
}

/* Time in ms that a long fast path takes to recover from one loss. */
static u32 mptun_sim_cubic_return(struct kunit *test, const char *cc)
{
	struct mptun_sim_config c = {
		.cc = cc,
		.rate = 200 * MPTUN_SIM_MBIT,
		.delay_us = 50000,
		.buffer = 2500000,
	};
	struct mptun_sim *sim = mptun_sim_path(test, &c);
	u32 cwnd, ms;

	/* the path and a quarter of its buffer */
	sim->cc.cwnd = 3125000;
	sim->cc.ssthresh = 3125000;
	mptun_sim_run(sim, 1000);
	cwnd = sim->cc.cwnd;
	sim->burst = 1;
	mptun_sim_run(sim, 200);
	KUNIT_EXPECT_LT(test, sim->cc.cwnd, cwnd * 3 / 4);
	for (ms = 200; ms < 120000 && sim->cc.cwnd < cwnd; ms += 100)
		mptun_sim_run(sim, 100);
	return ms;
}

/* RFC 9438, 1: recovery depends on time, not on round trips. */
static void mptun_sim_cubic_long(struct kunit *test)
{
	u32 newreno = mptun_sim_cubic_return(test, "newreno");
	u32 cubic = mptun_sim_cubic_return(test, "cubic");

	kunit_info(test, "200 Mbit/s, 100 ms: newreno back after %u ms, cubic after %u\n",
		   newreno, cubic);
	KUNIT_EXPECT_LE(test, cubic, 14000U);
	KUNIT_EXPECT_GE(test, newreno, 60000U);
}

/* Fair to newreno on a path that suits it. */
static void mptun_sim_cubic_beside(struct kunit *test)
{
	struct mptun_sim_config c = {
		.cc = "cubic",
		.rate = 20 * MPTUN_SIM_MBIT,
		.delay_us = 10000,
		.buffer = 50000,
	};
	struct mptun_sim *sim, *other;
	u64 share;

	sim = mptun_sim_path(test, &c);
	c.cc = "newreno";
	other = mptun_sim_beside(sim, &c, sim);
	mptun_sim_run(sim, 120000);
	share = div64_u64(sim->delivered * 1000,
			  sim->delivered + other->delivered);
	kunit_info(test, "cubic has %llu of 1000 beside newreno\n", share);
	KUNIT_EXPECT_GE(test, share, 400ULL);
	KUNIT_EXPECT_LE(test, share, 650ULL);
}

static struct kunit_case mptun_sim_cubic_cases[] = {
	KUNIT_CASE(mptun_sim_cubic_use),
	KUNIT_CASE(mptun_sim_cubic_long),
	KUNIT_CASE(mptun_sim_cubic_beside),
	{}
};

static struct kunit_suite mptun_sim_cubic_suite = {
	.name = "mptun_cc_sim_cubic",
	.exit = mptun_sim_exit,
	.test_cases = mptun_sim_cubic_cases,
};

kunit_test_suite(mptun_sim_cubic_suite);
