/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception of data: an inner packet is made of what was opened.
 */
#ifndef _MPTUN_RECV_DATA_H
#define _MPTUN_RECV_DATA_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

struct mptun_path;

/**
 * struct mptun_recv_info - what the headers of a PACKET say
 * @path: path it belongs to
 * @number: packet number within its space
 * @control: it is of the control space
 * @kind: &enum mptun_kind
 * @class: of DATA: its class
 * @flags: MPTUN_F_*
 * @fseq: first transmissions of the path, mod 256
 * @wire_id: of the path
 * @prev: distance to the predecessor
 * @dsn: data sequence number
 * @assoc: of DATA: association in which it came, mptun_assoc.count
 * @time: sender's microseconds, 24 bits
 * @bytes: size, UDP header included
 * @ds: DS field of the outer header
 * @ecn: of DATA: &enum mptun_ecn_flags
 * @newest: the number is the largest of its space so far
 * @moved: it came from elsewhere than its path leads to
 */
struct mptun_recv_info {
	struct mptun_path *path;
	u64 number;
	bool control;
	u8 kind;
	u8 class;
	u8 flags;
	u8 fseq;
	u16 wire_id;
	u16 prev;
	u32 dsn;
	u32 assoc;
	u32 time;
	u32 bytes;
	u8 ds;
	u8 ecn;
	bool newest;
	bool moved;
};

/**
 * mptun_recv_note() - what the headers of a DATA packet say, while it waits
 * @skb: the packet
 *
 * Its path may go meanwhile, and is looked up by its number.
 *
 * Return: pointer to the notes in its control block.
 */
static inline struct mptun_recv_info *
mptun_recv_note(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_recv_info) > sizeof(skb->cb));
	return (struct mptun_recv_info *)skb->cb;
}

void mptun_recv_data(struct mptun_recv_info *info, struct sk_buff *skb);

#endif /* _MPTUN_RECV_DATA_H */
