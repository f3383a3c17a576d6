// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Decap: turn a decrypted DATA packet into an inner packet, and check a REPAIR.
 *
 * This takes no lock of the tunnel.  The packet is queued on rx.arrived, which
 * has its own lock; NAPI puts a batch of packets in order at once (rx/order.c).
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip_tunnels.h>

#include "base/ecn.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "wire/mss.h"
#include "wire/parse.h"

/* Returns the transport protocol of an inner packet, and its offset. */
static u8 mptun_decap_transport(const struct sk_buff *skb, unsigned int *at)
{
	const struct ipv6hdr *ip6 = (const void *)skb->data;
	const struct iphdr *ip = (const void *)skb->data;
	bool v4 = skb->protocol == htons(ETH_P_IP);

	*at = v4 ? ip->ihl * 4 : sizeof(*ip6);
	return v4 ? ip->protocol : ip6->nexthdr;
}

/* Leaves the checksum to whatever needs it, as the sender did
 * (MPTUN_F_NOCSUM).  Returns false if the packet has no such checksum.
 */
static bool mptun_decap_partial(struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	const struct iphdr *ip = ip_hdr(skb);
	bool v4 = skb->protocol == htons(ETH_P_IP);
	unsigned int at, off, len;
	__sum16 sum;
	u8 protocol;

	protocol = mptun_decap_transport(skb, &at);
	if (protocol == IPPROTO_TCP)
		off = offsetof(struct tcphdr, check);
	else if (protocol == IPPROTO_UDP)
		off = offsetof(struct udphdr, check);
	else
		return false;
	/* skb_partial_csum_set() logs what it refuses. */
	if ((v4 && ip_is_fragment(ip)) ||
	    skb_headlen(skb) < at + off + sizeof(sum) ||
	    !skb_partial_csum_set(skb, at, off))
		return false;
	len = skb->len - at;
	if (v4)
		sum = csum_tcpudp_magic(ip->saddr, ip->daddr, len, protocol, 0);
	else
		sum = csum_ipv6_magic(&ip6->saddr, &ip6->daddr, len, protocol,
				      0);
	*(__sum16 *)(skb->data + at + off) = ~sum;
	return true;
}

/* Sets what is known of the checksums of an inner packet.
 *
 * A tag protects better than they do.  Without one, the sum over the outer
 * packet, if a device took it, yields that over the inner packet, which need
 * not be read again.  Returns false if one cannot be filled in.
 */
static bool mptun_decap_checksum(const struct mptun_tunnel *tunnel, u8 flags,
				 struct sk_buff *skb)
{
	const u8 *outer = skb_transport_header(skb);
	bool sealed = mptun_tunnel_sealed(tunnel);
	unsigned int len = skb->data - outer;

	if (flags & MPTUN_F_NOCSUM)
		return sealed && mptun_decap_partial(skb);
	if (sealed) {
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		skb->csum_level = SKB_MAX_CSUM_LEVEL;
		return true;
	}
	skb->csum_level = 0;
	if (skb->ip_summed == CHECKSUM_COMPLETE && len % sizeof(u16) == 0)
		skb_postpull_rcsum(skb, outer, len);
	else
		skb->ip_summed = CHECKSUM_NONE;
	return true;
}

/* Validates an inner packet and trims it.
 *
 * Its headers, including that of TCP or UDP, become linear, and not a byte
 * more: GRO merges page fragments only if the linear part is nothing but
 * headers.
 */
static bool mptun_decap_inner(struct sk_buff *skb)
{
	const struct tcphdr *th;
	unsigned int len, pull;
	struct tcphdr tcp;
	u8 protocol;

	if (!pskb_may_pull(skb, sizeof(struct iphdr)) ||
	    (skb->data[0] >> 4 == 6 &&
	     !pskb_may_pull(skb, sizeof(struct ipv6hdr))))
		return false;
	skb_reset_network_header(skb);
	len = mptun_parse_inner(skb->data, skb_headlen(skb), &skb->protocol);
	if (!len || len > skb->len || pskb_trim_rcsum(skb, len))
		return false;

	protocol = mptun_decap_transport(skb, &pull);
	if (protocol == IPPROTO_UDP) {
		pull += sizeof(struct udphdr);
	} else if (protocol == IPPROTO_TCP) {
		th = skb_header_pointer(skb, pull, sizeof(tcp), &tcp);
		pull += th ? th->doff * 4 : 0;
	}
	return pskb_may_pull(skb, min(len, pull));
}

/* Moves the blocks at the front of a flagged DATA packet to a buffer of their
 * own, to be freed by the caller.  Returns 0, or the reason to drop the packet.
 */
static unsigned int mptun_decap_blocks(struct sk_buff *skb,
				       struct mptun_blocks *blocks)
{
	struct mptun_blocks found;
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(__be16)))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	len = be16_to_cpup((__be16 *)skb->data);
	if (!pskb_may_pull(skb, sizeof(__be16) + len) ||
	    mptun_blocks_parse(&found, skb->data + sizeof(__be16), len))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	found.data = kmemdup(found.data, len, GFP_ATOMIC | __GFP_NOWARN);
	if (!found.data)
		return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	*blocks = found;
	skb_pull(skb, sizeof(__be16) + len);
	return 0;
}

/* Puts a packet with blocks in order at once.  The blocks apply only if its
 * number is accepted: those of a replayed packet change nothing.
 */
static void mptun_decap_now(struct mptun_recv_info *info, struct sk_buff *skb,
			    const struct mptun_blocks *blocks)
{
	struct mptun_path *path = info->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	u64 now = mptun_now();
	int err;

	if (!mptun_order_now(tunnel, info, skb))
		return;
	spin_lock(&tunnel->rx.lock);
	err = mptun_blocks_apply_rx(tunnel, blocks, now);
	spin_unlock(&tunnel->rx.lock);
	if (!err)
		err = mptun_blocks_apply_tx(tunnel, path, blocks, now);
	if (err)
		mptun_drop_add(&tunnel->drops,
			       MPTUN_A_DROP_STATS_RX_MALFORMED, 1);
}

/* Removes all traces of the outer packet.
 *
 * A packet may wait in the ring longer than the device below exists, and GRO
 * must see one flow whatever path its packets came on: no device, route, hash
 * or mark stays.
 */
static void mptun_decap_scrub(struct sk_buff *skb)
{
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	skb_reset_mac_len(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->encapsulation = 0;
	skb->mark = 0;
	skb->priority = 0;
	skb->queue_mapping = 0;
}

/* Lowers the MSS of a SYN or SYN/ACK, whose headers are linear. */
static void mptun_decap_clamp(const struct mptun_tunnel *tunnel,
			      struct sk_buff *skb)
{
	u32 mtu = mptun_tunnel_mss_mtu(tunnel);

	if (mtu)
		mptun_mss_clamp(skb->data, skb_headlen(skb), mtu,
				skb->ip_summed == CHECKSUM_PARTIAL);
}

/* Checks a fragment; its inner packet is checked when it is whole.  Marks are
 * for packets with an ECN field of their own: fragments are sent without.
 */
static bool mptun_decap_piece(struct mptun_recv_info *info,
			      struct sk_buff *skb)
{
	struct mptun_ecn_check *check = &info->path->rx.ecn;
	u8 ecn = info->ds & INET_ECN_MASK;

	if (info->flags & MPTUN_F_NOCSUM ||
	    !pskb_may_pull(skb, sizeof(struct mptun_frag)) ||
	    !mptun_parse_frag(skb->data, skb->len))
		return false;
	info->refused = false;
	info->ecn = 0;
	if (!mptun_ecn_counts(check, INET_ECN_NOT_ECT, ecn)) {
		info->ecn = MPTUN_ECN_IGNORED;
		return true;
	}
	if (ecn)
		info->ecn = MPTUN_ECN_FAULT;
	if (ecn == INET_ECN_CE)
		info->ecn |= MPTUN_ECN_DROP;
	return true;
}

/**
 * mptun_decap_whole() - check an inner packet that did not arrive in one piece
 * @tunnel: the tunnel
 * @skb: the packet, linear; becomes one of the device
 * @flags: MPTUN_F_NOCSUM if its checksum is to be filled in
 *
 * Return: 0, or the reason to drop it.
 */
unsigned int mptun_decap_whole(struct mptun_tunnel *tunnel,
			       struct sk_buff *skb, u8 flags)
{
	bool refused;

	if (!mptun_decap_inner(skb))
		return MPTUN_A_DROP_STATS_RX_NOT_IP;
	if (flags & MPTUN_F_NOCSUM) {
		if (!mptun_tunnel_sealed(tunnel) || !mptun_decap_partial(skb))
			return MPTUN_A_DROP_STATS_RX_MALFORMED;
	} else if (mptun_tunnel_sealed(tunnel)) {
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		skb->csum_level = SKB_MAX_CSUM_LEVEL;
	}
	mptun_decap_clamp(tunnel, skb);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	skb_reset_mac_len(skb);
	skb->dev = tunnel->dev;
	rcu_read_lock();
	refused = mptun_allowed_refuses(tunnel, skb);
	rcu_read_unlock();
	return refused ? MPTUN_A_DROP_STATS_RX_NOT_ALLOWED : 0;
}

/* Queues a packet for NAPI.  Returns 0, or the reason to drop it. */
static unsigned int mptun_decap_queue(struct mptun_rx *rx, struct sk_buff *skb)
{
	unsigned int reason = 0;

	spin_lock(&rx->arrived.lock);
	if (!rx->running) {
		reason = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	} else if (skb_queue_len(&rx->arrived) >= MPTUN_ARRIVED_MAX ||
		   (!mptun_pool_takes(&rx->arrived_share, rx->arrived_bytes) &&
		    rx->arrived_bytes >= MPTUN_BURST_BYTES)) {
		reason = MPTUN_A_DROP_STATS_RX_OVERRUN;
	} else {
		rx->arrived_bytes += skb->truesize;
		__skb_queue_tail(&rx->arrived, skb);
	}
	spin_unlock(&rx->arrived.lock);
	return reason;
}

/* Makes an inner packet, a fragment or a repair symbol of the body of a packet.
 * Returns 0, or the reason to drop it.
 */
static unsigned int mptun_decap_body(struct mptun_recv_info *info,
				     struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = info->path->tunnel;
	bool piece = info->flags & MPTUN_F_FRAG;
	struct mptun_repair_window window;

	if (unlikely(info->kind == MPTUN_KIND_REPAIR)) {
		if (!mptun_tunnel_sealed(tunnel))
			return MPTUN_A_DROP_STATS_RX_KIND;
		if (skb_linearize(skb))
			return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
		mptun_decap_scrub(skb);
		/* It is sent Not-ECT, and its marks mean nothing. */
		info->refused = false;
		info->ecn = 0;
		return mptun_parse_repair(info->dsn, skb->data, skb->len,
					  &window) ?
		       MPTUN_A_DROP_STATS_RX_MALFORMED : 0;
	}
	if (unlikely(info->flags & (MPTUN_F_CODED | MPTUN_F_COPY)) &&
	    READ_ONCE(tunnel->rx.code.decoder))
		mptun_code_data(tunnel, info, skb);
	if (piece && !mptun_decap_piece(info, skb))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	if (!piece && !mptun_decap_inner(skb))
		return MPTUN_A_DROP_STATS_RX_NOT_IP;
	/* GRO writes into data that clones share.  Where both ends are on one
	 * host, one of these clones is in the retransmit queue of the
	 * sending socket.
	 */
	if (skb_unclone(skb, GFP_ATOMIC))
		return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	if (!piece && !mptun_decap_checksum(tunnel, info->flags, skb))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	if (!piece)
		mptun_decap_clamp(tunnel, skb);
	mptun_decap_scrub(skb);
	if (!piece) {
		info->refused = mptun_allowed_refuses(tunnel, skb);
		info->ecn = mptun_ecn_decapsulate(&info->path->rx.ecn, skb,
						  info->ds);
	}
	return 0;
}

/**
 * mptun_decap() - receive a packet with a data number
 * @info: its headers; @newest is only set if the packet came from another
 *	address (@moved) or has blocks
 * @skb: the packet, at its body; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_decap(struct mptun_recv_info *info, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = info->path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_blocks blocks = {};
	unsigned int reason = 0;

	if (info->flags & MPTUN_F_BLOCKS)
		reason = mptun_decap_blocks(skb, &blocks);
	if (!reason)
		reason = mptun_decap_body(info, skb);
	if (reason)
		goto drop;
	skb->dev = tunnel->dev;
	info->assoc = READ_ONCE(tunnel->assoc.count);
	*mptun_recv_note(skb) = *info;
	if (info->moved || blocks.data) {
		mptun_decap_now(info, skb, &blocks);
		kfree(blocks.data);
		return;
	}

	reason = mptun_decap_queue(rx, skb);
	if (reason)
		goto drop;
	napi_schedule(&rx->napi);
	return;

drop:
	kfree(blocks.data);
	mptun_drop(&tunnel->drops, skb, reason);
}
