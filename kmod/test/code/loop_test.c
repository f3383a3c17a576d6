// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the number of symbols.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/prandom.h>

#include "code/loop.h"
#include "wire/wire.h"

/* Share of packets in parts of 1000. */
static u32 mptun_loop_test_promille(u32 share)
{
	return (u64)share * 1000 / MPTUN_CODE_ONE;
}

static bool mptun_loop_test_loses(const struct mptun_code_loss *l)
{
	return mptun_code_loss_now(l) > MPTUN_CODE_RESIDUAL;
}

/* Packets one by one, of which a share is lost at random. */
static void mptun_loop_test_run(struct mptun_code_loss *l,
				struct rnd_state *rnd, u32 packets,
				u32 promille)
{
	while (packets--)
		mptun_code_loss_add(l, 1, prandom_u32_state(rnd) % 1000 <
				    promille, 0);
}

/* Without loss there is none, whatever arrives. */
static void mptun_loop_test_clean(struct kunit *test)
{
	struct mptun_code_loss l = {};

	mptun_code_loss_add(&l, 0, 0, 0);
	mptun_code_loss_add(&l, 1, 0, 0);
	mptun_code_loss_add(&l, U32_MAX, 0, 0);
	KUNIT_EXPECT_FALSE(test, mptun_loop_test_loses(&l));
	KUNIT_EXPECT_EQ(test, mptun_code_overhead(&l, MPTUN_REPAIR_MEMBERS),
			0U);
}

/* A step of loss from 0 to 10 % is followed within 200 packets, and its end in
 * the mean of 1000.
 */
static void mptun_loop_test_step(struct kunit *test)
{
	struct mptun_code_loss l = {};
	struct rnd_state rnd;
	u32 promille = 0, seed;

	for (seed = 1; seed <= 64; seed++) {
		l = (struct mptun_code_loss){};
		prandom_seed_state(&rnd, seed);
		mptun_loop_test_run(&l, &rnd, 1000, 0);
		mptun_loop_test_run(&l, &rnd, 200, 100);
		promille += mptun_loop_test_promille(mptun_code_loss_now(&l));
	}
	KUNIT_EXPECT_GE(test, promille / 64, 70U);
	KUNIT_EXPECT_LE(test, promille / 64, 110U);
	mptun_loop_test_run(&l, &rnd, 10000, 0);
	KUNIT_EXPECT_FALSE(test, mptun_loop_test_loses(&l));
}

/* Light losses are remembered from one to the next: most of them happen while
 * packets are coded, and that ends when losses do.
 */
static void mptun_loop_test_light(struct kunit *test)
{
	static const struct {
		u32 loss, least; /* of 10,000 and of 1000 */
	} want[] = { { 10, 850 }, { 20, 970 }, { 50, 990 } };
	u32 i, n, lost, coded, now;
	struct mptun_code_loss l;
	struct rnd_state rnd;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		l = (struct mptun_code_loss){};
		prandom_seed_state(&rnd, i);
		lost = 0;
		coded = 0;
		for (n = 0; n < 1000000; n++) {
			now = prandom_u32_state(&rnd) % 10000 <
			      want[i].loss;
			lost += now;
			coded += now && mptun_loop_test_loses(&l);
			mptun_code_loss_add(&l, 1, now, 0);
		}
		KUNIT_EXPECT_GE(test, coded * 1000 / lost, want[i].least);
		for (n = 0; mptun_loop_test_loses(&l) && n < 10000; n++)
			mptun_code_loss_add(&l, 1, 0, 0);
		KUNIT_EXPECT_LE(test, n, 5000U);
	}
}

/* What was not lost after all does not count. */
static void mptun_loop_test_spurious(struct kunit *test)
{
	struct mptun_code_loss l = {};

	mptun_code_loss_add(&l, 100, 10, 0);
	KUNIT_EXPECT_TRUE(test, mptun_loop_test_loses(&l));
	mptun_code_loss_add(&l, 0, 0, 10);
	KUNIT_EXPECT_FALSE(test, mptun_loop_test_loses(&l));
	mptun_code_loss_add(&l, 0, 0, U32_MAX);
	KUNIT_EXPECT_EQ(test, mptun_code_loss_now(&l), 0U);
}

/* Packets that are lost together count as bursts. */
static void mptun_loop_test_burst(struct kunit *test)
{
	struct mptun_code_loss l = {};
	u32 i;

	for (i = 0; i < 1000; i++)
		mptun_code_loss_add(&l, 40, 4, 0);
	KUNIT_EXPECT_GE(test, l.burst, 3 * MPTUN_CODE_PACKET);
	KUNIT_EXPECT_LE(test, l.burst, 4 * MPTUN_CODE_PACKET);
	mptun_code_loss_add(&l, U32_MAX, U32_MAX, 0);
	KUNIT_EXPECT_LE(test, l.burst, 5 * MPTUN_CODE_PACKET);
}

/* About what measurements need, see Documentation/coding.rst. */
static void mptun_loop_test_overhead(struct kunit *test)
{
	static const struct {
		u32 loss, burst, least, most;
	} want[] = {
		{ 0, 1, 0, 0 }, { 1, 1, 10, 25 }, { 10, 1, 45, 65 },
		{ 30, 1, 110, 130 }, { 50, 1, 133, 180 },
		{ 100, 1, 260, 330 }, { 50, 3, 250, 400 },
		{ 1000, 16, 1000, 1000 },
	};
	struct mptun_code_loss l = {};
	u32 i, promille;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		l.slow = MPTUN_CODE_WHOLE / 1000 * want[i].loss;
		l.burst = want[i].burst * MPTUN_CODE_PACKET;
		promille = mptun_code_overhead(&l, MPTUN_REPAIR_MEMBERS);
		promille = mptun_loop_test_promille(promille);
		KUNIT_EXPECT_GE(test, promille, want[i].least);
		KUNIT_EXPECT_LE(test, promille, want[i].most);
	}
	/* a window that is short needs more */
	l.slow = MPTUN_CODE_WHOLE / 20;
	l.burst = MPTUN_CODE_PACKET;
	KUNIT_EXPECT_GT(test, mptun_code_overhead(&l, 8),
			mptun_code_overhead(&l, 64));
}

/* A stream over two paths has the mean of their losses. */
static void mptun_loop_test_mix(struct kunit *test)
{
	struct mptun_code_loss paths[2] = {}, l = {};
	u32 i, promille;

	paths[1].slow = MPTUN_CODE_WHOLE / 10;
	paths[1].burst = 3 * MPTUN_CODE_PACKET;
	for (i = 0; i < 500; i++)
		mptun_code_loss_mix(&l, &paths[i % 2]);
	promille = mptun_loop_test_promille(mptun_code_loss_now(&l));
	KUNIT_EXPECT_GE(test, promille, 45U);
	KUNIT_EXPECT_LE(test, promille, 55U);
	KUNIT_EXPECT_EQ(test, l.burst, paths[1].burst);
}

static struct kunit_case mptun_loop_cases[] = {
	KUNIT_CASE(mptun_loop_test_clean),
	KUNIT_CASE(mptun_loop_test_step),
	KUNIT_CASE(mptun_loop_test_light),
	KUNIT_CASE(mptun_loop_test_spurious),
	KUNIT_CASE(mptun_loop_test_burst),
	KUNIT_CASE(mptun_loop_test_overhead),
	KUNIT_CASE(mptun_loop_test_mix),
	{}
};

static struct kunit_suite mptun_loop_suite = {
	.name = "mptun_loop",
	.test_cases = mptun_loop_cases,
};

kunit_test_suite(mptun_loop_suite);
