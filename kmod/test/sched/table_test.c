// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the table of schedulers.
 */
#include <kunit/test.h>

#include <linux/mptun.h>

#include "sched/sched.h"

static void mptun_sched_table_test_names(struct kunit *test)
{
	static const char *const names[] = {
		"greedy", "ecf", "flow", "redundant", "wrr", "wrr-auto",
	};
	const struct mptun_sched_ops *ops;
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		ops = mptun_sched_table[i];
		KUNIT_ASSERT_NOT_NULL(test, ops);
		/* The peer knows them by these. */
		KUNIT_EXPECT_EQ(test, ops->number, i + 1);
		KUNIT_EXPECT_STREQ(test, ops->name, names[i]);
		KUNIT_EXPECT_LE(test, strlen(ops->name),
				(size_t)MPTUN_ALGO_NAME_MAX);
		KUNIT_EXPECT_NOT_NULL(test, ops->pick);
		KUNIT_EXPECT_PTR_EQ(test, mptun_sched_find(names[i]), ops);
	}
	KUNIT_EXPECT_NULL(test, mptun_sched_table[i]);
}

static void mptun_sched_table_test_unknown(struct kunit *test)
{
	static const char *const names[] = { "", "wr", "wrr-", "greedy2" };
	struct mptun_sched s = {};
	int i;

	KUNIT_EXPECT_STREQ(test, mptun_sched_name(&s), "");
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&s, "wrr"), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_NULL(test, mptun_sched_find(names[i]));
		KUNIT_EXPECT_EQ(test, mptun_sched_assign(&s, names[i]),
				-ENOENT);
		KUNIT_EXPECT_STREQ(test, mptun_sched_name(&s), "wrr");
	}
}

static struct kunit_case mptun_sched_table_cases[] = {
	KUNIT_CASE(mptun_sched_table_test_names),
	KUNIT_CASE(mptun_sched_table_test_unknown),
	{}
};

static struct kunit_suite mptun_sched_table_suite = {
	.name = "mptun_sched_table",
	.test_cases = mptun_sched_table_cases,
};

kunit_test_suite(mptun_sched_table_suite);
