// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rate limits of handshakes.
 *
 * Without the key an INIT fails at mac1.  An attacker can replay recorded INITs
 * from forged addresses, and each costs some hashing, so their rate is limited
 * by the generic cell rate algorithm (ITU-T I.371): a virtual clock advances by
 * the cost of each packet, and packets conform while it is not too far ahead of
 * the real one.
 *
 * While the total rate is low any source is accepted.  Above it a source has to
 * be proved by a cookie, and each proved source has its own limit; a genuine
 * peer then needs two round trips for a session.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/skbuff.h>

#include "base/limits.h"
#include "crypto/ratelimit.h"

/* Returns true, and charges the packet, if it conforms. */
static bool mptun_ratelimit_conforms(u64 *clock, u64 now, u64 worth, u64 burst)
{
	u64 at = max(*clock, now);

	if (at - now > worth * burst)
		return false;
	*clock = at + worth;
	return true;
}

/**
 * mptun_ratelimit_init() - initialise the limits of a namespace
 * @guard: the limits
 */
void mptun_ratelimit_init(struct mptun_ratelimit *guard)
{
	memset(guard, 0, sizeof(*guard));
	spin_lock_init(&guard->lock);
	get_random_bytes(&guard->key, sizeof(guard->key));
}

/**
 * mptun_ratelimit_all() - charge an INIT with a valid mac1 from any source
 * @guard: the limits
 * @now: time in ns
 *
 * Return: true if it conforms.
 */
bool mptun_ratelimit_all(struct mptun_ratelimit *guard, u64 now)
{
	bool good;

	spin_lock(&guard->lock);
	good = mptun_ratelimit_conforms(&guard->all_ns, now,
					MPTUN_RATELIMIT_ALL_NS,
					MPTUN_RATELIMIT_ALL_BURST);
	spin_unlock(&guard->lock);
	return good;
}

/* Addresses of the prefix of one customer are one source. */
static u64 mptun_ratelimit_prefix(const struct sk_buff *skb)
{
	const struct in6_addr *in6;

	if (ip_hdr(skb)->version == 4)
		return (__force u32)ip_hdr(skb)->saddr;
	in6 = &ipv6_hdr(skb)->saddr;
	return (u64)(__force u32)in6->s6_addr32[0] << 32 |
	       (__force u32)in6->s6_addr32[1];
}

/**
 * mptun_ratelimit_source() - charge an INIT from a proved source under load
 * @guard: the limits
 * @skb: the packet, network header set
 * @now: time in ns
 *
 * Return: true if it conforms.
 */
bool mptun_ratelimit_source(struct mptun_ratelimit *guard,
			    const struct sk_buff *skb, u64 now)
{
	u32 i = siphash_1u64(mptun_ratelimit_prefix(skb), &guard->key) %
		MPTUN_RATELIMIT_SOURCES;
	bool good;

	spin_lock(&guard->lock);
	good = mptun_ratelimit_conforms(&guard->source_ns[i], now,
					MPTUN_RATELIMIT_SOURCE_NS,
					MPTUN_RATELIMIT_SOURCE_BURST);
	spin_unlock(&guard->lock);
	return good;
}

/**
 * mptun_ratelimit_cookie() - charge a COOKIE under load
 * @guard: the limits
 * @now: time in ns
 *
 * Return: true if it conforms.
 */
bool mptun_ratelimit_cookie(struct mptun_ratelimit *guard, u64 now)
{
	bool good;

	spin_lock(&guard->lock);
	good = mptun_ratelimit_conforms(&guard->cookie_ns, now,
					MPTUN_RATELIMIT_COOKIE_NS,
					MPTUN_RATELIMIT_COOKIE_BURST);
	spin_unlock(&guard->lock);
	return good;
}
