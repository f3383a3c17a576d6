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
	t->rtt.var_us = 7000;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 50000, 6999, 100));
	t->rtt.var_us = 0;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 50000, 4999, 100));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 3999, 39999, 100));
	/* half a round trip more than the jitter before it */
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 24998, 3));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 24998, 3));
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_wait_us(t, 4000, 24999, 3));
}

/* A short queue, which some load makes of jitter, takes four times as long. */
static void mptun_bbr_test_short(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_wait_us(t, 0, 0, 1);
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 19999, 4));
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 5000, 8));
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_wait_us(t, 4000, 5000, 1));
}

/* The smallest round trip may be that of one lucky packet: the queue is
 * compared with what the others take.
 */
static void mptun_bbr_test_lucky(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_wait_us(t, 0, 0, 1);
	t->rtt.srtt_us = 3 * MPTUN_BBR_TEST_RTT_US;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_wait_us(t, 4000, 39999, 4));
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_wait_us(t, 4000, 40000, 3));
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

/* After a round trip without one, there is too little to send, and yet a queue.
 */
static void mptun_bbr_test_light(struct mptun_bbr_test *t)
{
	t->sample.rate = MPTUN_BBR_TEST_BW;
	t->sample.app_limited = true;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 2;
	t->sample.burst_rate = 2 * MPTUN_BBR_TEST_BW;
	mptun_bbr_test_rounds(t, 1);
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 2;
}

/* What light traffic showed may not be the capacity: a probe follows the first
 * full round trip, but not the next ones.
 */
static void mptun_bbr_test_unsure(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_light(t);
	mptun_bbr_test_rounds(t, 6);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_TRUE(test, b->unsure);
	t->sample.app_limited = false;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	t->ack.in_flight = 2 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 3);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 2;
	mptun_bbr_test_rounds(t, 3);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
}

/* A short queue of light traffic may be jitter: startup begins again with the
 * first full round trip, and finds what the path carries.
 */
static void mptun_bbr_test_light_short(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	mptun_bbr_test_light(t);
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 4;
	for (i = 0; i < 20 && b->state != MPTUN_BBR_CRUISE; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
	/* bursts leave as fast as they have arrived, up to the gain of startup
	 */
	KUNIT_EXPECT_GE(test, t->cc.pacing_rate,
			19 * MPTUN_BBR_TEST_BW / 10);
	KUNIT_EXPECT_LE(test, t->cc.pacing_rate, 2 * MPTUN_BBR_TEST_BW);
	t->sample.burst_rate = 100 * MPTUN_BBR_TEST_BW;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_LE(test, t->cc.pacing_rate,
			28 * MPTUN_BBR_TEST_BW / 10);
	t->sample.app_limited = false;
	t->cc.cwnd = 100 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_LE(test, t->cc.cwnd,
			2 * t->ack.prior_in_flight + MPTUN_BBR_TEST_BDP);
	t->sample.rate = 20 * MPTUN_BBR_TEST_BW;
	t->ack.in_flight = 20 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 4);
	KUNIT_EXPECT_NE(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
	KUNIT_EXPECT_EQ(test, b->bw, 20 * MPTUN_BBR_TEST_BW);
}

/* If bursts arrive no faster than the traffic, it has shown the capacity, even
 * if that becomes clear only later: nothing begins again.
 */
static void mptun_bbr_test_light_known(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_light(t);
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 4;
	mptun_bbr_test_rounds(t, 20);
	KUNIT_ASSERT_FALSE(test, mptun_cc_found(&t->cc));
	t->sample.rate = 8 * MPTUN_BBR_TEST_BW / 5 - 1;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
	t->sample.rate++;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
	KUNIT_EXPECT_LE(test, t->cc.pacing_rate, 2 * MPTUN_BBR_TEST_BW);
	t->sample.app_limited = false;
	mptun_bbr_test_rounds(t, 2);
	KUNIT_EXPECT_TRUE(test, b->full_reached);
}

/* Passes through PROBE_RTT, with the present delays. */
static void mptun_bbr_test_probed(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	t->ack.in_flight = 2 * MPTUN_BBR_TEST_MSS;
	for (i = 0; i < 100 && b->state == MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_late(t, MPTUN_BBR_TEST_RTT_US,
				    MPTUN_BBR_TEST_BDP / 10);
	KUNIT_ASSERT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
}

/* A busy path whose link has become slower has shown what it carries. */
static void mptun_bbr_test_light_slower(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_light(t);
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 4;
	mptun_bbr_test_rounds(t, 20);
	KUNIT_ASSERT_TRUE(test, b->light);
	t->sample.rate = MPTUN_BBR_TEST_BW / 10;
	t->sample.tx_in_flight = MPTUN_BBR_TEST_BDP / 2;
	t->rtt.latest_us = 4 * MPTUN_BBR_TEST_RTT_US;
	t->ack.queue_us = 3 * MPTUN_BBR_TEST_RTT_US;
	mptun_bbr_test_rounds(t, 6);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_ASSERT_TRUE(test, b->light);
	t->rtt.latest_us = MPTUN_BBR_TEST_RTT_US;
	t->ack.queue_us = 0;
	mptun_bbr_test_probed(test);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_FALSE(test, b->light);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
}

/* So may be a longer one that every round trip has: jitter rises with load
 * where packets keep their order.
 */
static void mptun_bbr_test_light_jitter(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	t->ack.queue_us = 2 * MPTUN_BBR_TEST_RTT_US;
	mptun_bbr_test_light(t);
	t->ack.queue_us = 2 * MPTUN_BBR_TEST_RTT_US;
	mptun_bbr_test_rounds(t, 20);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
	t->sample.app_limited = false;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
}

/* The bandwidth of a path that had a low rate for long counts as unknown. */
static void mptun_bbr_test_neglect(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_cc_on_neglect(&t->cc);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	mptun_bbr_test_cruise(test);
	KUNIT_ASSERT_TRUE(test, mptun_cc_found(&t->cc));
	t->cc.cwnd = 100 * MPTUN_BBR_TEST_BDP;
	mptun_cc_on_neglect(&t->cc);
	KUNIT_EXPECT_FALSE(test, mptun_cc_found(&t->cc));
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd,
			t->cc.mss * MPTUN_CC_INITIAL_PACKETS);
	KUNIT_EXPECT_EQ(test, b->prior_cwnd, t->cc.cwnd);
	/* It carries as much as before. */
	mptun_bbr_test_rounds(t, 4);
	KUNIT_EXPECT_NE(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_TRUE(test, mptun_cc_found(&t->cc));
}

/* Round trips until the next probe. */
static u32 mptun_bbr_test_until_probe(struct mptun_bbr_test *t)
{
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 rounds;

	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 2;
	for (rounds = 0; b->state != MPTUN_BBR_REFILL && rounds < 99; rounds++)
		mptun_bbr_test_rounds(t, 1);
	while (b->state == MPTUN_BBR_REFILL)
		mptun_bbr_test_rounds(t, 1);
	t->ack.in_flight = 2 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 2);
	return rounds;
}

/* Bandwidth that has changed may do so again: probes follow soon, and then less
 * and less often.
 */
static void mptun_bbr_test_changed(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 before = 0, rounds;
	unsigned int i;

	mptun_bbr_test_cruise(test);
	KUNIT_EXPECT_EQ(test, b->changed_ns, 0);
	mptun_bbr_test_up(test);
	t->sample.rate = b->bw * 5 / 4;
	t->ack.in_flight = 10 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 1);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->changed_ns, t->now);
	for (i = 0; i < 10; i++) {
		rounds = mptun_bbr_test_until_probe(t);
		kunit_info(test, "%u round trips\n", rounds);
		if (i < 3)
			KUNIT_EXPECT_LE(test, rounds, 10U);
		if (rounds >= 50)
			break;
		KUNIT_EXPECT_GE(test, rounds, before);
		before = rounds;
	}
	KUNIT_EXPECT_GE(test, rounds, 50U);
}

/* A probe of a path with too little to send proves nothing, so the next one
 * follows the next full round trip.
 */
static void mptun_bbr_test_probe_limited(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	bool limited;

	mptun_bbr_test_cruise(test);
	for (limited = true;; limited = false) {
		mptun_bbr_test_up(test);
		t->sample.app_limited = limited;
		t->ack.in_flight = 2 * MPTUN_BBR_TEST_BDP;
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
		t->ack.in_flight = MPTUN_BBR_TEST_BDP / 2;
		mptun_bbr_test_rounds(t, 5);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
		if (!limited)
			break;
		t->sample.app_limited = false;
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	}
}

/* That counts from the end of startup on. */
static void mptun_bbr_test_unsure_first(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	mptun_bbr_test_light(t);
	for (i = 0; i < 10 && !b->full_reached; i++)
		mptun_bbr_test_rounds(t, 1);
	t->sample.app_limited = false;
	mptun_bbr_test_rounds(t, 3);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
}

/* PROBE_RTT leaves the path idle on purpose, so no probe follows at once. */
static void mptun_bbr_test_probe_rtt_limited(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	mptun_bbr_test_cruise(test);
	t->rtt.latest_us += 20000;
	for (i = 0; i < 500 && b->state != MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	t->sample.app_limited = true;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 4;
	for (i = 0; i < 500 && b->state == MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	mptun_bbr_test_rounds(t, 1);
	t->sample.app_limited = false;
	mptun_bbr_test_rounds(t, 3);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
}

/* Half of what the path holds is in flight, and a tenth of its rate arrives. */
static void mptun_bbr_test_tenth(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_cruise(test);
	t->sample.app_limited = true;
	t->sample.rate = MPTUN_BBR_TEST_BW / 10;
	t->sample.tx_in_flight = MPTUN_BBR_TEST_BDP / 2;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP / 2;
}

/* Lightly loaded, and nothing measures a round trip: one-way delays rise by
 * three round-trip times, until PROBE_RTT begins.
 */
static void mptun_bbr_test_rise(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	mptun_bbr_test_tenth(test);
	t->ack.queue_us = 3 * MPTUN_BBR_TEST_RTT_US;
	for (i = 0; i < 6; i++)
		mptun_bbr_test_late(t, MPTUN_BBR_TEST_RTT_US,
				    MPTUN_BBR_TEST_BDP / 10);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, b->step_bw, MPTUN_BBR_TEST_BW / 10);
}

/* A link becomes slower while flows that wait for it have little to send: a
 * queue in our direction proves that it is busy, also where nothing measures a
 * round trip.
 */
static void mptun_bbr_test_slower_limited(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_tenth(test);
	t->rtt.latest_us = 4 * MPTUN_BBR_TEST_RTT_US;
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 4;
	mptun_bbr_test_rounds(t, 2);
	KUNIT_EXPECT_EQ(test, b->slower_ns, 0);
	t->ack.queue_us = 3 * MPTUN_BBR_TEST_RTT_US;
	mptun_bbr_test_late(t, MPTUN_BBR_TEST_RTT_US, MPTUN_BBR_TEST_BDP / 10);
	KUNIT_EXPECT_NE(test, b->slower_ns, 0);
	t->ack.queue_us = 0;
	mptun_bbr_test_late(t, MPTUN_BBR_TEST_RTT_US, MPTUN_BBR_TEST_BDP / 10);
	KUNIT_EXPECT_EQ(test, b->slower_ns, 0);
}

/* With little in flight the delay is as before: the link has become slower. */
static void mptun_bbr_test_slower_probed(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_rise(test);
	t->ack.queue_us = 0;
	mptun_bbr_test_probed(test);
	KUNIT_EXPECT_EQ(test, b->max_bw[0], MPTUN_BBR_TEST_BW / 10);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, MPTUN_BBR_TEST_RTT_US);
}

/* Round trips that rise without a queue in our direction, beside a download, do
 * not show a slower link: what acknowledgments need is not what it carries.
 */
static void mptun_bbr_test_back_limited(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	unsigned int i;

	mptun_bbr_test_tenth(test);
	t->rtt.latest_us = 4 * MPTUN_BBR_TEST_RTT_US;
	for (i = 0; i < 20 && b->state != MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	t->rtt.latest_us = MPTUN_BBR_TEST_RTT_US;
	t->ack.in_flight = 2 * MPTUN_BBR_TEST_MSS;
	for (i = 0; i < 100 && b->state == MPTUN_BBR_PROBE_RTT; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, max(b->max_bw[0], b->max_bw[1]),
			MPTUN_BBR_TEST_BW);
}

/* It stays: the route is longer, and the bandwidth counts as before. */
static void mptun_bbr_test_longer_probed(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_rise(test);
	mptun_bbr_test_probed(test);
	KUNIT_EXPECT_EQ(test, max(b->max_bw[0], b->max_bw[1]),
			MPTUN_BBR_TEST_BW);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 4 * MPTUN_BBR_TEST_RTT_US);
}

/* A queue on the way back grows at once.  Reports over other paths are first,
 * so only every fifth acknowledgment measures a round trip, and the smoothed
 * one follows slowly.  The link is as fast as before, though the forward delay
 * is small.
 */
static void mptun_bbr_test_back_probed(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	bool probed = false;
	unsigned int i;

	mptun_bbr_test_tenth(test);
	t->rtt.latest_us = 4 * MPTUN_BBR_TEST_RTT_US;
	for (i = 0; i < 200 && !(probed && b->state != MPTUN_BBR_PROBE_RTT);
	     i++) {
		if (b->state == MPTUN_BBR_PROBE_RTT) {
			t->ack.in_flight = 2 * MPTUN_BBR_TEST_MSS;
			probed = true;
		}
		if (i < 5 || i % 5 == 4)
			mptun_cc_on_rtt(&t->cc, &t->rtt);
		mptun_bbr_test_late(t, MPTUN_BBR_TEST_RTT_US,
				    MPTUN_BBR_TEST_BDP / 10);
	}
	KUNIT_ASSERT_TRUE(test, probed);
	KUNIT_ASSERT_NE(test, b->state, MPTUN_BBR_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, max(b->max_bw[0], b->max_bw[1]),
			MPTUN_BBR_TEST_BW);
	KUNIT_EXPECT_EQ(test, b->min_rtt_us, 4 * MPTUN_BBR_TEST_RTT_US);
}

static struct kunit_case mptun_bbr_limited_cases[] = {
	KUNIT_CASE(mptun_bbr_test_slower_limited),
	KUNIT_CASE(mptun_bbr_test_slower_probed),
	KUNIT_CASE(mptun_bbr_test_back_limited),
	KUNIT_CASE(mptun_bbr_test_longer_probed),
	KUNIT_CASE(mptun_bbr_test_back_probed),
	KUNIT_CASE(mptun_bbr_test_unsure_first),
	KUNIT_CASE(mptun_bbr_test_probe_rtt_limited),
	KUNIT_CASE(mptun_bbr_test_changed),
	KUNIT_CASE(mptun_bbr_test_unsure),
	KUNIT_CASE(mptun_bbr_test_light_short),
	KUNIT_CASE(mptun_bbr_test_light_known),
	KUNIT_CASE(mptun_bbr_test_light_slower),
	KUNIT_CASE(mptun_bbr_test_light_jitter),
	KUNIT_CASE(mptun_bbr_test_neglect),
	KUNIT_CASE(mptun_bbr_test_probe_limited),
	KUNIT_CASE(mptun_bbr_test_jitter),
	KUNIT_CASE(mptun_bbr_test_short),
	KUNIT_CASE(mptun_bbr_test_lucky),
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
