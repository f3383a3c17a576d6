// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "lia": the arithmetic of coupled windows.
 * test/cc/sim_lia_test.c shares a link among them.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "cc/lia.h"

#define MPTUN_LIA_TEST_MSS	1000U
#define MPTUN_LIA_TEST_PATHS	32

/**
 * struct mptun_lia_test - the paths of a tunnel
 * @peers: list of their windows
 * @cc: congestion states
 * @rtt: round-trip times
 * @now: time in ns
 */
struct mptun_lia_test {
	struct list_head peers;
	struct mptun_cc cc[MPTUN_LIA_TEST_PATHS];
	struct mptun_rtt rtt[MPTUN_LIA_TEST_PATHS];
	u64 now;
};

/* Acknowledges bytes sent in a full window. */
static void mptun_lia_test_ack(struct mptun_lia_test *t, int i, u32 bytes)
{
	struct mptun_cc_ack ack = {
		.now = t->now,
		.newest_sent_ns = t->now - 1,
		.bytes = bytes,
		.packets = DIV_ROUND_UP(bytes, MPTUN_LIA_TEST_MSS),
		.prior_in_flight = t->cc[i].cwnd,
		.window_limited = true,
		.rtt = &t->rtt[i],
	};

	mptun_cc_on_ack(&t->cc[i], &ack);
}

/* A path in congestion avoidance, just used. */
static void mptun_lia_test_path(struct mptun_lia_test *t, int i, u32 cwnd,
				u32 rtt_ms)
{
	int k;

	for (k = 0; k < 200; k++)
		mptun_rtt_sample(&t->rtt[i], rtt_ms * USEC_PER_MSEC, 0, t->now);
	t->cc[i].cwnd = cwnd;
	t->cc[i].ssthresh = cwnd;
	mptun_lia_test_ack(t, i, 1);
	mptun_lia_priv(&t->cc[i])->window.credit = 0;
}

/* Bytes to be acknowledged per packet of growth, now. */
static u64 mptun_lia_test_per_packet(struct mptun_lia_test *t, int i)
{
	mptun_lia_priv(&t->cc[i])->per_packet = 0;
	mptun_lia_test_ack(t, i, 1);
	return mptun_lia_priv(&t->cc[i])->per_packet;
}

static void mptun_lia_test_about(struct kunit *test, u64 value, u64 expected)
{
	KUNIT_EXPECT_GE(test, value, expected - div_u64(expected, 200));
	KUNIT_EXPECT_LE(test, value, expected + div_u64(expected, 200));
}

/* A single path behaves as newreno. */
static void mptun_lia_test_alone(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;

	mptun_lia_test_path(t, 0, 50000, 40);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	mptun_lia_test_ack(t, 0, 49999);
	KUNIT_EXPECT_EQ(test, t->cc[0].cwnd, 51000U);
}

/* Two equal windows: alpha = 1/2; together they grow by half a packet per round
 * trip, as fast as the rate of a single one.
 */
static void mptun_lia_test_equal(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;
	int i;

	mptun_lia_test_path(t, 0, 50000, 40);
	mptun_lia_test_path(t, 1, 50000, 40);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 200000);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 1), 200000);
	for (i = 0; i < 3; i++)
		mptun_lia_test_ack(t, 0, 50000);
	KUNIT_EXPECT_EQ(test, t->cc[0].cwnd, 50000U);
	mptun_lia_test_ack(t, 0, 50000);
	KUNIT_EXPECT_EQ(test, t->cc[0].cwnd, 51000U);
}

/* RFC 6356, section 2: rates of 5 and 0.5 MB/s; the best path has 20 ms.
 * (5.5 * 10^6)^2 / (10^5 / 0.02^2) = 121000
 */
static void mptun_lia_test_unequal(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;

	mptun_lia_test_path(t, 0, 100000, 20);
	mptun_lia_test_path(t, 1, 50000, 100);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 121000);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 1), 121000);

	/* The high-latency path has the higher rate, but the other one is the
	 * best path: (15 * 10^6)^2 / (10^5 / 0.02^2) = 900000
	 */
	mptun_lia_test_path(t, 1, 1000000, 100);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 900000);

	/* A large window on a high-latency path does not make it faster than
	 * newreno.
	 */
	mptun_lia_test_path(t, 1, 1000, 100);
	t->cc[0].cwnd = 500000;
	KUNIT_EXPECT_LE(test, t->cc[0].cwnd,
			mptun_lia_test_per_packet(t, 0) + 5000);
	mptun_lia_test_path(t, 0, 20000, 2);
	mptun_lia_test_path(t, 1, 900000, 400);
	KUNIT_EXPECT_LT(test, mptun_lia_test_per_packet(t, 1), 900000ULL);
	mptun_lia_priv(&t->cc[1])->window.credit = 0;
	mptun_lia_test_ack(t, 1, 450000);
	mptun_lia_test_ack(t, 1, 449999);
	KUNIT_EXPECT_EQ(test, t->cc[1].cwnd, 900000U);
	mptun_lia_test_ack(t, 1, 1);
	KUNIT_EXPECT_EQ(test, t->cc[1].cwnd, 901000U);
}

/* Paths of another group, with another controller, or not in use do not count.
 */
static void mptun_lia_test_group(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;

	mptun_lia_test_path(t, 0, 50000, 40);
	mptun_lia_test_path(t, 1, 50000, 40);
	t->cc[1].group = 7;
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 1), 50000);
	t->cc[0].group = 7;
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 200000);

	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc[1], "newreno"), 0);
	mptun_lia_test_path(t, 1, 50000, 40);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	KUNIT_EXPECT_EQ(test, mptun_cc_assign(&t->cc[1], "lia"), 0);
	mptun_lia_test_path(t, 1, 50000, 40);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 200000);

	t->now += NSEC_PER_SEC;
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	mptun_lia_test_ack(t, 1, 1);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 200000);
	mptun_cc_reset(&t->cc[1], MPTUN_LIA_TEST_MSS);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	mptun_lia_test_path(t, 1, 50000, 40);
	mptun_cc_leave(&t->cc[1]);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 50000);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 1), 50000);
	mptun_cc_join(&t->cc[1], &t->peers);
}

/* The sum is computed once per round trip, and after a reduction. */
static void mptun_lia_test_cost(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;
	struct mptun_lia *lia = mptun_lia_priv(&t->cc[0]);
	struct mptun_cc_ack ack = {
		.bytes = 1000,
		.packets = 1,
		.window_limited = true,
		.rtt = &t->rtt[0],
	};
	struct mptun_cc_loss loss = {
		.bytes = 1000,
		.packets = 1,
		.rtt = &t->rtt[0],
	};
	u64 began;

	mptun_lia_test_path(t, 0, 50000, 40);
	mptun_lia_test_path(t, 1, 50000, 40);
	mptun_lia_test_about(test, mptun_lia_test_per_packet(t, 0), 200000);
	began = t->now;
	mptun_lia_test_path(t, 1, 100000, 40);
	for (; t->now < began + 40 * NSEC_PER_MSEC; t->now += NSEC_PER_MSEC) {
		ack.now = t->now;
		ack.newest_sent_ns = began - 1;
		mptun_cc_on_ack(&t->cc[0], &ack);
		mptun_lia_test_about(test, lia->per_packet, 200000);
	}
	ack.newest_sent_ns = began;
	mptun_cc_on_ack(&t->cc[0], &ack);
	mptun_lia_test_about(test, lia->per_packet, 225000);

	loss.now = t->now;
	loss.newest_sent_ns = t->now - 1;
	mptun_cc_on_loss(&t->cc[0], &loss);
	KUNIT_EXPECT_EQ(test, t->cc[0].cwnd, 25000U);
	KUNIT_EXPECT_EQ(test, lia->per_packet, 0ULL);
}

/* Equal paths of the largest size: n^2 windows. */
static void mptun_lia_test_alike(struct kunit *test, u32 rtt_us)
{
	struct mptun_lia_test *t = test->priv;
	int i;

	for (i = 0; i < MPTUN_LIA_TEST_PATHS; i++) {
		t->cc[i].cwnd = 65536000;
		t->cc[i].srtt_us = rtt_us;
	}
	mptun_lia_couple(&t->cc[0], t->now);
	mptun_lia_test_about(test, mptun_lia_priv(&t->cc[0])->per_packet,
			     65536000ULL * 32 * 32);
}

/* 32 paths of any size do not overflow. 32 windows of 2^30 bytes with the
 * largest difference of round-trip times make less than 2^55.
 */
static void mptun_lia_test_absurd(struct kunit *test)
{
	struct mptun_lia_test *t = test->priv;
	struct rnd_state rnd;
	int round, i;

	prandom_seed_state(&rnd, 6356);
	for (round = 0; round < 2000; round++) {
		for (i = 0; i < MPTUN_LIA_TEST_PATHS; i++) {
			struct mptun_cc *cc = &t->cc[i];

			cc->cwnd = prandom_u32_state(&rnd) >>
				   (2 + prandom_u32_state(&rnd) % 20);
			cc->cwnd = clamp(cc->cwnd, 2000U,
					 mptun_cc_max_window(cc));
			cc->acked_ns = t->now;
			cc->srtt_us = prandom_u32_state(&rnd) >>
				      (prandom_u32_state(&rnd) % 32);
		}
		mptun_lia_couple(&t->cc[0], t->now);
		KUNIT_ASSERT_LE(test, mptun_lia_priv(&t->cc[0])->per_packet,
				1ULL << 55);
	}
	mptun_lia_test_alike(test, MPTUN_RTT_MAX_US);
	mptun_lia_test_alike(test, 600);
}

static int mptun_lia_test_init(struct kunit *test)
{
	struct mptun_lia_test *t;
	int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	INIT_LIST_HEAD(&t->peers);
	t->now = 50ULL * NSEC_PER_SEC;
	for (i = 0; i < MPTUN_LIA_TEST_PATHS; i++) {
		mptun_rtt_init(&t->rtt[i]);
		KUNIT_ASSERT_EQ(test, mptun_cc_assign(&t->cc[i], "lia"), 0);
		mptun_cc_reset(&t->cc[i], MPTUN_LIA_TEST_MSS);
		mptun_cc_join(&t->cc[i], &t->peers);
	}
	return 0;
}

static struct kunit_case mptun_lia_cases[] = {
	KUNIT_CASE(mptun_lia_test_alone),
	KUNIT_CASE(mptun_lia_test_equal),
	KUNIT_CASE(mptun_lia_test_unequal),
	KUNIT_CASE(mptun_lia_test_group),
	KUNIT_CASE(mptun_lia_test_cost),
	KUNIT_CASE(mptun_lia_test_absurd),
	{}
};

static struct kunit_suite mptun_lia_suite = {
	.name = "mptun_cc_lia",
	.init = mptun_lia_test_init,
	.test_cases = mptun_lia_cases,
};

kunit_test_suite(mptun_lia_suite);
