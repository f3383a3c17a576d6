/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rate limits of handshakes.
 */
#ifndef _MPTUN_RATELIMIT_H
#define _MPTUN_RATELIMIT_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct sk_buff;

#define MPTUN_RATELIMIT_SOURCES	256

/**
 * struct mptun_ratelimit - rate limits of a namespace
 * @lock: protects all of this
 * @all_ns: virtual clock of all INITs
 * @cookie_ns: virtual clock of COOKIEs under load
 * @source_ns: virtual clock of each source, by a hash of its address
 * @key: key of that hash
 */
struct mptun_ratelimit {
	spinlock_t lock; /* protects all of this */
	u64 all_ns;
	u64 cookie_ns;
	u64 source_ns[MPTUN_RATELIMIT_SOURCES];
	siphash_key_t key;
};

void mptun_ratelimit_init(struct mptun_ratelimit *guard);
bool mptun_ratelimit_all(struct mptun_ratelimit *guard, u64 now);
bool mptun_ratelimit_source(struct mptun_ratelimit *guard,
			    const struct sk_buff *skb, u64 now);
bool mptun_ratelimit_cookie(struct mptun_ratelimit *guard, u64 now);

#endif /* _MPTUN_RATELIMIT_H */
