// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of ECN and DSCP: all combinations of both ECN fields, and the counters
 * of marks.
 */
#include <kunit/test.h>
#include <linux/mptun.h>
#include <net/ip.h>
#include <net/ip_tunnels.h>

#include "base/ecn.h"

#define MPTUN_ECN_TEST_DSCP	46

/* Figure 4 of RFC 6040. */
#define NOT	INET_ECN_NOT_ECT
#define ECT0	INET_ECN_ECT_0
#define ECT1	INET_ECN_ECT_1
#define CE	INET_ECN_CE

#define MARKED	MPTUN_ECN_MARKED
#define L4S	MPTUN_ECN_L4S
#define FAULT	MPTUN_ECN_FAULT
#define DROP	MPTUN_ECN_DROP

/**
 * struct mptun_ecn_test - one combination
 * @inner: inner ECN field
 * @outer: outer ECN field
 * @result: inner ECN field after decapsulation
 * @flags: expected flags
 */
struct mptun_ecn_test {
	u8 inner;
	u8 outer;
	u8 result;
	unsigned int flags;
};

static const struct mptun_ecn_test mptun_ecn_tests[] = {
	{ NOT, NOT, NOT, 0 },
	{ NOT, ECT0, NOT, FAULT },
	{ NOT, ECT1, NOT, FAULT },
	{ NOT, CE, NOT, MARKED | FAULT | DROP },
	{ ECT0, NOT, ECT0, FAULT },
	{ ECT0, ECT0, ECT0, 0 },
	{ ECT0, ECT1, ECT1, 0 },
	{ ECT0, CE, CE, MARKED },
	{ ECT1, NOT, ECT1, FAULT },
	{ ECT1, ECT0, ECT1, FAULT },
	{ ECT1, ECT1, ECT1, 0 },
	{ ECT1, CE, CE, MARKED | L4S },
	{ CE, NOT, CE, FAULT },
	{ CE, ECT0, CE, FAULT },
	{ CE, ECT1, CE, FAULT },
	{ CE, CE, CE, 0 },
};

/* A header only, with a checksum over all of it. */
static struct sk_buff *mptun_ecn_test_skb(struct kunit *test, bool v6, u8 ds)
{
	struct sk_buff *skb = alloc_skb(sizeof(struct ipv6hdr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reset_network_header(skb);
	if (v6) {
		skb->protocol = htons(ETH_P_IPV6);
		skb_put_zero(skb, sizeof(struct ipv6hdr));
		ip6_flow_hdr(ipv6_hdr(skb), ds, htonl(0x54321));
	} else {
		skb->protocol = htons(ETH_P_IP);
		skb_put_zero(skb, sizeof(struct iphdr));
		ip_hdr(skb)->version = 4;
		ip_hdr(skb)->ihl = 5;
		ip_hdr(skb)->tos = ds;
		ip_hdr(skb)->id = htons(0xfffe);
		ip_send_check(ip_hdr(skb));
	}
	skb->csum = csum_partial(skb->data, skb->len, 0);
	skb->ip_summed = CHECKSUM_COMPLETE;
	return skb;
}

static void mptun_ecn_test_sums(struct kunit *test, const struct sk_buff *skb)
{
	__wsum sum = csum_partial(skb->data, skb->len, 0);

	KUNIT_EXPECT_TRUE(test, csum_fold(skb->csum) == csum_fold(sum));
	if (skb->protocol == htons(ETH_P_IP))
		KUNIT_EXPECT_TRUE(test, !ip_fast_csum(skb->data, 5));
	else
		KUNIT_EXPECT_EQ(test,
				(u32)ntohl(ip6_flowlabel(ipv6_hdr(skb))),
				0x54321U);
}

static void mptun_ecn_test_combine(struct kunit *test)
{
	const u8 dscp = MPTUN_ECN_TEST_DSCP << 2;
	struct mptun_ecn_check check = { .ect_unmarked = true };
	const struct mptun_ecn_test *t;
	struct sk_buff *skb;
	int i;

	for (i = 0; i < 2 * ARRAY_SIZE(mptun_ecn_tests); i++) {
		t = &mptun_ecn_tests[i / 2];
		skb = mptun_ecn_test_skb(test, i & 1, dscp | t->inner);
		/* The outer DSCP is ignored. */
		KUNIT_EXPECT_EQ_MSG(test,
				    mptun_ecn_decapsulate(&check, skb,
							  0x20 | t->outer) &
				    ~MPTUN_ECN_UNMARKED, t->flags,
				    "inner %u, outer %u", t->inner,
				    t->outer);
		KUNIT_EXPECT_EQ_MSG(test,
				    ip_tunnel_get_dsfield(ip_hdr(skb), skb),
				    dscp | t->result, "inner %u, outer %u",
				    t->inner, t->outer);
		mptun_ecn_test_sums(test, skb);
		kfree_skb(skb);
	}
}

static void mptun_ecn_test_outer(struct kunit *test)
{
	const u8 dscp = MPTUN_ECN_TEST_DSCP << 2;
	struct sk_buff *skb;
	u8 ecn, v6;

	for (v6 = 0; v6 < 2; v6++) {
		for (ecn = 0; ecn < 4; ecn++) {
			skb = mptun_ecn_test_skb(test, v6, dscp | ecn);
			KUNIT_EXPECT_EQ(test, mptun_ecn_outer(0, skb), ecn);
			KUNIT_EXPECT_EQ(test, mptun_ecn_outer(8, skb),
					0x20 | ecn);
			KUNIT_EXPECT_EQ(test, mptun_ecn_outer(63, skb),
					0xfc | ecn);
			KUNIT_EXPECT_EQ(test,
					mptun_ecn_outer(MPTUN_DSCP_INHERIT,
							skb),
					dscp | ecn);
			kfree_skb(skb);
		}
	}
	KUNIT_EXPECT_EQ(test, mptun_ecn_control(0), 0);
	KUNIT_EXPECT_EQ(test, mptun_ecn_control(63), 0xfc);
	KUNIT_EXPECT_EQ(test, mptun_ecn_control(MPTUN_DSCP_INHERIT), 0);
}

static void mptun_ecn_test_report(struct kunit *test,
				  struct mptun_ecn_marks *seen, u32 ce, u32 l4s,
				  u32 new_ce, u32 new_l4s)
{
	const struct mptun_ecn_marks reported = { .ce = ce, .l4s = l4s };
	struct mptun_ecn_marks marks = mptun_ecn_new_marks(seen, &reported);

	KUNIT_EXPECT_EQ(test, marks.ce, new_ce);
	KUNIT_EXPECT_EQ(test, marks.l4s, new_l4s);
}

/* Each mark is new once, in any order of the reports. */
static void mptun_ecn_test_new_marks(struct kunit *test)
{
	struct mptun_ecn_marks seen = {};

	mptun_ecn_test_report(test, &seen, 0, 0, 0, 0);
	mptun_ecn_test_report(test, &seen, 3, 1, 3, 1);
	mptun_ecn_test_report(test, &seen, 3, 1, 0, 0);
	mptun_ecn_test_report(test, &seen, 10, 8, 7, 7);
	mptun_ecn_test_report(test, &seen, 5, 1, 0, 0);
	mptun_ecn_test_report(test, &seen, 11, 8, 1, 0);

	seen.ce = U32_MAX - 1;
	seen.l4s = U32_MAX;
	mptun_ecn_test_report(test, &seen, 5, 2, 7, 3);
	mptun_ecn_test_report(test, &seen, U32_MAX, 0, 0, 0);
	mptun_ecn_test_report(test, &seen, 6, 2, 1, 0);

	/* Impossible counters do no harm. */
	mptun_ecn_test_report(test, &seen, 7, 100, 1, 1);
	mptun_ecn_test_report(test, &seen, 9, 90, 2, 0);
}

/* Decapsulates @n packets sent as @sent that arrive as @outer; returns how many
 * of them had a field that counts.
 */
static u32 mptun_ecn_test_arrive(struct kunit *test,
				 struct mptun_ecn_check *check, u32 n, u8 sent,
				 u8 outer)
{
	struct sk_buff *skb;
	unsigned int flags;
	u32 counts = 0;

	while (n--) {
		skb = mptun_ecn_test_skb(test, false, sent);
		flags = mptun_ecn_decapsulate(check, skb, outer);
		check->ect_unmarked |= !!(flags & MPTUN_ECN_UNMARKED);
		counts += !(flags & MPTUN_ECN_IGNORED);
		/* It stays as it was, and is not counted as marked. */
		if (flags & MPTUN_ECN_IGNORED) {
			KUNIT_EXPECT_EQ(test, flags, MPTUN_ECN_IGNORED);
			KUNIT_EXPECT_EQ(test,
					ip_tunnel_get_dsfield(ip_hdr(skb), skb),
					sent);
		}
		kfree_skb(skb);
	}
	return counts;
}

/* Marks count once a packet sent ECT has arrived without, and those of others
 * at once.
 */
static void mptun_ecn_test_valid(struct kunit *test)
{
	struct mptun_ecn_check check = {};

	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 50, ECT0,
						    CE), 0U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 50, ECT1,
						    CE), 0U);
	/* Marked before it was sent, or not to be marked at all */
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 5, CE, CE),
			5U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 5, NOT, CE),
			5U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 5, NOT, NOT),
			5U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 9, ECT0, CE),
			0U);
	/* A field that is cleared shows nothing; the peer may have done it. */
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 1, ECT1, NOT),
			1U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 9, ECT0, CE),
			0U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 1, ECT1,
						    ECT1), 1U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 9, ECT0, CE),
			9U);
}

/* While control packets are marked, no mark counts. */
static void mptun_ecn_test_control(struct kunit *test)
{
	struct mptun_ecn_check check = {
		.ect_unmarked = true,
		.control_marked = true,
	};

	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 50, NOT, CE),
			0U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 50, ECT0,
						    CE), 0U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 1, ECT0,
						    ECT0), 1U);
	check.control_marked = false;
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 9, NOT, CE),
			9U);
	KUNIT_EXPECT_EQ(test, mptun_ecn_test_arrive(test, &check, 9, ECT0, CE),
			9U);
}

static struct kunit_case mptun_ecn_cases[] = {
	KUNIT_CASE(mptun_ecn_test_combine),
	KUNIT_CASE(mptun_ecn_test_valid),
	KUNIT_CASE(mptun_ecn_test_control),
	KUNIT_CASE(mptun_ecn_test_outer),
	KUNIT_CASE(mptun_ecn_test_new_marks),
	{}
};

static struct kunit_suite mptun_ecn_suite = {
	.name = "mptun_ecn",
	.test_cases = mptun_ecn_cases,
};

kunit_test_suite(mptun_ecn_suite);
