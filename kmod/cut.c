// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cutting: one segment of a GSO packet, written where it is wanted.
 *
 * The model: a GSO packet is headers and a payload.  Each segment is the same
 * headers, changed as its place in the payload says, and its share of the
 * payload; the payload is read once, for the copy and for the checksum.  What
 * the headers of a segment are is known to the stack's helper for drivers of
 * devices that cannot cut (net/core/tso.c).
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

#include "cut.h"

#define MPTUN_CUT_TYPES		(SKB_GSO_TCPV4 | SKB_GSO_TCPV6 | \
				 SKB_GSO_TCP_ECN | SKB_GSO_UDP_L4)

/* Does the transport header follow, and is it the one that is to be cut? */
static bool mptun_cut_transport(const struct sk_buff *skb)
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
 * mptun_cut_init() - can a packet be cut here, and how?
 * @cut: filled if so
 * @skb: a GSO packet, at its network header
 *
 * Return: true if it can.
 */
bool mptun_cut_init(struct mptun_cut *cut, struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	u32 at;

	if (shinfo->gso_type & ~MPTUN_CUT_TYPES || skb->encapsulation ||
	    skb->ip_summed != CHECKSUM_PARTIAL || skb_network_offset(skb) ||
	    !skb_transport_header_was_set(skb))
		return false;
	at = skb_transport_offset(skb);
	if (!pskb_may_pull(skb, at + sizeof(struct udphdr)) ||
	    !mptun_cut_transport(skb))
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

static __sum16 mptun_cut_sum(const struct sk_buff *skb, const u8 *to, u32 len,
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

/* That the window was reduced is told once. */
static void mptun_cut_tcp(const struct sk_buff *skb, u8 *to, u32 head,
			  u32 len, bool first, __wsum sum)
{
	unsigned int at = skb_transport_offset(skb);
	struct tcphdr *tcp = (void *)(to + at);

	if (!first)
		tcp->cwr = 0;
	tcp->check = 0;
	sum = csum_partial(tcp, head - at, sum);
	tcp->check = mptun_cut_sum(skb, to, head - at + len, IPPROTO_TCP, sum);
}

static void mptun_cut_udp(const struct sk_buff *skb, u8 *to, u32 head,
			  u32 len, __wsum sum)
{
	unsigned int at = skb_transport_offset(skb);
	struct udphdr *udp = (void *)(to + at);

	udp->check = 0;
	sum = csum_partial(udp, sizeof(*udp), sum);
	udp->check = mptun_cut_sum(skb, to, head - at + len, IPPROTO_UDP,
				   sum) ?: CSUM_MANGLED_0;
}

/**
 * mptun_cut_segment() - write one segment
 * @cut: how the packet is cut
 * @skb: the packet, not changed
 * @offset: where in its payload the segment begins, a multiple of @cut->size
 * @to: where to; room for @cut->head and mptun_cut_payload()
 */
void mptun_cut_segment(const struct mptun_cut *cut, struct sk_buff *skb,
		       u32 offset, u8 *to)
{
	u32 len = mptun_cut_payload(cut, offset);
	struct tso_t tso;
	__wsum sum;

	sum = skb_copy_and_csum_bits(skb, cut->head + offset, to + cut->head,
				     len);
	tso_start(skb, &tso);
	tso.ip_id += offset / cut->size;
	tso.tcp_seq += offset;
	tso_build_hdr(skb, to, &tso, len, offset + len == cut->payload);

	if (skb->protocol == htons(ETH_P_IP))
		ip_send_check((struct iphdr *)to);
	if (skb_is_gso_tcp(skb))
		mptun_cut_tcp(skb, to, cut->head, len, !offset, sum);
	else
		mptun_cut_udp(skb, to, cut->head, len, sum);
}
