// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of which reports give a round-trip time.
 */
#include "test/recovery/sent_frame.h"

/* A report over another path gives no round-trip time of this one. */
static void mptun_sent_test_other_path(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_ack_span span = { f, f + 3 };
	struct mptun_rtt rtt = t->rtt;

	mptun_sent_test_send(test, 5);
	t->now += 90 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test,
			mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
				       MPTUN_SENT_TEST_OTHER, &t->res), 0);
	KUNIT_EXPECT_TRUE(test, t->res.rtt_valid);
	KUNIT_EXPECT_EQ(test, t->res.rtt_us, 90002U);
	KUNIT_EXPECT_EQ(test, memcmp(&t->rtt, &rtt, sizeof(rtt)), 0);

	/* Nor one that says nothing new. */
	mptun_sent_reset(&t->s, f);
	mptun_sent_test_send(test, 5);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 2), 0);
	rtt = t->rtt;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 0U);
	KUNIT_EXPECT_FALSE(test, t->res.rtt_valid);
	KUNIT_EXPECT_EQ(test, memcmp(&t->rtt, &rtt, sizeof(rtt)), 0);
}

/* The path's own report of a number acknowledged by another does. */
static void mptun_sent_test_other_acked(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_ack_span span = { f, f + 3 };
	struct mptun_rtt rtt;

	mptun_sent_test_send(test, 5);
	t->now += 40 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test,
			mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
				       MPTUN_SENT_TEST_OTHER, &t->res), 0);
	KUNIT_EXPECT_FALSE(test, t->res.timed);
	rtt = t->rtt;

	/* An older one that was overtaken does not. */
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 2), 0);
	KUNIT_EXPECT_FALSE(test, t->res.timed);
	KUNIT_EXPECT_EQ(test, memcmp(&t->rtt, &rtt, sizeof(rtt)), 0);

	t->now += 50 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 3), 0);
	KUNIT_EXPECT_FALSE(test, t->res.rtt_valid);
	KUNIT_EXPECT_TRUE(test, t->res.timed);
	KUNIT_EXPECT_EQ(test, t->res.rtt_us, 90002U);
	KUNIT_EXPECT_EQ(test, t->res.rtt_in_flight, 5 * MPTUN_SENT_TEST_BYTES);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 90002U);

	/* And only the first of them. */
	t->now += 50 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 3), 0);
	KUNIT_EXPECT_FALSE(test, t->res.timed);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 90002U);
}

/* A queue on the way back: reports of another path are always first, and those
 * of the path acknowledge a later number each time.  The age is that of the
 * first number the other path acknowledged, less what the receiver held it.
 */
static void mptun_sent_test_other_always(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_sent_origin from = { .arrival_us = -10000 };
	struct mptun_ack_span span = { f, f + 3 };

	mptun_sent_test_send(test, 9);
	t->now += 40 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
					     &from, &t->res), 0);
	t->now += 10 * NSEC_PER_MSEC;
	span.last = f + 8;
	from.arrival_us = 20000;
	KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
					     &from, &t->res), 0);
	t->now += 50 * NSEC_PER_MSEC;
	span.last = f + 6;
	from.arrival_us = 5000;
	from.delay_us = 2000;
	from.same_path = true;
	KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
					     &from, &t->res), 0);
	KUNIT_EXPECT_TRUE(test, t->res.timed);
	KUNIT_EXPECT_EQ(test, t->res.rtt_us, 100006U);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 83006U);
	KUNIT_EXPECT_EQ(test, t->res.rtt_in_flight, 9 * MPTUN_SENT_TEST_BYTES);
}

/* Where own reports of the number are lost, its age says nothing. */
static void mptun_sent_test_other_lost(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_sent_origin from = { .arrival_us = -10000 };
	struct mptun_ack_span span = { f, f };
	struct mptun_rtt rtt;
	u32 pass;

	mptun_sent_test_send(test, 9);
	for (pass = 0; pass < 2; pass++, span.last++) {
		from.same_path = false;
		KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now,
						     &t->rtt, &from, &t->res),
				0);
		from.same_path = true;
		from.arrival_us += pass ? 25001 : -1;
		t->now += 12 * (u64)NSEC_PER_SEC;
		rtt = t->rtt;
		KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now,
						     &t->rtt, &from, &t->res),
				0);
		KUNIT_EXPECT_FALSE(test, t->res.timed);
		KUNIT_EXPECT_EQ(test, memcmp(&t->rtt, &rtt, sizeof(rtt)), 0);
	}
	KUNIT_EXPECT_FALSE(test, t->s.other_first);
}

/* A path that reorders: the largest number of a report is the fastest packet,
 * so those that it overtook count as well.  Reports of other paths come at any
 * time.
 */
static void mptun_sent_test_overtaken(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_ack_span span = { f, f + 10 };

	mptun_sent_test_send(test, 20);
	t->now += 10 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 9, 9), 0);
	KUNIT_EXPECT_EQ(test, t->res.overtaken, 0U);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 10011U);

	/* three without a later one, then one with it */
	t->now += 60 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 6, 9), 0);
	KUNIT_EXPECT_EQ(test, t->res.overtaken, 3U);
	KUNIT_EXPECT_EQ(test, t->res.overtaken_ns,
			3 * 70013ULL * NSEC_PER_USEC);
	KUNIT_EXPECT_FALSE(test, t->res.rtt_valid);
	KUNIT_EXPECT_TRUE(test, t->res.timed);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 70013U);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 5, 10), 0);
	KUNIT_EXPECT_EQ(test, t->res.overtaken, 1U);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, (70010U + 70015U) / 2);
	KUNIT_EXPECT_EQ(test, t->rtt.min_us, 10011U);

	KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
					     MPTUN_SENT_TEST_OTHER, &t->res),
			0);
	KUNIT_EXPECT_EQ(test, t->res.overtaken, 5U);
	KUNIT_EXPECT_FALSE(test, t->res.timed);
}

static struct kunit_case mptun_sent_rtt_cases[] = {
	KUNIT_CASE(mptun_sent_test_other_path),
	KUNIT_CASE(mptun_sent_test_other_acked),
	KUNIT_CASE(mptun_sent_test_other_always),
	KUNIT_CASE(mptun_sent_test_other_lost),
	KUNIT_CASE(mptun_sent_test_overtaken),
	{}
};

static struct kunit_suite mptun_sent_rtt_suite = {
	.name = "mptun_sent_rtt",
	.init = mptun_sent_test_init,
	.exit = mptun_sent_test_exit,
	.test_cases = mptun_sent_rtt_cases,
};

kunit_test_suite(mptun_sent_rtt_suite);
