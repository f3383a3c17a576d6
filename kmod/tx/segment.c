// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cutting: one segment of a GSO packet, written where it is wanted.
 *
 * The model: a GSO packet is headers and a payload.  Each segment is the same
 * headers, changed as its place in the payload says, and its share of the
 * payload; the payload is read once, for the copy and for the checksum, or by
 * somebody else, and then there is none.  What the headers of a segment are is
 * known to the stack's helper for drivers of devices that cannot cut
 * (net/core/tso.c).
 *
 * skb_gso_segment() would do the same with a packet buffer for each segment,
 * before it is known where they go, and the payload would be copied once more
 * to be sealed.  It is left what is rare: other headers than plain TCP and UDP
 * in IPv4 and IPv6, and packets whose headers nobody has checked.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/tso.h>

#include "tx/segment.h"

#define MPTUN_CUT_TYPES		(SKB_GSO_TCPV4 | SKB_GSO_TCPV6 | \
				 SKB_GSO_TCP_ECN | SKB_GSO_UDP_L4)

/* Does the transport header follow, and is it the one that is to be cut? */
static bool mptun_segment_transport(const struct sk_buff *skb)
{
	unsigned int at = skb_transport_offset(skb);
	u8 proto;

	if (skb->protocol == htons(ETH_P_IP)) {
		if (ip_hdrlen(skb) != at || ip_is_fragment(ip_hdr(skb)))
			return false;
		proto = ip_hdr(skb)->protocol;
	} else {
		if (sizeof(struct ipv6hdr) != at)
			return false;
		proto = ipv6_hdr(skb)->nexthdr;
	}
	return proto == (skb_is_gso_tcp(skb) ? IPPROTO_TCP : IPPROTO_UDP);
}

/**
 * mptun_segment_init() - can a packet be cut here, and how?
 * @cut: filled if so
 * @skb: a GSO packet, at its network header
 *
 * Return: true if it can.
 */
bool mptun_segment_init(struct mptun_segment *cut, struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	u32 at;

	if (shinfo->gso_type & ~MPTUN_CUT_TYPES || skb->encapsulation ||
	    skb->ip_summed != CHECKSUM_PARTIAL || skb_network_offset(skb) ||
	    !skb_transport_header_was_set(skb))
		return false;
	at = skb_transport_offset(skb);
	if (!pskb_may_pull(skb, at + sizeof(struct udphdr)) ||
	    !mptun_segment_transport(skb))
		return false;

	cut->head = at + sizeof(struct udphdr);
	if (skb_is_gso_tcp(skb)) {
		if (!pskb_may_pull(skb, at + sizeof(struct tcphdr)))
			return false;
		cut->head = at + tcp_hdrlen(skb);
	}
	if (cut->head >= skb->len || !pskb_may_pull(skb, cut->head))
		return false;
	cut->size = shinfo->gso_size;
	cut->payload = skb->len - cut->head;
	return true;
}

/* That the window was reduced is told once. */
static void mptun_segment_tcp(struct tcphdr *tcp, bool first)
{
	if (!first)
		tcp->cwr = 0;
	tcp->check = 0;
}

static __sum16 mptun_segment_magic(const struct sk_buff *skb, const u8 *to, u32 len,
			       u8 proto, __wsum sum)
{
	if (skb->protocol == htons(ETH_P_IP)) {
		const struct iphdr *ip = (const void *)to;

		return csum_tcpudp_magic(ip->saddr, ip->daddr, len, proto,
					 sum);
	} else {
		const struct ipv6hdr *ip = (const void *)to;

		return csum_ipv6_magic(&ip->saddr, &ip->daddr, len, proto,
				       sum);
	}
}

/* Fills in the checksum of a segment, given that of its payload. */
static void mptun_segment_sum(const struct mptun_segment *cut,
			  const struct sk_buff *skb, u32 offset, u8 *to,
			  __wsum sum)
{
	unsigned int at = skb_transport_offset(skb);
	u32 len = cut->head - at + mptun_segment_payload(cut, offset);
	struct tcphdr *tcp = (void *)(to + at);
	struct udphdr *udp = (void *)(to + at);

	sum = csum_partial(to + at, cut->head - at, sum);
	if (skb_is_gso_tcp(skb))
		tcp->check = mptun_segment_magic(skb, to, len, IPPROTO_TCP, sum);
	else
		udp->check = mptun_segment_magic(skb, to, len, IPPROTO_UDP, sum) ?:
			     CSUM_MANGLED_0;
}

/**
 * mptun_segment_piece() - where is the payload of a segment?
 * @cut: how the packet is cut
 * @skb: the packet
 * @offset: where in its payload the segment begins
 *
 * Return: where it is, NULL if it is not in one piece of memory.
 */
const u8 *mptun_segment_piece(const struct mptun_segment *cut,
			  const struct sk_buff *skb, u32 offset)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	u32 len = mptun_segment_payload(cut, offset);
	u32 at = cut->head + offset;
	unsigned int i;
	const u8 *data;

	if (at + len <= skb_headlen(skb))
		return skb->data + at;
	if (at < skb_headlen(skb))
		return NULL;
	at -= skb_headlen(skb);
	for (i = 0; i < shinfo->nr_frags; i++) {
		if (at < skb_frag_size(&shinfo->frags[i]))
			break;
		at -= skb_frag_size(&shinfo->frags[i]);
	}
	if (i == shinfo->nr_frags ||
	    at + len > skb_frag_size(&shinfo->frags[i]))
		return NULL;
	data = skb_frag_address_safe(&shinfo->frags[i]);
	return data ? data + at : NULL;
}

/**
 * mptun_segment_headers() - write the headers of a segment
 * @cut: how the packet is cut
 * @skb: the packet, not changed
 * @offset: where in its payload the segment begins, a multiple of @cut->size
 * @to: where to; room for @cut->head
 *
 * The checksum of the transport header is left 0.
 */
void mptun_segment_headers(const struct mptun_segment *cut, struct sk_buff *skb,
		       u32 offset, u8 *to)
{
	unsigned int at = skb_transport_offset(skb);
	u32 len = mptun_segment_payload(cut, offset);
	struct tso_t tso;

	tso_start(skb, &tso);
	tso.ip_id += offset / cut->size;
	tso.tcp_seq += offset;
	tso_build_hdr(skb, to, &tso, len, offset + len == cut->payload);

	if (skb->protocol == htons(ETH_P_IP))
		ip_send_check((struct iphdr *)to);
	if (skb_is_gso_tcp(skb))
		mptun_segment_tcp((void *)(to + at), !offset);
	else
		((struct udphdr *)(to + at))->check = 0;
}

/**
 * mptun_segment_segment() - write one segment
 * @cut: how the packet is cut
 * @skb: the packet, not changed
 * @offset: where in its payload the segment begins, a multiple of @cut->size
 * @to: where to; room for @cut->head and mptun_segment_payload()
 */
void mptun_segment_segment(const struct mptun_segment *cut, struct sk_buff *skb,
		       u32 offset, u8 *to)
{
	__wsum sum;

	sum = skb_copy_and_csum_bits(skb, cut->head + offset, to + cut->head,
				     mptun_segment_payload(cut, offset));
	mptun_segment_headers(cut, skb, offset, to);
	mptun_segment_sum(cut, skb, offset, to, sum);
}
