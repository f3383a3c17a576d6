// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the reorder buffer: mode psmc.
 */
#include "test/reorder/frame.h"

/* Two paths with a lower bound of 4 and so a target of 8. */
static int mptun_reorder_psmc_test_init(struct kunit *test)
{
	static const struct mptun_psmc_path paths[] = {
		{ .owd_us = 10000, .rate_pps = 1000 },
		{ .owd_us = 10000, .rate_pps = 1000 },
	};
	int err = mptun_reorder_test_init(test);
	struct mptun_reorder_test *t = test->priv;

	if (err)
		return err;
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_PSMC);
	mptun_reorder_psmc(&t->r, paths, ARRAY_SIZE(paths), 0, t->now,
			   &t->out);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 8U);
	return 0;
}

/* Values of the dissertation's formulas with 1500-byte packets. */
static void mptun_reorder_psmc_test_bounds(struct kunit *test)
{
	struct mptun_psmc_path p[10];
	u32 n;

	for (n = 0; n < ARRAY_SIZE(p); n++)
		p[n] = (struct mptun_psmc_path){ 20000, 4167 };
	/* equal paths: B1 = n, B2 = 2n */
	for (n = 1; n <= ARRAY_SIZE(p); n++)
		KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, n), 2 * n);

	/* 5 Mb/s with 10 ms and with 50 ms: 18.7 */
	p[0] = (struct mptun_psmc_path){ 10000, 417 };
	p[1] = (struct mptun_psmc_path){ 50000, 417 };
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 2), 19U);
	/* 100 Mb/s with 5 ms, 20 Mb/s with 60 ms: 460 */
	p[0] = (struct mptun_psmc_path){ 5000, 8333 };
	p[1] = (struct mptun_psmc_path){ 60000, 1667 };
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 2), 461U);
	/* rates 10:1 and 10:10:1 with equal delays: 13 and 24 */
	p[0] = (struct mptun_psmc_path){ 0, 1000 };
	p[1] = (struct mptun_psmc_path){ 0, 100 };
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 2), 13U);
	p[2] = (struct mptun_psmc_path){ 0, 1000 };
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 3), 24U);

	/* an unused path does not count */
	p[1].rate_pps = 0;
	p[1].owd_us = 500000;
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 3), 4U);
	p[0].rate_pps = 0;
	p[2].rate_pps = 0;
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 3), 1U);
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 0), 1U);

	/* no overflow */
	p[0] = (struct mptun_psmc_path){ 0, U32_MAX };
	p[1] = (struct mptun_psmc_path){ U32_MAX, U32_MAX };
	p[2] = (struct mptun_psmc_path){ 0, 1 };
	KUNIT_EXPECT_EQ(test, mptun_psmc_bounds(p, 3), U32_MAX / 2);
}

/* The factor that is set: from the lower bound itself to many times of it. */
static void mptun_reorder_psmc_test_factor(struct kunit *test)
{
	static const struct mptun_psmc_path paths[] = {
		{ .owd_us = 10000, .rate_pps = 1000 },
		{ .owd_us = 10000, .rate_pps = 1000 },
	};
	static const struct {
		u32 percent;
		u32 target;
	} factors[] = { { 0, 8 }, { 100, 4 }, { 150, 6 }, { 10000, 400 } };
	struct mptun_reorder_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(factors); i++) {
		t->r.config.psmc_factor = factors[i].percent;
		mptun_reorder_psmc(&t->r, paths, ARRAY_SIZE(paths), 0, t->now,
				   &t->out);
		KUNIT_EXPECT_EQ(test, t->r.psmc.target, factors[i].target);
	}
	mptun_reorder_psmc(&t->r, paths, ARRAY_SIZE(paths), 30, t->now,
			   &t->out);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 30U);
}

/* Full: at least three leave, and their successors in the lane. */
static void mptun_reorder_psmc_test_full(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i;

	/* eight lanes, each with a hole */
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 2 * i + 1,
								1),
				MPTUN_VERDICT_HELD);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_insert(t, 15, 1);
	mptun_reorder_test_take(t, 3, 1, 3, 5);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_PSMC], 3ULL);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 7U);
	/* so two more fill it again: five are held, the limit is seven */
	mptun_reorder_test_insert(t, 17, 1);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_insert(t, 19, 1);
	mptun_reorder_test_take(t, 3, 7, 9, 11);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 6U);
}

static void mptun_reorder_psmc_test_chain(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_run(t, 2, 9);
	mptun_reorder_test_take(t, 0);
	/* the eighth: the hole is skipped and all of the lane follows */
	KUNIT_EXPECT_EQ(test, mptun_reorder_test_insert(t, 9, 1),
			MPTUN_VERDICT_DELIVERED);
	mptun_reorder_test_take(t, 8, 2, 3, 4, 5, 6, 7, 8, 9);
	KUNIT_EXPECT_EQ(test, t->r.stats.given_up[MPTUN_GIVE_UP_PSMC], 1ULL);
}

/* -1 for each release down to the lower bound, +1 for a run in sequence. */
static void mptun_reorder_psmc_test_target(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;
	u32 i = 1;

	while (t->r.psmc.target > 4) {
		mptun_reorder_test_insert(t, i, 1);
		i += 2;
	}
	for (; i < 101; i += 2)
		mptun_reorder_test_insert(t, i, 1);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 4U);
	mptun_reorder_test_drop(t);
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_OFF);
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_PSMC);
	mptun_reorder_test_drop(t);

	/* five in sequence, then six */
	i--;
	mptun_reorder_test_run(t, i, i + 4);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 4U);
	mptun_reorder_test_run(t, i + 4, i + 5);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 5U);
	mptun_reorder_test_run(t, i + 5, i + 11);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 6U);

	/* up to the upper bound */
	mptun_reorder_psmc(&t->r, NULL, 0, 10, t->now, &t->out);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 2U);
	mptun_reorder_test_run(t, i + 11, i + 1000);
	KUNIT_EXPECT_EQ(test, t->r.psmc.target, 10U);
}

/* No proofs, no floor, and the hold time as the last resort. */
static void mptun_reorder_psmc_test_alone(struct kunit *test)
{
	struct mptun_reorder_test *t = test->priv;

	mptun_reorder_test_insert(t, 0, 0);
	mptun_reorder_test_insert(t, 2, 1);
	mptun_reorder_test_prove(t, 0, 2, 1);
	mptun_reorder_test_floor(t, 2);
	mptun_reorder_test_wait(t, MPTUN_REORDER_TEST_HOLD - 1);
	mptun_reorder_test_take(t, 1, 0);
	mptun_reorder_test_wait(t, 1);
	mptun_reorder_test_take(t, 1, 2);

	/* the floor was only deferred */
	mptun_reorder_test_insert(t, 5, 1);
	mptun_reorder_test_floor(t, 5);
	mptun_reorder_test_take(t, 0);
	mptun_reorder_test_mode(t, MPTUN_REORDER_MODE_ADAPTIVE);
	mptun_reorder_test_take(t, 1, 5);
}

static struct kunit_case mptun_reorder_psmc_cases[] = {
	KUNIT_CASE(mptun_reorder_psmc_test_bounds),
	KUNIT_CASE(mptun_reorder_psmc_test_factor),
	KUNIT_CASE(mptun_reorder_psmc_test_full),
	KUNIT_CASE(mptun_reorder_psmc_test_chain),
	KUNIT_CASE(mptun_reorder_psmc_test_target),
	KUNIT_CASE(mptun_reorder_psmc_test_alone),
	{}
};

static struct kunit_suite mptun_reorder_psmc_suite = {
	.name = "mptun_reorder_psmc",
	.init = mptun_reorder_psmc_test_init,
	.exit = mptun_reorder_test_exit,
	.test_cases = mptun_reorder_psmc_cases,
};

kunit_test_suite(mptun_reorder_psmc_suite);
