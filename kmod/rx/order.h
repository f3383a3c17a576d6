/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Order: what has arrived is accounted and goes through the ring.
 */
#ifndef _MPTUN_ORDER_H
#define _MPTUN_ORDER_H

#include <linux/types.h>

/* Packets that NAPI puts in order before it hands on what they released. */
#define MPTUN_ORDER_BATCH	64

struct mptun_path;
struct mptun_tunnel;
struct sk_buff;

bool mptun_order_arrived(struct mptun_tunnel *tunnel);
bool mptun_order_now(struct mptun_path *path, struct sk_buff *skb);

#endif /* _MPTUN_ORDER_H */
