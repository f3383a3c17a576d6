// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception of data: an inner packet is made of what was opened.
 *
 * No lock is needed for that.  The packet then waits for NAPI, which puts all
 * that has come meanwhile in order at once (rx/order.c).
 */
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip_tunnels.h>

#include "base/ecn.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "wire/parse.h"

/* The protocol of an inner packet, which is at its inner header, and where its
 * transport header is.
 */
static u8 mptun_recv_transport(const struct sk_buff *skb, unsigned int *at)
{
	const struct ipv6hdr *ip6 = (const void *)skb->data;
	const struct iphdr *ip = (const void *)skb->data;
	bool v4 = skb->protocol == htons(ETH_P_IP);

	*at = v4 ? ip->ihl * 4 : sizeof(*ip6);
	return v4 ? ip->protocol : ip6->nexthdr;
}

/* Where the checksum is in the transport header of an inner packet; 0 if the
 * packet is none that a sender cuts.
 */
static unsigned int mptun_recv_checksum_offset(const struct sk_buff *skb,
					       u8 protocol)
{
	if (skb->protocol == htons(ETH_P_IP) && ip_is_fragment(ip_hdr(skb)))
		return 0;
	switch (protocol) {
	case IPPROTO_TCP:
		return offsetof(struct tcphdr, check);
	case IPPROTO_UDP:
		return offsetof(struct udphdr, check);
	default:
		return 0;
	}
}

/* The sender has left the checksum to whoever needs one, as to a device that
 * computes it (MPTUN_F_NOCSUM).  Returns false if there is none.
 */
static bool mptun_recv_fill_later(struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	const struct iphdr *ip = ip_hdr(skb);
	unsigned int at, off, len;
	__sum16 sum;
	u8 protocol;

	protocol = mptun_recv_transport(skb, &at);
	off = mptun_recv_checksum_offset(skb, protocol);
	/* What it refuses skb_partial_csum_set() writes into the log. */
	if (!off || skb_headlen(skb) < at + off + sizeof(sum) ||
	    !skb_partial_csum_set(skb, at, off))
		return false;
	len = skb->len - at;
	if (skb->protocol == htons(ETH_P_IP))
		sum = csum_tcpudp_magic(ip->saddr, ip->daddr, len, protocol, 0);
	else
		sum = csum_ipv6_magic(&ip6->saddr, &ip6->daddr, len, protocol,
				      0);
	*(__sum16 *)(skb->data + at + off) = ~sum;
	return true;
}

/* What is known of the checksums of an inner packet, which is at its inner
 * header.  A tag says more than they do.  Without one, a sum that was taken
 * over the outer packet holds the one over the inner packet, which so need not
 * be read again.  Returns false if one is to be filled in that cannot be.
 */
static bool mptun_recv_checksum(const struct mptun_tunnel *tunnel, u8 flags,
				struct sk_buff *skb)
{
	const u8 *outer = skb_transport_header(skb);
	bool sealed = mptun_tunnel_sealed(tunnel);
	unsigned int len = skb->data - outer;

	if (flags & MPTUN_F_NOCSUM)
		return sealed && mptun_recv_fill_later(skb);
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

/* Takes the outer side off an inner packet, which is at its inner header.
 *
 * A packet may wait in the ring longer than the device below it lives, and one
 * flow must look alike to GRO whatever path its packets came on.  So nothing
 * of the way stays: no device, no route, no hash, no mark.
 */
static void mptun_recv_strip(struct sk_buff *skb)
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

/* Bytes of the headers that GRO looks at; the one of IP can be read. */
static unsigned int mptun_recv_headers(const struct sk_buff *skb)
{
	const struct tcphdr *th;
	struct tcphdr tcp;
	unsigned int len;
	u8 protocol;

	protocol = mptun_recv_transport(skb, &len);
	if (protocol == IPPROTO_UDP)
		return len + sizeof(struct udphdr);
	if (protocol != IPPROTO_TCP)
		return len;
	th = skb_header_pointer(skb, len, sizeof(tcp), &tcp);
	return th ? len + th->doff * 4 : len;
}

/* Checks an inner packet, and cuts off what is behind it.
 *
 * Its headers are made readable at once, and not a byte more: GRO joins pages
 * of packets only if all that is not in pages are headers.
 */
static bool mptun_recv_inner(struct sk_buff *skb)
{
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(struct iphdr)) ||
	    (skb->data[0] >> 4 == 6 &&
	     !pskb_may_pull(skb, sizeof(struct ipv6hdr))))
		return false;
	skb_reset_network_header(skb);
	len = mptun_parse_inner(skb->data, skb_headlen(skb), &skb->protocol);
	if (!len || len > skb->len || pskb_trim_rcsum(skb, len))
		return false;
	return pskb_may_pull(skb, min(len, mptun_recv_headers(skb)));
}

/* Takes the blocks off the front of a flagged DATA packet. */
static bool mptun_recv_flagged(struct mptun_path *path, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_blocks blocks;
	u64 now = mptun_now();
	unsigned int len;
	int err;

	if (!pskb_may_pull(skb, sizeof(__be16)))
		return false;
	len = be16_to_cpup((__be16 *)skb->data);
	if (!pskb_may_pull(skb, sizeof(__be16) + len))
		return false;
	skb_pull(skb, sizeof(__be16));
	err = mptun_blocks_parse(&blocks, skb->data, len);
	if (!err) {
		spin_lock(&tunnel->rx.lock);
		err = mptun_blocks_apply_rx(tunnel, &blocks, now);
		spin_unlock(&tunnel->rx.lock);
	}
	if (!err)
		err = mptun_blocks_apply_tx(tunnel, path, &blocks, now);
	skb_pull(skb, len);
	return !err;
}

/* Makes an inner packet of a DATA packet, which is at its body. Returns 0, or
 * the reason to drop it.
 */
static unsigned int mptun_recv_prepare(struct mptun_recv_info *info,
				       struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = info->path->tunnel;

	if (info->flags & MPTUN_F_BLOCKS && !mptun_recv_flagged(info->path, skb))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	if (!mptun_recv_inner(skb))
		return MPTUN_A_DROP_STATS_RX_NOT_IP;
	/* GRO writes into what clones share.  Where both ends are on one host
	 * that is the packet in the sender's retransmit queue.
	 */
	if (skb_unclone(skb, GFP_ATOMIC))
		return MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	if (!mptun_recv_checksum(tunnel, info->flags, skb))
		return MPTUN_A_DROP_STATS_RX_MALFORMED;
	mptun_recv_strip(skb);
	info->ecn = mptun_ecn_decapsulate(skb, info->ds);
	skb->dev = tunnel->dev;
	return 0;
}

/* Lets a packet wait for NAPI.  Returns 0, or MPTUN_A_DROP_STATS_* if it is not
 * accepted.
 */
static unsigned int mptun_recv_wait(struct mptun_rx *rx, struct sk_buff *skb)
{
	unsigned int reason = 0;

	spin_lock(&rx->arrived.lock);
	if (!rx->running)
		reason = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	else if (skb_queue_len(&rx->arrived) >= MPTUN_ARRIVED_MAX)
		reason = MPTUN_A_DROP_STATS_RX_OVERRUN;
	else
		__skb_queue_tail(&rx->arrived, skb);
	spin_unlock(&rx->arrived.lock);
	return reason;
}

/**
 * mptun_recv_data() - a DATA packet of a path
 * @info: what its headers say; of one that came from elsewhere it is said
 *	whether it is the newest
 * @skb: the packet, at its body; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_recv_data(struct mptun_recv_info *info, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = info->path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	unsigned int reason;

	reason = mptun_recv_prepare(info, skb);
	if (!reason) {
		info->assoc = READ_ONCE(tunnel->assoc.count);
		*mptun_recv_note(skb) = *info;
		if (info->moved) {
			info->newest = mptun_order_now(info->path, skb);
			return;
		}
		reason = mptun_recv_wait(rx, skb);
	}
	if (reason)
		mptun_drop(&tunnel->drops, skb, reason);
	else
		napi_schedule(&rx->napi);
}
