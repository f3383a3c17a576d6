/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Delivery: from the ring to the stack, in order.
 */
#ifndef _MPTUN_DELIVER_H
#define _MPTUN_DELIVER_H

#include <linux/types.h>

#include "reorder/reorder.h"

struct mptun_tunnel;
struct sk_buff_head;

void mptun_deliver_init(struct mptun_tunnel *tunnel);
void mptun_deliver_destroy(struct mptun_tunnel *tunnel);
void mptun_deliver_start(struct mptun_tunnel *tunnel);
void mptun_deliver_stop(struct mptun_tunnel *tunnel);
void mptun_deliver_associate(struct mptun_tunnel *tunnel, u32 first_dsn);
void mptun_deliver_end(struct mptun_tunnel *tunnel);
void mptun_deliver_rest(struct mptun_tunnel *tunnel, u64 now);
void mptun_deliver_configure(struct mptun_tunnel *tunnel,
			     const struct mptun_reorder_config *config);
bool mptun_deliver_classes(struct mptun_tunnel *tunnel);
void mptun_deliver_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
		       u64 now);
void mptun_deliver_ready(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
			 u64 now);
void mptun_deliver_due(struct mptun_tunnel *tunnel, u64 now);
int mptun_deliver_settled(struct mptun_tunnel *tunnel, const u8 *data,
			  unsigned int len);
int mptun_deliver_prune(struct mptun_tunnel *tunnel, const u8 *data,
			unsigned int len);

#endif /* _MPTUN_DELIVER_H */
