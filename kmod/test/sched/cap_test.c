// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of data caps: what counts, and when a cap is reached.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "sched/cap.h"

static void mptun_cap_test_counts(struct kunit *test)
{
	struct mptun_cap_count count = { .bytes = 1000, .packets = 3 };
	struct mptun_cap c = {};

	KUNIT_EXPECT_EQ(test, mptun_cap_used(&c, &count, 20), 1060ULL);
	mptun_cap_update(&c, &count, 20);
	KUNIT_EXPECT_EQ(test, c.used, 1060ULL);
	mptun_cap_update(&c, &count, 20);
	KUNIT_EXPECT_EQ(test, c.used, 1060ULL);
	/* The path changes to IPv6: what was counted before stays. */
	count.bytes += 500;
	count.packets += 2;
	mptun_cap_update(&c, &count, 40);
	KUNIT_EXPECT_EQ(test, c.used, 1640ULL);
	KUNIT_EXPECT_EQ(test, mptun_cap_used(&c, &count, 20), 1640ULL);
}

/* A new period, and one continued after a reboot. */
static void mptun_cap_test_set(struct kunit *test)
{
	struct mptun_cap_count count = { .bytes = 1000, .packets = 3 };
	struct mptun_cap c = {};

	mptun_cap_update(&c, &count, 20);
	count.bytes += 7;
	mptun_cap_set(&c, &count, 0);
	KUNIT_EXPECT_EQ(test, mptun_cap_used(&c, &count, 20), 0ULL);
	count.bytes += 5;
	count.packets++;
	KUNIT_EXPECT_EQ(test, mptun_cap_used(&c, &count, 20), 25ULL);
	mptun_cap_set(&c, &count, 1ULL << 40);
	count.bytes++;
	mptun_cap_update(&c, &count, 20);
	KUNIT_EXPECT_EQ(test, c.used, (1ULL << 40) + 1);
}

/* Counters wrap at 2^64, and packets count in full before that. */
static void mptun_cap_test_wrap(struct kunit *test)
{
	struct mptun_cap_count count = { .bytes = U64_MAX, .packets = 0 };
	struct mptun_cap c = {};

	mptun_cap_set(&c, &count, 100);
	count.bytes = 9;
	count.packets = 1ULL << 33;
	KUNIT_EXPECT_EQ(test, mptun_cap_used(&c, &count, 40),
			110 + 40 * (1ULL << 33));
}

static void mptun_cap_test_states(struct kunit *test)
{
	struct mptun_cap c = { .used = 799 };

	KUNIT_EXPECT_FALSE(test, mptun_cap_judge(&c, 0));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_NONE);
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 1000));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_OPEN);
	KUNIT_EXPECT_FALSE(test, mptun_cap_judge(&c, 1000));
	c.used = 800;
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 1000));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_NEAR);
	c.used = 999;
	KUNIT_EXPECT_FALSE(test, mptun_cap_judge(&c, 1000));
	c.used = 1000;
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 1000));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_REACHED);
	c.used = U64_MAX;
	KUNIT_EXPECT_FALSE(test, mptun_cap_judge(&c, 1000));
	/* More is allowed, or a new period begins. */
	c.used = 1000;
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 1001));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_NEAR);
	c.used = 0;
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 1));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_OPEN);
	c.used = U64_MAX - 1;
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, U64_MAX));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_NEAR);
	KUNIT_EXPECT_TRUE(test, mptun_cap_judge(&c, 0));
	KUNIT_EXPECT_EQ(test, c.state, MPTUN_CAP_STATE_NONE);
}

static struct kunit_case mptun_cap_cases[] = {
	KUNIT_CASE(mptun_cap_test_counts),
	KUNIT_CASE(mptun_cap_test_set),
	KUNIT_CASE(mptun_cap_test_wrap),
	KUNIT_CASE(mptun_cap_test_states),
	{}
};

static struct kunit_suite mptun_cap_suite = {
	.name = "mptun_cap",
	.test_cases = mptun_cap_cases,
};

kunit_test_suite(mptun_cap_suite);
