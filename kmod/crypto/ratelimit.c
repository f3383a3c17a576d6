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
 * Each tunnel has limits of its own, so that a flood of recordings of one does
 * not take the handshakes of others; those of the namespace protect the
 * processor.  While the rate is low any source is accepted.  Above it the
 * addresses of the paths of a tunnel have a small rate of their own, as they
 * may be forged, too.  All others have to be proved by a cookie, and each
 * proved source has its own limit; a genuine peer then needs two round trips
 * for a session.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/random.h>
#include <linux/skbuff.h>

#include "base/limits.h"
#include "crypto/ratelimit.h"

/**
 * struct mptun_ratelimit_rate - a rate
 * @worth_ns: time that a packet costs
 * @burst: packets at once
 */
struct mptun_ratelimit_rate {
	u64 worth_ns;
	u64 burst;
};

/**
 * struct mptun_ratelimit_pair - rates that both have to be kept
 * @own: of a tunnel
 * @all: of the namespace
 */
struct mptun_ratelimit_pair {
	struct mptun_ratelimit_rate own;
	struct mptun_ratelimit_rate all;
};

static const struct mptun_ratelimit_pair mptun_ratelimit_rates[] = {
	[MPTUN_RATELIMIT_ANY] = {
		.own = { MPTUN_RATELIMIT_OWN_NS, MPTUN_RATELIMIT_OWN_BURST },
		.all = { MPTUN_RATELIMIT_ALL_NS, MPTUN_RATELIMIT_ALL_BURST },
	},
	[MPTUN_RATELIMIT_KNOWN] = {
		.own = { MPTUN_RATELIMIT_SOURCE_NS,
			 MPTUN_RATELIMIT_SOURCE_BURST },
		.all = { MPTUN_RATELIMIT_ALL_NS, MPTUN_RATELIMIT_ALL_BURST },
	},
	[MPTUN_RATELIMIT_COOKIE] = {
		.own = { MPTUN_RATELIMIT_ALL_NS, MPTUN_RATELIMIT_ALL_BURST },
		.all = { MPTUN_RATELIMIT_COOKIE_NS,
			 MPTUN_RATELIMIT_COOKIE_BURST },
	},
};

static bool mptun_ratelimit_conforms(u64 clock, u64 now,
				     const struct mptun_ratelimit_rate *rate)
{
	return max(clock, now) - now <= rate->worth_ns * rate->burst;
}

static void mptun_ratelimit_charge(u64 *clock, u64 now,
				   const struct mptun_ratelimit_rate *rate)
{
	*clock = max(*clock, now) + rate->worth_ns;
}

/**
 * mptun_ratelimit_init() - initialise the limits of a namespace
 * @limits: the limits
 */
void mptun_ratelimit_init(struct mptun_ratelimit *limits)
{
	memset(limits, 0, sizeof(*limits));
	spin_lock_init(&limits->lock);
	get_random_bytes(&limits->key, sizeof(limits->key));
}

/**
 * mptun_ratelimit_take() - charge an INIT with a valid mac1
 * @limits: limits of the namespace
 * @own: those of the tunnel
 * @kind: what it is charged as
 * @now: time in ns
 *
 * Return: true if it conforms to both limits; else none is charged.
 */
bool mptun_ratelimit_take(struct mptun_ratelimit *limits,
			  struct mptun_ratelimit_own *own,
			  enum mptun_ratelimit_kind kind, u64 now)
{
	const struct mptun_ratelimit_pair *rates = &mptun_ratelimit_rates[kind];
	bool good;

	spin_lock(&limits->lock);
	good = mptun_ratelimit_conforms(own->ns[kind], now, &rates->own) &&
	       mptun_ratelimit_conforms(limits->ns[kind], now, &rates->all);
	if (good) {
		mptun_ratelimit_charge(&own->ns[kind], now, &rates->own);
		mptun_ratelimit_charge(&limits->ns[kind], now, &rates->all);
	}
	spin_unlock(&limits->lock);
	return good;
}

/**
 * mptun_ratelimit_source() - charge an INIT from a proved source under load
 * @limits: limits of the namespace
 * @own: those of the tunnel
 * @skb: the packet, network header set
 * @now: time in ns
 *
 * Addresses of the prefix of one customer are one source.
 *
 * Return: true if it conforms.
 */
bool mptun_ratelimit_source(struct mptun_ratelimit *limits,
			    const struct mptun_ratelimit_own *own,
			    const struct sk_buff *skb, u64 now)
{
	static const struct mptun_ratelimit_rate rate = {
		MPTUN_RATELIMIT_SOURCE_NS, MPTUN_RATELIMIT_SOURCE_BURST
	};
	const struct in6_addr *in6;
	u64 prefix;
	bool good;
	u32 i;

	if (ip_hdr(skb)->version == 4) {
		prefix = (__force u32)ip_hdr(skb)->saddr;
	} else {
		in6 = &ipv6_hdr(skb)->saddr;
		prefix = (u64)(__force u32)in6->s6_addr32[0] << 32 |
			 (__force u32)in6->s6_addr32[1];
	}
	i = siphash_2u64(prefix, (unsigned long)own, &limits->key) %
	    MPTUN_RATELIMIT_SOURCES;
	spin_lock(&limits->lock);
	good = mptun_ratelimit_conforms(limits->source_ns[i], now, &rate);
	if (good)
		mptun_ratelimit_charge(&limits->source_ns[i], now, &rate);
	spin_unlock(&limits->lock);
	return good;
}
