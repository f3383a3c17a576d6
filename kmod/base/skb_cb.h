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

struct mptun_session;

/**
 * struct mptun_spread_cb - what is noted in a packet in line
 * @cost: how much work it is, in bytes
 * @err: for @work of &struct mptun_spread_ops to tell @leave
 * @state: &enum mptun_parallel_state
 */
struct mptun_spread_cb {
	u32 cost;
	s16 err;
	u8 state;
};

/**
 * struct mptun_rx_cb - bookkeeping of a received packet
 * @arrival: in the ring: when the packet arrived, in ns
 * @dsn: in the ring: its data sequence number
 * @prev: in the ring: distance to the dsn it waits for
 * @list: in the ring: on which of its lists it is (reorder/reorder.h)
 * @due: behind the ring: when a packet that came early is handed on
 *	(reorder/playout.c)
 * @drop: in the ring and behind it: others need not wait for it, but it is not
 *	delivered (base/ecn.c)
 * @copy: likewise: it is not the first one of its dsn
 * @class: likewise: its class
 * @time: likewise: the sender's microseconds, 24 bits
 * @spread: opened by several processors: notes for those
 * @session: opened by them, or by an accelerator: its session, held
 * @prove: on its way to the worker: its source is to be proved
 */
struct mptun_rx_cb {
	union {
		struct {
			union {
				u64 arrival;
				u64 due;
			};
			u32 dsn;
			u16 prev;
			u8 list;
			bool drop : 1;
			bool copy : 1;
			u8 class : 4;
			u32 time;
		};
		struct {
			struct mptun_spread_cb spread;
			struct mptun_session *session;
		};
		bool prove;
	};
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
