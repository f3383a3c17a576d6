// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "cubic": the curve step by step.
 * test/cc/sim_cubic_test.c runs it over a simulated link.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "cc/cubic.h"
#include "test/cc/frame.h"

#define MPTUN_CUBIC_TEST_MS	40

static struct mptun_cubic_curve *
mptun_cubic_test_curve(struct mptun_cc_test *t)
{
	return &mptun_cubic_priv(&t->cc)->curve;
}

/* Advances time and acknowledges bytes sent in its last ms. */
static void mptun_cubic_test_ack(struct mptun_cc_test *t, u32 ms, u32 bytes,
				 bool full)
{
	t->now += ms * (u64)NSEC_PER_MSEC;
	mptun_cc_test_ack_part(t, bytes, t->now - NSEC_PER_MSEC, full, 0);
}

/* Round trips with a full window, each acknowledged in eight parts. */
static void mptun_cubic_test_rounds(struct mptun_cc_test *t, unsigned int n)
{
	for (n *= 8; n; n--)
		mptun_cubic_test_ack(t, MPTUN_CUBIC_TEST_MS / 8,
				     t->cc.cwnd / 8, true);
}

static void mptun_cubic_test_cube_root(struct kunit *test)
{
	static const u64 exact[] = { 0, 1, 8, 27, 1000, 12167000000000ULL };
	struct rnd_state rnd;
	int i;

	for (i = 0; i < ARRAY_SIZE(exact); i++) {
		u64 root = mptun_cubic_root(exact[i]);

		KUNIT_EXPECT_EQ(test, root * root * root, exact[i]);
	}
	prandom_seed_state(&rnd, 9438);
	for (i = 0; i < 10000; i++) {
		u64 x = (u64)prandom_u32_state(&rnd) << 31 |
			prandom_u32_state(&rnd);
		u64 root;

		x >>= i % 63;
		root = mptun_cubic_root(x);
		KUNIT_ASSERT_LE(test, root * root * root, x);
		KUNIT_ASSERT_GT(test, (root + 1) * (root + 1) * (root + 1), x);
	}
}

/* RFC 9438, figure 2: K = cbrt(300 packets / 0.4) = 9.086 s.  The window
 * follows the curve, is flat at w_max, and grows beyond.
 */
static void mptun_cubic_test_shape(struct kunit *test)
{
	static const struct {
		u32 round;
		u32 least;
		u32 most;
	} at[] = {
		{ 25, 780000, 790000 },		/* 1000 - 0.4 * 8.09^3 */
		{ 125, 970000, 975000 },	/* 1000 - 0.4 * 4.09^3 */
		{ 227, 999000, 1000000 },	/* 9.08 s: K */
		{ 250, 1000000, 1001000 },
		{ 350, 1040000, 1055000 },	/* 1000 + 0.4 * 4.91^3 */
	};
	struct mptun_cc_test *t = test->priv;
	u32 round = 0;
	int i;

	t->cc.cwnd = 1000000;
	t->cc.ssthresh = 1000000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 700000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 700000U);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		mptun_cubic_test_rounds(t, at[i].round - round);
		round = at[i].round;
		kunit_info(test, "after %u round trips: %u\n", round,
			   t->cc.cwnd);
		KUNIT_EXPECT_GE(test, t->cc.cwnd, at[i].least);
		KUNIT_EXPECT_LE(test, t->cc.cwnd, at[i].most);
	}
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->k_ms, 9085U);
}

/* Section 4.3: a small window grows as newreno's would, by 9/17 of a packet per
 * round trip until the cut is regained, then by a packet.
 */
static void mptun_cubic_test_friendly(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 20000;
	t->cc.ssthresh = 20000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 14000U);
	mptun_cubic_test_rounds(t, 10);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, 18000U);
	KUNIT_EXPECT_LE(test, t->cc.cwnd, 20000U);
	mptun_cubic_test_rounds(t, 12);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, 27000U);
	KUNIT_EXPECT_LE(test, t->cc.cwnd, 32000U);
}

/* Section 4.7 */
static void mptun_cubic_test_convergence(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 1000000;
	t->cc.ssthresh = 1000000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->w_max, 1000000U);
	mptun_cubic_test_rounds(t, 1);
	t->cc.cwnd = 800000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 560000U);
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->w_max, 680000U);
}

/* Section 4.9: an undo restores the curve. */
static void mptun_cubic_test_undo(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	struct mptun_cubic_curve before;
	u32 cwnd;

	t->cc.cwnd = 1000000;
	t->cc.ssthresh = 1000000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	mptun_cubic_test_rounds(t, 100);
	before = *mptun_cubic_test_curve(t);
	cwnd = t->cc.cwnd;
	mptun_cc_test_lose(t, t->now - 1, 2, false);
	KUNIT_EXPECT_LT(test, mptun_cubic_test_curve(t)->w_max, before.w_max);
	mptun_cc_test_spurious(t, 2, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, cwnd);
	KUNIT_EXPECT_EQ(test, memcmp(mptun_cubic_test_curve(t), &before,
				     sizeof(before)), 0);
}

/* Section 4.8: the curve starts where slow start ends. */
static void mptun_cubic_test_persistent(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 1000000;
	t->cc.ssthresh = 1000000;
	mptun_cc_test_lose(t, t->now - 1, 100, true);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 2000U);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, 700000U);
	mptun_cubic_test_rounds(t, 10);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, 700000U);
	KUNIT_EXPECT_LE(test, mptun_cubic_test_curve(t)->w_max, 701000U);
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->k_ms, 0U);
}

/* Section 5.8: time with an unused window does not count, nor does a pause. */
static void mptun_cubic_test_app_limited(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u64 t_ns;
	u32 cwnd;
	int i;

	t->cc.cwnd = 1000000;
	t->cc.ssthresh = 1000000;
	mptun_cc_test_lose(t, t->now - 1, 1, false);
	mptun_cubic_test_rounds(t, 10);
	t_ns = mptun_cubic_test_curve(t)->t_ns;
	cwnd = t->cc.cwnd;
	for (i = 0; i < 1000; i++)
		mptun_cubic_test_ack(t, MPTUN_CUBIC_TEST_MS, 10000, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, cwnd);
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->t_ns, t_ns);

	t->now += 100ULL * NSEC_PER_SEC;
	mptun_cc_on_restart(&t->cc, t->now);
	mptun_cubic_test_ack(t, MPTUN_CUBIC_TEST_MS, 10000, true);
	KUNIT_EXPECT_EQ(test, mptun_cubic_test_curve(t)->t_ns,
			t_ns + MPTUN_CUBIC_TEST_MS * (u64)NSEC_PER_MSEC);
}

/* At most half a window per round trip, at any time of the curve (section 4.2).
 */
static void mptun_cubic_test_bound(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	u32 cwnd;

	t->cc.cwnd = 100000;
	t->cc.ssthresh = 100000;
	mptun_cubic_test_rounds(t, 1);
	cwnd = t->cc.cwnd;
	mptun_cubic_test_ack(t, 3600 * 1000, cwnd, true);
	KUNIT_EXPECT_GT(test, t->cc.cwnd, cwnd + cwnd / 3);
	KUNIT_EXPECT_LE(test, t->cc.cwnd, cwnd + cwnd / 2);
	mptun_cubic_test_ack(t, 3600 * 1000, U32_MAX, true);
	KUNIT_EXPECT_LE(test, t->cc.cwnd, cwnd + cwnd / 2 +
			(cwnd + cwnd / 2) / 2);
	mptun_cubic_test_rounds(t, 100);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, mptun_cc_max_window(&t->cc));
}

static int mptun_cubic_test_init(struct kunit *test)
{
	return mptun_cc_test_new(test, "cubic",
				 MPTUN_CUBIC_TEST_MS * USEC_PER_MSEC);
}

static struct kunit_case mptun_cubic_cases[] = {
	KUNIT_CASE(mptun_cubic_test_cube_root),
	KUNIT_CASE(mptun_cubic_test_shape),
	KUNIT_CASE(mptun_cubic_test_friendly),
	KUNIT_CASE(mptun_cubic_test_convergence),
	KUNIT_CASE(mptun_cubic_test_undo),
	KUNIT_CASE(mptun_cubic_test_persistent),
	KUNIT_CASE(mptun_cubic_test_app_limited),
	KUNIT_CASE(mptun_cubic_test_bound),
	{}
};

static struct kunit_suite mptun_cubic_suite = {
	.name = "mptun_cc_cubic",
	.init = mptun_cubic_test_init,
	.test_cases = mptun_cubic_cases,
};

kunit_test_suite(mptun_cubic_suite);
