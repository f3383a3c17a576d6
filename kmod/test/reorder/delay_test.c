// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of one-way delays and their extremes.
 */
#include <kunit/test.h>

#include "reorder/delay.c"

#define MPTUN_DELAY_TEST_US(us)	((us) << MPTUN_DELAY_FRACTION)

/* Just before 24 bits of microseconds wrap. */
#define MPTUN_DELAY_TEST_NOW	\
	(((1ULL << MPTUN_TIME_BITS) * 5 - 100) * NSEC_PER_USEC)

/* A delay is a difference of clocks, whichever of them has wrapped. */
static void mptun_delay_test_sample(struct kunit *test)
{
	u64 now = MPTUN_DELAY_TEST_NOW;
	u32 before, after;

	before = mptun_delay_sample(MPTUN_TIME_MASK - 399, now);
	KUNIT_EXPECT_EQ(test, before, MPTUN_DELAY_TEST_US(300U));
	after = mptun_delay_sample(100, now + 600 * NSEC_PER_USEC);
	KUNIT_EXPECT_EQ(test, after, MPTUN_DELAY_TEST_US(400U));
	after = mptun_delay_sample(50, now);
	KUNIT_EXPECT_EQ(test, mptun_delay_diff(after, before),
			-(s32)MPTUN_DELAY_TEST_US(450));
	KUNIT_EXPECT_EQ(test, mptun_delay_diff(before, after),
			(s32)MPTUN_DELAY_TEST_US(450));
}

static void mptun_delay_test_expect(struct kunit *test,
				    const struct mptun_delays *d, u32 low,
				    u32 high)
{
	KUNIT_EXPECT_EQ(test, mptun_delays_low(d), low);
	KUNIT_EXPECT_EQ(test, mptun_delays_high(d), high);
}

/* Extremes last for this period and the one before, on a circle. */
static void mptun_delay_test_extremes(struct kunit *test)
{
	u64 now = MPTUN_DELAY_TEST_NOW;
	struct mptun_delays d;
	u32 low = MPTUN_DELAY_MASK - 10;

	mptun_delays_restart(&d, 5, now);
	mptun_delay_test_expect(test, &d, 5, 5);
	KUNIT_EXPECT_FALSE(test, mptun_delays_add(&d, low, now + 1));
	KUNIT_EXPECT_FALSE(test, mptun_delays_add(&d, 9, now + 2));
	mptun_delay_test_expect(test, &d, low, 9);

	now += NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_delays_add(&d, 6, now));
	KUNIT_EXPECT_FALSE(test, mptun_delays_add(&d, 7, now + 1));
	mptun_delay_test_expect(test, &d, low, 9);

	now += NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_delays_add(&d, 6, now));
	mptun_delay_test_expect(test, &d, 6, 7);

	/* of periods without a packet nothing is known */
	now += 10 * NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_delays_add(&d, 8, now));
	mptun_delay_test_expect(test, &d, 6, 8);
}

/* A clock that seems to go back begins no period. */
static void mptun_delay_test_back(struct kunit *test)
{
	u64 now = MPTUN_DELAY_TEST_NOW;
	struct mptun_delays d;

	mptun_delays_restart(&d, 5, now);
	KUNIT_EXPECT_FALSE(test, mptun_delays_add(&d, 4, now - 1000));
	mptun_delay_test_expect(test, &d, 4, 5);
	KUNIT_EXPECT_EQ(test, d.period, now);
}

static struct kunit_case mptun_delay_test_cases[] = {
	KUNIT_CASE(mptun_delay_test_sample),
	KUNIT_CASE(mptun_delay_test_extremes),
	KUNIT_CASE(mptun_delay_test_back),
	{}
};

static struct kunit_suite mptun_delay_test_suite = {
	.name = "mptun_delay",
	.test_cases = mptun_delay_test_cases,
};

kunit_test_suite(mptun_delay_test_suite);
