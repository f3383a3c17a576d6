// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of scheduling by weight.
 */
#include <linux/math64.h>
#include <linux/prandom.h>

#include "test/sched/frame.h"

static int mptun_wrr_test_init(struct kunit *test)
{
	struct mptun_sched_test *t = mptun_sched_test_new(test, "wrr");
	int i;

	for (i = 0; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i].in_flight = 1500;
	t->s.now = 0;
	return 0;
}

/* Places @n runs of one to @run packets of random size. */
static void mptun_wrr_test_place(struct kunit *test, struct rnd_state *rnd,
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
static void mptun_wrr_test_shares(struct kunit *test)
{
	static const u32 weights[][MPTUN_SCHED_TEST_PATHS] = {
		{ 1, 1, 1, 1 }, { 1, 2, 3, 4 }, { 10, 1, 1, 1 },
		{ 100, 50, 25, 7 }, { 65535, 65535, 30000, 4096 },
	};
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	int i, k;

	prandom_seed_state(&rnd, 4725);
	for (i = 0; i < ARRAY_SIZE(weights) * 2; i++) {
		u64 total = 0, sum = 0;

		memset(t->mem, 0, sizeof(t->mem));
		memset(t->sent, 0, sizeof(t->sent));
		for (k = 0; k < MPTUN_SCHED_TEST_PATHS; k++) {
			t->cand[k].weight = weights[i / 2][k];
			sum += t->cand[k].weight;
		}
		mptun_wrr_test_place(test, &rnd, 20000, i & 1 ? 44 : 1);
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
static void mptun_wrr_test_weights(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 4725);
	t->cand[1].weight = 0;
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	for (i = 1; i < MPTUN_SCHED_TEST_PATHS; i++)
		KUNIT_EXPECT_GT(test, t->sent[i] * 100, t->sent[0] * 99);

	memset(t->sent, 0, sizeof(t->sent));
	for (i = 0; i < MPTUN_SCHED_TEST_PATHS; i++)
		t->cand[i].weight = i ? U32_MAX : 65535;
	mptun_wrr_test_place(test, &rnd, 20000, 44);
	for (i = 1; i < MPTUN_SCHED_TEST_PATHS; i++)
		KUNIT_EXPECT_GT(test, t->sent[i] * 100, t->sent[0] * 98);
}

/* Weights follow what paths carry: 3 and 1 MB/s, then 1 and 1 by window. */
static void mptun_wrr_test_auto(struct kunit *test)
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
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 297);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 303);

	/* 100000 bytes in 40 ms are 2.5 MB/s; the weight counts as well */
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].rate = 0;
	t->cand[1].rate = 2500000;
	t->cand[1].weight = 2;
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[1] * 100, t->sent[0] * 197);
	KUNIT_EXPECT_LE(test, t->sent[1] * 100, t->sent[0] * 203);

	/* PSMC: 10 and 5 Mbit/s are 2:1, until 3:2 arrives */
	memset(t->mem, 0, sizeof(t->mem));
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[1].weight = 1;
	t->cand[0].rate = 1250000;
	t->cand[1].rate = 625000;
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 198);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 202);
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].rate = 937500;
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GE(test, t->sent[0] * 100, t->sent[1] * 148);
	KUNIT_EXPECT_LE(test, t->sent[0] * 100, t->sent[1] * 152);

	/* nothing known, and far too many */
	t->cand[0].rate = 0;
	memset(t->sent, 0, sizeof(t->sent));
	t->cand[0].srtt_us = 0;
	t->cand[1].rate = U64_MAX;
	t->cand[1].weight = U32_MAX;
	mptun_wrr_test_place(test, &rnd, 20000, 1);
	KUNIT_EXPECT_GT(test, t->sent[1], t->sent[0]);
}

/* A full path stops none, catches up a little, and starves none then. */
static void mptun_wrr_test_full(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	struct rnd_state rnd;
	u32 other;

	prandom_seed_state(&rnd, 4725);
	t->cand[0].room = 0;
	mptun_wrr_test_place(test, &rnd, 100000, 1);
	KUNIT_EXPECT_EQ(test, t->sent[0], 0ULL);
	KUNIT_EXPECT_GT(test, t->sent[3] * 100, t->sent[1] * 99);

	t->cand[0].room = 100000;
	memset(t->sent, 0, sizeof(t->sent));
	mptun_wrr_test_place(test, &rnd, 100000, 1);
	other = t->sent[3];
	KUNIT_EXPECT_GT(test, other, 0U);
	KUNIT_EXPECT_GE(test, t->sent[0], t->sent[3]);
	/* at most 1 MiB of its own and what the others were ahead */
	KUNIT_EXPECT_LE(test, t->sent[0], other + (3 << 20));
}

static s64 mptun_wrr_test_credit(struct mptun_sched_test *t, int i)
{
	return ((struct mptun_wrr *)t->mem[i].data)->credit;
}

/* Paths that come, go and change: none starves, credits stay in bounds. */
static void mptun_wrr_test_random(struct kunit *test)
{
	struct mptun_sched_test *t = test->priv;
	u32 since[MPTUN_SCHED_TEST_PATHS] = {};
	struct rnd_state rnd;
	int i, k, n;

	prandom_seed_state(&rnd, 7);
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
			s64 credit = mptun_wrr_test_credit(t, k);

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
	KUNIT_EXPECT_GE(test, mptun_wrr_test_credit(t, 0),
			-MPTUN_WRR_CREDIT_MAX);
}

static struct kunit_case mptun_wrr_cases[] = {
	KUNIT_CASE(mptun_wrr_test_shares),
	KUNIT_CASE(mptun_wrr_test_weights),
	KUNIT_CASE(mptun_wrr_test_auto),
	KUNIT_CASE(mptun_wrr_test_full),
	KUNIT_CASE(mptun_wrr_test_random),
	{}
};

static struct kunit_suite mptun_wrr_suite = {
	.name = "mptun_sched_wrr",
	.init = mptun_wrr_test_init,
	.test_cases = mptun_wrr_cases,
};

kunit_test_suite(mptun_wrr_suite);
