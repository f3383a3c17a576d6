// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion controller "bbr": application-limited startup.
 */
#include "test/cc/bbr_frame.h"

/* Runs application-limited round trips with this much in flight and this
 * queueing delay; returns true if startup ended.
 */
static bool mptun_bbr_test_wait_us(struct mptun_bbr_test *t, u32 in_flight,
				   u32 us, unsigned int rounds)
{
	t->sample.app_limited = true;
	t->sample.rate = 1;
	t->ack.in_flight = in_flight;
	t->ack.queue_us = us;
	mptun_bbr_test_rounds(t, rounds);
	return mptun_bbr_test_priv(t)->full_reached;
}

/* A queue ends the startup of an application-limited path, jitter does not. */
static void mptun_bbr_test_jitter(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_wait_us(t, 0, 0, 1);
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 50000, 4999, 100));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 3999, 39999, 100));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 5000, 3));
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_wait_us(t, 4000, 5000, 1));
}

/* Two packets suffice if they queue for longer than the round trip: a low-rate
 * path beside high-rate ones never sends more.
 */
static void mptun_bbr_test_low_rate(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_wait_us(t, 0, 0, 1);
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 1000, 900000, 100));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 1001, 40000, 3));
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_wait_us(t, 1001, 40000, 1));
}

/* Acknowledgments of a download contain its queue in their round-trip times,
 * which says nothing about the capacity of their own direction.
 */
static void mptun_bbr_test_download(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	u64 pacing;

	mptun_bbr_test_wait_us(t, 0, 0, 1);
	pacing = t->cc.pacing_rate;
	t->rtt.srtt_us = t->rtt.min_us * 2;
	t->rtt.latest_us = t->rtt.srtt_us;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 9000, 0, 100));
	KUNIT_EXPECT_GE(test, t->cc.pacing_rate, pacing);
}

static struct kunit_case mptun_bbr_limited_cases[] = {
	KUNIT_CASE(mptun_bbr_test_jitter),
	KUNIT_CASE(mptun_bbr_test_low_rate),
	KUNIT_CASE(mptun_bbr_test_download),
	{}
};

static struct kunit_suite mptun_bbr_limited_suite = {
	.name = "mptun_cc_bbr_limited",
	.init = mptun_bbr_test_init,
	.test_cases = mptun_bbr_limited_cases,
};

kunit_test_suite(mptun_bbr_limited_suite);
