// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion control: which controllers there are, and what is kept
 * when another one is chosen.
 */
#include <kunit/test.h>

#include "cc/cc.h"
#include "cc/window.h"

#define MPTUN_CHOOSE_TEST_MSS	1000U
#define MPTUN_CHOOSE_TEST_START	(50 * NSEC_PER_SEC)

/**
 * struct mptun_choose_test - what the tests work on
 * @cc: congestion state, newreno
 * @rtt: round-trip time, a steady 40 ms
 */
struct mptun_choose_test {
	struct mptun_cc cc;
	struct mptun_rtt rtt;
};

static int mptun_choose_test_suite_init(struct kunit_suite *suite)
{
	return mptun_cc_init();
}

static void mptun_choose_test_suite_exit(struct kunit_suite *suite)
{
	mptun_cc_exit();
}

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

static void mptun_choose_test_exit(struct kunit *test)
{
	struct mptun_choose_test *t = test->priv;

	if (t)
		mptun_cc_release(&t->cc);
}

static void mptun_choose_test_registry(struct kunit *test)
{
	struct mptun_choose_test *t = test->priv;
	struct mptun_cc_ops no_reset = { .algo.name = "noreset" };
	struct mptun_cc_ops twin = mptun_cc_none;

	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("newreno"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("cubic"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("lia"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("residual"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("delay"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("bbr"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("fixed"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("none"));
	KUNIT_EXPECT_FALSE(test, mptun_cc_exists("reno"));
	KUNIT_EXPECT_EQ(test, mptun_cc_register(&no_reset), -EINVAL);
	KUNIT_EXPECT_EQ(test, mptun_cc_register(&twin), -EEXIST);

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "reno"), -ENOENT);
	KUNIT_EXPECT_STREQ(test, mptun_cc_name(&t->cc), "newreno");
	/* All names are taken: nothing must stay half registered. */
	KUNIT_EXPECT_EQ(test, mptun_cc_init(), -EEXIST);
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("newreno"));
}

/* A failed start leaves nothing behind. */
static void mptun_choose_test_unwind(struct kunit *test)
{
	struct mptun_cc_ops twin = mptun_cc_none;

	mptun_cc_exit();
	KUNIT_EXPECT_EQ(test, mptun_cc_register(&twin), 0);
	KUNIT_EXPECT_EQ(test, mptun_cc_init(), -EEXIST);
	KUNIT_EXPECT_FALSE(test, mptun_cc_exists("newreno"));
	KUNIT_EXPECT_FALSE(test, mptun_cc_exists("fixed"));
	KUNIT_EXPECT_TRUE(test, mptun_cc_exists("none"));
	mptun_cc_unregister(&twin);
	KUNIT_EXPECT_EQ(test, mptun_cc_init(), 0);
}

/* The same controller once more forgets nothing. */
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

/* A change under traffic: what was learnt is kept, what was not is not. */
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
	KUNIT_CASE(mptun_choose_test_registry),
	KUNIT_CASE(mptun_choose_test_unwind),
	KUNIT_CASE(mptun_choose_test_again),
	KUNIT_CASE(mptun_choose_test_change),
	{}
};

static struct kunit_suite mptun_choose_suite = {
	.name = "mptun_cc_choose",
	.suite_init = mptun_choose_test_suite_init,
	.suite_exit = mptun_choose_test_suite_exit,
	.init = mptun_choose_test_init,
	.exit = mptun_choose_test_exit,
	.test_cases = mptun_choose_cases,
};

kunit_test_suite(mptun_choose_suite);
