/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What the receive side notes in a packet's control block.
 */
#ifndef _MPTUN_SKB_CB_H
#define _MPTUN_SKB_CB_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#define MPTUN_RX_CB_MAX		32

/**
 * struct mptun_rx_cb - bookkeeping of a packet in the reordering ring
 * @arrival: when the packet arrived, in ns
 * @dsn: its data sequence number
 * @prev: distance to the dsn it waits for
 * @list: which list of the ring it is on (reorder_priv.h)
 */
struct mptun_rx_cb {
	u64 arrival;
	u32 dsn;
	u16 prev;
	u8 list;
};

/**
 * mptun_rx_cb() - the control block of a received packet
 * @skb: the packet
 *
 * Return: pointer to the control block.
 */
static inline struct mptun_rx_cb *mptun_rx_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_rx_cb) > MPTUN_RX_CB_MAX);
	BUILD_BUG_ON(sizeof_field(struct sk_buff, cb) < MPTUN_RX_CB_MAX);

	return (struct mptun_rx_cb *)skb->cb;
}

#endif /* _MPTUN_SKB_CB_H */
