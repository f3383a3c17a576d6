/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The guard in front of handshakes: how many are looked at.
 */
#ifndef _MPTUN_GUARD_H
#define _MPTUN_GUARD_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct sk_buff;

#define MPTUN_GUARD_SOURCES	256

/**
 * struct mptun_guard - what a namespace has spent on handshakes
 * @lock: protects all of this
 * @all_ns: when all that were looked at would have been at the rate of load
 * @cookie_ns: likewise for COOKIEs under load
 * @source_ns: likewise for each source, by a hash of its address
 * @key: of that hash
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
