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
 * enum mptun_ratelimit_kind - what an INIT is charged as
 * @MPTUN_RATELIMIT_ANY: an INIT from any source
 * @MPTUN_RATELIMIT_KNOWN: one from the address of a path of its tunnel
 * @MPTUN_RATELIMIT_COOKIE: one that gets a COOKIE only
 * @MPTUN_RATELIMIT_KINDS: their number
 */
enum mptun_ratelimit_kind {
	MPTUN_RATELIMIT_ANY,
	MPTUN_RATELIMIT_KNOWN,
	MPTUN_RATELIMIT_COOKIE,
	MPTUN_RATELIMIT_KINDS,
};

/**
 * struct mptun_ratelimit_own - rate limits of a tunnel
 * @ns: virtual clock of each kind, under &mptun_ratelimit.lock
 */
struct mptun_ratelimit_own {
	u64 ns[MPTUN_RATELIMIT_KINDS];
};

/**
 * struct mptun_ratelimit - rate limits of a namespace
 * @lock: protects all of this, and the limits of its tunnels
 * @ns: virtual clock of each kind
 * @source_ns: virtual clock of each proved source, by a hash of its address and
 *	tunnel
 * @key: key of that hash
 */
struct mptun_ratelimit {
	spinlock_t lock; /* protects all of this */
	u64 ns[MPTUN_RATELIMIT_KINDS];
	u64 source_ns[MPTUN_RATELIMIT_SOURCES];
	siphash_key_t key;
};

void mptun_ratelimit_init(struct mptun_ratelimit *limits);
bool mptun_ratelimit_take(struct mptun_ratelimit *limits,
			  struct mptun_ratelimit_own *own,
			  enum mptun_ratelimit_kind kind, u64 now);
bool mptun_ratelimit_source(struct mptun_ratelimit *limits,
			    const struct mptun_ratelimit_own *own,
			    const struct sk_buff *skb, u64 now);

#endif /* _MPTUN_RATELIMIT_H */
