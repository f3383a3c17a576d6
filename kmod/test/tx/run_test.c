// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the memory of packets and runs that are kept.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>

#include "tx/run.h"

/* A packet of little content in this much memory. */
static struct sk_buff *mptun_run_test_skb(struct kunit *test, u32 truesize)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, 64);
	skb->truesize = truesize;
	*mptun_tx_cb(skb) = (struct mptun_tx_cb){};
	return skb;
}

/* Bytes that a run of a GSO packet takes beside its own header. */
static u32 mptun_run_test_share(struct kunit *test, struct sk_buff *gso,
				u16 count)
{
	struct sk_buff *run = mptun_run_test_skb(test, 768);
	u32 memory;

	mptun_tx_cb(run)->gso = gso;
	mptun_tx_cb(run)->count = count;
	memory = mptun_run_memory(run);
	KUNIT_EXPECT_GE(test, memory, 768U);
	kfree_skb(run);
	return memory - 768;
}

/* A packet counts by the memory it is in, and not by its length. */
static void mptun_run_test_single(struct kunit *test)
{
	struct sk_buff *skb = mptun_run_test_skb(test, 2304);

	KUNIT_EXPECT_EQ(test, mptun_run_memory(skb), 2304U);
	skb->truesize = 4 * 2304;
	KUNIT_EXPECT_EQ(test, mptun_run_memory(skb), 4 * 2304U);
	kfree_skb(skb);
}

/* All runs of a GSO packet together count for its memory once, and a packet of
 * a run that is lost for its part.
 */
static void mptun_run_test_shared(struct kunit *test)
{
	struct sk_buff *gso = mptun_run_test_skb(test, 70000);
	u32 sum;

	skb_shinfo(gso)->gso_segs = 45;
	sum = mptun_run_test_share(test, gso, 22) +
	      mptun_run_test_share(test, gso, 22) +
	      mptun_run_test_share(test, gso, 1);
	KUNIT_EXPECT_LE(test, sum, 70000U);
	KUNIT_EXPECT_GT(test, sum, 70000U - 45);
	KUNIT_EXPECT_EQ(test, mptun_run_test_share(test, gso, 1), 1555U);

	/* one that does not say how many there are */
	skb_shinfo(gso)->gso_segs = 0;
	KUNIT_EXPECT_EQ(test, mptun_run_test_share(test, gso, 1), 70000U);
	kfree_skb(gso);
}

static struct kunit_case mptun_run_test_cases[] = {
	KUNIT_CASE(mptun_run_test_single),
	KUNIT_CASE(mptun_run_test_shared),
	{}
};

static struct kunit_suite mptun_run_test_suite = {
	.name = "mptun_run",
	.test_cases = mptun_run_test_cases,
};

kunit_test_suite(mptun_run_test_suite);
