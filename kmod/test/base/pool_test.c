// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the limits of memory.
 */
#include <kunit/test.h>

#include "base/pool.h"

#define MPTUN_POOL_TEST_MIB	1048576U

/**
 * struct mptun_pool_test - a machine with two namespaces
 * @all: pool of the machine, 64 MiB
 * @part: pools of the namespaces, 16 MiB and 64 MiB
 */
struct mptun_pool_test {
	struct mptun_pool all;
	struct mptun_pool part[2];
};

static void mptun_pool_test_init(struct mptun_pool_test *t)
{
	mptun_pool_init(&t->all, NULL, 64 * MPTUN_POOL_TEST_MIB);
	mptun_pool_init(&t->part[0], &t->all, 16 * MPTUN_POOL_TEST_MIB);
	mptun_pool_init(&t->part[1], &t->all, 64 * MPTUN_POOL_TEST_MIB);
}

/* Fills a queue by packets of @each bytes as long as it may have more. */
static u32 mptun_pool_test_fill(struct mptun_pool_share *share, u32 bytes,
				u32 each, u32 most)
{
	while (bytes + each <= min(mptun_pool_settle(share, bytes), most))
		bytes += each;
	mptun_pool_settle(share, bytes);
	return bytes;
}

/* Many greedy queues of one namespace take what it has, and no more. */
static void mptun_pool_test_namespace(struct kunit *test)
{
	struct mptun_pool_share *share, other = {};
	struct mptun_pool_test t;
	u32 i, n = 200;
	u64 total = 0;

	mptun_pool_test_init(&t);
	share = kunit_kcalloc(test, n, sizeof(*share), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, share);
	for (i = 0; i < n; i++) {
		share[i].pool = &t.part[0];
		total += mptun_pool_test_fill(&share[i], 0, 2304, U32_MAX);
	}
	/* each has at least what it needs, and what is not charged yet */
	KUNIT_EXPECT_GE(test, total, 16ULL * MPTUN_POOL_TEST_MIB);
	KUNIT_EXPECT_LE(test, total, 16ULL * MPTUN_POOL_TEST_MIB +
			n * 2ULL * MPTUN_POOL_LEAST);
	/* another namespace still has most of the machine's */
	other.pool = &t.part[1];
	KUNIT_EXPECT_GE(test, mptun_pool_test_fill(&other, 0, 2304, U32_MAX),
			30 * MPTUN_POOL_TEST_MIB);
	/* and nothing is left when they have gone */
	for (i = 0; i < n; i++)
		mptun_pool_settle(&share[i], 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.part[0].bytes), 0);
	mptun_pool_settle(&other, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), 0);
}

/* A thousand queues that hold little get all they ask for. */
static void mptun_pool_test_server(struct kunit *test)
{
	struct mptun_pool_share *share;
	struct mptun_pool_test t;
	u32 i;

	mptun_pool_test_init(&t);
	share = kunit_kcalloc(test, 1000, sizeof(*share), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, share);
	for (i = 0; i < 1000; i++) {
		share[i].pool = &t.part[1];
		KUNIT_EXPECT_EQ(test, mptun_pool_test_fill(&share[i], 0, 1000,
							   60000), 60000);
	}
	/* one of them has a burst */
	KUNIT_EXPECT_EQ(test, mptun_pool_test_fill(&share[0], 60000, 1000,
						   8000000), 8000000);
}

/* A queue that was full when the pool ran out may keep what it has. */
static void mptun_pool_test_keep(struct kunit *test)
{
	struct mptun_pool_share one = {}, two = {};
	struct mptun_pool_test t;

	mptun_pool_test_init(&t);
	one.pool = &t.part[0];
	two.pool = &t.part[0];
	mptun_pool_settle(&one, 12 * MPTUN_POOL_TEST_MIB);
	mptun_pool_settle(&two, 8 * MPTUN_POOL_TEST_MIB);
	KUNIT_EXPECT_EQ(test,
			mptun_pool_settle(&one, 12 * MPTUN_POOL_TEST_MIB),
			12 * MPTUN_POOL_TEST_MIB);
	/* and uses what the other gives back */
	mptun_pool_settle(&two, 1 * MPTUN_POOL_TEST_MIB);
	KUNIT_EXPECT_EQ(test,
			mptun_pool_settle(&one, 12 * MPTUN_POOL_TEST_MIB),
			15 * MPTUN_POOL_TEST_MIB);
	/* without a pool there is no limit */
	one.pool = NULL;
	KUNIT_EXPECT_EQ(test, mptun_pool_settle(&one, 1000), U32_MAX);
}

/* Either pool refuses, and nothing stays charged then. */
static void mptun_pool_test_charge(struct kunit *test)
{
	struct mptun_pool_test t;
	u32 mib = MPTUN_POOL_TEST_MIB;

	mptun_pool_test_init(&t);
	KUNIT_EXPECT_TRUE(test, mptun_pool_charge(NULL, U32_MAX));
	KUNIT_EXPECT_TRUE(test, mptun_pool_charge(&t.part[0], 16 * mib));
	KUNIT_EXPECT_FALSE(test, mptun_pool_charge(&t.part[0], 1));
	KUNIT_EXPECT_TRUE(test, mptun_pool_charge(&t.part[1], 40 * mib));
	KUNIT_EXPECT_FALSE(test, mptun_pool_charge(&t.part[1], 9 * mib));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.part[0].bytes), 16L * mib);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.part[1].bytes), 40L * mib);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), 56L * mib);

	mptun_pool_uncharge(&t.part[0], 16 * mib);
	KUNIT_EXPECT_TRUE(test, mptun_pool_charge(&t.part[1], 24 * mib));
	mptun_pool_uncharge(&t.part[1], 64 * mib);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), 0L);
}

/* A short queue leaves the pool alone; a long one asks it in large steps, stops
 * where it is used up, and returns all.
 */
static void mptun_pool_test_queue(struct kunit *test)
{
	u32 bytes = 0, packet = 2304, before = 0, steps = 0;
	u32 limit = 16 * MPTUN_POOL_TEST_MIB;
	struct mptun_pool_share share = {};
	struct mptun_pool_test t;

	mptun_pool_test_init(&t);
	share.pool = &t.part[0];
	for (; bytes + packet < MPTUN_POOL_LEAST; bytes += packet)
		KUNIT_EXPECT_TRUE(test, mptun_pool_takes(&share, bytes));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), 0L);

	for (; mptun_pool_takes(&share, bytes); bytes += packet) {
		steps += share.charged != before;
		before = share.charged;
	}
	/* It remains so: nothing is charged that was not granted. */
	KUNIT_EXPECT_LE(test, atomic_long_read(&t.part[0].bytes), (long)limit);
	KUNIT_EXPECT_FALSE(test, mptun_pool_takes(&share, bytes));
	KUNIT_EXPECT_FALSE(test, mptun_pool_takes(&share, bytes + packet));
	KUNIT_EXPECT_LE(test, steps, limit / MPTUN_POOL_LEAST);
	KUNIT_EXPECT_GT(test, bytes, limit - packet);
	KUNIT_EXPECT_LE(test, bytes, limit + MPTUN_POOL_LEAST + packet);

	for (; bytes; bytes -= min(bytes, packet)) {
		mptun_pool_left(&share, bytes);
		KUNIT_EXPECT_LT(test, share.charged,
				bytes + MPTUN_POOL_LEAST);
	}
	mptun_pool_left(&share, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), 0L);
}

/* What is seen without the lock holds with it, and never changes the pool. */
static void mptun_pool_test_near(struct kunit *test)
{
	struct mptun_pool_share share = {}, none = {};
	u32 least = MPTUN_POOL_LEAST, bytes;
	struct mptun_pool_test t;

	mptun_pool_test_init(&t);
	share.pool = &t.part[0];
	KUNIT_EXPECT_TRUE(test, mptun_pool_near(&share, least - 1));
	KUNIT_EXPECT_FALSE(test, mptun_pool_near(&share, least));
	KUNIT_EXPECT_TRUE(test, mptun_pool_takes(&share, least));
	KUNIT_EXPECT_EQ(test, share.charged, least);
	for (bytes = 0; bytes < 2 * least; bytes += 4096) {
		KUNIT_EXPECT_TRUE(test, mptun_pool_near(&share, bytes));
		KUNIT_EXPECT_TRUE(test, mptun_pool_takes(&share, bytes));
	}
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t.all.bytes), (long)least);
	KUNIT_EXPECT_FALSE(test, mptun_pool_near(&share, 2 * least));
	mptun_pool_left(&share, 0);
	KUNIT_EXPECT_FALSE(test, mptun_pool_near(&share, least));

	/* without a pool there is nothing to ask and nothing to charge */
	KUNIT_EXPECT_TRUE(test, mptun_pool_near(&none, U32_MAX));
	KUNIT_EXPECT_TRUE(test, mptun_pool_takes(&none, U32_MAX));
	KUNIT_EXPECT_EQ(test, none.charged, 0U);
}

static struct kunit_case mptun_pool_test_cases[] = {
	KUNIT_CASE(mptun_pool_test_charge),
	KUNIT_CASE(mptun_pool_test_queue),
	KUNIT_CASE(mptun_pool_test_near),
	KUNIT_CASE(mptun_pool_test_namespace),
	KUNIT_CASE(mptun_pool_test_server),
	KUNIT_CASE(mptun_pool_test_keep),
	{}
};

static struct kunit_suite mptun_pool_test_suite = {
	.name = "mptun_pool",
	.test_cases = mptun_pool_test_cases,
};

kunit_test_suite(mptun_pool_test_suite);
