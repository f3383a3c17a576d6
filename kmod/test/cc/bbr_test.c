// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of congestion controller "bbr", step by step. test/cc/sim_bbr_test.c
 * runs it over a simulated link.
 */
#include <linux/prandom.h>

#include "test/cc/bbr_frame.h"

#include "cc/bbr.h"

int mptun_bbr_test_init(struct kunit *test)
{
	struct mptun_bbr_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = MPTUN_BBR_TEST_START;
	mptun_rtt_init(&t->rtt);
	mptun_rtt_sample(&t->rtt, MPTUN_BBR_TEST_RTT_US, 0, t->now);
	t->rtt.var_us = 0;
	t->sample.rate = MPTUN_BBR_TEST_BW;
	t->sample.delivered = MPTUN_BBR_TEST_BDP;
	t->sample.tx_in_flight = MPTUN_BBR_TEST_BDP;
	t->ack.in_flight = MPTUN_BBR_TEST_BDP;
	KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc, "bbr"), 0);
	mptun_cc_reset(&t->cc, MPTUN_BBR_TEST_MSS);
	t->packet = MPTUN_BBR_TEST_MSS;
	test->priv = t;
	return 0;
}

/* After @us, acknowledges packets sent a round trip ago. */
void mptun_bbr_test_ack(struct mptun_bbr_test *t, u32 us, u32 bytes)
{
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	mptun_bbr_test_late(t, us, bytes);
}

/* One that another path has reported before, which measures no round trip. */
void mptun_bbr_test_late(struct mptun_bbr_test *t, u32 us, u32 bytes)
{
	t->now += us * (u64)NSEC_PER_USEC;
	t->ack.now = t->now;
	t->ack.newest_sent_ns = t->now -
				MPTUN_BBR_TEST_RTT_US * (u64)NSEC_PER_USEC;
	t->ack.bytes = bytes;
	t->ack.packets = bytes / t->packet;
	t->ack.prior_in_flight = t->ack.in_flight + min(bytes, 20000U);
	t->ack.rtt = &t->rtt;
	t->sample.lost_packets = t->sample.lost / t->packet +
				 !!(t->sample.lost % t->packet);
	t->ack.sample = &t->sample;
	mptun_cc_on_ack(&t->cc, &t->ack);
}

/* Round trips at the rate of the sample, one acknowledgment each. */
void mptun_bbr_test_rounds(struct mptun_bbr_test *t, unsigned int n)
{
	while (n--)
		mptun_bbr_test_ack(t, MPTUN_BBR_TEST_RTT_US,
				   div_u64(t->sample.rate *
					   MPTUN_BBR_TEST_RTT_US,
					   USEC_PER_SEC));
}

void mptun_bbr_test_lose(struct mptun_bbr_test *t, u32 packets, bool persistent)
{
	struct mptun_cc_loss loss = {
		.now = t->now,
		.newest_sent_ns = t->now - NSEC_PER_MSEC,
		.bytes = packets * MPTUN_BBR_TEST_MSS,
		.packets = packets,
		.in_flight = t->ack.in_flight,
		.persistent = persistent,
		.rtt = &t->rtt,
	};

	mptun_cc_on_loss(&t->cc, &loss);
}

/* Acknowledges packets that had been declared lost. */
void mptun_bbr_test_spurious(struct mptun_bbr_test *t, u32 packets)
{
	t->ack.spurious = packets;
	mptun_bbr_test_ack(t, 1, 0);
	t->ack.spurious = 0;
}

void mptun_bbr_test_startup(struct mptun_bbr_test *t)
{
	for (t->sample.rate = MPTUN_BBR_TEST_BW / 8;
	     t->sample.rate <= MPTUN_BBR_TEST_BW; t->sample.rate *= 2)
		mptun_bbr_test_rounds(t, 1);
	t->sample.rate = MPTUN_BBR_TEST_BW;
}

/* Passes through STARTUP and DRAIN to CRUISE. */
void mptun_bbr_test_cruise(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	int i;

	mptun_bbr_test_startup(t);
	for (i = 0; i < 5; i++)
		mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, mptun_bbr_test_priv(t)->state,
			MPTUN_BBR_CRUISE);
}

/* Continues to a probe whose packets are being acknowledged. */
void mptun_bbr_test_up(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	int i;

	for (i = 0; i < 80; i++) {
		if (mptun_bbr_test_priv(t)->state == MPTUN_BBR_UP)
			break;
		mptun_bbr_test_rounds(t, 1);
	}
	KUNIT_ASSERT_EQ(test, mptun_bbr_test_priv(t)->state, MPTUN_BBR_UP);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_ASSERT_EQ(test, mptun_bbr_test_priv(t)->acks,
			MPTUN_BBR_ACKS_FEEDBACK);
}

/* @percent of the bandwidth, less the margin. */
static u64 mptun_bbr_test_pace(u64 bw, u32 percent)
{
	return div_u64(bw * percent * 99, 10000);
}

static void mptun_bbr_test_begin(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 10000U);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 0ULL);
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 250000ULL * 277 / 100);
	/* no sample yet: the window doubles once */
	t->ack.in_flight = 0;
	t->sample = (struct mptun_rate_sample){ .app_limited = true };
	mptun_bbr_test_ack(t, 40000, 10000);
	KUNIT_EXPECT_EQ(test, b->bw, 0ULL);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 20000U);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 250000ULL * 277 / 100);
	mptun_bbr_test_ack(t, 40000, 20000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 20000U);
	/* startup never goes slower */
	t->sample.rate = 1000;
	mptun_bbr_test_ack(t, 40000, 1000);
	KUNIT_EXPECT_EQ(test, b->bw, 1000ULL);
	/* a window in a quarter of the round trip */
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 20000ULL * 100);
}

/* Startup sends its window within 50 ms even if the round trip is longer. */
static void mptun_bbr_test_long(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	t->rtt.latest_us = 200000;
	t->rtt.min_us = 200000;
	t->rtt.srtt_us = 200000;
	mptun_cc_on_rtt(&t->cc, &t->rtt);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 50000ULL * 277 / 100);
	t->ack.in_flight = 0;
	t->sample = (struct mptun_rate_sample){
		.app_limited = true,
		.rate = 50000,
	};
	mptun_bbr_test_ack(t, 200000, 10000);
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, 20000U);
	mptun_bbr_test_ack(t, 200000, 10000);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 20000ULL * 20);
	t->sample.app_limited = false;
	while (!b->full_reached)
		mptun_bbr_test_ack(t, 200000, 10000);
	KUNIT_EXPECT_LE(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(50000, 100));
}

/* The rate follows the bandwidth.  Startup ends after three round trips without
 * growth, unless application-limited.
 */
static void mptun_bbr_test_full(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_startup(t);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW);
	KUNIT_EXPECT_EQ(test, b->rounds, 4U);
	/* of the window before the last acknowledgment */
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			(t->cc.cwnd - 100000) * 100ULL);
	t->sample.app_limited = true;
	t->sample.rate /= 2;
	mptun_bbr_test_rounds(t, 10);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, t->cc.cwnd * 100ULL);
	t->sample.app_limited = false;
	t->sample.rate = MPTUN_BBR_TEST_BW * 5 / 4 - 1;
	mptun_bbr_test_rounds(t, 2);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	/* a quarter more restarts the count */
	t->sample.rate++;
	mptun_bbr_test_rounds(t, 3);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_STARTUP);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh, MPTUN_CC_SSTHRESH_NONE);
	KUNIT_EXPECT_EQ(test, t->cc.bw, 0);
	KUNIT_EXPECT_EQ(test, t->cc.shown, b->bw);
	t->ack.in_flight = 300000;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DRAIN);
	KUNIT_EXPECT_EQ(test, t->cc.bw, b->bw);
	KUNIT_EXPECT_EQ(test, t->cc.ssthresh,
			mptun_bbr_bdp(&t->cc, b->bw, 100));
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(b->bw, 50));
}

/* Within a round trip nothing is counted. */
static void mptun_bbr_test_round(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	int i;

	mptun_bbr_test_rounds(t, 1);
	for (i = 0; i < 7; i++) {
		mptun_bbr_test_ack(t, 5000, 12000);
		KUNIT_EXPECT_EQ(test, b->rounds, 1U);
	}
	KUNIT_EXPECT_EQ(test, b->full_rounds, 0);
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->rounds, 2U);
	KUNIT_EXPECT_EQ(test, b->full_rounds, 1);
}

/* DRAIN ends when at most a BDP is in flight, or by time. */
static void mptun_bbr_test_drain(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_startup(t);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP + 1;
	mptun_bbr_test_rounds(t, 6);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DRAIN);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(MPTUN_BBR_TEST_BW, 90));
	t->ack.in_flight = MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_ack(t, 5000, 10000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(MPTUN_BBR_TEST_BW, 100));
	KUNIT_EXPECT_GE(test, t->cc.cwnd, 2 * MPTUN_BBR_TEST_BDP);
}

/* A bandwidth probe comes after 2 to 3 s, fills the path first, and ends with
 * the queue that it builds.
 */
static void mptun_bbr_test_probe(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u64 from;
	int i;

	/* long enough that round trips do not count */
	mptun_bbr_test_cruise(test);
	from = b->cycle_ns;
	KUNIT_EXPECT_GE(test, b->wait_ns, 2 * (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_LT(test, b->wait_ns, 3 * (u64)NSEC_PER_SEC);
	for (i = 0; i < 75 && b->state == MPTUN_BBR_CRUISE; i++) {
		mptun_bbr_test_rounds(t, 1);
		if (t->now <= from + b->wait_ns && b->probe_rounds < 63)
			KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	}
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(MPTUN_BBR_TEST_BW, 100));
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	mptun_bbr_test_ack(t, 35000, 88000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(MPTUN_BBR_TEST_BW, 125));

	/* none of it has been acknowledged yet */
	t->ack.in_flight = 2 * MPTUN_BBR_TEST_BDP;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP * 6 / 5;
	mptun_bbr_test_ack(t, 35000, 88000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->ack.in_flight += 2 * MPTUN_BBR_TEST_MSS + 1;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
}

/* On a long path the time expires before the round trips do. */
static void mptun_bbr_test_wait(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->now = b->cycle_ns;
	mptun_bbr_test_ack(t, 1999999, 100000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	mptun_bbr_test_ack(t, 1000001, 100000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
}

/* More bandwidth keeps a probe going; none for three round trips ends it. */
static void mptun_bbr_test_more(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	int i;

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	for (i = 0; i < 6; i++) {
		t->sample.rate = t->sample.rate * 5 / 4;
		t->ack.in_flight = t->ack.in_flight * 5 / 4;
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	}
	KUNIT_EXPECT_EQ(test, b->bw, t->sample.rate);
	mptun_bbr_test_rounds(t, 2);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
}

/* A probe that found a sixteenth more is followed by the next one at once. */
static void mptun_bbr_test_grown(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 percent;

	mptun_bbr_test_cruise(test);
	for (percent = 106; percent <= 107; percent++) {
		mptun_bbr_test_up(test);
		t->sample.rate = div_u64(b->bw * percent, 100);
		t->ack.in_flight = 10 * MPTUN_BBR_TEST_BDP;
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
		t->ack.in_flight = MPTUN_BBR_TEST_BDP;
		mptun_bbr_test_rounds(t, 1);
		KUNIT_EXPECT_EQ(test, b->state, percent == 107 ?
				MPTUN_BBR_REFILL : MPTUN_BBR_CRUISE);
	}
}

/* The queue that a probe may build is above what the path had before it, where
 * jitter makes round trips longer under load.
 */
static void mptun_bbr_test_up_rtt(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->rtt.latest_us = 60000;
	mptun_bbr_test_up(test);
	KUNIT_EXPECT_EQ(test, b->base_us, 40000U);
	KUNIT_EXPECT_EQ(test, b->up_rtt_us, 60000U);
	t->ack.in_flight = MPTUN_BBR_TEST_BDP * 9 / 5;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_UP);
	t->ack.in_flight += 2 * MPTUN_BBR_TEST_MSS + 1;
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_DOWN);
}

/* A path that holds few packets is probed after as many round trips. */
static void mptun_bbr_test_reno(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 rounds = 0;

	mptun_bbr_test_cruise(test);
	t->cc.mss = 10000;
	while (b->state == MPTUN_BBR_CRUISE && rounds < 100) {
		mptun_bbr_test_rounds(t, 1);
		rounds++;
	}
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_REFILL);
	KUNIT_EXPECT_GE(test, rounds, 7U);
	KUNIT_EXPECT_LE(test, rounds, 10U);
}

/* Bandwidth samples expire after two probes, but not while application-limited;
 * then only larger ones count.
 */
static void mptun_bbr_test_forget(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);

	mptun_bbr_test_cruise(test);
	t->sample.rate = MPTUN_BBR_TEST_BW / 10;
	t->sample.app_limited = true;
	mptun_bbr_test_rounds(t, 500);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW);
	t->sample.rate = MPTUN_BBR_TEST_BW + 1;
	mptun_bbr_test_rounds(t, 1);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW + 1);

	t->sample.rate = MPTUN_BBR_TEST_BW / 2;
	t->sample.app_limited = false;
	t->ack.in_flight = 10000;
	mptun_bbr_test_rounds(t, 30);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW + 1);
	mptun_bbr_test_rounds(t, 200);
	KUNIT_EXPECT_EQ(test, b->bw, MPTUN_BBR_TEST_BW / 2);
}

/* After an idle time the path is refilled at its bandwidth, not faster. */
static void mptun_bbr_test_restart(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u32 cwnd;

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_up(test);
	cwnd = t->cc.cwnd;
	mptun_cc_on_restart(&t->cc, t->now + NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate,
			mptun_bbr_test_pace(MPTUN_BBR_TEST_BW, 100));
	KUNIT_EXPECT_EQ(test, t->cc.cwnd, cwnd);

	/* it ends PROBE_RTT */
	t->rtt.latest_us = 60000;
	t->ack.in_flight = 10000;
	mptun_bbr_test_rounds(t, 127);
	KUNIT_ASSERT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	mptun_bbr_test_rounds(t, 1);
	mptun_cc_on_restart(&t->cc, t->now + 100 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_PROBE_RTT);
	mptun_cc_on_restart(&t->cc, t->now + 300 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, b->state, MPTUN_BBR_CRUISE);
	KUNIT_EXPECT_FALSE(test, t->cc.held);
}

/* A configured rate is an upper limit only. */
static void mptun_bbr_test_rate(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	u64 pacing;

	mptun_bbr_test_cruise(test);
	pacing = t->cc.pacing_rate;
	mptun_cc_set_rate(&t->cc, 1000000);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1000000ULL);
	mptun_bbr_test_ack(t, 5000, 12000);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, 1000000ULL);
	mptun_cc_set_rate(&t->cc, 0);
	KUNIT_EXPECT_EQ(test, t->cc.pacing_rate, pacing);
}

/* With batched acknowledgments the window grows by a batch. */
static void mptun_bbr_test_extra(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	u32 cwnd, i;

	mptun_bbr_test_cruise(test);
	mptun_bbr_test_ack(t, 80000, 1000);
	for (i = 0; i < 120; i++)
		mptun_bbr_test_ack(t, 5000, 12500);
	cwnd = t->cc.cwnd;
	KUNIT_EXPECT_GE(test, cwnd, 2 * MPTUN_BBR_TEST_BDP);
	KUNIT_EXPECT_LE(test, cwnd, 2 * MPTUN_BBR_TEST_BDP + 13000);
	for (i = 0; i < 8; i++)
		mptun_bbr_test_ack(t, i % 8 ? 1 : 80000, 25000);
	KUNIT_EXPECT_GE(test, t->cc.cwnd, cwnd + 150000);
}

/* Random numbers are reproducible and within bounds. */
static void mptun_bbr_test_chance(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	const struct mptun_bbr *b = mptun_bbr_test_priv(t);
	u64 least = U64_MAX, most = 0;
	u32 rounds = 0, i;
	u64 waits[2];

	for (i = 0; i < 2; i++) {
		t->cc.chance = 4725;
		mptun_bbr_start_down(&t->cc, t->now);
		waits[i] = b->wait_ns;
	}
	KUNIT_EXPECT_EQ(test, waits[0], waits[1]);
	for (i = 0; i < 1000; i++) {
		mptun_bbr_start_down(&t->cc, t->now);
		least = min(least, b->wait_ns);
		most = max(most, b->wait_ns);
		rounds += b->probe_rounds;
	}
	KUNIT_EXPECT_GE(test, least, 2000 * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, least, 2050 * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_LT(test, most, 3000 * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_GE(test, most, 2950 * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_GE(test, rounds, 400U);
	KUNIT_EXPECT_LE(test, rounds, 600U);
}

static u32 mptun_bbr_test_any(struct rnd_state *rnd, u32 below)
{
	u32 value = prandom_u32_state(rnd);

	/* limits of the range as well */
	return value & 7 ? value % below : value & 8 ? 0 : below;
}

/* Window and rate stay within bounds for any input. */
static void mptun_bbr_test_absurd(struct kunit *test)
{
	struct mptun_bbr_test *t = test->priv;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 4725);
	for (i = 0; i < 30000; i++) {
		t->sample.rate = (u64)mptun_bbr_test_any(&rnd, U32_MAX) <<
				 mptun_bbr_test_any(&rnd, 20);
		t->sample.delivered = mptun_bbr_test_any(&rnd, U32_MAX);
		t->sample.lost = mptun_bbr_test_any(&rnd, U32_MAX);
		t->sample.tx_in_flight = mptun_bbr_test_any(&rnd, U32_MAX);
		t->sample.app_limited = mptun_bbr_test_any(&rnd, 2);
		t->ack.in_flight = mptun_bbr_test_any(&rnd, 1U << 30);
		t->ack.window_limited = mptun_bbr_test_any(&rnd, 2);
		t->ack.spurious = mptun_bbr_test_any(&rnd, 5);
		t->ack.ce = !mptun_bbr_test_any(&rnd, 100);
		t->ack.queue_us = mptun_bbr_test_any(&rnd, U32_MAX);
		t->rtt.latest_us = 1 + mptun_bbr_test_any(&rnd, 59999999);
		mptun_bbr_test_ack(t, mptun_bbr_test_any(&rnd, 1000000),
				   mptun_bbr_test_any(&rnd, U32_MAX));
		if (!mptun_bbr_test_any(&rnd, 50))
			mptun_bbr_test_lose(t, mptun_bbr_test_any(&rnd, 9),
					    mptun_bbr_test_any(&rnd, 2));
		if (!mptun_bbr_test_any(&rnd, 50))
			mptun_cc_on_restart(&t->cc, t->now);
		KUNIT_ASSERT_GE(test, t->cc.cwnd,
				mptun_cc_min_window(&t->cc));
		KUNIT_ASSERT_LE(test, t->cc.cwnd,
				mptun_cc_max_window(&t->cc));
		KUNIT_ASSERT_GT(test, t->cc.pacing_rate, 0ULL);
	}
}

static struct kunit_case mptun_bbr_test_cases[] = {
	KUNIT_CASE(mptun_bbr_test_begin),
	KUNIT_CASE(mptun_bbr_test_long),
	KUNIT_CASE(mptun_bbr_test_full),
	KUNIT_CASE(mptun_bbr_test_round),
	KUNIT_CASE(mptun_bbr_test_drain),
	KUNIT_CASE(mptun_bbr_test_probe),
	KUNIT_CASE(mptun_bbr_test_wait),
	KUNIT_CASE(mptun_bbr_test_more),
	KUNIT_CASE(mptun_bbr_test_grown),
	KUNIT_CASE(mptun_bbr_test_up_rtt),
	KUNIT_CASE(mptun_bbr_test_reno),
	KUNIT_CASE(mptun_bbr_test_forget),
	KUNIT_CASE(mptun_bbr_test_restart),
	KUNIT_CASE(mptun_bbr_test_rate),
	KUNIT_CASE(mptun_bbr_test_extra),
	KUNIT_CASE(mptun_bbr_test_chance),
	KUNIT_CASE(mptun_bbr_test_absurd),
	{}
};

static struct kunit_suite mptun_bbr_test_suite = {
	.name = "mptun_cc_bbr",
	.init = mptun_bbr_test_init,
	.test_cases = mptun_bbr_test_cases,
};

kunit_test_suite(mptun_bbr_test_suite);
