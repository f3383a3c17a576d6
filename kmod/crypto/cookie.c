// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cookies: proofs that somebody is alive, kept by whoever is asked for them.
 *
 * The model: a cookie is a hash of what is to be proved, with a secret of this
 * host and the present minute.  Who repeats it has received what we sent it
 * within the last two minutes.  We keep nothing.
 *
 * One kind is about an instance id: who bears it is alive, so its INIT is no
 * recording of one that has gone.  The other is about a source address: it is
 * not made up.
 */
#include <crypto/utils.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <linux/udp.h>

#include "base/limits.h"
#include "crypto/cookie.h"
#include "crypto/handshake.h"

/* The present period and the one before. */
#define MPTUN_COOKIE_PERIODS	2

/* What is proved, in the last word of what is hashed. */
#define MPTUN_COOKIE_INSTANCE	0
#define MPTUN_COOKIE_SOURCE	2

static u64 mptun_cookie_period(void)
{
	return div_u64(ktime_get_seconds(), MPTUN_COOKIE_PERIOD_S);
}

static void mptun_cookie_make(const siphash_key_t *key, u64 a, u64 b,
			      u64 period, u64 what, u8 *cookie)
{
	__le64 half[2];

	half[0] = cpu_to_le64(siphash_4u64(a, b, period, what,
					   key));
	half[1] = cpu_to_le64(siphash_4u64(a, b, period, what + 1,
					   key));
	memcpy(cookie, half, MPTUN_COOKIE_LEN);
}

/**
 * mptun_cookie_instance() - a cookie for an instance
 * @key: secret of the namespace
 * @instance: its id
 * @context: number of the tunnel that it wants to talk to
 * @cookie: filled
 */
void mptun_cookie_instance(const siphash_key_t *key, u64 instance,
			   u64 context, u8 cookie[MPTUN_COOKIE_LEN])
{
	mptun_cookie_make(key, instance, context, mptun_cookie_period(),
			  MPTUN_COOKIE_INSTANCE, cookie);
}

/**
 * mptun_cookie_instance_good() - is an instance alive?
 * @key: secret of the namespace
 * @instance: its id
 * @context: number of the tunnel that it wants to talk to
 * @cookie: the cookie that it shows
 *
 * Return: true if we made the cookie for it lately.
 */
bool mptun_cookie_instance_good(const siphash_key_t *key, u64 instance,
				u64 context,
				const u8 cookie[MPTUN_COOKIE_LEN])
{
	u64 period = mptun_cookie_period();
	u8 want[MPTUN_COOKIE_LEN];
	int i;

	for (i = 0; i < MPTUN_COOKIE_PERIODS; i++, period--) {
		mptun_cookie_make(key, instance, context, period,
				  MPTUN_COOKIE_INSTANCE, want);
		if (!crypto_memneq(want, cookie, sizeof(want)))
			return true;
	}
	return false;
}

/* The source of a packet in two words. */
static void mptun_cookie_words(const siphash_key_t *key,
			       const struct sk_buff *skb, u64 *a, u64 *b)
{
	const struct in6_addr *in6;

	*b = (__force u16)udp_hdr(skb)->source;
	if (ip_hdr(skb)->version == 4) {
		*a = (__force u32)ip_hdr(skb)->saddr;
		return;
	}
	in6 = &ipv6_hdr(skb)->saddr;
	*a = siphash(in6, sizeof(*in6), key);
	*b |= BIT_ULL(32);
}

/**
 * mptun_cookie_source() - a cookie for where a packet came from
 * @key: secret of the namespace
 * @skb: the packet, its network and transport headers in place
 * @cookie: filled
 */
void mptun_cookie_source(const siphash_key_t *key,
			 const struct sk_buff *skb,
			 u8 cookie[MPTUN_COOKIE_LEN])
{
	u64 a, b;

	mptun_cookie_words(key, skb, &a, &b);
	mptun_cookie_make(key, a, b, mptun_cookie_period(),
			  MPTUN_COOKIE_SOURCE, cookie);
}

/**
 * mptun_cookie_source_good() - is an INIT from where it says?
 * @key: secret of the namespace
 * @skb: the packet, its network and transport headers in place
 * @init: the INIT
 *
 * Return: true if its sender received our cookie there lately.
 */
bool mptun_cookie_source_good(const siphash_key_t *key,
			      const struct sk_buff *skb,
			      const struct mptun_init *init)
{
	u64 a, b, period = mptun_cookie_period();
	u8 cookie[MPTUN_COOKIE_LEN], mac2[MPTUN_MAC_LEN];
	int i;

	mptun_cookie_words(key, skb, &a, &b);
	for (i = 0; i < MPTUN_COOKIE_PERIODS; i++, period--) {
		mptun_cookie_make(key, a, b, period, MPTUN_COOKIE_SOURCE,
				  cookie);
		mptun_hello_mac2(init, cookie, mac2);
		if (!crypto_memneq(mac2, init->mac2, sizeof(mac2)))
			return true;
	}
	return false;
}
