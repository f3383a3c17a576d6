// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of one-way delays.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "base/limits.h"
#include "reorder/owd.h"

#define MPTUN_OWD_RANGE_TEST_US(us)	((us) << MPTUN_OWD_FRACTION)

/* Just before 24 bits of microseconds wrap. */
#define MPTUN_OWD_RANGE_TEST_NOW	\
	(((1ULL << MPTUN_TIME_BITS) * 5 - 100) * NSEC_PER_USEC)

/* A delay is a difference of clocks that may have wrapped. */
static void mptun_owd_range_test_sample(struct kunit *test)
{
	u64 now = MPTUN_OWD_RANGE_TEST_NOW;
	u32 before, after;

	before = mptun_owd_sample(MPTUN_TIME_MASK - 399, now);
	KUNIT_EXPECT_EQ(test, before, MPTUN_OWD_RANGE_TEST_US(300U));
	after = mptun_owd_sample(100, now + 600 * NSEC_PER_USEC);
	KUNIT_EXPECT_EQ(test, after, MPTUN_OWD_RANGE_TEST_US(400U));
	after = mptun_owd_sample(50, now);
	KUNIT_EXPECT_EQ(test, mptun_owd_diff(after, before),
			-(s32)MPTUN_OWD_RANGE_TEST_US(450));
	KUNIT_EXPECT_EQ(test, mptun_owd_diff(before, after),
			(s32)MPTUN_OWD_RANGE_TEST_US(450));
}

static void mptun_owd_range_test_expect(struct kunit *test,
					const struct mptun_owd_range *d,
					u32 low, u32 high)
{
	KUNIT_EXPECT_EQ(test, mptun_owd_range_low(d), low);
	KUNIT_EXPECT_EQ(test, mptun_owd_range_high(d), high);
}

/* Minimum and maximum cover this period and the previous one, modulo their
 * range.
 */
static void mptun_owd_range_test_extremes(struct kunit *test)
{
	u64 now = MPTUN_OWD_RANGE_TEST_NOW;
	struct mptun_owd_range d;
	u32 low = MPTUN_OWD_MASK - 10;

	mptun_owd_range_restart(&d, 5, now);
	mptun_owd_range_test_expect(test, &d, 5, 5);
	KUNIT_EXPECT_FALSE(test, mptun_owd_range_add(&d, low, now + 1));
	KUNIT_EXPECT_FALSE(test, mptun_owd_range_add(&d, 9, now + 2));
	mptun_owd_range_test_expect(test, &d, low, 9);

	now += NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_owd_range_add(&d, 6, now));
	KUNIT_EXPECT_FALSE(test, mptun_owd_range_add(&d, 7, now + 1));
	mptun_owd_range_test_expect(test, &d, low, 9);

	now += NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_owd_range_add(&d, 6, now));
	mptun_owd_range_test_expect(test, &d, 6, 7);

	/* periods without a packet do not count */
	now += 10ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_owd_range_add(&d, 8, now));
	mptun_owd_range_test_expect(test, &d, 6, 8);
}

/* A clock that goes back does not begin a period. */
static void mptun_owd_range_test_back(struct kunit *test)
{
	u64 now = MPTUN_OWD_RANGE_TEST_NOW;
	struct mptun_owd_range d;

	mptun_owd_range_restart(&d, 5, now);
	KUNIT_EXPECT_FALSE(test, mptun_owd_range_add(&d, 4, now - 1000));
	mptun_owd_range_test_expect(test, &d, 4, 5);
	KUNIT_EXPECT_EQ(test, d.period, now);
}

static struct kunit_case mptun_owd_range_test_cases[] = {
	KUNIT_CASE(mptun_owd_range_test_sample),
	KUNIT_CASE(mptun_owd_range_test_extremes),
	KUNIT_CASE(mptun_owd_range_test_back),
	{}
};

static struct kunit_suite mptun_owd_range_test_suite = {
	.name = "mptun_owd_range",
	.test_cases = mptun_owd_range_test_cases,
};

#define MPTUN_OWD_TEST_CAP	200000U

/**
 * struct mptun_owd_test - two ends and their clocks
 * @owd: delays of the paths
 * @paths: pointers to them
 * @delay_us: simulated delays
 * @jitter_us: random addition to these
 * @offset_us: sender's clock minus ours
 * @drift_ppm: drift of the sender's clock
 * @now: our clock in ns
 * @rnd: random state
 */
struct mptun_owd_test {
	struct mptun_owd owd[3];
	const struct mptun_owd *paths[3];
	u32 delay_us[3];
	u32 jitter_us[3];
	u64 offset_us;
	u32 drift_ppm;
	u64 now;
	struct rnd_state rnd;
};

static void mptun_owd_test_init(struct mptun_owd_test *t)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	prandom_seed_state(&t->rnd, 5);
	for (i = 0; i < 3; i++) {
		mptun_owd_init(&t->owd[i]);
		t->paths[i] = &t->owd[i];
	}
	/* delays on both sides of the wrap */
	t->offset_us = 30000;
	t->now = 12345ULL * NSEC_PER_SEC;
}

static void mptun_owd_test_arrive(struct mptun_owd_test *t, u32 i)
{
	u64 sent_us = div_u64(t->now, NSEC_PER_USEC) - t->delay_us[i];

	if (t->jitter_us[i])
		sent_us -= prandom_u32_state(&t->rnd) % t->jitter_us[i];
	sent_us += div_u64(sent_us * t->drift_ppm, USEC_PER_SEC);
	mptun_owd_update(&t->owd[i], (sent_us + t->offset_us) &
			 MPTUN_TIME_MASK, t->now);
}

/* @n packets on the first @paths paths, a millisecond apart. */
static void mptun_owd_test_run(struct mptun_owd_test *t, u32 n, u32 paths)
{
	u32 i;

	while (n--) {
		t->now += NSEC_PER_MSEC;
		for (i = 0; i < paths; i++)
			mptun_owd_test_arrive(t, i);
	}
}

static u32 mptun_owd_test_hold(const struct mptun_owd_test *t)
{
	return mptun_owd_hold(t->paths, 3, t->now, MPTUN_OWD_TEST_CAP);
}

/* Distance of the excess of path @i from @want. */
static s32 mptun_owd_test_off(const struct mptun_owd_test *t, u32 i,
			      s32 want)
{
	return abs((s32)mptun_owd_excess(t->paths[i], t->paths, 3, t->now) -
		   want);
}

static void mptun_owd_test_nothing(struct kunit *test)
{
	struct mptun_owd_test t;

	mptun_owd_test_init(&t);
	KUNIT_EXPECT_EQ(test, mptun_owd_test_hold(&t), MPTUN_OWD_TEST_CAP);
	KUNIT_EXPECT_EQ(test, mptun_owd_excess(&t.owd[0], t.paths, 3, t.now),
			0U);
}

/* Differences are right while both clocks wrap and drift. */
static void mptun_owd_test_differences(struct kunit *test)
{
	struct mptun_owd_test t;
	u32 round, hold;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 10000;
	t.delay_us[1] = 60000;
	t.delay_us[2] = 12000;
	t.drift_ppm = 100;
	for (round = 0; round < 60; round++) {
		mptun_owd_test_run(&t, 1000, 3);
		hold = mptun_owd_test_hold(&t);
		KUNIT_EXPECT_GE(test, hold, 50000U);
		KUNIT_EXPECT_LE(test, hold, 54000U);
		KUNIT_EXPECT_EQ(test, mptun_owd_excess(&t.owd[0], t.paths, 3,
						       t.now), 0U);
		KUNIT_EXPECT_LE(test, mptun_owd_test_off(&t, 1, 50000), 20);
		KUNIT_EXPECT_LE(test, mptun_owd_test_off(&t, 2, 2000), 20);
	}
}

/* An unused path does not count; one that returns does. */
static void mptun_owd_test_idle(struct kunit *test)
{
	struct mptun_owd_test t;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 10000;
	t.delay_us[1] = 12000;
	t.delay_us[2] = 150000;
	t.drift_ppm = 200;
	mptun_owd_test_run(&t, 1000, 3);
	KUNIT_EXPECT_GE(test, mptun_owd_test_hold(&t), 140000U);
	mptun_owd_test_run(&t, 1100, 2);
	KUNIT_EXPECT_LE(test, mptun_owd_test_hold(&t), 7000U);

	/* half an hour of drift is 360 ms: the old mean must be dropped */
	t.now += 1800ULL * NSEC_PER_SEC;
	mptun_owd_test_run(&t, 100, 3);
	KUNIT_EXPECT_GE(test, mptun_owd_test_hold(&t), 139000U);
	KUNIT_EXPECT_LE(test, mptun_owd_test_hold(&t), 160000U);
}

/* A very late path is waited for if it carries much. */
static void mptun_owd_test_late(struct kunit *test)
{
	struct mptun_owd_test t;
	u32 i;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 30000;
	t.delay_us[1] = 460000;
	mptun_owd_test_run(&t, 2000, 2);
	KUNIT_EXPECT_GE(test, mptun_owd_hold(t.paths, 3, t.now, 500000),
			430000U);
	for (i = 0; i < 20; i++) {
		mptun_owd_test_run(&t, 99, 1);
		mptun_owd_test_arrive(&t, 1);
	}
	KUNIT_EXPECT_EQ(test, mptun_owd_hold(t.paths, 3, t.now, 500000),
			MPTUN_LATE_US);

	/* one that is less late is always waited for */
	t.delay_us[1] = 180000;
	for (i = 0; i < 30; i++) {
		mptun_owd_test_run(&t, 99, 1);
		mptun_owd_test_arrive(&t, 1);
	}
	KUNIT_EXPECT_GE(test, mptun_owd_hold(t.paths, 3, t.now, 500000),
			150000U);
	KUNIT_EXPECT_LE(test, mptun_owd_hold(t.paths, 3, t.now, 500000),
			MPTUN_LATE_US);
}

/* A few paths with equal shares carry enough, even with fewer packets than
 * their share.
 */
static void mptun_owd_test_share(struct kunit *test)
{
	struct mptun_owd_test t;
	u32 i;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 30000;
	t.delay_us[1] = 460000;
	for (i = 0; i < 500; i++) {
		mptun_owd_test_run(&t, 9, 1);
		mptun_owd_test_arrive(&t, 1);
	}
	KUNIT_EXPECT_GE(test, mptun_owd_hold(t.paths, 3, t.now, 500000),
			430000U);
}

/* Jitter adds to the hold time, which covers nearly all packets. */
static void mptun_owd_test_jitter(struct kunit *test)
{
	struct mptun_owd_test t;
	u32 hold;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 10000;
	t.delay_us[1] = 30000;
	t.jitter_us[1] = 20000;
	mptun_owd_test_run(&t, 2000, 2);
	hold = mptun_owd_test_hold(&t);
	/* the slowest packet takes 40 ms more than the fastest */
	KUNIT_EXPECT_GE(test, hold, 40000U);
	KUNIT_EXPECT_LE(test, hold, 75000U);
}

static void mptun_owd_test_limits(struct kunit *test)
{
	struct mptun_owd_test t;

	mptun_owd_test_init(&t);
	mptun_owd_test_run(&t, 1000, 2);
	KUNIT_EXPECT_EQ(test, mptun_owd_test_hold(&t),
			(u32)MPTUN_OWD_HOLD_MIN_US);
	KUNIT_EXPECT_EQ(test, mptun_owd_hold(t.paths, 3, t.now, 700), 700U);

	t.delay_us[1] = 4000000;
	mptun_owd_test_run(&t, 1000, 2);
	KUNIT_EXPECT_EQ(test, mptun_owd_test_hold(&t), MPTUN_OWD_TEST_CAP);
	KUNIT_EXPECT_LE(test, mptun_owd_test_off(&t, 1, 4000000), 200);
}

/* An increase takes effect at once, a decrease within two seconds, as the queue
 * may fill again.
 */
static void mptun_owd_test_step(struct kunit *test)
{
	struct mptun_owd_test t;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 10000;
	t.delay_us[1] = 12000;
	mptun_owd_test_run(&t, 1000, 2);
	t.delay_us[1] = 82000;
	mptun_owd_test_run(&t, 1, 2);
	KUNIT_EXPECT_GE(test, mptun_owd_test_hold(&t), 72000U);
	t.delay_us[1] = 12000;
	mptun_owd_test_run(&t, 300, 2);
	KUNIT_EXPECT_GE(test, mptun_owd_test_hold(&t), 72000U);
	mptun_owd_test_run(&t, 1800, 2);
	KUNIT_EXPECT_LE(test, mptun_owd_test_hold(&t), 7000U);
}

/* The clock goes back a little. */
static void mptun_owd_test_back(struct kunit *test)
{
	struct mptun_owd_test t;

	mptun_owd_test_init(&t);
	t.delay_us[0] = 10000;
	t.delay_us[1] = 50000;
	mptun_owd_test_run(&t, 1000, 2);
	t.now -= 7 * NSEC_PER_USEC;
	KUNIT_EXPECT_LE(test, mptun_owd_test_hold(&t), 42000U);
	mptun_owd_test_arrive(&t, 0);
	mptun_owd_test_arrive(&t, 1);
	KUNIT_EXPECT_GE(test, mptun_owd_test_hold(&t), 40000U);
	KUNIT_EXPECT_LE(test, mptun_owd_test_hold(&t), 42000U);
	KUNIT_EXPECT_LE(test, mptun_owd_test_off(&t, 1, 40000), 20);
}

/* The deviation of a first sample is a large guess. */
static void mptun_owd_test_bound(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mptun_owd_bound(40000, 20000), 60000U);
	KUNIT_EXPECT_EQ(test, mptun_owd_bound(40000, 5000), 60000U);
	KUNIT_EXPECT_EQ(test, mptun_owd_bound(40000, 1000), 44000U);
	KUNIT_EXPECT_EQ(test, mptun_owd_bound(0, 0), 0U);
}

static struct kunit_case mptun_owd_cases[] = {
	KUNIT_CASE(mptun_owd_test_nothing),
	KUNIT_CASE(mptun_owd_test_differences),
	KUNIT_CASE(mptun_owd_test_idle),
	KUNIT_CASE(mptun_owd_test_late),
	KUNIT_CASE(mptun_owd_test_share),
	KUNIT_CASE(mptun_owd_test_jitter),
	KUNIT_CASE(mptun_owd_test_limits),
	KUNIT_CASE(mptun_owd_test_step),
	KUNIT_CASE(mptun_owd_test_back),
	KUNIT_CASE(mptun_owd_test_bound),
	{}
};

static struct kunit_suite mptun_owd_suite = {
	.name = "mptun_owd",
	.test_cases = mptun_owd_cases,
};

kunit_test_suites(&mptun_owd_range_test_suite, &mptun_owd_suite);
