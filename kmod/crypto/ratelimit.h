/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Rate limits of handshakes.
 */
#ifndef _MPTUN_GUARD_H
#define _MPTUN_GUARD_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct sk_buff;

#define MPTUN_GUARD_SOURCES	256

/**
 * struct mptun_guard - rate limits of a namespace
 * @lock: protects all of this
 * @all_ns: virtual clock of all INITs
 * @cookie_ns: virtual clock of COOKIEs under load
 * @source_ns: virtual clock of each source, by a hash of its address
 * @key: key of that hash
 */
struct mptun_guard {
	spinlock_t lock; /* protects all of this */
	u64 all_ns;
	u64 cookie_ns;
	u64 source_ns[MPTUN_GUARD_SOURCES];
	siphash_key_t key;
};

void mptun_guard_init(struct mptun_guard *guard);
bool mptun_guard_calm(struct mptun_guard *guard, u64 now);
bool mptun_guard_source(struct mptun_guard *guard, const struct sk_buff *skb,
			u64 now);
bool mptun_guard_cookie(struct mptun_guard *guard, u64 now);

#endif /* _MPTUN_GUARD_H */
