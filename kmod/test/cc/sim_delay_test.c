// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "delay" over simulated links: losses without
 * congestion, and a full buffer.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL

static const struct mptun_sim_config mptun_sim_delay_path = {
	.cc = "delay",
	.rate = 20 * MPTUN_SIM_MBIT,
	.buffer = 250000,
	.delay_us = 20000,
};

/* The link is busy even with 10 % loss. */
static void mptun_sim_delay_loss(struct kunit *test)
{
	static const u32 loss[] = { 0, 100, 10 };
	struct mptun_sim_config c = mptun_sim_delay_path;
	struct mptun_sim *sim;
	u64 mean;
	u32 use;
	int i;

	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		c.loss = loss[i];
		sim = mptun_sim_path(test, &c);
		mptun_sim_run(sim, 5000);
		mptun_sim_forget(sim);
		use = mptun_sim_use(sim, 20000);
		mean = div64_u64(sim->wait_ns, sim->waits * NSEC_PER_USEC);
		kunit_info(test, "one in %u lost: use %u of 1000, waits %llu us\n",
			   loss[i], use, mean);
		KUNIT_EXPECT_GE(test, use, 950U);
		KUNIT_EXPECT_LE(test, mean, 20000ULL);
	}
}

/* In a full buffer the round-trip time no longer changes. */
static void mptun_sim_delay_full(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_delay_path;
	struct mptun_sim *sim;
	u64 lost, sent;
	u32 use;

	c.buffer = 100000;
	sim = mptun_sim_path(test, &c);
	mptun_sim_run(sim, 60000);
	lost = sim->lost;
	sent = sim->app_bytes;
	use = mptun_sim_use(sim, 120000);
	lost = (sim->lost - lost) * MPTUN_SIM_MSS;
	sent = sim->app_bytes - sent;
	kunit_info(test, "use %u of 1000, %llu of %llu bytes lost\n", use, lost,
		   sent);
	KUNIT_EXPECT_GT(test, lost, 0ULL);
	KUNIT_EXPECT_LE(test, lost * 200, sent);
	KUNIT_EXPECT_GE(test, use, 980U);
}

/* A path is probed during a blackout, and recovers. */
static void mptun_sim_delay_dark(struct kunit *test)
{
	struct mptun_sim *sim = mptun_sim_path(test, &mptun_sim_delay_path);

	mptun_sim_run(sim, 10000);
	sim->dark_ns = sim->now + 2ULL * NSEC_PER_SEC;
	mptun_sim_run(sim, 5000);
	KUNIT_EXPECT_LE(test, sim->cc.cwnd, 100 * MPTUN_SIM_MSS);
	KUNIT_EXPECT_GE(test, mptun_sim_use(sim, 10000), 900U);
}

static struct kunit_case mptun_sim_delay_cases[] = {
	KUNIT_CASE(mptun_sim_delay_loss),
	KUNIT_CASE(mptun_sim_delay_full),
	KUNIT_CASE(mptun_sim_delay_dark),
	{}
};

static struct kunit_suite mptun_sim_delay_suite = {
	.name = "mptun_cc_sim_delay",
	.exit = mptun_sim_exit,
	.test_cases = mptun_sim_delay_cases,
};

kunit_test_suite(mptun_sim_delay_suite);
