// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the rate limits of handshakes.
 */
#include <kunit/test.h>
#include <linux/ip.h>
#include <linux/skbuff.h>

#include "base/limits.h"
#include "crypto/ratelimit.h"

#define MPTUN_RATELIMIT_TEST_TUNNELS	100
/* INITs per second */
#define MPTUN_RATELIMIT_TEST_FLOOD	10000

static const enum mptun_ratelimit_kind any = MPTUN_RATELIMIT_ANY;
static const enum mptun_ratelimit_kind known = MPTUN_RATELIMIT_KNOWN;
static const enum mptun_ratelimit_kind cookie = MPTUN_RATELIMIT_COOKIE;

/**
 * struct mptun_ratelimit_test - a namespace with tunnels
 * @limits: its limits
 * @own: those of the tunnels
 * @now: time in ns
 */
struct mptun_ratelimit_test {
	struct mptun_ratelimit limits;
	struct mptun_ratelimit_own own[MPTUN_RATELIMIT_TEST_TUNNELS];
	u64 now;
};

static struct mptun_ratelimit_test *mptun_ratelimit_test_new(struct kunit *test)
{
	struct mptun_ratelimit_test *t = kunit_kzalloc(test, sizeof(*t),
						       GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_ratelimit_init(&t->limits);
	t->now = 1000ULL * NSEC_PER_SEC;
	return t;
}

static bool mptun_ratelimit_test_take(struct mptun_ratelimit_test *t, u32 i,
				      enum mptun_ratelimit_kind kind)
{
	bool good;

	/* Softirqs take the lock. */
	local_bh_disable();
	good = mptun_ratelimit_take(&t->limits, &t->own[i], kind, t->now);
	local_bh_enable();
	return good;
}

static bool mptun_ratelimit_test_source(struct mptun_ratelimit_test *t, u32 i,
					const struct sk_buff *skb)
{
	bool good;

	local_bh_disable();
	good = mptun_ratelimit_source(&t->limits, &t->own[i], skb, t->now);
	local_bh_enable();
	return good;
}

/* Floods the first @n tunnels in all kinds for a time; returns what passed. */
static u32 mptun_ratelimit_test_flood(struct mptun_ratelimit_test *t, u32 n,
				      u32 seconds)
{
	u32 i, kind, passed = 0;

	for (i = 0; i < seconds * MPTUN_RATELIMIT_TEST_FLOOD; i++) {
		t->now += NSEC_PER_SEC / MPTUN_RATELIMIT_TEST_FLOOD;
		for (kind = 0; kind < MPTUN_RATELIMIT_KINDS; kind++)
			if (mptun_ratelimit_test_take(t, i % n, kind)) {
				passed++;
				break;
			}
	}
	return passed;
}

/* While one tunnel is flooded all others rekey on 32 paths. */
static void mptun_ratelimit_test_others(struct kunit *test)
{
	struct mptun_ratelimit_test *t = mptun_ratelimit_test_new(test);
	u32 i, j, refused = 0;

	for (i = 1; i < MPTUN_RATELIMIT_TEST_TUNNELS; i++) {
		mptun_ratelimit_test_flood(t, 1, 1);
		for (j = 0; j < 32; j++)
			refused += !mptun_ratelimit_test_take(t, i, any);
		refused += !mptun_ratelimit_test_take(t, i, known);
		refused += !mptun_ratelimit_test_take(t, i, cookie);
	}
	KUNIT_EXPECT_EQ(test, refused, 0);
}

/* A flood from forged sources leaves the addresses of paths their rate. */
static void mptun_ratelimit_test_known(struct kunit *test)
{
	struct mptun_ratelimit_test *t = mptun_ratelimit_test_new(test);
	u32 i, j;

	for (i = 0; i < 5 * MPTUN_RATELIMIT_TEST_FLOOD; i++) {
		t->now += NSEC_PER_SEC / MPTUN_RATELIMIT_TEST_FLOOD;
		mptun_ratelimit_test_take(t, 0, any);
	}
	while (mptun_ratelimit_test_take(t, 0, any))
		;
	for (j = 0; j < 64; j++)
		KUNIT_EXPECT_TRUE(test, mptun_ratelimit_test_take(t, 0, known));
}

/* However many tunnels are flooded, and whatever the addresses: the namespace
 * has its limits.
 */
static void mptun_ratelimit_test_total(struct kunit *test)
{
	struct mptun_ratelimit_test *t = mptun_ratelimit_test_new(test);
	u32 passed;

	passed = mptun_ratelimit_test_flood(t, MPTUN_RATELIMIT_TEST_TUNNELS,
					    10);
	KUNIT_EXPECT_LE(test, passed, 10 * (256 + 256 + 1024) +
			(256 + 256 + 128) + 3);
	/* of one tunnel much less */
	t = mptun_ratelimit_test_new(test);
	passed = mptun_ratelimit_test_flood(t, 1, 10);
	KUNIT_EXPECT_LE(test, passed, 10 * (32 + 16 + 256) +
			(128 + 64 + 256) + 3);
}

/* A proved source of one tunnel does not use up the rate of another one. */
static void mptun_ratelimit_test_proved(struct kunit *test)
{
	struct mptun_ratelimit_test *t = mptun_ratelimit_test_new(test);
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL);
	struct iphdr *ip;
	u32 i, others = 0;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	ip = skb_put_zero(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	ip->version = 4;
	ip->saddr = htonl(0xc6120001);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, mptun_ratelimit_test_source(t, 0, skb),
				i <= MPTUN_RATELIMIT_SOURCE_BURST);
	/* some may have the same bucket */
	for (i = 1; i < MPTUN_RATELIMIT_TEST_TUNNELS; i++)
		others += mptun_ratelimit_test_source(t, i, skb);
	KUNIT_EXPECT_GE(test, others, MPTUN_RATELIMIT_TEST_TUNNELS / 2);
	kfree_skb(skb);
}

static struct kunit_case mptun_ratelimit_test_cases[] = {
	KUNIT_CASE(mptun_ratelimit_test_others),
	KUNIT_CASE(mptun_ratelimit_test_known),
	KUNIT_CASE(mptun_ratelimit_test_total),
	KUNIT_CASE(mptun_ratelimit_test_proved),
	{}
};

static struct kunit_suite mptun_ratelimit_test_suite = {
	.name = "mptun_ratelimit",
	.test_cases = mptun_ratelimit_test_cases,
};

kunit_test_suite(mptun_ratelimit_test_suite);
