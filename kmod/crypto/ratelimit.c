// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The guard in front of handshakes: how many are looked at.
 *
 * The model: who does not know the key gets no further than mac1.  Who
 * recorded INITs can repeat them, from any address it likes to make up.  Each
 * costs some hashing to be found out, so their rate is limited, by the
 * generic cell rate algorithm (ITU-T I.371): a clock runs ahead of the true
 * one by what each packet is worth, and packets conform as long as it is not
 * too far ahead.
 *
 * As long as the rate of all of them is low nothing else is asked.  Above it
 * a source has to be proved by a cookie, and each proved one has a rate of
 * its own.  A true peer opens a session in two round trips then.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/skbuff.h>

#include "base/limits.h"
#include "crypto/ratelimit.h"

/* Does one more conform? */
static bool mptun_guard_conforms(u64 *clock, u64 now, u64 worth, u64 burst)
{
	u64 at = max(*clock, now);

	if (at - now > worth * burst)
		return false;
	*clock = at + worth;
	return true;
}

/**
 * mptun_guard_init() - nothing has been spent yet
 * @guard: the guard of a namespace
 */
void mptun_guard_init(struct mptun_guard *guard)
{
	memset(guard, 0, sizeof(*guard));
	spin_lock_init(&guard->lock);
	get_random_bytes(&guard->key, sizeof(guard->key));
}

/**
 * mptun_guard_calm() - an INIT whose mac1 is good
 * @guard: the guard
 * @now: time in ns
 *
 * Return: true if it is to be looked at, whatever its source.
 */
bool mptun_guard_calm(struct mptun_guard *guard, u64 now)
{
	bool calm;

	spin_lock(&guard->lock);
	calm = mptun_guard_conforms(&guard->all_ns, now, MPTUN_GUARD_ALL_NS,
				    MPTUN_GUARD_ALL_BURST);
	spin_unlock(&guard->lock);
	return calm;
}

/* Neighbours in a prefix that one customer is given are one source. */
static u64 mptun_guard_prefix(const struct sk_buff *skb)
{
	const struct in6_addr *in6;

	if (ip_hdr(skb)->version == 4)
		return (__force u32)ip_hdr(skb)->saddr;
	in6 = &ipv6_hdr(skb)->saddr;
	return (u64)(__force u32)in6->s6_addr32[0] << 32 |
	       (__force u32)in6->s6_addr32[1];
}

/**
 * mptun_guard_source() - an INIT from a proved source, under load
 * @guard: the guard
 * @skb: the packet, its network header in place
 * @now: time in ns
 *
 * Return: true if it is to be looked at.
 */
bool mptun_guard_source(struct mptun_guard *guard, const struct sk_buff *skb,
			u64 now)
{
	u32 i = siphash_1u64(mptun_guard_prefix(skb), &guard->key) %
		MPTUN_GUARD_SOURCES;
	bool good;

	spin_lock(&guard->lock);
	good = mptun_guard_conforms(&guard->source_ns[i], now,
				    MPTUN_GUARD_SOURCE_NS,
				    MPTUN_GUARD_SOURCE_BURST);
	spin_unlock(&guard->lock);
	return good;
}

/**
 * mptun_guard_cookie() - may a COOKIE be sent, under load?
 * @guard: the guard
 * @now: time in ns
 *
 * Return: true if it may.
 */
bool mptun_guard_cookie(struct mptun_guard *guard, u64 now)
{
	bool good;

	spin_lock(&guard->lock);
	good = mptun_guard_conforms(&guard->cookie_ns, now,
				    MPTUN_GUARD_COOKIE_NS,
				    MPTUN_GUARD_COOKIE_BURST);
	spin_unlock(&guard->lock);
	return good;
}
