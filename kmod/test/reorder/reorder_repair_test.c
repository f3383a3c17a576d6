// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reorder buffer: packets that wait for a retransmission.
 */
#include "test/reorder/frame.h"

/* A hold time that follows the paths; they differ by as much as it was. */
static void mptun_reorder_test_adaptive(struct mptun_reorder_test *t)
{
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_ADAPTIVE);
	mptun_reorder_set_hold(&t->r, MPTUN_REORDER_TEST_HOLD);
}

/* Only floor and a longer time end the wait for a retransmission. */
static void mptun_reorder_test_repairable(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 room;

	mptun_reorder_test_adaptive(t);
	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_repair(t, 2, 1);
	mptun_reorder_test_prove(t, 0, 2, 1);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	mptun_reorder_test_take(t, 1, 0);
	/* the retransmission */
	mptun_reorder_test_copy(t, 1, 1);
	mptun_reorder_test_take(t, 2, 1, 2);

	/* the proof arrives before the packet that waits */
	mptun_reorder_test_insert(t, 4, 0);
	mptun_reorder_test_prove(t, 2, 4, 1);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_PROOF],
			1ULL);
	room = mptun_reorder_room(&t->r);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_repair(t, 5, 2),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, t->r.settled, MPTUN_REORDER_TEST_DSN + 3);
	KUNIT_EXPECT_LT(test, mptun_reorder_room(&t->r), room);
	mptun_reorder_test_take(t, 1, 4);
	mptun_reorder_test_wait(t, MPTUN_REORDER_REPAIR_MIN_US - 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_wait(t, 1);
	mptun_reorder_test_take(t, 1, 5);

	/* the sender gives it up */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_repair(t, 7, 1),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_floor(t, 7);
	mptun_reorder_test_take(t, 1, 7);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_repair(t, 8, 2),
			MPTUN_VERDICT_DELIVERED);
}

/* Consecutive packets of a flow are lost, so none waits for the first of them
 * when the loss is proved.  What is retransmitted stays behind an earlier loss
 * whose retransmission was lost as well.
 */
static void mptun_reorder_test_repair_twice(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_adaptive(t);
	mptun_reorder_test_insert(t, 0, 0);
	/* 1, 3 and 4 were lost; 2 waits for 1, and 5 for 4 */
	mptun_reorder_test_repair(t, 2, 1);
	mptun_reorder_test_repair(t, 5, 1);
	mptun_reorder_test_prove(t, 0, 5, 3);
	mptun_reorder_test_take(t, 1, 0);
	mptun_reorder_test_again(t, 3, 1);
	mptun_reorder_test_again(t, 4, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_again(t, 1, 1);
	mptun_reorder_test_take(t, 5, 1, 2, 3, 4, 5);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 0ULL);

	/* 6 to 8 were lost; the first retransmission of 6 is lost too */
	mptun_reorder_test_repair(t, 9, 1);
	mptun_reorder_test_prove(t, 5, 9, 3);
	mptun_reorder_test_again(t, 7, 1);
	mptun_reorder_test_again(t, 8, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_again(t, 6, 1);
	mptun_reorder_test_take(t, 4, 6, 7, 8, 9);
}

/* A retransmission may take four round trips of the slowest path, within
 * bounds.
 */
static void mptun_reorder_test_repair_time(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_adaptive(t);
	mptun_reorder_set_repair(&t->r, 100000);
	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_repair(t, 2, 1);
	mptun_reorder_test_take(t, 1, 0);
	mptun_reorder_test_wait(t, 399999);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_wait(t, 1);
	mptun_reorder_test_take(t, 1, 2);

	/* A fixed hold time is the longest wait. */
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_FIXED);
	mptun_reorder_test_repair(t, 4, 1);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	mptun_reorder_test_take(t, 1, 4);

	mptun_reorder_set_repair(&t->r, 1000);
	KUNIT_EXPECT_EQ(test, t->r.repair_ns, 150 * NSEC_PER_MSEC);
	mptun_reorder_set_repair(&t->r, U32_MAX);
	KUNIT_EXPECT_EQ(test, t->r.repair_ns, 1000 * NSEC_PER_MSEC);
}

/* A packet behind one that waits for a retransmission waits, too. */
static void mptun_reorder_test_behind(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	struct sk_buff_head *behind;

	mptun_reorder_test_adaptive(t);
	behind = &t->r.list[MPTUN_REORDER_LIST_BEHIND];
	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_wait(t, 5000);
	mptun_reorder_test_insert(t, 3, 1);
	mptun_reorder_test_repair(t, 2, 1);
	mptun_reorder_test_wait(t, 30000);
	mptun_reorder_test_take(t, 1, 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(behind), 2U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_deadline(&t->r), t->now +
			t->r.repair_ns - 30000 * NSEC_PER_USEC);
	/* a new packet behind them waits as well, and is not released */
	mptun_reorder_test_insert(t, 5, 1);
	mptun_reorder_test_wait(t, 30000);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_wait(t, MPTUN_REORDER_REPAIR_MIN_US - 60000);
	mptun_reorder_test_take(t, 4, 2, 3, 4, 5);
}

static struct kunit_case mptun_reorder_repair_cases[] = {
	KUNIT_CASE(mptun_reorder_test_repairable),
	KUNIT_CASE(mptun_reorder_test_repair_twice),
	KUNIT_CASE(mptun_reorder_test_repair_time),
	KUNIT_CASE(mptun_reorder_test_behind),
	{}
};

static struct kunit_suite mptun_reorder_repair_suite = {
	.name = "mptun_reorder_repair",
	.init = mptun_reorder_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_reorder_repair_cases,
};

kunit_test_suite(mptun_reorder_repair_suite);
