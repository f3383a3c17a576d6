// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the choice of the device's MTU.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "recovery/mtu.h"

#define MPTUN_MTU_TEST_NOW	5000000000ULL

/* The MTU that is chosen when no size is being searched */
static void mptun_mtu_test_is(struct kunit *test, struct mptun_mtu *m, u32 mtu,
			      u32 smallest, bool frag, u64 now, u32 want)
{
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(m, mtu, smallest, false, frag,
					       now), want);
}

/* The first choice needs no wait, except for the end of the searches. */
static void mptun_mtu_test_first(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, U32_MAX, false,
					       false, now), 1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, U32_MAX, true,
					       false, now), 1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1428, true,
					       false, now), 1400U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1428, false,
					       false, now), 1428U);
	KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
}

/* It falls at once, whatever else is being searched. */
static void mptun_mtu_test_fall(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1358, true,
					       false, now), 1358U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1300, false,
					       false, now), 1300U);
}

/* It rises when the larger size has held. */
static void mptun_mtu_test_rise(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW, at;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 1358, false,
					       false, now), 1358U);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1428, false,
					       false, now), 1358U);
	at = now + MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, m.again_ns, at);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1428, false,
					       false, at - 1), 1358U);
	/* another size begins again, a search ends it */
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false,
					       false, at - 1), 1358U);
	KUNIT_EXPECT_EQ(test, m.again_ns, at - 1 + MPTUN_MTU_RAISE_NS);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, true,
					       false, at), 1358U);
	KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false,
					       false, at), 1358U);
	at += MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, 1408, false,
					       false, at), 1408U);
	KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
}

/* Without a path nothing changes, and a rise is given up. */
static void mptun_mtu_test_none(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	mptun_mtu_choose(&m, 1400, 1358, false, false, now);
	mptun_mtu_choose(&m, 1358, 1428, false, false, now);
	now += MPTUN_MTU_RAISE_NS;
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1358, U32_MAX, false,
					       false, now), 1358U);
	KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
}

/* IPv6 keeps what it needs, and no path makes the MTU larger than Ethernet. */
static void mptun_mtu_test_bounds(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 504, false,
					       false, now), 1280U);
	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 1400, 8928, false,
					       false, now), 1500U);
	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, mptun_mtu_choose(&m, 9000, 8928, false,
					       false, now), 1500U);
}

/* What is sent keeps it up where it can be sent in fragments. */
static void mptun_mtu_test_keep(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW + MPTUN_MTU_KEEP_NS, at;
	unsigned int i;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	mptun_mtu_test_is(test, &m, 1400, 1428, true, now, 1428);
	m.largest = 1428;
	/* A path comes and goes, and nothing is sent meanwhile. */
	at = now + MPTUN_MTU_KEEP_NS;
	for (i = 0; i < 5; i++) {
		mptun_mtu_test_is(test, &m, 1428, 1358, true, now, 1428);
		KUNIT_EXPECT_EQ(test, m.again_ns, at);
		KUNIT_EXPECT_EQ(test, m.whole, 1358U);
		now += NSEC_PER_SEC;
		mptun_mtu_test_is(test, &m, 1428, 1428, true, now, 1428);
		KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
		KUNIT_EXPECT_EQ(test, m.whole, 1428U);
		now += NSEC_PER_SEC;
	}
	/* It is needed once more. */
	m.largest = 1359;
	mptun_mtu_test_is(test, &m, 1428, 1358, true, at, 1428);
	mptun_mtu_test_is(test, &m, 1428, 1358, true,
			  at + MPTUN_MTU_KEEP_NS - 1, 1428);
	m.largest = 1358;
	mptun_mtu_test_is(test, &m, 1428, 1358, true, at + MPTUN_MTU_KEEP_NS,
			  1358);
	KUNIT_EXPECT_EQ(test, m.again_ns, U64_MAX);
}

/* It falls at once if nothing larger was ever sent, and if the peer joins no
 * fragments, which ends the limit for TCP too.
 */
static void mptun_mtu_test_unused(struct kunit *test)
{
	u64 now = MPTUN_MTU_TEST_NOW;
	struct mptun_mtu m;

	mptun_mtu_start(&m);
	KUNIT_EXPECT_EQ(test, m.whole, 0U);
	mptun_mtu_test_is(test, &m, 1400, U32_MAX, true, now, 1400);
	KUNIT_EXPECT_EQ(test, m.whole, MPTUN_MTU_MAX);
	mptun_mtu_test_is(test, &m, 1400, 1428, true, now, 1428);
	m.largest = 1358;
	mptun_mtu_test_is(test, &m, 1428, 1358, true, now, 1358);
	m.largest = 1358;
	mptun_mtu_test_is(test, &m, 1358, 1340, true, now, 1358);
	/* No path is left: what was known stays. */
	mptun_mtu_test_is(test, &m, 1358, U32_MAX, true, now, 1358);
	KUNIT_EXPECT_EQ(test, m.whole, 1340U);
	mptun_mtu_test_is(test, &m, 1358, 1340, false, now, 1340);
	KUNIT_EXPECT_EQ(test, m.whole, 0U);
}

static struct kunit_case mptun_mtu_cases[] = {
	KUNIT_CASE(mptun_mtu_test_first),
	KUNIT_CASE(mptun_mtu_test_fall),
	KUNIT_CASE(mptun_mtu_test_rise),
	KUNIT_CASE(mptun_mtu_test_none),
	KUNIT_CASE(mptun_mtu_test_bounds),
	KUNIT_CASE(mptun_mtu_test_keep),
	KUNIT_CASE(mptun_mtu_test_unused),
	{}
};

static struct kunit_suite mptun_mtu_suite = {
	.name = "mptun_mtu",
	.test_cases = mptun_mtu_cases,
};

kunit_test_suite(mptun_mtu_suite);
