/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Associations: finding the peer, and noticing that it is another one.
 */
#ifndef _MPTUN_ASSOC_H
#define _MPTUN_ASSOC_H

#include <linux/list.h>

struct mptun_tunnel;
struct sk_buff;

void mptun_assoc_start(struct mptun_tunnel *tunnel);
void mptun_assoc_end(struct mptun_tunnel *tunnel, struct list_head *dead);
void mptun_assoc_bye(struct mptun_tunnel *tunnel);
unsigned long mptun_assoc_hello(struct mptun_tunnel *tunnel);
void mptun_assoc_receive(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			 struct list_head *dead);
u16 mptun_assoc_wire_id(struct mptun_tunnel *tunnel);
void mptun_assoc_renew(struct mptun_tunnel *tunnel, struct list_head *dead);
bool mptun_assoc_is_peers(const struct mptun_tunnel *tunnel, u16 wire_id);

#endif /* _MPTUN_ASSOC_H */
