/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The way in of a packet, in the order in which it walks.
 */
#ifndef _MPTUN_RX_RX_H
#define _MPTUN_RX_RX_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "reorder/reorder.h"

struct mptun_net;
struct mptun_path;
struct mptun_port;
struct mptun_rx;
struct mptun_session;
struct mptun_tunnel;
struct sk_buff;
struct sk_buff_head;
struct sock;

/* rx/recv.c */
void mptun_recv_opened(struct mptun_session *session, struct sk_buff *skb);
int mptun_recv(struct sock *sk, struct sk_buff *skb);

/* rx/handshake.c */
void mptun_recv_handshake(struct mptun_net *mn, struct mptun_port *port,
		      struct sk_buff *skb);

/* rx/decrypt.c */
void mptun_decrypt_line_init(struct mptun_tunnel *tunnel);
void mptun_decrypt(struct mptun_session *session, struct sk_buff *skb);

/* rx/decap.c */
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

/* rx/blocks.c */
/**
 * struct mptun_blocks - the blocks of a packet
 * @data: where they begin
 * @len: their length in bytes
 * @types: bits of &enum mptun_block_type that are among them
 */
struct mptun_blocks {
	const u8 *data;
	unsigned int len;
	int types;
};

int mptun_blocks_parse(struct mptun_blocks *blocks, const u8 *data,
		       unsigned int len);
int mptun_blocks_apply_rx(struct mptun_tunnel *tunnel,
			  const struct mptun_blocks *blocks, u64 now);
int mptun_blocks_apply_tx(struct mptun_tunnel *tunnel, struct mptun_path *from,
			  const struct mptun_blocks *blocks, u64 now);

/* rx/order.c */
/* Packets that NAPI puts in order before it hands on what they released. */
#define MPTUN_ORDER_BATCH	64

bool mptun_order_arrived(struct mptun_tunnel *tunnel);
bool mptun_order_now(struct mptun_path *path, struct sk_buff *skb);

/* rx/hold.c */
void mptun_hold_update(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_follow(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_playout(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_psmc(struct mptun_tunnel *tunnel, u64 now,
		     struct sk_buff_head *out);
u64 mptun_hold_psmc_deadline(const struct mptun_rx *rx);

/* rx/timer.c */
void mptun_rx_timer_init(struct mptun_rx *rx);
void mptun_rx_timer_update(struct mptun_tunnel *tunnel);
bool mptun_rx_timer_plan(struct mptun_tunnel *tunnel, u64 now);
void mptun_rx_timer_stop(struct mptun_rx *rx);

/* rx/ready.c */
void mptun_deliver_init(struct mptun_tunnel *tunnel);
void mptun_deliver_destroy(struct mptun_tunnel *tunnel);
void mptun_deliver_start(struct mptun_tunnel *tunnel);
void mptun_deliver_stop(struct mptun_tunnel *tunnel);
void mptun_deliver_associate(struct mptun_tunnel *tunnel, u32 first_dsn);
void mptun_deliver_end(struct mptun_tunnel *tunnel);
void mptun_deliver_rest(struct mptun_tunnel *tunnel, u64 now);
void mptun_deliver_configure(struct mptun_tunnel *tunnel,
			     const struct mptun_reorder_config *config);
bool mptun_deliver_classes(struct mptun_tunnel *tunnel);
void mptun_deliver_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
		       u64 now);
void mptun_deliver_ready(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
			 u64 now);
void mptun_deliver_due(struct mptun_tunnel *tunnel, u64 now);

/* rx/ack_send.c */
u64 mptun_report_deadline(const struct mptun_path *path);
u64 mptun_report_latest(const struct mptun_path *path);
u64 mptun_report_next(const struct mptun_path *path, u64 now);
void mptun_report_due(struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_RX_RX_H */
