/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Attempts to open a session: the side that begins.
 */
#ifndef _MPTUN_ATTEMPT_H
#define _MPTUN_ATTEMPT_H

#include <linux/list.h>

#include "crypto/noise.h"
#include "wire/wire.h"

struct mptun_tunnel;
struct sk_buff;

/**
 * struct mptun_attempt - an attempt to open a session
 * @node: entry in mptun_net.by_attempt
 * @index: index for the answer, and then for the session; 0 if there is no
 *	attempt; read under RCU, all else is under mptun_tunnel.lock
 * @init: the INIT, but for @mac2
 * @noise: the handshake
 * @counter: number of the attempt
 * @key_serial: &mptun_key.serial of its key
 * @born: jiffies when it was made
 * @at: jiffies when it is sent again, while @wait is not zero
 * @wait: present interval in ms, 0 while none is wanted
 * @cookie: what the peer wants to see in the next INIT
 * @cookie_valid: there is such a cookie
 */
struct mptun_attempt {
	struct hlist_node node;
	u32 index;
	struct mptun_init init;
	struct mptun_noise noise;
	u64 counter;
	u32 key_serial;
	unsigned long born;
	unsigned long at;
	unsigned int wait;
	u8 cookie[MPTUN_COOKIE_LEN];
	bool cookie_valid;
};

unsigned long mptun_attempt_work(struct mptun_tunnel *tunnel);
void mptun_attempt_close(struct mptun_tunnel *tunnel);
void mptun_attempt_reset(struct mptun_tunnel *tunnel);
bool mptun_attempt_response(struct mptun_tunnel *tunnel,
			    const struct sk_buff *skb, struct list_head *dead);
bool mptun_attempt_cookie(struct mptun_tunnel *tunnel, struct sk_buff *skb);

#endif /* _MPTUN_ATTEMPT_H */
