// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the replay windows.
 */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/vmalloc.h>

#include "base/pool.h"
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
	mptun_replay_grow(w, map, 2 * w->words);
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

/**
 * struct mptun_replay_flow - a counter whose numbers arrive in a window
 * @space: the window
 * @rate: rate of the counter
 * @next: next number
 * @now: time in ns
 * @refused: new numbers that were refused
 */
struct mptun_replay_flow {
	struct mptun_replay_space space;
	struct mptun_replay_rate rate;
	u64 next;
	u64 now;
	u64 refused;
};

static struct mptun_replay_flow *mptun_replay_test_flow(struct kunit *test)
{
	struct mptun_replay_flow *f = kunit_kzalloc(test, sizeof(*f),
						    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	mptun_replay_start(&f->space);
	mptun_replay_rate_init(&f->rate);
	f->now = NSEC_PER_SEC;
	return f;
}

/* Sends at a rate for a time.  One number of 100 arrives @late numbers later
 * than its successors, and then once more.
 */
static void mptun_replay_test_send(struct kunit *test,
				   struct mptun_replay_flow *f, u64 rate,
				   u64 ms, u64 late)
{
	u64 gap = div64_u64(NSEC_PER_SEC, rate);
	u64 n = div64_u64(rate * ms, MSEC_PER_SEC), i, number;
	u32 phase;

	for (i = 0, phase = 0; i < n; i++, f->next++, f->now += gap) {
		if (phase++ < 99 || !late) {
			f->refused += !mptun_replay_take(&f->space, &f->rate,
							 f->next, f->now);
			continue;
		}
		phase = 0;
		if (i < late)
			continue;
		number = f->next - late;
		f->refused += !mptun_replay_take(&f->space, &f->rate, number,
						 f->now);
		KUNIT_EXPECT_FALSE(test, mptun_replay_check(&f->space.window,
							    number));
	}
}

static u32 mptun_replay_test_bits(const struct mptun_replay_flow *f)
{
	return f->space.window.words * MPTUN_REPLAY_WORD_BITS;
}

/* The window covers 500 ms of a fast path; a slow one keeps a small window. */
static void mptun_replay_test_follow(struct kunit *test)
{
	struct mptun_replay_flow *f = mptun_replay_test_flow(test);

	mptun_replay_test_send(test, f, 4000, 2000, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), MPTUN_REPLAY_BITS);
	mptun_replay_test_send(test, f, 100000, 2000, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), 65536U);
	/* Faster than that it keeps its largest size. */
	mptun_replay_test_send(test, f, 4000000, 150, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), MPTUN_REPLAY_BITS_MAX);
	mptun_replay_test_send(test, f, 100, 2000, 0);
	KUNIT_EXPECT_EQ(test, f->refused, 0ULL);
	mptun_replay_start(&f->space);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), MPTUN_REPLAY_BITS);
	KUNIT_EXPECT_NULL(test, f->space.grown);
}

/* 10 Gbit/s of full packets, of which some are late by 250 ms. */
static void mptun_replay_test_fast(struct kunit *test)
{
	struct mptun_replay_flow *f = mptun_replay_test_flow(test);

	mptun_replay_test_send(test, f, 833333, 500, 0);
	mptun_replay_test_send(test, f, 833333, 400, 208200);
	KUNIT_EXPECT_EQ(test, f->refused, 0ULL);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), MPTUN_REPLAY_BITS_MAX);
	mptun_replay_free(&f->space);
}

/* Windows of a pool grow while it has room, by its order of asking. */
static void mptun_replay_test_pool(struct kunit *test)
{
	struct mptun_replay_flow *f = mptun_replay_test_flow(test);
	struct mptun_replay_flow *other = mptun_replay_test_flow(test);
	const long bytes = 65536 / BITS_PER_BYTE;
	struct mptun_pool pool;

	/* as much as one window takes, and less than two of any size */
	mptun_pool_init(&pool, NULL, bytes + 511);
	mptun_replay_limit(&f->space, &pool);
	mptun_replay_limit(&other->space, &pool);
	mptun_replay_test_send(test, f, 4000, 1000, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	mptun_replay_test_send(test, f, 100000, 2000, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(f), 65536U);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), bytes);

	/* the other one works as well, with a small window */
	mptun_replay_test_send(test, other, 100000, 2000, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(other), MPTUN_REPLAY_BITS);
	KUNIT_EXPECT_NULL(test, other->space.grown);
	KUNIT_EXPECT_EQ(test, other->refused, 0ULL);
	KUNIT_EXPECT_FALSE(test, mptun_replay_take(&other->space, &other->rate,
						   other->next - 1,
						   other->now));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), bytes);

	/* and grows when the first one has given back its own */
	mptun_replay_start(&f->space);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
	mptun_replay_test_send(test, other, 100000, 100, 0);
	KUNIT_EXPECT_EQ(test, mptun_replay_test_bits(other), 65536U);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), bytes);
	mptun_replay_free(&other->space);
	mptun_replay_free(&other->space);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&pool.bytes), 0L);
}

#define MPTUN_REPLAY_TEST_PATHS	64

/**
 * struct mptun_replay_paths - control packets of paths that share a counter
 * @path: windows of the paths
 * @none: window of what belongs to no path
 * @rate: rate of the counter
 */
struct mptun_replay_paths {
	struct mptun_replay_space path[MPTUN_REPLAY_TEST_PATHS];
	struct mptun_replay_space none;
	struct mptun_replay_rate rate;
};

/* Takes the report that each path sent at a time.  Returns those refused. */
static u32 mptun_replay_test_report(struct mptun_replay_paths *t, u32 sent_ms,
				    u32 now_ms)
{
	u32 i, refused = 0;

	for (i = 0; i < MPTUN_REPLAY_TEST_PATHS; i++)
		refused += !mptun_replay_take(&t->path[i], &t->rate,
					      sent_ms * MPTUN_REPLAY_TEST_PATHS
					      + i, now_ms *
					      (u64)NSEC_PER_MSEC);
	return refused;
}

/* All paths send a report per ms, of which every third one is late by 100 ms:
 * 6400 numbers of the counter, and 100 of the path.
 */
static void mptun_replay_test_paths(struct kunit *test)
{
	struct mptun_replay_paths *t = vzalloc(sizeof(*t));
	u32 i, ms, sum, refused = 0;

	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_replay_rate_init(&t->rate);
	mptun_replay_start(&t->none);
	for (i = 0; i < MPTUN_REPLAY_TEST_PATHS; i++)
		mptun_replay_start(&t->path[i]);
	for (ms = 1000; ms < 2000; ms++) {
		sum = 0;
		if (ms % 3)
			sum += mptun_replay_test_report(t, ms, ms);
		if (ms >= 1100 && (ms - 100) % 3 == 0)
			sum += mptun_replay_test_report(t, ms - 100, ms);
		/* the rate is not known at once */
		if (ms >= 1200)
			refused += sum;
	}
	KUNIT_EXPECT_EQ(test, refused, 0U);
	/* each once */
	KUNIT_EXPECT_EQ(test, mptun_replay_test_report(t, 1990, 2000),
			MPTUN_REPLAY_TEST_PATHS);

	/* Probes of two new paths, one of which is slower by 300 ms. */
	KUNIT_EXPECT_TRUE(test, mptun_replay_take(&t->none, &t->rate,
						  2000 * 64, 2000000000ULL));
	KUNIT_EXPECT_TRUE(test, mptun_replay_take(&t->none, &t->rate,
						  1700 * 64, 2000000000ULL));
	KUNIT_EXPECT_FALSE(test, mptun_replay_take(&t->none, &t->rate,
						   1700 * 64, 2000000000ULL));

	for (i = 0; i < MPTUN_REPLAY_TEST_PATHS; i++)
		mptun_replay_free(&t->path[i]);
	mptun_replay_free(&t->none);
	vfree(t);
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

/* A window begins with the intended size. */
static void mptun_replay_test_size(struct kunit *test)
{
	struct mptun_replay_space s = {};

	mptun_replay_start(&s);
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&s.window, 5000));
	KUNIT_EXPECT_TRUE(test, mptun_replay_update(&s.window, 3017));
	KUNIT_EXPECT_FALSE(test, mptun_replay_update(&s.window, 3016));
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
	struct mptun_replay_test *t = mptun_replay_test_new(test, 0);
	struct mptun_replay *w = &t->window;
	u64 jump = 1ULL << 40;
	int i;

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
	struct mptun_replay_space s = {};
	struct mptun_replay *w = &s.window;
	int i;

	mptun_replay_start(&s);
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

/* A window that continues another one, smaller or larger, takes what that has
 * not taken, and once.
 */
static void mptun_replay_test_continue(struct kunit *test)
{
	static const u32 tops[] = { 0, 1, 62, 63, 64, 127, 128, 5000 };
	static const unsigned int bits[] = { 128, 256, 1024 };
	u64 map[1024 / MPTUN_REPLAY_WORD_BITS];
	u64 from_map[MPTUN_REPLAY_TEST_BITS / MPTUN_REPLAY_WORD_BITS];
	struct mptun_replay w, from;
	unsigned int i, k;
	u32 number;
	bool want;

	for (i = 0; i < ARRAY_SIZE(tops) * ARRAY_SIZE(bits); i++) {
		k = i % ARRAY_SIZE(bits);
		mptun_replay_init(&from, from_map, MPTUN_REPLAY_TEST_BITS);
		mptun_replay_init(&w, map, bits[k]);
		/* every third one is missing */
		for (number = 0; number <= tops[i / ARRAY_SIZE(bits)]; number++)
			if (number % 3 != 1)
				mptun_replay_update(&from, number);
		mptun_replay_continue(&w, &from);
		KUNIT_EXPECT_EQ(test, w.next, from.next);
		for (number = 0; number < from.next; number++) {
			/* what it covers, and the other one has known */
			want = number % 3 == 1 &&
			       from.next - number <=
			       bits[k] - MPTUN_REPLAY_WORD_BITS &&
			       (from.next - 1) / MPTUN_REPLAY_WORD_BITS -
			       number / MPTUN_REPLAY_WORD_BITS < from.words;
			KUNIT_EXPECT_EQ(test, mptun_replay_update(&w, number),
					want);
		}
		for (number = 0; number < from.next + 3; number++)
			KUNIT_EXPECT_EQ(test, mptun_replay_update(&w, number),
					number >= from.next);
	}
}

static struct kunit_case mptun_replay_cases[] = {
	KUNIT_CASE(mptun_replay_test_continue),
	KUNIT_CASE(mptun_replay_test_order),
	KUNIT_CASE(mptun_replay_test_grow),
	KUNIT_CASE(mptun_replay_test_follow),
	KUNIT_CASE(mptun_replay_test_fast),
	KUNIT_CASE(mptun_replay_test_pool),
	KUNIT_CASE(mptun_replay_test_paths),
	KUNIT_CASE(mptun_replay_test_check),
	KUNIT_CASE(mptun_replay_test_jump),
	KUNIT_CASE(mptun_replay_test_ends),
	KUNIT_CASE(mptun_replay_test_random),
	KUNIT_CASE(mptun_replay_test_size),
	KUNIT_CASE(mptun_replay_test_credit),
	KUNIT_CASE(mptun_replay_test_lag),
	{}
};

static struct kunit_suite mptun_replay_suite = {
	.name = "mptun_replay",
	.test_cases = mptun_replay_cases,
};

kunit_test_suite(mptun_replay_suite);
