// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of how rare attempts become that get no answer.
 */
#include <kunit/test.h>

#include "base/backoff.h"

#define SECOND	((u64)NSEC_PER_SEC)
#define USUAL	(SECOND / 2)
#define MOST	(30 * SECOND)

static u64 mptun_backoff_test_limit(u64 rare, u64 now)
{
	return mptun_backoff_limit(USUAL, MOST, rare, now);
}

/* For five minutes nothing changes. */
static void mptun_backoff_test_usual(struct kunit *test)
{
	u64 begin = 1000 * SECOND, rare = mptun_backoff_begin(begin);
	u64 now;

	for (now = begin; now <= begin + 300 * SECOND; now += SECOND)
		KUNIT_EXPECT_EQ(test, USUAL,
				mptun_backoff_test_limit(rare, now));
}

/* Then the interval grows without a leap, is never more than an eighth of the
 * time without an answer, and has a limit.
 */
static void mptun_backoff_test_grows(struct kunit *test)
{
	u64 begin = 1000 * SECOND, rare = mptun_backoff_begin(begin);
	u64 limit, last = USUAL;
	unsigned int i;

	for (i = 300; i < 200000; i++) {
		limit = mptun_backoff_test_limit(rare, begin + i * SECOND);
		KUNIT_ASSERT_GE(test, limit, last);
		KUNIT_ASSERT_LE(test, limit, last + SECOND / 8);
		KUNIT_ASSERT_LE(test, limit,
				max(USUAL, (i - 300) * SECOND / 8));
		KUNIT_ASSERT_LE(test, limit, MOST);
		last = limit;
	}
	KUNIT_EXPECT_EQ(test, last, MOST);
}

/* After an event it counts from there, but never before its time. */
static void mptun_backoff_test_again(struct kunit *test)
{
	u64 begin = 1000 * SECOND, rare = mptun_backoff_begin(begin);
	u64 now = begin + 100 * SECOND;

	KUNIT_EXPECT_EQ(test, rare, mptun_backoff_again(rare, now));
	now = begin + 1000 * SECOND;
	KUNIT_EXPECT_EQ(test, MOST, mptun_backoff_test_limit(rare, now));
	rare = mptun_backoff_again(rare, now);
	KUNIT_EXPECT_EQ(test, USUAL, mptun_backoff_test_limit(rare, now));
	KUNIT_EXPECT_EQ(test, 5 * SECOND,
			mptun_backoff_test_limit(rare, now + 40 * SECOND));
}

static struct kunit_case mptun_backoff_cases[] = {
	KUNIT_CASE(mptun_backoff_test_usual),
	KUNIT_CASE(mptun_backoff_test_grows),
	KUNIT_CASE(mptun_backoff_test_again),
	{}
};

static struct kunit_suite mptun_backoff_suite = {
	.name = "mptun_backoff",
	.test_cases = mptun_backoff_cases,
};

kunit_test_suite(mptun_backoff_suite);
