// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of segmentation: each segment equals, byte for byte, that of
 * skb_gso_segment().
 */
#include <kunit/test.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/gso.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "tx/segment.h"

/**
 * struct mptun_segment_test - a GSO packet
 * @name: of the test
 * @v6: IPv6
 * @tcp: TCP with an option; else UDP
 * @options: bytes of IPv4 options
 * @size: payload of a segment
 * @payload: payload of all segments
 * @pieces: part of it in the head, the rest is in pages
 */
struct mptun_segment_test {
	const char *name;
	bool v6;
	bool tcp;
	u32 options;
	u32 size;
	u32 payload;
	u32 pieces;
};

static const struct mptun_segment_test mptun_segment_tests[] = {
	{ "TCP, IPv4", false, true, 0, 1348, 64000, 0 },
	{ "TCP, IPv4, options", false, true, 8, 1340, 20000, 100 },
	{ "TCP, IPv6", true, true, 0, 1328, 63999, 0 },
	{ "TCP, one byte more", false, true, 0, 1000, 1001, 1001 },
	{ "TCP, no remainder", true, true, 0, 1000, 3000, 17 },
	{ "TCP, small segments", false, true, 0, 8, 1200, 0 },
	{ "TCP, odd segments", false, true, 0, 333, 5000, 1 },
	{ "UDP, IPv4", false, false, 0, 1372, 60000, 0 },
#if IS_ENABLED(CONFIG_IPV6)
	{ "UDP, IPv6", true, false, 0, 1352, 30001, 64 },
#endif
	{ "UDP, odd segments", false, false, 0, 101, 5050, 7 },
};

static void mptun_segment_test_name(const struct mptun_segment_test *t,
				    char *name)
{
	strscpy(name, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mptun_segment, mptun_segment_tests, mptun_segment_test_name);

/* As a socket leaves it: the checksum covers the pseudo-header only. */
static void mptun_segment_test_ip(struct sk_buff *skb,
				  const struct mptun_segment_test *t,
				  u32 transport)
{
	u8 proto = t->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	__sum16 *check;

	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = t->tcp ? offsetof(struct tcphdr, check) :
				    offsetof(struct udphdr, check);
	skb->ip_summed = CHECKSUM_PARTIAL;
	check = (void *)(skb_transport_header(skb) + skb->csum_offset);

	if (t->v6) {
		struct ipv6hdr *ip = ipv6_hdr(skb);

		skb->protocol = htons(ETH_P_IPV6);
		ip6_flow_hdr(ip, 0x2e, htonl(0x12345));
		ip->payload_len = htons(transport);
		ip->nexthdr = proto;
		ip->hop_limit = 63;
		get_random_bytes(&ip->saddr, 2 * sizeof(ip->saddr));
		*check = ~csum_ipv6_magic(&ip->saddr, &ip->daddr, transport,
					  proto, 0);
	} else {
		struct iphdr *ip = ip_hdr(skb);

		skb->protocol = htons(ETH_P_IP);
		ip->version = 4;
		ip->ihl = (sizeof(*ip) + t->options) / 4;
		ip->tos = 0xb8;
		ip->tot_len = htons(skb->len);
		ip->id = htons(0xfffe);
		ip->frag_off = htons(IP_DF);
		ip->ttl = 63;
		ip->protocol = proto;
		get_random_bytes(&ip->saddr, 2 * sizeof(ip->saddr));
		memset(ip + 1, IPOPT_NOOP, t->options);
		*check = ~csum_tcpudp_magic(ip->saddr, ip->daddr, transport,
					    proto, 0);
	}
}

static void mptun_segment_test_transport(struct sk_buff *skb,
					 const struct mptun_segment_test *t)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);

	shinfo->gso_size = t->size;
	shinfo->gso_segs = DIV_ROUND_UP(t->payload, t->size);
	if (t->tcp) {
		struct tcphdr *tcp = tcp_hdr(skb);

		shinfo->gso_type = t->v6 ? SKB_GSO_TCPV6 : SKB_GSO_TCPV4;
		shinfo->gso_type |= SKB_GSO_TCP_ECN;
		tcp->source = htons(1);
		tcp->dest = htons(2);
		tcp->seq = htonl(0xffffff00);
		tcp->ack_seq = htonl(77);
		tcp->doff = 8;
		tcp->window = htons(1000);
		tcp->ack = 1;
		tcp->psh = 1;
		tcp->fin = 1;
		tcp->cwr = 1;
		memset(tcp + 1, 1, 12); /* no operation */
	} else {
		struct udphdr *udp = udp_hdr(skb);

		shinfo->gso_type = SKB_GSO_UDP_L4;
		udp->source = htons(1);
		udp->dest = htons(2);
		udp->len = htons(sizeof(*udp) + t->payload);
	}
}

static struct sk_buff *
mptun_segment_test_skb(struct kunit *test, const struct mptun_segment_test *t)
{
	u32 ip = t->v6 ? sizeof(struct ipv6hdr) :
			 sizeof(struct iphdr) + t->options;
	u32 head = ip + (t->tcp ? sizeof(struct tcphdr) + 12 :
			 sizeof(struct udphdr));
	struct sk_buff *skb;
	u8 *payload;
	int err;

	skb = alloc_skb_with_frags(head + t->pieces + LL_MAX_HEADER,
				   t->payload - t->pieces, 0, &err,
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	payload = kunit_kmalloc(test, t->payload, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, payload);
	get_random_bytes(payload, t->payload);

	skb_reserve(skb, LL_MAX_HEADER);
	skb_put_zero(skb, head + t->pieces);
	skb->data_len = t->payload - t->pieces;
	skb->len += skb->data_len;
	KUNIT_ASSERT_EQ(test, skb_store_bits(skb, head, payload, t->payload),
			0);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, ip);
	skb_reset_mac_len(skb);
	mptun_segment_test_transport(skb, t);
	mptun_segment_test_ip(skb, t, skb->len - ip);
	return skb;
}

static void mptun_segment_test_same(struct kunit *test)
{
	const struct mptun_segment_test *t = test->param_value;
	struct sk_buff *skb, *segs, *seg, *next;
	struct mptun_segment cut;
	u32 offset = 0, len;
	u8 *to;

	to = kunit_kmalloc(test, SZ_2K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, to);
	skb = mptun_segment_test_skb(test, t);
	segs = skb_gso_segment(skb, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(segs));
	KUNIT_ASSERT_TRUE(test, mptun_segment_init(&cut, skb));
	KUNIT_EXPECT_EQ(test, cut.payload, t->payload);
	KUNIT_EXPECT_EQ(test, cut.size, t->size);

	skb_list_walk_safe(segs, seg, next) {
		KUNIT_ASSERT_LT(test, offset, cut.payload);
		len = cut.head + mptun_segment_payload(&cut, offset);
		KUNIT_ASSERT_EQ(test, seg->len, len);
		KUNIT_ASSERT_EQ(test, skb_linearize(seg), 0);
		memset(to, 0xa5, SZ_2K);
		mptun_segment_write(&cut, skb, offset, to);
		KUNIT_EXPECT_MEMEQ(test, to, seg->data, len);
		KUNIT_EXPECT_EQ(test, to[len], 0xa5);
		offset += mptun_segment_payload(&cut, offset);
		kfree_skb(seg);
	}
	KUNIT_EXPECT_EQ(test, offset, cut.payload);
	kfree_skb(skb);
}

/* Headers and the pieces of mptun_segment_piece() make up the segment without
 * its checksum.
 */
static void mptun_segment_test_pieces(struct kunit *test)
{
	const struct mptun_segment_test *t = test->param_value;
	struct mptun_segment cut;
	struct sk_buff *skb;
	const u8 *piece;
	u32 offset, len;
	u8 *want, *got;
	u16 check;

	want = kunit_kzalloc(test, 2 * SZ_2K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);
	got = want + SZ_2K;
	skb = mptun_segment_test_skb(test, t);
	KUNIT_ASSERT_TRUE(test, mptun_segment_init(&cut, skb));
	check = skb_transport_offset(skb) + skb->csum_offset;
	for (offset = 0; offset < cut.payload; offset += len) {
		len = mptun_segment_payload(&cut, offset);
		mptun_segment_write(&cut, skb, offset, want);
		memset(want + check, 0, sizeof(__sum16));
		memset(got, 0xa5, SZ_2K);
		mptun_segment_headers(&cut, skb, offset, got);
		KUNIT_EXPECT_MEMEQ(test, got, want, cut.head);
		KUNIT_EXPECT_EQ(test, got[cut.head], 0xa5);
		piece = mptun_segment_piece(&cut, skb, offset);
		if (piece)
			KUNIT_EXPECT_MEMEQ(test, piece, want + cut.head, len);
		else
			KUNIT_EXPECT_GT(test, offset + len, t->pieces);
	}
	kfree_skb(skb);
}

/* A piece ends where a fragment of the packet ends. */
static void mptun_segment_test_piece_ends(struct kunit *test)
{
	const struct mptun_segment_test t = {
		.tcp = true, .size = 1000, .payload = 3 * PAGE_SIZE,
		.pieces = 1500,
	};
	struct mptun_segment cut;
	struct sk_buff *skb;
	u32 offset, first, last;
	int i;

	skb = mptun_segment_test_skb(test, &t);
	KUNIT_ASSERT_TRUE(test, mptun_segment_init(&cut, skb));
	KUNIT_ASSERT_GE(test, skb_shinfo(skb)->nr_frags, 2);
	KUNIT_EXPECT_PTR_EQ(test, mptun_segment_piece(&cut, skb, 0),
			    (const u8 *)skb->data + cut.head);
	KUNIT_EXPECT_NULL(test, mptun_segment_piece(&cut, skb, 1000));
	for (offset = 2000; offset < cut.payload; offset += 1000) {
		first = 1500;
		for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
			last = first +
			       skb_frag_size(&skb_shinfo(skb)->frags[i]);
			if (offset < last)
				break;
			first = last;
		}
		KUNIT_EXPECT_EQ(test, !mptun_segment_piece(&cut, skb, offset),
				offset + mptun_segment_payload(&cut, offset) >
				last);
	}
	kfree_skb(skb);
}

/* Packets left to the stack. */
static void mptun_segment_test_others(struct kunit *test)
{
	const struct mptun_segment_test *tcp = &mptun_segment_tests[0];
	const struct mptun_segment_test *udp = &mptun_segment_tests[8];
	struct mptun_segment cut;
	struct sk_buff *skb;

	skb = mptun_segment_test_skb(test, tcp);
	KUNIT_EXPECT_TRUE(test, mptun_segment_init(&cut, skb));
	ip_hdr(skb)->protocol = IPPROTO_UDP;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	ip_hdr(skb)->protocol = IPPROTO_TCP;
	ip_hdr(skb)->frag_off = htons(IP_MF);
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	ip_hdr(skb)->frag_off = 0;
	ip_hdr(skb)->ihl = 6;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	ip_hdr(skb)->ihl = 5;
	/* a header that ends within its fixed part */
	tcp_hdr(skb)->doff = 4;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	tcp_hdr(skb)->doff = 0;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	tcp_hdr(skb)->doff = 8;
	skb->ip_summed = CHECKSUM_NONE;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->encapsulation = 1;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	skb->encapsulation = 0;
	skb_shinfo(skb)->gso_type |= SKB_GSO_DODGY;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	skb_shinfo(skb)->gso_type &= ~SKB_GSO_DODGY;
	KUNIT_EXPECT_TRUE(test, mptun_segment_init(&cut, skb));
	skb->transport_header = (typeof(skb->transport_header))~0U;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	kfree_skb(skb);

	skb = mptun_segment_test_skb(test, udp);
	KUNIT_EXPECT_TRUE(test, mptun_segment_init(&cut, skb));
	ipv6_hdr(skb)->nexthdr = IPPROTO_FRAGMENT;
	KUNIT_EXPECT_FALSE(test, mptun_segment_init(&cut, skb));
	kfree_skb(skb);
}

static struct kunit_case mptun_segment_cases[] = {
	KUNIT_CASE_PARAM(mptun_segment_test_same, mptun_segment_gen_params),
	KUNIT_CASE_PARAM(mptun_segment_test_pieces, mptun_segment_gen_params),
	KUNIT_CASE(mptun_segment_test_piece_ends),
	KUNIT_CASE(mptun_segment_test_others),
	{}
};

static struct kunit_suite mptun_segment_suite = {
	.name = "mptun_segment",
	.test_cases = mptun_segment_cases,
};

kunit_test_suite(mptun_segment_suite);
