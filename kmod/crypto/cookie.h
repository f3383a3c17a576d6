/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cookies: proofs of liveness and of source addresses, without state.
 */
#ifndef _MPTUN_COOKIE_H
#define _MPTUN_COOKIE_H

#include <linux/siphash.h>
#include <linux/types.h>

#include "wire/wire.h"

struct sk_buff;

void mptun_cookie_instance(const siphash_key_t *key, u64 instance,
			   u64 context, u8 cookie[MPTUN_COOKIE_LEN]);
bool mptun_cookie_instance_good(const siphash_key_t *key, u64 instance,
				u64 context,
				const u8 cookie[MPTUN_COOKIE_LEN]);
void mptun_cookie_source(const siphash_key_t *key,
			 const struct sk_buff *skb,
			 u8 cookie[MPTUN_COOKIE_LEN]);
bool mptun_cookie_source_good(const siphash_key_t *key,
			      const struct sk_buff *skb,
			      const struct mptun_init *init);

#endif /* _MPTUN_COOKIE_H */
