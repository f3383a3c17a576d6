// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of loss detection.
 */
#include <kunit/test.h>

#include "recovery/sent.h"

#define MPTUN_LOSS_TEST_FIRST	(U32_MAX - 50ULL)
#define MPTUN_LOSS_TEST_START	(100ULL * NSEC_PER_SEC)
#define MPTUN_LOSS_TEST_RTT_US	40000U

/**
 * struct mptun_loss_test - what the tests work on
 * @s: the records
 * @rtt: round-trip time, a steady MPTUN_LOSS_TEST_RTT_US
 * @res: result of the last call
 * @now: time in ns
 */
struct mptun_loss_test {
	struct mptun_sent s;
	struct mptun_rtt rtt;
	struct mptun_sent_result res;
	u64 now;
};

static int mptun_loss_test_init(struct kunit *test)
{
	struct mptun_loss_test *t;
	int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, mptun_sent_init(&t->s), 0);
	mptun_sent_reset(&t->s, MPTUN_LOSS_TEST_FIRST);
	mptun_rtt_init(&t->rtt);
	t->now = MPTUN_LOSS_TEST_START;
	for (i = 0; i < 100; i++)
		mptun_rtt_sample(&t->rtt, MPTUN_LOSS_TEST_RTT_US, 0, t->now);
	t->now += NSEC_PER_MSEC;
	test->priv = t;
	return 0;
}

static void mptun_loss_test_exit(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	if (t)
		mptun_sent_destroy(&t->s);
}

static void mptun_loss_test_send(struct kunit *test, u32 n, u64 gap_ns)
{
	struct mptun_loss_test *t = test->priv;

	while (n--) {
		KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
		mptun_sent_add(&t->s, 0, 1000, t->now);
		t->now += gap_ns;
	}
}

/* A report of [first, last], both counted from the first number; over another
 * path, so that the round-trip time stays as it is.
 */
static void mptun_loss_test_ack(struct kunit *test, u64 first, u64 last)
{
	struct mptun_loss_test *t = test->priv;
	struct mptun_ack_span span = {
		MPTUN_LOSS_TEST_FIRST + first, MPTUN_LOSS_TEST_FIRST + last
	};
	const struct mptun_sent_origin from = {};

	KUNIT_ASSERT_EQ(test,
			mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt, &from,
				       &t->res), 0);
}

/* RFC 9002, 6.1.1 */
static void mptun_loss_test_packets(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, 10, NSEC_PER_USEC);
	t->now += NSEC_PER_MSEC;
	mptun_loss_test_ack(test, 2, 2);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	mptun_loss_test_ack(test, 2, 3);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	KUNIT_EXPECT_EQ(test, t->res.lost_bytes, 1000U);
	KUNIT_EXPECT_EQ(test, t->res.newest_lost_ns,
			MPTUN_LOSS_TEST_START + NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, t->s.packets, 7U);
	mptun_loss_test_ack(test, 9, 9);
	/* 1 and 4 to 6; 7 and 8 are too close to 9 */
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 4U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 2000U);
}

/* RFC 9002, 6.1.2: 9/8 of the round-trip time */
static void mptun_loss_test_time(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 sent = t->now;

	mptun_loss_test_send(test, 2, NSEC_PER_USEC);
	t->now += 20 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);
	mptun_loss_test_ack(test, 1, 1);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + 45 * NSEC_PER_MSEC);

	t->now = sent + 45 * NSEC_PER_MSEC - 1;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	mptun_sent_detect(&t->s, &t->rtt, t->now + 1, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
}

/* The time threshold is never below the resolution of clocks. */
static void mptun_loss_test_granularity(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 sent = t->now;
	int i;

	for (i = 0; i < 200; i++)
		mptun_rtt_sample(&t->rtt, 50, 0, t->now);
	mptun_loss_test_send(test, 2, 0);
	mptun_loss_test_ack(test, 1, 1);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + NSEC_PER_MSEC);
}

/* Nothing is lost as long as nothing later arrived, however old it is. */
static void mptun_loss_test_tail(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, 5, NSEC_PER_USEC);
	mptun_loss_test_ack(test, 0, 1);
	t->now += 3600ULL * NSEC_PER_SEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);
	KUNIT_EXPECT_EQ(test, t->s.packets, 3U);
}

/* A probe sent later was answered: the tail is lost, but only after the peer
 * had the time to report it.
 */
static void mptun_loss_test_witness(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 sent = t->now, probe;

	mptun_loss_test_send(test, 3, 0);
	t->now += 30 * NSEC_PER_MSEC;
	probe = t->now;
	mptun_loss_test_send(test, 1, NSEC_PER_USEC);
	/* 9/8 of 40 ms, and 8 ms */
	t->now = sent + 52 * NSEC_PER_MSEC;
	mptun_sent_witness(&t->s, &t->rtt, probe, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + 53 * NSEC_PER_MSEC);
	/* An older probe answered late changes nothing. */
	mptun_sent_witness(&t->s, &t->rtt, sent, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + 53 * NSEC_PER_MSEC);
	t->now = sent + 53 * NSEC_PER_MSEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 2U);
	/* The report on two of them may not have been about the third. */
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + 70 * NSEC_PER_MSEC);
	t->now = sent + 70 * NSEC_PER_MSEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);

	/* What was sent with or after the probe is not affected. */
	t->now += NSEC_PER_SEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, t->s.packets, 1U);

	mptun_sent_witness(&t->s, &t->rtt, probe + 1, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
}

/* The report on little may take longer, unless more follows soon. */
static void mptun_loss_test_little(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 sent = t->now;

	mptun_loss_test_send(test, 1, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_sent_report_delay_us(&t->s), 17000U);
	mptun_sent_witness(&t->s, &t->rtt, sent + 1, t->now, &t->res);
	/* 9/8 of 40 ms, and 25 ms */
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s),
			sent + 70 * NSEC_PER_MSEC);
	mptun_loss_test_send(test, 1, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_sent_report_delay_us(&t->s), 2000U);

	/* What comes later than that takes nothing off. */
	mptun_loss_test_ack(test, 0, 1);
	mptun_loss_test_send(test, 1, 30 * NSEC_PER_MSEC);
	mptun_loss_test_send(test, 1, 2 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_sent_report_delay_us(&t->s), 17000U);
	mptun_loss_test_ack(test, 2, 2);
	mptun_loss_test_send(test, 1, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_sent_report_delay_us(&t->s), 0U);
}

/* A late acknowledgment raises the thresholds to what would have been right,
 * and the same overtaking does no harm again.
 */
static void mptun_loss_test_spurious(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, 20, NSEC_PER_USEC);
	t->now += MPTUN_LOSS_TEST_RTT_US * (u64)NSEC_PER_USEC;
	mptun_loss_test_ack(test, 1, 12);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	t->now += 10 * NSEC_PER_MSEC;
	mptun_loss_test_ack(test, 0, 12);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_EQ(test, t->res.spurious_bytes, 1000U);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 0U);
	/* 13 and a quarter */
	KUNIT_EXPECT_EQ(test, t->s.threshold, 16U);
	/* an age of 10/8 was too old for 10, 11 would do, and one more */
	KUNIT_EXPECT_EQ(test, t->s.eighths, 12U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 7000U);

	mptun_loss_test_ack(test, 0, 19);
	mptun_loss_test_send(test, 20, NSEC_PER_USEC);
	t->now += MPTUN_LOSS_TEST_RTT_US * (u64)NSEC_PER_USEC;
	mptun_loss_test_ack(test, 21, 32);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	t->now += 10 * NSEC_PER_MSEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	mptun_loss_test_ack(test, 20, 32);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 0U);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 1U);
}

static void mptun_loss_test_bounds(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, 5000, 0);
	mptun_loss_test_ack(test, 4999, 4999);
	/* 4997 and 4998 are within the threshold of three */
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 4997U);
	t->now += 80 * NSEC_PER_MSEC;
	mptun_loss_test_ack(test, 0, 0);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, MPTUN_SENT_PACKETS_MAX);
	KUNIT_EXPECT_EQ(test, t->s.eighths, MPTUN_SENT_EIGHTHS_MAX);
}

/* One round trip of @n packets of which the first arrives after @late others.
 */
static u32 mptun_loss_test_round(struct kunit *test, u32 n, u32 late)
{
	struct mptun_loss_test *t = test->priv;
	u64 first = t->s.next - MPTUN_LOSS_TEST_FIRST;
	u32 lost = 0;

	mptun_loss_test_send(test, n, 0);
	t->now += MPTUN_LOSS_TEST_RTT_US * (u64)NSEC_PER_USEC;
	if (late) {
		mptun_loss_test_ack(test, first + 1, first + late);
		lost += t->res.lost_packets;
		mptun_loss_test_ack(test, first, first + late);
		lost += t->res.lost_packets;
	}
	mptun_loss_test_ack(test, first, first + n - 1);
	return lost + t->res.lost_packets;
}

/* Thresholds stay while the path needs them and shrink slowly when it does
 * not.
 */
static void mptun_loss_test_decay(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u32 lost = 0;
	u32 before;
	int i;

	KUNIT_EXPECT_EQ(test, mptun_loss_test_round(test, 50, 30), 1U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, 38U);
	for (i = 0; i < 200; i++)
		lost += mptun_loss_test_round(test, 50, 20 + i % 11);
	KUNIT_EXPECT_EQ(test, lost, 0U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, 38U);

	/* Less is needed: down to that, no further, without a false loss. */
	for (i = 0; i < 400; i++)
		lost += mptun_loss_test_round(test, 50, 11);
	KUNIT_EXPECT_EQ(test, lost, 0U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, 15U);

	/* Nothing is needed: back to RFC 9002, a quarter at a time. */
	for (i = 0; i < 500; i++) {
		before = t->s.threshold;
		lost += mptun_loss_test_round(test, 50, 0);
		KUNIT_EXPECT_GE(test, t->s.threshold,
				before - DIV_ROUND_UP(before, 4));
	}
	KUNIT_EXPECT_EQ(test, lost, 0U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, MPTUN_SENT_PACKETS_MIN);
	KUNIT_EXPECT_EQ(test, t->s.eighths, MPTUN_SENT_EIGHTHS_MIN);
}

/* Losses are kept for two timeouts, and the floor stays for as long. */
static void mptun_loss_test_floor(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 sent = t->now;
	u64 keep;

	mptun_loss_test_send(test, 10, 0);
	mptun_loss_test_ack(test, 1, 9);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s), MPTUN_LOSS_TEST_FIRST);
	keep = 2ULL * mptun_rtt_pto_us(&t->rtt) * NSEC_PER_USEC;
	mptun_sent_detect(&t->s, &t->rtt, sent + keep - 1, &t->res);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s), MPTUN_LOSS_TEST_FIRST);
	mptun_sent_detect(&t->s, &t->rtt, sent + keep, &t->res);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s),
			MPTUN_LOSS_TEST_FIRST + 10);
	/* Too late to be recognised, but no error. */
	mptun_loss_test_ack(test, 0, 9);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 0U);
}

/* Arrivals after an abandoned path do not count as reordering. */
static void mptun_loss_test_abandon(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, 100, 0);
	mptun_loss_test_ack(test, 50, 50);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 48U);
	mptun_sent_abandon(&t->s, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.prior_in_flight, 51000U);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 51U);
	KUNIT_EXPECT_EQ(test, t->res.lost_bytes, 51000U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
	KUNIT_EXPECT_EQ(test, t->s.packets, 0U);
	KUNIT_EXPECT_FALSE(test, t->res.persistent);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt), U64_MAX);

	mptun_sent_abandon(&t->s, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);

	mptun_loss_test_ack(test, 48, 99);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 51U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, MPTUN_SENT_PACKETS_MIN);
	KUNIT_EXPECT_EQ(test, t->s.seen_packets, 0U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
}

/* Packets at this interval are lost, and the first of four more; the last of
 * these arrives.
 */
static bool mptun_loss_test_blackout(struct kunit *test, u32 n, u64 gap_ns)
{
	struct mptun_loss_test *t = test->priv;

	mptun_loss_test_send(test, n, gap_ns);
	mptun_loss_test_send(test, 4, 0);
	t->now += MPTUN_LOSS_TEST_RTT_US * (u64)NSEC_PER_USEC;
	mptun_loss_test_ack(test, t->s.next - 1 - MPTUN_LOSS_TEST_FIRST,
			    t->s.next - 1 - MPTUN_LOSS_TEST_FIRST);
	return t->res.persistent;
}

/* RFC 9002, 7.6: three timeouts, here 3 * (40 + 1 + 8) ms */
static void mptun_loss_test_persistent(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u32 i;

	KUNIT_ASSERT_EQ(test, mptun_rtt_pto_us(&t->rtt), 49000U);
	KUNIT_EXPECT_FALSE(test, mptun_loss_test_blackout(test, 14,
							  10 * NSEC_PER_MSEC));
	KUNIT_EXPECT_TRUE(test, mptun_loss_test_blackout(test, 15,
							 10 * NSEC_PER_MSEC));
	/* reported once */
	t->now += NSEC_PER_SEC;
	mptun_sent_detect(&t->s, &t->rtt, t->now, &t->res);
	KUNIT_EXPECT_FALSE(test, t->res.persistent);

	/* Every tenth arrives: never an unbroken run of that length. */
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_FALSE(test,
				   mptun_loss_test_blackout(test, 9,
							    10 *
							    NSEC_PER_MSEC));
}

/* A packet that arrives after all breaks the run, as does a probe. */
static void mptun_loss_test_broken_run(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;
	u64 f;

	f = t->s.next - MPTUN_LOSS_TEST_FIRST;
	mptun_loss_test_send(test, 10, 10 * NSEC_PER_MSEC);
	mptun_loss_test_ack(test, f + 9, f + 9);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 7U);
	KUNIT_EXPECT_TRUE(test, t->s.run);
	mptun_loss_test_ack(test, f + 5, f + 5);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_FALSE(test, t->s.run);

	/* Sparse traffic: each packet is lost, each probe arrives. */
	for (f = 0; f < 20; f++) {
		u64 probe;

		mptun_loss_test_send(test, 1, NSEC_PER_MSEC);
		probe = t->now;
		t->now += 90 * NSEC_PER_MSEC;
		mptun_sent_witness(&t->s, &t->rtt, probe, t->now, &t->res);
		KUNIT_EXPECT_FALSE(test, t->res.persistent);
		KUNIT_EXPECT_EQ(test, t->s.packets, 0U);
	}
}

/* Without a sample of the round-trip time there is no persistent congestion. */
static void mptun_loss_test_no_rtt(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	mptun_rtt_init(&t->rtt);
	KUNIT_EXPECT_FALSE(test, mptun_loss_test_blackout(test, 100,
							  NSEC_PER_SEC));
	KUNIT_EXPECT_GE(test, t->res.lost_packets, 100U);
}

/* A lost packet is in doubt for its size until a later one as large arrives. */
static void mptun_loss_test_doubt(struct kunit *test)
{
	struct mptun_loss_test *t = test->priv;

	/* 0 to 9: only the third one is small */
	mptun_loss_test_send(test, 2, NSEC_PER_USEC);
	mptun_sent_add(&t->s, 0, 100, t->now++);
	mptun_loss_test_send(test, 7, NSEC_PER_USEC);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 0U);
	t->now += NSEC_PER_MSEC;
	mptun_loss_test_ack(test, 4, 4);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 1000U);
	KUNIT_EXPECT_EQ(test, t->s.doubt_ns,
			MPTUN_LOSS_TEST_START + NSEC_PER_MSEC +
			NSEC_PER_USEC);
	/* An older or smaller one does not count, a later one does. */
	mptun_loss_test_ack(test, 0, 0);
	mptun_loss_test_ack(test, 2, 2);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 1000U);
	mptun_loss_test_ack(test, 5, 5);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 0U);

	/* A timeout counts as well, and smaller ones do not replace it. */
	mptun_sent_add(&t->s, 0, 1200, t->now++);
	mptun_loss_test_ack(test, 6, 9);
	mptun_sent_silent(&t->s);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 1200U);
	mptun_loss_test_send(test, 4, NSEC_PER_USEC);
	mptun_loss_test_ack(test, 11, 14);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 1200U);
	/* It was only late. */
	mptun_loss_test_ack(test, 10, 10);
	KUNIT_EXPECT_EQ(test, t->s.doubt, 0U);
}

static struct kunit_case mptun_loss_cases[] = {
	KUNIT_CASE(mptun_loss_test_packets),
	KUNIT_CASE(mptun_loss_test_time),
	KUNIT_CASE(mptun_loss_test_granularity),
	KUNIT_CASE(mptun_loss_test_tail),
	KUNIT_CASE(mptun_loss_test_witness),
	KUNIT_CASE(mptun_loss_test_little),
	KUNIT_CASE(mptun_loss_test_spurious),
	KUNIT_CASE(mptun_loss_test_bounds),
	KUNIT_CASE(mptun_loss_test_decay),
	KUNIT_CASE(mptun_loss_test_floor),
	KUNIT_CASE(mptun_loss_test_abandon),
	KUNIT_CASE(mptun_loss_test_persistent),
	KUNIT_CASE(mptun_loss_test_broken_run),
	KUNIT_CASE(mptun_loss_test_no_rtt),
	KUNIT_CASE(mptun_loss_test_doubt),
	{}
};

static struct kunit_suite mptun_loss_suite = {
	.name = "mptun_sent_loss",
	.init = mptun_loss_test_init,
	.exit = mptun_loss_test_exit,
	.test_cases = mptun_loss_cases,
};

kunit_test_suite(mptun_loss_suite);
