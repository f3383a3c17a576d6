// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets, an encoder and a decoder for the tests of the code.
 */
#include <kunit/static_stub.h>
#include <kunit/test-bug.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "code/memory.h"
#include "test/code/frame.h"

unsigned int mptun_code_test_fails;
u32 mptun_code_test_most;

/**
 * mptun_code_test_new() - make both ends
 * @test: the test
 * @slots: packets that the receiver keeps
 *
 * Return: the ends.
 */
struct mptun_code_test *mptun_code_test_new(struct kunit *test, u32 slots)
{
	const struct mptun_encoder_config sender = {
		.field = &mptun_field_portable,
		.len = MPTUN_CODE_TEST_LEN,
		.sums = 33,
		.overdraft = MPTUN_ENCODER_ONE,
		.idle_ns = MPTUN_CODE_TEST_NS,
		.seed = 0xfff0,
	};
	const struct mptun_decoder_config receiver = {
		.field = &mptun_field_portable,
		.len = MPTUN_CODE_TEST_LEN,
		.slots = slots,
		.rows = MPTUN_DECODER_ROWS,
	};
	struct mptun_code_test *t = kunit_kzalloc(test, sizeof(*t),
						  GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	prandom_seed_state(&t->random, 26);
	mptun_code_test_most = MPTUN_CODE_TEST_LEN;
	KUNIT_ASSERT_EQ(test, mptun_encoder_init(&t->e, &sender, GFP_KERNEL),
			0);
	KUNIT_ASSERT_EQ(test, mptun_decoder_init(&t->d, &receiver,
						 GFP_KERNEL), 0);
	return t;
}

/**
 * mptun_code_test_end() - free both ends
 * @t: the ends
 */
void mptun_code_test_end(struct mptun_code_test *t)
{
	mptun_encoder_destroy(&t->e);
	mptun_decoder_destroy(&t->d);
}

/**
 * mptun_code_test_len() - length of a packet
 * @dsn: its dsn
 *
 * Return: 1 to mptun_code_test_most, each once in as many packets.
 */
u32 mptun_code_test_len(u32 dsn)
{
	return dsn * 7 % mptun_code_test_most + 1;
}

/**
 * mptun_code_test_make() - make the packet of a dsn
 * @p: the packet
 * @body: filled with its bytes
 * @dsn: the dsn, from which all of it follows
 */
void mptun_code_test_make(struct mptun_code_test_packet *p, u8 *body, u32 dsn)
{
	u32 i, len = mptun_code_test_len(dsn), first = len / 3;

	for (i = 0; i < len; i++)
		body[i] = (dsn + i * i) * 0x9e3779b9U >> 24;
	p->piece[0] = (struct mptun_code_piece){ .data = body, .len = first };
	p->piece[1] = (struct mptun_code_piece){ .data = body + first };
	p->piece[2] = (struct mptun_code_piece){
		.data = body + first,
		.len = len - first,
	};
	p->packet = (struct mptun_code_packet){
		.dsn = dsn,
		.prev = dsn % 5,
		.flags = dsn % 2 ? MPTUN_F_REPAIRABLE | MPTUN_F_COPY : 0,
		.class = dsn % 16,
		.pieces = 3,
		.piece = p->piece,
	};
}

/**
 * mptun_code_test_send() - send a packet
 * @t: both ends
 * @dsn: its dsn
 *
 * Return: see mptun_encoder_add().
 */
int mptun_code_test_send(struct mptun_code_test *t, u32 dsn)
{
	struct mptun_code_test_packet p;

	mptun_code_test_make(&p, t->want, dsn);
	return mptun_encoder_add(&t->e, &p.packet, 0);
}

/* Takes what has been decoded, and compares it. */
static void mptun_code_test_decoded(struct mptun_code_test *t)
{
	struct mptun_code_test_packet want;
	struct mptun_code_packet got;

	while (mptun_decoder_next(&t->d, &got)) {
		mptun_code_test_make(&want, t->want, got.dsn);
		t->dsn = got.dsn;
		t->decoded++;
		if (got.prev != want.packet.prev || got.pieces != 1 ||
		    got.class != want.packet.class ||
		    got.flags != (want.packet.flags & MPTUN_F_REPAIRABLE) ||
		    got.piece->len != mptun_code_test_len(got.dsn) ||
		    memcmp(got.piece->data, t->want, got.piece->len))
			t->wrong++;
	}
}

/**
 * mptun_code_test_arrive() - receive a packet
 * @t: both ends
 * @dsn: its dsn
 *
 * Return: see mptun_decoder_packet().
 */
int mptun_code_test_arrive(struct mptun_code_test *t, u32 dsn)
{
	struct mptun_code_test_packet p;
	int err;

	mptun_code_test_make(&p, t->want, dsn);
	err = mptun_decoder_packet(&t->d, &p.packet);
	mptun_code_test_decoded(t);
	return err;
}

/**
 * mptun_code_test_take() - take a symbol that is due
 * @t: both ends
 *
 * Return: true if one is due.
 */
bool mptun_code_test_take(struct mptun_code_test *t)
{
	unsigned int due = mptun_encoder_ready(&t->e), len;

	len = mptun_encoder_take(&t->e, t->body, &t->last);
	if (!len)
		return false;
	t->symbols++;
	if (len != due ||
	    mptun_parse_repair(t->last, t->body, len, &t->window))
		t->wrong++;
	return true;
}

/**
 * mptun_code_test_symbol() - receive the symbol taken last
 * @t: both ends
 *
 * Return: see mptun_decoder_symbol().
 */
int mptun_code_test_symbol(struct mptun_code_test *t)
{
	int err = mptun_decoder_symbol(&t->d, &t->window);

	mptun_code_test_decoded(t);
	return err;
}

/**
 * mptun_code_test_sum() - compute a symbol in the plainest way
 * @t: both ends; its window becomes the symbol
 * @last: dsn of the last member
 * @low: its members, the lower half of the map
 * @high: the upper half
 * @seed: its seed
 */
void mptun_code_test_sum(struct mptun_code_test *t, u32 last, u64 low,
			 u64 high, u16 seed)
{
	struct mptun_code_test_packet p;
	struct mptun_symbol head;
	u32 i, n, len, most = 0;
	const u8 *h = (const u8 *)&head;
	u8 coef;

	memset(t->body, 0, sizeof(t->body));
	for (n = 0; n < 128; n++) {
		if (!((n < 64 ? low >> n : high >> (n - 64)) & 1))
			continue;
		mptun_code_test_make(&p, t->want, last - n);
		len = mptun_symbol_len(&p.packet);
		mptun_symbol_head(&head, &p.packet, len);
		coef = mptun_code_coefficient(seed, last - n);
		for (i = 0; i < len; i++)
			t->body[i] ^= mptun_field_mul(coef, i < sizeof(head) ?
				h[i] : t->want[i - sizeof(head)]);
		most = max(most, len);
	}
	t->window = (struct mptun_repair_window){
		.last = last,
		.map = { low, high },
		.members = hweight64(low) + hweight64(high),
		.seed = seed,
		.data = t->body,
		.len = most,
	};
}

static void *mptun_code_test_alloc(size_t n, size_t size, gfp_t gfp)
{
	struct kunit *test = kunit_get_current_test();
	void *p;

	if (mptun_code_test_fails && !--mptun_code_test_fails)
		return NULL;
	kunit_deactivate_static_stub(test, mptun_code_alloc);
	p = mptun_code_alloc(n, size, gfp);
	kunit_activate_static_stub(test, mptun_code_alloc,
				   mptun_code_test_alloc);
	return p;
}

/**
 * mptun_code_test_memory() - obey mptun_code_test_fails until a test ends
 * @test: the test
 */
void mptun_code_test_memory(struct kunit *test)
{
	mptun_code_test_fails = 0;
	kunit_activate_static_stub(test, mptun_code_alloc,
				   mptun_code_test_alloc);
}
