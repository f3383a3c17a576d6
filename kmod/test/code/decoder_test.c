// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the decoder: packets come back, and only those that were sent.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "test/code/frame.h"

#define MPTUN_DECODER_TEST_FIRST	0xffffffa0U

/* Packets arrive, except those of which bit n, for the first plus n, is set. */
static void mptun_decoder_test_arrive(struct mptun_code_test *t, u32 dsn,
				      u32 n, u64 lost)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (i >= 64 || !(lost >> i & 1))
			mptun_code_test_arrive(t, dsn + i);
}

/* What must hold after anything. */
static void mptun_decoder_test_check(struct kunit *test,
				     struct mptun_code_test *t)
{
	struct mptun_equations *s = &t->d.equations;
	u32 i, n, col, wrong = 0, cols = 0;
	u64 used[2] = {};

	wrong += s->rows > s->size;
	for (n = 0; n < s->rows; n++) {
		struct mptun_equation *row = s->row[n];

		used[0] |= row->cols[0];
		used[1] |= row->cols[1];
		for (col = 0; col < MPTUN_UNKNOWNS; col++)
			wrong += mptun_equation_has(row, col) !=
				 !!row->coef[col];
		wrong += row->pivot != mptun_equations_first(s, row->cols);
		wrong += row->coef[row->pivot] != 1;
		for (i = 0; i < s->rows; i++)
			wrong += i != n && s->row[i]->coef[row->pivot];
		wrong += row->len > s->len ||
			 memchr_inv(row->data + row->len, 0,
				    s->len - row->len);
	}
	wrong += memcmp(used, s->used, sizeof(used)) != 0;
	for (i = 0; i < t->d.slots; i++) {
		col = t->d.slot[i].col;
		if (col == MPTUN_UNKNOWN_NONE)
			continue;
		cols++;
		wrong += t->d.slot[i].known ||
			 !(used[col / 64] >> (col % 64) & 1) ||
			 (s->dsn[col] & (t->d.slots - 1)) != i;
	}
	wrong += cols != hweight64(used[0]) + hweight64(used[1]);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* A packet of each length, lost beside others of any length. */
static void mptun_decoder_test_lengths(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 dsn = MPTUN_DECODER_TEST_FIRST, n;

	for (n = 0; n < MPTUN_CODE_TEST_LEN; n++, dsn += 4) {
		mptun_decoder_test_arrive(t, dsn, 4, BIT_ULL(n % 4));
		mptun_code_test_sum(t, dsn + 3, 0xf, 0, n);
		KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
		KUNIT_EXPECT_EQ(test, t->dsn, dsn + n % 4);
	}
	KUNIT_EXPECT_EQ(test, t->decoded, MPTUN_CODE_TEST_LEN);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_code_test_end(t);
}

/* As many losses as symbols, at any places of a window. */
static void mptun_decoder_test_losses(struct kunit *test)
{
	u32 dsn = MPTUN_DECODER_TEST_FIRST, n, i;
	struct mptun_code_test *t = mptun_code_test_new(test, 256);

	for (n = 1; n <= 64; n += 1 + n / 8, dsn += 64) {
		u64 lost = n == 64 ? U64_MAX : BIT_ULL(n) - 1;
		u32 before = t->decoded;

		lost = lost << (n * 5 % 64) | (u64)(n * 5 % 64 ? lost >>
			(64 - n * 5 % 64) : 0);
		mptun_decoder_test_arrive(t, dsn, 64, lost);
		for (i = 0; i < n; i++) {
			mptun_code_test_sum(t, dsn + 63, U64_MAX, 0, i * n);
			KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
			mptun_decoder_test_check(test, t);
		}
		KUNIT_EXPECT_EQ(test, t->decoded, before + n);
		KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	}
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	KUNIT_EXPECT_EQ(test, t->d.stats.given_up, 0ULL);
	mptun_code_test_end(t);
}

/* A packet that arrives late takes the place of a symbol. */
static void mptun_decoder_test_late(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	struct mptun_code_test_packet p;

	mptun_decoder_test_arrive(t, 0, 32, 0x00f0f000);
	mptun_code_test_sum(t, 31, U32_MAX, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	mptun_code_test_sum(t, 31, U32_MAX, 0, 2);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 2U);
	mptun_code_test_arrive(t, 12);
	mptun_decoder_test_check(test, t);
	mptun_code_test_arrive(t, 22);
	mptun_decoder_test_check(test, t);
	mptun_code_test_arrive(t, 23);
	mptun_code_test_arrive(t, 13);
	mptun_code_test_arrive(t, 21);
	KUNIT_EXPECT_EQ(test, t->decoded, 0U);
	mptun_code_test_arrive(t, 14);
	KUNIT_EXPECT_EQ(test, t->decoded, 2U);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	/* decoded, and arrived after all */
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 20), -EEXIST);
	/* a copy that was kept, while the packet was not */
	mptun_code_test_make(&p, t->want, 20);
	p.packet.flags ^= MPTUN_F_REPAIRABLE;
	KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet), -EEXIST);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* Packets in any order, before and after their symbols. */
static void mptun_decoder_test_order(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 dsn, n, i;

	mptun_code_test_most = 100;
	for (n = 0; n < 100; n++) {
		dsn = n * 64;
		/* ahead of all its packets: of a path with less latency */
		for (i = 0; i < 4; i++) {
			mptun_code_test_sum(t, dsn + 63, U64_MAX, 0, n + i);
			KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
		}
		for (i = 0; i < 64; i++)
			if (i % 16 != n % 16)
				mptun_code_test_arrive(t, dsn + (i * 29 + n) %
						       64);
		mptun_decoder_test_check(test, t);
		KUNIT_EXPECT_EQ(test, t->decoded, 4 * (n + 1));
	}
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_code_test_end(t);
}

/* Symbols that give nothing, and cost nothing that stays. */
static void mptun_decoder_test_useless(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);

	mptun_decoder_test_arrive(t, 0, 64, 0x11);
	mptun_code_test_sum(t, 63, 0xffff, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EEXIST);
	mptun_code_test_sum(t, 63, U64_MAX, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	/* replayed */
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EEXIST);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 1U);
	mptun_code_test_sum(t, 63, U64_MAX, 0, 2);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->decoded, 2U);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EEXIST);
	KUNIT_EXPECT_EQ(test, t->d.stats.useless, 3ULL);
	KUNIT_EXPECT_EQ(test, t->d.stats.wrong, 0ULL);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* Beside many packets that are not coded, a symbol is not too far ahead. */
static void mptun_decoder_test_follow(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);

	/* nothing to follow yet */
	mptun_decoder_follow(&t->d, 5);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1000), 0);
	mptun_decoder_follow(&t->d, 999);
	KUNIT_EXPECT_EQ(test, t->d.newest, 1000U);
	mptun_code_test_sum(t, 5000, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -ERANGE);
	mptun_decoder_follow(&t->d, 4990);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->decoded, 1U);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1000), -ESTALE);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* The bounds of what is kept. */
static void mptun_decoder_test_range(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);

	mptun_decoder_test_arrive(t, 0, 1000, 0);
	/* the oldest one kept is 744 */
	mptun_code_test_sum(t, 800, BIT_ULL(56) | 1, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EEXIST);
	mptun_code_test_sum(t, 800, BIT_ULL(57) | 1, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -ESTALE);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 744), -EEXIST);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 743), -ESTALE);
	mptun_code_test_sum(t, 999 + 129, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -ERANGE);
	KUNIT_EXPECT_EQ(test, t->d.newest, 999U);
	mptun_code_test_sum(t, 999 + 128, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->decoded, 1U);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1127 + 255), 0);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1127), -EEXIST);
	KUNIT_EXPECT_EQ(test, t->d.stats.restarts, 0ULL);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1382 + 256), 0);
	KUNIT_EXPECT_EQ(test, t->d.stats.restarts, 1ULL);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 1382 + 255), 0);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* More losses than symbols: the oldest are given up, newer ones decoded. */
static void mptun_decoder_test_give_up(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 n, dsn;

	mptun_code_test_most = 60;
	for (n = 0; n < 200; n++) {
		dsn = n * 16;
		mptun_decoder_test_arrive(t, dsn, 16, 0x7);
		mptun_decoder_test_check(test, t);
		mptun_code_test_sum(t, dsn + 15, 0xffff, 0, 2 * n);
		mptun_code_test_symbol(t);
		mptun_code_test_sum(t, dsn + 15, 0xffff, 0, 2 * n + 1);
		mptun_code_test_symbol(t);
		mptun_decoder_test_check(test, t);
		KUNIT_EXPECT_LE(test, t->d.equations.rows, 34U);
	}
	/* of two equations with three unknowns one in 85 gives one of them */
	KUNIT_EXPECT_LE(test, t->decoded, 20U);
	/* the third one has no equation when the others are given up */
	KUNIT_EXPECT_GE(test, t->d.stats.given_up, 2 * 180ULL);
	n = t->decoded;
	mptun_decoder_test_arrive(t, dsn, 16, 0x3);
	KUNIT_EXPECT_EQ(test, t->decoded, n + 2);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_code_test_end(t);
}

/* The oldest unknown takes its equation along, and what was only in that. */
static void mptun_decoder_test_last_one(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 n;

	mptun_decoder_test_arrive(t, 0, 64, BIT_ULL(0) | BIT_ULL(40));
	mptun_code_test_sum(t, 63, U64_MAX, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	for (n = 64; n < 256; n++)
		mptun_code_test_arrive(t, n);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 1U);
	mptun_decoder_test_check(test, t);
	mptun_code_test_arrive(t, n);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	mptun_decoder_test_check(test, t);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 40), 0);
	KUNIT_EXPECT_EQ(test, t->decoded, 0U);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* More equations than there is room for. */
static void mptun_decoder_test_full(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 n;

	mptun_code_test_most = 60;
	for (n = 0; n < 60; n++) {
		mptun_code_test_sum(t, 63, U64_MAX, 0, n);
		KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
		mptun_code_test_sum(t, 127, U64_MAX, 0, n);
		KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
		mptun_decoder_test_check(test, t);
		KUNIT_EXPECT_LE(test, t->d.equations.rows, 64U);
	}
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 64U);
	/* more unknowns than there is room for: symbols of others */
	mptun_code_test_sum(t, 255, U64_MAX, 0, n);
	mptun_code_test_symbol(t);
	mptun_decoder_test_check(test, t);
	mptun_code_test_sum(t, 191, U64_MAX, 0, n);
	mptun_code_test_symbol(t);
	mptun_decoder_test_check(test, t);
	mptun_decoder_test_arrive(t, 0, 256, 0xff00);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_decoder_test_check(test, t);
	mptun_code_test_end(t);
}

/* More unknowns than there is room for: older ones leave, newer ones stay. */
static void mptun_decoder_test_unknowns(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 n;

	mptun_code_test_most = 60;
	for (n = 0; n < 60; n++) {
		mptun_code_test_sum(t, n % 2 ? 191 : 255, U64_MAX, 0, n);
		KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	}
	KUNIT_EXPECT_EQ(test, t->d.equations.used[0], U64_MAX);
	KUNIT_EXPECT_EQ(test, t->d.equations.used[1], U64_MAX);
	mptun_code_test_sum(t, 127, U64_MAX, 0, n);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -ENOSPC);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 60U);
	KUNIT_EXPECT_EQ(test, t->d.stats.given_up, 0ULL);
	mptun_decoder_test_check(test, t);
	mptun_code_test_sum(t, 319, U64_MAX, 0, n);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->d.stats.given_up, 64ULL);
	mptun_decoder_test_check(test, t);
	KUNIT_EXPECT_EQ(test, t->wrong, 0U);
	mptun_code_test_end(t);
}

/* Contradictions are found where there is redundancy, and nothing comes of
 * them.
 */
static void mptun_decoder_test_wrong(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	struct mptun_decoder_stats *stats = &t->d.stats;
	u32 i;

	/* of one unknown: not the symbol of a packet */
	for (i = 0; i < 6; i++) {
		mptun_decoder_test_arrive(t, 8 * i, 8, 1);
		mptun_code_test_sum(t, 8 * i + 7, 0xff, 0, i);
		t->body[i == 2 || i == 3 ? 0 : i] ^= 0x90;
		if (i == 2 || i == 3)
			continue;
		KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EBADMSG);
	}
	KUNIT_EXPECT_EQ(test, stats->wrong, 4ULL);
	KUNIT_EXPECT_EQ(test, t->decoded, 0U);
	/* of more: the third equation of two unknowns */
	mptun_decoder_test_arrive(t, 100, 8, 3);
	mptun_code_test_sum(t, 107, 0xff, 0, 1);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	mptun_code_test_sum(t, 107, 0xff, 0, 1);
	t->body[t->window.len - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EBADMSG);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	mptun_decoder_test_check(test, t);
	/* shorter than one of its members */
	mptun_code_test_sum(t, 107, 0xff, 0, 1);
	t->window.len -= 1;
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EBADMSG);
	/* and of one that arrives later */
	mptun_decoder_test_arrive(t, 108, 8, 3);
	mptun_code_test_sum(t, 109, 3, 0, 1);
	t->window.len = mptun_code_test_len(108);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, mptun_code_test_arrive(t, 109), -EBADMSG);
	KUNIT_EXPECT_EQ(test, t->d.equations.rows, 0U);
	mptun_decoder_test_check(test, t);
	KUNIT_EXPECT_EQ(test, t->decoded, 0U);
	mptun_code_test_end(t);
}

/* A packet that is not what is known of its dsn. */
static void mptun_decoder_test_other(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	struct mptun_code_test_packet p;
	u32 i;

	mptun_decoder_test_arrive(t, 0, 8, 2);
	mptun_code_test_sum(t, 7, 0xff, 0, 3);
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), 0);
	KUNIT_EXPECT_EQ(test, t->decoded, 1U);
	for (i = 0; i < 3; i++) {
		mptun_code_test_make(&p, t->want, i);
		KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
				-EEXIST);
		t->want[mptun_code_test_len(i) - 1] ^= 1;
		KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
				-EBADMSG);
		t->want[mptun_code_test_len(i) - 1] ^= 1;
		p.packet.prev++;
		KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
				-EBADMSG);
		p.packet.prev--;
		p.piece[2].len++;
		KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
				-EBADMSG);
	}
	/* too long for a slot, or empty */
	p.piece[2].len = MPTUN_CODE_TEST_LEN - p.piece[0].len + 1;
	p.packet.dsn = 100;
	KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
			-EMSGSIZE);
	p.packet.pieces = 0;
	KUNIT_EXPECT_EQ(test, mptun_decoder_packet(&t->d, &p.packet),
			-EMSGSIZE);
	mptun_code_test_sum(t, 7, 0xff, 0, 3);
	t->window.len = MPTUN_CODE_TEST_LEN + 7;
	KUNIT_EXPECT_EQ(test, mptun_code_test_symbol(t), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, t->d.newest, 7U);
	mptun_code_test_end(t);
}

/* Symbols of anything: what is kept stays in its bounds and in order. */
static void mptun_decoder_test_flood(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	u32 dsn = 0, n, i;

	mptun_code_test_most = 50;
	for (n = 0; n < 3000; n++) {
		u32 dice = prandom_u32_state(&t->random);

		dsn += dice % 3;
		if (dice >> 4 & 1) {
			mptun_code_test_arrive(t, dsn - (dice >> 8 & 0x7f));
			continue;
		}
		for (i = 0; i < 60; i++)
			t->body[i] = prandom_u32_state(&t->random) >> 7;
		t->window = (struct mptun_repair_window){
			.last = dsn + (dice >> 8 & 0xff) - 0x80,
			.map[0] = (u64)prandom_u32_state(&t->random) *
				  prandom_u32_state(&t->random) | 1,
			.map[1] = dice >> 5 & 1 ? 0 :
				  prandom_u32_state(&t->random) &
				  (u64)prandom_u32_state(&t->random) << 32,
			.seed = dice >> 16 & 3,
			.data = t->body,
			.len = 7 + dice % 50,
		};
		mptun_code_test_symbol(t);
		if (n % 8 == 0)
			mptun_decoder_test_check(test, t);
	}
	KUNIT_EXPECT_GT(test, t->d.stats.wrong, 0ULL);
	KUNIT_EXPECT_LE(test, t->d.stats.decoded, 30ULL);
	mptun_code_test_end(t);
}

static void mptun_decoder_test_no_memory(struct kunit *test)
{
	const struct mptun_decoder_config config = {
		.field = &mptun_field_portable,
		.len = 100,
		.slots = 256,
		.rows = 8,
	};
	struct mptun_decoder d;
	u32 n;

	mptun_code_test_memory(test);
	for (n = 1; n <= 6; n++) {
		mptun_code_test_fails = n;
		KUNIT_EXPECT_EQ(test, mptun_decoder_init(&d, &config,
							 GFP_KERNEL),
				-ENOMEM);
	}
	mptun_code_test_fails = 7;
	KUNIT_EXPECT_EQ(test, mptun_decoder_init(&d, &config, GFP_KERNEL), 0);
	mptun_decoder_destroy(&d);
}

static struct kunit_case mptun_decoder_cases[] = {
	KUNIT_CASE(mptun_decoder_test_lengths),
	KUNIT_CASE(mptun_decoder_test_losses),
	KUNIT_CASE(mptun_decoder_test_late),
	KUNIT_CASE(mptun_decoder_test_order),
	KUNIT_CASE(mptun_decoder_test_useless),
	KUNIT_CASE(mptun_decoder_test_follow),
	KUNIT_CASE(mptun_decoder_test_range),
	KUNIT_CASE(mptun_decoder_test_give_up),
	KUNIT_CASE(mptun_decoder_test_last_one),
	KUNIT_CASE(mptun_decoder_test_full),
	KUNIT_CASE(mptun_decoder_test_unknowns),
	KUNIT_CASE(mptun_decoder_test_wrong),
	KUNIT_CASE(mptun_decoder_test_other),
	KUNIT_CASE(mptun_decoder_test_flood),
	KUNIT_CASE(mptun_decoder_test_no_memory),
	{}
};

static struct kunit_suite mptun_decoder_suite = {
	.name = "mptun_code_decoder",
	.test_cases = mptun_decoder_cases,
};

kunit_test_suite(mptun_decoder_suite);
