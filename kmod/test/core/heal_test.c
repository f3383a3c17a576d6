// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of when a path tries another way.
 */
#include <kunit/test.h>

#include "core/heal.h"

#define SECOND	((u64)NSEC_PER_SEC)

/* A path that works tries nothing, however long it does. */
static void mptun_heal_test_works(struct kunit *test)
{
	struct mptun_heal heal = {};
	u64 now;

	for (now = SECOND; now < 1000 * SECOND; now += SECOND)
		KUNIT_EXPECT_FALSE(test, mptun_heal_due(&heal, false, now));
	KUNIT_EXPECT_EQ(test, heal.at_ns, 0ULL);
}

/* Attempts become rarer, but there is always one within the limit. */
static void mptun_heal_test_backoff(struct kunit *test)
{
	u64 now, last = 100 * SECOND, wait = 0;
	struct mptun_heal heal = {};
	unsigned int tries = 0;

	for (now = last; now < 400 * SECOND; now += SECOND / 10) {
		if (!mptun_heal_due(&heal, true, now))
			continue;
		tries++;
		KUNIT_EXPECT_GE(test, now - last, wait);
		wait = now - last;
		KUNIT_EXPECT_LE(test, wait, MPTUN_HEAL_MAX_NS);
		last = now;
	}
	KUNIT_EXPECT_EQ(test, tries, heal.tries);
	KUNIT_EXPECT_GE(test, tries, 10U);
	KUNIT_EXPECT_LE(test, tries, 13U);
}

/* Within a minute there are three, and the first comes soon. */
static void mptun_heal_test_minute(struct kunit *test)
{
	struct mptun_heal heal = {};
	u64 now, first = 0;

	for (now = SECOND; now < 61 * SECOND; now += SECOND / 10)
		if (mptun_heal_due(&heal, true, now) && !first)
			first = now;
	KUNIT_EXPECT_LE(test, first, 7 * SECOND);
	KUNIT_EXPECT_EQ(test, heal.tries, 3);
}

/* An interruption that ends earlier changes nothing, and each begins again. */
static void mptun_heal_test_short(struct kunit *test)
{
	struct mptun_heal heal = {};
	u64 now = SECOND;
	int i, j;

	for (i = 0; i < 10; i++) {
		for (j = 0; j < 4; j++, now += SECOND)
			KUNIT_EXPECT_FALSE(test,
					   mptun_heal_due(&heal, true, now));
		KUNIT_EXPECT_FALSE(test, mptun_heal_due(&heal, false, now));
	}
	KUNIT_EXPECT_EQ(test, heal.tries, 0);
}

static struct kunit_case mptun_heal_cases[] = {
	KUNIT_CASE(mptun_heal_test_works),
	KUNIT_CASE(mptun_heal_test_backoff),
	KUNIT_CASE(mptun_heal_test_minute),
	KUNIT_CASE(mptun_heal_test_short),
	{}
};

static struct kunit_suite mptun_heal_suite = {
	.name = "mptun_heal",
	.test_cases = mptun_heal_cases,
};

kunit_test_suite(mptun_heal_suite);
