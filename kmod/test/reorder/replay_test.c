// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the replay windows.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "reorder/replay.h"

#define MPTUN_REPLAY_TEST_BITS	256
#define MPTUN_REPLAY_TEST_SIZE	(MPTUN_REPLAY_TEST_BITS - 64)

/**
 * struct mptun_replay_test - a window and its expected state
 * @window: the window
 * @map: its bits
 * @base: first number of @seen
 * @seen: numbers accepted so jump
 * @top: the largest of them
 * @any: there is one
 */
struct mptun_replay_test {
	struct mptun_replay window;
	u64 map[MPTUN_REPLAY_TEST_BITS / MPTUN_REPLAY_WORD_BITS];
	u64 base;
	bool seen[65536];
	u64 top;
	bool any;
};

static struct mptun_replay_test *mptun_replay_test_new(struct kunit *test,
						       u64 base)
{
	struct mptun_replay_test *t = kunit_kzalloc(test, sizeof(*t),
						    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_replay_init(&t->window, t->map, MPTUN_REPLAY_TEST_BITS);
	t->base = base;
	return t;
}

/* Checks one number against the definition. */
static void mptun_replay_test_one(struct kunit *test,
				  struct mptun_replay_test *t, u64 number)
{
	bool want = !t->seen[number - t->base];

	if (t->any && number < t->top &&
	    t->top - number >= MPTUN_REPLAY_TEST_SIZE)
		want = false;
	KUNIT_EXPECT_EQ(test, mptun_replay_check(&t->window, number), want);
	KUNIT_EXPECT_EQ(test, mptun_replay_update(&t->window, number), want);
	if (!want)
		return;
	t->seen[number - t->base] = true;
	if (!t->any || number > t->top)
		t->top = number;
	t->any = true;
}

/* A window that grows keeps what it knows. */
static void mptun_replay_test_grow_at(struct kunit *test, u64 *map, u32 top)
{
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);
	struct mptun_replay *w = &t->window;
	u32 n;

	for (n = 0; n < top; n++)
		if (n % 3)
			mptun_replay_update(w, n);
	mptun_replay_grow(w, map);
	KUNIT_EXPECT_EQ(test, w->words, 2 * ARRAY_SIZE(t->map));
	for (n = 0; n < top; n++)
		if (n % 3 || n + MPTUN_REPLAY_TEST_BITS < top)
			KUNIT_EXPECT_FALSE(test, mptun_replay_check(w, n));
		else if (n + MPTUN_REPLAY_TEST_SIZE > top)
			KUNIT_EXPECT_TRUE(test, mptun_replay_check(w, n));
	/* and then covers twice as much */
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, top + 300));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, top + 1));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(w, top + 1));
}

/* The same with its largest number at the ends of words and of the bitmap. */
static void mptun_replay_test_grow(struct kunit *test)
{
	static const u64 tops[] = { 0, 1, 63, 64, 65, 250, 1000, 5000, 5063 };
	u64 *map;
	u32 i;

	map = kunit_kzalloc(test, MPTUN_REPLAY_TEST_BITS / 4, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, map);
	for (i = 0; i < ARRAY_SIZE(tops); i++)
		mptun_replay_test_grow_at(test, map, tops[i]);
}

/* The window covers 250 ms of a fast path; a slow one keeps a small window. */
static void mptun_replay_test_follow(struct kunit *test)
{
	struct mptun_replay_data *d = kunit_kzalloc(test, sizeof(*d),
						    GFP_KERNEL);
	u64 n, now;

	KUNIT_ASSERT_NOT_NULL(test, d);
	mptun_replay_data_start(d);
	/* 8000 packets per second */
	for (n = 0, now = 0; n < 20000; n++, now += 125 * NSEC_PER_USEC) {
		mptun_replay_update(&d->window, n);
		mptun_replay_data_follow(d, now);
	}
	KUNIT_EXPECT_EQ(test, d->window.words * 64, MPTUN_REPLAY_DATA_BITS);
	/* 100,000: 25,000 in 250 ms */
	for (; n < 200000; n++, now += 10 * NSEC_PER_USEC) {
		if (n != 175000)
			mptun_replay_update(&d->window, n);
		mptun_replay_data_follow(d, now);
	}
	KUNIT_EXPECT_EQ(test, d->window.words * 64, 32768U);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&d->window, 175000));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&d->window, 175000));
	/* Faster than that it keeps its largest size. */
	for (; n < 600000; n++, now += NSEC_PER_USEC) {
		mptun_replay_update(&d->window, n);
		mptun_replay_data_follow(d, now);
	}
	KUNIT_EXPECT_EQ(test, d->window.words * 64, MPTUN_REPLAY_DATA_BITS_MAX);
	mptun_replay_data_start(d);
	KUNIT_EXPECT_EQ(test, d->window.words * 64, MPTUN_REPLAY_DATA_BITS);
	KUNIT_EXPECT_NULL(test, d->grown);
}

static void mptun_replay_test_order(struct kunit *test)
{
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);
	u32 i;

	for (i = 0; i < 1000; i++) {
		mptun_replay_test_one(test, t, i);
		mptun_replay_test_one(test, t, i);
	}
	/* the oldest number of the window and the one below it */
	mptun_replay_init(&t->window, t->map, MPTUN_REPLAY_TEST_BITS);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, 1000));
	KUNIT_EXPECT_FALSE(test,
			   mptun_replay_update(&t->window,
					       1000 - MPTUN_REPLAY_TEST_SIZE));
	KUNIT_EXPECT_TRUE(test,
			  mptun_replay_update(&t->window,
					      1001 - MPTUN_REPLAY_TEST_SIZE));
}

/* A check changes nothing: packets may be forged. */
static void mptun_replay_test_check(struct kunit *test)
{
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);

	KUNIT_EXPECT_TRUE(test, mptun_replay_check(&t->window, 1ULL << 47));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, 7));
	KUNIT_EXPECT_TRUE(test, mptun_replay_check(&t->window, 1ULL << 47));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, 6));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&t->window, 7));
}

/* A jump of any size clears exactly what it skips. */
static void mptun_replay_test_jump(struct kunit *test)
{
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);
	u32 jump, i;

	for (jump = 1; jump < 600; jump += jump < 70 ? 1 : 13) {
		memset(t, 0, sizeof(*t));
		mptun_replay_init(&t->window, t->map, MPTUN_REPLAY_TEST_BITS);
		for (i = 0; i < 300; i++)
			mptun_replay_test_one(test, t, i);
		mptun_replay_test_one(test, t, 299 + jump);
		for (i = 0; i < 900; i++)
			mptun_replay_test_one(test, t, i);
	}
}

static void mptun_replay_test_ends(struct kunit *test)
{
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);

	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, 0));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&t->window, 0));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, U64_MAX - 2));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&t->window, U64_MAX));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&t->window, U64_MAX - 1));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&t->window, U64_MAX - 1));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&t->window, 1));
}

static void mptun_replay_test_random(struct kunit *test)
{
	struct mptun_replay_test *t;
	struct rnd_state rnd;
	u32 i, at = 300;
	u64 base = 0xffffff00ULL;

	prandom_seed_state(&rnd, 1);
	t = mptun_replay_test_new(test, base);
	for (i = 0; i < 100000 && at < 65000; i++) {
		u32 dice = prandom_u32_state(&rnd);

		switch (dice % 16) {
		case 0:
			at += prandom_u32_state(&rnd) % 5;
			break;
		case 1:
			if (dice & 0x1000)
				at += prandom_u32_state(&rnd) % 100;
			break;
		}
		mptun_replay_test_one(test, t, base + at -
				      prandom_u32_state(&rnd) % 280);
	}
	KUNIT_EXPECT_GE(test, at, 20000U);
}

/* The windows of a path have the intended sizes. */
static void mptun_replay_test_sizes(struct kunit *test)
{
	struct mptun_replay_control c;
	struct mptun_replay_data *d;

	d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, d);
	mptun_replay_init(&d->window, d->map, MPTUN_REPLAY_DATA_BITS);
	mptun_replay_init(&c.window, c.map, MPTUN_REPLAY_CONTROL_BITS);

	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&d->window, 5000));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&d->window, 3017));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&d->window, 3016));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&c.window, 5000));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&c.window, 4809));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&c.window, 4808));
}

static void mptun_replay_test_credits(struct kunit *test,
				      struct mptun_replay *w, u64 number,
				      enum mptun_replay_credit credit)
{
	KUNIT_EXPECT_EQ(test, mptun_replay_filter(w, number), credit);
}

/* A distant number is accepted once its successors confirm it. */
static void mptun_replay_test_credit(struct kunit *test)
{
	struct mptun_replay_control c;
	struct mptun_replay *w = &c.window;
	u64 jump = 1ULL << 40;
	int i;

	mptun_replay_init(w, c.map, MPTUN_REPLAY_CONTROL_BITS);
	mptun_replay_test_credits(test, w, 5000, MPTUN_REPLAY_TAKE);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 5000));
	mptun_replay_test_credits(test, w, 5256, MPTUN_REPLAY_TAKE);
	mptun_replay_test_credits(test, w, 5257, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, 4745, MPTUN_REPLAY_TAKE);
	mptun_replay_test_credits(test, w, 4744, MPTUN_REPLAY_DROP);
	for (i = 0; i < MPTUN_REPLAY_JUMPS - 1; i++)
		mptun_replay_test_credits(test, w, jump + i, MPTUN_REPLAY_DROP);
	/* a close one in between, or the same again, restarts the count */
	mptun_replay_test_credits(test, w, 4999, MPTUN_REPLAY_TAKE);
	mptun_replay_test_credits(test, w, jump + i, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, jump + i, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, jump + i + 1, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, jump + i + 2, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, jump + i + 3, MPTUN_REPLAY_RESTART);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, jump + i + 3));
	mptun_replay_test_credits(test, w, U64_MAX, MPTUN_REPLAY_DROP);
	/* and back to the genuine ones */
	for (i = 0; i < MPTUN_REPLAY_JUMPS - 1; i++)
		mptun_replay_test_credits(test, w, 5001 + i, MPTUN_REPLAY_DROP);
	mptun_replay_test_credits(test, w, 5001 + i, MPTUN_REPLAY_RESTART);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 5001 + i));
	mptun_replay_test_credits(test, w, 5002 + i, MPTUN_REPLAY_TAKE);
}

/* Damaged numbers pushed the window ahead; genuine ones are still within it. */
static void mptun_replay_test_lag(struct kunit *test)
{
	struct mptun_replay_data d;
	struct mptun_replay *w = &d.window;
	int i;

	mptun_replay_init(w, d.map, MPTUN_REPLAY_DATA_BITS);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 4999));
	/* this much reordering is normal */
	for (i = 0; i < 10; i++)
		mptun_replay_test_credits(test, w, 5000 - MPTUN_REPLAY_LAG + i,
					  MPTUN_REPLAY_TAKE);
	/* repeated numbers do not count */
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 4500 + i));
	for (i = 0; i < 10; i++)
		mptun_replay_test_credits(test, w, 4500 + i, MPTUN_REPLAY_TAKE);
	/* nor late ones among newer ones */
	for (i = 0; i < 10; i++) {
		mptun_replay_test_credits(test, w, 4600 + i, MPTUN_REPLAY_TAKE);
		KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 4600 + i));
		mptun_replay_test_credits(test, w, 5000 + i, MPTUN_REPLAY_TAKE);
		KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 5000 + i));
	}
	/* but consecutive ones do, each received for the first time */
	for (i = 0; i < MPTUN_REPLAY_JUMPS - 1; i++) {
		mptun_replay_test_credits(test, w, 4700 + i, MPTUN_REPLAY_TAKE);
		KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 4700 + i));
	}
	mptun_replay_test_credits(test, w, 4700 + i, MPTUN_REPLAY_RESTART);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(w, 4700 + i));
	KUNIT_EXPECT_EQ(test, w->next, 4701ULL + i);
}

/* What is below the number with which a window begins counts as received. */
static void mptun_replay_test_begin(struct kunit *test)
{
	static const u64 begins[] = { 0, 1, 62, 63, 64, 127, 128, 5000 };
	u64 map[MPTUN_REPLAY_CONTROL_BITS / MPTUN_REPLAY_WORD_BITS];
	struct mptun_replay w;
	unsigned int i;
	u64 n, number;

	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		number = begins[i];
		mptun_replay_init(&w, map, MPTUN_REPLAY_CONTROL_BITS);
		mptun_replay_begin(&w, number);
		for (n = number > 300 ? number - 300 : 0; n <= number; n++)
			KUNIT_EXPECT_FALSE(test, mptun_replay_update(&w, n));
		/* what follows, out of order and across words */
		for (n = number + 200; n > number; n--)
			KUNIT_EXPECT_EQ(test, mptun_replay_update(&w, n),
					n + 192 > number + 200);
		for (n = number; n <= number + 200; n++)
			KUNIT_EXPECT_FALSE(test, mptun_replay_update(&w, n));
	}
}

static struct kunit_case mptun_replay_cases[] = {
	KUNIT_CASE(mptun_replay_test_begin),
	KUNIT_CASE(mptun_replay_test_order),
	KUNIT_CASE(mptun_replay_test_grow),
	KUNIT_CASE(mptun_replay_test_follow),
	KUNIT_CASE(mptun_replay_test_check),
	KUNIT_CASE(mptun_replay_test_jump),
	KUNIT_CASE(mptun_replay_test_ends),
	KUNIT_CASE(mptun_replay_test_random),
	KUNIT_CASE(mptun_replay_test_sizes),
	KUNIT_CASE(mptun_replay_test_credit),
	KUNIT_CASE(mptun_replay_test_lag),
	{}
};

static struct kunit_suite mptun_replay_suite = {
	.name = "mptun_replay",
	.test_cases = mptun_replay_cases,
};

kunit_test_suite(mptun_replay_suite);
