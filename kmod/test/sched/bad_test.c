// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of what makes a path bad, and good again.
 */
#include <kunit/test.h>
#include <linux/math64.h>

#include "sched/trial.h"

#define MPTUN_BAD_TEST_PATHS	4
#define MPTUN_BAD_TEST_PART	10

/**
 * struct mptun_bad_test - what the tests work on
 * @bad: the paths
 * @acked: bytes each has delivered so far
 * @rate: what each delivers in an interval, if it is used or tried
 * @n: number of paths
 * @now: time in ns
 * @changes: how often a path was suspended or came back
 */
struct mptun_bad_test {
	struct mptun_bad bad[MPTUN_BAD_TEST_PATHS];
	u64 acked[MPTUN_BAD_TEST_PATHS];
	u64 rate[MPTUN_BAD_TEST_PATHS];
	unsigned int n;
	u64 now;
	unsigned int changes;
};

static int mptun_bad_test_init(struct kunit *test)
{
	struct mptun_bad_test *t;
	unsigned int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->now = 1000ULL * NSEC_PER_SEC;
	t->n = 2;
	for (i = 0; i < MPTUN_BAD_TEST_PATHS; i++) {
		t->acked[i] = 12345;
		t->rate[i] = 1000000;
		mptun_bad_reset(&t->bad[i], t->acked[i], t->now);
	}
	test->priv = t;
	return 0;
}

/* Lets intervals pass in which there is more to send than can be. */
static void mptun_bad_test_run(struct mptun_bad_test *t, unsigned int count)
{
	struct mptun_bad_sum sum;
	unsigned int i;

	while (count--) {
		sum = (struct mptun_bad_sum){};
		t->now += MPTUN_BAD_INTERVAL_MS * (u64)NSEC_PER_MSEC;
		for (i = 0; i < t->n; i++) {
			if (t->bad[i].state != MPTUN_BAD_PARKED)
				t->acked[i] += t->rate[i];
			mptun_bad_measure(&t->bad[i], t->acked[i], &sum);
		}
		for (i = 0; i < t->n; i++)
			t->changes += mptun_bad_judge(&t->bad[i], &sum,
						      MPTUN_BAD_TEST_PART,
						      t->now);
	}
}

/* A path that carries a tenth and more of the others is left in use. */
static void mptun_bad_test_good(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;

	t->rate[1] = 100000;
	mptun_bad_test_run(t, 100);
	KUNIT_EXPECT_EQ(test, t->changes, 0U);
	t->n = 4;
	/* the mean of the three others is 466666 */
	t->rate[2] = 300000;
	t->rate[3] = 50000;
	mptun_bad_test_run(t, 100);
	KUNIT_EXPECT_EQ(test, t->changes, 0U);
}

/* Less, in three intervals in a row that can be judged, and it is suspended;
 * the first one is growth from nothing.
 */
static void mptun_bad_test_park(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;

	t->rate[1] = 99999;
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES);
	KUNIT_EXPECT_FALSE(test, mptun_bad_parked(&t->bad[1]));
	mptun_bad_test_run(t, 1);
	KUNIT_EXPECT_TRUE(test, mptun_bad_parked(&t->bad[1]));
	KUNIT_EXPECT_FALSE(test, mptun_bad_parked(&t->bad[0]));
	KUNIT_EXPECT_EQ(test, t->changes, 1U);
}

/* A good interval in between restarts the count. */
static void mptun_bad_test_strikes(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;
	int i;

	mptun_bad_test_run(t, 1);
	for (i = 0; i < 20; i++) {
		t->rate[1] = i % MPTUN_BAD_STRIKES ? 50000 : 200000;
		mptun_bad_test_run(t, 1);
	}
	KUNIT_EXPECT_EQ(test, t->changes, 0U);
}

/* The best path is never suspended, however bad all of them are. */
static void mptun_bad_test_best(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;
	unsigned int i, used = 0;

	t->n = 4;
	t->rate[0] = 1000;
	t->rate[1] = 50;
	t->rate[2] = 2;
	t->rate[3] = 0;
	mptun_bad_test_run(t, 7);
	for (i = 0; i < t->n; i++)
		used += !mptun_bad_parked(&t->bad[i]);
	KUNIT_EXPECT_EQ(test, used, 1U);
	KUNIT_EXPECT_FALSE(test, mptun_bad_parked(&t->bad[0]));

	t->n = 1;
	mptun_bad_reset(&t->bad[0], t->acked[0], t->now);
	t->rate[0] = 0;
	mptun_bad_test_run(t, 20);
	KUNIT_EXPECT_FALSE(test, mptun_bad_parked(&t->bad[0]));
}

/* A high-latency path that starts slowly gets the time it needs. */
static void mptun_bad_test_growth(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;
	int i;

	t->rate[1] = 1000;
	for (i = 0; i < 20; i++) {
		mptun_bad_test_run(t, 1);
		t->rate[1] += div_u64(t->rate[1], 3);
	}
	KUNIT_EXPECT_EQ(test, t->changes, 0U);
}

/* What had nothing to carry for a while is not judged. */
static void mptun_bad_test_idle(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;
	int i;

	t->rate[1] = 10;
	for (i = 0; i < 20; i++) {
		t->bad[1].idle = true;
		mptun_bad_test_run(t, 1);
	}
	KUNIT_EXPECT_EQ(test, t->changes, 0U);
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES);
	KUNIT_EXPECT_EQ(test, t->changes, 1U);
}

/* Number of intervals until a suspended path is tried. */
static unsigned int mptun_bad_test_wait(struct mptun_bad_test *t)
{
	unsigned int waited = 0;

	while (t->bad[1].state == MPTUN_BAD_PARKED && waited < 1000) {
		mptun_bad_test_run(t, 1);
		waited++;
	}
	return waited;
}

/* A trial that shows nothing better ends soon, and the next one comes later. */
static void mptun_bad_test_retry(struct kunit *test)
{
	static const unsigned int waits[] = { 5, 10, 20, 40, 80, 160, 160 };
	struct mptun_bad_test *t = test->priv;
	int i, trial;

	t->rate[1] = 10000;
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES + 1);
	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		KUNIT_ASSERT_EQ(test, t->bad[1].state, MPTUN_BAD_PARKED);
		KUNIT_EXPECT_EQ(test, mptun_bad_test_wait(t), waits[i]);
		for (trial = 0; t->bad[1].state == MPTUN_BAD_TRIED; trial++)
			mptun_bad_test_run(t, 1);
		KUNIT_EXPECT_EQ(test, trial, 1 + MPTUN_BAD_FAILS);
	}
	KUNIT_EXPECT_EQ(test, t->changes, 1U);
}

/* A path that is twice as good as bad returns; a bit less is not enough. */
static void mptun_bad_test_hysteresis(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;

	t->rate[1] = 10000;
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES + 1);
	t->rate[1] = 190000;
	mptun_bad_test_wait(t);
	mptun_bad_test_run(t, MPTUN_BAD_ROUNDS);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_PARKED);
	t->rate[1] = 200000;
	mptun_bad_test_wait(t);
	mptun_bad_test_run(t, MPTUN_BAD_GOOD - 1);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_TRIED);
	mptun_bad_test_run(t, 1);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_USED);
	/* and stays, with what would not have brought it back */
	t->rate[1] = 110000;
	mptun_bad_test_run(t, 100);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_USED);
	KUNIT_EXPECT_EQ(test, t->changes, 2U);
}

/* A path that returns and is soon bad again waits longer, but not after a good
 * minute.
 */
static void mptun_bad_test_forget(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;
	int i;

	mptun_bad_test_run(t, 1);
	for (i = 0; i < 2; i++) {
		t->rate[1] = 10000;
		mptun_bad_test_run(t, MPTUN_BAD_STRIKES);
		KUNIT_EXPECT_EQ(test, mptun_bad_test_wait(t), i ? 10U : 5U);
		t->rate[1] = 500000;
		mptun_bad_test_run(t, MPTUN_BAD_GOOD);
		KUNIT_EXPECT_FALSE(test, mptun_bad_parked(&t->bad[1]));
	}
	mptun_bad_test_run(t, MPTUN_BAD_FORGET_MS / MPTUN_BAD_INTERVAL_MS);
	t->rate[1] = 10000;
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES);
	KUNIT_EXPECT_EQ(test, mptun_bad_test_wait(t), 5U);
}

/* Without enough to send a trial ends, and is due when there is more. */
static void mptun_bad_test_skip(struct kunit *test)
{
	struct mptun_bad_test *t = test->priv;

	t->rate[1] = 10000;
	mptun_bad_test_run(t, MPTUN_BAD_STRIKES + 1);
	mptun_bad_test_wait(t);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_TRIED);
	mptun_bad_skip(&t->bad[1], t->now);
	KUNIT_EXPECT_EQ(test, t->bad[1].state, MPTUN_BAD_PARKED);
	KUNIT_EXPECT_EQ(test, mptun_bad_test_wait(t), 1U);
	/* what is in use stays so */
	mptun_bad_skip(&t->bad[0], t->now);
	KUNIT_EXPECT_EQ(test, t->bad[0].state, MPTUN_BAD_USED);
}

static struct kunit_case mptun_bad_test_cases[] = {
	KUNIT_CASE(mptun_bad_test_good),
	KUNIT_CASE(mptun_bad_test_park),
	KUNIT_CASE(mptun_bad_test_strikes),
	KUNIT_CASE(mptun_bad_test_best),
	KUNIT_CASE(mptun_bad_test_growth),
	KUNIT_CASE(mptun_bad_test_idle),
	KUNIT_CASE(mptun_bad_test_retry),
	KUNIT_CASE(mptun_bad_test_hysteresis),
	KUNIT_CASE(mptun_bad_test_forget),
	KUNIT_CASE(mptun_bad_test_skip),
	{}
};

static struct kunit_suite mptun_bad_test_suite = {
	.name = "mptun_bad",
	.init = mptun_bad_test_init,
	.test_cases = mptun_bad_test_cases,
};

kunit_test_suite(mptun_bad_test_suite);
