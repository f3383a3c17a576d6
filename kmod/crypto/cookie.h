/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cookies: proofs of liveness and of source addresses, without state.
 */
#ifndef _MPTUN_COOKIE_H
#define _MPTUN_COOKIE_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire/wire.h"

struct sk_buff;

/* Periods whose cookies are accepted: the current and the previous one. */
#define MPTUN_COOKIE_PERIODS	2

/**
 * struct mptun_cookies - secrets of the cookies of a namespace
 * @lock: protects all that follows
 * @secrets: one of each period
 */
struct mptun_cookies {
	spinlock_t lock; /* protects all that follows */
	struct {
		siphash_key_t key;
		u64 period;
		bool valid;
	} secrets[MPTUN_COOKIE_PERIODS];
};

void mptun_cookies_init(struct mptun_cookies *cookies);
void mptun_cookies_forget(struct mptun_cookies *cookies);
bool mptun_cookie_instance(struct mptun_cookies *cookies, u64 now,
			   u64 instance, u64 context,
			   u8 cookie[MPTUN_COOKIE_LEN]);
bool mptun_cookie_instance_good(struct mptun_cookies *cookies, u64 now,
				u64 instance, u64 context,
				const u8 cookie[MPTUN_COOKIE_LEN]);
bool mptun_cookie_source(struct mptun_cookies *cookies, u64 now,
			 const struct sk_buff *skb,
			 u8 cookie[MPTUN_COOKIE_LEN]);
bool mptun_cookie_source_good(struct mptun_cookies *cookies, u64 now,
			      const struct sk_buff *skb,
			      const struct mptun_init *init);

#endif /* _MPTUN_COOKIE_H */
