// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of playout.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "reorder/playout.h"

#define MPTUN_PLAYOUT_TEST_PATHS	3
#define MPTUN_PLAYOUT_TEST_CAP		200000U
#define MPTUN_PLAYOUT_TEST_TRUESIZE	2304U

/**
 * struct mptun_playout_test - a tunnel and its peer
 * @p: the queue
 * @path: delays by control packets
 * @data: delays by data packets
 * @delay_us: simulated one-way delays
 * @cap_us: largest difference of delays
 * @copy: packets are copies
 * @out: dequeued packets
 * @now: our clock in ns
 */
struct mptun_playout_test {
	struct mptun_playout p;
	struct mptun_playout_path path[MPTUN_PLAYOUT_TEST_PATHS];
	struct mptun_owd data[MPTUN_PLAYOUT_TEST_PATHS];
	u32 delay_us[MPTUN_PLAYOUT_TEST_PATHS];
	u32 cap_us;
	bool copy;
	struct sk_buff_head out;
	u64 now;
};

static int mptun_playout_test_init(struct kunit *test)
{
	struct mptun_playout_test *t;
	u32 i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_playout_init(&t->p);
	for (i = 0; i < MPTUN_PLAYOUT_TEST_PATHS; i++) {
		mptun_playout_path_init(&t->path[i]);
		mptun_owd_init(&t->data[i]);
	}
	t->p.limit = U32_MAX;
	t->delay_us[0] = 1000;
	t->delay_us[1] = 26000;
	t->delay_us[2] = 11000;
	t->cap_us = MPTUN_PLAYOUT_TEST_CAP;
	__skb_queue_head_init(&t->out);
	/* both clocks wrap soon, at different times */
	t->now = ((BIT_ULL(MPTUN_TIME_BITS) << 3) - 40000) * NSEC_PER_USEC;
	test->priv = t;
	return 0;
}

static void mptun_playout_test_exit(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	struct sk_buff *skb;

	if (!t)
		return;
	mptun_playout_flush(&t->p, &t->out);
	KUNIT_EXPECT_EQ(test, t->p.packets, 0U);
	while ((skb = __skb_dequeue(&t->out))) {
		skb->dev = NULL;
		kfree_skb(skb);
	}
}

/* Sender's time in a packet that arrives now on a path. */
static u32 mptun_playout_test_time(const struct mptun_playout_test *t, u32 i)
{
	u64 us = div_u64(t->now, NSEC_PER_USEC);

	return (us - t->delay_us[i] + 20000) & MPTUN_TIME_MASK;
}

/* One control packet on each of the first @n paths. */
static void mptun_playout_test_hear(struct kunit *test, u32 n)
{
	struct mptun_playout_test *t = test->priv;
	u32 i;

	for (i = 0; i < n; i++)
		mptun_playout_sample(&t->path[i],
				     mptun_playout_test_time(t, i), t->now);
}

static void mptun_playout_test_data(struct kunit *test, u32 i)
{
	struct mptun_playout_test *t = test->priv;

	mptun_owd_update(&t->data[i], mptun_playout_test_time(t, i), t->now);
}

static void mptun_playout_test_follow(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	struct mptun_playout_range range;
	u32 i;

	mptun_playout_range_init(&range, t->cap_us);
	for (i = 0; i < MPTUN_PLAYOUT_TEST_PATHS; i++)
		mptun_playout_add_low(&t->path[i], &t->data[i], t->now,
				      &range);
	for (i = 0; i < MPTUN_PLAYOUT_TEST_PATHS; i++)
		mptun_playout_add_high(&t->path[i], &t->data[i], t->now,
				       &range);
	mptun_playout_follow(&t->p, &range);
}

/* The reorder buffer releases a packet of a flow with this time. */
static void mptun_playout_test_add(struct kunit *test, u32 time, u32 flow,
				   u32 mark)
{
	struct mptun_playout_test *t = test->priv;
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->truesize = MPTUN_PLAYOUT_TEST_TRUESIZE;
	skb->mark = mark;
	/* never dereferenced */
	skb->dev = (struct net_device *)t;
	mptun_rxcb(skb)->time = time;
	mptun_rxcb(skb)->copy = t->copy;
	if (!mptun_playout_wait(&t->p, skb, flow, t->now))
		__skb_queue_tail(&t->out, skb);
}

static void mptun_playout_test_from(struct kunit *test, u32 i, u32 mark)
{
	mptun_playout_test_add(test, mptun_playout_test_time(test->priv, i), 0,
			       mark);
}

/* Advances time.  Returns the mark of the packet dequeued, 0 for none. */
static u32 mptun_playout_test_after(struct kunit *test, u32 us)
{
	struct mptun_playout_test *t = test->priv;
	struct sk_buff *skb;
	u32 mark;

	t->now += us * (u64)NSEC_PER_USEC;
	mptun_playout_release(&t->p, t->now, &t->out);
	skb = __skb_dequeue(&t->out);
	if (!skb)
		return 0;
	KUNIT_EXPECT_TRUE(test, skb->dev == (struct net_device *)t);
	mark = skb->mark;
	skb->dev = NULL;
	kfree_skb(skb);
	return mark;
}

static u32 mptun_playout_test_spread(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	return t->p.spread >> MPTUN_OWD_FRACTION;
}

/* Without samples nothing waits. */
static void mptun_playout_test_unknown(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 0U);
	mptun_playout_test_from(test, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 1U);
	mptun_playout_test_hear(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 0U);
	mptun_playout_test_from(test, 0, 2);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 2U);
	KUNIT_EXPECT_EQ(test, t->p.waited, 0ULL);
}

/* All packets get the delay of the slowest path. */
static void mptun_playout_test_even(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25000U);

	mptun_playout_test_from(test, 1, 9);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 9U);
	mptun_playout_test_from(test, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_playout_deadline(&t->p),
			t->now + 25 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 10000), 0U);
	mptun_playout_test_from(test, 2, 2);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 14400), 0U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 100), 1U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 500), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_deadline(&t->p), U64_MAX);
	KUNIT_EXPECT_EQ(test, t->p.waited, 2ULL);
	KUNIT_EXPECT_EQ(test, t->p.packets, 0U);
	KUNIT_EXPECT_EQ(test, t->p.bytes, 0U);
}

/* No packet of a flow overtakes a queued one when the delay shrinks. */
static void mptun_playout_test_order(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	mptun_playout_test_from(test, 0, 1);
	t->cap_us = 12000;
	mptun_playout_test_follow(test);
	mptun_playout_test_from(test, 0, 2);
	mptun_playout_test_from(test, 2, 3);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 24000), 0U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 1000), 1U);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&t->out), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 3U);
}

/* Flows do not wait for each other. */
static void mptun_playout_test_flows(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	mptun_playout_test_from(test, 0, 1);
	mptun_playout_test_add(test, mptun_playout_test_time(t, 2), 1, 2);
	mptun_playout_test_add(test, mptun_playout_test_time(t, 1), 2, 3);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 3U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 14000), 0U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 1000), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 9000), 0U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 1000), 1U);
}

/* The time of a retransmission does not count. */
static void mptun_playout_test_copy(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	t->copy = true;
	mptun_playout_test_from(test, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 1U);
	t->copy = false;
	mptun_playout_test_from(test, 2, 2);
	t->copy = true;
	mptun_playout_test_from(test, 0, 3);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 14000), 0U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 1000), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 3U);
}

/* Only classes with playout wait. */
static void mptun_playout_test_class(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	mptun_rxcb(skb)->class = MPTUN_CLASS_MASK;
	KUNIT_EXPECT_FALSE(test, mptun_playout_wants(&t->p, skb));
	t->p.classes = BIT(MPTUN_CLASS_MASK);
	KUNIT_EXPECT_TRUE(test, mptun_playout_wants(&t->p, skb));
	mptun_rxcb(skb)->class = 0;
	KUNIT_EXPECT_FALSE(test, mptun_playout_wants(&t->p, skb));
	kfree_skb(skb);
}

/* A wrong time waits no longer than the others. */
static void mptun_playout_test_wrong_time(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	u32 time;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	time = mptun_playout_test_time(t, 0) + 4000000;
	mptun_playout_test_add(test, time & MPTUN_TIME_MASK, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_playout_deadline(&t->p),
			t->now + 25 * NSEC_PER_MSEC);
}

/* A path counts as long as its keepalive interval. */
static void mptun_playout_test_idle(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	t->now += 25ULL * NSEC_PER_SEC;
	mptun_playout_test_hear(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25000U);
	t->now += 16ULL * NSEC_PER_SEC;
	mptun_playout_test_hear(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 0U);
}

/* Paths above the cap do not count, those below do. */
static void mptun_playout_test_cap(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	t->delay_us[1] = 1000 + MPTUN_PLAYOUT_TEST_CAP + 1;
	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 10000U);
	t->cap_us = 9999;
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 0U);
}

/* A queue on the path counts at once, and for two seconds. */
static void mptun_playout_test_queue(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	u32 i;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_data(test, 1);
	t->delay_us[1] += 30000;
	mptun_playout_test_data(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 55000U);
	t->delay_us[1] -= 30000;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test),
				i < 2 ? 55000U : 25000U);
		t->now += NSEC_PER_SEC;
		mptun_playout_test_data(test, 1);
		mptun_playout_test_follow(test);
	}
}

/* Occasional very late packets raise the delay only up to the cap. */
static void mptun_playout_test_late(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	t->delay_us[1] += 300000;
	mptun_playout_test_data(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test),
			MPTUN_PLAYOUT_TEST_CAP);
	/* until none arrive any more */
	t->now += 2ULL * NSEC_PER_SEC;
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25000U);
	mptun_playout_test_hear(test, 2);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test),
			MPTUN_PLAYOUT_TEST_CAP);
}

/* A path without control packets counts while it carries data. */
static void mptun_playout_test_quiet(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 1);
	mptun_playout_test_data(test, 1);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25000U);
	t->now += 2ULL * NSEC_PER_SEC;
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 0U);
}

/* Data show a smaller delay than control packets. */
static void mptun_playout_test_lower(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	mptun_playout_test_hear(test, 3);
	t->delay_us[0] -= 600;
	mptun_playout_test_data(test, 0);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25600U);
}

/* Samples from before a long silence do not count. */
static void mptun_playout_test_returns(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;

	t->delay_us[1] += 60000;
	mptun_playout_test_hear(test, 3);
	t->delay_us[1] -= 60000;
	t->now += 3600ULL * NSEC_PER_SEC;
	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_spread(test), 25000U);
}

/* Memory is limited: the first packets leave early and are counted. */
static void mptun_playout_test_memory(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	u32 i;

	t->p.limit = 4 * MPTUN_PLAYOUT_TEST_TRUESIZE;
	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	for (i = 1; i <= 6; i++)
		mptun_playout_test_from(test, 0, i);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 1U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 2U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 0U);
	KUNIT_EXPECT_EQ(test, t->p.bytes, t->p.limit);
	KUNIT_EXPECT_EQ(test, t->p.early, 2ULL);
}

/* So is the number of packets. */
static void mptun_playout_test_number(struct kunit *test)
{
	struct mptun_playout_test *t = test->priv;
	u32 i;

	mptun_playout_test_hear(test, 3);
	mptun_playout_test_follow(test);
	for (i = 1; i <= MPTUN_PLAYOUT_MAX + 1; i++)
		mptun_playout_test_from(test, 0, i);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 1U);
	KUNIT_EXPECT_EQ(test, mptun_playout_test_after(test, 0), 0U);
	KUNIT_EXPECT_EQ(test, t->p.early, 1ULL);
}

static struct kunit_case mptun_playout_test_cases[] = {
	KUNIT_CASE(mptun_playout_test_unknown),
	KUNIT_CASE(mptun_playout_test_even),
	KUNIT_CASE(mptun_playout_test_order),
	KUNIT_CASE(mptun_playout_test_flows),
	KUNIT_CASE(mptun_playout_test_copy),
	KUNIT_CASE(mptun_playout_test_class),
	KUNIT_CASE(mptun_playout_test_wrong_time),
	KUNIT_CASE(mptun_playout_test_idle),
	KUNIT_CASE(mptun_playout_test_cap),
	KUNIT_CASE(mptun_playout_test_queue),
	KUNIT_CASE(mptun_playout_test_late),
	KUNIT_CASE(mptun_playout_test_quiet),
	KUNIT_CASE(mptun_playout_test_lower),
	KUNIT_CASE(mptun_playout_test_returns),
	KUNIT_CASE(mptun_playout_test_memory),
	KUNIT_CASE(mptun_playout_test_number),
	{}
};

static struct kunit_suite mptun_playout_test_suite = {
	.name = "mptun_playout",
	.init = mptun_playout_test_init,
	.exit = mptun_playout_test_exit,
	.test_cases = mptun_playout_test_cases,
};

kunit_test_suite(mptun_playout_test_suite);
