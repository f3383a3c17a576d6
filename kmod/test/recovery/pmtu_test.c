// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the MTU of a path.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "recovery/pmtu.h"

#define MPTUN_PMTU_TEST_LINK	1500U
#define MPTUN_PMTU_TEST_TOKEN	0x1234567800ULL
#define MPTUN_PMTU_TEST_PTO	(50ULL * NSEC_PER_MSEC)

struct mptun_pmtu_test {
	struct mptun_pmtu p;
	u64 now;
};

static void mptun_pmtu_test_start(struct mptun_pmtu_test *t)
{
	mptun_pmtu_init(&t->p, MPTUN_PMTU_TEST_LINK);
	t->now = 7ULL * NSEC_PER_SEC;
}

static void mptun_pmtu_test_claim(struct mptun_pmtu_test *t, u32 claim)
{
	mptun_pmtu_route(&t->p, MPTUN_PMTU_TEST_LINK, claim,
			 MPTUN_PMTU_TEST_TOKEN, t->now);
}

/* Runs an examination over a link that carries @carries bytes; returns the
 * number of its rounds.
 */
static unsigned int mptun_pmtu_test_link(struct mptun_pmtu_test *t, u32 carries)
{
	unsigned int rounds = 0;

	while (t->p.due_ns != U64_MAX) {
		t->now = t->p.due_ns;
		if (!mptun_pmtu_expire(&t->p, MPTUN_PMTU_TEST_PTO, t->now))
			break;
		rounds++;
		t->now += MPTUN_PMTU_TEST_PTO / 2;
		if (mptun_pmtu_probed(&t->p) <= carries)
			mptun_pmtu_answered(&t->p, MPTUN_PMTU_TEST_TOKEN,
					    t->now);
		if (carries)
			mptun_pmtu_answered(&t->p, MPTUN_PMTU_TEST_TOKEN + 1,
					    t->now);
	}
	return rounds;
}

/* Whatever a forged message claims, the path keeps its size, after one round.
 */
static void mptun_pmtu_test_forged(struct kunit *test)
{
	static const u32 claims[] = {
		0, 68, 576, 1279, 1280, 1281, 1400, 1499
	};
	struct mptun_pmtu_test t;
	unsigned int i;

	mptun_pmtu_test_start(&t);
	for (i = 0; i < ARRAY_SIZE(claims); i++) {
		mptun_pmtu_test_claim(&t, claims[i]);
		KUNIT_EXPECT_EQ(test, t.p.due_ns, t.now);
		KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_TEST_LINK);
		KUNIT_EXPECT_EQ(test, mptun_pmtu_test_link(&t, 1500), 1U);
		KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_TEST_LINK);
		/* not again at once */
		mptun_pmtu_test_claim(&t, claims[i]);
		KUNIT_EXPECT_EQ(test, t.p.due_ns, U64_MAX);
		t.now += MPTUN_PMTU_AGAIN_NS;
	}
}

/* An honest message is believed after three rounds, and no later one is needed.
 */
static void mptun_pmtu_test_honest(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u64 began;

	mptun_pmtu_test_start(&t);
	began = t.now;
	mptun_pmtu_test_claim(&t, 1400);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_test_link(&t, 1400),
			MPTUN_PMTU_TRIES);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	KUNIT_EXPECT_EQ(test, t.now - began,
			MPTUN_PMTU_TRIES * MPTUN_PMTU_TEST_PTO);
	mptun_pmtu_test_claim(&t, 1400);
	KUNIT_EXPECT_EQ(test, t.p.due_ns, U64_MAX);
	/* a second, smaller link */
	mptun_pmtu_test_claim(&t, 1300);
	mptun_pmtu_test_link(&t, 1300);
	KUNIT_EXPECT_EQ(test, t.p.size, 1300U);
}

/* No message makes a path smaller than the floor, unless its link is. */
static void mptun_pmtu_test_floor(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_start(&t);
	mptun_pmtu_test_claim(&t, 576);
	mptun_pmtu_test_link(&t, 576);
	KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_FLOOR);

	mptun_pmtu_route(&t.p, 1000, 576, MPTUN_PMTU_TEST_TOKEN, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, 1000U);
	KUNIT_EXPECT_EQ(test, t.p.due_ns, U64_MAX);
}

/* The configured size counts at once, in the middle of an examination too. */
static void mptun_pmtu_test_configured(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_start(&t);
	mptun_pmtu_test_claim(&t, 1300);
	mptun_pmtu_expire(&t.p, MPTUN_PMTU_TEST_PTO, t.now);
	mptun_pmtu_route(&t.p, 1420, 1420, MPTUN_PMTU_TEST_TOKEN, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, 1420U);
	KUNIT_EXPECT_EQ(test, t.p.due_ns, U64_MAX);
	mptun_pmtu_route(&t.p, 9000, 9000, MPTUN_PMTU_TEST_TOKEN, t.now);
	KUNIT_EXPECT_EQ(test, t.p.size, 9000U);
}

/* A path without any answer keeps its size: that is no matter of sizes. */
static void mptun_pmtu_test_dead(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_start(&t);
	mptun_pmtu_test_claim(&t, 1300);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_test_link(&t, 0), MPTUN_PMTU_ROUNDS);
	KUNIT_EXPECT_EQ(test, t.p.size, MPTUN_PMTU_TEST_LINK);
	KUNIT_EXPECT_EQ(test, t.p.again_ns, t.now + MPTUN_PMTU_AGAIN_NS);
}

/* Once the claim has expired, the larger size is used when it is proved. */
static void mptun_pmtu_test_raise(struct kunit *test)
{
	struct mptun_pmtu_test t;

	mptun_pmtu_test_start(&t);
	mptun_pmtu_test_claim(&t, 1400);
	mptun_pmtu_test_link(&t, 1400);
	mptun_pmtu_test_claim(&t, 1500);
	mptun_pmtu_test_link(&t, 1400);
	KUNIT_EXPECT_EQ(test, t.p.size, 1400U);
	KUNIT_EXPECT_EQ(test, t.p.again_ns, t.now + MPTUN_PMTU_RAISE_NS);
	t.now = t.p.again_ns;
	mptun_pmtu_test_claim(&t, 1500);
	KUNIT_EXPECT_EQ(test, mptun_pmtu_test_link(&t, 1500), 1U);
	KUNIT_EXPECT_EQ(test, t.p.size, 1500U);
}

/* Only the tokens of the examination count, and only during it. */
static void mptun_pmtu_test_tokens(struct kunit *test)
{
	struct mptun_pmtu_test t;
	u64 token = MPTUN_PMTU_TEST_TOKEN;

	mptun_pmtu_test_start(&t);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, 0, t.now));
	mptun_pmtu_test_claim(&t, 1300);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, token, t.now));
	mptun_pmtu_expire(&t.p, MPTUN_PMTU_TEST_PTO, t.now);
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, token - 1, t.now));
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_answered(&t.p, token + 1, t.now));
	KUNIT_EXPECT_TRUE(test, mptun_pmtu_answered(&t.p, token, t.now));
	KUNIT_EXPECT_FALSE(test, mptun_pmtu_answered(&t.p, token, t.now));
}

static struct kunit_case mptun_pmtu_test_cases[] = {
	KUNIT_CASE(mptun_pmtu_test_forged),
	KUNIT_CASE(mptun_pmtu_test_honest),
	KUNIT_CASE(mptun_pmtu_test_floor),
	KUNIT_CASE(mptun_pmtu_test_configured),
	KUNIT_CASE(mptun_pmtu_test_dead),
	KUNIT_CASE(mptun_pmtu_test_raise),
	KUNIT_CASE(mptun_pmtu_test_tokens),
	{}
};

static struct kunit_suite mptun_pmtu_test_suite = {
	.name = "mptun_pmtu",
	.test_cases = mptun_pmtu_test_cases,
};

kunit_test_suite(mptun_pmtu_test_suite);
