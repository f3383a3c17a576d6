// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "delay": the rule step by step.
 * test/cc/sim_delay_test.c runs it over a simulated link.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "cc/delay.h"
#include "test/cc/frame.h"

/* Sets both averages, in ms. */
static void mptun_delay_test_set(struct mptun_cc_test *t, u32 short_ms,
				 u32 long_ms)
{
	struct mptun_delay *d = mptun_delay_priv(&t->cc);

	d->short_rtt = (u64)short_ms * USEC_PER_MSEC << MPTUN_DELAY_SHIFT;
	d->long_rtt = (u64)long_ms * USEC_PER_MSEC << MPTUN_DELAY_SHIFT;
}

static void mptun_delay_test_ack(struct mptun_cc_test *t, u32 bytes, bool full,
				 u32 ce)
{
	mptun_cc_test_ack_part(t, bytes, t->now - 1, full, ce);
}

static void mptun_delay_test_sample(struct mptun_cc_test *t, u32 ms)
{
	mptun_rtt_sample(&t->rtt, ms * USEC_PER_MSEC, 0, t->now);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
}

static void mptun_delay_test_lose(struct mptun_cc_test *t, bool persistent)
{
	mptun_cc_test_lose(t, t->now - 1, 1, persistent);
	t->now += NSEC_PER_SEC;
}

/* A report of n packets counts as n samples. */
static void mptun_delay_test_average(struct kunit *test)
{
	u64 old = 40000ULL << MPTUN_DELAY_SHIFT;
	u64 new = 60000ULL << MPTUN_DELAY_SHIFT;
	u64 step = old;
	u64 leap;
	int i;

	for (i = 1; i <= 200; i++) {
		step = mptun_delay_average(step, new, MPTUN_DELAY_SHORT_KEEP,
					   1);
		leap = mptun_delay_average(old, new, MPTUN_DELAY_SHORT_KEEP, i);
		KUNIT_EXPECT_LE(test, max(step, leap) - min(step, leap),
				1ULL << MPTUN_DELAY_SHIFT);
	}
	/* 40 + 20 * (1 - 0.9) ms, and 1/10000 */
	leap = mptun_delay_average(old, new, MPTUN_DELAY_SHORT_KEEP, 1);
	KUNIT_EXPECT_EQ(test, (leap >> MPTUN_DELAY_SHIFT), 42000ULL);
	leap = mptun_delay_average(old, new, MPTUN_DELAY_LONG_KEEP, 1);
	KUNIT_EXPECT_EQ(test, (leap >> MPTUN_DELAY_SHIFT), 40002ULL);
	/* 10000 of them: 1 - 1/e */
	leap = mptun_delay_average(old, new, MPTUN_DELAY_LONG_KEEP, 10000);
	KUNIT_EXPECT_GE(test, (leap >> MPTUN_DELAY_SHIFT), 52640ULL);
	KUNIT_EXPECT_LE(test, (leap >> MPTUN_DELAY_SHIFT), 52645ULL);
	/* and down again */
	leap = mptun_delay_average(new, old, MPTUN_DELAY_SHORT_KEEP, U32_MAX);
	KUNIT_EXPECT_EQ(test, leap, old);
}

static void mptun_delay_test_start(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
	mptun_delay_test_ack(t, 5000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 15000U);
	mptun_delay_test_ack(t, 5000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 16000U);
	/* From here on three packets per window. */
	mptun_delay_test_set(t, 40, 40);
	mptun_delay_test_ack(t, 16000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 19000U);
	/* below 16 packets, but slow start has ended */
	t->cc.cwnd = 9000;
	mptun_delay_test_ack(t, 3000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
}

/* 1 - L / S against 1/20 and 1/5 */
static void mptun_delay_test_rule(struct kunit *test)
{
	static const struct {
		u32 short_ms;
		u32 long_ms;
		u32 cwnd;
	} cases[] = {
		{ 30, 40, 103000 }, { 40, 40, 103000 },
		{ 99, 95, 103000 }, { 100, 95, 100000 }, { 101, 95, 100000 },
		{ 99, 80, 100000 }, { 100, 80, 100000 }, { 101, 80, 97000 },
		{ 1000, 40, 97000 },
	};
	struct mptun_cc_test *t = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		t->cc.cwnd = 100000;
		mptun_delay_priv(&t->cc)->credit = 0;
		mptun_delay_test_set(t, cases[i].short_ms, cases[i].long_ms);
		mptun_delay_test_ack(t, 100000, true, 0);
		KUNIT_EXPECT_EQ(test, t->cc.cwnd, cases[i].cwnd);
	}
	/* A window that is not filled may shrink but not grow. */
	t->cc.cwnd = 100000;
	mptun_delay_priv(&t->cc)->credit = 0;
	mptun_delay_test_set(t, 40, 40);
	mptun_delay_test_ack(t, 100000, false, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);
	mptun_delay_test_set(t, 80, 40);
	mptun_delay_test_ack(t, 100000, false, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 97000U);
}

static void mptun_delay_test_bounds(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;
	int i;

	t->cc.cwnd = 4999000;
	mptun_delay_test_set(t, 40, 40);
	for (i = 0; i < 10; i++)
		mptun_delay_test_ack(t, t->cc.cwnd, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 5000000U);
	t->cc.cwnd = 20000;
	mptun_delay_test_set(t, 80, 40);
	for (i = 0; i < 10; i++)
		mptun_delay_test_ack(t, t->cc.cwnd, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 8000U);
}

/* Losses without a queue are ignored; with one they cut the window to remove
 * it.
 */
static void mptun_delay_test_loss(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	mptun_delay_test_sample(t, 40);
	t->cc.cwnd = 100000;
	mptun_delay_test_set(t, 50, 50);
	mptun_delay_test_lose(t, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);
	mptun_delay_test_set(t, 80, 80);
	mptun_delay_test_lose(t, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
	/* once per round trip */
	mptun_delay_test_lose(t, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 25000U);
	t->now = t->cc.recovery_ns;
	mptun_delay_test_lose(t, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 25000U);
	mptun_delay_test_set(t, 4000, 4000);
	mptun_delay_test_lose(t, false);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 8000U);
}

static void mptun_delay_test_persistent(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 400000;
	mptun_delay_test_set(t, 40, 40);
	mptun_delay_test_ack(t, 1000, true, 0);
	mptun_delay_test_lose(t, true);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 8000U);
	/* slow start again */
	mptun_delay_test_ack(t, 8000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 16000U);
}

static void mptun_delay_test_mark(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	t->cc.cwnd = 100000;
	mptun_delay_test_set(t, 40, 40);
	mptun_delay_test_ack(t, 1000, true, 1);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
	t->now++;
	mptun_delay_test_ack(t, 0, true, 1);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 50000U);
}

/* The threshold of another controller does not restart slow start. */
static void mptun_delay_test_change(struct kunit *test)
{
	struct mptun_cc_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "newreno"), 0);
	t->cc.cwnd = 100000;
	t->cc.ssthresh = MPTUN_CC_SSTHRESH_NONE;
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "delay"), 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 100000U);
	mptun_delay_test_sample(t, 40);
	mptun_delay_test_ack(t, 100000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 103000U);

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "newreno"), 0);
	t->cc.cwnd = 12000;
	t->cc.ssthresh = MPTUN_CC_SSTHRESH_NONE;
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc, "delay"), 0);
	mptun_delay_test_ack(t, 12000, true, 0);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 16000U);
}

static int mptun_delay_test_init(struct kunit *test)
{
	return mptun_cc_test_new(test, "delay", 0);
}

static struct kunit_case mptun_delay_cases[] = {
	KUNIT_CASE(mptun_delay_test_average),
	KUNIT_CASE(mptun_delay_test_start),
	KUNIT_CASE(mptun_delay_test_rule),
	KUNIT_CASE(mptun_delay_test_bounds),
	KUNIT_CASE(mptun_delay_test_loss),
	KUNIT_CASE(mptun_delay_test_persistent),
	KUNIT_CASE(mptun_delay_test_mark),
	KUNIT_CASE(mptun_delay_test_change),
	{}
};

static struct kunit_suite mptun_delay_suite = {
	.name = "mptun_cc_delay",
	.init = mptun_delay_test_init,
	.test_cases = mptun_delay_cases,
};

kunit_test_suite(mptun_delay_suite);
