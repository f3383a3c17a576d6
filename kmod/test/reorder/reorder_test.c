// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reorder buffer: order, duplicates, times, limits.
 */
#include "test/reorder/frame.h"

static void mptun_reorder_test_order(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r), U64_MAX);
	for (i = 0; i < 3000; i++) {
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, i, 1),
				MPTUN_VERDICT_DELIVERED);
		mptun_reorder_test_take(t, 1, i);
	}
	KUNIT_EXPECT_EQ(test, t->r.stats.in_order, 3000ULL);
	KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	KUNIT_EXPECT_EQ(test, t->r.held, 0U);
}

/* A hole holds up its lane only. */
static void mptun_reorder_test_lanes(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_take(t, 1, 0);
	/* 1 is missing: 3 and 5 follow it, 2 and 4 are another lane */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 2, 0),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 3, 2),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 4, 2),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 5, 2),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_take(t, 2, 2, 4);
	KUNIT_EXPECT_EQ(test, t->r.held, 2U);
	KUNIT_EXPECT_GT(test, t->r.bytes, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 1, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 3, 1, 3, 5);
	KUNIT_EXPECT_EQ(test, t->r.stats.in_order, 4ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.held, 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.released, 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.bytes, 0U);
}

/* A long chain that arrives backwards is released in a loop, in order. */
static void mptun_reorder_test_backwards(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	struct sk_buff *skb;
	u32 i;

	for (i = 10000; i; i--)
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, i, 1),
				MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, t->r.size, 16384U);
	mptun_reorder_test_insert(t, 0, 0);
	for (i = 0; i <= 10000; i++) {
		skb = __skb_dequeue(&t->out);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		KUNIT_EXPECT_EQ(test, skb->mark, i);
		kfree_skb(skb);
		t->live--;
	}
	KUNIT_EXPECT_EQ(test, t->r.held, 0U);
}

static void mptun_reorder_test_duplicates(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u64 duplicates;

	mptun_reorder_test_insert(t, 0, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 0, 0),
			MPTUN_VERDICT_DUPLICATE);
	mptun_reorder_test_insert(t, 2, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_copy(t, 2, 1),
			MPTUN_VERDICT_DUPLICATE);
	mptun_reorder_test_insert(t, 1, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 2, 1),
			MPTUN_VERDICT_DUPLICATE);
	mptun_reorder_test_take(t, 3, 0, 1, 2);
	KUNIT_EXPECT_EQ(test, t->r.stats.duplicates, 3ULL);

	/* older than the first dsn of all */
	KUNIT_EXPECT_GE(test, mptun_reorder_test_insert(t, -1, 0),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, -100, 0),
			MPTUN_VERDICT_TOO_OLD);
	/* older than the ring */
	mptun_reorder_test_run(t, 3, 1000);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 1, 1),
			MPTUN_VERDICT_TOO_OLD);
	KUNIT_EXPECT_EQ(test, t->r.stats.too_old, 2ULL);
	/* the original of a copy must have arrived before */
	duplicates = t->r.stats.duplicates;
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_copy(t, 1, 1),
			MPTUN_VERDICT_TOO_OLD);
	KUNIT_EXPECT_EQ(test, t->r.stats.too_old, 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.duplicates, duplicates + 1);
}

/* The hold time of the first waiter counts for its whole chain. */
static void mptun_reorder_test_time(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u64 deadline;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 3, 1);
	deadline = t->now + MPTUN_REORDER_TEST_HOLD * (u64)NSEC_PER_USEC;
	mptun_reorder_test_wait(t, 9000);
	mptun_reorder_test_insert(t, 2, 1);
	mptun_reorder_test_wait(t, 9000);
	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_take(t, 1, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r), deadline);
	mptun_reorder_test_wait(t, 1999);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_wait(t, 1);
	mptun_reorder_test_take(t, 3, 2, 3, 4);
	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r), U64_MAX);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_TIME], 1ULL);
	/* 20 ms, 11 ms and 2 ms: 64 us << 9, << 8, << 5 */
	KUNIT_EXPECT_EQ(test, t->r.stats.histogram[9], 1ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.histogram[8], 1ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.histogram[5], 1ULL);

	/* late: delivered at once, and only once */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 1, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 1, 1);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 1ULL);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 1, 1),
			MPTUN_VERDICT_DUPLICATE);
}

static void mptun_reorder_test_second(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 2, 2),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 3, 3),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 1, 3);
	KUNIT_EXPECT_EQ(test, t->r.stats.through, 1ULL);
	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_take(t, 2, 0, 2);
}

/* prev 0xffff: all dsns 65535 or more below must be settled. */
static void mptun_reorder_test_prev_max(struct kunit *test)
{
	u32 i, dsn = 50 + MPTUN_REORDER_TEST_DSN;
	struct mptun_reorder_test *t = test->priv;

	/* 50 is missing, and so is 51 */
	mptun_reorder_test_run(t, 0, 50);
	for (i = 52; i < 65400; i += 50)
		mptun_reorder_test_insert(t, i, 0);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 65550,
							MPTUN_PREV_MAX),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, t->r.size, 65536U);
	KUNIT_EXPECT_FALSE(test, mptun_reorder_group_of(&t->r, dsn)->settled &
				 mptun_reorder_bit(dsn));
}

static void mptun_reorder_test_prev_max_wait(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	/* the first dsn of a group */
	u32 hole = -MPTUN_REORDER_TEST_DSN;

	mptun_reorder_test_run(t, 0, hole);
	mptun_reorder_test_insert(t, hole + 1, 0);
	mptun_reorder_test_run(t, hole + 2, 1000);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, hole + 65535,
							MPTUN_PREV_MAX),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_insert(t, hole + MPTUN_REORDER_SLOTS_MAX - 1, 0);
	KUNIT_EXPECT_EQ(test, t->r.size, (u32)MPTUN_REORDER_SLOTS_MAX);
	mptun_reorder_test_take(t, 1, hole + MPTUN_REORDER_SLOTS_MAX - 1);
	/* one more, and the ring must give up the hole */
	mptun_reorder_test_insert(t, hole + MPTUN_REORDER_SLOTS_MAX, 0);
	KUNIT_EXPECT_GE(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 1ULL);
	KUNIT_EXPECT_FALSE(test, mptun_reorder_is_held(&t->r, hole + 65535 +
						       MPTUN_REORDER_TEST_DSN));
}

static void mptun_reorder_test_floors(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 2, 1);
	mptun_reorder_test_insert(t, 5, 1);
	mptun_reorder_test_take(t, 1, 0);
	mptun_reorder_test_floor(t, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_floor(t, 2);
	mptun_reorder_test_take(t, 1, 2);
	mptun_reorder_test_floor(t, 1);
	KUNIT_EXPECT_EQ(test, t->r.floor, MPTUN_REORDER_TEST_DSN + 2);

	/* ahead of all dsns seen: applies to later ones */
	mptun_reorder_test_floor(t, 9);
	mptun_reorder_test_take(t, 1, 5);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 9, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 11, 1),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_FLOOR], 6ULL);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 7, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 2, 9, 7);

	/* an impossible floor is ignored */
	mptun_reorder_test_floor(t, 9 + 2 * MPTUN_REORDER_SLOTS_MAX);
	mptun_reorder_test_floor(t, 9 + 0x80000000);
	KUNIT_EXPECT_EQ(test, t->r.floor, MPTUN_REORDER_TEST_DSN + 9);
}

/* Memory: the longest wait ends first. */
static void mptun_reorder_test_bytes(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	struct mptun_reorder_config c = t->r.config;
	u32 i, each;

	mptun_reorder_test_insert(t, 1, 1);
	each = t->r.bytes;
	c.limit_bytes = 10 * each;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	for (i = 1; i < 10; i++) {
		t->now += NSEC_PER_USEC;
		mptun_reorder_test_insert(t, 2 * i + 1, 1);
	}
	KUNIT_EXPECT_EQ(test, t->r.held, 10U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_room(&t->r), 0U);
	mptun_reorder_test_take(t, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 21, 1),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_take(t, 1, 1);
	KUNIT_EXPECT_EQ(test, t->r.held, 10U);

	c.limit_bytes = 4 * each + each / 2;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	mptun_reorder_test_take(t, 6, 3, 5, 7, 9, 11, 13);
	/* other tunnels leave less than that */
	t->r.most = 2 * each;
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 23, 1),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_take(t, 3, 15, 17, 19);
	t->r.most = U32_MAX;

	/* a packet that never fits does not wait */
	c.limit_bytes = each / 2;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 30, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, t->r.held, 0U);
}

/* Off: nothing waits, duplicates are still dropped. */
static void mptun_reorder_test_off(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_insert(t, 2, 2);
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_OFF);
	mptun_reorder_test_take(t, 2, 2, 4);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 7, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 7, 1),
			MPTUN_VERDICT_DUPLICATE);
	mptun_reorder_test_prove(t, 4, 7, 2);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r), U64_MAX);

	/* on again: earlier holes count */
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_FIXED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 8, 2),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_insert(t, 6, 0);
	mptun_reorder_test_take(t, 3, 7, 6, 8);
}

/* Settings change while packets are held. */
static void mptun_reorder_test_live(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	struct mptun_reorder_config c = t->r.config;

	mptun_reorder_test_insert(t, 1, 1);
	t->now += 5 * NSEC_PER_MSEC;
	mptun_reorder_test_insert(t, 3, 1);
	c.hold_us = 4000;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	mptun_reorder_test_take(t, 1, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r),
			t->now + 4 * NSEC_PER_MSEC);

	c.mode = MPTUN_REORDER_MODE_ADAPTIVE;
	c.hold_us = 30000;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	KUNIT_EXPECT_EQ(test, mptun_reorder_hold_us(&t->r), 30000U);
	mptun_reorder_set_hold(&t->r, 7000);
	KUNIT_EXPECT_EQ(test, mptun_reorder_hold_us(&t->r), 7000U);
	mptun_reorder_set_hold(&t->r, 70000);
	KUNIT_EXPECT_EQ(test, mptun_reorder_hold_us(&t->r), 30000U);
	c.mode = MPTUN_REORDER_MODE_PSMC;
	mptun_reorder_configure(&t->r, &c, t->now, &t->out);
	KUNIT_EXPECT_EQ(test, mptun_reorder_hold_us(&t->r), 30000U);
	mptun_reorder_test_take(t, 0);
}

/* A new association: all packets leave in the order of their dsns. */
static void mptun_reorder_test_start(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 9, 1);
	mptun_reorder_test_insert(t, 3, 2);
	mptun_reorder_test_repair(t, 6, 1);
	mptun_reorder_test_insert(t, 7, 1);
	mptun_reorder_test_insert(t, 1, 1);
	mptun_reorder_start(&t->r, MPTUN_REORDER_TEST_DSN + 5000, &t->out);
	mptun_reorder_test_take(t, 5, 1, 3, 6, 7, 9);
	KUNIT_EXPECT_EQ(test, t->r.held, 0U);
	KUNIT_EXPECT_GE(test, mptun_reorder_test_insert(t, 4999, 0),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 5001, 1),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 5000, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 2, 5000, 5001);
}

static struct kunit_case mptun_reorder_cases[] = {
	KUNIT_CASE(mptun_reorder_test_order),
	KUNIT_CASE(mptun_reorder_test_lanes),
	KUNIT_CASE(mptun_reorder_test_backwards),
	KUNIT_CASE(mptun_reorder_test_duplicates),
	KUNIT_CASE(mptun_reorder_test_time),
	KUNIT_CASE(mptun_reorder_test_second),
	KUNIT_CASE(mptun_reorder_test_prev_max),
	KUNIT_CASE(mptun_reorder_test_prev_max_wait),
	KUNIT_CASE(mptun_reorder_test_floors),
	KUNIT_CASE(mptun_reorder_test_bytes),
	KUNIT_CASE(mptun_reorder_test_off),
	KUNIT_CASE(mptun_reorder_test_live),
	KUNIT_CASE(mptun_reorder_test_start),
	{}
};

static struct kunit_suite mptun_reorder_suite = {
	.name = "mptun_reorder",
	.init = mptun_reorder_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_reorder_cases,
};

kunit_test_suite(mptun_reorder_suite);
