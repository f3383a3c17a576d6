// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cookies: proofs of liveness and of source addresses, without state.
 *
 * A cookie is a hash of the subject, with a secret of this host that changes
 * every minute.  A peer that repeats it has received our message within the
 * last two minutes.
 *
 * One kind proves that the instance with an id is alive, so its INIT is no
 * replay of a former one.  The other proves a source address.
 *
 * The secret of a period is drawn when the first cookie is made in it.  There
 * is none, and no cookie, before random numbers can be trusted.  The time is
 * mptun_key_now().
 */
#include <crypto/utils.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/math64.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/udp.h>

#include "base/limits.h"
#include "crypto/cookie.h"
#include "crypto/handshake.h"
#include "crypto/random.h"

/* Kind of the cookie, in the last word hashed. */
#define MPTUN_COOKIE_INSTANCE	0
#define MPTUN_COOKIE_SOURCE	2

/**
 * mptun_cookies_init() - initialise the secrets of a namespace
 * @cookies: the secrets
 */
void mptun_cookies_init(struct mptun_cookies *cookies)
{
	memset(cookies, 0, sizeof(*cookies));
	spin_lock_init(&cookies->lock);
}

/**
 * mptun_cookies_forget() - wipe all secrets, so that no cookie is good any more
 * @cookies: the secrets
 */
void mptun_cookies_forget(struct mptun_cookies *cookies)
{
	spin_lock_bh(&cookies->lock);
	memzero_explicit(cookies->secrets, sizeof(cookies->secrets));
	spin_unlock_bh(&cookies->lock);
}

static u64 mptun_cookie_period(u64 now)
{
	return div64_u64(now, MPTUN_COOKIE_PERIOD_NS);
}

/* Gets the secret of a period.  Returns false if there is none. */
static bool mptun_cookie_secret(struct mptun_cookies *cookies, u64 period,
				siphash_key_t *key)
{
	unsigned int i = period % MPTUN_COOKIE_PERIODS;
	bool valid;

	spin_lock_bh(&cookies->lock);
	valid = cookies->secrets[i].valid &&
		cookies->secrets[i].period == period;
	*key = cookies->secrets[i].key;
	spin_unlock_bh(&cookies->lock);
	return valid;
}

/* Gets the secret of the current period, which is drawn if there is none.
 * Returns false if it cannot be drawn yet.
 */
static bool mptun_cookie_draw(struct mptun_cookies *cookies, u64 period,
			      siphash_key_t *key)
{
	unsigned int i = period % MPTUN_COOKIE_PERIODS;

	if (!mptun_random_ready())
		return false;
	spin_lock_bh(&cookies->lock);
	if (!cookies->secrets[i].valid ||
	    cookies->secrets[i].period != period) {
		mptun_random_bytes(&cookies->secrets[i].key,
				   sizeof(cookies->secrets[i].key));
		cookies->secrets[i].period = period;
		cookies->secrets[i].valid = true;
	}
	*key = cookies->secrets[i].key;
	spin_unlock_bh(&cookies->lock);
	return true;
}

static void mptun_cookie_make(const siphash_key_t *key, u64 a, u64 b,
			      u64 what, u8 *cookie)
{
	__le64 half[2];

	half[0] = cpu_to_le64(siphash_3u64(a, b, what, key));
	half[1] = cpu_to_le64(siphash_3u64(a, b, what + 1, key));
	memcpy(cookie, half, MPTUN_COOKIE_LEN);
}

/**
 * mptun_cookie_instance() - make the cookie of an instance
 * @cookies: secrets of the namespace
 * @now: time in ns
 * @instance: its id
 * @context: number of the tunnel that it addresses
 * @cookie: filled
 *
 * Return: false if there is none yet, as random numbers cannot be trusted.
 */
bool mptun_cookie_instance(struct mptun_cookies *cookies, u64 now,
			   u64 instance, u64 context,
			   u8 cookie[MPTUN_COOKIE_LEN])
{
	siphash_key_t key;

	if (!mptun_cookie_draw(cookies, mptun_cookie_period(now), &key))
		return false;
	mptun_cookie_make(&key, instance, context, MPTUN_COOKIE_INSTANCE,
			  cookie);
	memzero_explicit(&key, sizeof(key));
	return true;
}

/**
 * mptun_cookie_instance_good() - check the cookie of an instance
 * @cookies: secrets of the namespace
 * @now: time in ns
 * @instance: its id
 * @context: number of the tunnel that it addresses
 * @cookie: the cookie received
 *
 * Return: true if we made it recently.
 */
bool mptun_cookie_instance_good(struct mptun_cookies *cookies, u64 now,
				u64 instance, u64 context,
				const u8 cookie[MPTUN_COOKIE_LEN])
{
	u64 period = mptun_cookie_period(now);
	u8 want[MPTUN_COOKIE_LEN];
	bool good = false;
	siphash_key_t key;
	int i;

	for (i = 0; i < MPTUN_COOKIE_PERIODS && !good; i++, period--) {
		if (!mptun_cookie_secret(cookies, period, &key))
			continue;
		mptun_cookie_make(&key, instance, context,
				  MPTUN_COOKIE_INSTANCE, want);
		good = !crypto_memneq(want, cookie, sizeof(want));
	}
	memzero_explicit(&key, sizeof(key));
	return good;
}

static void mptun_cookie_make_source(const siphash_key_t *key,
				     const struct sk_buff *skb, u8 *cookie)
{
	u64 a, b = (__force u16)udp_hdr(skb)->source;
	const struct in6_addr *in6;

	if (ip_hdr(skb)->version == 4) {
		a = (__force u32)ip_hdr(skb)->saddr;
	} else {
		in6 = &ipv6_hdr(skb)->saddr;
		a = siphash(in6, sizeof(*in6), key);
		b |= BIT_ULL(32);
	}
	mptun_cookie_make(key, a, b, MPTUN_COOKIE_SOURCE, cookie);
}

/**
 * mptun_cookie_source() - make the cookie of a source address
 * @cookies: secrets of the namespace
 * @now: time in ns
 * @skb: a packet from there, network and transport headers set
 * @cookie: filled
 *
 * Return: false as for mptun_cookie_instance().
 */
bool mptun_cookie_source(struct mptun_cookies *cookies, u64 now,
			 const struct sk_buff *skb,
			 u8 cookie[MPTUN_COOKIE_LEN])
{
	siphash_key_t key;

	if (!mptun_cookie_draw(cookies, mptun_cookie_period(now), &key))
		return false;
	mptun_cookie_make_source(&key, skb, cookie);
	memzero_explicit(&key, sizeof(key));
	return true;
}

/**
 * mptun_cookie_source_good() - check mac2 of an INIT
 * @cookies: secrets of the namespace
 * @now: time in ns
 * @skb: the packet, network and transport headers set
 * @init: the INIT
 *
 * Return: true if its sender received our cookie at its address recently.
 */
bool mptun_cookie_source_good(struct mptun_cookies *cookies, u64 now,
			      const struct sk_buff *skb,
			      const struct mptun_init *init)
{
	u8 cookie[MPTUN_COOKIE_LEN], mac2[MPTUN_MAC_LEN];
	u64 period = mptun_cookie_period(now);
	bool good = false;
	siphash_key_t key;
	int i;

	for (i = 0; i < MPTUN_COOKIE_PERIODS && !good; i++, period--) {
		if (!mptun_cookie_secret(cookies, period, &key))
			continue;
		mptun_cookie_make_source(&key, skb, cookie);
		mptun_init_mac2(init, cookie, mac2);
		good = !crypto_memneq(mac2, init->mac2, sizeof(mac2));
	}
	memzero_explicit(&key, sizeof(key));
	return good;
}
