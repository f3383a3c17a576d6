// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion controller "bbr": PROBE_RTT.
 */
#include "test/cc/bbr_frame.h"

static void mptun_bbr_test_latency(struct mptun_bbr_test *t, u32 rtt_us)
{
	t->rtt.latest_us = rtt_us;
}

/* PROBE_RTT starts 5 s after the last smallest round-trip time, with little in
 * flight for 200 ms and a round trip.  Its result is adopted after 10 s.
 */
static void mptun_bbr_test_probe_rtt(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 i;

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_latency(t, 50000);
	t->ack.in_flight = 10000;
	for (i = 0; i < 130 && b->state != MPTUN_BBR_PROBE_RTT; i++) {
		mptun_bbr_test_rounds(t, 1);
		t->ack.in_flight = 51000;
	}
	KUNIT_EXPECT_GE(test, i, 124U);
	KUNIT_EXPECT_LE(test, i, 126U);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_TRUE(test, t->cc.held);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 40000U);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, MPTUN_BBR_TEST_BDP / 2);

	/* the flight has to shrink first */
	mptun_bbr_test_rounds(t, 10);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	t->ack.in_flight = 50000;
	for (i = 0; i < 10 && b->state == MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, i, 7U);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_FALSE(test, t->cc.held);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, 2 * MPTUN_BBR_TEST_BDP);

	mptun_bbr_test_rounds(t, 120);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 50000U);
}

/* Runs until PROBE_RTT begins, with round trips of @rtt_us; returns how many.
 * Then runs to its end, with round trips of @probe_us.
 */
static u32 mptun_bbr_test_until_probe(struct kunit *test, u32 rtt_us,
				      u32 probe_us)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 rounds = 0;

	mptun_bbr_test_latency(t, rtt_us);
	for (; rounds < 300 && b->state != MPTUN_BBR_PROBE_RTT; rounds++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	mptun_bbr_test_latency(t, probe_us);
	t->ack.in_flight = 50000;
	mptun_bbr_test_rounds(t, 10);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	return rounds;
}

/* One that finds no queue is followed by the next one after 10 s instead of
 * 5, whether jitter made the smallest sample much smaller or not.  One that
 * finds a queue, as that of another flow, is followed by the next one soon.
 */
static void mptun_bbr_test_no_queue(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 rounds;

	mptun_bbr_test_cruise(test);
	KUNIT_EXPECT_FALSE(test, b->no_queue);
	mptun_bbr_test_until_probe(test, 50000, 42000);
	KUNIT_EXPECT_TRUE(test, b->no_queue);
	rounds = mptun_bbr_test_until_probe(test, 55000, 42000);
	KUNIT_EXPECT_GE(test, rounds, 240U);
	KUNIT_EXPECT_LE(test, rounds, 252U);
	KUNIT_EXPECT_FALSE(test, b->no_queue);
	rounds = mptun_bbr_test_until_probe(test, 55000, 42000);
	KUNIT_EXPECT_GE(test, rounds, 115U);
	KUNIT_EXPECT_LE(test, rounds, 127U);
}

/* An equal round-trip time or an idle time postpones it. */
static void mptun_bbr_test_seen(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	int i;

	mptun_bbr_test_cruise(test);
	for (i = 0; i < 1000; i++) {
		mptun_bbr_test_latency(t, i % 100 ? 60000 : 41250);
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
	}
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 40000U);

	t->now += 20 * (u64)NSEC_PER_SEC;
	mptun_cc_on_restart(&t->cc, t->now);
	mptun_bbr_test_latency(t, 45000);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 45000U);
}

/* A round trip: half of the samples are @low_us, half @high_us. */
static void mptun_bbr_test_mixed(struct mptun_bbr_test *t, u32 low_us,
				 u32 high_us)
{
	int i;

	for (i = 0; i < 8; i++) {
		mptun_bbr_test_latency(t, i % 2 ? low_us : high_us);
		mptun_bbr_test_ack(t, MPTUN_BBR_TEST_RTT_US / 8, 12500);
	}
}

/* The round-trip time under load is the smallest mean of a round trip that
 * had a quarter of the bandwidth at least, for two epochs of 5 s.
 */
static void mptun_bbr_test_base(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	int i;

	mptun_bbr_test_cruise(test);
	KUNIT_EXPECT_EQ(test, b->base_us, 40000U);
	for (i = 0; i < 300; i++)
		mptun_bbr_test_mixed(t, 45000, 75000);
	KUNIT_EXPECT_EQ(test, b->base_us, 60000U);
	KUNIT_EXPECT_EQ(test, mptun_bbr_bdp(&t->cc, MPTUN_BBR_TEST_BW, 100),
			MPTUN_BBR_TEST_BDP / 40 * 60);

	/* light round trips change it only after two epochs without others */
	t->sample.rate = MPTUN_BBR_TEST_BW / 4 - 1;
	t->sample.app_limited = true;
	for (i = 0; i < 120; i++)
		mptun_bbr_test_mixed(t, 40000, 40000);
	KUNIT_EXPECT_EQ(test, b->base_us, 60000U);
	for (i = 0; i < 120; i++)
		mptun_bbr_test_mixed(t, 40000, 40000);
	KUNIT_EXPECT_EQ(test, b->base_us, 40000U);
	/* what light round trips showed does not count under load */
	t->sample.rate = MPTUN_BBR_TEST_BW / 4;
	mptun_bbr_test_mixed(t, 45000, 45000);
	mptun_bbr_test_mixed(t, 45000, 45000);
	KUNIT_EXPECT_GE(test, b->base_us, 40001U);
	mptun_bbr_test_mixed(t, 35000, 55000);
	KUNIT_EXPECT_LE(test, b->base_us, 45000U);
}

/* Runs until PROBE_RTT begins, at most 500 round trips, which become longer. */
static u32 mptun_bbr_test_longer(struct mptun_bbr_test *t)
{
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 rounds;

	for (rounds = 0; rounds < 500; rounds++) {
		if (b->state == MPTUN_BBR_PROBE_RTT)
			break;
		t->rtt.latest_us += 100;
		mptun_bbr_test_rounds(t, 1);
	}
	return rounds;
}

/* A path that has less to send than it could keeps no queue: PROBE_RTT would
 * only take the window of its flows.
 */
static void mptun_bbr_test_spare(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 i;

	mptun_bbr_test_cruise(test);
	KUNIT_EXPECT_LT(test, mptun_bbr_test_longer(t), 500U);
	t->sample.app_limited = true;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 4;
	for (i = 0; i < 100 && b->state == MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, mptun_bbr_test_longer(t), 500U);
	t->sample.app_limited = false;
	KUNIT_EXPECT_LT(test, mptun_bbr_test_longer(t), 500U);
}

/* A probe that begins with a queue may build one above it.  Once that has
 * drained it may not.
 */
static void mptun_bbr_test_up_drained(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->rtt.latest_us = 60000;
	mptun_bbr_test_up(test);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP * 8 / 5;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->rtt.latest_us = 45000;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_LT(test, b->up_rtt_us, 60000U);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
}

static struct kunit_case mptun_bbr_rtt_cases[] = {
	KUNIT_CASE(mptun_bbr_test_base),
	KUNIT_CASE(mptun_bbr_test_no_queue),
	KUNIT_CASE(mptun_bbr_test_probe_rtt),
	KUNIT_CASE(mptun_bbr_test_seen),
	KUNIT_CASE(mptun_bbr_test_spare),
	KUNIT_CASE(mptun_bbr_test_up_drained),
	{}
};

static struct kunit_suite mptun_bbr_rtt_suite = {
	.name = "mptun_cc_bbr_rtt",
	.init = mptun_bbr_test_init,
	.test_cases = mptun_bbr_rtt_cases,
};

kunit_test_suite(mptun_bbr_rtt_suite);
