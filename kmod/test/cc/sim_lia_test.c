// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "lia" over simulated links shared by its paths and by
 * others.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "test/cc/sim.h"

#define MPTUN_SIM_MBIT		125000ULL

static const struct mptun_sim_config mptun_sim_lia_path = {
	.cc = "lia",
	.rate = 20 * MPTUN_SIM_MBIT,
	.buffer = 100000,
	.delay_us = 20000,
};

/* Two paths of a tunnel and another connection share a link.  Returns the share
 * of the two paths, in tenths of a percent.
 */
static u32 mptun_sim_lia_pair(struct kunit *test, const char *cc, u32 group)
{
	struct mptun_sim_config c = mptun_sim_lia_path;
	struct mptun_sim *one, *two, *other;
	LIST_HEAD(peers);
	u64 pair;

	c.cc = "newreno";
	other = mptun_sim_path(test, &c);
	c.cc = cc;
	one = mptun_sim_beside(other, &c, other);
	two = mptun_sim_beside(other, &c, other);
	two->cc.group = group;
	mptun_cc_join(&one->cc, &peers);
	mptun_cc_join(&two->cc, &peers);
	mptun_sim_run(other, 20000);
	pair = one->delivered + two->delivered + other->delivered;
	KUNIT_EXPECT_GE(test, pair, c.rate * 18);
	other->delivered = 0;
	one->delivered = 0;
	two->delivered = 0;
	mptun_sim_run(other, 200000);
	pair = one->delivered + two->delivered;
	return div64_u64(pair * 1000, pair + other->delivered);
}

/* RFC 6356, goal 2: do no harm.  Two coupled paths take as much as one
 * connection, two uncoupled ones two thirds.
 */
static void mptun_sim_lia_share(struct kunit *test)
{
	u32 newreno = mptun_sim_lia_pair(test, "newreno", 0);
	u32 apart = mptun_sim_lia_pair(test, "lia", 1);
	u32 lia = mptun_sim_lia_pair(test, "lia", 0);

	kunit_info(test, "of 1000 beside newreno: a pair of newreno %u, of lia %u, of lia in two groups %u\n",
		   newreno, lia, apart);
	KUNIT_EXPECT_GE(test, newreno, 620U);
	KUNIT_EXPECT_GE(test, apart, 620U);
	KUNIT_EXPECT_LE(test, lia, 560U);
	KUNIT_EXPECT_GE(test, lia, 400U);
}

/* Goals 1 and 3: not slower than alone on the better path, and off the path
 * where others are.
 */
static void mptun_sim_lia_balance(struct kunit *test)
{
	struct mptun_sim_config c = mptun_sim_lia_path;
	struct mptun_sim *own, *shared, *other;
	LIST_HEAD(peers);
	u64 use, share;

	own = mptun_sim_path(test, &c);
	shared = mptun_sim_beside(own, &c, NULL);
	mptun_cc_join(&own->cc, &peers);
	mptun_cc_join(&shared->cc, &peers);
	c.cc = "newreno";
	other = mptun_sim_beside(own, &c, shared);
	mptun_sim_run(own, 200000);
	use = div64_u64(own->delivered * 1000, c.rate * 200);
	share = div64_u64(shared->delivered * 1000,
			  shared->delivered + other->delivered);
	kunit_info(test, "own path used %llu of 1000, %llu of the shared one\n",
		   use, share);
	KUNIT_EXPECT_GE(test, use, 950ULL);
	KUNIT_EXPECT_LE(test, share, 420ULL);
	KUNIT_EXPECT_GE(test, share, 100ULL);
}

static struct kunit_case mptun_sim_lia_cases[] = {
	KUNIT_CASE(mptun_sim_lia_share),
	KUNIT_CASE(mptun_sim_lia_balance),
	{}
};

static struct kunit_suite mptun_sim_lia_suite = {
	.name = "mptun_cc_sim_lia",
	.exit = mptun_sim_exit,
	.test_cases = mptun_sim_lia_cases,
};

kunit_test_suite(mptun_sim_lia_suite);
