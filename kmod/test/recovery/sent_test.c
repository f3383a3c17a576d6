// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the records of what is in flight.
 */
#include "test/recovery/sent_frame.h"

#include "base/ring.h"
#include "test/base/no_memory.h"

int mptun_sent_test_init(struct kunit *test)
{
	struct mptun_sent_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_test_rings(test);
	KUNIT_ASSERT_EQ(test, mptun_sent_init(&t->s), 0);
	mptun_sent_reset(&t->s, MPTUN_SENT_TEST_FIRST);
	mptun_rtt_init(&t->rtt);
	t->now = MPTUN_SENT_TEST_START;
	mptun_rtt_sample(&t->rtt, 40000, 0, t->now);
	t->now += NSEC_PER_MSEC;
	test->priv = t;
	return 0;
}

void mptun_sent_test_exit(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;

	if (t)
		mptun_sent_destroy(&t->s);
}

/* Sends n packets, one per microsecond. */
void mptun_sent_test_send(struct kunit *test, u32 n)
{
	struct mptun_sent_test *t = test->priv;
	u64 number;

	while (n--) {
		u32 dsn = MPTUN_SENT_TEST_DSN + t->s.next -
			  MPTUN_SENT_TEST_FIRST;

		number = t->s.next;
		KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
		KUNIT_ASSERT_EQ(test,
				mptun_sent_add(&t->s, dsn,
					       MPTUN_SENT_TEST_BYTES, t->now),
				number);
		t->now += NSEC_PER_USEC;
	}
}

/* A report of [first, last], both counted from the first number. */
int mptun_sent_test_ack(struct kunit *test, u64 first, u64 last)
{
	struct mptun_sent_test *t = test->priv;
	struct mptun_ack_span span = {
		MPTUN_SENT_TEST_FIRST + first, MPTUN_SENT_TEST_FIRST + last
	};

	return mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
			      MPTUN_SENT_TEST_OWN, &t->res);
}

/* Losses of an outage were not counted, so they are not taken back. */
static void mptun_sent_test_outage(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;

	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 9, 9), 0);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 7U);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 6, 6), 0);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_EQ(test, t->res.retracted, 1U);
	t->s.outage = t->s.oldest;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 5), 0);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 6U);
	KUNIT_EXPECT_EQ(test, t->res.retracted, 0U);
	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 19, 19), 0);
	KUNIT_EXPECT_GT(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 7, 7), 0);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_EQ(test, t->res.retracted, 1U);
}

static void mptun_sent_test_simple(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u32 dsn = 0;

	KUNIT_EXPECT_FALSE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt), U64_MAX);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);

	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 10000U);
	KUNIT_EXPECT_EQ(test, t->s.packets, 10U);
	KUNIT_EXPECT_TRUE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
	KUNIT_EXPECT_EQ(test, dsn, MPTUN_SENT_TEST_DSN);

	t->now += 40 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 6), 0);
	KUNIT_EXPECT_EQ(test, t->res.prior_in_flight, 10000U);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 7U);
	KUNIT_EXPECT_EQ(test, t->res.acked_bytes, 7000U);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 0U);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 0U);
	KUNIT_EXPECT_TRUE(test, t->res.rtt_valid);
	KUNIT_EXPECT_EQ(test, t->res.rtt_us, 40004U);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 40004U);
	KUNIT_EXPECT_EQ(test, t->res.newest_acked_ns,
			t->now - 40004 * NSEC_PER_USEC);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 3000U);
	KUNIT_EXPECT_TRUE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
	KUNIT_EXPECT_EQ(test, dsn, MPTUN_SENT_TEST_DSN + 7);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s),
			MPTUN_SENT_TEST_FIRST + 7);

	/* The same report again changes nothing. */
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 6), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 0U);
	KUNIT_EXPECT_FALSE(test, t->res.rtt_valid);
	KUNIT_EXPECT_EQ(test, t->res.newest_acked_ns, 0ULL);

	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 9), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 3U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
	KUNIT_EXPECT_FALSE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
}

/* What cannot be is refused as a whole, and nothing changes. */
static void mptun_sent_test_absurd(struct kunit *test)
{
	/* counted from the first number */
	static const struct {
		struct mptun_ack_span spans[3];
		unsigned int n;
	} bad[] = {
		{ .n = 0 },
		{ { { 10, 10 } }, 1 },			/* never sent */
		{ { { 15, 19 }, { 11, 12 } }, 2 },
		{ { { 5, 4 } }, 1 },			/* backwards */
		{ { { MPTUN_SENT_TEST_HIGH, MPTUN_SENT_TEST_ZERO } }, 1 },
		{ { { -1, 2 } }, 1 },			/* before the start */
		{ { { MPTUN_SENT_TEST_ZERO, 2 } }, 1 },
		{ { { 1, 2 }, { 5, 6 } }, 2 },		/* order */
		{ { { 5, 6 }, { 3, 5 } }, 2 },		/* overlap */
		{ { { 5, 6 }, { 3, 4 } }, 2 },		/* no gap */
		{ { { 8, 9 }, { 5, 6 }, { 4, 9 } }, 3 },
		{ { { 8, 9 }, { 5, 6 },
		    { MPTUN_SENT_TEST_ZERO, MPTUN_SENT_TEST_ZERO } }, 3 },
	};
	struct mptun_sent_test *t = test->priv;
	struct mptun_ack_span spans[3];
	struct mptun_sent before;
	struct mptun_rtt rtt;
	int i, k;

	mptun_sent_test_send(test, 10);
	before = t->s;
	rtt = t->rtt;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		t->now += NSEC_PER_SEC;
		for (k = 0; k < ARRAY_SIZE(spans); k++) {
			spans[k] = bad[i].spans[k];
			spans[k].first += MPTUN_SENT_TEST_FIRST;
			spans[k].last += MPTUN_SENT_TEST_FIRST;
		}
		KUNIT_EXPECT_EQ_MSG(test,
				    mptun_sent_ack(&t->s, spans, bad[i].n,
						   t->now, &t->rtt,
						   MPTUN_SENT_TEST_OWN,
						   &t->res),
				    -EINVAL, "case %d", i);
		KUNIT_EXPECT_EQ(test, memcmp(&t->s, &before, sizeof(before)),
				0);
		KUNIT_EXPECT_EQ(test, memcmp(&t->rtt, &rtt, sizeof(rtt)), 0);
		KUNIT_EXPECT_EQ(test, t->res.acked_packets, 0U);
	}
	/* Not even before anything was sent. */
	mptun_sent_reset(&t->s, 0);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 0), -EINVAL);
}

/* A peer that was sent forged packets speaks of numbers that are not ours. */
static void mptun_sent_test_forged(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_ack_span spans[] = {
		{ f + 900, f + 990 }, { f + 40, f + 50 }, { f + 8, f + 12 },
		{ f + 2, f + 5 },
	};

	mptun_sent_test_send(test, 10);
	t->now += 20 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_ack(&t->s, spans, 4, t->now, &t->rtt,
					     MPTUN_SENT_TEST_OWN, &t->res), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 6U);
	/* its age is that of a number that is not ours */
	KUNIT_EXPECT_FALSE(test, t->res.rtt_valid);
	KUNIT_EXPECT_EQ(test, t->s.largest, f + 9);

	/* what is sent next is not taken for acknowledged */
	mptun_sent_test_send(test, 5);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 13, 14), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 2U);
}

/* Spans below what is remembered are no error and cost nothing. */
static void mptun_sent_test_old_spans(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;
	struct mptun_ack_span spans[] = {
		{ f + 40, f + 49 }, { f + 10, f + 20 }, { f, f + 5 },
	};

	mptun_sent_test_send(test, 40);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 39), 0);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s), f + 40);
	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_EQ(test,
			mptun_sent_ack(&t->s, spans, 3, t->now, &t->rtt,
				       MPTUN_SENT_TEST_OWN, &t->res), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 10U);
	KUNIT_EXPECT_EQ(test, t->s.packets, 0U);
}

static void mptun_sent_test_limited(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;

	mptun_sent_test_send(test, 4);
	mptun_sent_limited(&t->s);
	mptun_sent_test_send(test, 6);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 2), 0);
	KUNIT_EXPECT_TRUE(test, t->res.window_limited);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 3), 0);
	KUNIT_EXPECT_TRUE(test, t->res.window_limited);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 7), 0);
	KUNIT_EXPECT_FALSE(test, t->res.window_limited);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 7), 0);
	KUNIT_EXPECT_FALSE(test, t->res.window_limited);
}

/* What was overtaken and is not lost yet. */
static void mptun_sent_test_late(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;

	mptun_sent_test_send(test, 10);
	mptun_sent_test_ack(test, 1, 2);
	KUNIT_EXPECT_EQ(test, mptun_sent_late(&t->s), 1U);
	mptun_sent_test_ack(test, 0, 2);
	KUNIT_EXPECT_EQ(test, mptun_sent_late(&t->s), 0U);
	mptun_sent_test_ack(test, 8, 8);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 3U);
	KUNIT_EXPECT_EQ(test, mptun_sent_late(&t->s), 2U);
	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_EQ(test, mptun_sent_late(&t->s), 2U);
	mptun_sent_abandon(&t->s, &t->res);
	KUNIT_EXPECT_EQ(test, mptun_sent_late(&t->s), 0U);
}

/* The ring grows while the oldest packet is outstanding, up to its limit. */
static void mptun_sent_test_growth(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u32 dsn;

	mptun_sent_test_send(test, MPTUN_SENT_MAX);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.ring), MPTUN_SENT_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	KUNIT_EXPECT_EQ(test, t->s.in_flight,
			MPTUN_SENT_MAX * MPTUN_SENT_TEST_BYTES);
	KUNIT_EXPECT_TRUE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
	KUNIT_EXPECT_EQ(test, dsn, MPTUN_SENT_TEST_DSN);

	/* All but the oldest: there still is no room, it is outstanding. */
	t->now += 10 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 2, 2), 0);
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));

	/* Once it is lost its record gives way to new packets. */
	KUNIT_EXPECT_EQ(test,
			mptun_sent_test_ack(test, 4, MPTUN_SENT_MAX - 1), 0);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 3U);
	KUNIT_EXPECT_EQ(test, t->s.packets, 0U);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s), MPTUN_SENT_TEST_FIRST);
	KUNIT_EXPECT_TRUE(test, mptun_sent_can_add(&t->s));
	mptun_sent_test_send(test, 3);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 3 * MPTUN_SENT_TEST_BYTES);

	mptun_sent_idle(&t->s);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.ring), MPTUN_SENT_MAX);
	KUNIT_EXPECT_EQ(test,
			mptun_sent_test_ack(test, 4, MPTUN_SENT_MAX + 2), 0);
	mptun_sent_idle(&t->s);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.ring), 128U);
}

/* Without memory there is no room, but nothing is lost or overwritten. */
static void mptun_sent_test_memory(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	struct mptun_sent before;
	u32 i;

	mptun_sent_test_send(test, 256); /* the ring has just grown */
	mptun_test_no_memory = true;
	before = t->s;
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	before.ring.pause = t->s.ring.pause;
	before.ring.skip = t->s.ring.skip;
	KUNIT_EXPECT_EQ(test, memcmp(&t->s, &before, sizeof(before)), 0);

	/* The oldest is lost: its record is given up for a new one. */
	t->now += NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 9), 0);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 1U);
	mptun_sent_test_send(test, 10);
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	KUNIT_EXPECT_EQ(test, t->s.packets, 256U);

	/* It does not ask again at once. */
	mptun_test_no_memory = false;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	mptun_sent_test_send(test, 1000);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 1265), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 1256U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
}

/* A caller that asked for room once adds several packets, as the fragments of
 * one are: the ring grows for each of them.
 */
static void mptun_sent_test_several(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u32 i;

	mptun_sent_test_send(test, 1);
	for (i = 1; i < 1000; i++) {
		mptun_sent_add(&t->s, i, MPTUN_SENT_TEST_BYTES, t->now);
		KUNIT_ASSERT_EQ(test, t->s.packets, i + 1);
	}
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 1000 * MPTUN_SENT_TEST_BYTES);
}

/* Without memory a caller that asked for no room gets a number all the same,
 * and never one that was there before: it is a nonce.  What was outstanding is
 * lost for that.
 */
static void mptun_sent_test_numbers(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 number, next;
	u32 i;

	mptun_sent_test_send(test, 256); /* the ring has just grown */
	mptun_test_no_memory = true;
	next = t->s.next;
	for (i = 0; i < 1000; i++, next++) {
		number = mptun_sent_add(&t->s, i, 1000, t->now);
		KUNIT_ASSERT_EQ(test, number, next);
		KUNIT_ASSERT_LE(test, t->s.next - mptun_sent_floor(&t->s),
				256ULL);
	}
	mptun_test_no_memory = false;
	KUNIT_EXPECT_EQ(test, t->s.in_flight, t->s.packets * 1000);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, next - 10 -
			MPTUN_SENT_TEST_FIRST, next - 1 -
			MPTUN_SENT_TEST_FIRST), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 10U);
}

/* The largest packets, all of them: the sum of bytes must not wrap. */
static void mptun_sent_test_largest(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u32 i;

	for (i = 0; i < MPTUN_SENT_MAX; i++) {
		KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
		mptun_sent_add(&t->s, i, U32_MAX, t->now);
	}
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 65536U * 65535U);
	mptun_sent_abandon(&t->s, &t->res);
	KUNIT_EXPECT_EQ(test, t->res.lost_bytes, 65536U * 65535U);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
}

/* Times as given by callers that read the clock before they got the lock. */
static void mptun_sent_test_clock(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 number;

	mptun_sent_test_send(test, 1);
	KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
	number = mptun_sent_add(&t->s, 1, 1000, t->now - NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_sent_slot(&t->s, number)->sent_ns,
			t->now - NSEC_PER_USEC);

	/* A report that seems to be older than what it acknowledges. */
	t->now -= NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, t->res.rtt_us, 0U);
	KUNIT_EXPECT_EQ(test, t->rtt.latest_us, 1U);
}

/* A new number space forgets the old one entirely. */
static void mptun_sent_test_reset(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u32 dsn;

	mptun_sent_test_send(test, 1000);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 300, 300), 0);
	t->s.threshold = 100;
	mptun_sent_reset(&t->s, 7);
	KUNIT_EXPECT_EQ(test, t->s.in_flight, 0U);
	KUNIT_EXPECT_EQ(test, t->s.threshold, MPTUN_SENT_PACKETS_MIN);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s), 7ULL);
	KUNIT_EXPECT_EQ(test, mptun_sent_loss_deadline(&t->s), U64_MAX);
	KUNIT_EXPECT_FALSE(test, mptun_sent_oldest_dsn(&t->s, &dsn));
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.ring), 128U);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 300, 300), -EINVAL);

	KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
	KUNIT_EXPECT_EQ(test, mptun_sent_add(&t->s, 1, 1, t->now), 7ULL);
}

/* The oldest outstanding packet and the last answer set the timeout; packets
 * sent since do not put it off.
 */
static void mptun_sent_test_pto(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 sent = t->now;
	u64 pto;

	pto = (u64)mptun_rtt_pto_us(&t->rtt) * NSEC_PER_USEC;
	mptun_sent_test_send(test, 2);
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt),
			sent + pto);
	t->now += 100 * NSEC_PER_MSEC;
	mptun_sent_test_send(test, 2);
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt),
			sent + pto);

	t->now += 10 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 1), 0);
	pto = (u64)mptun_rtt_pto_us(&t->rtt) * NSEC_PER_USEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt),
			max(t->now + pto / 2, sent + 100 * NSEC_PER_MSEC +
			    2000 + pto));
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 0, 3), 0);
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt), U64_MAX);

	/* The report on a single small one takes longer. */
	sent = t->now;
	mptun_sent_test_send(test, 1);
	pto = (u64)mptun_rtt_pto_us(&t->rtt) * NSEC_PER_USEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_pto_deadline(&t->s, &t->rtt),
			sent + pto + 17 * NSEC_PER_MSEC);
}

/* A report that repeats old ranges costs its ranges, not the window: each
 * acknowledged run is stepped over as a whole.
 */
static void mptun_sent_test_runs(struct kunit *test)
{
	struct mptun_sent_test *t = test->priv;
	u64 f = MPTUN_SENT_TEST_FIRST;

	mptun_sent_test_send(test, 2000);
	t->now += NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 999), 0);
	KUNIT_EXPECT_EQ(test, mptun_sent_slot(&t->s, f + 1)->run, 999U);
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 1499), 0);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 500U);
	KUNIT_EXPECT_EQ(test, mptun_sent_slot(&t->s, f + 1)->run, 1499U);
	/* An older report is overtaken: the run stays. */
	KUNIT_EXPECT_EQ(test, mptun_sent_test_ack(test, 1, 500), 0);
	KUNIT_EXPECT_EQ(test, mptun_sent_slot(&t->s, f + 1)->run, 1499U);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 0U);
	KUNIT_EXPECT_EQ(test, t->s.oldest, f + 1500);
}

static struct kunit_case mptun_sent_cases[] = {
	KUNIT_CASE(mptun_sent_test_outage),
	KUNIT_CASE(mptun_sent_test_simple),
	KUNIT_CASE(mptun_sent_test_absurd),
	KUNIT_CASE(mptun_sent_test_forged),
	KUNIT_CASE(mptun_sent_test_old_spans),
	KUNIT_CASE(mptun_sent_test_limited),
	KUNIT_CASE(mptun_sent_test_late),
	KUNIT_CASE(mptun_sent_test_growth),
	KUNIT_CASE(mptun_sent_test_memory),
	KUNIT_CASE(mptun_sent_test_several),
	KUNIT_CASE(mptun_sent_test_numbers),
	KUNIT_CASE(mptun_sent_test_largest),
	KUNIT_CASE(mptun_sent_test_clock),
	KUNIT_CASE(mptun_sent_test_reset),
	KUNIT_CASE(mptun_sent_test_pto),
	KUNIT_CASE(mptun_sent_test_runs),
	{}
};

static struct kunit_suite mptun_sent_suite = {
	.name = "mptun_sent",
	.init = mptun_sent_test_init,
	.exit = mptun_sent_test_exit,
	.test_cases = mptun_sent_cases,
};

kunit_test_suite(mptun_sent_suite);
