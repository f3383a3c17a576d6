// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the field, and of symbols and coefficients; see also
 * vectors_test.c.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "code/field.h"
#include "code/symbol.h"

#define MPTUN_FIELD_TEST_LEN	200

/* The product as polynomials, divided by that of the field. */
static u8 mptun_field_test_product(u8 a, u8 b)
{
	u32 product = 0;
	int i;

	for (i = 0; i < 8; i++)
		if (b >> i & 1)
			product ^= (u32)a << i;
	for (i = 14; i >= 8; i--)
		if (product >> i & 1)
			product ^= MPTUN_FIELD_POLYNOMIAL << (i - 8);
	return product;
}

static void mptun_field_test_mul(struct kunit *test)
{
	u32 a, b, wrong = 0;

	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++)
			wrong += mptun_field_mul(a, b) !=
				 mptun_field_test_product(a, b);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_EQ(test, mptun_field_mul(0x80, 2), 0x1d);
}

static void mptun_field_test_inverse(struct kunit *test)
{
	u32 a, wrong = 0, power = 1;
	bool seen[256] = {};

	for (a = 1; a < 256; a++)
		wrong += mptun_field_mul(a, mptun_field_inverse(a)) != 1;
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_EQ(test, mptun_field_inverse(0), 0);
	/* 2 generates all that is not 0 */
	for (a = 0; a < 255; a++) {
		wrong += seen[power];
		seen[power] = true;
		power = mptun_field_mul(power, 2);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* All factors, lengths and alignments, and nothing beside the range. */
static void mptun_field_test_bytes(struct kunit *test)
{
	u8 from[MPTUN_FIELD_TEST_LEN], to[MPTUN_FIELD_TEST_LEN];
	u8 want[MPTUN_FIELD_TEST_LEN];
	u32 factor, len, i, src, dst, wrong = 0;
	struct rnd_state random;

	prandom_seed_state(&random, 1);
	for (factor = 0; factor < 256; factor++) {
		for (i = 0; i < sizeof(from); i++) {
			from[i] = prandom_u32_state(&random);
			to[i] = prandom_u32_state(&random);
			want[i] = to[i];
		}
		src = factor % 9;
		dst = factor / 9 % 9;
		len = prandom_u32_state(&random) % 180;
		for (i = 0; i < len; i++)
			want[dst + i] ^= mptun_field_mul(from[src + i],
							 factor);
		mptun_field_portable.mul_add(to + dst, from + src, factor,
					     len);
		wrong += !!memcmp(to, want, sizeof(to));
		/* in place */
		for (i = 0; i < len; i++)
			want[dst + i] ^= mptun_field_mul(want[dst + i],
							 factor);
		mptun_field_portable.mul_add(to + dst, to + dst, factor, len);
		wrong += !!memcmp(to, want, sizeof(to));
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* Each coefficient is about as frequent as any other, and none is 0. */
static void mptun_field_test_coefficients(struct kunit *test)
{
	u32 count[256] = {}, seed, i, odd = 0, same = 0;

	for (seed = 0; seed < 65536; seed += 257) {
		u32 equal = 0;

		for (i = 0; i < 255; i++) {
			u8 c = mptun_code_coefficient(seed, 0xffffffc0 + i);

			count[c]++;
			equal += c == mptun_code_coefficient(seed + 1,
							     0xffffffc0 + i);
		}
		same += equal > 16;
	}
	KUNIT_EXPECT_EQ(test, count[0], 0U);
	KUNIT_EXPECT_EQ(test, same, 0U);
	/* 256 of each expected; one has the hashes of two */
	for (i = 1; i < 256; i++)
		odd += count[i] < 176 || count[i] > 624;
	KUNIT_EXPECT_EQ(test, odd, 0U);
}

static void mptun_field_test_symbol(struct kunit *test)
{
	u8 data[16] __aligned(4) = { 0, 3, 0, 7, 0x13, 15, 1, 2, 3 };
	u32 i, bit;

	for (i = 0; i <= sizeof(data); i++)
		KUNIT_EXPECT_EQ(test, mptun_symbol_valid(data, i), i >= 9);
	for (i = 9; i < sizeof(data); i++) {
		data[i] = 1;
		KUNIT_EXPECT_EQ(test, mptun_symbol_valid(data, 12), i >= 12);
		data[i] = 0;
	}
	data[5] = 16;
	KUNIT_EXPECT_FALSE(test, mptun_symbol_valid(data, sizeof(data)));
	data[5] = 0;
	for (bit = 0; bit < 8; bit++) {
		data[4] = 1 << bit;
		KUNIT_EXPECT_EQ(test, mptun_symbol_valid(data, sizeof(data)),
				data[4] == MPTUN_F_REPAIRABLE ||
				data[4] == MPTUN_F_NOCSUM ||
				data[4] == MPTUN_F_FRAG);
	}
	data[4] = 0;
	data[1] = 0;
	memset(&data[6], 0, 10);
	KUNIT_EXPECT_FALSE(test, mptun_symbol_valid(data, sizeof(data)));
}

/* Pieces that add up to more than a symbol can have. */
static void mptun_field_test_length(struct kunit *test)
{
	struct mptun_code_piece piece[] = {
		{ .len = 65535 }, { .len = 0 }, { .len = U32_MAX },
	};
	struct mptun_code_packet packet = { .piece = piece };

	KUNIT_EXPECT_EQ(test, mptun_symbol_len(&packet), 0U);
	packet.pieces = 2;
	KUNIT_EXPECT_EQ(test, mptun_symbol_len(&packet), 65541U);
	packet.pieces = 3;
	KUNIT_EXPECT_EQ(test, mptun_symbol_len(&packet), 0U);
	piece[2].len = 1;
	KUNIT_EXPECT_EQ(test, mptun_symbol_len(&packet), 0U);
}

static struct kunit_case mptun_field_cases[] = {
	KUNIT_CASE(mptun_field_test_mul),
	KUNIT_CASE(mptun_field_test_inverse),
	KUNIT_CASE(mptun_field_test_bytes),
	KUNIT_CASE(mptun_field_test_coefficients),
	KUNIT_CASE(mptun_field_test_symbol),
	KUNIT_CASE(mptun_field_test_length),
	{}
};

static struct kunit_suite mptun_field_suite = {
	.name = "mptun_code_field",
	.test_cases = mptun_field_cases,
};

kunit_test_suite(mptun_field_suite);
