/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Queues: those of the device, each stopped and woken by itself.
 */
#ifndef _MPTUN_QUEUE_H
#define _MPTUN_QUEUE_H

#include <linux/netdevice.h>

struct mptun_tunnel;

unsigned int mptun_queue_of(const struct mptun_tunnel *tunnel, u8 class);
int mptun_queue_init(struct mptun_tunnel *tunnel);
void mptun_queue_free(struct mptun_tunnel *tunnel);
void mptun_queue_start(struct mptun_tunnel *tunnel);
void mptun_queue_purge(struct mptun_tunnel *tunnel);
void mptun_queue_wake(struct mptun_tunnel *tunnel, unsigned int q, u64 now);
void mptun_queue_stop(struct mptun_tunnel *tunnel, unsigned int q, u64 now);
void mptun_queue_stop_all(struct mptun_tunnel *tunnel, u64 now);
u16 mptun_queue_select(struct net_device *dev, struct sk_buff *skb,
		       struct net_device *sb_dev);

#endif /* _MPTUN_QUEUE_H */
