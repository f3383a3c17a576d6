// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of sets of address prefixes.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mptun.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "base/prefix.h"

#define MPTUN_PREFIX_TEST_MAX	64

static struct mptun_prefix mptun_prefix_test_v4(u32 address, u8 len)
{
	return (struct mptun_prefix){
		.hi = (u64)address << 32,
		.version = 4,
		.len = len,
	};
}

static void mptun_prefix_test_read(struct kunit *test)
{
	u8 entry[MPTUN_ALLOWED_IP_LEN] = {
		4, 8, 0, 0, 10, 1, 2, 3, 9, 9
	};
	u8 back[MPTUN_ALLOWED_IP_LEN];
	struct mptun_prefix prefix;

	/* bits behind the prefix, and behind the address, do not count */
	KUNIT_ASSERT_EQ(test, mptun_prefix_read(&prefix, entry), 0);
	KUNIT_EXPECT_EQ(test, prefix.hi, 10ULL << 56);
	KUNIT_EXPECT_EQ(test, prefix.lo, 0ULL);
	mptun_prefix_write(&prefix, back);
	memset(entry + 5, 0, sizeof(entry) - 5);
	KUNIT_EXPECT_MEMEQ(test, back, entry, sizeof(entry));
	entry[1] = 33;
	KUNIT_EXPECT_EQ(test, mptun_prefix_read(&prefix, entry), -EINVAL);
	entry[0] = 6;
	KUNIT_EXPECT_EQ(test, mptun_prefix_read(&prefix, entry), 0);
	entry[1] = 129;
	KUNIT_EXPECT_EQ(test, mptun_prefix_read(&prefix, entry), -EINVAL);
	entry[1] = 128;
	memset(entry + 4, 0xff, 16);
	KUNIT_ASSERT_EQ(test, mptun_prefix_read(&prefix, entry), 0);
	KUNIT_EXPECT_EQ(test, prefix.hi, U64_MAX);
	KUNIT_EXPECT_EQ(test, prefix.lo, U64_MAX);
	entry[2] = 1;
	KUNIT_EXPECT_EQ(test, mptun_prefix_read(&prefix, entry), -EINVAL);
	entry[2] = 0;
	entry[0] = 5;
	KUNIT_EXPECT_EQ(test, mptun_prefix_read(&prefix, entry), -EINVAL);
}

static void mptun_prefix_test_merged(struct kunit *test)
{
	struct mptun_prefix set[] = {
		mptun_prefix_test_v4(0x0a010000, 16),
		mptun_prefix_test_v4(0xc0a80000, 24),
		mptun_prefix_test_v4(0x0a000000, 8),
		mptun_prefix_test_v4(0x0aff0000, 16),
		mptun_prefix_test_v4(0xc0a80000, 24),
		{ .version = 6, .len = 64 },
	};
	unsigned int n = mptun_prefix_merge(set, ARRAY_SIZE(set));

	KUNIT_ASSERT_EQ(test, n, 3U);
	KUNIT_EXPECT_EQ(test, set[0].len, 8);
	KUNIT_EXPECT_EQ(test, set[1].len, 24);
	KUNIT_EXPECT_EQ(test, set[2].version, 6);
	KUNIT_EXPECT_EQ(test, mptun_prefix_merge(set, 0), 0U);
}

static bool mptun_prefix_test_has4(const struct mptun_prefix *set,
				   unsigned int n, u32 address)
{
	struct mptun_prefix one = mptun_prefix_test_v4(address, 32);

	return mptun_prefix_match(set, n, &one);
}

static void mptun_prefix_test_match(struct kunit *test)
{
	struct mptun_prefix set[] = {
		mptun_prefix_test_v4(0x0a000000, 8),
		mptun_prefix_test_v4(0xc0a80107, 32),
	};
	struct mptun_prefix six = { .version = 6, .len = 128 };
	struct mptun_prefix all = { .version = 4 };

	KUNIT_EXPECT_TRUE(test, mptun_prefix_test_has4(set, 2, 0x0a000000));
	KUNIT_EXPECT_TRUE(test, mptun_prefix_test_has4(set, 2, 0x0affffff));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_test_has4(set, 2, 0x0b000000));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_test_has4(set, 2, 0x09ffffff));
	KUNIT_EXPECT_TRUE(test, mptun_prefix_test_has4(set, 2, 0xc0a80107));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_test_has4(set, 2, 0xc0a80106));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_test_has4(set, 2, 0xc0a80108));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_test_has4(set, 0, 0x0a000000));
	/* a prefix of one family never matches the other one */
	six.hi = set[0].hi;
	KUNIT_EXPECT_FALSE(test, mptun_prefix_match(set, 2, &six));
	KUNIT_EXPECT_TRUE(test, mptun_prefix_test_has4(&all, 1, 0));
	KUNIT_EXPECT_TRUE(test, mptun_prefix_test_has4(&all, 1, U32_MAX));
	KUNIT_EXPECT_FALSE(test, mptun_prefix_match(&all, 1, &six));
}

/* Whether any of these prefixes is the start of the address, bit by bit. */
static bool mptun_prefix_test_naive(const struct mptun_prefix *list,
				    unsigned int n,
				    const struct mptun_prefix *address)
{
	unsigned int i, bit;

	for (i = 0; i < n; i++) {
		if (list[i].version != address->version)
			continue;
		for (bit = 0; bit < list[i].len; bit++) {
			u64 a = bit < 64 ? list[i].hi : list[i].lo;
			u64 b = bit < 64 ? address->hi : address->lo;

			if ((a ^ b) >> (63 - bit % 64) & 1)
				break;
		}
		if (bit == list[i].len)
			return true;
	}
	return false;
}

/* Random sets of few bits, so that prefixes meet, against the naive answer. */
static void mptun_prefix_test_random(struct kunit *test)
{
	struct mptun_prefix *list, *set, address;
	struct rnd_state rnd;
	unsigned int round, i, n, left;
	u8 entry[MPTUN_ALLOWED_IP_LEN];

	list = kunit_kcalloc(test, 2 * MPTUN_PREFIX_TEST_MAX, sizeof(*list),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	set = list + MPTUN_PREFIX_TEST_MAX;
	prandom_seed_state(&rnd, 4711);
	for (round = 0; round < 300; round++) {
		n = prandom_u32_state(&rnd) % (MPTUN_PREFIX_TEST_MAX + 1);
		for (i = 0; i < n; i++) {
			memset(entry, 0, sizeof(entry));
			entry[0] = prandom_u32_state(&rnd) % 2 ? 4 : 6;
			entry[1] = prandom_u32_state(&rnd) % 9;
			if (entry[0] == 6 && prandom_u32_state(&rnd) % 4 == 0)
				entry[1] += 64;
			entry[4] = prandom_u32_state(&rnd) & 0xff;
			entry[12] = prandom_u32_state(&rnd) & 0xff;
			KUNIT_ASSERT_EQ(test,
					mptun_prefix_read(&list[i], entry), 0);
		}
		memcpy(set, list, n * sizeof(*set));
		left = mptun_prefix_merge(set, n);
		KUNIT_ASSERT_LE(test, left, n);
		for (i = 0; i < 512; i++) {
			address = (struct mptun_prefix){
				.hi = (u64)(i & 0xff) << 56,
				.lo = i & 1 ? (u64)prandom_u32_state(&rnd)
					      << 32 : 0,
				.version = i & 0x100 ? 4 : 6,
				.len = i & 0x100 ? 32 : 128,
			};
			if (address.version == 4)
				address.lo = 0;
			KUNIT_ASSERT_EQ(test,
					mptun_prefix_match(set, left, &address),
					mptun_prefix_test_naive(list, n,
								&address));
		}
	}
}

static struct kunit_case mptun_prefix_test_cases[] = {
	KUNIT_CASE(mptun_prefix_test_read),
	KUNIT_CASE(mptun_prefix_test_merged),
	KUNIT_CASE(mptun_prefix_test_match),
	KUNIT_CASE(mptun_prefix_test_random),
	{}
};

static struct kunit_suite mptun_prefix_test_suite = {
	.name = "mptun_prefix",
	.test_cases = mptun_prefix_test_cases,
};

kunit_test_suite(mptun_prefix_test_suite);
