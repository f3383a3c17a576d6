/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Runs: segments of one GSO packet that leave on one path together.
 */
#ifndef _MPTUN_RUN_H
#define _MPTUN_RUN_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "base/skb_cb.h"
#include "tx/segment.h"
#include "wire/wire.h"

struct mptun_path;
struct mptun_session;
struct mptun_tunnel;

/**
 * struct mptun_tx_cb - bookkeeping of a packet on its way out
 * @spread: notes for those who seal it
 * @lane: lane of its flow, until it has a number
 * @wire_id: from then on: path it was placed on; 0 if it is too big for all
 * @count: of a run: its segments; 0 if the packet itself is sent
 * @cut: of a GSO packet and its runs: how it is cut
 * @session: session it was numbered for, NULL if there was none
 * @gso: of a run: the GSO packet it is cut from, held until it has been
 * @offset: of a GSO packet: the payload that has been placed; of a run: where
 *	in the payload it begins
 * @mtu: size it may have, if it is too big
 * @ds: if it is not: DS field that its outer packets get
 * @class: likewise: number of its class
 * @order: likewise: the receiver puts it in order
 * @repair: likewise: it is retransmitted if it is lost
 * @join: with a number: the device of its path takes a run as one packet
 */
struct mptun_tx_cb {
	struct mptun_parallel_cb spread;
	union {
		u16 lane;
		u16 wire_id;
	};
	u16 count;
	struct mptun_segment cut;
	struct mptun_session *session;
	struct sk_buff *gso;
	u32 offset;
	union {
		u32 mtu;
		struct {
			u8 ds;
			u8 class;
			bool order : 1;
			bool repair : 1;
			bool join : 1;
		};
	};
};

/**
 * mptun_tx_cb() - the control block of a packet on its way out
 * @skb: the packet
 *
 * Return: pointer to the control block.
 */
static inline struct mptun_tx_cb *mptun_tx_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_tx_cb) > sizeof(skb->cb));
	return (struct mptun_tx_cb *)skb->cb;
}

/**
 * mptun_run_next() - size of what is to be placed next
 * @skb: a packet without a number, possibly a GSO packet that is placed in part
 *
 * Return: length of the inner packet in bytes.
 */
static inline u32 mptun_run_next(const struct sk_buff *skb)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);

	if (!skb_is_gso(skb))
		return skb->len;
	return cb->cut.head + mptun_segment_payload(&cb->cut, cb->offset);
}

/**
 * mptun_run_packets() - how many packets is that?
 * @skb: a packet, a GSO packet, or a run of one
 *
 * Return: number of packets; of a GSO packet those that have not been placed.
 */
static inline u32 mptun_run_packets(const struct sk_buff *skb)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);

	if (cb->count)
		return cb->count;
	if (!skb_is_gso(skb))
		return 1;
	return DIV_ROUND_UP(cb->cut.payload - cb->offset, cb->cut.size);
}

/**
 * mptun_run_placed() - size of what has been placed
 * @skb: a packet with its header, or a run
 * @i: which segment of a run, 0 for the first one
 *
 * Return: length of the inner packet in bytes.
 */
static inline u32 mptun_run_placed(const struct sk_buff *skb, u32 i)
{
	const struct mptun_tx_cb *cb = mptun_tx_cb(skb);

	if (!cb->gso)
		return skb->len - sizeof(struct mptun_packet);
	return cb->cut.head +
	       mptun_segment_payload(&cb->cut, cb->offset + i * cb->cut.size);
}

u32 mptun_run_most(const struct sk_buff *gso);
struct sk_buff *mptun_run_new(struct sk_buff *gso);
struct sk_buff *mptun_run_copy(const struct sk_buff *skb);
struct sk_buff *mptun_run_keep(const struct sk_buff *skb, u32 i);
void mptun_run_free(struct sk_buff *skb);
void mptun_run_release(struct sk_buff *skb);
void mptun_run_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		    unsigned int reason);
void mptun_run_seal(struct sk_buff *run);

#endif /* _MPTUN_RUN_H */
