// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the delivery rate of round trips.
 */
#include <kunit/test.h>

#include "recovery/rate_sample.h"

#define MPTUN_SAMPLE_TEST_BYTES	1000U
#define MPTUN_SAMPLE_TEST_RTT	(40 * NSEC_PER_MSEC)

/**
 * struct mptun_sample_test - a path of 40 ms with a packet per millisecond
 * @s: what is tested
 * @out: the last sample
 * @start: time in ns when packet 1 was sent
 * @reports: bytes of reports sent so far
 */
struct mptun_sample_test {
	struct mptun_sample s;
	struct mptun_rate_sample out;
	u64 start;
	u32 reports;
};

static int mptun_sample_test_init(struct kunit *test)
{
	struct mptun_sample_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->start = 1000ULL * NSEC_PER_SEC;
	test->priv = t;
	return 0;
}

/* A report that a packet arrived; the receiver's counters are about to wrap. */
static struct mptun_sample_report
mptun_sample_test_rep(const struct mptun_sample_test *t, u64 number)
{
	u64 sent = number * (u64)NSEC_PER_MSEC;

	return (struct mptun_sample_report){
		.now = t->start + sent + MPTUN_SAMPLE_TEST_RTT,
		.newest = number,
		.sent_ns = t->start + sent,
		.next = number + 40,
		.bytes = U32_MAX - 50000 + number * MPTUN_SAMPLE_TEST_BYTES,
		.arrival_us = U32_MAX - 50000U + number * 1000,
		.prior_in_flight = 40 * MPTUN_SAMPLE_TEST_BYTES,
		.reports = t->reports,
		.srtt_us = 40000,
	};
}

static bool mptun_sample_test_hear(struct mptun_sample_test *t, u64 number)
{
	struct mptun_sample_report rep = mptun_sample_test_rep(t, number);

	return mptun_sample_report(&t->s, &rep, &t->out);
}

/* Reports on every fifth packet; the number of samples is returned. */
static u32 mptun_sample_test_run(struct mptun_sample_test *t, u64 from, u64 to)
{
	u32 samples = 0;

	for (; from <= to; from += 5)
		samples += mptun_sample_test_hear(t, from);
	return samples;
}

/* The first sample comes a round trip after the first report, and has the
 * rate of the path, across the wraps of all counters.
 */
static void mptun_sample_test_rate(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_sample_test_run(t, 5, 40), 0U);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 45));
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	KUNIT_EXPECT_EQ(test, t->out.delivered, 40000U);
	KUNIT_EXPECT_EQ(test, t->out.interval_us, 40000U);
	KUNIT_EXPECT_EQ(test, t->out.tx_in_flight, 40000U);
	KUNIT_EXPECT_EQ(test, t->out.lost, 0U);
	KUNIT_EXPECT_FALSE(test, t->out.app_limited);
	KUNIT_EXPECT_EQ(test, mptun_sample_test_run(t, 50, 1000), 191U);
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	KUNIT_EXPECT_EQ(test, t->out.interval_us, 40000U);

	mptun_sample_reset(&t->s);
	KUNIT_EXPECT_FALSE(test, mptun_sample_test_hear(t, 1005));
}

/* A packet between two marks belongs to the one before it. */
static void mptun_sample_test_between(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;

	mptun_sample_test_run(t, 5, 40);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 49));
	KUNIT_EXPECT_EQ(test, t->out.interval_us, 44000U);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 50));
	KUNIT_EXPECT_EQ(test, t->out.interval_us, 40000U);
}

/* With a report per packet there are too many for a mark each. */
static void mptun_sample_test_many(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	u64 number;

	for (number = 1; number <= 200; number++) {
		bool taken = mptun_sample_test_hear(t, number);

		KUNIT_EXPECT_EQ(test, taken, number > 40);
		if (!taken)
			continue;
		KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
		KUNIT_EXPECT_GE(test, t->out.interval_us, 40000U);
		KUNIT_EXPECT_LE(test, t->out.interval_us, 42000U);
	}
	KUNIT_EXPECT_LE(test, t->s.count, MPTUN_SAMPLE_MARKS);
}

/* A round trip much longer than it was leaves no room for marks: samples get
 * longer, and nothing else happens.
 */
static void mptun_sample_test_full(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;
	u64 number;
	bool taken;

	for (number = 5; number <= 500; number += 5) {
		rep = mptun_sample_test_rep(t, number);
		rep.next = number + 200;
		rep.sent_ns -= 160 * NSEC_PER_MSEC;
		taken = mptun_sample_report(&t->s, &rep, &t->out);
		KUNIT_EXPECT_EQ(test, taken, number > 200);
		if (!taken)
			continue;
		KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
		KUNIT_EXPECT_GE(test, t->out.interval_us, 200000U);
		KUNIT_EXPECT_LE(test, t->out.interval_us, 330000U);
	}
	KUNIT_EXPECT_EQ(test, t->s.count, MPTUN_SAMPLE_MARKS);
}

/* A batch that arrives at once was not delivered at once if it was sent over a
 * longer time; one that was sent at once shows what the path can.
 */
static void mptun_sample_test_batch(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;

	mptun_sample_test_run(t, 5, 40);
	rep = mptun_sample_test_rep(t, 45);
	rep.arrival_us -= 20000;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	rep = mptun_sample_test_rep(t, 50);
	rep.arrival_us -= 20000;
	rep.sent_ns -= 20 * NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 2000000ULL);
	rep = mptun_sample_test_rep(t, 55);
	rep.arrival_us += 40000;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 500000ULL);
}

/* A packet that was overtaken before the mark and arrives after it is no gain;
 * one that is overtaken later is missing until it arrives.
 */
static void mptun_sample_test_late(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;

	rep = mptun_sample_test_rep(t, 5);
	rep.bytes -= 3 * MPTUN_SAMPLE_TEST_BYTES;
	rep.late = 3 * MPTUN_SAMPLE_TEST_BYTES;
	mptun_sample_report(&t->s, &rep, &t->out);
	mptun_sample_test_run(t, 10, 40);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 45));
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	rep = mptun_sample_test_rep(t, 50);
	rep.bytes -= 4 * MPTUN_SAMPLE_TEST_BYTES;
	rep.late = 4 * MPTUN_SAMPLE_TEST_BYTES;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 900000ULL);
}

/* As many late at the end as at the beginning: the path takes what was sent,
 * and loss not yet declared is no delivery.
 */
static void mptun_sample_test_reorders(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;
	u64 number;

	for (number = 5; number <= 60; number += 5) {
		rep = mptun_sample_test_rep(t, number);
		rep.bytes -= 4 * MPTUN_SAMPLE_TEST_BYTES;
		rep.late = 4 * MPTUN_SAMPLE_TEST_BYTES;
		mptun_sample_report(&t->s, &rep, &t->out);
	}
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	rep = mptun_sample_test_rep(t, 65);
	rep.bytes -= 24 * MPTUN_SAMPLE_TEST_BYTES;
	rep.late = 24 * MPTUN_SAMPLE_TEST_BYTES;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 500000ULL);
}

/* Loses packets; if negative, losses of before prove spurious. */
static void mptun_sample_test_lose(struct mptun_sample_test *t, int packets,
				   int bytes)
{
	const struct mptun_sent_result res = {
		.lost_packets = max(packets, 0),
		.lost_bytes = max(bytes, 0),
		.spurious = max(-packets, 0),
		.spurious_bytes = max(-bytes, 0),
	};

	mptun_sample_lost(&t->s, &res);
}

/* What was lost in the round trip counts, less what arrived after all. */
static void mptun_sample_test_lost(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;

	t->s.lost = U32_MAX - 1000;
	t->s.lost_packets = U32_MAX - 1;
	mptun_sample_test_lose(t, 1, 500);
	mptun_sample_test_run(t, 5, 40);
	mptun_sample_test_lose(t, 3, 3000);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 45));
	KUNIT_EXPECT_EQ(test, t->out.lost, 3000U);
	KUNIT_EXPECT_EQ(test, t->out.lost_packets, 3U);
	mptun_sample_test_lose(t, -2, -2000);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 50));
	KUNIT_EXPECT_EQ(test, t->out.lost, 1000U);
	KUNIT_EXPECT_EQ(test, t->out.lost_packets, 1U);
	/* A loss before the mark that turns out to be none is no gain. */
	mptun_sample_test_run(t, 55, 100);
	mptun_sample_test_lose(t, -1, -1000);
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 105));
	KUNIT_EXPECT_EQ(test, t->out.lost, 0U);
	KUNIT_EXPECT_EQ(test, t->out.lost_packets, 0U);
}

/* From the packets in flight before the bubble to those sent when it passed. */
static void mptun_sample_test_limited(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	u64 number;

	mptun_sample_test_run(t, 5, 100);
	KUNIT_EXPECT_FALSE(test, t->out.app_limited);
	mptun_sample_limited(&t->s, 140);
	for (number = 105; number <= 300; number += 5) {
		KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, number));
		/* 140 is acknowledged with 140, when 180 is the next */
		KUNIT_EXPECT_EQ(test, t->out.app_limited,
				number >= 140 && number < 180);
	}
}

/* The most that was in flight between a mark and the next. */
static void mptun_sample_test_flight(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;

	mptun_sample_test_run(t, 5, 20);
	rep = mptun_sample_test_rep(t, 25);
	rep.prior_in_flight = 99000;
	mptun_sample_report(&t->s, &rep, &t->out);
	mptun_sample_test_run(t, 30, 55);
	KUNIT_EXPECT_EQ(test, t->out.tx_in_flight, 40000U);
	mptun_sample_test_hear(t, 60);
	KUNIT_EXPECT_EQ(test, t->out.tx_in_flight, 99000U);
	mptun_sample_test_hear(t, 65);
	KUNIT_EXPECT_EQ(test, t->out.tx_in_flight, 40000U);
}

/* Lost and overtaken reports, peers that report nonsense, and very long pauses.
 */
static void mptun_sample_test_odd(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;

	mptun_sample_test_run(t, 5, 60);
	KUNIT_EXPECT_FALSE(test, mptun_sample_test_hear(t, 55));
	KUNIT_EXPECT_FALSE(test, mptun_sample_test_hear(t, 60));
	KUNIT_EXPECT_TRUE(test, mptun_sample_test_hear(t, 90));
	KUNIT_EXPECT_EQ(test, t->out.rate, 1000000ULL);
	KUNIT_EXPECT_EQ(test, t->out.interval_us, 40000U);

	rep = mptun_sample_test_rep(t, 100);
	rep.bytes = 0;
	KUNIT_EXPECT_FALSE(test, mptun_sample_report(&t->s, &rep, &t->out));
	rep = mptun_sample_test_rep(t, 105);
	rep.arrival_us -= 1000000;
	KUNIT_EXPECT_FALSE(test, mptun_sample_report(&t->s, &rep, &t->out));

	/* The receiver's clock wraps while nothing is sent. */
	mptun_sample_reset(&t->s);
	mptun_sample_test_run(t, 110, 110);
	rep = mptun_sample_test_rep(t, 160);
	rep.sent_ns += 4295ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, mptun_sample_report(&t->s, &rep, &t->out));
	rep = mptun_sample_test_rep(t, 161);
	rep.sent_ns += 2000ULL * NSEC_PER_SEC;
	rep.arrival_us += 2000 * USEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_LE(test, t->out.rate, 30ULL);
}

/* Reports that we send meanwhile use the path as data does. */
static void mptun_sample_test_reports(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;

	t->reports = U32_MAX - 100;
	mptun_sample_test_run(t, 5, 40);
	t->reports += 4000;
	rep = mptun_sample_test_rep(t, 45);
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.delivered, 40000U);
	KUNIT_EXPECT_EQ(test, t->out.rate, 1100000ULL);
	/* a longer way back does not make more of them */
	t->reports += 8000;
	rep = mptun_sample_test_rep(t, 50);
	rep.now += 40 * NSEC_PER_MSEC;
	rep.reports = t->reports;
	KUNIT_EXPECT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.rate, 1150000ULL);
}

/* Half of what arrives comes in bursts of five times the rate. */
static void mptun_sample_test_burst(struct kunit *test)
{
	struct mptun_sample_test *t = test->priv;
	struct mptun_sample_report rep;
	u32 number;

	for (number = 5; number <= 500; number += 5) {
		rep = mptun_sample_test_rep(t, number);
		if (number % 10)
			rep.arrival_us += 4000;
		if (!mptun_sample_report(&t->s, &rep, &t->out))
			continue;
		KUNIT_EXPECT_LE(test, t->out.rate, 1250000ULL);
		/* since the last sample */
		if (number > 50 && number % 10)
			KUNIT_EXPECT_EQ(test, t->out.burst_rate, 555555ULL);
		else
			KUNIT_EXPECT_EQ(test, t->out.burst_rate, 5000000ULL);
	}
	/* what arrives within a millisecond may have left the path before */
	rep.newest++;
	rep.arrival_us += 999;
	rep.bytes += 100 * MPTUN_SAMPLE_TEST_BYTES;
	KUNIT_ASSERT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.burst_rate, 0ULL);
	rep.newest++;
	rep.arrival_us++;
	KUNIT_ASSERT_TRUE(test, mptun_sample_report(&t->s, &rep, &t->out));
	KUNIT_EXPECT_EQ(test, t->out.burst_rate, 100000000ULL);

	/* a reset does not concern the counters of the receiver */
	mptun_sample_reset(&t->s);
	t->start += NSEC_PER_SEC;
	for (number = 505; number <= 600; number += 5) {
		rep = mptun_sample_test_rep(t, number);
		if (mptun_sample_report(&t->s, &rep, &t->out))
			KUNIT_EXPECT_EQ(test, t->out.burst_rate, 1000000ULL);
	}
}

static struct kunit_case mptun_sample_test_cases[] = {
	KUNIT_CASE(mptun_sample_test_rate),
	KUNIT_CASE(mptun_sample_test_between),
	KUNIT_CASE(mptun_sample_test_many),
	KUNIT_CASE(mptun_sample_test_full),
	KUNIT_CASE(mptun_sample_test_batch),
	KUNIT_CASE(mptun_sample_test_late),
	KUNIT_CASE(mptun_sample_test_reorders),
	KUNIT_CASE(mptun_sample_test_lost),
	KUNIT_CASE(mptun_sample_test_limited),
	KUNIT_CASE(mptun_sample_test_reports),
	KUNIT_CASE(mptun_sample_test_flight),
	KUNIT_CASE(mptun_sample_test_odd),
	KUNIT_CASE(mptun_sample_test_burst),
	{}
};

static struct kunit_suite mptun_sample_test_suite = {
	.name = "mptun_sample",
	.init = mptun_sample_test_init,
	.test_cases = mptun_sample_test_cases,
};

kunit_test_suite(mptun_sample_test_suite);
