// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of the code: an encoder, losses, and a decoder that also gets what no
 * encoder made.  Until then what is decoded is what was sent; afterwards the
 * bounds hold.
 */
#include "code/decoder.h"
#include "code/encoder.h"
#include "fuzz.h"
#include "wire/parse.h"

#define FUZZ_LEN	300
#define FUZZ_BODY	400

/**
 * struct fuzz_code - both ends
 * @e: the sender
 * @d: the receiver
 * @body: of the last symbol or packet
 * @dsn: dsn of the last packet
 * @most: longest packet
 * @hostile: the decoder got something that was not sent
 * @steps: steps of the input so far
 */
struct fuzz_code {
	struct mptun_encoder e;
	struct mptun_decoder d;
	u8 body[FUZZ_BODY];
	u32 dsn;
	u32 most;
	bool hostile;
	u32 steps;
};

/* The packet of a dsn. */
static u32 fuzz_body(const struct fuzz_code *t, u32 dsn, u8 *body)
{
	u32 i, len = dsn * 0x9e3779b9U % t->most + 1;

	for (i = 0; i < len; i++)
		body[i] = (dsn ^ i * 0x01000193U) * 0x85ebca6bU >> 24;
	return len;
}

static void fuzz_make(struct mptun_code_packet *packet,
		      struct mptun_code_piece *piece, u32 dsn, const u8 *body,
		      u32 len)
{
	u32 first = len / 2;

	piece[0] = (struct mptun_code_piece){ .data = body, .len = first };
	piece[1] = (struct mptun_code_piece){
		.data = body + first,
		.len = len - first,
	};
	*packet = (struct mptun_code_packet){
		.dsn = dsn,
		.prev = dsn >> 3,
		.class = dsn & 15,
		.pieces = 2,
		.piece = piece,
	};
}

static void fuzz_check_encoder(const struct mptun_encoder *e)
{
	FUZZ_CHECK(e->open <= e->size && e->oldest < e->size);
	FUZZ_CHECK(e->credit <= 2 * (s32)MPTUN_ENCODER_ONE);
	FUZZ_CHECK(e->credit >= -(s32)e->overdraft);
}

static void fuzz_check_decoder(const struct mptun_decoder *d)
{
	const struct mptun_equations *s = &d->equations;
	u64 used[2] = {};
	u32 i, col, n;

	FUZZ_CHECK(s->rows <= s->size);
	for (i = 0; i < s->rows; i++) {
		const struct mptun_equation *row = s->row[i];

		used[0] |= row->cols[0];
		used[1] |= row->cols[1];
		FUZZ_CHECK(hweight64(row->cols[0]) + hweight64(row->cols[1]) >
			   1);
		FUZZ_CHECK(row->pivot == mptun_equations_first(s, row->cols));
		FUZZ_CHECK(row->coef[row->pivot] == 1);
		for (n = 0; n < s->rows; n++)
			FUZZ_CHECK(n == i || !s->row[n]->coef[row->pivot]);
		FUZZ_CHECK(row->len <= d->len);
	}
	FUZZ_CHECK(used[0] == s->used[0] && used[1] == s->used[1]);
	for (i = 0, n = 0; i < d->slots; i++) {
		col = d->slot[i].col;
		if (col == MPTUN_UNKNOWN_NONE)
			continue;
		FUZZ_CHECK(!d->slot[i].known);
		FUZZ_CHECK(used[col / 64] >> (col % 64) & 1);
		FUZZ_CHECK(d->newest - s->dsn[col] < d->slots);
		n++;
	}
	FUZZ_CHECK(n == hweight64(used[0]) + hweight64(used[1]));
}

/* Takes what has been decoded. */
static void fuzz_decoded(struct fuzz_code *t)
{
	struct mptun_code_packet packet;
	u8 want[FUZZ_LEN];
	u32 len;

	while (mptun_decoder_next(&t->d, &packet)) {
		FUZZ_CHECK(packet.pieces == 1);
		FUZZ_CHECK(packet.piece->len && packet.piece->len <= t->most);
		FUZZ_CHECK(packet.class <= MPTUN_CLASS_MASK);
		FUZZ_CHECK(!(packet.flags & ~MPTUN_F_SYMBOL));
		if (t->hostile)
			continue;
		len = fuzz_body(t, packet.dsn, want);
		FUZZ_CHECK(packet.piece->len == len);
		FUZZ_CHECK(!memcmp(packet.piece->data, want, len));
		FUZZ_CHECK(packet.prev == (u16)(packet.dsn >> 3));
	}
	/* half of the time of an input would be that of this */
	if (t->steps % 8 == 0)
		fuzz_check_decoder(&t->d);
	FUZZ_CHECK(t->hostile || !t->d.stats.wrong);
}

static void fuzz_arrive(struct fuzz_code *t, u32 dsn)
{
	struct mptun_code_packet packet;
	struct mptun_code_piece piece[2];
	u8 body[FUZZ_LEN];

	fuzz_make(&packet, piece, dsn, body, fuzz_body(t, dsn, body));
	mptun_decoder_packet(&t->d, &packet);
	fuzz_decoded(t);
}

static void fuzz_send(struct fuzz_code *t, u32 step, bool lost)
{
	struct mptun_code_packet packet;
	struct mptun_code_piece piece[2];
	u8 body[FUZZ_LEN];

	t->dsn += step;
	fuzz_make(&packet, piece, t->dsn, body, fuzz_body(t, t->dsn, body));
	FUZZ_CHECK(!mptun_encoder_add(&t->e, &packet, 0));
	if (!lost)
		fuzz_arrive(t, t->dsn);
}

/* A symbol that the encoder made. */
static void fuzz_repair(struct fuzz_code *t, bool lost)
{
	struct mptun_repair_window window;
	u32 due, len, dsn;

	due = mptun_encoder_ready(&t->e);
	len = mptun_encoder_take(&t->e, t->body, &dsn);
	FUZZ_CHECK(len == due && len <= sizeof(t->body));
	if (!len)
		return;
	FUZZ_CHECK(!mptun_parse_repair(dsn, t->body, len, &window));
	if (!lost)
		mptun_decoder_symbol(&t->d, &window);
	fuzz_decoded(t);
}

/* A symbol of the input. */
static void fuzz_symbol(struct fuzz_code *t, struct fuzz_in *in)
{
	u32 dsn = t->dsn + (s8)fuzz_take(in, 1);
	struct mptun_repair_window window;
	size_t len = fuzz_take(in, 1);
	u8 *body = fuzz_copy(in, &len);

	if (!mptun_parse_repair(dsn, body, len, &window)) {
		t->hostile = true;
		mptun_decoder_symbol(&t->d, &window);
		fuzz_decoded(t);
	}
	free(body);
}

/* A packet of the input. */
static void fuzz_packet(struct fuzz_code *t, struct fuzz_in *in)
{
	struct mptun_code_packet packet;
	struct mptun_code_piece piece[2];
	u32 dsn = t->dsn + (s8)fuzz_take(in, 1);
	size_t len = fuzz_take(in, 1);
	u8 *body = fuzz_copy(in, &len);

	fuzz_make(&packet, piece, dsn, body, len);
	t->hostile = true;
	mptun_decoder_packet(&t->d, &packet);
	fuzz_decoded(t);
	free(body);
}

static void fuzz_begin(struct fuzz_code *t, struct fuzz_in *in)
{
	struct mptun_encoder_config sender = {
		.field = &mptun_field_portable,
		.overdraft = fuzz_take(in, 1) << 12,
		.seed = fuzz_take(in, 2),
	};
	struct mptun_decoder_config receiver = {
		.field = &mptun_field_portable,
		.slots = 256,
		.rows = fuzz_take(in, 1) % MPTUN_DECODER_ROWS + 1,
	};

	memset(t, 0, sizeof(*t));
	t->most = fuzz_take(in, 1) + 1;
	t->dsn = fuzz_take(in, 1) - 128;
	sender.len = t->most;
	receiver.len = t->most;
	sender.sums = fuzz_take(in, 1) % 40 + 1;
	FUZZ_CHECK(!mptun_encoder_init(&t->e, &sender, GFP_KERNEL));
	FUZZ_CHECK(!mptun_decoder_init(&t->d, &receiver, GFP_KERNEL));
	mptun_encoder_set(&t->e, MPTUN_ENCODER_ONE / 4, MPTUN_REPAIR_MEMBERS,
			  MPTUN_ENCODER_DENSE);
}

static void fuzz_step(struct fuzz_code *t, struct fuzz_in *in)
{
	u8 what = fuzz_take(in, 1);

	t->steps++;
	switch (what & 7) {
	case 0:
	case 1:
		fuzz_send(t, 1 + (what >> 5), what & 8);
		break;
	case 2:
		fuzz_repair(t, what & 8);
		break;
	case 3:
		fuzz_arrive(t, t->dsn - (what >> 3));
		break;
	case 4:
		fuzz_symbol(t, in);
		break;
	case 5:
		if (what & 8)
			mptun_encoder_finish(&t->e);
		else
			fuzz_send(t, 1 + fuzz_take(in, 2), what & 16);
		break;
	case 6:
		mptun_encoder_set(&t->e, fuzz_take(in, 2), what >> 1,
				  fuzz_take(in, 1) + 1);
		break;
	default:
		if (what & 8)
			fuzz_packet(t, in);
		else if (what & 16)
			mptun_encoder_reset(&t->e);
		break;
	}
	fuzz_check_encoder(&t->e);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	static struct fuzz_code t;

	fuzz_begin(&t, &in);
	while (in.len)
		fuzz_step(&t, &in);
	fuzz_check_decoder(&t.d);
	mptun_encoder_destroy(&t.e);
	mptun_decoder_destroy(&t.d);
	return 0;
}
