// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the losses of the last minute.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "recovery/recent.h"

#define MPTUN_RECENT_TEST_START	(1234567ULL * NSEC_PER_MSEC)
#define MPTUN_RECENT_TEST_MINUTE \
	(MPTUN_RECENT_STEPS * MPTUN_RECENT_STEP_NS)

static void mptun_recent_test_add(struct mptun_recent *r, u32 acked, u32 lost,
				  u32 spurious, u64 now)
{
	const struct mptun_sent_result res = {
		.acked_packets = acked,
		.lost_packets = lost,
		.spurious = spurious,
	};

	mptun_recent_add(r, &res, now);
}

static void mptun_recent_test_is(struct kunit *test,
				 const struct mptun_recent *r, u64 now,
				 u32 packets, u32 lost)
{
	struct mptun_recent_count sum = mptun_recent_sum(r, now);

	KUNIT_EXPECT_EQ(test, sum.packets, packets);
	KUNIT_EXPECT_EQ(test, sum.lost, lost);
}

/* What happened is part of the sum for 55 s, and is not after 60 s. */
static void mptun_recent_test_minute(struct kunit *test)
{
	u64 now = MPTUN_RECENT_TEST_START;
	struct mptun_recent r = {};

	mptun_recent_test_is(test, &r, now, 0, 0);
	mptun_recent_test_add(&r, 90, 10, 0, now);
	mptun_recent_test_is(test, &r, now, 100, 10);
	now += MPTUN_RECENT_TEST_MINUTE - MPTUN_RECENT_STEP_NS;
	mptun_recent_test_is(test, &r, now, 100, 10);
	now += MPTUN_RECENT_STEP_NS;
	mptun_recent_test_is(test, &r, now, 0, 0);
	mptun_recent_test_add(&r, 7, 0, 0, now);
	mptun_recent_test_is(test, &r, now, 7, 0);
}

/* A reader changes nothing: results that come later find the same steps. */
static void mptun_recent_test_reader(struct kunit *test)
{
	u64 now = MPTUN_RECENT_TEST_START;
	struct mptun_recent r = {};

	mptun_recent_test_add(&r, 5, 1, 0, now);
	mptun_recent_test_is(test, &r, now + MPTUN_RECENT_TEST_MINUTE, 0, 0);
	mptun_recent_test_add(&r, 5, 1, 0, now);
	mptun_recent_test_is(test, &r, now, 12, 2);
}

/* Spurious losses are taken back, from older steps if need be. */
static void mptun_recent_test_spurious(struct kunit *test)
{
	u64 now = MPTUN_RECENT_TEST_START;
	struct mptun_recent r = {};

	mptun_recent_test_add(&r, 0, 4, 0, now);
	mptun_recent_test_add(&r, 0, 0, 1, now);
	mptun_recent_test_is(test, &r, now, 4, 3);
	now += MPTUN_RECENT_STEP_NS;
	mptun_recent_test_add(&r, 0, 2, 3, now);
	mptun_recent_test_is(test, &r, now, 6, 2);
	/* The newest step had both of its losses taken back. */
	now += MPTUN_RECENT_TEST_MINUTE - MPTUN_RECENT_STEP_NS;
	mptun_recent_test_is(test, &r, now, 2, 0);
	/* Those whose losses are too old take nothing. */
	mptun_recent_test_add(&r, 1, 0, 9, now);
	mptun_recent_test_is(test, &r, now, 3, 0);
}

/* A clock that stands still or jumps ahead is harmless. */
static void mptun_recent_test_clock(struct kunit *test)
{
	struct mptun_recent r = {};

	mptun_recent_test_add(&r, 1, 1, 0, 0);
	mptun_recent_test_is(test, &r, 0, 2, 1);
	mptun_recent_test_add(&r, 3, 0, 0, U64_MAX / 2);
	mptun_recent_test_is(test, &r, U64_MAX / 2, 3, 0);
	mptun_recent_test_add(&r, 1, 0, 0, MPTUN_RECENT_TEST_START);
	mptun_recent_test_is(test, &r, U64_MAX / 2, 4, 0);
}

#define MPTUN_RECENT_TEST_LOOKS	4000U

/* The sum is that of the results since the step that began 55 to 60 s ago. */
static void mptun_recent_test_random(struct kunit *test)
{
	static struct mptun_recent_test_event {
		u64 at;
		u32 acked;
		u32 lost;
	} events[MPTUN_RECENT_TEST_LOOKS];
	u64 now = MPTUN_RECENT_TEST_START;
	struct mptun_recent r = {};
	u32 packets, lost, i, j;
	struct rnd_state rnd;
	u64 since;

	prandom_seed_state(&rnd, 60);
	for (i = 0; i < MPTUN_RECENT_TEST_LOOKS; i++) {
		now += (u64)prandom_u32_state(&rnd) << (i & 3);
		events[i] = (struct mptun_recent_test_event){
			.at = now,
			.acked = prandom_u32_state(&rnd) % 1000,
			.lost = prandom_u32_state(&rnd) % 100,
		};
		mptun_recent_test_add(&r, events[i].acked, events[i].lost, 0,
				      now);
		since = r.begin_ns - (MPTUN_RECENT_STEPS - 1) *
				     MPTUN_RECENT_STEP_NS;
		KUNIT_ASSERT_LT(test, now - r.begin_ns, MPTUN_RECENT_STEP_NS);
		packets = 0;
		lost = 0;
		for (j = i + 1; j && events[j - 1].at >= since; j--) {
			packets += events[j - 1].acked + events[j - 1].lost;
			lost += events[j - 1].lost;
		}
		mptun_recent_test_is(test, &r, now, packets, lost);
	}
}

static struct kunit_case mptun_recent_cases[] = {
	KUNIT_CASE(mptun_recent_test_minute),
	KUNIT_CASE(mptun_recent_test_reader),
	KUNIT_CASE(mptun_recent_test_spurious),
	KUNIT_CASE(mptun_recent_test_clock),
	KUNIT_CASE(mptun_recent_test_random),
	{}
};

static struct kunit_suite mptun_recent_suite = {
	.name = "mptun_recent",
	.test_cases = mptun_recent_cases,
};

kunit_test_suite(mptun_recent_suite);
