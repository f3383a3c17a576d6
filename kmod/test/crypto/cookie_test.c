// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of cookies: how long they are good and for what, and that no secret is
 * used for longer than its period or drawn too early.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/udp.h>

#include "base/limits.h"
#include "crypto/cookie.h"
#include "crypto/handshake.h"
#include "crypto/random.h"

#define MPTUN_COOKIE_TEST_BEGIN	(1000 * MPTUN_COOKIE_PERIOD_NS)

static const u64 mptun_cookie_test_instance = 0x1122334455667788;
static const u64 mptun_cookie_test_context = 0x99aabbccddeeff00;

static bool mptun_cookie_test_good(struct mptun_cookies *cookies, u64 now,
				   const u8 *cookie)
{
	return mptun_cookie_instance_good(cookies, now,
					  mptun_cookie_test_instance,
					  mptun_cookie_test_context, cookie);
}

static void mptun_cookie_test_made(struct mptun_cookies *cookies, u64 now,
				   u8 *cookie)
{
	mptun_cookie_instance(cookies, now, mptun_cookie_test_instance,
			      mptun_cookie_test_context, cookie);
}

/* A cookie is good in its period and the next one, whatever is made later. */
static void mptun_cookie_test_life(struct kunit *test)
{
	u64 begin = MPTUN_COOKIE_TEST_BEGIN, period = MPTUN_COOKIE_PERIOD_NS;
	u8 cookie[MPTUN_COOKIE_LEN], later[MPTUN_COOKIE_LEN];
	struct mptun_cookies cookies;

	mptun_cookies_init(&cookies);
	mptun_cookie_test_made(&cookies, begin, cookie);
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, begin,
						       cookie));
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, begin +
						       2 * period - 1, cookie));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, begin +
							2 * period, cookie));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, begin - 1,
							cookie));

	mptun_cookie_test_made(&cookies, begin + period, later);
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, begin +
						       2 * period - 1, cookie));
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, begin +
						       3 * period - 1, later));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, begin +
							2 * period, cookie));
}

static void mptun_cookie_test_subject(struct kunit *test)
{
	const u64 a = mptun_cookie_test_instance;
	const u64 b = mptun_cookie_test_context;
	u64 now = MPTUN_COOKIE_TEST_BEGIN;
	struct mptun_cookies cookies;
	u8 cookie[MPTUN_COOKIE_LEN];
	unsigned int i;

	mptun_cookies_init(&cookies);
	mptun_cookie_test_made(&cookies, now, cookie);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_instance_good(&cookies, now,
							    a + 1, b, cookie));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_instance_good(&cookies, now, a,
							    b + 1, cookie));
	for (i = 0; i < MPTUN_COOKIE_LEN; i++) {
		cookie[i] ^= 1;
		KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, now,
								cookie));
		cookie[i] ^= 1;
	}
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, now, cookie));
}

/* Each period has a secret of its own, drawn with its first cookie. */
static void mptun_cookie_test_secrets(struct kunit *test)
{
	u64 begin = MPTUN_COOKIE_TEST_BEGIN, period = MPTUN_COOKIE_PERIOD_NS;
	u8 cookie[MPTUN_COOKIE_LEN] = {};
	struct mptun_cookies cookies;
	siphash_key_t keys[4] = {};
	unsigned int i, j;

	mptun_cookies_init(&cookies);
	KUNIT_EXPECT_NULL(test, memchr_inv(cookies.secrets, 0,
					   sizeof(cookies.secrets)));
	/* A secret that was never drawn is that of no period. */
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, 0, cookie));
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		mptun_cookie_test_made(&cookies, begin + i * period, cookie);
		keys[i] = cookies.secrets[i % 2].key;
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_MEMNEQ(test, &keys[i], &keys[j],
					    sizeof(keys[i]));
	}
}

/* No cookie outlives mptun_cookies_forget(), in its own period either. */
static void mptun_cookie_test_forget(struct kunit *test)
{
	u8 cookie[MPTUN_COOKIE_LEN], again[MPTUN_COOKIE_LEN];
	u64 now = MPTUN_COOKIE_TEST_BEGIN;
	struct mptun_cookies cookies;

	mptun_cookies_init(&cookies);
	mptun_cookie_test_made(&cookies, now, cookie);
	mptun_cookies_forget(&cookies);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, now,
							cookie));
	mptun_cookie_test_made(&cookies, now, again);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_test_good(&cookies, now,
							cookie));
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, now, again));
}

static struct sk_buff *mptun_cookie_test_skb(struct kunit *test, u32 source)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct iphdr) +
					sizeof(struct udphdr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, sizeof(struct iphdr) + sizeof(struct udphdr));
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct iphdr));
	ip_hdr(skb)->version = 4;
	ip_hdr(skb)->saddr = cpu_to_be32(source);
	udp_hdr(skb)->source = cpu_to_be16(7000);
	return skb;
}

/* mac2 proves the address that a cookie was sent to, and no other one. */
static void mptun_cookie_test_source(struct kunit *test)
{
	u64 begin = MPTUN_COOKIE_TEST_BEGIN, period = MPTUN_COOKIE_PERIOD_NS;
	struct sk_buff *skb, *other;
	struct mptun_cookies cookies;
	u8 cookie[MPTUN_COOKIE_LEN];
	struct mptun_init *init;

	init = kunit_kzalloc(test, sizeof(*init), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, init);
	skb = mptun_cookie_test_skb(test, 0x0a000001);
	other = mptun_cookie_test_skb(test, 0x0a000002);
	mptun_cookies_init(&cookies);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_source_good(&cookies, begin, skb,
							  init));
	mptun_cookie_source(&cookies, begin, skb, cookie);
	mptun_init_mac2(init, cookie, init->mac2);
	KUNIT_EXPECT_TRUE(test, mptun_cookie_source_good(&cookies, begin +
			  2 * period - 1, skb, init));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_source_good(&cookies, begin,
							  other, init));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_source_good(&cookies, begin +
			   2 * period, skb, init));
	mptun_cookies_forget(&cookies);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_source_good(&cookies, begin, skb,
							  init));
	kfree_skb(other);
	kfree_skb(skb);
}

static bool mptun_cookie_test_early(void)
{
	return false;
}

/* Nothing is drawn before random numbers can be trusted, for neither kind of
 * cookie, and the first one after it is good.
 */
static void mptun_cookie_test_boot(struct kunit *test)
{
	const u64 a = mptun_cookie_test_instance;
	const u64 b = mptun_cookie_test_context;
	u64 now = MPTUN_COOKIE_TEST_BEGIN;
	struct mptun_cookies cookies;
	u8 cookie[MPTUN_COOKIE_LEN];
	struct sk_buff *skb;

	skb = mptun_cookie_test_skb(test, 0x0a000001);
	mptun_cookies_init(&cookies);
	kunit_activate_static_stub(test, mptun_random_ready,
				   mptun_cookie_test_early);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_instance(&cookies, now, a, b,
						       cookie));
	KUNIT_EXPECT_FALSE(test, mptun_cookie_source(&cookies, now, skb,
						     cookie));
	KUNIT_EXPECT_NULL(test, memchr_inv(cookies.secrets, 0,
					   sizeof(cookies.secrets)));
	kunit_deactivate_static_stub(test, mptun_random_ready);
	KUNIT_EXPECT_TRUE(test, mptun_cookie_instance(&cookies, now, a, b,
						      cookie));
	KUNIT_EXPECT_TRUE(test, mptun_cookie_test_good(&cookies, now, cookie));
	kfree_skb(skb);
}

static struct kunit_case mptun_cookie_test_cases[] = {
	KUNIT_CASE(mptun_cookie_test_life),
	KUNIT_CASE(mptun_cookie_test_subject),
	KUNIT_CASE(mptun_cookie_test_secrets),
	KUNIT_CASE(mptun_cookie_test_forget),
	KUNIT_CASE(mptun_cookie_test_source),
	KUNIT_CASE(mptun_cookie_test_boot),
	{}
};

static struct kunit_suite mptun_cookie_test_suite = {
	.name = "mptun_cookie",
	.test_cases = mptun_cookie_test_cases,
};

kunit_test_suite(mptun_cookie_test_suite);
