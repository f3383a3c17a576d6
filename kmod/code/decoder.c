// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Decoder: packets and repair symbols in, lost packets out.
 *
 * A repair symbol is a sum of packets, each multiplied by a coefficient.  When
 * it arrives, the known packets are subtracted, and what remains is an equation
 * of the unknown ones (code/equations.c).  If all are known, a symbol costs
 * only a look at its map.
 *
 * Copies of the last packets are kept for that.  Sums cannot replace them, as
 * packets and coefficients of a symbol are known only when it arrives.  The
 * copies take the number of slots times the longest packet, allocated when the
 * decoder is made.
 *
 * An unknown is given up when its slot is needed, and the oldest one when there
 * are too many unknowns or equations.
 *
 * A faulty peer may send false sums, as it may send false packets.  That shows
 * only where there are more equations than unknowns, or where the result is not
 * the symbol of a packet.  Then all equations are dropped, as any of them may
 * be false; known packets are kept.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "base/seq.h"
#include "code/decoder.h"
#include "code/memory.h"
#include "wire/parse.h"

/**
 * mptun_decoder_init() - allocate a decoder
 * @d: the decoder
 * @config: what it is made for
 * @gfp: how to allocate
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_decoder_init(struct mptun_decoder *d,
		       const struct mptun_decoder_config *config, gfp_t gfp)
{
	int err;

	*d = (struct mptun_decoder){
		.field = config->field,
		.slots = config->slots,
		.len = sizeof(struct mptun_symbol) + config->len,
	};
	d->stride = ALIGN(d->len, 8);
	d->slot = mptun_code_alloc(d->slots, sizeof(*d->slot), gfp);
	d->data = mptun_code_alloc(d->slots, d->stride, gfp);
	d->ready = mptun_code_alloc(config->rows, sizeof(*d->ready), gfp);
	err = mptun_equations_init(&d->equations, d->field, config->rows,
				   d->stride, gfp);
	if (err || !d->slot || !d->data || !d->ready) {
		mptun_equations_destroy(&d->equations);
		kvfree(d->slot);
		kvfree(d->data);
		kvfree(d->ready);
		return -ENOMEM;
	}
	mptun_decoder_reset(d);
	return 0;
}

/**
 * mptun_decoder_destroy() - free a decoder
 * @d: the decoder
 */
void mptun_decoder_destroy(struct mptun_decoder *d)
{
	mptun_equations_destroy(&d->equations);
	kvfree(d->slot);
	kvfree(d->data);
	kvfree(d->ready);
	d->slot = NULL;
	d->data = NULL;
	d->ready = NULL;
}

static struct mptun_decoder_slot *
mptun_decoder_slot(const struct mptun_decoder *d, u32 dsn)
{
	return &d->slot[dsn & (d->slots - 1)];
}

static u8 *mptun_decoder_data(const struct mptun_decoder *d, u32 dsn)
{
	return d->data + (size_t)(dsn & (d->slots - 1)) * d->stride;
}

/* Drops all equations. */
static void mptun_decoder_drop(struct mptun_decoder *d)
{
	struct mptun_equations *s = &d->equations;
	unsigned int i;

	s->rows = 0;
	memset(s->used, 0, sizeof(s->used));
	for (i = 0; i < d->slots; i++)
		d->slot[i].col = MPTUN_UNKNOWN_NONE;
}

/**
 * mptun_decoder_reset() - forget everything
 * @d: the decoder
 */
void mptun_decoder_reset(struct mptun_decoder *d)
{
	unsigned int i;

	mptun_decoder_drop(d);
	for (i = 0; i < d->slots; i++)
		d->slot[i].known = false;
	d->count = 0;
	d->started = false;
}

static int mptun_decoder_wrong(struct mptun_decoder *d)
{
	d->stats.wrong++;
	mptun_decoder_drop(d);
	return -EBADMSG;
}

/* Gives the oldest unknown up. */
static void mptun_decoder_give_up(struct mptun_decoder *d)
{
	u32 dsn = mptun_equations_give_up(&d->equations);

	mptun_decoder_slot(d, dsn)->col = MPTUN_UNKNOWN_NONE;
	d->stats.given_up++;
}

/* Removes unknowns that are in no equation. */
static void mptun_decoder_sweep(struct mptun_decoder *d)
{
	struct mptun_equations *s = &d->equations;
	u64 cols, left;
	unsigned int i, n, col;

	for (i = 0; i < MPTUN_UNKNOWNS / 64; i++) {
		cols = 0;
		for (n = 0; n < s->rows; n++)
			cols |= s->row[n]->cols[i];
		for (left = s->used[i] & ~cols; left; left &= left - 1) {
			col = 64 * i + __ffs64(left);
			mptun_decoder_slot(d, s->dsn[col])->col =
				MPTUN_UNKNOWN_NONE;
		}
		s->used[i] &= cols;
	}
}

/* Takes the values that the equations give now: those with one unknown. */
static int mptun_decoder_collect(struct mptun_decoder *d)
{
	struct mptun_equations *s = &d->equations;
	const struct mptun_equation *row;
	const struct mptun_symbol *head;
	struct mptun_decoder_slot *slot;
	unsigned int n = 0;
	u32 dsn;

	while (n < s->rows) {
		row = s->row[n];
		if (hweight64(row->cols[0]) + hweight64(row->cols[1]) > 1) {
			n++;
			continue;
		}
		dsn = s->dsn[row->pivot];
		if (!mptun_symbol_valid(row->data, row->len))
			return mptun_decoder_wrong(d);
		head = (const void *)row->data;
		slot = mptun_decoder_slot(d, dsn);
		slot->known = true;
		slot->len = sizeof(*head) + be16_to_cpu(head->len);
		memcpy(mptun_decoder_data(d, dsn), row->data, slot->len);
		d->ready[d->count++] = dsn;
		d->stats.decoded++;
		mptun_equations_remove(s, n);
	}
	mptun_decoder_sweep(d);
	return 0;
}

/* Compares a packet with its known symbol.  Only one of two copies may have
 * been kept for a retransmission.
 */
static bool mptun_decoder_same(const u8 *data,
			       const struct mptun_code_packet *packet,
			       unsigned int len)
{
	const struct mptun_symbol *known = (const void *)data;
	struct mptun_symbol head;
	unsigned int i;

	mptun_symbol_head(&head, packet, len);
	head.flags ^= (head.flags ^ known->flags) & MPTUN_F_REPAIRABLE;
	if (memcmp(data, &head, sizeof(head)))
		return false;
	data += sizeof(head);
	for (i = 0; i < packet->pieces; i++) {
		if (memcmp(data, packet->piece[i].data, packet->piece[i].len))
			return false;
		data += packet->piece[i].len;
	}
	return true;
}

/* Finds the place of a dsn, and makes one for it if it is new. */
static int mptun_decoder_place(struct mptun_decoder *d, u32 dsn)
{
	struct mptun_decoder_slot *slot;

	if (d->started && mptun_seq_after(dsn, d->newest) &&
	    dsn - d->newest >= d->slots) {
		mptun_decoder_reset(d);
		d->stats.restarts++;
	}
	if (!d->started) {
		d->started = true;
		d->newest = dsn;
	}
	while (mptun_seq_after(dsn, d->newest)) {
		slot = mptun_decoder_slot(d, ++d->newest);
		if (slot->col != MPTUN_UNKNOWN_NONE) {
			mptun_decoder_give_up(d);
			mptun_decoder_sweep(d);
		}
		slot->known = false;
	}
	return d->newest - dsn < d->slots ? 0 : -ESTALE;
}

/**
 * mptun_decoder_follow() - follow packets that need not be known
 * @d: the decoder
 * @dsn: the newest one that arrived
 */
void mptun_decoder_follow(struct mptun_decoder *d, u32 dsn)
{
	if (d->started && mptun_seq_after(dsn, d->newest))
		mptun_decoder_place(d, dsn);
}

/**
 * mptun_decoder_packet() - take a packet that arrived
 * @d: the decoder
 * @packet: the packet, a retransmission or copy as well
 *
 * Packets decoded before are forgotten if they were not taken.  Those decoded
 * now are taken by mptun_decoder_next().
 *
 * Return: 0; -EEXIST if it is known; -ESTALE if it is older than all that is
 * kept; -EMSGSIZE if it is too long; -EBADMSG if it contradicts what is known.
 */
int mptun_decoder_packet(struct mptun_decoder *d,
			 const struct mptun_code_packet *packet)
{
	unsigned int len = mptun_symbol_len(packet);
	struct mptun_decoder_slot *slot;
	u8 *data, *at, col;
	unsigned int i;

	d->count = 0;
	d->first = 0;
	if (!len || len > d->len) {
		d->stats.too_long++;
		return -EMSGSIZE;
	}
	if (mptun_decoder_place(d, packet->dsn)) {
		d->stats.too_old++;
		return -ESTALE;
	}
	slot = mptun_decoder_slot(d, packet->dsn);
	data = mptun_decoder_data(d, packet->dsn);
	if (slot->known) {
		d->stats.duplicates++;
		return mptun_decoder_same(data, packet, len) ?
			-EEXIST : mptun_decoder_wrong(d);
	}
	mptun_symbol_head((struct mptun_symbol *)data, packet, len);
	at = data + sizeof(struct mptun_symbol);
	for (i = 0; i < packet->pieces; i++) {
		memcpy(at, packet->piece[i].data, packet->piece[i].len);
		at += packet->piece[i].len;
	}
	slot->known = true;
	slot->len = len;
	d->stats.packets++;
	if (slot->col == MPTUN_UNKNOWN_NONE)
		return 0;
	col = slot->col;
	slot->col = MPTUN_UNKNOWN_NONE;
	if (!mptun_equations_known(&d->equations, col, data, len))
		return mptun_decoder_wrong(d);
	return mptun_decoder_collect(d);
}

/* Makes a member of a symbol an unknown of the equations.  If there are too
 * many, the oldest makes room for it unless it can be a member as well.
 */
static u8 mptun_decoder_unknown(struct mptun_decoder *d,
				const struct mptun_repair_window *window,
				u32 dsn)
{
	struct mptun_equations *s = &d->equations;
	u8 col = mptun_equations_unknown(s, dsn), oldest;

	if (col != MPTUN_UNKNOWN_NONE)
		return col;
	oldest = mptun_equations_first(s, s->used);
	if (!mptun_seq_before(s->dsn[oldest],
			      window->last - (MPTUN_REPAIR_SPAN - 1)))
		return MPTUN_UNKNOWN_NONE;
	mptun_decoder_give_up(d);
	return mptun_equations_unknown(s, dsn);
}

/* Finds the unknown members of a symbol.  Returns their number. */
static int mptun_decoder_unknowns(struct mptun_decoder *d,
				  const struct mptun_repair_window *window)
{
	struct mptun_equations *s = &d->equations;
	struct mptun_decoder_slot *slot;
	unsigned int i, found = 0;
	u64 left;
	u32 dsn;

	for (i = 0; i < ARRAY_SIZE(window->map); i++) {
		for (left = window->map[i]; left; left &= left - 1) {
			dsn = window->last - 64 * i - __ffs64(left);
			slot = mptun_decoder_slot(d, dsn);
			if (slot->known)
				continue;
			/* before any is found, as this may be the oldest */
			if (!found++ && s->rows == s->size)
				mptun_decoder_give_up(d);
			if (slot->col == MPTUN_UNKNOWN_NONE)
				slot->col = mptun_decoder_unknown(d, window,
								  dsn);
			if (slot->col == MPTUN_UNKNOWN_NONE)
				return -ENOSPC;
		}
	}
	return found ? 0 : -EEXIST;
}

/* Makes an equation of a symbol. */
static int mptun_decoder_equation(struct mptun_decoder *d,
				  const struct mptun_repair_window *window)
{
	struct mptun_equations *s = &d->equations;
	const struct mptun_decoder_slot *slot;
	struct mptun_equation *row;
	unsigned int i;
	u64 left;
	u32 dsn;
	u8 coef;

	row = s->row[s->rows];
	memset(row->cols, 0, sizeof(row->cols));
	memset(row->coef, 0, sizeof(row->coef));
	row->len = window->len;
	memcpy(row->data, window->data, row->len);
	memset(row->data + row->len, 0, s->len - row->len);
	for (i = 0; i < ARRAY_SIZE(window->map); i++) {
		for (left = window->map[i]; left; left &= left - 1) {
			dsn = window->last - 64 * i - __ffs64(left);
			slot = mptun_decoder_slot(d, dsn);
			coef = mptun_code_coefficient(window->seed, dsn);
			if (!slot->known) {
				mptun_equations_set(row, slot->col, coef);
				continue;
			}
			/* no sum is shorter than what is in it */
			if (slot->len > row->len)
				return -EBADMSG;
			d->field->mul_add(row->data,
					  mptun_decoder_data(d, dsn), coef,
					  slot->len);
		}
	}
	return mptun_equations_insert(s);
}

/* Checks whether a symbol can be used, and makes room for its dsns. */
static int mptun_decoder_check(struct mptun_decoder *d,
			       const struct mptun_repair_window *window)
{
	u32 span = window->map[1] ? 64 + fls64(window->map[1]) :
				    fls64(window->map[0]);

	d->stats.symbols++;
	if (window->len > d->len) {
		d->stats.too_long++;
		return -EMSGSIZE;
	}
	if (d->started && mptun_seq_after(window->last, d->newest) &&
	    window->last - d->newest > d->slots / 2) {
		d->stats.ahead++;
		return -ERANGE;
	}
	if (mptun_decoder_place(d, window->last) ||
	    d->newest - (window->last - span + 1) >= d->slots) {
		d->stats.late++;
		return -ESTALE;
	}
	return 0;
}

/**
 * mptun_decoder_symbol() - take a repair symbol that arrived
 * @d: the decoder
 * @window: the symbol
 *
 * Packets decoded before are forgotten if they were not taken.  Those decoded
 * now are taken by mptun_decoder_next().
 *
 * Return: 0; -EEXIST if it is useless; -EMSGSIZE if it is too long; -ESTALE,
 * -ERANGE or -ENOSPC if its packets are too old, too far ahead or too many;
 * -EBADMSG if it contradicts what is known.
 */
int mptun_decoder_symbol(struct mptun_decoder *d,
			 const struct mptun_repair_window *window)
{
	int err;

	d->count = 0;
	d->first = 0;
	err = mptun_decoder_check(d, window);
	if (err)
		return err;
	err = mptun_decoder_unknowns(d, window);
	if (!err)
		err = mptun_decoder_equation(d, window);
	if (err == -EBADMSG)
		return mptun_decoder_wrong(d);
	d->stats.useless += err == -EEXIST;
	if (!err)
		return mptun_decoder_collect(d);
	mptun_decoder_sweep(d);
	return err;
}

/**
 * mptun_decoder_next() - take a packet that has been decoded
 * @d: the decoder
 * @packet: filled; its bytes are valid until the next packet or symbol
 *
 * Return: false if there is none.
 */
bool mptun_decoder_next(struct mptun_decoder *d,
			struct mptun_code_packet *packet)
{
	const struct mptun_symbol *head;
	u32 dsn;

	if (d->first == d->count)
		return false;
	dsn = d->ready[d->first++];
	head = (const void *)mptun_decoder_data(d, dsn);
	d->piece = (struct mptun_code_piece){
		.data = (const u8 *)(head + 1),
		.len = be16_to_cpu(head->len),
	};
	*packet = (struct mptun_code_packet){
		.dsn = dsn,
		.prev = be16_to_cpu(head->prev),
		.flags = head->flags,
		.class = head->class,
		.pieces = 1,
		.piece = &d->piece,
	};
	return true;
}
