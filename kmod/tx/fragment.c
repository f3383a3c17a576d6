// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fragments: packets that are larger than a path carries.
 *
 * There are two kinds.  Fragments of the tunnel (MPTUN_F_FRAG) are joined by
 * the peer, unnoticed by sender and receiver.  Each is a packet of its own for
 * the path, with its own dsn in the lane of the inner packet: it is
 * acknowledged, kept for retransmission and copied like any other.  They are
 * sent Not-ECT, as only a whole packet has an ECN field to be marked.
 *
 * IPv4 packets without DF that no path carries are fragmented as any router
 * does it, and joined by their destination.
 *
 * A segment that is too large for its path is first taken out of its GSO packet
 * as a packet of its own.
 *
 * mptun_tx.lock protects everything here.
 */
#include <linux/ip.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"
#include "wire/frag.h"
#include "wire/tcp.h"

/* Takes the first inner packet of a queue, and notes whether it is of TCP, as
 * fragments do not show it.  Returns NULL if there is no memory; then it
 * remains.
 */
static struct sk_buff *mptun_fragment_take(struct sk_buff_head *rest)
{
	struct sk_buff *gso = skb_peek(rest), *skb;
	struct mptun_tx_cb *cb = mptun_tx_cb(gso);
	unsigned int at;

	if (!skb_is_gso(gso)) {
		cb->tcp = mptun_tcp_find(gso->data, skb_headlen(gso), &at);
		__skb_unlink(gso, rest);
		return gso;
	}
	skb = mptun_run_whole(cb, gso);
	if (!skb)
		return NULL;
	cb->offset += mptun_segment_payload(&cb->cut, cb->offset);
	if (cb->offset == cb->cut.payload) {
		__skb_unlink(gso, rest);
		if (cb->keep)
			mptun_run_release(gso);
		consume_skb(gso);
	}
	return skb;
}

/* Drops the first packet of a queue. */
static void mptun_fragment_drop(struct mptun_tunnel *tunnel,
				struct sk_buff_head *rest)
{
	struct sk_buff *skb = __skb_dequeue(rest);

	mptun_classify_drop(tunnel, skb, MPTUN_A_DROP_STATS_TX_NO_MEMORY);
}

/* Makes one fragment, without its header of the tunnel. */
static struct sk_buff *mptun_fragment_piece(const struct sk_buff *whole,
					    const struct mptun_frag_plan *plan,
					    u32 index)
{
	u32 size = mptun_frag_size(plan, index);
	struct mptun_frag *frag;
	struct sk_buff *skb;

	skb = alloc_skb(MPTUN_HEADROOM + LL_MAX_HEADER + sizeof(*frag) + size,
			GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_reserve(skb, MPTUN_HEADROOM + LL_MAX_HEADER);
	skb->protocol = whole->protocol;
	frag = skb_put(skb, sizeof(*frag));
	frag->index = index;
	frag->count = plan->count;
	frag->len = cpu_to_be16(plan->len);
	skb_copy_bits(whole, index * plan->size, skb_put(skb, size), size);
	*mptun_tx_cb(skb) = *mptun_tx_cb(whole);
	mptun_tx_cb(skb)->ds &= ~INET_ECN_MASK;
	return skb;
}

/* Cuts a packet.  Returns false if there is no memory. */
static bool mptun_fragment_cut(const struct sk_buff *whole, u32 room,
			       struct sk_buff_head *pieces)
{
	struct mptun_frag_plan plan;
	struct sk_buff *skb;
	u32 i;

	if (!mptun_frag_divide(&plan, whole->len, room))
		return false;
	for (i = 0; i < plan.count; i++) {
		skb = mptun_fragment_piece(whole, &plan, i);
		if (!skb) {
			__skb_queue_purge(pieces);
			return false;
		}
		__skb_queue_tail(pieces, skb);
	}
	return true;
}

/**
 * mptun_fragment_place() - place the first packet of a queue in fragments
 * @tunnel: the tunnel
 * @rest: the queue
 * @n: number of candidates of the scheduler
 * @chosen: index of the one that takes all fragments
 * @now: time in ns
 *
 * Return: their bytes on the path, 0 if the packet was dropped.
 */
u32 mptun_fragment_place(struct mptun_tunnel *tunnel,
			 struct sk_buff_head *rest, unsigned int n,
			 unsigned int chosen, u64 now)
{
	u32 room = tunnel->tx.cand[chosen].whole, bytes = 0;
	struct mptun_path *path = tunnel->tx.cand_path[chosen];
	struct sk_buff *skb, *whole;
	struct sk_buff_head pieces;
	struct mptun_packet hdr;
	u16 lane;

	lockdep_assert_held(&tunnel->tx.lock);
	__skb_queue_head_init(&pieces);
	whole = mptun_fragment_take(rest);
	if (!whole) {
		mptun_fragment_drop(tunnel, rest);
		return 0;
	}
	lane = mptun_tx_cb(whole)->lane;
	mptun_avoid_flow(tunnel, lane);
	if (!mptun_fragment_cut(whole, room, &pieces)) {
		mptun_classify_drop(tunnel, whole,
				    MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return 0;
	}
	while ((skb = __skb_dequeue(&pieces))) {
		bytes += mptun_stamp(path, skb, &hdr, now);
		hdr.inner.flags_time |= MPTUN_FLAGS(MPTUN_F_FRAG);
		memcpy(skb_push(skb, sizeof(hdr)), &hdr, sizeof(hdr));
		mptun_stamp_out(path, skb, 1, now);
		mptun_duplicate(tunnel, skb, n, chosen, now);
		mptun_rtx_protect(path, skb, lane, now);
	}
	consume_skb(whole);
	return bytes;
}

/* Makes the options that belong into the first fragment only into no-ops. */
static void mptun_fragment_options(struct iphdr *ip)
{
	u8 *opt = (u8 *)(ip + 1);
	int left = ip->ihl * 4 - sizeof(*ip), len;

	for (; left > 0 && *opt != IPOPT_END; opt += len, left -= len) {
		len = 1;
		if (*opt == IPOPT_NOOP)
			continue;
		if (left < 2 || opt[1] < 2 || opt[1] > left)
			return;
		len = opt[1];
		if (!IPOPT_COPIED(*opt))
			memset(opt, IPOPT_NOOP, len);
	}
}

/* Fragments an IPv4 packet whose header is linear and its own. */
static bool mptun_fragment_ip(struct sk_buff *whole, u32 mtu,
			      struct sk_buff_head *pieces)
{
	unsigned int head = ip_hdrlen(whole);
	struct ip_frag_state state;
	struct sk_buff *skb;

	ip_frag_init(whole, head, MPTUN_HEADROOM + LL_MAX_HEADER, mtu - head,
		     false, &state);
	while (state.left) {
		skb = ip_frag_next(whole, &state);
		if (IS_ERR(skb)) {
			__skb_queue_purge(pieces);
			return false;
		}
		*mptun_tx_cb(skb) = *mptun_tx_cb(whole);
		if (skb_queue_empty(pieces))
			mptun_fragment_options(ip_hdr(whole));
		__skb_queue_tail(pieces, skb);
	}
	return true;
}

/**
 * mptun_fragment_inner() - fragment the first packet of a queue as a router
 * @tunnel: the tunnel
 * @rest: the queue; the fragments take the place of the packet
 * @mtu: size that fits
 *
 * Return: false if the packet must not be fragmented.
 */
bool mptun_fragment_inner(struct mptun_tunnel *tunnel,
			  struct sk_buff_head *rest, u32 mtu)
{
	struct sk_buff *skb = skb_peek(rest);
	const struct iphdr *ip = ip_hdr(skb);
	struct sk_buff_head pieces;

	lockdep_assert_held(&tunnel->tx.lock);
	if (skb->protocol != htons(ETH_P_IP) || ip->frag_off & htons(IP_DF) ||
	    mtu < IPV4_MIN_MTU || !pskb_may_pull(skb, ip_hdrlen(skb)) ||
	    mptun_run_next(skb) <= mtu)
		return false;
	__skb_queue_head_init(&pieces);
	skb = mptun_fragment_take(rest);
	if (!skb) {
		mptun_fragment_drop(tunnel, rest);
		return true;
	}
	if (!mptun_fragment_ip(skb, mtu, &pieces)) {
		mptun_classify_drop(tunnel, skb,
				    MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return true;
	}
	consume_skb(skb);
	skb_queue_splice(&pieces, rest);
	return true;
}
