// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of scheduling: filters, and the schedulers without weights.
 */
#include "test/sched/frame.h"

static int mptun_sched_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "greedy");
	int i;

	for (i = 0; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i].in_flight = 1500;
	t->s.now = 0;
	return 0;
}

static void mptun_sched_test_errors(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	int i;

	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 0), -ENETDOWN);
	for (i = 0; i < 4; i++)
		t->cand[i].room = 1499;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), -EAGAIN);
	t->cand[2].room = 1500;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 2);

	for (i = 0; i < 4; i++)
		t->cand[i].mtu = 1427;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), -EMSGSIZE);
	/* Full or not is another question. */
	t->cand[1].mtu = 1428;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), -EAGAIN);
}

/* Size is looked at after the status: no backup is used for large packets. */
static void mptun_sched_test_size(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].mtu = 1400;
	t->cand[1].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EMSGSIZE);
	/* The size that fits is that of the refused paths. */
	KUNIT_EXPECT_TRUE(test, t->cand[0].best);
	KUNIT_EXPECT_FALSE(test, t->cand[1].best);
	t->cand[1].backup = false;
	t->cand[1].srtt_us = 90000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test,
			mptun_sched_pick(&t->s, t->cand, 2, 1472, 1400), 0);
}

/* What one path carries whole, another one like it takes in fragments. */
static void mptun_sched_test_size_cut(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].mtu = 1400;
	t->cand[0].cut = 1500;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 1), -EMSGSIZE);
	t->cand[1].srtt_us = 90000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	KUNIT_EXPECT_TRUE(test, t->cand[1].eligible);
	t->cand[0].cut = 1427;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);

	/* one that is used at other times does not count */
	t->cand[0].cut = 1500;
	t->cand[1].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EMSGSIZE);
	t->cand[0].backup = true;
	t->cand[1].backup = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_FALSE(test, t->cand[0].eligible);
}

/* A suspect or suspended path takes what an equal one that is up cannot carry,
 * and nothing else.
 */
static void mptun_sched_test_size_equal(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].mtu = 1400;
	t->cand[1].suspended = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test,
			mptun_sched_pick(&t->s, t->cand, 2, 1472, 1400), 0);
	t->cand[1].suspended = false;
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test,
			mptun_sched_pick(&t->s, t->cand, 2, 1472, 1400), 0);
	t->cand[1].priority = 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EMSGSIZE);
}

static void mptun_sched_test_suspect(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].up = false;
	t->cand[0].srtt_us = 1000;
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 2);
	/* Even a path that is full, or a backup, is better than a suspect. */
	t->cand[2].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), -EAGAIN);
	t->cand[2].room = 100000;
	t->cand[2].backup = true;
	t->cand[2].priority = 255;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 2);
	/* but a suspect is better than nothing */
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	t->cand[0].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

static void mptun_sched_test_backup(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].backup = true;
	t->cand[0].srtt_us = 1000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[1].priority = 255;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
}

static void mptun_sched_test_priority(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].priority = 20;
	t->cand[0].srtt_us = 1000;
	t->cand[1].priority = 10;
	t->cand[2].priority = 10;
	t->cand[2].srtt_us = 39000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 2);
	t->cand[2].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), -EAGAIN);
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 1), 0);
	t->cand[1].up = false;
	t->cand[2].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 0);
}

/* A detour ranks like a path that carries too little. */
static void mptun_sched_test_suspended(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].suspended = true;
	t->cand[0].srtt_us = 1000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].parked = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	t->cand[1].parked = false;
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
}

/* A suspended path ranks above one of another priority, and a suspect one. */
static void mptun_sched_test_parked(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].parked = true;
	t->cand[0].srtt_us = 1000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].room = 100000;
	t->cand[1].priority = 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	t->cand[1].priority = 0;
	t->cand[1].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	t->cand[0].priority = 255;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 1), 0);
}

/* A path on which packets arrive later than they are waited for is idle. */
static void mptun_sched_test_hold(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->s.hold_us = 50000;
	t->cand[0].room = 0;
	t->cand[1].srtt_us = 140000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[0].arrival_us, 20000U);
	KUNIT_EXPECT_EQ(test, t->cand[1].arrival_us, 70000U);
	t->cand[1].srtt_us = 140002;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_TRUE(test, t->cand[0].eligible);
	KUNIT_EXPECT_FALSE(test, t->cand[1].eligible);
	/* Order does not matter: all may. */
	t->s.hold_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);

	/* The fast one is no measure if it is not used. */
	t->s.hold_us = 50000;
	t->cand[0].priority = 1;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[0].priority = 0;
	t->cand[0].mtu = 1300;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);

	/* Nothing is held against a path of which nothing is known. */
	t->cand[0].mtu = 1428;
	t->cand[1].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[0].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

/* 100 packets on 1 Mbit/s are 1.2 s, whatever the round-trip time was. */
static void mptun_sched_test_queue(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	t->s.hold_us = 200000;
	t->cand[0].room = 0;
	t->cand[1].rate = 125000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[1].arrival_us, 20000U);
	/* nothing in flight, no queue, however slow it seemed */
	t->cand[1].rate = 1;
	t->cand[1].srtt_us = 400000;
	t->cand[1].in_flight = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[1].queue_us, 0U);
	t->cand[1].rate = 125000;
	t->cand[1].srtt_us = 40000;
	/* 20 ms + 30 kB / 125 kB/s - 9/8 * 40 ms = 215 ms */
	t->cand[1].in_flight = 28500;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[1].arrival_us, 215000U);
	t->cand[1].in_flight = 150000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	/* no wrap */
	t->cand[1].rate = 1;
	t->cand[1].in_flight = U32_MAX;
	t->cand[1].srtt_us = U32_MAX;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, t->cand[1].arrival_us, U32_MAX);
	t->s.hold_us = U32_MAX;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

static void mptun_sched_test_greedy(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].srtt_us = 60000;
	t->cand[2].srtt_us = 30000;
	t->cand[3].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 2);
	t->cand[2].room = 1499;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 1);
	t->cand[1].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 0);
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 3);
	/* equally fast: the one with more room */
	t->cand[1].room = 5000;
	t->cand[2].srtt_us = 40000;
	t->cand[2].room = 5001;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 4), 2);
}

/* A full low-latency path is waited for while the other's queue is longer. */
static void mptun_sched_test_greedy_waits(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].min_rtt_us = 20000;
	t->cand[0].srtt_us = 20000;
	t->cand[0].room = 0;
	t->cand[1].min_rtt_us = 40000;
	t->cand[1].srtt_us = 50000;
	t->cand[1].found = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[1].queue_us, 10000U);
	t->cand[1].srtt_us = 50001;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	/* not if its own queue is as long */
	t->cand[0].srtt_us = 20001;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* nor if it has more latency */
	t->cand[0].min_rtt_us = 70000;
	t->cand[0].srtt_us = 70000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* nor if nothing is known of it, or it is not to be used */
	t->cand[0].srtt_us = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	t->cand[0].srtt_us = 20000;
	t->cand[0].min_rtt_us = 20000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[0].up = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	/* nor if it is not known what the other one carries */
	t->cand[0].up = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), -EAGAIN);
	t->cand[1].found = false;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
}

/* The first transmission goes where it arrives first, and never waits. */
static void mptun_sched_test_redundant(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	KUNIT_EXPECT_FALSE(test, t->s.ops->copies);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "redundant"), 0);
	KUNIT_EXPECT_TRUE(test, t->s.ops->copies);
	t->cand[1].srtt_us = 20000;
	t->cand[2].backup = true;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 1);
	KUNIT_EXPECT_TRUE(test, t->cand[0].eligible);
	KUNIT_EXPECT_FALSE(test, t->cand[2].eligible);
	/* However long the queue of the other is: greedy would wait here. */
	t->cand[1].room = 0;
	t->cand[0].min_rtt_us = 30000;
	t->cand[0].srtt_us = 60000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), 0);
	t->cand[0].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 3), -EAGAIN);
}

/* A queue is all in our direction, the way itself only half. */
static void mptun_sched_test_arrival(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->cand[0].min_rtt_us = 10000;
	t->cand[0].srtt_us = 60000;
	t->cand[1].min_rtt_us = 70000;
	t->cand[1].srtt_us = 70000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_EQ(test, t->cand[0].arrival_us, 55000U);
	KUNIT_EXPECT_EQ(test, t->cand[1].arrival_us, 35000U);
	/* A minimum above the mean, after a change of route, is no minimum. */
	t->cand[0].min_rtt_us = 90000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	KUNIT_EXPECT_EQ(test, t->cand[0].arrival_us, 30000U);
}

static void mptun_sched_test_run(struct kunit *test)
{
	/* 16 Mbit/s: 1 ms is 1.3 packets */
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(2000000, 1500), 2U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(12500000, 1500), 8U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(125000000, 1500), 44U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(1, 1500), 2U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(U64_MAX, 1), 44U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(0, 1500), 44U);
	KUNIT_EXPECT_EQ(test, mptun_sched_run_length(1000, 0), 44U);
}

/* A queue on the way back delays acknowledgments: what is in flight has mostly
 * arrived.  What comes later than it should does not.
 */
static void mptun_sched_test_oneway(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = &t->cand[0];

	c->srtt_us = 340000;
	c->min_rtt_us = 40000;
	c->rate = 1000000;
	c->in_flight = 338500;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->arrival_us, 315000U);
	c->oneway_us = 15000;
	c->oneway_queue_us = 10000;
	c->since_us = 330000;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 10000U);
	KUNIT_EXPECT_EQ(test, c->arrival_us, 25000U);
	c->since_us = 500000;
	c->in_flight = 398500;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 28750U);
	/* A report that another path brought sooner shows no queue. */
	c->since_us = 20000;
	c->in_flight = 43500;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 0U);
	c->in_flight = 53500;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 10000U);
	c->rate = 0;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 10000U);
	c->in_flight = 0;
	mptun_sched_test_pick(t, 2);
	KUNIT_EXPECT_EQ(test, c->queue_us, 0U);
}

/* A queue on the way back makes no high-latency path. */
static void mptun_sched_test_latency(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;

	t->s.hold_us = 500000;
	t->cand[0].srtt_us = 340000;
	t->cand[0].min_rtt_us = 340000;
	t->cand[1].srtt_us = 50000;
	t->cand[1].min_rtt_us = 50000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 1);
	KUNIT_EXPECT_FALSE(test, t->cand[0].eligible);
	t->cand[0].oneway_us = 15000;
	t->cand[1].oneway_us = 25000;
	KUNIT_EXPECT_EQ(test, mptun_sched_test_pick(t, 2), 0);
	KUNIT_EXPECT_TRUE(test, t->cand[0].eligible);
	KUNIT_EXPECT_TRUE(test, t->cand[1].eligible);
}

/* The offset of the clocks is that which makes the two ways of the nearest path
 * equal, across a wrap, unless another delay were negative then.  Nothing known
 * of a path stays so, and no delay is longer than the round trip.
 */
static void mptun_sched_test_clock_offset(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct mptun_sched_cand *c = t->cand;
	u32 clock_us = -10000;

	mptun_sched_clock_offset(c, 2);
	KUNIT_EXPECT_EQ(test, c[0].oneway_us, 0U);
	c[0].min_rtt_us = 230000;
	c[0].oneway_us = clock_us + 20000;
	c[1].min_rtt_us = 50000;
	c[1].oneway_us = clock_us + 30000;
	mptun_sched_clock_offset(c, 3);
	KUNIT_EXPECT_EQ(test, c[0].oneway_us, 15000U);
	KUNIT_EXPECT_EQ(test, c[1].oneway_us, 25000U);
	KUNIT_EXPECT_EQ(test, c[2].oneway_us, 0U);

	/* the nearest one had a queue when it was last used */
	c[0].oneway_us = clock_us + 20000;
	c[1].oneway_us = clock_us + 280000;
	mptun_sched_clock_offset(c, 2);
	KUNIT_EXPECT_EQ(test, c[0].oneway_us, 1U);
	KUNIT_EXPECT_EQ(test, c[1].oneway_us, 50000U);
}

static struct kunit_case mptun_sched_cases[] = {
	KUNIT_CASE(mptun_sched_test_errors),
	KUNIT_CASE(mptun_sched_test_size),
	KUNIT_CASE(mptun_sched_test_size_cut),
	KUNIT_CASE(mptun_sched_test_size_equal),
	KUNIT_CASE(mptun_sched_test_suspect),
	KUNIT_CASE(mptun_sched_test_backup),
	KUNIT_CASE(mptun_sched_test_priority),
	KUNIT_CASE(mptun_sched_test_parked),
	KUNIT_CASE(mptun_sched_test_suspended),
	KUNIT_CASE(mptun_sched_test_hold),
	KUNIT_CASE(mptun_sched_test_queue),
	KUNIT_CASE(mptun_sched_test_greedy),
	KUNIT_CASE(mptun_sched_test_greedy_waits),
	KUNIT_CASE(mptun_sched_test_redundant),
	KUNIT_CASE(mptun_sched_test_arrival),
	KUNIT_CASE(mptun_sched_test_oneway),
	KUNIT_CASE(mptun_sched_test_latency),
	KUNIT_CASE(mptun_sched_test_clock_offset),
	KUNIT_CASE(mptun_sched_test_run),
	{}
};

static struct kunit_suite mptun_sched_suite = {
	.name = "mptun_sched",
	.init = mptun_sched_test_init,
	.test_cases = mptun_sched_cases,
};

kunit_test_suite(mptun_sched_suite);
