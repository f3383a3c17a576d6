// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the choice of the device's MTU.
 */
#include <kunit/test.h>

#include "recovery/mtu.h"

#define MPTUN_MTU_TEST_NOW	5000000000ULL

/* The first choice needs no wait, except for the end of the searches. */
static void mptun_mtu_test_first(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, U32_MAX, false, now),
			1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, U32_MAX, true, now),
			1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1428, true, now),
			1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1428, false, now),
			1428U);
	KUNIT_EXPECT_EQ(test, m.raise_ns, U64_MAX);
}

/* It falls at once, whatever else is being searched. */
static void mptun_mtu_test_fall(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1358, true, now),
			1358U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1300, false, now),
			1300U);
}

/* It rises when the larger size has held. */
static void mptun_mtu_test_rise(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW, at;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1358, false, now),
			1358U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1428, false, now),
			1358U);
	at = now + MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, m.raise_ns, at);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1428, false, at - 1),
			1358U);
	/* another size begins again, a search ends it */
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false, at - 1),
			1358U);
	KUNIT_EXPECT_EQ(test, m.raise_ns, at - 1 + MPTUN_MTU_RAISE_NS);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, true, at),
			1358U);
	KUNIT_EXPECT_EQ(test, m.raise_ns, U64_MAX);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false, at),
			1358U);
	at += MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false, at),
			1408U);
	KUNIT_EXPECT_EQ(test, m.raise_ns, U64_MAX);
}

/* Without a path nothing changes, and a rise is given up. */
static void mptun_mtu_test_none(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	mptun_mtu_choose(&m, 1400, 1358, false, now);
	mptun_mtu_choose(&m, 1358, 1428, false, now);
	now += MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, U32_MAX, false, now),
			1358U);
	KUNIT_EXPECT_EQ(test, m.raise_ns, U64_MAX);
}

/* IPv6 keeps what it needs, and no path makes the MTU larger than Ethernet. */
static void mptun_mtu_test_bounds(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 504, false, now),
			1280U);
	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 8928, false, now),
			1500U);
	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 9000, 8928, false, now),
			1500U);
}

static struct kunit_case mptun_mtu_cases[] = {
	KUNIT_CASE(mptun_mtu_test_first),
	KUNIT_CASE(mptun_mtu_test_fall),
	KUNIT_CASE(mptun_mtu_test_rise),
	KUNIT_CASE(mptun_mtu_test_none),
	KUNIT_CASE(mptun_mtu_test_bounds),
	{}
};

static struct kunit_suite mptun_mtu_suite = {
	.name = "mptun_mtu",
	.test_cases = mptun_mtu_cases,
};

kunit_test_suite(mptun_mtu_suite);
