// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Segmentation: one segment of a GSO packet at a time, at any address.
 *
 * Each segment consists of the headers of the GSO packet, adapted to the offset
 * of the segment by the stack's helper for drivers (net/core/tso.c), and its
 * part of the payload.  The payload is read once, for copy and checksum
 * together; a cipher that reads the payload itself gets no checksum.
 *
 * skb_gso_segment() allocates a buffer for each segment before its path is
 * known, and encryption would copy the payload again.  It handles the rare
 * cases: other headers than plain TCP and UDP in IPv4 and IPv6, and packets
 * with unverified headers (SKB_GSO_DODGY).
 *
 * Only reads the packet; needs no lock.
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

#define MPTUN_SEGMENT_TYPES	(SKB_GSO_TCPV4 | SKB_GSO_TCPV6 | \
				 SKB_GSO_TCP_ECN | SKB_GSO_UDP_L4)

/* The transport header follows directly and matches the GSO type. */
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
 * mptun_segment_init() - prepare the segmentation of a packet
 * @cut: filled in on success
 * @skb: a GSO packet, at its network header
 *
 * Return: false if the packet has to be left to skb_gso_segment().
 */
bool mptun_segment_init(struct mptun_segment *cut, struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	u32 at;

	if (shinfo->gso_type & ~MPTUN_SEGMENT_TYPES || skb->encapsulation ||
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
		if (tcp_hdrlen(skb) < sizeof(struct tcphdr))
			return false;
		cut->head = at + tcp_hdrlen(skb);
	}
	if (cut->head >= skb->len || !pskb_may_pull(skb, cut->head))
		return false;
	cut->size = shinfo->gso_size;
	cut->payload = skb->len - cut->head;
	return true;
}

/**
 * mptun_segment_piece() - find the payload of a segment
 * @cut: segmentation of the packet
 * @skb: the packet
 * @offset: first payload byte of the segment
 *
 * Return: its address, NULL if it is not contiguous in memory.
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
 * @cut: segmentation of the packet
 * @skb: the packet, not changed
 * @offset: first payload byte of the segment, a multiple of @cut->size
 * @to: buffer for @cut->head bytes
 *
 * The checksum of the transport header is 0.
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
	if (skb_is_gso_tcp(skb)) {
		struct tcphdr *tcp = (void *)(to + at);

		/* Only the first segment carries CWR. */
		if (offset)
			tcp->cwr = 0;
		tcp->check = 0;
	} else {
		((struct udphdr *)(to + at))->check = 0;
	}
}

/**
 * mptun_segment_write() - write a segment with its checksum
 * @cut: segmentation of the packet
 * @skb: the packet, not changed
 * @offset: first payload byte of the segment, a multiple of @cut->size
 * @to: buffer for @cut->head and mptun_segment_payload() bytes
 */
void mptun_segment_write(const struct mptun_segment *cut, struct sk_buff *skb,
			 u32 offset, u8 *to)
{
	u32 payload = mptun_segment_payload(cut, offset);
	u8 proto = skb_is_gso_tcp(skb) ? IPPROTO_TCP : IPPROTO_UDP;
	unsigned int at = skb_transport_offset(skb);
	u32 len = cut->head - at + payload;
	__sum16 check;
	__wsum sum;

	sum = skb_copy_and_csum_bits(skb, cut->head + offset, to + cut->head,
				     payload);
	mptun_segment_headers(cut, skb, offset, to);
	sum = csum_partial(to + at, cut->head - at, sum);
	if (skb->protocol == htons(ETH_P_IP)) {
		const struct iphdr *ip = (const void *)to;

		check = csum_tcpudp_magic(ip->saddr, ip->daddr, len, proto,
					  sum);
	} else {
		const struct ipv6hdr *ip = (const void *)to;

		check = csum_ipv6_magic(&ip->saddr, &ip->daddr, len, proto,
					sum);
	}
	if (proto == IPPROTO_TCP)
		((struct tcphdr *)(to + at))->check = check;
	else
		((struct udphdr *)(to + at))->check = check ?: CSUM_MANGLED_0;
}
