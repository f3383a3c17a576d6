// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of spill-over: when a path of lower priority helps, and when it stops.
 */
#include "test/sched/frame.h"

#define MPTUN_SPILL_TEST_PATHS	3
#define MPTUN_SPILL_TEST_US	100000U

/* Paths of priority 0, 1 and 2, which take the excess of those before */
static int mptun_spill_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "greedy");
	int i;

	for (i = 0; i < MPTUN_SPILL_TEST_PATHS; i++) {
		t->cand[i].priority = i;
		t->cand[i].spill_us = i ? MPTUN_SPILL_TEST_US : MPTUN_SPILL_OFF;
	}
	t->s.spills = true;
	t->s.hold_us = 200000;
	t->s.backlog = 1500;
	return 0;
}

static int mptun_spill_test_pick(struct mptun_sched_test *t)
{
	return mptun_sched_test_pick(t, MPTUN_SPILL_TEST_PATHS);
}

/* Picks every millisecond for @ms; returns the last choice. */
static int mptun_spill_test_run(struct mptun_sched_test *t, unsigned int ms)
{
	int chosen = -EAGAIN;

	while (ms--) {
		t->s.now += MPTUN_SCHED_TEST_MS;
		chosen = mptun_spill_test_pick(t);
	}
	return chosen;
}

static void mptun_spill_test_full(struct mptun_sched_test *t, bool full)
{
	t->cand[0].room = full ? 0 : 100000;
	t->s.backlog = full ? 1500 : 0;
}

/* Without a spill time a path takes nothing, however long it lasts. */
static void mptun_spill_test_strict(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[1].spill_us = MPTUN_SPILL_OFF;
	t->cand[2].spill_us = MPTUN_SPILL_OFF;
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 5000), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);
	/* It has no business there before the others are down either. */
	t->cand[0].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 0);
}

/* With a spill time of zero, what finds no room is placed at once, and nothing
 * else.
 */
static void mptun_spill_test_at_once(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[1].spill_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 0);
	t->cand[0].room = 1499;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 1);
	t->cand[0].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 0);
	KUNIT_EXPECT_FALSE(test, t->cand[1].eligible);
}

/* Full for long enough: it helps, but the better one still comes first. */
static void mptun_spill_test_waits(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	u64 begin;

	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), -EAGAIN);
	begin = t->s.now;
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, begin + 100 * MPTUN_SCHED_TEST_MS);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 99), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, begin + 100 * MPTUN_SCHED_TEST_MS);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	KUNIT_EXPECT_EQ(test, t->s.wake_ns, U64_MAX);
	t->cand[0].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 0);
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	/* The queue is not stopped where there is room to help. */
	t->s.backlog = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
}

/* Idle for a quarter of the time it took, and the clock restarts. */
static void mptun_spill_test_suspended(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 200), 1);
	mptun_spill_test_full(t, false);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 20), 0);
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	mptun_spill_test_run(t, 200);
	mptun_spill_test_full(t, false);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 30), 0);
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 99), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 5), 1);
}

/* Bursty load that leaves the better path idle for a third of the time spills
 * nothing; for a tenth, it does.
 */
static void mptun_spill_test_bursts(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i, spilt = 0;

	for (i = 0; i < 100; i++) {
		mptun_spill_test_full(t, true);
		spilt += mptun_spill_test_run(t, 40) == 1;
		mptun_spill_test_full(t, false);
		KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 20), 0);
	}
	KUNIT_EXPECT_EQ(test, spilt, 0);
	for (i = 0; i < 100; i++) {
		mptun_spill_test_full(t, true);
		spilt += mptun_spill_test_run(t, 36) == 1;
		mptun_spill_test_full(t, false);
		mptun_spill_test_run(t, 4);
	}
	KUNIT_EXPECT_GT(test, spilt, 90);
}

/* A queue on the better one counts like a packet that waits, as long as it
 * lasts.
 */
static void mptun_spill_test_queue(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i, spilt = 0;

	/* 120 ms, of which 45 are the way */
	t->cand[0].rate = 1000000;
	t->cand[0].in_flight = 118500;
	t->s.backlog = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 101), 0);
	KUNIT_EXPECT_EQ(test, t->cand[0].queue_us, 75000U);
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 1);

	/* Looked at once in a while: 75 of 200 ms */
	for (i = 0; i < 20; i++) {
		mptun_spill_test_full(t, false);
		KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 0);
		t->s.now += 200 * MPTUN_SCHED_TEST_MS;
		mptun_spill_test_full(t, true);
		spilt += mptun_spill_test_pick(t) == 1;
	}
	KUNIT_EXPECT_EQ(test, spilt, 0);
}

/* The third one waits until the second is full as well. */
static void mptun_spill_test_levels(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[2].spill_us = 0;
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 100), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 2);
	t->cand[1].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	KUNIT_EXPECT_FALSE(test, t->cand[2].eligible);
	/* One that takes nothing is passed over. */
	t->cand[1].spill_us = MPTUN_SPILL_OFF;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 2);
}

/* Nor does one help that is of another class, too small or too late. */
static void mptun_spill_test_unfit(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[1].spill_us = 0;
	t->cand[2].up = false;
	t->cand[0].room = 0;
	KUNIT_ASSERT_EQ(test, mptun_spill_test_run(t, 1), 1);
	t->cand[1].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), -EAGAIN);
	t->cand[1].backup = false;
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), -EAGAIN);
	t->cand[1].up = true;
	t->cand[1].mtu = 1427;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), -EAGAIN);
	t->cand[1].mtu = 1428;
	t->cand[1].srtt_us = 500000;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), -EAGAIN);
	t->cand[0].srtt_us = 500000;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
	/* Nor one so early that the better one would be late. */
	t->cand[1].srtt_us = 40000;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), -EAGAIN);
	t->s.hold_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1), 1);
}

/* When the better one dies, and when it is back: nothing is left over. */
static void mptun_spill_test_forgets(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 101), 1);
	t->cand[0].up = false;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 1000), 1);
	t->cand[0].up = true;
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 99), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 2), 1);
}

/* A controller that makes no queue keeps a path busy by its pace alone. */
static void mptun_spill_test_paced(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	unsigned int i;

	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_run(t, 101), 1);
	mptun_spill_test_full(t, false);
	for (i = 0; i < 1000; i++) {
		t->cand[0].paced_ns = t->s.now + 2 * MPTUN_SCHED_TEST_MS;
		mptun_spill_test_run(t, 1);
	}
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), 1);
	/* it is suspended */
	mptun_spill_test_full(t, false);
	mptun_spill_test_run(t, 100);
	mptun_spill_test_full(t, true);
	KUNIT_EXPECT_EQ(test, mptun_spill_test_pick(t), -EAGAIN);
}

static struct kunit_case mptun_spill_test_cases[] = {
	KUNIT_CASE(mptun_spill_test_strict),
	KUNIT_CASE(mptun_spill_test_at_once),
	KUNIT_CASE(mptun_spill_test_waits),
	KUNIT_CASE(mptun_spill_test_suspended),
	KUNIT_CASE(mptun_spill_test_bursts),
	KUNIT_CASE(mptun_spill_test_queue),
	KUNIT_CASE(mptun_spill_test_levels),
	KUNIT_CASE(mptun_spill_test_unfit),
	KUNIT_CASE(mptun_spill_test_forgets),
	KUNIT_CASE(mptun_spill_test_paced),
	{}
};

static struct kunit_suite mptun_spill_test_suite = {
	.name = "mptun_spill",
	.init = mptun_spill_test_init,
	.test_cases = mptun_spill_test_cases,
};

kunit_test_suite(mptun_spill_test_suite);
