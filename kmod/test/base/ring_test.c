// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the rings.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "base/pool.h"
#include "base/ring.h"
#include "test/base/no_memory.h"

/* Each slot of a window holds a value derived from its number. */
static u32 mptun_ring_test_value(u64 seq)
{
	return (u32)(seq * 2654435761U) | 1;
}

static void mptun_ring_test_fill(const struct mptun_ring *ring, u64 first)
{
	u32 i;

	for (i = 0; i < mptun_ring_size(ring); i++)
		*(u32 *)mptun_ring_slot(ring, first + i) =
			mptun_ring_test_value(first + i);
}

static u32 mptun_ring_test_wrong(const struct mptun_ring *ring, u64 first,
				 u32 used)
{
	u32 wrong = 0, i, want;

	for (i = 0; i < mptun_ring_size(ring); i++) {
		want = i < used ? mptun_ring_test_value(first + i) : 0;
		if (*(u32 *)mptun_ring_slot(ring, first + i) != want)
			wrong++;
	}
	return wrong;
}

/* Doubling keeps the window at any position and clears new slots. */
static void mptun_ring_test_grow_from(struct kunit *test, u64 first,
				      u8 slot_shift, u8 index_shift)
{
	struct mptun_ring ring;
	u32 size, i;

	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, slot_shift, index_shift,
					      GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&ring), 1U << index_shift);
	for (i = 0; i < 4; i++) {
		size = mptun_ring_size(&ring);
		mptun_ring_test_fill(&ring, first);
		KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, first,
						      GFP_KERNEL), 0);
		KUNIT_EXPECT_EQ(test, mptun_ring_size(&ring), 2 * size);
		KUNIT_EXPECT_EQ(test, mptun_ring_test_wrong(&ring, first,
							    size), 0U);
		first += 3 * size + 5;
	}
	mptun_ring_destroy(&ring);
}

static void mptun_ring_test_grow(struct kunit *test)
{
	static const u64 first[] = { 0, 1, 8, 63, 64, 1000, 0xfffffff0ULL,
				     0xffffff00ULL, 0x123456789abcULL };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		mptun_ring_test_grow_from(test, first[i], 2, 6);
		mptun_ring_test_grow_from(test, first[i], 5, 3);
		mptun_ring_test_grow_from(test, first[i], 4, 8);
	}
}

/* A 32-bit number that wraps while the window grows. */
static void mptun_ring_test_wrap(struct kunit *test)
{
	u32 first = 0xfffffff0, i, size, wrong = 0;
	struct mptun_ring ring;

	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, 2, 5, GFP_KERNEL), 0);
	size = mptun_ring_size(&ring);
	for (i = 0; i < size; i++)
		*(u32 *)mptun_ring_slot(&ring, (u32)(first + i)) = i + 1;
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, first, GFP_KERNEL), 0);
	for (i = 0; i < 2 * size; i++) {
		u32 *slot = mptun_ring_slot(&ring, (u32)(first + i));

		if (*slot != (i < size ? i + 1 : 0))
			wrong++;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	mptun_ring_destroy(&ring);
}

static void mptun_ring_test_shrink(struct kunit *test)
{
	struct mptun_ring ring;
	u32 size;

	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, 3, 9, GFP_KERNEL), 0);
	size = mptun_ring_size(&ring);
	KUNIT_EXPECT_EQ(test, size, 4096U / 8);
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 77, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 77, GFP_KERNEL), 0);
	mptun_ring_test_fill(&ring, 77);
	KUNIT_EXPECT_EQ(test, mptun_ring_shrink(&ring, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&ring), size);
	KUNIT_EXPECT_EQ(test, mptun_ring_test_wrong(&ring, 5000, 0), 0U);

	/* and it can grow again */
	mptun_ring_test_fill(&ring, 5000);
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 5000, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, mptun_ring_test_wrong(&ring, 5000, size), 0U);
	mptun_ring_destroy(&ring);
}

/* A window that slides and grows at random, compared with its expected content.
 */
static void mptun_ring_test_random(struct kunit *test)
{
	u64 first = 0xffffff00ULL, next = first;
	struct mptun_ring ring;
	struct rnd_state rnd;
	u32 step, wrong = 0;

	prandom_seed_state(&rnd, 4711);
	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, 2, 4, GFP_KERNEL), 0);
	for (step = 0; step < 100000; step++) {
		u32 dice = prandom_u32_state(&rnd);

		if (dice % 8 < 4 && next - first < 4096) {
			if (next - first == mptun_ring_size(&ring) &&
			    mptun_ring_grow(&ring, first, GFP_KERNEL))
				break;
			*(u32 *)mptun_ring_slot(&ring, next) =
				mptun_ring_test_value(next);
			next++;
		} else if (first < next) {
			u32 *slot = mptun_ring_slot(&ring, first);

			if (*slot != mptun_ring_test_value(first))
				wrong++;
			*slot = 0;
			first++;
		} else if (dice % 64 == 63) {
			mptun_ring_shrink(&ring, GFP_KERNEL);
		}
	}
	KUNIT_EXPECT_EQ(test, step, 100000U);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	mptun_ring_destroy(&ring);
}

/* A pool bounds what a ring grows by, and gets it back. */
static void mptun_ring_test_limit(struct kunit *test)
{
	struct mptun_pool pool;
	struct mptun_ring ring;

	mptun_pool_init(&pool, NULL, 7 * 4096);
	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, 3, 9, GFP_KERNEL), 0);
	mptun_ring_limit(&ring, &pool);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	while (!mptun_ring_grow(&ring, 77, GFP_KERNEL))
		;
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&ring), 8U * 512);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 7L * 4096);
	mptun_ring_shrink(&ring, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 77, GFP_KERNEL), 0);
	mptun_ring_destroy(&ring);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	/* without a chunk, as often as one likes */
	mptun_ring_destroy(&ring);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
}

/* Calls until a ring grows, 0 if that takes too many. */
static u32 mptun_ring_test_calls(struct mptun_ring *ring)
{
	u32 n;

	for (n = 1; n <= 256; n++)
		if (!mptun_ring_grow(ring, 77, GFP_ATOMIC))
			return n;
	return 0;
}

/* While memory is short, few calls ask for it; then the ring grows. */
static void mptun_ring_test_refused(struct kunit *test)
{
	struct mptun_pool pool;
	struct mptun_ring ring;
	u32 asked, calls, i;

	mptun_test_rings(test);
	mptun_pool_init(&pool, NULL, 4095);
	KUNIT_ASSERT_EQ(test, mptun_ring_init(&ring, 3, 9, GFP_ATOMIC), 0);
	mptun_ring_limit(&ring, &pool);
	asked = mptun_test_rings_asked;
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 77, GFP_ATOMIC),
				-ENOMEM);
	KUNIT_EXPECT_GE(test, mptun_test_rings_asked - asked, 2U);
	KUNIT_EXPECT_LE(test, mptun_test_rings_asked - asked, 8U);

	asked = mptun_test_rings_asked;
	for (i = 0; i < 2560; i++)
		mptun_ring_grow(&ring, 77, GFP_ATOMIC);
	KUNIT_EXPECT_GE(test, mptun_test_rings_asked - asked, 10U);
	KUNIT_EXPECT_LE(test, mptun_test_rings_asked - asked, 12U);

	pool.limit = 4096;
	calls = mptun_ring_test_calls(&ring);
	KUNIT_EXPECT_GE(test, calls, 1U);
	/* Growth ends the pause. */
	KUNIT_EXPECT_EQ(test, mptun_ring_grow(&ring, 77, GFP_ATOMIC), -ENOMEM);
	pool.limit = 7 * 4096;
	KUNIT_EXPECT_EQ(test, mptun_ring_test_calls(&ring), 2U);
	mptun_ring_destroy(&ring);
}

static struct kunit_case mptun_ring_cases[] = {
	KUNIT_CASE(mptun_ring_test_limit),
	KUNIT_CASE(mptun_ring_test_refused),
	KUNIT_CASE(mptun_ring_test_grow),
	KUNIT_CASE(mptun_ring_test_wrap),
	KUNIT_CASE(mptun_ring_test_shrink),
	KUNIT_CASE(mptun_ring_test_random),
	{}
};

static struct kunit_suite mptun_ring_suite = {
	.name = "mptun_ring",
	.test_cases = mptun_ring_cases,
};

kunit_test_suite(mptun_ring_suite);
