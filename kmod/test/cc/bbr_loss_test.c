// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion controller "bbr": losses and marks.
 */
#include "test/cc/bbr_frame.h"

static bool mptun_bbr_test_too_high(struct mptun_bbr_test *t)
{
	t->sample.lost_packets = t->sample.lost / t->packet;
	return mptun_bbr_too_high(mptun_bbr_test_priv(t), &t->sample);
}

/* Many losses over a whole round trip end startup; if they prove spurious it
 * continues.
 */
static void mptun_bbr_test_startup_loss(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	int i;

	mptun_bbr_test_startup(t);
	t->sample.lost = 10000;
	t->ack.in_flight = 300000;
	/* one report of losses is a burst */
	mptun_bbr_test_lose(t, 10, false);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	for (i = 0; i < 6; i++)
		mptun_bbr_test_lose(t, 2, false);
	t->sample.rate = MPTUN_BBR_TEST_BW * 2;
	t->sample.delivered = MPTUN_BBR_TEST_BDP * 3;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DRAIN);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 3 * MPTUN_BBR_TEST_BDP);

	t->sample.lost = 0;
	mptun_bbr_test_spurious(t, 11);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DRAIN);
	mptun_bbr_test_spurious(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_FALSE(test, b->full_reached);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, MPTUN_BBR_NO_LIMIT);
}

/* A report that gives no sample. */
static void mptun_bbr_test_no_sample(struct mptun_bbr_test *t)
{
	t->ack.sample = NULL;
	mptun_cc_on_ack(&t->cc, &t->ack);
}

/* A startup that loses too much paces at the bandwidth until it loses less. */
static void mptun_bbr_test_startup_pace(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u64 before;

	mptun_bbr_test_startup(t);
	before = t->cc.pacing_rate;
	KUNIT_EXPECT_GT(test, before, 3 * MPTUN_BBR_TEST_BW);
	t->sample.tx_in_flight = 2 * MPTUN_BBR_TEST_BDP;
	t->sample.lost = 4000;
	mptun_bbr_test_ack(t, 5000, 1000);
	KUNIT_EXPECT_GE(test, t->cc.pacing_rate, before);
	t->sample.lost = 10000;
	mptun_bbr_test_ack(t, 5000, 1000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			div_u64(MPTUN_BBR_TEST_BW * 99, 100));
	mptun_bbr_test_no_sample(t);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			div_u64(MPTUN_BBR_TEST_BW * 99, 100));
	t->sample.lost = 0;
	mptun_bbr_test_ack(t, 5000, 1000);
	KUNIT_EXPECT_GE(test, t->cc.pacing_rate, before);
}

/* Excessive loss ends a probe and bounds the bytes in flight, with headroom for
 * others.  The next probe is careful, and another one follows.
 */
static void mptun_bbr_test_longterm(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->sample.tx_in_flight = 110000;
	t->sample.lost = 2200;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, MPTUN_BBR_NO_LIMIT);
	t->sample.lost = 2201;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 110000U);
	KUNIT_EXPECT_LE(test, t->cc.cwnd, 110000U);

	/* once per probe */
	t->sample.tx_in_flight = 90000;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 110000U);
	t->sample.lost = 0;
	t->ack.in_flight = 93501;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	t->ack.in_flight = 93500;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 93500U);

	t->ack.in_flight = 80000;
	mptun_bbr_test_up(test);
	t->ack.in_flight = 97000;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	mptun_bbr_test_ack(t, 5000, 12001);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_TRUE(test, b->prev_careful);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
}

/* An application-limited probe sets no bound. */
static void mptun_bbr_test_longterm_app(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->sample.lost = 10000;
	t->sample.app_limited = true;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP + 1;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, MPTUN_BBR_NO_LIMIT);
}

/* The bound is never far below the BDP, and single packets do not set one. */
static void mptun_bbr_test_few(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->sample.tx_in_flight = 20000;
	t->sample.lost = 2 * MPTUN_BBR_TEST_MSS;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->sample.lost++;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm,
			MPTUN_BBR_TEST_BDP * 7 / 10);
}

/* Losses are counted in packets: small ones may be most of a round trip. */
static void mptun_bbr_test_small(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->packet = 100;
	t->sample.tx_in_flight = 5000;
	t->sample.lost = 2 * t->packet;
	mptun_bbr_test_ack(t, 5000, 3000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->sample.lost++;
	mptun_bbr_test_ack(t, 5000, 3000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
}

/* A probe that fills the bound without losses raises it by 1, 2, 4 packets. */
static void mptun_bbr_test_raise(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 before, rounds;
	int i;

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->sample.lost = 5000;
	mptun_bbr_test_rounds(t, 1);
	t->sample.lost = 0;
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 100000U);
	t->ack.in_flight = 70000;
	/* careful first, then another one */
	mptun_bbr_test_up(test);
	t->ack.in_flight = 100000;
	mptun_bbr_test_rounds(t, 2);
	t->ack.in_flight = 95000;
	mptun_bbr_test_up(test);
	t->ack.window_limited = true;
	before = b->inflight_longterm;
	rounds = b->up_rounds;
	for (i = 0; i < 4 * 8; i++) {
		mptun_bbr_test_ack(t, 5000, 12500);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	}
	KUNIT_EXPECT_EQ(test, b->up_rounds, rounds + 4);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, before + 15000);
}

/* Outside of probes losses bound the path to what was delivered, at least 0.7
 * of it, until the next probe.
 */
static void mptun_bbr_test_shortterm(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 cwnd;

	mptun_bbr_test_cruise(test);
	cwnd = t->cc.cwnd;
	mptun_bbr_test_lose(t, 1, false);
	t->sample.lost = 1000;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, cwnd);

	t->sample.rate = MPTUN_BBR_TEST_BW * 4 / 5;
	t->sample.delivered = MPTUN_BBR_TEST_BDP * 4 / 5;
	mptun_bbr_test_rounds(t, 2);
	mptun_bbr_test_lose(t, 5, false);
	t->sample.lost = 5000;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW * 4 / 5);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, cwnd * 7 / 10);
	t->sample.rate = MPTUN_BBR_TEST_BW / 5;
	t->sample.delivered = MPTUN_BBR_TEST_BDP / 5;
	mptun_bbr_test_rounds(t, 1);
	mptun_bbr_test_lose(t, 5, false);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW * 4 / 5 * 7 / 10);
	KUNIT_EXPECT_EQ(test, mptun_bbr_max_bw(b), MPTUN_BBR_TEST_BW);

	t->sample.lost = 0;
	t->ack.in_flight = 10000;
	mptun_bbr_test_up(test);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW);
	KUNIT_EXPECT_EQ(test, b->inflight_shortterm, MPTUN_BBR_NO_LIMIT);
}

/* What a path always loses is no excessive loss, but more than that is.  It
 * takes longer than a moment to learn, and is forgotten.
 */
static void mptun_bbr_test_usual(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->sample.lost = 8000;
	mptun_bbr_test_rounds(t, 4);
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_too_high(t));
	mptun_bbr_test_rounds(t, 200);
	KUNIT_EXPECT_GT(test, b->loss_mean, 7 * 65536U / 100);
	KUNIT_EXPECT_LT(test, b->loss_mean, 9 * 65536U / 100);
	t->sample.lost = 9000;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_too_high(t));
	t->sample.lost = 12000;
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_too_high(t));
	t->sample.lost = 0;
	mptun_bbr_test_rounds(t, 100);
	t->sample.lost = 3000;
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_too_high(t));
}

/* However much a path loses, a policer's loss of a probe is excessive. */
static void mptun_bbr_test_usual_most(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;

	mptun_bbr_test_cruise(test);
	t->sample.lost = 40000;
	t->ack.in_flight = 10000;
	mptun_bbr_test_rounds(t, 400);
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_too_high(t));
	t->sample.lost = 16000;
	KUNIT_EXPECT_FALSE(test, mptun_bbr_test_too_high(t));
	t->sample.lost = 19000;
	KUNIT_EXPECT_TRUE(test, mptun_bbr_test_too_high(t));
}

/* Losses with a queue or of a probe are not usual. */
static void mptun_bbr_test_unusual(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	struct mptun_rtt idle = t->rtt;

	mptun_bbr_test_cruise(test);
	t->sample.lost = 1500;
	t->rtt.latest_us = MPTUN_BBR_TEST_RTT_US * 2;
	mptun_bbr_test_rounds(t, 1);
	t->rtt = idle;
	t->ack.queue_us = MPTUN_BBR_TEST_RTT_US / 5;
	mptun_bbr_test_rounds(t, 2);
	t->ack.queue_us = 0;
	KUNIT_EXPECT_EQ(test, b->loss_mean, 0);

	t->sample.lost = 0;
	mptun_bbr_test_up(test);
	t->sample.lost = 8000;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->loss_mean, 0);
	KUNIT_EXPECT_EQ(test, b->loss_dev, 0);
}

/* Few packets are no share: 50 of several round trips are. */
static void mptun_bbr_test_usual_few(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->sample.tx_in_flight = 20000;
	t->sample.lost = 1000;
	mptun_bbr_test_rounds(t, 1);
	t->sample.lost = 0;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->loss_mean, 0);
	mptun_bbr_test_rounds(t, 1);
	/* an eighth of a sixtieth */
	KUNIT_EXPECT_EQ(test, b->loss_mean, 65536U / 60 / 8);
}

/* A mark is excessive loss, once per round trip. */
static void mptun_bbr_test_ce(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	t->ack.ce = 1;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_TRUE(test, b->full_reached);
	t->ack.ce = 0;
	mptun_cc_reset(&t->cc, MPTUN_BBR_TEST_MSS);
	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->ack.ce = 1;
	t->ack.in_flight = 90000;
	mptun_bbr_test_ack(t, 5000, 20000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 110000U * 7 / 10);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 77000U);
	t->sample.tx_in_flight = 0;
	mptun_bbr_test_ack(t, 5000, 20000);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 77000U);
	mptun_bbr_test_lose(t, 2, false);
	mptun_bbr_test_ack(t, 40001, 20000);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 53900U);
	/* spurious losses do not undo it */
	t->ack.ce = 0;
	mptun_bbr_test_spurious(t, 2);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, 53900U);
}

/* Persistent congestion: one packet at a time until one is acknowledged. */
static void mptun_bbr_test_persistent(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	u32 cwnd;

	mptun_bbr_test_cruise(test);
	cwnd = t->cc.cwnd;
	t->ack.in_flight = 3000;
	mptun_bbr_test_lose(t, 50, true);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 4000U);
	/* sent before */
	mptun_bbr_test_ack(t, 20000, 1000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 5000U);
	mptun_bbr_test_ack(t, 21000, 1000);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, cwnd * 7 / 10);
}

/* A probe that spurious losses ended restarts. */
static void mptun_bbr_test_undo(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	t->sample.lost = 4000;
	mptun_bbr_test_ack(t, 5000, 12000);
	mptun_bbr_test_lose(t, 4, false);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	t->sample.lost = 0;
	t->ack.in_flight = 95000;
	mptun_bbr_test_spurious(t, 3);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	mptun_bbr_test_spurious(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	KUNIT_EXPECT_EQ(test, b->inflight_longterm, MPTUN_BBR_NO_LIMIT);
}

static struct kunit_case mptun_bbr_loss_cases[] = {
	KUNIT_CASE(mptun_bbr_test_startup_loss),
	KUNIT_CASE(mptun_bbr_test_startup_pace),
	KUNIT_CASE(mptun_bbr_test_longterm),
	KUNIT_CASE(mptun_bbr_test_longterm_app),
	KUNIT_CASE(mptun_bbr_test_few),
	KUNIT_CASE(mptun_bbr_test_small),
	KUNIT_CASE(mptun_bbr_test_raise),
	KUNIT_CASE(mptun_bbr_test_shortterm),
	KUNIT_CASE(mptun_bbr_test_usual),
	KUNIT_CASE(mptun_bbr_test_usual_most),
	KUNIT_CASE(mptun_bbr_test_unusual),
	KUNIT_CASE(mptun_bbr_test_usual_few),
	KUNIT_CASE(mptun_bbr_test_ce),
	KUNIT_CASE(mptun_bbr_test_persistent),
	KUNIT_CASE(mptun_bbr_test_undo),
	{}
};

static struct kunit_suite mptun_bbr_loss_suite = {
	.name = "mptun_cc_bbr_loss",
	.init = mptun_bbr_test_init,
	.test_cases = mptun_bbr_loss_cases,
};

kunit_test_suite(mptun_bbr_loss_suite);
