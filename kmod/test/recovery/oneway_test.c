// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of how long packets wait on their way there.
 */
#include <kunit/test.h>

#include "recovery/rate_sample.h"

#define MPTUN_ONEWAY_TEST_START	(1000ULL * NSEC_PER_SEC)

/**
 * struct mptun_oneway_test - a path with a packet per millisecond
 * @o: what is tested
 * @now: when the next one is sent, in ns
 * @clock_us: what the receiver's clock is ahead
 */
struct mptun_oneway_test {
	struct mptun_oneway o;
	u64 now;
	u32 clock_us;
};

static int mptun_oneway_test_init(struct kunit *test)
{
	struct mptun_oneway_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = MPTUN_ONEWAY_TEST_START;
	/* about to wrap */
	t->clock_us = -1000050000U;
	test->priv = t;
	return 0;
}

/* Packets with this delay; returns their queueing delay. */
static u32 mptun_oneway_test_send(struct mptun_oneway_test *t, u32 us,
				  unsigned int n)
{
	u32 sent_us;

	while (n--) {
		sent_us = div_u64(t->now, NSEC_PER_USEC);
		mptun_oneway_sample(&t->o, t->now, sent_us + t->clock_us + us,
				    t->now + 40 * NSEC_PER_MSEC);
		t->now += NSEC_PER_MSEC;
	}
	return mptun_oneway_queue_us(&t->o);
}

/* What takes longer than the smallest mean waits, also across a wrap. */
static void mptun_oneway_test_queue(struct kunit *test)
{
	struct mptun_oneway_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_oneway_queue_us(&t->o), 0U);
	KUNIT_EXPECT_EQ(test, mptun_oneway_test_send(t, 25000, 100), 0U);
	KUNIT_EXPECT_EQ(test, mptun_oneway_test_send(t, 33000, 1), 1000U);
	KUNIT_EXPECT_GE(test, mptun_oneway_test_send(t, 33000, 100), 7990U);
	KUNIT_EXPECT_LE(test, mptun_oneway_test_send(t, 33000, 100), 8000U);
	KUNIT_EXPECT_EQ(test, mptun_oneway_test_send(t, 24000, 100), 0U);
	KUNIT_EXPECT_GE(test, mptun_oneway_test_send(t, 33000, 100), 8990U);
}

/* Jitter is no queue, and hides none, whether the first packet is early or late
 * and after an idle time.
 */
static void mptun_oneway_test_jitter(struct kunit *test)
{
	struct mptun_oneway_test *t = test->priv;
	u32 queue_us, early;
	int i;

	for (early = 0; early < 2; early++) {
		for (i = 0; i < 1000; i++) {
			queue_us = mptun_oneway_test_send(t, i % 2 == early ?
							  45000 : 5000, 1);
			if (i > 60)
				KUNIT_ASSERT_LE(test, queue_us, 5000U);
		}
		for (i = 0; i < 100; i++)
			queue_us = mptun_oneway_test_send(t, i % 2 == early ?
							  55000 : 15000, 1);
		KUNIT_EXPECT_GE(test, queue_us, 10000U);
		KUNIT_EXPECT_LE(test, queue_us, 15000U);
		t->now += 60 * (u64)NSEC_PER_SEC;
	}
}

/* A route that has become longer is no queue after 5 to 10 seconds. */
static void mptun_oneway_test_route(struct kunit *test)
{
	struct mptun_oneway_test *t = test->priv;

	mptun_oneway_test_send(t, 25000, 2000);
	KUNIT_EXPECT_GE(test, mptun_oneway_test_send(t, 45000, 5000), 19990U);
	KUNIT_EXPECT_EQ(test, mptun_oneway_test_send(t, 45000, 5000), 0U);
}

/* Clocks that drift apart by 200 us per second make no queue of more than
 * 2 ms.
 */
static void mptun_oneway_test_drift(struct kunit *test)
{
	struct mptun_oneway_test *t = test->priv;
	int i;

	for (i = 0; i < 300; i++, t->clock_us += 20)
		KUNIT_EXPECT_LE(test, mptun_oneway_test_send(t, 25000, 100),
				2000U);
}

/* The delay is known from the first sample on, for a minute after the last.
 * The newest packet left the queue one delay before it arrived, however long it
 * was in the queue and its acknowledgment on the way.
 */
static void mptun_oneway_test_since(struct kunit *test)
{
	struct mptun_oneway_test *t = test->priv;
	struct mptun_oneway_delays d;
	u64 sent_ns;

	KUNIT_EXPECT_FALSE(test, mptun_oneway_get(&t->o, t->now, &d));
	mptun_oneway_test_send(t, 25000, 1);
	KUNIT_EXPECT_TRUE(test, mptun_oneway_get(&t->o, t->now, &d));
	KUNIT_EXPECT_EQ(test, d.least_us - t->clock_us, 25000U);

	mptun_oneway_test_send(t, 25000, 7);
	sent_ns = t->now;
	mptun_oneway_test_send(t, 65000, 1);
	mptun_oneway_get(&t->o, sent_ns, &d);
	KUNIT_EXPECT_EQ(test, d.since_us, 0U);
	mptun_oneway_get(&t->o, sent_ns + 300 * (u64)NSEC_PER_MSEC, &d);
	KUNIT_EXPECT_EQ(test, d.since_us, 260000U);
	KUNIT_EXPECT_EQ(test, d.queue_us, mptun_oneway_queue_us(&t->o));
	t->now += 50 * (u64)NSEC_PER_SEC;
	KUNIT_EXPECT_TRUE(test, mptun_oneway_get(&t->o, t->now, &d));
	KUNIT_EXPECT_EQ(test, d.least_us - t->clock_us, 25000U);
	t->now += 11 * (u64)NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, mptun_oneway_get(&t->o, t->now, &d));
}

static struct kunit_case mptun_oneway_test_cases[] = {
	KUNIT_CASE(mptun_oneway_test_queue),
	KUNIT_CASE(mptun_oneway_test_jitter),
	KUNIT_CASE(mptun_oneway_test_route),
	KUNIT_CASE(mptun_oneway_test_drift),
	KUNIT_CASE(mptun_oneway_test_since),
	{}
};

static struct kunit_suite mptun_oneway_test_suite = {
	.name = "mptun_oneway",
	.init = mptun_oneway_test_init,
	.test_cases = mptun_oneway_test_cases,
};

kunit_test_suite(mptun_oneway_test_suite);
