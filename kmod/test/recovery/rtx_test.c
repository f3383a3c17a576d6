// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of what is kept of packets to send them again.
 */
#include <kunit/test.h>

#include "base/pool.h"
#include "base/ring.h"
#include "recovery/sent.h"
#include "test/base/no_memory.h"

/* Just below 2^32, as for the dsns, so that every test crosses both */
#define MPTUN_RTX_TEST_FIRST	(U32_MAX - 5ULL)
#define MPTUN_RTX_TEST_DSN	(U32_MAX - 3U)
#define MPTUN_RTX_TEST_START	(100ULL * NSEC_PER_SEC)

/**
 * struct mptun_rtx_test - what the tests work on
 * @s: the records
 * @rtt: round-trip time, 40 ms
 * @res: result of the last call
 * @now: time in ns
 */
struct mptun_rtx_test {
	struct mptun_sent s;
	struct mptun_rtt rtt;
	struct mptun_sent_result res;
	u64 now;
};

/* One packet of a run: its mark is that of the run, and the index. */
static struct sk_buff *mptun_rtx_test_part(struct mptun_sent *s,
					   const struct sk_buff *skb, u32 i)
{
	struct sk_buff *part;

	if (mptun_test_no_memory)
		return NULL;
	part = alloc_skb(16, GFP_ATOMIC);
	if (part)
		part->mark = skb->mark + i;
	return part;
}

static int mptun_rtx_test_init(struct kunit *test)
{
	struct mptun_rtx_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_test_rings(test);
	KUNIT_ASSERT_EQ(test, mptun_sent_init(&t->s), 0);
	t->s.part = mptun_rtx_test_part;
	mptun_sent_reset(&t->s, MPTUN_RTX_TEST_FIRST);
	mptun_rtt_init(&t->rtt);
	t->now = MPTUN_RTX_TEST_START;
	mptun_rtt_sample(&t->rtt, 40000, 0, t->now);
	test->priv = t;
	return 0;
}

static void mptun_rtx_test_exit(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	if (!t)
		return;
	mptun_sent_requeue(&t->s);
	__skb_queue_purge(&t->s.arrived);
	__skb_queue_purge(&t->s.lost);
	mptun_sent_destroy(&t->s);
}

/* Something that is kept of the packet of a number, counted from the first. */
static struct sk_buff *mptun_rtx_test_skb(struct kunit *test, u32 nth)
{
	struct sk_buff *skb = alloc_skb(16, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->mark = nth;
	return skb;
}

/* Sends a packet. */
static void mptun_rtx_test_send(struct kunit *test, u32 dsn)
{
	struct mptun_rtx_test *t = test->priv;

	KUNIT_ASSERT_TRUE(test, mptun_sent_can_add(&t->s));
	mptun_sent_add(&t->s, MPTUN_RTX_TEST_DSN + dsn, 1000, t->now);
	t->now += NSEC_PER_USEC;
}

/* Sends n packets, of which every one is kept that is no multiple of skip. */
static void mptun_rtx_test_fill(struct kunit *test, u32 n, u32 skip)
{
	struct mptun_rtx_test *t = test->priv;
	struct sk_buff *skb;
	u32 nth;

	while (n--) {
		nth = t->s.next - MPTUN_RTX_TEST_FIRST;
		mptun_rtx_test_send(test, nth);
		if (nth % skip == 0)
			continue;
		skb = mptun_rtx_test_skb(test, nth);
		KUNIT_ASSERT_TRUE(test, mptun_sent_can_keep(&t->s));
		mptun_sent_keep(&t->s, t->s.next - 1, 1, skb);
	}
}

/* A report of [first, last], both counted from the first number. */
static void mptun_rtx_test_ack(struct kunit *test, u64 first, u64 last)
{
	struct mptun_rtx_test *t = test->priv;
	struct mptun_ack_span span = {
		MPTUN_RTX_TEST_FIRST + first, MPTUN_RTX_TEST_FIRST + last
	};
	const struct mptun_sent_origin from = { .same_path = true };

	KUNIT_ASSERT_EQ(test, mptun_sent_ack(&t->s, &span, 1, t->now, &t->rtt,
					     &from, &t->res), 0);
}

/* Takes the first one off a list, which is of that number. */
static void mptun_rtx_test_is(struct kunit *test, struct sk_buff_head *list,
			      u32 nth)
{
	struct sk_buff *skb = __skb_dequeue(list);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, skb->mark, nth);
	kfree_skb(skb);
}

/* What arrives is freed, what is lost is sent again, each once. */
static void mptun_rtx_test_lists(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_rtx_test_fill(test, 10, 4);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));

	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 5, 7);
	mptun_rtx_test_is(test, &t->s.arrived, 5);
	mptun_rtx_test_is(test, &t->s.arrived, 6);
	mptun_rtx_test_is(test, &t->s.arrived, 7);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
	/* 0 to 4 are; of 0 and 4 nothing was kept */
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 5U);
	mptun_rtx_test_is(test, &t->s.lost, 1);
	mptun_rtx_test_is(test, &t->s.lost, 2);
	mptun_rtx_test_is(test, &t->s.lost, 3);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));

	/* One of them arrives after all, and the others are given up. */
	mptun_rtx_test_ack(test, 2, 2);
	KUNIT_EXPECT_EQ(test, t->res.spurious, 1U);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
	mptun_sent_abandon(&t->s, &t->res);
	mptun_rtx_test_is(test, &t->s.lost, 9);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
}

/* A silent path queues all for retransmission and stays in use. */
static void mptun_rtx_test_requeue(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_sent_requeue(&t->s);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
	mptun_rtx_test_fill(test, 3, 8);
	mptun_sent_requeue(&t->s);
	KUNIT_EXPECT_EQ(test, t->s.packets, 3U);
	mptun_rtx_test_is(test, &t->s.lost, 1);
	mptun_rtx_test_is(test, &t->s.lost, 2);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));

	mptun_rtx_test_fill(test, 1, 8);
	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 0, 3);
	KUNIT_EXPECT_EQ(test, t->res.acked_packets, 4U);
	mptun_rtx_test_is(test, &t->s.arrived, 3);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
}

/* Sends n packets, of which one skb is kept. */
static void mptun_rtx_test_run(struct kunit *test, u32 n)
{
	struct mptun_rtx_test *t = test->priv;
	u32 nth = t->s.next - MPTUN_RTX_TEST_FIRST, i;

	for (i = 0; i < n; i++)
		mptun_rtx_test_send(test, nth + i);
	KUNIT_ASSERT_TRUE(test, mptun_sent_can_keep(&t->s));
	mptun_sent_keep(&t->s, t->s.next - n, n, mptun_rtx_test_skb(test, nth));
}

/* The packets of a run are lost one by one; it is free with the last one. */
static void mptun_rtx_test_runs(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_rtx_test_run(test, 8);
	mptun_rtx_test_run(test, 3);
	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 4, 6);
	KUNIT_EXPECT_EQ(test, t->res.lost_packets, 4U);
	mptun_rtx_test_is(test, &t->s.lost, 0);
	mptun_rtx_test_is(test, &t->s.lost, 1);
	mptun_rtx_test_is(test, &t->s.lost, 2);
	mptun_rtx_test_is(test, &t->s.lost, 3);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
	mptun_rtx_test_ack(test, 1, 8);
	mptun_rtx_test_is(test, &t->s.arrived, 0);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));

	/* The last one of a run is lost. */
	mptun_sent_abandon(&t->s, &t->res);
	mptun_rtx_test_is(test, &t->s.lost, 9);
	mptun_rtx_test_is(test, &t->s.lost, 10);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
	mptun_rtx_test_is(test, &t->s.arrived, 8);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
}

/* What is discarded needs no memory. */
static void mptun_rtx_test_discard(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_sent_discard(&t->s);
	mptun_rtx_test_run(test, 4);
	mptun_rtx_test_fill(test, 1, 8);
	mptun_test_no_memory = true;
	mptun_sent_discard(&t->s);
	mptun_test_no_memory = false;
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
	mptun_rtx_test_is(test, &t->s.arrived, 0);
	mptun_rtx_test_is(test, &t->s.arrived, 4);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
}

/* A packet for which there is no memory is not retransmitted. */
static void mptun_rtx_test_runs_memory(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_rtx_test_run(test, 2);
	mptun_test_no_memory = true;
	mptun_sent_requeue(&t->s);
	mptun_test_no_memory = false;
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
	mptun_rtx_test_is(test, &t->s.arrived, 0);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
}

/* The ring grows with that of the records, also if it was not there before, and
 * is gone when nothing is in flight for long.
 */
static void mptun_rtx_test_grows(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	u32 n = 300, i;

	for (i = 0; i < n; i++)
		mptun_rtx_test_send(test, i);
	mptun_rtx_test_fill(test, 3 * n, 3000);
	KUNIT_EXPECT_GE(test, mptun_ring_size(&t->s.kept),
			mptun_ring_size(&t->s.ring));
	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 0, 4 * n - 1);
	for (i = n; i < 4 * n; i++)
		mptun_rtx_test_is(test, &t->s.arrived, i);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.lost));
	mptun_sent_idle(&t->s);
	KUNIT_EXPECT_EQ(test, t->s.kept.chunks, 0U);
}

/* Without memory nothing is kept, and everything else works. */
static void mptun_rtx_test_memory(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	u32 size = mptun_ring_size(&t->s.ring), i;

	mptun_rtx_test_send(test, 0);
	mptun_test_no_memory = true;
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_keep(&t->s));
	mptun_test_no_memory = false;
	/* It does not ask again at once. */
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_keep(&t->s));
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.kept), 0U);

	/* What was kept must not be mixed up by a ring that is too small. */
	mptun_rtx_test_fill(test, size - 2, size);
	mptun_test_no_memory = true;
	KUNIT_EXPECT_TRUE(test, mptun_sent_can_add(&t->s));
	mptun_rtx_test_fill(test, 1, size);
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	mptun_test_no_memory = false;
	KUNIT_EXPECT_FALSE(test, mptun_sent_can_add(&t->s));
	mptun_rtx_test_fill(test, 1, size);
	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 0, size);
	for (i = 1; i < size; i++)
		mptun_rtx_test_is(test, &t->s.arrived, i);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&t->s.arrived));
}

static void mptun_rtx_test_oldest(struct kunit *test, u32 dsn)
{
	struct mptun_rtx_test *t = test->priv;
	u32 oldest = 0;

	KUNIT_ASSERT_TRUE(test, mptun_sent_oldest_dsn(&t->s, &oldest));
	KUNIT_EXPECT_EQ(test, oldest, MPTUN_RTX_TEST_DSN + dsn);
}

static void mptun_rtx_test_retransmit(struct kunit *test, u32 dsn)
{
	struct mptun_rtx_test *t = test->priv;

	mptun_rtx_test_send(test, dsn);
	mptun_sent_retransmitted(&t->s, MPTUN_RTX_TEST_DSN + dsn);
}

/* No dsn is settled while its retransmission is outstanding. */
static void mptun_rtx_test_settled(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	u32 dsn;

	mptun_rtx_test_send(test, 100);
	mptun_rtx_test_retransmit(test, 7);
	mptun_rtx_test_send(test, 101);
	mptun_rtx_test_retransmit(test, 5);
	mptun_rtx_test_retransmit(test, 9);
	mptun_rtx_test_oldest(test, 5);
	mptun_rtx_test_send(test, 102);

	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 0, 1);
	/* That of 7 is settled; the two others are the first part now. */
	mptun_rtx_test_oldest(test, 5);
	mptun_rtx_test_retransmit(test, 8);
	mptun_rtx_test_ack(test, 0, 3);
	mptun_rtx_test_oldest(test, 5);
	mptun_rtx_test_ack(test, 0, 4);
	mptun_rtx_test_oldest(test, 8);
	mptun_rtx_test_ack(test, 0, 5);
	mptun_rtx_test_oldest(test, 8);
	mptun_rtx_test_send(test, 103);
	mptun_rtx_test_ack(test, 0, 6);
	mptun_rtx_test_oldest(test, 103);
	mptun_rtx_test_ack(test, 0, 7);
	KUNIT_EXPECT_FALSE(test, mptun_sent_oldest_dsn(&t->s, &dsn));

	/* A new number space has no retransmissions. */
	mptun_rtx_test_retransmit(test, 3);
	mptun_sent_reset(&t->s, MPTUN_RTX_TEST_FIRST);
	mptun_rtx_test_send(test, 200);
	mptun_rtx_test_oldest(test, 200);
}

static bool mptun_rtx_test_arrived(struct kunit *test, u64 nth)
{
	struct mptun_rtx_test *t = test->priv;

	return mptun_sent_has_arrived(&t->s, MPTUN_RTX_TEST_FIRST + nth);
}

static bool mptun_rtx_test_out(struct kunit *test, u64 nth)
{
	struct mptun_rtx_test *t = test->priv;

	return mptun_sent_outstanding(&t->s, MPTUN_RTX_TEST_FIRST + nth);
}

/* What became of a packet is known for a while after it has been forgotten. */
static void mptun_rtx_test_outcome(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	u32 size = mptun_ring_size(&t->s.ring);

	mptun_rtx_test_fill(test, 10, 4);
	mptun_sent_requeue(&t->s);
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_out(test, 0));
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_out(test, 9));
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_out(test, 10));
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_arrived(test, 0));

	t->now += 40 * NSEC_PER_MSEC;
	mptun_rtx_test_ack(test, 0, 2);
	KUNIT_EXPECT_EQ(test, mptun_sent_floor(&t->s),
			MPTUN_RTX_TEST_FIRST + 3);
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_arrived(test, 1));
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_out(test, 1));
	mptun_rtx_test_ack(test, 7, 9);
	/* 3 to 6 are lost */
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_arrived(test, 5));
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_out(test, 5));
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_arrived(test, 8));

	/* until another one has its place, or it is not there any more */
	mptun_rtx_test_fill(test, size - 9, size);
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_arrived(test, 0));
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_arrived(test, 1));
	mptun_rtx_test_fill(test, size, size);
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_arrived(test, 1));
	KUNIT_EXPECT_FALSE(test, mptun_rtx_test_out(test, 1));
	KUNIT_EXPECT_TRUE(test, mptun_rtx_test_out(test, size));
}

/* Growth of both rings is charged to a pool, which can refuse it. */
static void mptun_rtx_test_limit(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	struct mptun_pool pool;
	u32 bytes, size;

	mptun_pool_init(&pool, NULL, 256 << 10);
	mptun_sent_limit(&t->s, &pool);
	mptun_rtx_test_fill(test, 5000, 2);
	size = mptun_ring_size(&t->s.ring);
	KUNIT_EXPECT_EQ(test, size, 8192U);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.kept), size);
	size -= BIT(MPTUN_SENT_CHUNK_SHIFT);
	bytes = (size << MPTUN_SENT_SLOT_SHIFT) +
		size * sizeof(struct sk_buff *);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), (long)bytes);
	while (mptun_sent_can_add(&t->s))
		mptun_rtx_test_send(test, t->s.next - MPTUN_RTX_TEST_FIRST);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.ring), 8192U);
	KUNIT_EXPECT_LE(test, atomic_long_read(&pool.bytes), pool.limit);

	mptun_rtx_test_ack(test, 0, t->s.next - MPTUN_RTX_TEST_FIRST - 1);
	__skb_queue_purge(&t->s.arrived);
	mptun_sent_idle(&t->s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	/* the pool ends with this test */
	mptun_sent_limit(&t->s, NULL);
}

/* While the pool is used up, nothing is allocated in vain for each packet; with
 * room in it, what is kept has a place for all that is in flight.
 */
static void mptun_rtx_test_used_up(struct kunit *test)
{
	struct mptun_rtx_test *t = test->priv;
	struct mptun_pool pool;
	u32 i;

	mptun_pool_init(&pool, NULL, 64 << 10);
	mptun_sent_limit(&t->s, &pool);
	for (i = 0; i < 900; i++)
		mptun_rtx_test_send(test, i);
	KUNIT_EXPECT_EQ(test, mptun_test_rings_made, 1U);
	pool.limit = atomic_long_read(&pool.bytes);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_FALSE(test, mptun_sent_can_keep(&t->s));
	KUNIT_EXPECT_EQ(test, mptun_test_rings_made, 1U);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), pool.limit);

	/* It notices within as many packets as it has gone without. */
	pool.limit = 64 << 10;
	for (i = 0; i < 127; i++)
		mptun_sent_can_keep(&t->s);
	KUNIT_EXPECT_TRUE(test, mptun_sent_can_keep(&t->s));
	KUNIT_EXPECT_TRUE(test, mptun_sent_can_keep(&t->s));
	KUNIT_EXPECT_EQ(test, mptun_test_rings_made, 2U);
	KUNIT_EXPECT_EQ(test, mptun_ring_size(&t->s.kept),
			mptun_ring_size(&t->s.ring));
	mptun_rtx_test_ack(test, 0, 899);
	mptun_sent_idle(&t->s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	mptun_sent_limit(&t->s, NULL);
}

static struct kunit_case mptun_rtx_test_cases[] = {
	KUNIT_CASE(mptun_rtx_test_lists),
	KUNIT_CASE(mptun_rtx_test_requeue),
	KUNIT_CASE(mptun_rtx_test_runs),
	KUNIT_CASE(mptun_rtx_test_runs_memory),
	KUNIT_CASE(mptun_rtx_test_discard),
	KUNIT_CASE(mptun_rtx_test_grows),
	KUNIT_CASE(mptun_rtx_test_limit),
	KUNIT_CASE(mptun_rtx_test_used_up),
	KUNIT_CASE(mptun_rtx_test_memory),
	KUNIT_CASE(mptun_rtx_test_settled),
	KUNIT_CASE(mptun_rtx_test_outcome),
	{}
};

static struct kunit_suite mptun_rtx_test_suite = {
	.name = "mptun_sent_kept",
	.init = mptun_rtx_test_init,
	.exit = mptun_rtx_test_exit,
	.test_cases = mptun_rtx_test_cases,
};

kunit_test_suite(mptun_rtx_test_suite);
