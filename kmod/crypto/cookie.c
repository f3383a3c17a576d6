// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cookies: proofs of liveness and of source addresses, without state.
 *
 * A cookie is a hash of the subject, a secret of this host and the current
 * minute.  A peer that repeats it has received our message within the last two
 * minutes.
 *
 * One kind proves that the instance with an id is alive, so its INIT is no
 * replay of a former one.  The other proves a source address.
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

/* The current period and the previous one. */
#define MPTUN_COOKIE_PERIODS	2

/* Kind of the cookie, in the last word hashed. */
#define MPTUN_COOKIE_INSTANCE	0
#define MPTUN_COOKIE_SOURCE	2

static u64 mptun_cookie_period(void)
{
	return div_u64(ktime_get_boottime_seconds(), MPTUN_COOKIE_PERIOD_S);
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
 * mptun_cookie_instance() - make the cookie of an instance
 * @key: secret of the namespace
 * @instance: its id
 * @context: number of the tunnel that it addresses
 * @cookie: filled
 */
void mptun_cookie_instance(const siphash_key_t *key, u64 instance,
			   u64 context, u8 cookie[MPTUN_COOKIE_LEN])
{
	mptun_cookie_make(key, instance, context, mptun_cookie_period(),
			  MPTUN_COOKIE_INSTANCE, cookie);
}

/**
 * mptun_cookie_instance_good() - check the cookie of an instance
 * @key: secret of the namespace
 * @instance: its id
 * @context: number of the tunnel that it addresses
 * @cookie: the cookie received
 *
 * Return: true if we made it recently.
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

/* Converts the source of a packet to two words. */
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
 * mptun_cookie_source() - make the cookie of a source address
 * @key: secret of the namespace
 * @skb: a packet from there, network and transport headers set
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
 * mptun_cookie_source_good() - check mac2 of an INIT
 * @key: secret of the namespace
 * @skb: the packet, network and transport headers set
 * @init: the INIT
 *
 * Return: true if its sender received our cookie at its address recently.
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
