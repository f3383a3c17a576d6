/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Control packets: how they are made and sent.
 */
#ifndef _MPTUN_CONTROL_H
#define _MPTUN_CONTROL_H

#include "wire/wire.h"

struct mptun_endpoint;
struct mptun_path;
struct mptun_tunnel;
struct sk_buff;

struct sk_buff *mptun_control_alloc(unsigned int body);
void *mptun_control_block(struct sk_buff *skb, enum mptun_block_type type,
			  unsigned int len);
int mptun_control_send(struct mptun_path *path, struct sk_buff *skb,
		       enum mptun_kind kind);
int mptun_control_send_as(struct mptun_path *path, u16 wire_id,
			  struct sk_buff *skb, enum mptun_kind kind);
void mptun_control_send_to(struct mptun_path *path,
			   const struct mptun_endpoint *ep,
			   struct sk_buff *skb, enum mptun_kind kind);
void mptun_control_reply(struct mptun_tunnel *tunnel,
			 const struct mptun_endpoint *ep, struct sk_buff *skb,
			 enum mptun_kind kind);
struct mptun_path *mptun_control_path(struct mptun_tunnel *tunnel,
				      struct mptun_path *wish);

#endif /* _MPTUN_CONTROL_H */
