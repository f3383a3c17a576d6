// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the encoder: how many symbols there are, of which packets, and what
 * they are.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "test/code/frame.h"

#define MPTUN_ENCODER_TEST_FIRST	0xffffff80U

/* Parts of 1000 as an overhead. */
static u32 mptun_encoder_test_rate(u32 promille)
{
	return promille * MPTUN_ENCODER_ONE / 1000;
}

static struct mptun_code_test *mptun_encoder_test_new(struct kunit *test,
						      u32 promille)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);

	mptun_code_test_most = 40;
	mptun_encoder_set(&t->e, mptun_encoder_test_rate(promille), 64,
			  MPTUN_ENCODER_DENSE);
	return t;
}

/* Sends packets, and takes what is due.  Returns the number of symbols. */
static u32 mptun_encoder_test_run(struct mptun_code_test *t, u32 dsn, u32 n)
{
	u32 before = t->symbols;

	while (n--) {
		t->wrong += mptun_code_test_send(t, dsn++) != 0;
		while (mptun_code_test_take(t))
			;
	}
	return t->symbols - before;
}

/* As many symbols as the overhead says, each of the last 64 packets. */
static void mptun_encoder_test_overhead(struct kunit *test)
{
	static const u32 rates[] = { 10, 20, 65, 125, 133, 267, 333, 500 };
	u32 i, n, wrong = 0, dsn;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct mptun_code_test *t = mptun_encoder_test_new(test,
								   rates[i]);

		dsn = MPTUN_ENCODER_TEST_FIRST;
		for (n = 1; n <= 1000; n++, dsn++) {
			mptun_code_test_send(t, dsn);
			if (!mptun_code_test_take(t))
				continue;
			wrong += t->last != dsn;
			wrong += t->window.members != min(n, 64U);
			wrong += t->window.map[1] != 0;
			wrong += mptun_code_test_take(t);
		}
		wrong += t->wrong;
		/* an overhead is rounded down to 1/65536 */
		KUNIT_EXPECT_GE(test, t->symbols, rates[i] - 1);
		KUNIT_EXPECT_LE(test, t->symbols, rates[i]);
		KUNIT_EXPECT_LE(test, t->e.dropped, 1000 / 64ULL + 1);
		mptun_code_test_end(t);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* Symbols are sums of packets times coefficients, whatever their lengths. */
static void mptun_encoder_test_sum(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 133);
	struct mptun_code_test *want = mptun_encoder_test_new(test, 0);
	u32 n, dsn = 0xfffffff0, wrong = 0;

	mptun_code_test_most = MPTUN_CODE_TEST_LEN;
	for (n = 0; n < 200; n++, dsn += 1 + n % 3) {
		mptun_code_test_send(t, dsn);
		if (!mptun_code_test_take(t))
			continue;
		mptun_code_test_sum(want, t->last, t->window.map[0],
				    t->window.map[1], t->window.seed);
		wrong += t->window.len != want->window.len;
		wrong += !!memcmp(t->window.data, want->window.data,
				  t->window.len);
	}
	KUNIT_EXPECT_EQ(test, wrong + t->wrong, 0U);
	KUNIT_EXPECT_GE(test, t->symbols, 26U);
	KUNIT_EXPECT_GT(test, mptun_encoder_longest(&t->e),
			(unsigned int)sizeof(struct mptun_symbol));
	KUNIT_EXPECT_LE(test, mptun_encoder_longest(&t->e),
			(unsigned int)sizeof(struct mptun_symbol) +
			MPTUN_CODE_TEST_LEN);
	mptun_encoder_reset(&t->e);
	KUNIT_EXPECT_EQ(test, mptun_encoder_longest(&t->e), 0U);
	mptun_code_test_end(t);
	mptun_code_test_end(want);
}

/* A change counts at once, in both directions. */
static void mptun_encoder_test_change(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 50);
	u32 one = MPTUN_ENCODER_DENSE, n;

	n = mptun_encoder_test_run(t, 0, 200);
	KUNIT_EXPECT_EQ(test, n, 9U);
	mptun_encoder_set(&t->e, mptun_encoder_test_rate(250), 64, one);
	n = mptun_encoder_test_run(t, 200, 20);
	KUNIT_EXPECT_GE(test, n, 5U);
	KUNIT_EXPECT_LE(test, n, 6U);
	KUNIT_EXPECT_GE(test, t->window.members, 16U);
	n = mptun_encoder_test_run(t, 220, 80);
	KUNIT_EXPECT_EQ(test, n, 20U);
	KUNIT_EXPECT_EQ(test, t->window.members, 64U);
	mptun_encoder_set(&t->e, mptun_encoder_test_rate(20), 64, one);
	n = mptun_encoder_test_run(t, 300, 1);
	KUNIT_EXPECT_LE(test, t->e.open, 3U);
	n += mptun_encoder_test_run(t, 301, 49);
	KUNIT_EXPECT_LE(test, n, 2U);
	mptun_encoder_set(&t->e, 0, 64, one);
	KUNIT_EXPECT_EQ(test, t->e.open, 0U);
	KUNIT_EXPECT_EQ(test, mptun_encoder_test_run(t, 350, 100), 0U);
	mptun_encoder_set(&t->e, mptun_encoder_test_rate(100), 64, one);
	n = mptun_encoder_test_run(t, 450, 101);
	KUNIT_EXPECT_GE(test, n, 10U);
	/* a shorter window is one of fewer packets at once */
	mptun_encoder_set(&t->e, mptun_encoder_test_rate(100), 8, one);
	n = mptun_encoder_test_run(t, 551, 101);
	KUNIT_EXPECT_GE(test, n, 10U);
	KUNIT_EXPECT_EQ(test, t->window.members, 8U);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_code_test_end(t);
}

/* Dsns of others between those that are coded. */
static void mptun_encoder_test_gaps(struct kunit *test)
{
	static const u32 steps[] = { 2, 3, 10, 100, 127, 128, 1000 };
	u32 i, n, wrong, most;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		struct mptun_code_test *t = mptun_encoder_test_new(test, 200);
		u32 dsn = MPTUN_ENCODER_TEST_FIRST, members = 0;

		most = min(127 / steps[i] + 1, 64U);
		for (n = 0, wrong = 0; n < 500; n++, dsn += steps[i]) {
			mptun_code_test_send(t, dsn);
			while (mptun_code_test_take(t)) {
				wrong += t->last != dsn;
				members = t->window.members;
				wrong += members > most;
				wrong += n > 300 && members < most;
			}
		}
		KUNIT_EXPECT_EQ(test, wrong + t->wrong, 0U);
		KUNIT_EXPECT_GE(test, t->symbols, 98U);
		KUNIT_EXPECT_LE(test, t->symbols, 100U);
		mptun_code_test_end(t);
	}
}

/* The end of each burst is protected, and the overhead does not grow by it. */
static void mptun_encoder_test_bursts(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 133);
	u32 dsn = 0, sent = 0, n, wrong = 0, tails = 0;

	for (n = 0; n < 100; n++) {
		u32 burst = 1 + n * 7 % 40;

		mptun_encoder_test_run(t, dsn, burst);
		dsn += burst;
		sent += burst;
		KUNIT_EXPECT_EQ(test, t->e.deadline, MPTUN_CODE_TEST_NS);
		mptun_encoder_finish(&t->e);
		KUNIT_EXPECT_EQ(test, t->e.deadline, U64_MAX);
		if (mptun_code_test_take(t)) {
			wrong += t->last != dsn - 1;
			tails++;
		} else {
			/* the last one is to be paid for */
			wrong += t->e.credit >= 0;
		}
		wrong += mptun_code_test_take(t);
		wrong += t->symbols * 1000 > sent * 133 + 1000;
	}
	KUNIT_EXPECT_EQ(test, wrong + t->wrong, 0U);
	KUNIT_EXPECT_GE(test, tails, 60U);
	KUNIT_EXPECT_GE(test, t->symbols * 1000, sent * 133 - 1000);
	mptun_code_test_end(t);
}

/* Also where symbols are due less often than once in a window. */
static void mptun_encoder_test_spare(struct kunit *test)
{
	u32 n;

	for (n = 1; n < 150; n++) {
		struct mptun_code_test *t = mptun_encoder_test_new(test, 5);

		KUNIT_EXPECT_EQ(test, mptun_encoder_test_run(t, 0, n), 0U);
		KUNIT_EXPECT_FALSE(test, mptun_encoder_ready(&t->e));
		mptun_encoder_finish(&t->e);
		KUNIT_EXPECT_TRUE(test, mptun_code_test_take(t));
		KUNIT_EXPECT_EQ(test, t->last, n - 1);
		KUNIT_EXPECT_LE(test, t->window.members, min(n, 64U));
		KUNIT_EXPECT_FALSE(test, mptun_code_test_take(t));
		mptun_code_test_end(t);
	}
}

/* A symbol that the owner does not take is no burst of symbols later. */
static void mptun_encoder_test_wait(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 250);
	u32 n;

	for (n = 0; n < 1000; n++)
		mptun_code_test_send(t, n);
	for (n = 0; mptun_code_test_take(t); n++)
		KUNIT_EXPECT_LE(test, t->window.members, 64U);
	KUNIT_EXPECT_LE(test, n, 2U);
	KUNIT_EXPECT_GE(test, n, 1U);
	KUNIT_EXPECT_LE(test, mptun_encoder_test_run(t, 1000, 100), 26U);
	mptun_code_test_end(t);
}

/* A share of the packets, of which a map has room for more. */
static void mptun_encoder_test_share(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 250);
	u32 n, members = 0, most = 0;

	mptun_encoder_set(&t->e, MPTUN_ENCODER_ONE / 4, 128,
			  MPTUN_ENCODER_DENSE / 2);
	for (n = 0; n < 1000; n++) {
		mptun_code_test_send(t, n);
		if (!mptun_code_test_take(t))
			continue;
		members += n < 200 ? 0 : t->window.members;
		most = max(most, t->window.members);
	}
	/* 200 of about 62, as no more than 64 are members */
	KUNIT_EXPECT_GE(test, members, 200U * 58);
	KUNIT_EXPECT_EQ(test, most, 64U);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	/* hardly any: symbols of nothing are not sent */
	mptun_encoder_set(&t->e, MPTUN_ENCODER_ONE / 4, 8, 1);
	mptun_encoder_test_run(t, 1000, 2000);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	KUNIT_EXPECT_LT(test, t->symbols, 350U);
	mptun_code_test_end(t);
}

/* A symbol of the longest packets that may be coded on two paths, as far apart
 * as a window is long, fits into the path of the larger one, and leaves no room
 * there.
 */
static void mptun_encoder_test_fits(struct kunit *test)
{
	static const u32 mtus[] = { 548, 1252, 1400, 1428, 1500, 1526, 8972 };
	u32 i, wrong = 0, lens[2], most, len;

	for (i = 0; i < ARRAY_SIZE(mtus) * ARRAY_SIZE(mtus); i++) {
		const u32 pair[] = { mtus[i / ARRAY_SIZE(mtus)],
				     mtus[i % ARRAY_SIZE(mtus)] };
		struct mptun_code_test *t = mptun_encoder_test_new(test, 500);
		struct mptun_code_piece piece = { .data = t->want };
		struct mptun_code_packet p = { .pieces = 1, .piece = &piece };

		for (p.dsn = 0; p.dsn < 2; p.dsn++) {
			len = 0;
			while (mptun_symbol_fits(len + 1, pair[p.dsn]))
				len++;
			lens[p.dsn] = len;
		}
		piece.len = lens[0];
		p.dsn = MPTUN_ENCODER_TEST_FIRST;
		wrong += mptun_encoder_add(&t->e, &p, 0) != 0;
		piece.len = lens[1];
		p.dsn += MPTUN_REPAIR_SPAN - 1;
		wrong += mptun_encoder_add(&t->e, &p, 0) != 0;
		most = min(max(pair[0], pair[1]),
			   MPTUN_FRAG_INNER_MAX + (u32)MPTUN_SYMBOL_HEAD);
		wrong += mptun_encoder_ready(&t->e) != most;
		mptun_code_test_end(t);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static void mptun_encoder_test_refuse(struct kunit *test)
{
	struct mptun_code_test *t = mptun_encoder_test_new(test, 1000);
	static const u8 long_body[MPTUN_CODE_TEST_LEN + 1];
	struct mptun_code_piece piece = { .data = long_body };
	struct mptun_code_packet packet = {
		.dsn = 10,
		.pieces = 1,
		.piece = &piece,
	};

	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), -EMSGSIZE);
	piece.len = sizeof(long_body);
	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, t->e.too_long, 2ULL);
	KUNIT_EXPECT_FALSE(test, mptun_code_test_take(t));
	piece.len--;
	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), 0);
	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), -EINVAL);
	packet.dsn--;
	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), -EINVAL);
	KUNIT_EXPECT_TRUE(test, mptun_code_test_take(t));
	KUNIT_EXPECT_EQ(test, t->window.len, 1506U);
	KUNIT_EXPECT_FALSE(test, mptun_code_test_take(t));
	mptun_encoder_reset(&t->e);
	KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &packet, 0), 0);
	mptun_code_test_end(t);
}

static void mptun_encoder_test_no_memory(struct kunit *test)
{
	const struct mptun_encoder_config config = {
		.field = &mptun_field_portable,
		.len = 100,
		.sums = 3,
	};
	struct mptun_encoder e;
	u32 n;

	mptun_code_test_memory(test);
	for (n = 1; n <= 2; n++) {
		mptun_code_test_fails = n;
		KUNIT_EXPECT_EQ(test, mptun_encoder_init(&e, &config,
							 GFP_KERNEL),
				-ENOMEM);
	}
	mptun_code_test_fails = 3;
	KUNIT_EXPECT_EQ(test, mptun_encoder_init(&e, &config, GFP_KERNEL), 0);
	mptun_encoder_destroy(&e);
}

static struct kunit_case mptun_encoder_cases[] = {
	KUNIT_CASE(mptun_encoder_test_overhead),
	KUNIT_CASE(mptun_encoder_test_sum),
	KUNIT_CASE(mptun_encoder_test_change),
	KUNIT_CASE(mptun_encoder_test_gaps),
	KUNIT_CASE(mptun_encoder_test_bursts),
	KUNIT_CASE(mptun_encoder_test_spare),
	KUNIT_CASE(mptun_encoder_test_wait),
	KUNIT_CASE(mptun_encoder_test_share),
	KUNIT_CASE(mptun_encoder_test_fits),
	KUNIT_CASE(mptun_encoder_test_refuse),
	KUNIT_CASE(mptun_encoder_test_no_memory),
	{}
};

static struct kunit_suite mptun_encoder_suite = {
	.name = "mptun_code_encoder",
	.test_cases = mptun_encoder_cases,
};

kunit_test_suite(mptun_encoder_suite);
