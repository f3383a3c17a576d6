// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reassembly of fragments.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>
#include <linux/string.h>

#include "reorder/assemble.h"

#define MPTUN_ASSEMBLE_TEST_NOW		(7ULL * NSEC_PER_SEC)
#define MPTUN_ASSEMBLE_TEST_DSN		0xfffffffeU	/* wraps */
#define MPTUN_ASSEMBLE_TEST_SIZE	1000

struct mptun_assemble_test {
	struct mptun_assemble a;
	struct sk_buff_head whole;
	struct sk_buff_head dropped;
};

static struct mptun_assemble_test *
mptun_assemble_test_new(struct kunit *test)
{
	struct mptun_assemble_test *t = kunit_kzalloc(test, sizeof(*t),
						      GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	__skb_queue_head_init(&t->whole);
	__skb_queue_head_init(&t->dropped);
	return t;
}

/* Adds fragment @index of @count of the packet whose first dsn is @first. */
static bool mptun_assemble_test_add(struct kunit *test,
				    struct mptun_assemble_test *t, u32 first,
				    u8 index, u8 count, u64 now)
{
	struct mptun_frag frag = {
		.index = index, .count = count, .len = cpu_to_be16(1400),
	};
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->truesize = MPTUN_ASSEMBLE_TEST_SIZE;
	skb->mark = index;
	return mptun_assemble_add(&t->a, first + index, &frag, skb, now,
				  &t->whole, &t->dropped);
}

/* Frees a list; returns how many there were. */
static unsigned int mptun_assemble_test_take(struct sk_buff_head *list)
{
	struct sk_buff *skb;
	unsigned int n = 0;

	while ((skb = __skb_dequeue(list))) {
		kfree_skb(skb);
		n++;
	}
	return n;
}

static void mptun_assemble_test_order(struct kunit *test)
{
	static const u8 orders[][4] = {
		{ 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 1, 3, 0, 2 },
	};
	struct mptun_assemble_test *t = mptun_assemble_test_new(test);
	u64 now = MPTUN_ASSEMBLE_TEST_NOW;
	u32 first = MPTUN_ASSEMBLE_TEST_DSN;
	struct sk_buff *skb;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		for (k = 0; k < 4; k++)
			KUNIT_EXPECT_EQ(test, k == 3,
					mptun_assemble_test_add(test, t, first,
								orders[i][k], 4,
								now));
		for (k = 0; k < 4; k++) {
			skb = __skb_dequeue(&t->whole);
			KUNIT_ASSERT_NOT_NULL(test, skb);
			KUNIT_EXPECT_EQ(test, skb->mark, k);
			kfree_skb(skb);
		}
		KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->whole));
		KUNIT_EXPECT_EQ(test, t->a.used, 0U);
		KUNIT_EXPECT_EQ(test, t->a.bytes, 0U);
	}
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->dropped));
}

/* Fragments of several packets may be mixed. */
static void mptun_assemble_test_mixed(struct kunit *test)
{
	struct mptun_assemble_test *t = mptun_assemble_test_new(test);
	u64 now = MPTUN_ASSEMBLE_TEST_NOW;
	unsigned int i;

	for (i = 0; i < MPTUN_ASSEMBLE_SLOTS; i++)
		KUNIT_EXPECT_FALSE(test,
				   mptun_assemble_test_add(test, t, 10 * i, 0,
							   2, now));
	KUNIT_EXPECT_EQ(test, t->a.bytes, MPTUN_ASSEMBLE_SLOTS *
			(u32)MPTUN_ASSEMBLE_TEST_SIZE);
	for (i = 0; i < MPTUN_ASSEMBLE_SLOTS; i++) {
		KUNIT_EXPECT_TRUE(test,
				  mptun_assemble_test_add(test, t, 10 * i, 1,
							  2, now));
		KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->whole), 2U);
	}
	KUNIT_EXPECT_EQ(test, t->a.bytes, 0U);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->dropped));
}

/* A flood of first fragments never holds more than there are slots. */
static void mptun_assemble_test_flood(struct kunit *test)
{
	struct mptun_assemble_test *t = mptun_assemble_test_new(test);
	u64 now = MPTUN_ASSEMBLE_TEST_NOW;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		mptun_assemble_test_add(test, t, 10 * i, 0, 4, now + i);
		KUNIT_EXPECT_LE(test, t->a.used, (u32)MPTUN_ASSEMBLE_SLOTS);
	}
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->dropped),
			1000U - MPTUN_ASSEMBLE_SLOTS);
	/* the youngest stayed */
	KUNIT_EXPECT_FALSE(test, mptun_assemble_test_add(test, t, 9990, 1, 4,
							 now + 1000));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->dropped));
	mptun_assemble_flush(&t->a, &t->dropped);
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->dropped),
			MPTUN_ASSEMBLE_SLOTS + 1U);
	KUNIT_EXPECT_EQ(test, t->a.used, 0U);
	KUNIT_EXPECT_EQ(test, t->a.bytes, 0U);
}

static void mptun_assemble_test_time(struct kunit *test)
{
	struct mptun_assemble_test *t = mptun_assemble_test_new(test);
	u64 now = MPTUN_ASSEMBLE_TEST_NOW;

	mptun_assemble_test_add(test, t, 5, 0, 2, now);
	mptun_assemble_expire(&t->a, now + MPTUN_ASSEMBLE_NS - 1, &t->dropped);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->dropped));
	/* too late: its successor begins a packet of its own */
	now += MPTUN_ASSEMBLE_NS;
	KUNIT_EXPECT_FALSE(test, mptun_assemble_test_add(test, t, 5, 1, 2,
							 now));
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->dropped), 1U);
	mptun_assemble_expire(&t->a, now + MPTUN_ASSEMBLE_NS, &t->dropped);
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->dropped), 1U);
	KUNIT_EXPECT_EQ(test, t->a.used, 0U);
}

/* Fragments that contradict others, or come twice, change nothing. */
static void mptun_assemble_test_liar(struct kunit *test)
{
	struct mptun_assemble_test *t = mptun_assemble_test_new(test);
	u64 now = MPTUN_ASSEMBLE_TEST_NOW;

	mptun_assemble_test_add(test, t, 5, 0, 3, now);
	KUNIT_EXPECT_FALSE(test, mptun_assemble_test_add(test, t, 5, 1, 2,
							 now));
	KUNIT_EXPECT_FALSE(test, mptun_assemble_test_add(test, t, 5, 0, 3,
							 now));
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->dropped), 2U);
	KUNIT_EXPECT_FALSE(test, mptun_assemble_test_add(test, t, 5, 2, 3,
							 now));
	KUNIT_EXPECT_TRUE(test, mptun_assemble_test_add(test, t, 5, 1, 3,
							now));
	KUNIT_EXPECT_EQ(test, mptun_assemble_test_take(&t->whole), 3U);
}

static struct kunit_case mptun_assemble_cases[] = {
	KUNIT_CASE(mptun_assemble_test_order),
	KUNIT_CASE(mptun_assemble_test_mixed),
	KUNIT_CASE(mptun_assemble_test_flood),
	KUNIT_CASE(mptun_assemble_test_time),
	KUNIT_CASE(mptun_assemble_test_liar),
	{}
};

static struct kunit_suite mptun_assemble_suite = {
	.name = "mptun_assemble",
	.test_cases = mptun_assemble_cases,
};

kunit_test_suite(mptun_assemble_suite);
