/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Transmission: from the device's queue to numbered packets on paths.
 */
#ifndef _MPTUN_XMIT_H
#define _MPTUN_XMIT_H

#include <linux/netdevice.h>

struct mptun_path;
struct mptun_tunnel;

netdev_tx_t mptun_xmit(struct sk_buff *skb, struct net_device *dev);
u32 mptun_xmit_need(const struct mptun_tunnel *tunnel);
__be64 mptun_xmit_take(struct mptun_path *path, u32 dsn, u32 bytes, u64 now);
void mptun_xmit_out(struct mptun_path *path, struct sk_buff *skb, u32 packets);
void mptun_xmit_place(struct mptun_tunnel *tunnel, u64 now);
void mptun_xmit_run(struct mptun_tunnel *tunnel);

#endif /* _MPTUN_XMIT_H */
