// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of scheduling: filters and schedulers.
 */
#include <linux/math64.h>
#include <linux/prandom.h>

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

/* Places @n runs of one to @run packets of random size. */
static void mptun_sched_test_place(struct kunit *test, struct rnd_state *rnd,
				   u32 n, u32 run)
{
	struct mptun_sched_test *t = test->priv;
	u32 bytes;
	int i;

	while (n--) {
		bytes = 100 + prandom_u32_state(rnd) % 1300;
		i = mptun_sched_pick(&t->s, t->cand, MPTUN_SCHED_TEST_PATHS,
				     bytes, bytes);
		KUNIT_ASSERT_GE(test, i, 0);
		bytes *= 1 + prandom_u32_state(rnd) % run;
		mptun_sched_sent(&t->s, t->cand, MPTUN_SCHED_TEST_PATHS, i,
				 bytes);
		t->sent[i] += bytes;
	}
}

/* Shares by weight, within 1 %, for single packets and for long runs. */
static void mptun_sched_test_wrr_shares(struct kunit *test)
{
	static const u32 weights[][MPTUN_SCHED_TEST_PATHS] = {
		{ 1, 1, 1, 1 }, { 1, 2, 3, 4 }, { 10, 1, 1, 1 },
		{ 100, 50, 25, 7 }, { 65535, 65535, 30000, 4096 },
	};
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	int i, k;

	prandom_seed_state(&rnd, 4725);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	for (i = 0; i < ARRAY_SIZE(weights) * 2; i++) {
		u64 total = 0, sum = 0;

		memset(t->mem, 0, sizeof(t->mem));
		memset(t->sent, 0, sizeof(t->sent));
		for (k = 0; k < MPTUN_SCHED_TEST_PATHS; k++) {
			t->cand[k].weight = weights[i / 2][k];
			sum += t->cand[k].weight;
		}
		mptun_sched_test_place(test, &rnd, 20000, i & 1 ? 44 : 1);
		for (k = 0; k < MPTUN_SCHED_TEST_PATHS; k++)
			total += t->sent[k];
		for (k = 0; k < MPTUN_SCHED_TEST_PATHS; k++) {
			u64 want = div64_u64(total * t->cand[k].weight, sum);

			KUNIT_EXPECT_GE(test, t->sent[k] * 100, want * 99);
			KUNIT_EXPECT_LE(test, t->sent[k] * 100, want * 101);
		}
	}
}

/* Weights out of range are brought into it. */
static void mptun_sched_test_wrr_weights(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 4725);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	t->cand[1].weight = 0;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	for (i = 1; i < MPTUN_SCHED_TEST_PATHS; i++)
		KUNIT_EXPECT_GT(test, t->sent[i] * 100, t->sent[0] * 99);

	memset(t->sent, 0, sizeof(t->sent));
	for (i = 0; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i].weight = i ? U32_MAX : 65535;
	mptun_sched_test_place(test, &rnd, 20000, 44);
	for (i = 1; i < MPTUN_SCHED_TEST_PATHS; i++)
		KUNIT_EXPECT_GT(test, t->sent[i] * 100, t->sent[0] * 98);
}

/* Weights follow what paths carry: 3 and 1 MB/s, then 1 and 1 by window. */
static void mptun_sched_test_wrr_auto(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 4725);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr-auto"), 0);
	for (i = 2; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i].up = false;
	t->cand[0].rate = 3000000;
	t->cand[1].rate = 1000000;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 297);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 303);

	/* 100000 bytes in 40 ms are 2.5 MB/s; the weight counts as well */
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].rate = 0;
	t->cand[1].rate = 2500000;
	t->cand[1].weight = 2;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[1] * 100, t->sent[0] * 197);
	KUNIT_EXPECT_LE(test, t->sent[1] * 100, t->sent[0] * 203);

	/* PSMC: 10 and 5 Mbit/s are 2:1, until 3:2 arrives */
	memset(t->mem, 0, sizeof(t->mem));
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[1].weight = 1;
	t->cand[0].rate = 1250000;
	t->cand[1].rate = 625000;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 198);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 202);
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].rate = 937500;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 148);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 152);

	/* nothing known, and far too many */
	t->cand[0].rate = 0;
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].srtt_us = 0;
	t->cand[1].rate = U64_MAX;
	t->cand[1].weight = U32_MAX;
	mptun_sched_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GT(test, t->sent[1], t->sent[0]);
}

/* A full path stops none, catches up a little, and starves none then. */
static void mptun_sched_test_wrr_full(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	u32 other;

	prandom_seed_state(&rnd, 4725);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	t->cand[0].room = 0;
	mptun_sched_test_place(test, &rnd, 100000, 1);
	KUNIT_EXPECT_EQ(test, t->sent[0], 0ULL);
	KUNIT_EXPECT_GT(test, t->sent[3] * 100, t->sent[1] * 99);

	t->cand[0].room = 100000;
	memset(t->sent, 0, sizeof(t->sent));
	mptun_sched_test_place(test, &rnd, 100000, 1);
	other = t->sent[3];
	KUNIT_EXPECT_GT(test, other, 0U);
	KUNIT_EXPECT_GE(test, t->sent[0], t->sent[3]);
	/* at most 1 MiB of its own and what the others were ahead */
	KUNIT_EXPECT_LE(test, t->sent[0], other + (3 << 20));
}

static s64 mptun_sched_test_credit(struct mptun_sched_test *t, int i)
{
	return ((struct mptun_wrr *)t->mem[i].data)->credit;
}

/* Paths that come, go and change: none starves, credits stay in bounds. */
static void mptun_sched_test_wrr_random(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	u32 since[MPTUN_SCHED_TEST_PATHS] = {};
	struct rnd_state rnd;
	int i, k, n;

	prandom_seed_state(&rnd, 7);
	KUNIT_ASSERT_EQ(test, mptun_sched_assign(&t->s, "wrr"), 0);
	for (n = 0; n < 100000; n++) {
		k = prandom_u32_state(&rnd) % MPTUN_SCHED_TEST_PATHS;
		if (!(prandom_u32_state(&rnd) % 64))
			t->cand[k].weight = prandom_u32_state(&rnd) % 8;
		if (!(prandom_u32_state(&rnd) % 64))
			t->cand[k].room ^= 100000;
		i = mptun_sched_test_pick(t, MPTUN_SCHED_TEST_PATHS);
		if (i == -EAGAIN)
			continue;
		mptun_sched_sent(&t->s, t->cand, MPTUN_SCHED_TEST_PATHS, i,
				 prandom_u32_state(&rnd) % 66000);
		for (k = 0; k < MPTUN_SCHED_TEST_PATHS; k++) {
			s64 credit = mptun_sched_test_credit(t, k);

			KUNIT_ASSERT_LE(test, credit, MPTUN_WRR_CREDIT_MAX);
			KUNIT_ASSERT_GE(test, credit, -MPTUN_WRR_CREDIT_MAX);
			since[k] = i == k || !t->cand[k].room ? 0 :
				   since[k] + 1;
			KUNIT_ASSERT_LE(test, since[k], 2000U);
		}
	}
	/* Huge and empty runs do no harm. */
	mptun_sched_sent(&t->s, t->cand, 4, 0, U32_MAX);
	mptun_sched_sent(&t->s, t->cand, 4, 0, 0);
	KUNIT_EXPECT_GE(test, mptun_sched_test_credit(t, 0),
			-MPTUN_WRR_CREDIT_MAX);
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
	KUNIT_CASE(mptun_sched_test_wrr_shares),
	KUNIT_CASE(mptun_sched_test_wrr_weights),
	KUNIT_CASE(mptun_sched_test_wrr_auto),
	KUNIT_CASE(mptun_sched_test_wrr_full),
	KUNIT_CASE(mptun_sched_test_wrr_random),
	KUNIT_CASE(mptun_sched_test_run),
	{}
};

static struct kunit_suite mptun_sched_suite = {
	.name = "mptun_sched",
	.init = mptun_sched_test_init,
	.test_cases = mptun_sched_cases,
};

kunit_test_suite(mptun_sched_suite);
