// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the pacer.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>

#include "recovery/pacing.h"

#define MPTUN_PACER_TEST_MSS	1500
#define MPTUN_PACER_TEST_START	(3ULL * NSEC_PER_SEC)

static u32 mptun_pacer_test_room(const struct mptun_pacer *p, u64 rate, u32 mss,
				 u64 now)
{
	return mptun_pacer_room(p, rate, mptun_pacer_burst(rate, mss, 0), now);
}

static u64 mptun_pacer_test_ready(const struct mptun_pacer *p, u64 rate,
				  u32 mss, u64 now)
{
	return mptun_pacer_ready(p, rate, mptun_pacer_burst(rate, mss, 0), now);
}

static void mptun_pacer_test_owe(struct mptun_pacer *p, u64 rate, u32 mss,
				 u32 bytes)
{
	mptun_pacer_owe(p, rate, mptun_pacer_burst(rate, mss, 0), bytes);
}

static void mptun_pacer_test_unlimited(struct kunit *test)
{
	struct mptun_pacer p = {};

	mptun_pacer_charge(&p, 0, U32_MAX, 1000);
	KUNIT_EXPECT_EQ(test, mptun_pacer_room(&p, 0, 3000, 1000), U32_MAX);
	KUNIT_EXPECT_EQ(test, mptun_pacer_ready(&p, 0, 3000, 1000), 1000ULL);
}

static void mptun_pacer_test_burst(struct kunit *test)
{
	/* 1 ms of 100 Mbit/s */
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(12500000, 1500, 0), 12500U);
	/* two packets at least */
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(125000, 1500, 0), 3000U);
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(1, 65535, 0), 131070U);
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(U64_MAX, 1500, 0), U32_MAX);
	/* two ticks at 100 Hz, and at 1000 Hz */
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(12500000, 1500, 10000000),
			250000U);
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(12500000, 1500, 1000000),
			25000U);
	KUNIT_EXPECT_EQ(test, mptun_pacer_burst(U64_MAX, 1500, 10000000),
			U32_MAX);
}

/* An idle pacer grants the allowance and not a byte more. */
static void mptun_pacer_test_rest(struct kunit *test)
{
	u64 now = MPTUN_PACER_TEST_START;
	struct mptun_pacer p = {};
	u64 rate = 125000;

	KUNIT_EXPECT_EQ(test, mptun_pacer_test_room(&p, rate, 1500, now),
			3000U);
	mptun_pacer_charge(&p, rate, 3000, now);
	KUNIT_EXPECT_EQ(test, mptun_pacer_test_room(&p, rate, 1500, now), 0U);
	/* half of the allowance is a packet, 12 ms */
	KUNIT_EXPECT_EQ(test, mptun_pacer_test_ready(&p, rate, 1500, now),
			now + 12 * NSEC_PER_MSEC);
	now += 3600ULL * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, mptun_pacer_test_room(&p, rate, 1500, now),
			3000U);
	KUNIT_EXPECT_EQ(test, mptun_pacer_test_ready(&p, rate, 1500, now), now);
}

/* At the time mptun_pacer_ready() names, a packet may always be sent: else a
 * timer would fire without end.
 */
static void mptun_pacer_test_no_spin(struct kunit *test)
{
	struct mptun_pacer p = {};
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 4725);
	for (i = 0; i < 20000; i++) {
		u32 mss = 68 + prandom_u32_state(&rnd) % 9000;
		u64 rate = prandom_u32_state(&rnd);
		u64 now = prandom_u32_state(&rnd);

		rate <<= prandom_u32_state(&rnd) % 8;
		rate = div_u64(rate, 1 + prandom_u32_state(&rnd) % 1000) + 1;
		mptun_pacer_reset(&p);
		mptun_pacer_charge(&p, rate, prandom_u32_state(&rnd) % 100000,
				   now);
		now = mptun_pacer_test_ready(&p, rate, mss, now);
		KUNIT_ASSERT_GE(test, mptun_pacer_test_room(&p, rate, mss, now),
				mss);
	}
}

/* A packet larger than a full one, left over from a larger MTU, is never let
 * pass by a small allowance; that is why the caller names the larger of both.
 */
static void mptun_pacer_test_large(struct kunit *test)
{
	u64 rate = 592000, now = MPTUN_PACER_TEST_START;
	u32 sizes[] = { 2961, 9036, 65535 };
	struct mptun_pacer p;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		mptun_pacer_reset(&p);
		KUNIT_EXPECT_LT(test,
				mptun_pacer_test_room(&p, rate, 1480, now),
				sizes[i]);
		KUNIT_EXPECT_GE(test,
				mptun_pacer_test_room(&p, rate, sizes[i], now),
				sizes[i]);
		mptun_pacer_charge(&p, rate, 2 * sizes[i], now);
		now = mptun_pacer_test_ready(&p, rate, sizes[i], now);
		KUNIT_EXPECT_GE(test,
				mptun_pacer_test_room(&p, rate, sizes[i], now),
				sizes[i]);
	}
}

/* Sends as mptun does, with a timer that fires up to @late ns late, and only at
 * multiples of @tick ns.  Returns the bytes sent in ten seconds.
 */
static u64 mptun_pacer_test_run(struct kunit *test, u64 rate, u32 late,
				u32 tick)
{
	u64 now = MPTUN_PACER_TEST_START, end = now + 10ULL * NSEC_PER_SEC;
	u32 burst = mptun_pacer_burst(rate, MPTUN_PACER_TEST_MSS, tick);
	struct mptun_pacer p = {};
	struct rnd_state rnd;
	u64 sent = 0, limit, ready;

	prandom_seed_state(&rnd, rate);
	while (now < end) {
		limit = div_u64(now - MPTUN_PACER_TEST_START, NSEC_PER_USEC) +
			1;
		limit = div_u64(limit * rate, USEC_PER_SEC) + burst;
		while (mptun_pacer_room(&p, rate, burst, now) >=
		       MPTUN_PACER_TEST_MSS) {
			mptun_pacer_charge(&p, rate, MPTUN_PACER_TEST_MSS, now);
			sent += MPTUN_PACER_TEST_MSS;
			KUNIT_ASSERT_LE(test, sent, limit);
		}
		ready = mptun_pacer_ready(&p, rate, burst, now);
		KUNIT_ASSERT_GT(test, ready, now);
		now = ready;
		now += late ? prandom_u32_state(&rnd) % late : 0;
		now = div_u64(now + tick - 1, tick) * tick;
	}
	return sent;
}

/* The long-term rate is exact, from 100 kbit/s to 100 Gbit/s, also with late
 * timers, or with timers that only ticks start, at 1000, 250 and 100 Hz.
 */
static void mptun_pacer_test_rate(struct kunit *test)
{
	static const u64 rates[] = {
		12500, 125000, 2000000, 12500000, 125000000, 12500000000ULL
	};
	static const u32 ticks[] = { 1000000, 4000000, 10000000 };
	u64 want, sent;
	int i, t;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		want = div_u64(rates[i] * 99, 10);
		sent = mptun_pacer_test_run(test, rates[i], 0, 1);
		KUNIT_EXPECT_GE(test, sent, want);
		sent = mptun_pacer_test_run(test, rates[i],
					    400 * NSEC_PER_USEC, 1);
		KUNIT_EXPECT_GE(test, sent, want);
		for (t = 0; t < ARRAY_SIZE(ticks); t++) {
			sent = mptun_pacer_test_run(test, rates[i], 0,
						    ticks[t]);
			KUNIT_EXPECT_GE(test, sent, want);
		}
	}
}

/* No wrap and no division by zero wherever the caller's numbers come from. */
static void mptun_pacer_test_extremes(struct kunit *test)
{
	static const u64 rates[] = { 1, 2, NSEC_PER_SEC, U64_MAX };
	struct mptun_pacer p;
	u64 now = NSEC_PER_SEC;
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		mptun_pacer_reset(&p);
		mptun_pacer_charge(&p, rates[i], 0, now);
		KUNIT_EXPECT_EQ(test, p.next_ns, now);
		mptun_pacer_charge(&p, rates[i], 65535, now);
		KUNIT_EXPECT_GT(test, p.next_ns, now);
		KUNIT_EXPECT_LE(test, p.next_ns, now + 65535ULL * NSEC_PER_SEC);
		mptun_pacer_test_room(&p, rates[i], 1, now);
		KUNIT_EXPECT_GE(test,
				mptun_pacer_test_ready(&p, rates[i], 1, now),
				now);
		KUNIT_EXPECT_GE(test,
				mptun_pacer_test_room(&p, rates[i], 1, U64_MAX),
				2U);
	}
}

/* A debt whose bytes do not fit into 64 bits still is a debt. */
static void mptun_pacer_test_debt(struct kunit *test)
{
	u64 now = MPTUN_PACER_TEST_START, rate = 1ULL << 33;
	struct mptun_pacer p = { .next_ns = now + (1ULL << 31) + 1 };

	KUNIT_EXPECT_EQ(test, mptun_pacer_test_room(&p, rate, 1500, now), 0U);
	KUNIT_EXPECT_GT(test, mptun_pacer_test_ready(&p, rate, 1500, now),
			now + 2ULL * NSEC_PER_SEC);
}

/* Data pays for the reports sent before it, each byte for one more at most. */
static void mptun_pacer_test_owed(struct kunit *test)
{
	u64 next = MPTUN_PACER_TEST_START, rate = 125000;
	struct mptun_pacer p = {};

	mptun_pacer_test_owe(&p, rate, 1500, 100);
	KUNIT_EXPECT_EQ(test, p.next_ns, 0ULL);
	mptun_pacer_charge(&p, rate, 1500, next);
	next += 12800 * NSEC_PER_USEC;
	KUNIT_EXPECT_EQ(test, p.next_ns, next);
	mptun_pacer_test_owe(&p, rate, 1500, 700);
	mptun_pacer_charge(&p, rate, 500, next);
	next += 8 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, p.next_ns, next);
	mptun_pacer_charge(&p, rate, 500, next);
	next += 5600 * NSEC_PER_USEC;
	KUNIT_EXPECT_EQ(test, p.next_ns, next);

	/* at most an allowance, and nothing without a limit */
	mptun_pacer_test_owe(&p, rate, 1500, 2900);
	mptun_pacer_test_owe(&p, rate, 1500, U32_MAX);
	mptun_pacer_charge(&p, rate, 30000, next);
	next += 264 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, p.next_ns, next);
	mptun_pacer_test_owe(&p, 0, 1500, 1000);
	mptun_pacer_charge(&p, rate, 1500, next);
	next += 12 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, p.next_ns, next);
}

static struct kunit_case mptun_pacer_cases[] = {
	KUNIT_CASE(mptun_pacer_test_unlimited),
	KUNIT_CASE(mptun_pacer_test_burst),
	KUNIT_CASE(mptun_pacer_test_rest),
	KUNIT_CASE(mptun_pacer_test_no_spin),
	KUNIT_CASE(mptun_pacer_test_large),
	KUNIT_CASE(mptun_pacer_test_rate),
	KUNIT_CASE(mptun_pacer_test_debt),
	KUNIT_CASE(mptun_pacer_test_owed),
	KUNIT_CASE(mptun_pacer_test_extremes),
	{}
};

static struct kunit_suite mptun_pacer_suite = {
	.name = "mptun_pacer",
	.test_cases = mptun_pacer_cases,
};

kunit_test_suite(mptun_pacer_suite);
