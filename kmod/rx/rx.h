/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Receiving: the stations of a packet, in the order of its path.
 */
#ifndef _MPTUN_RX_RX_H
#define _MPTUN_RX_RX_H

#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "reorder/reorder.h"

struct mptun_decoder;
struct mptun_decoder_stats;
struct mptun_net;
struct mptun_parallel_ops;
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

/* rx/icmp.c */
int mptun_icmp(struct sock *sk, struct sk_buff *skb);

/* rx/handshake.c */
void mptun_recv_handshake(struct mptun_net *mn, struct mptun_port *port,
			  struct sk_buff *skb);

/* rx/decrypt.c */
extern const struct mptun_parallel_ops mptun_decrypt_ops;

void mptun_decrypt(struct mptun_session *session, struct sk_buff *skb);

/**
 * struct mptun_recv_info - the headers of a PACKET
 * @path: path it belongs to, NULL if it is about the association
 * @number: packet number within its space
 * @control: it is of the control number space
 * @kind: &enum mptun_kind
 * @class: of DATA: its class
 * @flags: MPTUN_F_*
 * @fseq: first transmissions of the path, mod 256
 * @refused: of DATA: its inner source address is not allowed
 * @wire_id: of the path
 * @prev: distance to the predecessor
 * @dsn: data sequence number
 * @assoc: of DATA: mptun_assoc.count when it arrived
 * @time: sender's microseconds, 24 bits
 * @bytes: size, UDP header included
 * @ds: DS field of the outer header
 * @ecn: of DATA: &enum mptun_ecn_flags
 * @newest: the number is the largest of its space so far
 * @moved: it came from another address than that of its path
 */
struct mptun_recv_info {
	struct mptun_path *path;
	u64 number;
	bool control;
	u8 kind;
	u8 class;
	u8 flags;
	u8 fseq;
	bool refused;
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
 * mptun_recv_note() - the headers of a DATA packet on rx.arrived
 * @skb: the packet
 *
 * Its path may be freed meanwhile: look it up again by @wire_id.
 *
 * Return: pointer to them in its control block.
 */
static inline struct mptun_recv_info *
mptun_recv_note(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mptun_recv_info) > sizeof(skb->cb));
	return (struct mptun_recv_info *)skb->cb;
}

/* rx/input.c */
void mptun_input(struct mptun_tunnel *tunnel, struct mptun_recv_info *info,
		 struct sk_buff *skb);

/* rx/allowed.c */
struct mptun_allowed *mptun_allowed_new(const u8 *entries, unsigned int n);
bool mptun_allowed_refuses(const struct mptun_tunnel *tunnel,
			   const struct sk_buff *skb);

/* rx/decap.c */
void mptun_decap(struct mptun_recv_info *info, struct sk_buff *skb);
unsigned int mptun_decap_whole(struct mptun_tunnel *tunnel,
			       struct sk_buff *skb, u8 flags);

/* rx/code.c */
void mptun_code_data(struct mptun_tunnel *tunnel,
		     const struct mptun_recv_info *info,
		     const struct sk_buff *skb);
void mptun_code_symbol(struct mptun_tunnel *tunnel, u32 dsn,
		       const struct sk_buff *skb, u64 now);
void mptun_code_order(struct mptun_tunnel *tunnel, u64 now,
		      struct sk_buff_head *out);
void mptun_code_count(struct mptun_decoder_stats *to,
		      const struct mptun_decoder *d);
void mptun_code_rx_reset(struct mptun_tunnel *tunnel);
u64 mptun_code_rx_work(struct mptun_tunnel *tunnel, u64 now);

/* rx/reassemble.c */
struct sk_buff *mptun_reassemble(struct mptun_tunnel *tunnel,
				 struct sk_buff *skb, u64 now);
void mptun_reassemble_expire(struct mptun_tunnel *tunnel, u64 now);

/* rx/blocks.c */
/**
 * struct mptun_blocks - the blocks of a packet
 * @data: first block
 * @len: length of all in bytes
 * @types: their &enum mptun_block_type, as bits
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
/* Packets that NAPI puts in order at a time */
#define MPTUN_ORDER_BATCH	64

unsigned int mptun_order_arrived(struct mptun_tunnel *tunnel);
bool mptun_order_now(struct mptun_tunnel *tunnel, struct mptun_recv_info *info,
		     struct sk_buff *skb);

/* rx/hold.c */
void mptun_hold_update(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_follow(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_playout(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_psmc(struct mptun_tunnel *tunnel, u64 now,
		     struct sk_buff_head *out);
u64 mptun_hold_psmc_deadline(const struct mptun_rx *rx);

/* rx/timer.c */
enum hrtimer_restart mptun_rx_timer_fired(struct hrtimer *timer);
void mptun_rx_timer_update(struct mptun_tunnel *tunnel);
void mptun_rx_settle(struct mptun_rx *rx);
bool mptun_rx_timer_plan(struct mptun_tunnel *tunnel, u64 now);

/* rx/ready.c */
void mptun_ready_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
		     u64 now);
bool mptun_ready_playout(struct mptun_rx *rx, u64 now);
void mptun_ready_schedule(struct mptun_tunnel *tunnel,
			  struct sk_buff_head *out, u64 now);
void mptun_rx_associate(struct mptun_tunnel *tunnel, u32 first_dsn);
void mptun_rx_dissociate(struct mptun_tunnel *tunnel);
void mptun_rx_idle(struct mptun_tunnel *tunnel, u64 now);
void mptun_rx_configure(struct mptun_tunnel *tunnel,
			const struct mptun_reorder_config *config);
bool mptun_rx_set_classes(struct mptun_tunnel *tunnel);

/* rx/napi.c */
void mptun_rx_init(struct mptun_tunnel *tunnel);
void mptun_rx_start(struct mptun_tunnel *tunnel);
void mptun_rx_stop(struct mptun_tunnel *tunnel);

/* rx/ack_send.c */
u64 mptun_report_interval(const struct mptun_path *path);
u64 mptun_report_at(const struct mptun_path *path, u64 interval);
void mptun_report_due(struct mptun_tunnel *tunnel, u64 now);

#endif /* _MPTUN_RX_RX_H */
