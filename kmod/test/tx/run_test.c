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

/* A run of a GSO packet. */
static struct sk_buff *mptun_run_test_run(struct kunit *test,
					  struct sk_buff *gso, u16 count)
{
	struct sk_buff *run = mptun_run_test_skb(test, 768);

	mptun_tx_cb(run)->gso = gso;
	mptun_tx_cb(run)->count = count;
	return run;
}

/* A packet counts by the memory it is in, and not by its length. */
static void mptun_run_test_single(struct kunit *test)
{
	struct sk_buff *skb = mptun_run_test_skb(test, 2304);

	KUNIT_EXPECT_EQ(test, mptun_run_memory(skb, true), 2304U);
	KUNIT_EXPECT_EQ(test, mptun_run_memory(skb, false), 2304U);
	skb->truesize = 4 * 2304;
	KUNIT_EXPECT_EQ(test, mptun_run_memory(skb, true), 4 * 2304U);
	kfree_skb(skb);
}

/* All runs of a GSO packet together count for its memory once, and the packet
 * of a run that is lost for all that it holds on to.
 */
static void mptun_run_test_shared(struct kunit *test)
{
	struct sk_buff *gso = mptun_run_test_skb(test, 70000);
	struct sk_buff *runs[4];
	u32 sum = 0, i;

	skb_shinfo(gso)->gso_segs = 45;
	for (i = 0; i < 3; i++) {
		runs[i] = mptun_run_test_run(test, gso, i < 2 ? 22 : 1);
		sum += mptun_run_memory(runs[i], true);
	}
	KUNIT_EXPECT_EQ(test, sum, 70000U + 3 * 768);

	/* one packet of the first run is lost, the others arrive */
	runs[3] = mptun_run_test_run(test, gso, 1);
	sum += mptun_run_memory(runs[3], true);
	for (i = 0; i < 3; i++)
		sum -= mptun_run_memory(runs[i], false);
	KUNIT_EXPECT_EQ(test, sum, 70000U + 768);
	sum -= mptun_run_memory(runs[3], false);
	KUNIT_EXPECT_EQ(test, sum, 0U);

	for (i = 0; i < ARRAY_SIZE(runs); i++)
		kfree_skb(runs[i]);
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
