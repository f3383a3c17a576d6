// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of detours: high-latency paths that make flows slower.
 *
 * Amounts are in percent of what the low-latency path carries.
 */
#include <kunit/test.h>

#include "sched/sched.h"
#include "sched/trial.h"

#define MPTUN_DETOUR_TEST_INTERVAL_MS	250U
#define MPTUN_DETOUR_TEST_RATE		1000000U

/**
 * struct mptun_detour_test - a low-latency and a high-latency path, and load
 * @path: the paths, the low-latency one first
 * @is: their figures
 * @group: their common state
 * @with: load carried over both
 * @share: part of it on the high-latency path, in percent
 * @alone: load carried while that is suspended
 * @flows: number of flows
 * @now: time in ns
 * @rested: number of suspensions
 * @carried: total carried so far
 */
struct mptun_detour_test {
	struct mptun_detour path[2];
	struct mptun_detour_path is[2];
	struct mptun_detour_group group;
	u32 with;
	u32 share;
	u32 alone;
	u32 flows;
	u64 now;
	unsigned int rested;
	u64 carried;
};

static void mptun_detour_test_rtt(struct mptun_detour_test *t, unsigned int i,
				  u32 rtt_us)
{
	t->is[i].min_rtt_us = rtt_us;
	t->is[i].srtt_us = rtt_us;
}

static int mptun_detour_test_init(struct kunit *test)
{
	struct mptun_detour_test *t;
	unsigned int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = 1000ULL * NSEC_PER_SEC;
	t->with = 30;
	t->share = 30;
	t->alone = 95;
	t->flows = 1;
	mptun_detour_test_rtt(t, 0, 10000);
	mptun_detour_test_rtt(t, 1, 60000);
	for (i = 0; i < ARRAY_SIZE(t->path); i++) {
		t->is[i].rate = MPTUN_DETOUR_TEST_RATE;
		t->is[i].acked = 12345;
		mptun_detour_reset(&t->path[i], t->is[i].acked);
	}
	mptun_detour_group_reset(&t->group, t->now);
	test->priv = t;
	return 0;
}

/* Lets an interval pass. */
static void mptun_detour_test_step(struct mptun_detour_test *t)
{
	struct mptun_detour_sum sum = {
		.min_rtt_us = U32_MAX,
		.srtt_us = U32_MAX,
		.flows = t->flows,
	};
	u32 ms = MPTUN_DETOUR_TEST_INTERVAL_MS;
	u32 percent = t->group.suspended ? t->alone : t->with;
	u32 unit = MPTUN_DETOUR_TEST_RATE / MSEC_PER_SEC * ms / 100;
	u32 high_latency = percent * unit / 100 * t->share;
	bool rested = t->group.suspended;
	unsigned int i;

	if (rested)
		high_latency = 0;
	t->is[0].acked += percent * unit - high_latency;
	t->is[1].acked += high_latency;
	t->carried += percent;
	t->now += ms * (u64)NSEC_PER_MSEC;
	sum.full = percent >= 100;
	for (i = 0; i < ARRAY_SIZE(t->path); i++)
		mptun_detour_compare(&t->is[i], &sum);
	for (i = 0; i < ARRAY_SIZE(t->path); i++)
		mptun_detour_measure(&t->path[i], &t->is[i], &sum);
	if (mptun_detour_judge(&t->group, &sum, ms, t->now) && !rested)
		t->rested++;
}

/* Returns what was carried on average. */
static u32 mptun_detour_test_run(struct mptun_detour_test *t, u32 seconds)
{
	u32 steps = seconds * MSEC_PER_SEC / MPTUN_DETOUR_TEST_INTERVAL_MS, i;

	t->carried = 0;
	for (i = 0; i < steps; i++)
		mptun_detour_test_step(t);
	return div_u64(t->carried, steps);
}

/* A flow that waits for the high-latency path is as fast as without it, except
 * for a second now and then, ever more rarely.
 */
static void mptun_detour_test_waits(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	mptun_detour_test_run(t, 3);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	KUNIT_EXPECT_GE(test, mptun_detour_test_run(t, 600), 94U);
	KUNIT_EXPECT_TRUE(test, t->group.proven);
	KUNIT_EXPECT_GE(test, t->rested, 4U);
	KUNIT_EXPECT_LE(test, t->rested, 6U);
}

/* One that fills both has both. */
static void mptun_detour_test_fills(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	t->with = 190;
	mptun_detour_test_run(t, 600);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	/* it loses something, and falls by a third for two seconds */
	t->with = 130;
	mptun_detour_test_run(t, 2);
	/* it falls below what the low-latency path carries, and grows back
	 * slowly
	 */
	for (t->with = 76; t->with < 190; t->with += 3)
		mptun_detour_test_run(t, 1);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
}

/* One that is slower by little, and stays so, is better off without as well. */
static void mptun_detour_test_slightly_slower(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	t->with = 90;
	mptun_detour_test_run(t, 3);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	mptun_detour_test_run(t, 3);
	KUNIT_EXPECT_EQ(test, t->rested, 1U);
	KUNIT_EXPECT_EQ(test, mptun_detour_test_run(t, 20), 95U);

	/* of about the same it is not known which is better */
	mptun_detour_group_reset(&t->group, t->now);
	t->with = 97;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_EQ(test, t->rested, 1U);
}

/* One that grows is not disturbed, one that stopped growing is. */
static void mptun_detour_test_grows(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	for (t->with = 15; t->with < 75; t->with += t->with / 5)
		mptun_detour_test_run(t, 1);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	t->with = 60;
	mptun_detour_test_run(t, 2);
	KUNIT_EXPECT_EQ(test, t->rested, 1U);
}

/* One that slow start left at more than it gets over both paths, grows. */
static void mptun_detour_test_slow_start(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;
	static const u32 got[] = { 82, 54, 49, 73, 71, 78, 87, 95, 120 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(got); i++) {
		t->with = got[i];
		mptun_detour_test_step(t);
	}
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
}

/* Noise is no growth: neither for one whose rate varies by a twelfth, nor if a
 * dip comes before.
 */
static void mptun_detour_test_noise(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;
	static const u32 got[] = { 85, 78, 91, 83, 88, 79, 92, 84, 77, 90 };
	unsigned int i;

	for (i = 0; i < 12 * MSEC_PER_SEC / MPTUN_DETOUR_TEST_INTERVAL_MS;
	     i++) {
		t->with = got[i % ARRAY_SIZE(got)];
		mptun_detour_test_step(t);
	}
	KUNIT_EXPECT_GE(test, t->rested, 1U);
}

/* An interval in which a capacity is unknown changes nothing. */
static void mptun_detour_test_unknown(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;
	unsigned int i;

	t->alone = 30;
	for (i = 0; i < 10; i++) {
		t->is[0].rate = i % 2 ? 0 : MPTUN_DETOUR_TEST_RATE;
		mptun_detour_test_step(t);
	}
	KUNIT_EXPECT_EQ(test, t->rested, 1U);
	/* a suspension that is in vain ends all the same */
	t->is[0].rate = 0;
	mptun_detour_test_run(t, 5);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
}

/* Load that fits the low-latency path gets no more without the other one, whose
 * suspension is in vain, and rare.
 */
static void mptun_detour_test_light(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;
	unsigned int i, steps = 0;

	t->alone = 30;
	for (i = 0; i < 600 * 4; i++) {
		mptun_detour_test_step(t);
		steps += t->group.suspended;
	}
	KUNIT_EXPECT_LE(test, t->rested, 10U);
	KUNIT_EXPECT_LE(test, steps, 10U * 17);
	/* when there is more, both are there */
	mptun_detour_test_run(t, 6);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
	t->with = 190;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_LE(test, t->rested, 10U);
}

/* Hardly any load gives no conclusion. */
static void mptun_detour_test_low_load(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	t->with = 10;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	t->with = 60;
	t->share = 5;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
}

/* The flow ends: the next one finds both paths. */
static void mptun_detour_test_ends(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	mptun_detour_test_run(t, 10);
	KUNIT_EXPECT_TRUE(test, t->group.proven);
	t->alone = 0;
	mptun_detour_test_run(t, 9);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	t->with = 0;
	mptun_detour_test_run(t, 2);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
	KUNIT_EXPECT_EQ(test, t->group.retry_ms, 0U);
}

/* Many more flows are another load. */
static void mptun_detour_test_more(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	mptun_detour_test_run(t, 10);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	t->flows = 3;
	mptun_detour_test_run(t, 1);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	t->flows = 4;
	t->with = 190;
	mptun_detour_test_run(t, 1);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
}

/* A return that lasts is none in vain. */
static void mptun_detour_test_lasts(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	mptun_detour_test_run(t, 100);
	KUNIT_EXPECT_GT(test, t->group.retry_ms, MPTUN_DETOUR_RETRY_MIN_MS);
	t->with = 190;
	mptun_detour_test_run(t, 200);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
	t->with = 30;
	mptun_detour_test_run(t, 4);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	KUNIT_EXPECT_EQ(test, t->group.retry_ms, MPTUN_DETOUR_RETRY_MIN_MS);
}

/* A path of about the same latency, or unknown latency, is no detour, nor is
 * one with too much latency to help.
 */
static void mptun_detour_test_low_latency(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	mptun_detour_test_rtt(t, 1, 10000 + 5000 + MPTUN_DETOUR_EXCESS_US);
	mptun_detour_test_run(t, 60);
	mptun_detour_test_rtt(t, 1, 10000 + MPTUN_SCHED_HIGH_LATENCY_US + 1);
	mptun_detour_test_run(t, 60);
	mptun_detour_test_rtt(t, 1, 0);
	mptun_detour_test_run(t, 60);
	mptun_detour_test_rtt(t, 1, 60000);
	t->is[0].rate = 0;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	t->is[0].rate = MPTUN_DETOUR_TEST_RATE;
	mptun_detour_test_run(t, 10);
	KUNIT_EXPECT_EQ(test, t->rested, 1U);
}

/* A path with a queue, or jitter, does not have low latency, unless the other
 * one is suspended; the suspension ends when the low-latency path has become as
 * slow.
 */
static void mptun_detour_test_queue(struct kunit *test)
{
	struct mptun_detour_test *t = test->priv;

	t->is[0].srtt_us = 50000;
	mptun_detour_test_run(t, 60);
	KUNIT_EXPECT_EQ(test, t->rested, 0U);
	t->is[0].srtt_us = 20000;
	mptun_detour_test_run(t, 10);
	KUNIT_EXPECT_TRUE(test, t->group.suspended && t->group.proven);
	t->path[1].suspended = true;
	t->is[0].srtt_us = 50000;
	mptun_detour_test_run(t, 10);
	KUNIT_EXPECT_TRUE(test, t->group.suspended);
	mptun_detour_test_rtt(t, 0, 60000);
	mptun_detour_test_run(t, 1);
	KUNIT_EXPECT_FALSE(test, t->group.suspended);
}

static struct kunit_case mptun_detour_test_cases[] = {
	KUNIT_CASE(mptun_detour_test_waits),
	KUNIT_CASE(mptun_detour_test_fills),
	KUNIT_CASE(mptun_detour_test_slightly_slower),
	KUNIT_CASE(mptun_detour_test_grows),
	KUNIT_CASE(mptun_detour_test_slow_start),
	KUNIT_CASE(mptun_detour_test_noise),
	KUNIT_CASE(mptun_detour_test_unknown),
	KUNIT_CASE(mptun_detour_test_light),
	KUNIT_CASE(mptun_detour_test_low_load),
	KUNIT_CASE(mptun_detour_test_ends),
	KUNIT_CASE(mptun_detour_test_more),
	KUNIT_CASE(mptun_detour_test_lasts),
	KUNIT_CASE(mptun_detour_test_low_latency),
	KUNIT_CASE(mptun_detour_test_queue),
	{}
};

static struct kunit_suite mptun_detour_test_suite = {
	.name = "mptun_detour",
	.init = mptun_detour_test_init,
	.test_cases = mptun_detour_test_cases,
};

kunit_test_suite(mptun_detour_test_suite);
