// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the code with vectors of another implementation
 * (test/code/vectors.h): what it sends, and what comes back of it.
 */
#include <linux/string.h>

#include "test/code/frame.h"
#include "test/code/vectors.h"

#define MPTUN_VECTORS_TEST_PACKETS	64

#define MPTUN_VECTORS_TEST_SYMBOL(test, t, body)			\
	KUNIT_EXPECT_EQ(test, mptun_vectors_test_symbol(t, body,	\
							sizeof(body)), 0)

/* The dsn of a packet of the vectors. */
static u32 mptun_vectors_test_dsn(u32 n)
{
	return MPTUN_VEC_CODE_FIRST + n + n / 8;
}

/* Makes a packet of the vectors. */
static void mptun_vectors_test_make(struct mptun_code_test_packet *p, u8 *body,
				    u32 n)
{
	u32 i, len = n * 37 % 200 + 1;

	for (i = 0; i < len; i++)
		body[i] = n * 31 + i * 7;
	p->piece[0] = (struct mptun_code_piece){ .data = body, .len = len };
	p->packet = (struct mptun_code_packet){
		.dsn = mptun_vectors_test_dsn(n),
		.prev = n,
		.flags = n % 2 ? MPTUN_F_REPAIRABLE : 0,
		.class = n % 16,
		.pieces = 1,
		.piece = p->piece,
	};
}

static void mptun_vectors_test_coefficients(struct kunit *test)
{
	u32 n, wrong = 0;

	for (n = 0; n < MPTUN_VECTORS_TEST_PACKETS; n++)
		wrong += mptun_code_coefficient(MPTUN_VEC_CODE_SEED,
						mptun_vectors_test_dsn(n)) !=
			 mptun_vec_coefficients[n];
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* The encoder's symbol of a whole window. */
static void mptun_vectors_test_encode(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	struct mptun_code_test_packet p;
	u32 n, dsn = 0;

	t->e.seed = MPTUN_VEC_CODE_SEED;
	mptun_encoder_set(&t->e, MPTUN_ENCODER_ONE / 64, 64,
			  MPTUN_ENCODER_DENSE);
	for (n = 0; n < MPTUN_VECTORS_TEST_PACKETS; n++) {
		KUNIT_EXPECT_EQ(test, mptun_encoder_ready(&t->e), 0U);
		mptun_vectors_test_make(&p, t->want, n);
		KUNIT_EXPECT_EQ(test, mptun_encoder_add(&t->e, &p.packet, 0),
				0);
	}
	KUNIT_ASSERT_EQ(test, mptun_encoder_take(&t->e, t->body, &dsn),
			(unsigned int)sizeof(mptun_vec_repair0));
	KUNIT_EXPECT_EQ(test, dsn, mptun_vectors_test_dsn(n - 1));
	KUNIT_EXPECT_MEMEQ(test, t->body, mptun_vec_repair0,
			   sizeof(mptun_vec_repair0));
	mptun_code_test_end(t);
}

/* Receives a symbol of the vectors. */
static int mptun_vectors_test_symbol(struct mptun_code_test *t,
				     const u8 *body, unsigned int len)
{
	u32 last = mptun_vectors_test_dsn(MPTUN_VECTORS_TEST_PACKETS - 1);

	if (mptun_parse_repair(last, body, len, &t->window))
		return -EINVAL;
	return mptun_decoder_symbol(&t->d, &t->window);
}

/* Four packets of four symbols. */
static void mptun_vectors_test_decode(struct kunit *test)
{
	struct mptun_code_test *t = mptun_code_test_new(test, 256);
	static const u8 lost[] = { 0, 21, 22, 63 };
	struct mptun_code_test_packet p;
	struct mptun_code_packet got;
	u32 n, found = 0;

	for (n = 0; n < MPTUN_VECTORS_TEST_PACKETS; n++) {
		mptun_vectors_test_make(&p, t->want, n);
		if (!memchr(lost, n, sizeof(lost)))
			mptun_decoder_packet(&t->d, &p.packet);
	}
	MPTUN_VECTORS_TEST_SYMBOL(test, t, mptun_vec_repair0);
	MPTUN_VECTORS_TEST_SYMBOL(test, t, mptun_vec_repair1);
	MPTUN_VECTORS_TEST_SYMBOL(test, t, mptun_vec_repair2);
	KUNIT_EXPECT_FALSE(test, mptun_decoder_next(&t->d, &got));
	MPTUN_VECTORS_TEST_SYMBOL(test, t, mptun_vec_repair_third);
	while (mptun_decoder_next(&t->d, &got)) {
		n = got.prev;
		mptun_vectors_test_make(&p, t->want, n);
		KUNIT_EXPECT_NOT_NULL(test, memchr(lost, n, sizeof(lost)));
		KUNIT_EXPECT_EQ(test, got.dsn, p.packet.dsn);
		KUNIT_EXPECT_EQ(test, got.flags, p.packet.flags);
		KUNIT_EXPECT_EQ(test, got.class, p.packet.class);
		KUNIT_ASSERT_EQ(test, got.piece->len, p.piece->len);
		KUNIT_EXPECT_MEMEQ(test, got.piece->data, t->want,
				   p.piece->len);
		found++;
	}
	KUNIT_EXPECT_EQ(test, found, 4U);
	mptun_code_test_end(t);
}

static struct kunit_case mptun_vectors_cases[] = {
	KUNIT_CASE(mptun_vectors_test_coefficients),
	KUNIT_CASE(mptun_vectors_test_encode),
	KUNIT_CASE(mptun_vectors_test_decode),
	{}
};

static struct kunit_suite mptun_vectors_suite = {
	.name = "mptun_code_vectors",
	.test_cases = mptun_vectors_cases,
};

kunit_test_suite(mptun_vectors_suite);
