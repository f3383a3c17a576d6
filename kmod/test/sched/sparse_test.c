// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of sparse flows: which are, and which path takes their packets.
 */
#include <kunit/test.h>

#include "sched/sparse.h"

/* 16 Mbit/s in bytes per second: a full packet takes 0.75 ms */
#define MPTUN_SPARSE_TEST_RATE	2000000ULL

#define MPTUN_SPARSE_TEST_FULL	1500U

static int mptun_sparse_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct mptun_sparse),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

/* Sends a packet as tx/place.c does. Returns whether it is sparse. */
static bool mptun_sparse_test_send(struct mptun_sparse *s, u16 lane, u32 bytes,
				   u64 rate, u64 now)
{
	if (!mptun_sparse_may(s, lane, now)) {
		mptun_sparse_bulk(s, lane, now);
		return false;
	}
	return mptun_sparse_charge(s, lane, bytes, rate, now);
}

/* Sends packets at an interval for two seconds. Returns the sparse ones. */
static u32 mptun_sparse_test_flow(struct mptun_sparse *s, u16 lane, u32 bytes,
				  u64 rate, u64 interval)
{
	u64 now, start = 5ULL * NSEC_PER_SEC;
	u32 n = 0;

	for (now = start; now < start + 2ULL * NSEC_PER_SEC; now += interval)
		n += mptun_sparse_test_send(s, lane, bytes, rate, now);
	return n;
}

/* A call is sparse, on a path of 1 Mbit/s as well; a download is not. */
static void mptun_sparse_test_kinds(struct kunit *test)
{
	u64 rate = MPTUN_SPARSE_TEST_RATE;

	KUNIT_EXPECT_EQ(test, mptun_sparse_test_flow(test->priv, 1, 200, rate,
						     20 * NSEC_PER_MSEC), 100);
	KUNIT_EXPECT_EQ(test, mptun_sparse_test_flow(test->priv, 2, 200,
						     rate / 16,
						     20 * NSEC_PER_MSEC), 100);
	KUNIT_EXPECT_LE(test, mptun_sparse_test_flow(test->priv, 3,
						     MPTUN_SPARSE_TEST_FULL,
						     rate, NSEC_PER_MSEC), 5);
}

/* A video call: 30 frames a second of 4 packets each are all sparse. */
static void mptun_sparse_test_frames(struct kunit *test)
{
	u64 now = 5ULL * NSEC_PER_SEC, rate = MPTUN_SPARSE_TEST_RATE;
	int frame, i;
	u32 n = 0;

	for (frame = 0; frame < 60; frame++) {
		for (i = 0; i < 4; i++)
			n += mptun_sparse_test_send(test->priv, 1, 1190, rate,
						    now);
		now += NSEC_PER_SEC / 30;
	}
	KUNIT_EXPECT_EQ(test, n, 240);
}

/* A flow may be a round ahead: four full packets at 16 Mbit/s. */
static void mptun_sparse_test_quantum(struct kunit *test)
{
	u64 now = 7ULL * NSEC_PER_SEC;
	int n = 0;

	while (mptun_sparse_test_send(test->priv, 4, MPTUN_SPARSE_TEST_FULL,
				      MPTUN_SPARSE_TEST_RATE, now))
		n++;
	KUNIT_EXPECT_EQ(test, n, 4);
	/* After a pause it is sparse again. */
	now += 95 * NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(test->priv, 4, now));
}

/* A bulk flow without a pause stays one, however little it sends. */
static void mptun_sparse_test_pause(struct kunit *test)
{
	u64 now = 7ULL * NSEC_PER_SEC, rate = MPTUN_SPARSE_TEST_RATE;
	struct mptun_sparse *s = test->priv;
	int i;

	mptun_sparse_bulk(s, 5, now);
	for (i = 0; i < 10; i++) {
		now += 50 * NSEC_PER_MSEC;
		KUNIT_EXPECT_FALSE(test, mptun_sparse_test_send(s, 5, 60, rate,
								now));
	}
	now += 100 * NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, mptun_sparse_test_send(s, 5, 60, rate, now));
	/* Other lanes have nothing to do with it. */
	mptun_sparse_bulk(s, 5, now);
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(s, 6, now));
}

/* On a path of 100 kbit/s a bulk flow is not sparse between two packets, and a
 * debt that would last for long is forgotten.
 */
static void mptun_sparse_test_slow(struct kunit *test)
{
	u64 now = 7ULL * NSEC_PER_SEC, rate = 12500;

	KUNIT_EXPECT_TRUE(test, mptun_sparse_test_send(test->priv, 7, 1500,
						       rate, now));
	now += 120 * NSEC_PER_MSEC;
	KUNIT_EXPECT_FALSE(test, mptun_sparse_test_send(test->priv, 7, 1500,
							rate, now));
	now += 500 * NSEC_PER_MSEC;
	KUNIT_EXPECT_FALSE(test, mptun_sparse_may(test->priv, 7, now));
	now += 500 * NSEC_PER_MSEC;
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(test->priv, 7, now));
}

/* Many flows, each of which is sparse, take a quarter of the path. */
static void mptun_sparse_test_all(struct kunit *test)
{
	u64 now, start = 9ULL * NSEC_PER_SEC, rate = MPTUN_SPARSE_TEST_RATE;
	u64 bytes = 0;
	u16 lane;

	for (now = start; now < start + NSEC_PER_SEC; now += 10 * NSEC_PER_MSEC)
		for (lane = 0; lane < 100; lane++)
			if (mptun_sparse_test_send(test->priv, lane, 1000,
						   rate, now))
				bytes += 1000;
	KUNIT_EXPECT_GT(test, bytes, rate / 4 - rate / 20);
	KUNIT_EXPECT_LT(test, bytes, rate / 4 + rate / 20);
}

/* The clock of a lane overflows. */
static void mptun_sparse_test_wrap(struct kunit *test)
{
	u64 wrap = ((u64)U32_MAX + 1) << MPTUN_SPARSE_SHIFT;
	u64 now = 3 * wrap - 5 * NSEC_PER_MSEC;

	mptun_sparse_bulk(test->priv, 8, now);
	KUNIT_EXPECT_FALSE(test, mptun_sparse_may(test->priv, 8,
						  now + 20 * NSEC_PER_MSEC));
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(test->priv, 8,
						 now + 101 * NSEC_PER_MSEC));
	/* Values of the past are none of the future. */
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(test->priv, 8,
						 now + wrap / 2));
	KUNIT_EXPECT_TRUE(test, mptun_sparse_may(test->priv, 8,
						 now + 3 * wrap / 4));
}

static void mptun_sparse_test_pick(struct kunit *test)
{
	struct mptun_sched_cand cand[] = {
		{ .eligible = true, .arrival_us = 30000, .room = 9000 },
		{ .eligible = true, .arrival_us = 9000 },
		{ .arrival_us = 5000, .room = 9000 },
	};

	/* The earliest one, though it has no room */
	KUNIT_EXPECT_EQ(test, mptun_sparse_pick(cand, 3), 1);
	cand[1].eligible = false;
	KUNIT_EXPECT_EQ(test, mptun_sparse_pick(cand, 3), 0);
	cand[0].arrival_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sparse_pick(cand, 3), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_sparse_pick(cand, 0), -EAGAIN);
}

static void mptun_sparse_test_fits(struct kunit *test)
{
	struct mptun_sched_cand c = { .cwnd = 10000, .in_flight = 10000 };

	/* A full window, one that was halved, and less */
	KUNIT_EXPECT_TRUE(test, mptun_sparse_fits(&c, 100));
	c.in_flight = 20000;
	KUNIT_EXPECT_TRUE(test, mptun_sparse_fits(&c, 100));
	c.in_flight = 20002;
	KUNIT_EXPECT_FALSE(test, mptun_sparse_fits(&c, 100));
	c.room = 100;
	KUNIT_EXPECT_TRUE(test, mptun_sparse_fits(&c, 100));

	/* PROBE_RTT: 16 Mbit/s, 30 ms, and a little more than that in flight */
	c = (struct mptun_sched_cand){
		.rate = 2000000, .min_rtt_us = 30000,
		.cwnd = 30000, .in_flight = 75000,
	};
	KUNIT_EXPECT_TRUE(test, mptun_sparse_fits(&c, 100));
	c.in_flight = 120002;
	KUNIT_EXPECT_FALSE(test, mptun_sparse_fits(&c, 100));
}

static struct kunit_case mptun_sparse_cases[] = {
	KUNIT_CASE(mptun_sparse_test_kinds),
	KUNIT_CASE(mptun_sparse_test_frames),
	KUNIT_CASE(mptun_sparse_test_quantum),
	KUNIT_CASE(mptun_sparse_test_pause),
	KUNIT_CASE(mptun_sparse_test_slow),
	KUNIT_CASE(mptun_sparse_test_all),
	KUNIT_CASE(mptun_sparse_test_wrap),
	KUNIT_CASE(mptun_sparse_test_pick),
	KUNIT_CASE(mptun_sparse_test_fits),
	{}
};

static struct kunit_suite mptun_sparse_suite = {
	.name = "mptun_sparse",
	.init = mptun_sparse_test_init,
	.test_cases = mptun_sparse_cases,
};

kunit_test_suite(mptun_sparse_suite);
