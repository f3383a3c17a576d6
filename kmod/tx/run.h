/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Runs: consecutive segments of one GSO packet, sent together on one path.
 */
#ifndef _MPTUN_RUN_H
#define _MPTUN_RUN_H

#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mptun.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "base/skb_cb.h"
#include "recovery/sent.h"
#include "tx/segment.h"
#include "wire/wire.h"

struct mptun_path;
struct mptun_session;
struct mptun_tunnel;
struct mptun_tx;

/**
 * enum mptun_code_mark - how a packet is coded (tx/code.c)
 * @MPTUN_CODE_MARK_NONE: not at all
 * @MPTUN_CODE_MARK_CLASS: with its class
 * @MPTUN_CODE_MARK_SPARSE: with the sparse flows
 */
enum mptun_code_mark {
	MPTUN_CODE_MARK_NONE,
	MPTUN_CODE_MARK_CLASS,
	MPTUN_CODE_MARK_SPARSE,
};

/**
 * struct mptun_tx_cb - control block of a packet on the transmit side
 * @parallel: state of parallel encryption; its @err is -EMSGSIZE from placement
 *	on if the packet is too big for all paths
 * @kept: what is kept of a packet or run: its numbers (recovery/rtx.c)
 * @lane: lane of its flow, until it has a number
 * @wire_id: afterwards: path it was placed on
 * @count: run: number of segments; 0 for any other packet
 * @cut: GSO packet and its runs: segmentation
 * @session: session it was numbered for, NULL if there was none
 * @gso: run: the GSO packet, held until the run has been cut from it
 * @offset: GSO packet: payload bytes already placed; run: its first payload
 *	byte
 * @mtu: packet too big for all paths: the size that fits
 * @ds: other packets: DS field that the outer header should have
 * @ds_path: after placement: the one with which it passes its path
 * @class: other packets: number of the class
 * @order: other packets: the receiver restores their order
 * @keep: other packets: &enum mptun_class_keep
 * @again: after placement: it may arrive again, as it was copied, or is kept
 *	and not only for the case that its path becomes silent
 * @tcp: a fragment, of TCP
 * @code: after placement: &enum mptun_code_mark
 * @join: after numbering: the device of the path takes a run as one packet
 */
struct mptun_tx_cb {
	union {
		struct mptun_parallel_cb parallel;
		struct mptun_kept kept;
	};
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
			u8 ds_path;
			u8 class : 5;
			u8 keep : 3;
			bool order : 1;
			bool join : 1;
			bool again : 1;
			bool tcp : 1;
			u8 code : 2;
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
	BUILD_BUG_ON(MPTUN_CLASSES_MAX > 1 << 5);
	return (struct mptun_tx_cb *)skb->cb;
}

/**
 * mptun_run_next() - size of the next packet to be placed
 * @skb: a packet without a number, possibly a GSO packet placed in part
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
 * mptun_run_packets() - number of packets
 * @skb: a packet, a GSO packet, or a run of one
 *
 * Return: number of packets; for a GSO packet those not placed yet.
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
 * mptun_run_placed() - size of a placed packet
 * @skb: a packet with its header, or a run
 * @i: index of the segment in a run
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

/**
 * mptun_run_memory() - memory that a packet takes while it is kept
 * @skb: a packet, or a run
 * @keep: whether it is kept from now on, or no longer
 *
 * The memory of a GSO packet counts once, from the first to the last of its
 * runs that are kept.  Their number is in its time stamp, of which it has no
 * more use.
 *
 * Return: bytes, by truesize.
 */
static inline u32 mptun_run_memory(const struct sk_buff *skb, bool keep)
{
	struct sk_buff *gso = mptun_tx_cb(skb)->gso;
	u32 bytes = skb->truesize;

	if (!gso)
		return bytes;
	if (!keep)
		gso->tstamp--;
	if (!gso->tstamp)
		bytes += gso->truesize;
	if (keep)
		gso->tstamp++;
	return bytes;
}

u32 mptun_run_most(const struct sk_buff *gso);
void mptun_run_spares(struct mptun_tx *tx, struct sk_buff_head *fresh);
struct sk_buff *mptun_run_new(struct mptun_tx *tx, struct sk_buff *gso);
struct sk_buff *mptun_run_copy(struct mptun_tx *tx, const struct sk_buff *skb);
struct sk_buff *mptun_run_part(struct mptun_tx *tx, const struct sk_buff *run,
			       u32 i);
struct sk_buff *mptun_run_whole(const struct mptun_tx_cb *cb,
				struct sk_buff *gso);
void mptun_run_release(struct sk_buff *skb);
void mptun_run_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
		    unsigned int reason);
void mptun_run_seal(struct sk_buff *run);

#endif /* _MPTUN_RUN_H */
