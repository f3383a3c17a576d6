// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion control: the table of controllers, and changes of the
 * controller.
 */
#include <kunit/test.h>

#include <linux/mptun.h>

#include "cc/cc.h"
#include "cc/window.h"
#include "test/cc/frame.h"

/* A steady round-trip time of 40 ms. */
static int mptun_choose_test_init(struct kunit *test)
{
	return mptun_cc_test_new(test, "newreno", 40000);
}

static void mptun_choose_test_table(struct kunit *test)
{
	static const char *const names[] = {
		"newreno", "cubic", "lia", "residual", "delay", "bbr", "fixed",
		"none",
	};
	const struct mptun_cc_ops *ops;
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		ops = mptun_cc_table[i];
		KUNIT_ASSERT_NOT_NULL(test, ops);
		KUNIT_EXPECT_STREQ(test, ops->name, names[i]);
		KUNIT_EXPECT_LE(test, strlen(ops->name),
				(size_t)MPTUN_ALGO_NAME_MAX);
		KUNIT_EXPECT_NOT_NULL(test, ops->reset);
		KUNIT_EXPECT_PTR_EQ(test, mptun_cc_find(names[i]), ops);
	}
	KUNIT_EXPECT_NULL(test, mptun_cc_table[i]);
}

static void mptun_choose_test_unknown(struct kunit *test)
{
	static const char *const names[] = { "", "reno", "newren", "newreno2" };
	struct mptun_cc_test *t = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_NULL(test, mptun_cc_find(names[i]));
		KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, names[i]),
				-ENOENT);
		KUNIT_EXPECT_STREQ(test, t->cc.ops->name, "newreno");
	}
}

/* Selecting the same controller again keeps its state. */
static void mptun_choose_test_again(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	struct mptun_cc before;

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "cubic"), 0);
	mptun_cc_test_ack_part(t, 5 * MPTUN_CC_TEST_MSS, t->now - 1, true, 0);
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	t->now += NSEC_PER_SEC;
	mptun_cc_test_ack_part(t, 5 * MPTUN_CC_TEST_MSS, t->now - 1, true, 0);
	before = t->cc;
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "cubic"), 0);
	KUNIT_EXPECT_MEMEQ(test, &t->cc, &before, sizeof(before));
}

/* A change under traffic keeps the window between controllers that measure. */
static void mptun_choose_test_change(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 77000;
	t->cc.ssthresh = 66000;
	mptun_window_priv(&t->cc)->credit = 5;
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "lia"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 77000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 66000U);
	KUNIT_EXPECT_EQ(test, mptun_window_priv(&t->cc)->credit, 0U);

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "none"), 0);
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "newreno"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);

	mptun_cc_set_mss(&t->cc, 9000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 18000U);
	mptun_cc_set_rate(&t->cc, 1000);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1000ULL);
}

static struct kunit_case mptun_choose_cases[] = {
	KUNIT_CASE(mptun_choose_test_table),
	KUNIT_CASE(mptun_choose_test_unknown),
	KUNIT_CASE(mptun_choose_test_again),
	KUNIT_CASE(mptun_choose_test_change),
	{}
};

static struct kunit_suite mptun_choose_suite = {
	.name = "mptun_cc_choose",
	.init = mptun_choose_test_init,
	.test_cases = mptun_choose_cases,
};

kunit_test_suite(mptun_choose_suite);
