// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of random bytes: machines whose generators give the same bytes draw
 * different ones, and none draws a key before its generator is ready.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/string.h>

#include "crypto/random.h"

static void mptun_random_test_same(struct kunit *test)
{
	u8 first[MPTUN_RANDOM_MAX], other[MPTUN_RANDOM_MAX];
	struct mptun_random_seed seed = { .real_ns = 1000, .cycles = 1000 };

	mptun_random_make(&seed, first, sizeof(first));
	mptun_random_make(&seed, other, sizeof(other));
	KUNIT_EXPECT_MEMEQ(test, first, other, sizeof(first));

	seed.real_ns++;
	mptun_random_make(&seed, other, sizeof(other));
	KUNIT_EXPECT_MEMNEQ(test, first, other, sizeof(first));
	seed.real_ns--;
	seed.cycles++;
	mptun_random_make(&seed, other, sizeof(other));
	KUNIT_EXPECT_MEMNEQ(test, first, other, sizeof(first));
	seed.cycles--;
	seed.random[MPTUN_RANDOM_MAX - 1]++;
	mptun_random_make(&seed, other, sizeof(other));
	KUNIT_EXPECT_MEMNEQ(test, first, other, sizeof(first));
}

static void mptun_random_test_length(struct kunit *test)
{
	u8 out[MPTUN_RANDOM_MAX + 1] = {}, before[MPTUN_RANDOM_MAX];
	size_t len;

	for (len = 1; len <= MPTUN_RANDOM_MAX; len++) {
		memcpy(before, out, sizeof(before));
		out[len] = 0xa5;
		mptun_random_bytes(out, len);
		KUNIT_EXPECT_EQ(test, out[len], 0xa5);
	}
	KUNIT_EXPECT_MEMNEQ(test, out, before, sizeof(before));
}

static bool mptun_random_test_early(void)
{
	return false;
}

/* There is no ephemeral key before random numbers can be trusted.  Those drawn
 * afterwards differ, and are clamped (RFC 7748, section 5).
 */
static void mptun_random_test_ephemeral(struct kunit *test)
{
	u8 key[MPTUN_RANDOM_MAX] = {}, other[MPTUN_RANDOM_MAX];

	kunit_activate_static_stub(test, mptun_random_ready,
				   mptun_random_test_early);
	KUNIT_EXPECT_FALSE(test, mptun_random_ephemeral(key));
	KUNIT_EXPECT_NULL(test, memchr_inv(key, 0, sizeof(key)));
	kunit_deactivate_static_stub(test, mptun_random_ready);

	KUNIT_ASSERT_TRUE(test, mptun_random_ephemeral(key));
	KUNIT_ASSERT_TRUE(test, mptun_random_ephemeral(other));
	KUNIT_EXPECT_MEMNEQ(test, key, other, sizeof(key));
	KUNIT_EXPECT_EQ(test, key[0] & 0x07, 0);
	KUNIT_EXPECT_EQ(test, key[31] & 0xc0, 0x40);
}

static struct kunit_case mptun_random_test_cases[] = {
	KUNIT_CASE(mptun_random_test_same),
	KUNIT_CASE(mptun_random_test_length),
	KUNIT_CASE(mptun_random_test_ephemeral),
	{}
};

static struct kunit_suite mptun_random_test_suite = {
	.name = "mptun_random",
	.test_cases = mptun_random_test_cases,
};

kunit_test_suite(mptun_random_test_suite);
