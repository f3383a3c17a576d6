/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Control blocks of packets on the receive side.
 */
#ifndef _MPTUN_SKB_CB_H
#define _MPTUN_SKB_CB_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#define MPTUN_RX_CB_MAX		32

struct mptun_session;

/* Unit of sizes in struct mptun_parallel_cb, in bytes; up to 4 MiB fit. */
#define MPTUN_PARALLEL_UNIT	64

/**
 * struct mptun_parallel_cb - notes in a packet in line (base/parallel.c)
 * @cost: cost of the work, in MPTUN_PARALLEL_UNIT
 * @fill: what it takes of the line, in MPTUN_PARALLEL_UNIT
 * @err: result of @work of &struct mptun_parallel_ops for @leave
 * @state: &enum mptun_parallel_state
 */
struct mptun_parallel_cb {
	u16 cost;
	u16 fill;
	s16 err;
	u8 state;
};

/**
 * struct mptun_rx_cb - bookkeeping of a received packet
 * @arrival: in the reorder buffer: time of arrival in ns
 * @dsn: in the reorder buffer: data sequence number
 * @prev: in the reorder buffer: distance to the dsn it waits for
 * @list: in the reorder buffer: &enum mptun_reorder_list
 * @due: in playout: when the packet is delivered (reorder/playout.c)
 * @drop: in both: successors need not wait for it, but it is dropped
 *	(base/ecn.c)
 * @refused: the same, because of its source address (rx/allowed.c)
 * @copy: in both: not the first transmission of its dsn
 * @frag: in the reorder buffer: a fragment (rx/reassemble.c)
 * @class: in both: its class
 * @time: in both: the sender's microseconds, 24 bits
 * @parallel: during parallel decryption: its notes
 * @session: during parallel or asynchronous decryption: its session, held
 * @prove: queued for the worker: its source address has to be proved
 * @fresh: queued for the worker: its number has been accepted
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
			bool refused : 1;
			bool copy : 1;
			bool frag : 1;
			u8 class : 4;
			u32 time;
		};
		struct {
			struct mptun_parallel_cb parallel;
			struct mptun_session *session;
		};
		struct {
			bool prove;
			bool fresh;
		};
	};
};

/**
 * mptun_rxcb() - control block of a received packet
 * @skb: the packet
 *
 * Return: pointer to the control block.
 */
static inline struct mptun_rx_cb *mptun_rxcb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_rx_cb) > MPTUN_RX_CB_MAX);
	BUILD_BUG_ON(sizeof_field(struct sk_buff, cb) < MPTUN_RX_CB_MAX);

	return (struct mptun_rx_cb *)skb->cb;
}

#endif /* _MPTUN_SKB_CB_H */
