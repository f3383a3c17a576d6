/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception of data: strip, account, order.
 */
#ifndef _MPTUN_RECV_DATA_H
#define _MPTUN_RECV_DATA_H

#include <linux/skbuff.h>
#include <linux/types.h>

struct mptun_path;

/**
 * struct mptun_recv_info - what the headers of a PACKET say
 * @path: path it belongs to
 * @number: packet number within its space
 * @control: it is of the control space
 * @kind: &enum mptun_kind
 * @flags: MPTUN_F_*
 * @fseq: first transmissions of the path, mod 256
 * @wire_id: of the path
 * @prev: distance to the predecessor
 * @dsn: data sequence number
 * @time: sender's microseconds, 24 bits
 * @bytes: size, UDP header included
 * @ds: DS field of the outer header
 * @ecn: of DATA: &enum mptun_ecn_flags
 * @newest: the number is the largest of its space so far
 */
struct mptun_recv_info {
	struct mptun_path *path;
	u64 number;
	bool control;
	u8 kind;
	u8 flags;
	u8 fseq;
	u16 wire_id;
	u16 prev;
	u32 dsn;
	u32 time;
	u32 bytes;
	u8 ds;
	u8 ecn;
	bool newest;
};

/**
 * struct mptun_recv_batch - DATA packets that came together on one path
 * @path: the path, if there are any
 * @list: the packets, without their outer side
 * @newest: the last one that was put in order was the newest of its path
 */
struct mptun_recv_batch {
	struct mptun_path *path;
	struct sk_buff_head list;
	bool newest;
};

void mptun_recv_batch_init(struct mptun_recv_batch *batch);
void mptun_recv_data(struct mptun_recv_batch *batch,
		     struct mptun_recv_info *info, struct sk_buff *skb);
void mptun_recv_flush(struct mptun_recv_batch *batch);

#endif /* _MPTUN_RECV_DATA_H */
