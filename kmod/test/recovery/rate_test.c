// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the delivery rate.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "recovery/rate_sample.h"

#define MPTUN_RATE_TEST_BPS	2000000ULL

/* A path with a queue of 20 ms, whose clock is about to wrap. */
static void mptun_rate_test_rtt(struct mptun_rtt *rtt, u32 latest_us)
{
	memset(rtt, 0, sizeof(*rtt));
	rtt->valid = true;
	rtt->min_us = 20000;
	rtt->srtt_us = latest_us;
	rtt->latest_us = latest_us;
}

static u32 mptun_rate_test_run(struct mptun_rate *r,
			       const struct mptun_rtt *rtt, u64 bps, u32 us,
			       unsigned int reports)
{
	u64 bytes = r->bytes;

	while (reports--) {
		mptun_rate_report(r, bytes, us, rtt, false);
		us += 2500;
		bytes += div_u64(bps * 2500, USEC_PER_SEC);
	}
	return us;
}

static void mptun_rate_test_busy(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 40000);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
	mptun_rate_test_run(&r, &rtt, MPTUN_RATE_TEST_BPS, U32_MAX - 50000,
			    100);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS);
}

/* The few packets of an idle path do not show its capacity. */
static void mptun_rate_test_idle(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 20500);
	mptun_rate_test_run(&r, &rtt, 1000, 0, 100);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
}

/* Nor do those of a path with jitter that had too little to send; but they may
 * show that it carries more than was known.
 */
static void mptun_rate_test_limited(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;
	u32 us = 40000;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 40000);
	mptun_rate_report(&r, 1000, us, &rtt, false);
	mptun_rate_report(&r, 1100, us += 40000, &rtt, true);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
	us = mptun_rate_test_run(&r, &rtt, MPTUN_RATE_TEST_BPS, us, 100);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS);
	mptun_rate_report(&r, r.bytes + 100, us += 40000, &rtt, true);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS);
	mptun_rate_report(&r, r.bytes + MPTUN_RATE_TEST_BPS / 10, us += 40000,
			  &rtt, true);
	KUNIT_EXPECT_GT(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS);
	rtt.latest_us = rtt.min_us;
	mptun_rate_report(&r, r.bytes + 100, us + 40000, &rtt, true);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
}

/* What was known of a busy path is no longer true of an idle one. */
static void mptun_rate_test_forgets(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;
	u32 us;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 40000);
	us = mptun_rate_test_run(&r, &rtt, 1000, 0, 100);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 800ULL);
	mptun_rate_test_rtt(&rtt, 20500);
	us = mptun_rate_test_run(&r, &rtt, 1000, us, 10);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);

	mptun_rate_test_rtt(&rtt, 40000);
	us = mptun_rate_test_run(&r, &rtt, MPTUN_RATE_TEST_BPS, us, 100);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS);
	us += MPTUN_RATE_MAX_US;
	mptun_rate_report(&r, r.bytes + 1, us, &rtt, false);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
}

/* A slower path is accepted after two epochs at most. */
static void mptun_rate_test_slower(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;
	u32 us;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 40000);
	us = mptun_rate_test_run(&r, &rtt, MPTUN_RATE_TEST_BPS, 1000, 100);
	r.valid = false;
	mptun_rate_test_run(&r, &rtt, MPTUN_RATE_TEST_BPS / 4, us, 400);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), MPTUN_RATE_TEST_BPS / 4);
}

/* Reports that overtake each other, pauses and absurd values do no harm. */
static void mptun_rate_test_odd(struct kunit *test)
{
	struct mptun_rate r;
	struct mptun_rtt rtt;

	mptun_rate_init(&r);
	mptun_rate_test_rtt(&rtt, 40000);
	mptun_rate_report(&r, 100000, 50000, &rtt, false);
	mptun_rate_report(&r, 90000, 45000, &rtt, false);
	mptun_rate_report(&r, 110000, 50000, &rtt, false);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
	mptun_rate_report(&r, 100000 + 40000, 50000 + 20000, &rtt, false);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 2000000ULL);
	mptun_rate_report(&r, 200000, 70000 + 2 * USEC_PER_SEC, &rtt, false);
	mptun_rate_report(&r, U64_MAX, 70000 + 2 * USEC_PER_SEC + 30000, &rtt,
			  false);
	KUNIT_EXPECT_EQ(test, mptun_rate_get(&r), 0ULL);
}

static struct kunit_case mptun_rate_test_cases[] = {
	KUNIT_CASE(mptun_rate_test_busy),
	KUNIT_CASE(mptun_rate_test_idle),
	KUNIT_CASE(mptun_rate_test_limited),
	KUNIT_CASE(mptun_rate_test_forgets),
	KUNIT_CASE(mptun_rate_test_slower),
	KUNIT_CASE(mptun_rate_test_odd),
	{}
};

static struct kunit_suite mptun_rate_test_suite = {
	.name = "mptun_rate",
	.test_cases = mptun_rate_test_cases,
};

kunit_test_suite(mptun_rate_test_suite);
