// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reorder buffer: the range of its ring.
 */
#include "base/pool.h"
#include "test/base/no_memory.h"
#include "test/reorder/frame.h"

/* The ring grows for unsettled dsns only. */
static void mptun_reorder_window_test_grow(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 100);
	/* 100 is missing, another lane continues */
	mptun_reorder_test_insert(t, 101, 0);
	mptun_reorder_test_run(t, 102, 300);
	KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	mptun_reorder_test_run(t, 300, 5000);
	KUNIT_EXPECT_EQ(test, t->r.size, 8192U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_room(&t->r),
			MPTUN_REORDER_SLOTS_MAX -
			(5000 - 100 + (MPTUN_REORDER_TEST_DSN + 100) % 64));
	/* it arrives after all, and only once */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 100, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 100, 1),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_room(&t->r),
			MPTUN_REORDER_SLOTS_MAX -
			(MPTUN_REORDER_TEST_DSN + 5000) % 64);
	mptun_reorder_test_run(t, 5000, 15000);
	KUNIT_EXPECT_EQ(test, t->r.size, 8192U);
}

/* 10 Gbit/s of full packets over two paths, of which one is slower by 100 ms:
 * each packet is delivered once.
 */
static void mptun_reorder_window_test_fast(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	const u32 skew = 83300;
	u32 i, dsn;

	for (i = 0; i < 3 * skew; i++, t->now += 1200) {
		dsn = i & 1 ? i - skew : i;
		if (i & 1 && i < skew)
			continue;
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, dsn, 0),
				MPTUN_VERDICT_DELIVERED);
		if (i % 1000 < 2)
			KUNIT_EXPECT_EQ(test,
					mptun_reorder_test_insert(t, dsn, 0),
					MPTUN_VERDICT_DUPLICATE);
		mptun_reorder_test_drop(t);
	}
	KUNIT_EXPECT_EQ(test, t->r.size, 131072U);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 0ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_TIME], 0ULL);
}

/* The growth is charged to a pool, which can refuse it. */
static void mptun_reorder_window_test_limit(struct kunit *test)
{
	u32 chunk = 512 * (2 + sizeof(struct sk_buff *)) +
		    8 * sizeof(struct mptun_reorder_group);
	struct mptun_reorder_test *t = test->priv;
	struct mptun_pool pool;

	mptun_pool_init(&pool, NULL, 8 * chunk);
	mptun_reorder_limit_ring(&t->r, &pool);
	mptun_reorder_test_run(t, 0, 100);
	mptun_reorder_test_insert(t, 101, 0);
	mptun_reorder_test_run(t, 102, 3000);
	KUNIT_EXPECT_EQ(test, t->r.size, 4096U);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 7L * chunk);
	mptun_reorder_test_run(t, 3000, 5000);
	KUNIT_EXPECT_EQ(test, t->r.size, 4096U);
	KUNIT_EXPECT_LE(test, atomic_long_read(&pool.bytes), pool.limit);
	KUNIT_EXPECT_TRUE(test, mptun_reorder_idle(&t->r));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	/* the pool ends with this test */
	mptun_reorder_limit_ring(&t->r, NULL);
}

/* Dsns below the sender's floor are dropped. */
static void mptun_reorder_window_test_floor(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	for (i = 0; i < 10000; i += 10) {
		/* nine of ten */
		mptun_reorder_test_insert(t, i + 1, 0);
		mptun_reorder_test_run(t, i + 2, i + 10);
		if (i >= 200)
			mptun_reorder_test_floor(t, i - 200);
	}
	KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	KUNIT_EXPECT_GE(test, t->r.stats.given_up[MPTUN_GIVE_UP_FLOOR],
			975ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 0ULL);
}

/* Without a floor, dsns expire by time. */
static void mptun_reorder_window_test_age(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	for (i = 0; i < 10000; i += 10) {
		mptun_reorder_test_insert(t, i + 1, 0);
		mptun_reorder_test_run(t, i + 2, i + 10);
		t->now += 10 * NSEC_PER_MSEC;
	}
	/* 2.5 s are 2500 packets */
	KUNIT_EXPECT_LE(test, t->r.size, 4096U);
	KUNIT_EXPECT_GE(test, t->r.stats.given_up[MPTUN_GIVE_UP_TIME], 500ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 0ULL);
}

/* The clock goes back a little: nothing expires. */
static void mptun_reorder_window_test_back(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	for (i = 0; i < 3000; i += 10) {
		mptun_reorder_test_insert(t, i + 1, 0);
		mptun_reorder_test_run(t, i + 2, i + 10);
		t->now -= NSEC_PER_USEC;
	}
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_TIME], 0ULL);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 0, 0),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_insert(t, 3001, 1);
	t->now -= NSEC_PER_USEC;
	mptun_reorder_test_insert(t, 3000, 0);
	KUNIT_EXPECT_EQ(test, t->r.stats.histogram[0], 1ULL);
}

/* At its largest size the ring moves on and gives up what it leaves. */
static void mptun_reorder_window_test_largest(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	mptun_reorder_test_insert(t, 3, 1);
	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_insert(t, 5, 0);
	mptun_reorder_test_take(t, 1, 5);
	for (i = 6; i < MPTUN_REORDER_SLOTS_MAX - 136; i += 50)
		mptun_reorder_test_insert(t, i, 0);
	mptun_reorder_test_drop(t);
	i = MPTUN_REORDER_SLOTS_MAX + 64;
	mptun_reorder_test_insert(t, i, 0);
	mptun_reorder_test_take(t, 3, 3, 4, i);
	KUNIT_EXPECT_EQ(test, t->r.size, (u32)MPTUN_REORDER_SLOTS_MAX);
	KUNIT_EXPECT_GE(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 3ULL);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, i, 0),
				MPTUN_VERDICT_TOO_OLD);
}

/* Without memory the ring keeps its size, and grows later. */
static void mptun_reorder_window_test_no_memory(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_test_no_memory = true;
	mptun_reorder_test_insert(t, 1, 1);
	mptun_reorder_test_insert(t, 2, 0);
	mptun_reorder_test_take(t, 1, 2);
	mptun_reorder_test_run(t, 3, 400);
	mptun_reorder_test_take(t, 0);
	/* the dsns outgrow 512 slots */
	mptun_reorder_test_insert(t, 600, 0);
	mptun_reorder_test_take(t, 2, 1, 600);
	KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	KUNIT_EXPECT_GE(test, t->r.stats.given_up[MPTUN_GIVE_UP_SIZE], 1ULL);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 599, 0),
			MPTUN_VERDICT_DELIVERED);

	mptun_test_no_memory = false;
	mptun_reorder_test_insert(t, 1200, 0);
	KUNIT_EXPECT_GT(test, t->r.size, 512U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 598, 0),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, t->r.first + t->r.size -
			MPTUN_REORDER_TEST_DSN > 1200, true);
}

/* A jump beyond the largest ring. */
static void mptun_reorder_window_test_reset(struct kunit *test)
{
	const u32 top = 106 + MPTUN_REORDER_SLOTS_MAX - 1;
	const u32 far = top + 2 * MPTUN_REORDER_SLOTS_MAX;
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 100);
	mptun_reorder_test_insert(t, 105, 2);
	mptun_reorder_test_insert(t, 103, 2);
	mptun_reorder_test_insert(t, 104, 2);
	mptun_reorder_test_take(t, 0);

	/* not yet */
	mptun_reorder_test_insert(t, top, 0);
	KUNIT_EXPECT_EQ(test, t->r.stats.resets, 0ULL);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_insert(t, top + 5, 3);
	mptun_reorder_test_insert(t, top + 3, 2);
	mptun_reorder_test_take(t, 0);

	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, far, 7),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, t->r.stats.resets, 1ULL);
	mptun_reorder_test_take(t, 3, top + 3, top + 5, far);
	/* dsns just below may arrive late, once; new ones are in order */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, far - 10, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, far - 10, 1),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 106, 1),
			MPTUN_VERDICT_TOO_OLD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, far + 2, 1),
			MPTUN_VERDICT_HELD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, far + 1, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 3, far - 10, far + 1, far + 2);
}

static enum mptun_reorder_credit
mptun_reorder_window_test_ask(struct mptun_reorder_test *t, u32 i)
{
	return mptun_reorder_filter(&t->r, MPTUN_REORDER_TEST_DSN + i, t->now);
}

/* Dsns outside of the ring must be confirmed by their successors. */
static void mptun_reorder_window_test_credit(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i, top = 1000000;

	mptun_reorder_test_run(t, 0, 999);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, 999 + 65535),
			MPTUN_REORDER_TAKE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, 900),
			MPTUN_REORDER_TAKE);
	/* as far away as possible, neither before nor after */
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, 1000 + BIT(31)),
			MPTUN_REORDER_DROP);
	/* the same dsn again does not confirm */
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, top),
				MPTUN_REORDER_DROP);
	/* nor does an unrelated one */
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, top * i +
								    top),
				MPTUN_REORDER_DROP);
	/* nor do some with genuine ones in between */
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, top + i),
				MPTUN_REORDER_DROP);
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, 999),
				MPTUN_REORDER_TAKE);
	}
	/* paths take turns */
	for (i = 0; i < MPTUN_REORDER_JUMPS - 1; i++)
		KUNIT_EXPECT_EQ(test,
				mptun_reorder_window_test_ask(t, top + i * 7 +
							      i % 2 * 900),
				MPTUN_REORDER_DROP);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, top + 5),
			MPTUN_REORDER_RESTART);
}

/* A damaged dsn close enough to be accepted moved the ring. */
static void mptun_reorder_window_test_astray(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	mptun_reorder_test_run(t, 0, 999);
	mptun_reorder_test_floor(t, 1000);
	mptun_reorder_test_insert(t, 50000, 0);
	mptun_reorder_test_floor(t, 60000);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	KUNIT_EXPECT_TRUE(test, mptun_reorder_idle(&t->r));
	for (i = 1000; i < 1000 + MPTUN_REORDER_JUMPS - 1; i++) {
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i),
				MPTUN_REORDER_TAKE);
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, i, 1),
				MPTUN_VERDICT_TOO_OLD);
	}
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i),
			MPTUN_REORDER_RESTART);
	mptun_reorder_restart(&t->r, MPTUN_REORDER_TEST_DSN + i, t->now,
			      &t->out);
	KUNIT_EXPECT_EQ(test, t->r.stats.resets, 1ULL);
	mptun_reorder_test_insert(t, i, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i + 1),
			MPTUN_REORDER_TAKE);
	/* in order again: the floor was restored as well */
	mptun_reorder_test_insert(t, i + 3, 1);
	mptun_reorder_test_insert(t, i + 2, 1);
	mptun_reorder_test_insert(t, i + 1, 1);
	mptun_reorder_test_take(t, 4, i, i + 1, i + 2, i + 3);
}

/* A path that stalled delivers packets below the ring together, while another
 * one continues: they say nothing about where the sequence is.
 */
static void mptun_reorder_window_test_late(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	mptun_reorder_test_run(t, 0, 1999);
	mptun_reorder_test_drop(t);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, 1999),
			MPTUN_REORDER_TAKE);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i),
				MPTUN_REORDER_TAKE);
	/* nothing else for a while */
	mptun_reorder_test_wait(t, 1250000);
	for (; i < 100 + MPTUN_REORDER_JUMPS - 1; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i),
				MPTUN_REORDER_TAKE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_window_test_ask(t, i),
			MPTUN_REORDER_RESTART);
}

/* Idle: memory is freed, the sequence of dsns continues. */
static void mptun_reorder_window_test_idle(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	KUNIT_EXPECT_TRUE(test, mptun_reorder_idle(&t->r));
	mptun_reorder_test_insert(t, 4000, 0);
	mptun_reorder_test_insert(t, 4002, 1);
	KUNIT_EXPECT_FALSE(test, mptun_reorder_idle(&t->r));
	KUNIT_EXPECT_EQ(test, t->r.size, 4096U);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	mptun_reorder_test_take(t, 3, 0, 4000, 4002);

	KUNIT_EXPECT_TRUE(test, mptun_reorder_idle(&t->r));
	KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 4002, 1),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 4000, 0),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 100, 0),
			MPTUN_VERDICT_TOO_OLD);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 4003, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 4005, 1),
			MPTUN_VERDICT_HELD);
	mptun_reorder_test_take(t, 1, 4003);
}

/* The same at any start of the sequence. */
static void mptun_reorder_window_test_circle(struct kunit *test)
{
	static const u32 start[] = { 0, 1, 0x7ffffe00, 0x80000000, 0xfffffe00 };
	struct mptun_reorder_test *t = test->priv;
	u32 i, k, base;

	for (k = 0; k < ARRAY_SIZE(start); k++) {
		base = start[k] - MPTUN_REORDER_TEST_DSN;
		mptun_reorder_start(&t->r, start[k], &t->out);
		for (i = 0; i < 3000; i += 10) {
			mptun_reorder_test_run(t, base + i, base + i + 9);
			KUNIT_EXPECT_EQ(test,
					mptun_reorder_test_insert(t, base + i +
								  10, 1),
					MPTUN_VERDICT_HELD);
			mptun_reorder_test_floor(t, base + i + 10);
			mptun_reorder_test_take(t, 1, base + i + 10);
		}
		KUNIT_EXPECT_EQ(test, t->r.size, 512U);
	}
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_FLOOR],
			300ULL * ARRAY_SIZE(start));
}

/* Cursors that never move stay comparable. */
static void mptun_reorder_window_test_ages(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i, at = 0;

	for (i = 0; i < 9; i++) {
		at += 0x30000000;
		mptun_reorder_test_insert(t, at, 0);
		KUNIT_EXPECT_EQ(test, t->r.stats.resets, i + 1ULL);
	}
	mptun_reorder_test_drop(t);
	mptun_reorder_test_insert(t, at + 2, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_floor(t, at + 2);
	mptun_reorder_test_take(t, 1, at + 2);
	mptun_reorder_test_insert(t, at + 4, 1);
	mptun_reorder_test_prove(t, at + 2, at + 4, 1);
	mptun_reorder_test_take(t, 1, at + 4);
}

static struct kunit_case mptun_reorder_window_cases[] = {
	KUNIT_CASE(mptun_reorder_window_test_grow),
	KUNIT_CASE(mptun_reorder_window_test_fast),
	KUNIT_CASE(mptun_reorder_window_test_limit),
	KUNIT_CASE(mptun_reorder_window_test_floor),
	KUNIT_CASE(mptun_reorder_window_test_age),
	KUNIT_CASE(mptun_reorder_window_test_back),
	KUNIT_CASE(mptun_reorder_window_test_largest),
	KUNIT_CASE(mptun_reorder_window_test_no_memory),
	KUNIT_CASE(mptun_reorder_window_test_reset),
	KUNIT_CASE(mptun_reorder_window_test_credit),
	KUNIT_CASE(mptun_reorder_window_test_astray),
	KUNIT_CASE(mptun_reorder_window_test_late),
	KUNIT_CASE(mptun_reorder_window_test_idle),
	KUNIT_CASE(mptun_reorder_window_test_circle),
	KUNIT_CASE(mptun_reorder_window_test_ages),
	{}
};

static struct kunit_suite mptun_reorder_window_suite = {
	.name = "mptun_reorder_window",
	.init = mptun_reorder_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_reorder_window_cases,
};

kunit_test_suite(mptun_reorder_window_suite);
