// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of scheduler "flow": shares, and the lanes that move when a path fails.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "sched/sched.h"

#define MPTUN_FLOW_TEST_PATHS	4
#define MPTUN_FLOW_TEST_LANES	10000

/**
 * struct mptun_flow_test - what the tests work on
 * @s: scheduler flow
 * @cand: equal paths at first
 * @path: path of each lane
 * @lanes: lanes of each path
 */
struct mptun_flow_test {
	struct mptun_sched s;
	struct mptun_sched_cand cand[MPTUN_FLOW_TEST_PATHS];
	int path[MPTUN_FLOW_TEST_LANES];
	u32 lanes[MPTUN_FLOW_TEST_PATHS];
};

static int mptun_flow_test_init(struct kunit *test)
{
	struct mptun_flow_test *t;
	int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->s.ops = &mptun_sched_flow;
	for (i = 0; i < MPTUN_FLOW_TEST_PATHS; i++)
		t->cand[i] = (struct mptun_sched_cand){
			.room = 1500,
			.id = jhash_1word(i, 0),
			.weight = 1,
			.mtu = 1428,
			.up = true,
		};
	test->priv = t;
	return 0;
}

/* Places all lanes. Counts those of @from that moved, and those of the others.
 */
static void mptun_flow_test_all(struct kunit *test, int from, u32 *moved,
				u32 *others)
{
	struct mptun_flow_test *t = test->priv;
	int path;

	*moved = 0;
	*others = 0;
	memset(t->lanes, 0, sizeof(t->lanes));
	for (t->s.lane = 0; t->s.lane < MPTUN_FLOW_TEST_LANES; t->s.lane++) {
		path = mptun_sched_pick(&t->s, t->cand, MPTUN_FLOW_TEST_PATHS,
					1500, 1428);
		KUNIT_ASSERT_GE(test, path, 0);
		if (t->path[t->s.lane] == from)
			*moved += path != from;
		else
			*others += path != t->path[t->s.lane];
		t->path[t->s.lane] = path;
		t->lanes[path]++;
	}
}

static void mptun_flow_test_shares(struct kunit *test)
{
	static const u32 weights[][MPTUN_FLOW_TEST_PATHS] = {
		{ 1, 1, 1, 1 }, { 1, 2, 3, 4 }, { 10, 1, 1, 1 },
		{ 40, 20, 10, 10 }, { 65535, 65535, 65535, 32768 },
	};
	struct mptun_flow_test *t = test->priv;
	u32 sum, want, i, k, n;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		for (k = 0, sum = 0; k < MPTUN_FLOW_TEST_PATHS; k++) {
			t->cand[k].weight = weights[i][k];
			sum += weights[i][k];
		}
		mptun_flow_test_all(test, 0, &n, &n);
		/* four deviations of what chance makes of them are less */
		for (k = 0; k < MPTUN_FLOW_TEST_PATHS; k++) {
			want = div_u64((u64)MPTUN_FLOW_TEST_LANES *
				       weights[i][k], sum);
			KUNIT_EXPECT_GE(test, t->lanes[k], want - want / 8);
			KUNIT_EXPECT_LE(test, t->lanes[k], want + want / 8);
		}
	}
	/* no weight is one */
	t->cand[3].weight = 0;
	mptun_flow_test_all(test, 0, &n, &n);
	KUNIT_EXPECT_LE(test, t->lanes[3], 1U);
}

/* Only the lanes of a path that fails move, all over the others, and come back
 * with it.
 */
static void mptun_flow_test_fails(struct kunit *test)
{
	struct mptun_flow_test *t = test->priv;
	u32 before[MPTUN_FLOW_TEST_PATHS];
	u32 moved, others, i;

	mptun_flow_test_all(test, 0, &moved, &others);
	memcpy(before, t->lanes, sizeof(before));
	t->cand[2].up = false;
	mptun_flow_test_all(test, 2, &moved, &others);
	KUNIT_EXPECT_EQ(test, moved, before[2]);
	KUNIT_EXPECT_EQ(test, others, 0U);
	for (i = 0; i < MPTUN_FLOW_TEST_PATHS; i++)
		if (i != 2)
			KUNIT_EXPECT_GT(test, t->lanes[i],
					before[i] + before[2] / 4);

	t->cand[2].up = true;
	mptun_flow_test_all(test, -1, &moved, &others);
	KUNIT_EXPECT_EQ(test, others, before[2]);
	KUNIT_EXPECT_MEMEQ(test, t->lanes, before, sizeof(before));
	/* A path with more weight takes lanes, and no other path does. */
	t->cand[1].weight = 2;
	mptun_flow_test_all(test, 1, &moved, &others);
	KUNIT_EXPECT_EQ(test, moved, 0U);
	KUNIT_EXPECT_EQ(test, t->lanes[1], before[1] + others);
}

/* Lanes of a full path go elsewhere, and none waits. */
static void mptun_flow_test_full(struct kunit *test)
{
	struct mptun_flow_test *t = test->priv;
	u32 moved, others, i;

	mptun_flow_test_all(test, 0, &moved, &others);
	t->cand[0].room = 1499;
	mptun_flow_test_all(test, 0, &moved, &others);
	KUNIT_EXPECT_EQ(test, t->lanes[0], 0U);
	KUNIT_EXPECT_EQ(test, others, 0U);
	for (i = 1; i < MPTUN_FLOW_TEST_PATHS; i++)
		t->cand[i].room = 0;
	KUNIT_EXPECT_EQ(test, mptun_sched_pick(&t->s, t->cand,
					       MPTUN_FLOW_TEST_PATHS, 1500,
					       1428), -EAGAIN);
}

static void mptun_flow_test_log(struct kunit *test)
{
	u32 i, last = mptun_flow_log(0);

	KUNIT_EXPECT_EQ(test, last, 32 * MPTUN_FLOW_ONE);
	KUNIT_EXPECT_EQ(test, mptun_flow_log(U32_MAX), 0U);
	KUNIT_EXPECT_EQ(test, mptun_flow_log(U32_MAX / 2), MPTUN_FLOW_ONE);
	/* 1.415 = -log2(3 / 8), within 0.006 */
	KUNIT_EXPECT_GE(test, mptun_flow_log(0x5fffffff), 92340U);
	KUNIT_EXPECT_LE(test, mptun_flow_log(0x5fffffff), 93140U);
	for (i = 1; i < 100000; i++) {
		KUNIT_ASSERT_LE(test, mptun_flow_log(i * 42949U), last);
		last = mptun_flow_log(i * 42949U);
	}
}

static struct kunit_case mptun_flow_cases[] = {
	KUNIT_CASE(mptun_flow_test_shares),
	KUNIT_CASE(mptun_flow_test_fails),
	KUNIT_CASE(mptun_flow_test_full),
	KUNIT_CASE(mptun_flow_test_log),
	{}
};

static struct kunit_suite mptun_flow_suite = {
	.name = "mptun_sched_flow",
	.init = mptun_flow_test_init,
	.test_cases = mptun_flow_cases,
};

kunit_test_suite(mptun_flow_suite);
