// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of budgets: what counts, and when a cap is reached.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "sched/cap.h"

static void mptun_budget_test_counts(struct kunit *test)
{
	struct mptun_budget_count count = { .bytes = 1000, .packets = 3 };
	struct mptun_budget b = {};

	KUNIT_EXPECT_EQ(test, mptun_budget_used(&b, &count, 20), 1060ULL);
	mptun_budget_update(&b, &count, 20);
	KUNIT_EXPECT_EQ(test, b.used, 1060ULL);
	mptun_budget_update(&b, &count, 20);
	KUNIT_EXPECT_EQ(test, b.used, 1060ULL);
	/* The path changes to IPv6: what was counted before stays. */
	count.bytes += 500;
	count.packets += 2;
	mptun_budget_update(&b, &count, 40);
	KUNIT_EXPECT_EQ(test, b.used, 1640ULL);
	KUNIT_EXPECT_EQ(test, mptun_budget_used(&b, &count, 20), 1640ULL);
}

/* A new period, and one continued after a reboot. */
static void mptun_budget_test_set(struct kunit *test)
{
	struct mptun_budget_count count = { .bytes = 1000, .packets = 3 };
	struct mptun_budget b = {};

	mptun_budget_update(&b, &count, 20);
	count.bytes += 7;
	mptun_budget_set(&b, &count, 0);
	KUNIT_EXPECT_EQ(test, mptun_budget_used(&b, &count, 20), 0ULL);
	count.bytes += 5;
	count.packets++;
	KUNIT_EXPECT_EQ(test, mptun_budget_used(&b, &count, 20), 25ULL);
	mptun_budget_set(&b, &count, 1ULL << 40);
	count.bytes++;
	mptun_budget_update(&b, &count, 20);
	KUNIT_EXPECT_EQ(test, b.used, (1ULL << 40) + 1);
}

/* Counters wrap at 2^64, and packets count in full before that. */
static void mptun_budget_test_wrap(struct kunit *test)
{
	struct mptun_budget_count count = { .bytes = U64_MAX, .packets = 0 };
	struct mptun_budget b = {};

	mptun_budget_set(&b, &count, 100);
	count.bytes = 9;
	count.packets = 1ULL << 33;
	KUNIT_EXPECT_EQ(test, mptun_budget_used(&b, &count, 40),
			110 + 40 * (1ULL << 33));
}

static void mptun_budget_test_states(struct kunit *test)
{
	struct mptun_budget b = { .used = 799 };

	KUNIT_EXPECT_FALSE(test, mptun_budget_judge(&b, 0));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_NONE);
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 1000));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_OPEN);
	KUNIT_EXPECT_FALSE(test, mptun_budget_judge(&b, 1000));
	b.used = 800;
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 1000));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_NEAR);
	b.used = 999;
	KUNIT_EXPECT_FALSE(test, mptun_budget_judge(&b, 1000));
	b.used = 1000;
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 1000));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_REACHED);
	b.used = U64_MAX;
	KUNIT_EXPECT_FALSE(test, mptun_budget_judge(&b, 1000));
	/* More is allowed, or a new period begins. */
	b.used = 1000;
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 1001));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_NEAR);
	b.used = 0;
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 1));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_OPEN);
	b.used = U64_MAX - 1;
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, U64_MAX));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_NEAR);
	KUNIT_EXPECT_TRUE(test, mptun_budget_judge(&b, 0));
	KUNIT_EXPECT_EQ(test, b.state, MPTUN_CAP_STATE_NONE);
}

static struct kunit_case mptun_budget_cases[] = {
	KUNIT_CASE(mptun_budget_test_counts),
	KUNIT_CASE(mptun_budget_test_set),
	KUNIT_CASE(mptun_budget_test_wrap),
	KUNIT_CASE(mptun_budget_test_states),
	{}
};

static struct kunit_suite mptun_budget_suite = {
	.name = "mptun_budget",
	.test_cases = mptun_budget_cases,
};

kunit_test_suite(mptun_budget_suite);
