// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the round-trip time of a path.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/time64.h>

#include "recovery/rtt.h"

#define MPTUN_RTT_TEST_START	(7ULL * NSEC_PER_SEC)

static void mptun_rtt_test_initial(struct kunit *test)
{
	struct mptun_rtt rtt;

	mptun_rtt_init(&rtt);
	KUNIT_EXPECT_FALSE(test, rtt.valid);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 200000U);
	KUNIT_EXPECT_EQ(test, rtt.var_us, 100000U);
	/* 200 + 4 * 100 + 8 ms */
	KUNIT_EXPECT_EQ(test, mptun_rtt_pto_us(&rtt), 608000U);
}

/* RFC 9002, 5.3: the first sample sets everything. */
static void mptun_rtt_test_first(struct kunit *test)
{
	struct mptun_rtt rtt;

	mptun_rtt_init(&rtt);
	mptun_rtt_sample(&rtt, 40000, 9000, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_TRUE(test, rtt.valid);
	KUNIT_EXPECT_EQ(test, rtt.latest_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.var_us, 20000U);
	KUNIT_EXPECT_EQ(test, rtt.first_ns, (u64)MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, mptun_rtt_pto_us(&rtt), 128000U);
}

/* RFC 9002, 5.3: 7/8 and 3/4 of the old values. */
static void mptun_rtt_test_gains(struct kunit *test)
{
	struct mptun_rtt rtt;

	mptun_rtt_init(&rtt);
	mptun_rtt_sample(&rtt, 80000, 0, MPTUN_RTT_TEST_START);
	mptun_rtt_sample(&rtt, 96000, 0, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 82000U);
	KUNIT_EXPECT_EQ(test, rtt.var_us, 34000U);
	mptun_rtt_sample(&rtt, 50000, 0, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 78000U);
	KUNIT_EXPECT_EQ(test, rtt.var_us, 33500U);
}

/* A constant round trip is met exactly, from above and from below. */
static void mptun_rtt_test_converge(struct kunit *test)
{
	static const u32 first[] = { 1, 900, 100000, 60000000 };
	struct mptun_rtt rtt;
	int i, k;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		mptun_rtt_init(&rtt);
		mptun_rtt_sample(&rtt, first[i], 0, MPTUN_RTT_TEST_START);
		for (k = 0; k < 300; k++)
			mptun_rtt_sample(&rtt, 1007, 0, MPTUN_RTT_TEST_START);
		KUNIT_EXPECT_EQ(test, rtt.srtt_us, 1007U);
		KUNIT_EXPECT_LE(test, rtt.var_us, 1U);
		/* granularity at its least, report delay */
		KUNIT_EXPECT_EQ(test, mptun_rtt_pto_us(&rtt), 10007U);
	}
}

static void mptun_rtt_test_delay(struct kunit *test)
{
	struct mptun_rtt rtt;

	mptun_rtt_init(&rtt);
	mptun_rtt_sample(&rtt, 40000, 0, MPTUN_RTT_TEST_START);
	mptun_rtt_sample(&rtt, 45000, 5000, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, rtt.latest_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 40000U);

	/* A late report with an honest delay. */
	mptun_rtt_sample(&rtt, 840000, 800000, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 40000U);

	/* No delay makes the round trip shorter than it can be. */
	mptun_rtt_sample(&rtt, 50000, U32_MAX, MPTUN_RTT_TEST_START);
	KUNIT_EXPECT_EQ(test, rtt.latest_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 40000U);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 40000U);
}

/* The minimum follows a longer route within two epochs, not earlier than one,
 * and a shorter one at once.
 */
static void mptun_rtt_test_min(struct kunit *test)
{
	u64 now = MPTUN_RTT_TEST_START;
	struct mptun_rtt rtt;
	u64 changed;

	mptun_rtt_init(&rtt);
	for (; now < MPTUN_RTT_TEST_START + 12ULL * NSEC_PER_SEC;
	     now += 10 * NSEC_PER_MSEC)
		mptun_rtt_sample(&rtt, 20000, 0, now);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 20000U);

	changed = now;
	while (rtt.min_us == 20000) {
		mptun_rtt_sample(&rtt, 70000, 0, now);
		now += 10 * NSEC_PER_MSEC;
		KUNIT_ASSERT_LE(test, now - changed, 11ULL * NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, rtt.min_us, 70000U);
	KUNIT_EXPECT_GE(test, now - changed, MPTUN_RTT_MIN_EPOCH_NS);

	mptun_rtt_sample(&rtt, 30000, 0, now);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 30000U);

	/* After a pause nothing old counts. */
	now += 60ULL * NSEC_PER_SEC;
	mptun_rtt_sample(&rtt, 90000, 0, now);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 90000U);

	/* A clock read before the lock was taken does no harm. */
	mptun_rtt_sample(&rtt, 91000, 0, now - 5000);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 90000U);
}

/* A longer route is accepted after four packets that were alone on it. */
static void mptun_rtt_test_longer(struct kunit *test)
{
	u64 now = MPTUN_RTT_TEST_START;
	struct mptun_rtt rtt;
	int i;

	mptun_rtt_init(&rtt);
	mptun_rtt_sample(&rtt, 10000, 0, now);
	for (i = 0; i < 12; i++) {
		now += 50 * NSEC_PER_MSEC;
		mptun_rtt_sample(&rtt, i == 8 ? 18999 : 52000 - i, 0, now);
		/* the fourth was not alone, the ninth was shorter */
		mptun_rtt_alone(&rtt, i != 3, now);
		KUNIT_EXPECT_EQ(test, rtt.min_us, i < 7 ? 10000U :
				i < 8 ? 51993U : 18999U);
	}
	now += 50 * NSEC_PER_MSEC;
	mptun_rtt_sample(&rtt, 52000, 0, now);
	mptun_rtt_alone(&rtt, true, now);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 51989U);
	/* and a shorter one at once, as ever */
	mptun_rtt_sample(&rtt, 11000, 0, now);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 11000U);
	mptun_rtt_sample(&rtt, 52000, 0, now + MPTUN_RTT_MIN_EPOCH_NS);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 11000U);
}

/* What was sent before a path stood still shows for how long it did, and not
 * what it takes from then on.
 */
static void mptun_rtt_test_silent(struct kunit *test)
{
	u64 now = MPTUN_RTT_TEST_START + NSEC_PER_SEC;
	struct mptun_rtt rtt;
	u32 pto_us;

	mptun_rtt_init(&rtt);
	mptun_rtt_sample(&rtt, 20000, 0, MPTUN_RTT_TEST_START);
	pto_us = mptun_rtt_pto_us(&rtt);
	mptun_rtt_silence(&rtt, U64_MAX);
	/* loss detection knows that packets take longer */
	KUNIT_EXPECT_FALSE(test, mptun_rtt_sample(&rtt, 800000, 0, now));
	KUNIT_EXPECT_EQ(test, rtt.latest_us, 800000U);
	mptun_rtt_silence(&rtt, now);
	now += 100 * NSEC_PER_MSEC;
	KUNIT_EXPECT_FALSE(test, mptun_rtt_sample(&rtt, 100001, 0, now));
	mptun_rtt_silence(&rtt, now);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 20000U);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 20000U);
	KUNIT_EXPECT_EQ(test, mptun_rtt_pto_us(&rtt), pto_us);
	/* sent when the path answered */
	KUNIT_EXPECT_TRUE(test, mptun_rtt_sample(&rtt, 100000, 0, now));
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 30000U);
	KUNIT_EXPECT_TRUE(test, mptun_rtt_sample(&rtt, 800000, 0, now));
}

/* A route of a second is longer than the timeout again and again. */
static void mptun_rtt_test_silent_again(struct kunit *test)
{
	u64 now = MPTUN_RTT_TEST_START + NSEC_PER_SEC;
	struct mptun_rtt rtt;

	mptun_rtt_init(&rtt);
	mptun_rtt_silence(&rtt, U64_MAX);
	KUNIT_EXPECT_TRUE(test, mptun_rtt_sample(&rtt, 20000, 0,
						 MPTUN_RTT_TEST_START));
	mptun_rtt_silence(&rtt, U64_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_rtt_sample(&rtt, 1000000, 0, now));
	mptun_rtt_silence(&rtt, now);
	now += NSEC_PER_SEC - 1000;
	mptun_rtt_silence(&rtt, U64_MAX);
	KUNIT_EXPECT_TRUE(test, mptun_rtt_sample(&rtt, 1000000, 0, now));
	KUNIT_EXPECT_GT(test, mptun_rtt_pto_us(&rtt), 1000000U);
}

/* Neither zero nor huge values lead to zero, wrap or division by zero. */
static void mptun_rtt_test_extremes(struct kunit *test)
{
	struct mptun_rtt rtt;
	int i;

	mptun_rtt_init(&rtt);
	for (i = 0; i < 200; i++)
		mptun_rtt_sample(&rtt, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, rtt.srtt_us, 1U);
	KUNIT_EXPECT_EQ(test, rtt.min_us, 1U);

	for (i = 0; i < 200; i++)
		mptun_rtt_sample(&rtt, i & 1 ? U32_MAX : 0, 0, U64_MAX);
	KUNIT_EXPECT_LE(test, rtt.srtt_us, MPTUN_RTT_MAX_US);
	KUNIT_EXPECT_LE(test, rtt.var_us, MPTUN_RTT_MAX_US);
	KUNIT_EXPECT_LE(test, mptun_rtt_pto_us(&rtt), 6 * MPTUN_RTT_MAX_US);
}

static struct kunit_case mptun_rtt_cases[] = {
	KUNIT_CASE(mptun_rtt_test_initial),
	KUNIT_CASE(mptun_rtt_test_first),
	KUNIT_CASE(mptun_rtt_test_gains),
	KUNIT_CASE(mptun_rtt_test_converge),
	KUNIT_CASE(mptun_rtt_test_delay),
	KUNIT_CASE(mptun_rtt_test_min),
	KUNIT_CASE(mptun_rtt_test_longer),
	KUNIT_CASE(mptun_rtt_test_silent),
	KUNIT_CASE(mptun_rtt_test_silent_again),
	KUNIT_CASE(mptun_rtt_test_extremes),
	{}
};

static struct kunit_suite mptun_rtt_suite = {
	.name = "mptun_rtt",
	.test_cases = mptun_rtt_cases,
};

kunit_test_suite(mptun_rtt_suite);
