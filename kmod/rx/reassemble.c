// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reassembly of inner packets that arrived in fragments.
 *
 * Fragments pass the reorder buffer like any packet.  Where they leave it,
 * reorder/assemble.c collects them; the whole packet is copied to memory of its
 * own, checked as any inner packet (rx/decap.c), and takes their place.
 */
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "base/skb_cb.h"
#include "core/tunnel.h"
#include "rx/rx.h"

static void mptun_reassemble_drop(struct mptun_tunnel *tunnel,
				  struct sk_buff_head *list,
				  unsigned int reason)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list))) {
		mptun_drop(&tunnel->drops, skb, reason);
		DEV_STATS_INC(tunnel->dev, rx_dropped);
	}
}

/* Makes one packet of all fragments.  Returns 0, or the reason to drop them. */
static unsigned int mptun_reassemble_join(struct mptun_tunnel *tunnel,
					  struct sk_buff_head *pieces,
					  struct sk_buff **whole)
{
	const unsigned int head = sizeof(struct mptun_frag);
	const struct mptun_frag *frag;
	struct sk_buff *piece, *skb;
	unsigned int len = 0;

	skb_queue_walk(pieces, piece)
		len += piece->len - head;
	piece = skb_peek_tail(pieces);
	frag = (const void *)piece->data;
	if (len != be16_to_cpu(frag->len))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	skb = alloc_skb(NET_SKB_PAD + NET_IP_ALIGN + len,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	skb_reserve(skb, NET_SKB_PAD + NET_IP_ALIGN);
	*mptun_rxcb(skb) = *mptun_rxcb(piece);
	mptun_rxcb(skb)->frag = false;
	skb_queue_walk(pieces, piece)
		skb_copy_bits(piece, head, skb_put(skb, piece->len - head),
			      piece->len - head);
	*whole = skb;
	return mptun_decap_whole(tunnel, skb, 0);
}

/**
 * mptun_reassemble() - pass a fragment to reassembly
 * @tunnel: the tunnel
 * @skb: the fragment, at its &struct mptun_frag; consumed
 * @now: time in ns
 *
 * Counts drops.
 *
 * Return: the packet it completes, or NULL.
 */
struct sk_buff *mptun_reassemble(struct mptun_tunnel *tunnel,
				 struct sk_buff *skb, u64 now)
{
	const struct mptun_frag *frag = (const void *)skb->data;
	struct sk_buff_head pieces, dropped;
	struct sk_buff *whole = NULL;
	unsigned int reason = 0;

	lockdep_assert_held(&tunnel->rx.lock);
	__skb_queue_head_init(&pieces);
	__skb_queue_head_init(&dropped);
	if (mptun_assemble_add(&tunnel->rx.assemble, mptun_rxcb(skb)->dsn,
			       frag, skb, now, &pieces, &dropped))
		reason = mptun_reassemble_join(tunnel, &pieces, &whole);
	mptun_reassemble_drop(tunnel, &dropped, MPTUN_A_DROP_STATS_RX_FRAGMENT);
	if (reason) {
		mptun_reassemble_drop(tunnel, &pieces, reason);
		kfree_skb(whole);
		return NULL;
	}
	while ((skb = __skb_dequeue(&pieces)))
		consume_skb(skb);
	return whole;
}

/**
 * mptun_reassemble_expire() - drop packets that wait for fragments in vain
 * @tunnel: the tunnel
 * @now: time in ns, U64_MAX for all packets
 */
void mptun_reassemble_expire(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head dropped;

	lockdep_assert_held(&rx->lock);
	__skb_queue_head_init(&dropped);
	if (now == U64_MAX)
		mptun_assemble_flush(&rx->assemble, &dropped);
	else
		mptun_assemble_expire(&rx->assemble, now, &dropped);
	mptun_reassemble_drop(tunnel, &dropped, MPTUN_A_DROP_STATS_RX_FRAGMENT);
}
