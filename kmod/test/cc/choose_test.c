// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion control: the table of controllers, and changes of the
 * controller.
 */
#include <kunit/test.h>

#include <linux/mptun.h>

#include "cc/table.c"
#include "cc/window.h"

#define MPTUN_CHOOSE_TEST_MSS	1000U
#define MPTUN_CHOOSE_TEST_START	(50 * NSEC_PER_SEC)

/**
 * struct mptun_choose_test - a path
 * @cc: congestion state, newreno
 * @rtt: round-trip time, a steady 40 ms
 */
struct mptun_choose_test {
	struct mptun_cc cc;
	struct mptun_rtt rtt;
};

static int mptun_choose_test_init(struct kunit *test)
{
	struct mptun_choose_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_rtt_init(&t->rtt);
	mptun_rtt_sample(&t->rtt, 40000, 0, MPTUN_CHOOSE_TEST_START);
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc, "newreno"), 0);
	mptun_cc_reset(&t->cc, MPTUN_CHOOSE_TEST_MSS);
	test->priv = t;
	return 0;
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
	struct mptun_choose_test *t = test->priv;
	struct mptun_cc none = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_NULL(test, mptun_cc_find(names[i]));
		KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, names[i]),
				-ENOENT);
		KUNIT_EXPECT_STREQ(test, mptun_cc_name(&t->cc), "newreno");
	}
	KUNIT_EXPECT_STREQ(test, mptun_cc_name(&none), "");
}

/* Selecting the same controller again keeps its state. */
static void mptun_choose_test_again(struct kunit *test)
{
	struct mptun_choose_test *t = test->priv;
	struct mptun_cc_ack ack = {
		.now = MPTUN_CHOOSE_TEST_START,
		.newest_sent_ns = MPTUN_CHOOSE_TEST_START - 1,
		.bytes = 5 * MPTUN_CHOOSE_TEST_MSS,
		.packets = 5,
		.prior_in_flight = t->cc.cwnd,
		.window_limited = true,
		.rtt = &t->rtt,
	};
	struct mptun_cc_loss loss = {
		.now = MPTUN_CHOOSE_TEST_START,
		.newest_sent_ns = MPTUN_CHOOSE_TEST_START - 1,
		.bytes = MPTUN_CHOOSE_TEST_MSS,
		.packets = 1,
		.rtt = &t->rtt,
	};
	struct mptun_cc before;

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "cubic"), 0);
	mptun_cc_on_ack(&t->cc, &ack);
	mptun_cc_on_loss(&t->cc, &loss);
	ack.now += NSEC_PER_SEC;
	ack.newest_sent_ns = ack.now - 1;
	mptun_cc_on_ack(&t->cc, &ack);
	before = t->cc;
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "cubic"), 0);
	KUNIT_EXPECT_MEMEQ(test, &t->cc, &before, sizeof(before));
}

/* A change under traffic keeps the window between controllers that measure. */
static void mptun_choose_test_change(struct kunit *test)
{
	struct mptun_choose_test *t = test->priv;

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
