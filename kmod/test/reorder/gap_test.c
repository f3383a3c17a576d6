// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reorder buffer: loss proofs.
 */
#include "test/reorder/frame.h"

static u64 mptun_reorder_gap_test_proved(struct mptun_reorder_test *t)
{
	return t->r.stats.given_up[MPTUN_GIVE_UP_PROOF];
}

/* Nothing else is missing: the hole is given up at once. */
static void mptun_reorder_gap_test_single(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	mptun_reorder_test_insert(t, 11, 1);
	mptun_reorder_test_insert(t, 12, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_prove(t, 9, 11, 1);
	mptun_reorder_test_take(t, 2, 11, 12);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);

	/* it was not lost after all */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 10, 1),
			MPTUN_VERDICT_DELIVERED);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 1ULL);
}

/* Others may be in flight: wait for them. */
static void mptun_reorder_gap_test_pending(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 6, 1);
	mptun_reorder_test_take(t, 1, 0);
	/* two of 1 to 5 were lost */
	mptun_reorder_test_prove(t, 0, 6, 2);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	KUNIT_EXPECT_EQ(test, t->r.slack, 3U);
	mptun_reorder_test_insert(t, 4, 0);
	mptun_reorder_test_insert(t, 1, 0);
	mptun_reorder_test_take(t, 2, 4, 1);
	/* a second time does not count */
	mptun_reorder_test_copy(t, 4, 0);
	/* numbers beyond do not count */
	mptun_reorder_test_insert(t, 7, 0);
	mptun_reorder_test_take(t, 1, 7);
	mptun_reorder_test_insert(t, 3, 0);
	mptun_reorder_test_take(t, 2, 6, 3);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
}

/* Overlapping gaps of several paths add up. */
static void mptun_reorder_gap_test_overlap(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	/* path A: 9, 12 with a loss; path B: 8, 14 with a loss */
	mptun_reorder_test_insert(t, 12, 0);
	mptun_reorder_test_insert(t, 14, 0);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_prove(t, 9, 12, 1);
	KUNIT_EXPECT_EQ(test, t->r.slack, 1U);
	mptun_reorder_test_prove(t, 8, 14, 1);
	/* 10, 11, 13 are open, two of them lost */
	KUNIT_EXPECT_EQ(test, t->r.gaps, 2U);
	KUNIT_EXPECT_EQ(test, t->r.slack, 1U);
	mptun_reorder_test_insert(t, 11, 0);
	mptun_reorder_test_take(t, 1, 11);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
}

/* An undecided outer gap does not delay one inside of it. */
static void mptun_reorder_gap_test_inner(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	mptun_reorder_test_insert(t, 12, 0);
	mptun_reorder_test_insert(t, 20, 0);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_prove(t, 5, 20, 2);
	mptun_reorder_test_prove(t, 9, 12, 2);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	/* proved losses are used up: two of 13 to 19 are lost */
	mptun_reorder_test_run(t, 13, 17);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
	mptun_reorder_test_insert(t, 17, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 4ULL);
}

/* Arrivals beyond the inner gap decide both. */
static void mptun_reorder_gap_test_outer(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	mptun_reorder_test_insert(t, 12, 0);
	mptun_reorder_test_run(t, 13, 15);
	mptun_reorder_test_insert(t, 16, 0);
	mptun_reorder_test_run(t, 17, 21);
	mptun_reorder_test_prove(t, 5, 20, 1);
	mptun_reorder_test_prove(t, 9, 12, 1);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 2U);
	mptun_reorder_test_insert(t, 15, 0);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
}

/* A hole filled by a copy may be the proved loss. */
static void mptun_reorder_gap_test_copy(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	mptun_reorder_test_insert(t, 12, 0);
	mptun_reorder_test_copy(t, 10, 0);
	mptun_reorder_test_drop(t);
	/* 10 or 11 was lost, the other may be in flight */
	mptun_reorder_test_prove(t, 9, 12, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 0ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	/* the first transmission of 10 is a duplicate, but counts */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 10, 0),
			MPTUN_VERDICT_DUPLICATE);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);

	/* the reverse: the first transmission of 14 arrives, so 13 was lost */
	mptun_reorder_test_insert(t, 15, 0);
	mptun_reorder_test_copy(t, 13, 0);
	mptun_reorder_test_prove(t, 12, 15, 1);
	mptun_reorder_test_insert(t, 14, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
}

/* A hole given up for another reason may be the loss, or still arrive. */
static void mptun_reorder_gap_test_given_up(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 2, 1);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	mptun_reorder_test_take(t, 2, 0, 2);
	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_insert(t, 5, 0);
	mptun_reorder_test_take(t, 1, 5);
	/* 1 was given up by time; one of 1 and 3 was lost */
	mptun_reorder_test_prove(t, 0, 5, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_insert(t, 1, 1);
	mptun_reorder_test_take(t, 2, 4, 1);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);

	/* both lost: nothing is counted twice */
	mptun_reorder_test_insert(t, 7, 1);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD);
	mptun_reorder_test_insert(t, 9, 1);
	mptun_reorder_test_prove(t, 5, 9, 2);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_TIME], 2ULL);
}

/* Proofs that contradict arrivals are dropped and give up nothing. */
static void mptun_reorder_gap_test_nonsense(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 10);
	mptun_reorder_test_insert(t, 12, 1);
	mptun_reorder_test_prove(t, 9, 12, 3);
	mptun_reorder_test_prove(t, 3, 6, 1);
	mptun_reorder_test_prove(t, 3, 4, 1);
	mptun_reorder_test_prove(t, 6, 3, 1);
	mptun_reorder_test_prove(t, 9, 12, 0);
	/* an end that never arrived, ends below the ring */
	mptun_reorder_test_prove(t, 9, 13, 1);
	mptun_reorder_test_prove(t, 0x80000000, 12, 2);
	mptun_reorder_test_prove(t, -500, -300, 1);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 0ULL);
	mptun_reorder_test_take(t, 0);

	/* one good and one contradictory proof */
	mptun_reorder_test_insert(t, 20, 0);
	mptun_reorder_test_insert(t, 15, 0);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_prove(t, 12, 20, 2);
	mptun_reorder_test_prove(t, 15, 20, 5);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	mptun_reorder_test_run(t, 16, 20);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 2ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 0ULL);
}

/* The list is bounded: the oldest gap is dropped. */
static void mptun_reorder_gap_test_full(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	mptun_reorder_test_insert(t, 0, 0);
	for (i = 0; i < 40; i++) {
		/* two open, one of them lost */
		mptun_reorder_test_insert(t, 3 * i + 3, 0);
		mptun_reorder_test_prove(t, 3 * i, 3 * i + 3, 1);
		KUNIT_EXPECT_EQ(test, t->r.gaps,
				min(i + 1, (u32)MPTUN_REORDER_GAPS));
	}
	for (i = 0; i < 40; i++)
		mptun_reorder_test_insert(t, 3 * i + 1, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t),
			(u64)MPTUN_REORDER_GAPS);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	mptun_reorder_test_drop(t);
}

/* An idle path: its gap begins far below the ring. */
static void mptun_reorder_gap_test_idle_path(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 5000);
	mptun_reorder_test_insert(t, 5001, 1);
	KUNIT_EXPECT_TRUE(test, t->r.first - MPTUN_REORDER_TEST_DSN > 4000);
	mptun_reorder_test_prove(t, 7, 5001, 1);
	mptun_reorder_test_take(t, 1, 5001);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);

	/* but not if a loss may have been left there */
	mptun_reorder_test_floor(t, 5001);
	mptun_reorder_test_insert(t, 5003, 1);
	mptun_reorder_test_floor(t, 5003);
	mptun_reorder_test_run(t, 5004, 9000);
	mptun_reorder_test_insert(t, 9001, 1);
	mptun_reorder_test_prove(t, 5000, 9001, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_prove(t, 5400, 9001, 1);
	mptun_reorder_test_take(t, 1, 9001);
}

/* An undecided gap while the ring leaves a possible loss behind. */
static void mptun_reorder_gap_test_left(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_run(t, 0, 100);
	/* 100, 290 and 300 are missing, one of them was lost */
	mptun_reorder_test_insert(t, 101, 0);
	mptun_reorder_test_run(t, 102, 290);
	mptun_reorder_test_insert(t, 291, 0);
	mptun_reorder_test_run(t, 292, 300);
	mptun_reorder_test_insert(t, 301, 0);
	mptun_reorder_test_run(t, 302, 310);
	mptun_reorder_test_prove(t, 99, 305, 1);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	mptun_reorder_test_floor(t, 200);
	mptun_reorder_test_run(t, 310, 700);
	KUNIT_EXPECT_TRUE(test, t->r.first - MPTUN_REORDER_TEST_DSN > 101);
	mptun_reorder_test_insert(t, 290, 0);
	/* any other proof makes the ring evaluate all of them */
	mptun_reorder_test_insert(t, 701, 0);
	mptun_reorder_test_prove(t, 699, 701, 1);
	mptun_reorder_test_insert(t, 300, 0);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 0ULL);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
}

/* A loss that is proved and retransmitted. */
static void mptun_reorder_gap_test_repair(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_repair(t, 2, 1);
	mptun_reorder_test_insert(t, 4, 1);
	mptun_reorder_test_take(t, 1, 0);
	/* both 1 and 3 were lost; only 4 does not wait for a retransmission */
	mptun_reorder_test_prove(t, 0, 4, 2);
	mptun_reorder_test_take(t, 1, 4);
	KUNIT_EXPECT_EQ(test, mptun_reorder_gap_test_proved(t), 1ULL);
	mptun_reorder_test_copy(t, 1, 1);
	mptun_reorder_test_take(t, 2, 1, 2);
	KUNIT_EXPECT_EQ(test, t->r.stats.late, 0ULL);
}

/* States that the ring left behind do not reappear 2^31 dsns later. */
static void mptun_reorder_gap_test_stale(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 6, 0);
	/* two of 1 to 5 were lost, the path of the others died */
	mptun_reorder_test_prove(t, 0, 6, 2);
	mptun_reorder_test_run(t, 7, 300);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 1U);
	t->now += 10ULL * NSEC_PER_SEC;
	mptun_reorder_test_run(t, 300, 1000);
	t->now += 10ULL * NSEC_PER_SEC;
	mptun_reorder_test_run(t, 1000, 2000);
	KUNIT_EXPECT_EQ(test, t->r.gaps, 0U);
	mptun_reorder_test_drop(t);
}

static struct kunit_case mptun_reorder_gap_cases[] = {
	KUNIT_CASE(mptun_reorder_gap_test_single),
	KUNIT_CASE(mptun_reorder_gap_test_pending),
	KUNIT_CASE(mptun_reorder_gap_test_overlap),
	KUNIT_CASE(mptun_reorder_gap_test_inner),
	KUNIT_CASE(mptun_reorder_gap_test_outer),
	KUNIT_CASE(mptun_reorder_gap_test_copy),
	KUNIT_CASE(mptun_reorder_gap_test_given_up),
	KUNIT_CASE(mptun_reorder_gap_test_nonsense),
	KUNIT_CASE(mptun_reorder_gap_test_full),
	KUNIT_CASE(mptun_reorder_gap_test_idle_path),
	KUNIT_CASE(mptun_reorder_gap_test_left),
	KUNIT_CASE(mptun_reorder_gap_test_stale),
	KUNIT_CASE(mptun_reorder_gap_test_repair),
	{}
};

static struct kunit_suite mptun_reorder_gap_suite = {
	.name = "mptun_reorder_gap",
	.init = mptun_reorder_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_reorder_gap_cases,
};

kunit_test_suite(mptun_reorder_gap_suite);
