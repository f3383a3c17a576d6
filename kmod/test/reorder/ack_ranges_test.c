// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the ranges of received packet numbers.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "reorder/ack_ranges.h"

#define MPTUN_RANGES_TEST_BASE	0xffffff80ULL	/* below the 32-bit wrap */
#define MPTUN_RANGES_TEST_SPAN	4096

static struct mptun_ranges *mptun_ranges_test_new(struct kunit *test)
{
	struct mptun_ranges *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	mptun_ranges_init(r);
	return r;
}

/* Ascending, disjoint, above the floor (all but the newest). */
static void mptun_ranges_test_sane(struct kunit *test,
				   const struct mptun_ranges *r)
{
	u32 i;

	KUNIT_EXPECT_LE(test, r->count, (u32)MPTUN_RANGES_MAX);
	for (i = 0; i < r->count; i++) {
		KUNIT_EXPECT_LE(test, r->range[i].first, r->range[i].last);
		if (i)
			KUNIT_EXPECT_GT(test, r->range[i].first,
					r->range[i - 1].last + 1);
		if (i + 1 < r->count)
			KUNIT_EXPECT_GE(test, r->range[i].first, r->floor);
	}
}

static void mptun_ranges_test_verdicts(struct kunit *test)
{
	struct mptun_ranges *r = mptun_ranges_test_new(test);
	u64 pn = 0;

	KUNIT_EXPECT_FALSE(test, mptun_ranges_largest(r, &pn));
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 10),
			MPTUN_RANGE_NEW_IN_ORDER);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 11),
			MPTUN_RANGE_NEW_IN_ORDER);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 11), MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 10), MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 15), MPTUN_RANGE_NEW_GAP);
	KUNIT_EXPECT_EQ(test, r->count, 2U);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 13), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->count, 3U);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 12), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->count, 2U);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 14), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->count, 1U);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 5), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->count, 2U);
	KUNIT_EXPECT_EQ(test, mptun_ranges_get(r, 0)->first, 10ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_get(r, 0)->last, 15ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_get(r, 1)->last, 5ULL);
	KUNIT_EXPECT_TRUE(test, mptun_ranges_largest(r, &pn));
	KUNIT_EXPECT_EQ(test, pn, 15ULL);
}

static void mptun_ranges_test_full(struct kunit *test)
{
	struct mptun_ranges *r = mptun_ranges_test_new(test);
	u32 i;

	for (i = 1; i <= MPTUN_RANGES_MAX; i++)
		mptun_ranges_add(r, 10 * i);
	KUNIT_EXPECT_EQ(test, r->count, (u32)MPTUN_RANGES_MAX);

	/* one more: the oldest is forgotten for good */
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 10 * i),
			MPTUN_RANGE_NEW_GAP);
	KUNIT_EXPECT_EQ(test, r->count, (u32)MPTUN_RANGES_MAX);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 20ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 10), MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 9), MPTUN_RANGE_OLD_OR_DUP);

	/* also if a gap of a full array is partly filled */
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 105), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->count, (u32)MPTUN_RANGES_MAX);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 30ULL);
	mptun_ranges_test_sane(test, r);

	/* nothing is dropped for one that would be the oldest itself */
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 25), MPTUN_RANGE_NEW_FILL);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 30ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 25), MPTUN_RANGE_OLD_OR_DUP);
}

static void mptun_ranges_test_prune(struct kunit *test)
{
	struct mptun_ranges *r = mptun_ranges_test_new(test);
	u32 i;

	mptun_ranges_prune(r, 5);
	for (i = 10; i < 20; i++)
		mptun_ranges_add(r, i);
	for (i = 30; i < 40; i++)
		mptun_ranges_add(r, i);

	mptun_ranges_prune(r, 15);
	KUNIT_EXPECT_EQ(test, r->count, 2U);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 15ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 14), MPTUN_RANGE_OLD_OR_DUP);
	mptun_ranges_prune(r, 12);
	KUNIT_EXPECT_EQ(test, r->floor, 15ULL);
	mptun_ranges_prune(r, 25);
	KUNIT_EXPECT_EQ(test, r->count, 1U);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 30ULL);

	/* the largest number is always kept */
	mptun_ranges_prune(r, 1000);
	KUNIT_EXPECT_EQ(test, r->count, 1U);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 39ULL);
	KUNIT_EXPECT_EQ(test, r->range[0].last, 39ULL);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 999),
			MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 1000), MPTUN_RANGE_NEW_GAP);
	KUNIT_EXPECT_EQ(test, r->count, 1U);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 1000ULL);
}

/* Compares the ranges with the numbers added, one by one. */
static void mptun_ranges_test_compare(struct kunit *test,
				      const struct mptun_ranges *r,
				      const bool *seen)
{
	u32 i, wrong = 0;
	u64 pn;

	for (i = 0; i < MPTUN_RANGES_TEST_SPAN; i++) {
		bool in = false;
		u32 k;

		pn = MPTUN_RANGES_TEST_BASE + i;
		if (pn < r->floor)
			continue;
		for (k = 0; k < r->count; k++)
			in |= pn >= r->range[k].first &&
			      pn <= r->range[k].last;
		wrong += in != seen[i];
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static void mptun_ranges_test_random(struct kunit *test)
{
	struct mptun_ranges *r = mptun_ranges_test_new(test);
	u32 step, at = 0, i, top = 0;
	enum mptun_range_verdict verdict;
	struct rnd_state rnd;
	bool *seen;

	seen = kunit_kcalloc(test, MPTUN_RANGES_TEST_SPAN, sizeof(*seen),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	prandom_seed_state(&rnd, 3);
	for (step = 0; step < 50000 && at < 4000; step++) {
		u32 dice = prandom_u32_state(&rnd);
		u64 pn;

		at += dice % 16 == 0;
		i = at + dice / 16 % 64;
		pn = MPTUN_RANGES_TEST_BASE + i;
		if (dice % 4096 == 7)
			mptun_ranges_prune(r, pn - 100);
		verdict = mptun_ranges_add(r, pn);
		KUNIT_EXPECT_EQ(test, verdict == MPTUN_RANGE_OLD_OR_DUP,
				seen[i] || pn < r->floor);
		if (verdict == MPTUN_RANGE_NEW_GAP)
			KUNIT_EXPECT_GT(test, i, top + 1);
		if (verdict == MPTUN_RANGE_NEW_FILL)
			KUNIT_EXPECT_LT(test, i, top);
		seen[i] = true;
		top = max(top, i);
		if (step % 64 == 0) {
			mptun_ranges_test_sane(test, r);
			mptun_ranges_test_compare(test, r, seen);
		}
	}
	KUNIT_EXPECT_GE(test, at, 2000U);
}

/* A floor above all numbers: the one kept for reports is replaced next. */
static void mptun_ranges_test_above(struct kunit *test)
{
	struct mptun_ranges *r = mptun_ranges_test_new(test);

	mptun_ranges_add(r, 10);
	mptun_ranges_prune(r, 20);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 15), MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 25), MPTUN_RANGE_NEW_GAP);
	KUNIT_EXPECT_EQ(test, r->count, 1U);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 25ULL);
	mptun_ranges_prune(r, 26);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 26),
			MPTUN_RANGE_NEW_IN_ORDER);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 30), MPTUN_RANGE_NEW_GAP);
	KUNIT_EXPECT_EQ(test, mptun_ranges_add(r, 25), MPTUN_RANGE_OLD_OR_DUP);
	KUNIT_EXPECT_EQ(test, r->range[0].first, 26ULL);
	mptun_ranges_test_sane(test, r);
}

static struct kunit_case mptun_ranges_cases[] = {
	KUNIT_CASE(mptun_ranges_test_verdicts),
	KUNIT_CASE(mptun_ranges_test_full),
	KUNIT_CASE(mptun_ranges_test_prune),
	KUNIT_CASE(mptun_ranges_test_above),
	KUNIT_CASE(mptun_ranges_test_random),
	{}
};

static struct kunit_suite mptun_ranges_suite = {
	.name = "mptun_ranges",
	.test_cases = mptun_ranges_cases,
};

kunit_test_suite(mptun_ranges_suite);
