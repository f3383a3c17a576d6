/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Associations: what both ends have agreed on, and who the peer is.
 */
#ifndef _MPTUN_ASSOC_H
#define _MPTUN_ASSOC_H

#include <linux/types.h>

struct list_head;
struct mptun_hello;
struct mptun_session;
struct mptun_tunnel;
struct sk_buff;

void mptun_assoc_start(struct mptun_tunnel *tunnel);
void mptun_assoc_begin(struct mptun_tunnel *tunnel,
		       struct mptun_session *session, struct list_head *dead);
void mptun_assoc_end(struct mptun_tunnel *tunnel, struct list_head *dead);
void mptun_assoc_bye(struct mptun_tunnel *tunnel);
bool mptun_assoc_left(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		      struct list_head *dead);
void mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead);
bool mptun_assoc_gone(const struct mptun_tunnel *tunnel, u64 instance);

void mptun_assoc_hello(const struct mptun_tunnel *tunnel,
		       struct mptun_hello *hello, u32 sender, u64 counter);
unsigned int mptun_assoc_check(const struct mptun_tunnel *tunnel,
			       const struct mptun_hello *hello);
void mptun_assoc_seen(struct mptun_tunnel *tunnel,
		      const struct mptun_hello *hello);

u16 mptun_assoc_wire_id(struct mptun_tunnel *tunnel);
bool mptun_assoc_is_peers(const struct mptun_tunnel *tunnel, u16 wire_id);
bool mptun_assoc_claim(struct mptun_tunnel *tunnel, u16 wire_id);

#endif /* _MPTUN_ASSOC_H */
