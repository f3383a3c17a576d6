// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lost packets from the repair symbols that are received.
 *
 *	mptun_code_data()	DATA that is coded, or a copy of what may be, as
 *				it was sent, before anything is changed in it:
 *				known to the decoder (rx/decap.c)
 *	mptun_code_symbol()	REPAIR whose number was accepted (rx/order.c)
 *	  rx.code.ready		packets decoded by either
 *	mptun_code_order()	into the reorder buffer
 *
 * A decoded packet is checked as any that arrived in fragments.  To the reorder
 * buffer it is a copy of its dsn: whatever arrives later, a retransmission as
 * well, is a duplicate.
 *
 * The decoder needs the coded packets of the last MPTUN_CODE_SLOTS dsns.  It is
 * made by the worker when the first symbol arrives, and freed when none has
 * come for MPTUN_IDLE_NS: without symbols packets are not looked at.
 *
 * The lock of the decoder nests in mptun_rx.lock, so that packets are added
 * while others are put in order.  Symbols are decoded under both: what a symbol
 * costs is bounded (code/decoder.c), and its number has to be new, as recorded
 * ones would cost the same.
 */
#include <linux/mm.h>

#include "base/skb_cb.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "tx/tx.h"
#include "wire/parse.h"

/* dsns that are kept: 60 ms of 100 Mbit/s in packets of 1400 bytes, by which a
 * symbol may be later than what it protects.
 */
#define MPTUN_CODE_SLOTS	512U

/* Symbols that are decoded beyond one for each DATA that arrived or was
 * decoded: those of two windows.  No sender makes more symbols than packets,
 * and each costs time.
 */
#define MPTUN_CODE_CREDIT	(2 * MPTUN_REPAIR_MEMBERS)

/* Decoded packets that wait for NAPI. */
#define MPTUN_CODE_READY_MAX	MPTUN_UNKNOWNS

/* Memory of a decoder, as it is charged. */
#define MPTUN_CODE_BYTES	((MPTUN_CODE_SLOTS + MPTUN_DECODER_ROWS) * \
				 (MPTUN_FRAG_INNER_MAX + 256U))

/* Makes a packet of what was decoded.  Returns NULL if it is none. */
static struct sk_buff *mptun_code_skb(struct mptun_tunnel *tunnel,
				      const struct mptun_code_packet *packet)
{
	const struct mptun_code_piece *piece = packet->piece;
	struct mptun_recv_info *info;
	unsigned int reason = 0;
	bool refused = false;
	struct sk_buff *skb;

	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + piece->len,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	skb_put_data(skb, piece->data, piece->len);
	if (!(packet->flags & MPTUN_F_FRAG))
		reason = mptun_decap_whole(tunnel, skb, packet->flags);
	else if (packet->flags & MPTUN_F_NOCSUM ||
		 !mptun_parse_frag(skb->data, skb->len))
		reason = MPTUN_A_DROP_STATS_RX_MALFORMED;
	skb->dev = tunnel->dev;
	if (reason == MPTUN_A_DROP_STATS_RX_NOT_ALLOWED) {
		refused = true;
		reason = 0;
	}
	if (reason) {
		mptun_drop(&tunnel->drops, skb, reason);
		return NULL;
	}
	info = mptun_recv_note(skb);
	*info = (struct mptun_recv_info){
		.dsn = packet->dsn,
		.prev = packet->prev,
		.flags = packet->flags,
		.class = packet->class,
		.refused = refused,
	};
	return skb;
}

/* Takes what the decoder has decoded.  It pays for symbols as what arrived. */
static void mptun_code_collect(struct mptun_tunnel *tunnel)
{
	struct mptun_code_rx *code = &tunnel->rx.code;
	struct mptun_code_packet packet;
	struct sk_buff *skb;

	lockdep_assert_held(&code->lock);
	while (mptun_decoder_next(code->decoder, &packet)) {
		code->credit = min(code->credit + 1, MPTUN_CODE_CREDIT);
		skb = mptun_code_skb(tunnel, &packet);
		if (!skb)
			continue;
		if (skb_queue_len(&code->ready) < MPTUN_CODE_READY_MAX)
			__skb_queue_tail(&code->ready, skb);
		else
			mptun_drop(&tunnel->drops, skb,
				   MPTUN_A_DROP_STATS_RX_OVERRUN);
	}
}

/**
 * mptun_code_data() - make a DATA packet known to the decoder
 * @tunnel: the tunnel
 * @info: its headers
 * @skb: the packet, at its body behind blocks, as it was sent
 */
void mptun_code_data(struct mptun_tunnel *tunnel,
		     const struct mptun_recv_info *info,
		     const struct sk_buff *skb)
{
	struct mptun_code_rx *code = &tunnel->rx.code;
	struct mptun_code_piece piece = {
		.data = skb->data,
		.len = skb->len,
	};
	struct mptun_code_packet packet = {
		.dsn = info->dsn,
		.prev = info->prev,
		.flags = info->flags,
		.class = info->class,
		.pieces = 1,
		.piece = &piece,
	};

	if (skb->len > MPTUN_FRAG_INNER_MAX)
		return;
	spin_lock(&code->lock);
	code->credit = min(code->credit + 1, MPTUN_CODE_CREDIT);
	if (code->decoder) {
		if (skb_is_nonlinear(skb)) {
			skb_copy_bits(skb, 0, code->scratch, piece.len);
			piece.data = code->scratch;
		}
		mptun_decoder_packet(code->decoder, &packet);
		mptun_code_collect(tunnel);
	}
	spin_unlock(&code->lock);
}

/**
 * mptun_code_symbol() - decode a repair symbol
 * @tunnel: the tunnel
 * @dsn: dsn of its header
 * @skb: the REPAIR, at its body, linear
 * @now: time in ns
 *
 * Without a decoder, the worker makes one for those that follow.
 */
void mptun_code_symbol(struct mptun_tunnel *tunnel, u32 dsn,
		       const struct sk_buff *skb, u64 now)
{
	struct mptun_code_rx *code = &tunnel->rx.code;
	struct mptun_repair_window window;

	lockdep_assert_held(&tunnel->rx.lock);
	if (mptun_parse_repair(dsn, skb->data, skb->len, &window))
		return; /* checked before, see mptun_decap() */
	spin_lock(&code->lock);
	if (code->decoder && code->credit) {
		code->credit--;
		code->symbol_ns = now;
		mptun_decoder_follow(code->decoder,
				     tunnel->rx.reorder.next - 1);
		mptun_decoder_symbol(code->decoder, &window);
		mptun_code_collect(tunnel);
		goto unlock;
	}
	code->missed++;
	if (!code->decoder && !code->wanted && now >= code->symbol_ns) {
		code->symbol_ns = now;
		code->wanted = true;
		mptun_tunnel_kick(tunnel);
	}
unlock:
	spin_unlock(&code->lock);
}

/**
 * mptun_code_order() - put decoded packets into the reorder buffer
 * @tunnel: the tunnel
 * @now: time in ns
 * @out: packets that the buffer releases
 */
void mptun_code_order(struct mptun_tunnel *tunnel, u64 now,
		      struct sk_buff_head *out)
{
	struct mptun_code_rx *code = &tunnel->rx.code;
	struct mptun_reorder_pkt pkt = { .copy = true };
	const struct mptun_recv_info *info;
	enum mptun_verdict verdict;
	struct sk_buff_head list;
	struct mptun_rx_cb cb;
	struct sk_buff *skb;

	lockdep_assert_held(&tunnel->rx.lock);
	__skb_queue_head_init(&list);
	spin_lock(&code->lock);
	if (tunnel->rx.running)
		skb_queue_splice_init(&code->ready, &list);
	else
		__skb_queue_purge(&code->ready);
	spin_unlock(&code->lock);
	while ((skb = __skb_dequeue(&list))) {
		info = mptun_recv_note(skb);
		pkt.dsn = info->dsn;
		pkt.prev = info->prev;
		pkt.repairable = info->flags & MPTUN_F_REPAIRABLE;
		cb = (struct mptun_rx_cb){
			.dsn = info->dsn,
			.refused = info->refused,
			.copy = true,
			.frag = info->flags & MPTUN_F_FRAG,
			.class = info->class,
		};
		*mptun_rxcb(skb) = cb;
		verdict = mptun_reorder_insert(&tunnel->rx.reorder, skb, &pkt,
					       now, out);
		if (verdict == MPTUN_VERDICT_DUPLICATE ||
		    verdict == MPTUN_VERDICT_TOO_OLD)
			consume_skb(skb);
	}
}

/**
 * mptun_code_count() - add the counters of a decoder to others
 * @to: the others
 * @d: the decoder
 */
void mptun_code_count(struct mptun_decoder_stats *to,
		      const struct mptun_decoder *d)
{
	to->symbols += d->stats.symbols;
	to->useless += d->stats.useless;
	to->late += d->stats.late + d->stats.ahead + d->stats.too_long;
	to->decoded += d->stats.decoded;
	to->given_up += d->stats.given_up;
	to->wrong += d->stats.wrong;
}

static const struct mptun_decoder_config mptun_code_decoder = {
	.field = &mptun_field_portable,
	.len = MPTUN_FRAG_INNER_MAX,
	.slots = MPTUN_CODE_SLOTS,
	.rows = MPTUN_DECODER_ROWS,
};

/* Allocates a decoder.  Returns NULL if there is no memory, or if waiting
 * packets need it.
 */
static struct mptun_decoder *mptun_code_rx_new(struct mptun_tunnel *tunnel,
					       u8 **scratch)
{
	struct mptun_decoder *d;

	*scratch = NULL;
	if (!mptun_pool_charge(tunnel->pool, MPTUN_CODE_BYTES))
		return NULL;
	*scratch = kvmalloc(MPTUN_FRAG_INNER_MAX, GFP_KERNEL);
	d = kvzalloc(sizeof(*d), GFP_KERNEL);
	if (*scratch && d && !mptun_decoder_init(d, &mptun_code_decoder,
						 GFP_KERNEL))
		return d;
	kvfree(d);
	kvfree(*scratch);
	*scratch = NULL;
	mptun_pool_uncharge(tunnel->pool, MPTUN_CODE_BYTES);
	return NULL;
}

/**
 * mptun_code_rx_reset() - forget all packets, as an association begins or ends
 * @tunnel: the tunnel
 */
void mptun_code_rx_reset(struct mptun_tunnel *tunnel)
{
	struct mptun_code_rx *code = &tunnel->rx.code;

	lockdep_assert_held(&tunnel->rx.lock);
	spin_lock(&code->lock);
	if (code->decoder)
		mptun_decoder_reset(code->decoder);
	__skb_queue_purge(&code->ready);
	spin_unlock(&code->lock);
}

/**
 * mptun_code_rx_work() - make a decoder that is wanted, free an idle one
 * @tunnel: the tunnel
 * @now: time in ns, U64_MAX to free it in any case
 *
 * Without memory, symbols are not looked at for a while.
 *
 * Return: when to call it again, U64_MAX for never.
 */
u64 mptun_code_rx_work(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_code_rx *code = &tunnel->rx.code;
	struct mptun_decoder *d = NULL;
	u8 *scratch = NULL;
	u64 at = U64_MAX;

	if (READ_ONCE(code->wanted))
		d = mptun_code_rx_new(tunnel, &scratch);
	spin_lock_bh(&code->lock);
	if (code->wanted) {
		code->wanted = false;
		swap(code->decoder, d);
		swap(code->scratch, scratch);
		code->credit = MPTUN_CODE_CREDIT;
		if (!code->decoder)
			code->symbol_ns = now + MPTUN_IDLE_NS;
	}
	if (code->decoder)
		at = code->symbol_ns + MPTUN_IDLE_NS;
	if (code->decoder && at <= now) {
		mptun_code_count(&code->stats, code->decoder);
		swap(code->decoder, d);
		swap(code->scratch, scratch);
		__skb_queue_purge(&code->ready);
		at = U64_MAX;
	}
	spin_unlock_bh(&code->lock);
	if (d) {
		mptun_decoder_destroy(d);
		kvfree(d);
		kvfree(scratch);
		mptun_pool_uncharge(tunnel->pool, MPTUN_CODE_BYTES);
	}
	return at;
}
