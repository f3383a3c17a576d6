// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Replay windows (RFC 6479): each packet number is accepted at most once.
 *
 * A bitmap of 64-bit words is used as a ring: the bit of number n is in word n
 * / 64 modulo the number of words.  A larger number clears the words it skips,
 * so nothing is shifted.  The word of the largest number is only partly used,
 * so the window is bits - 64.  Units: packet numbers, ns for the clock.
 *
 * mptun_replay_check() is called before authentication, to save its cost;
 * mptun_replay_update() after it, which alone decides.
 */
#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "reorder/replay.h"

static u64 *mptun_replay_word(const struct mptun_replay *w, u64 number)
{
	return &w->map[(number / MPTUN_REPLAY_WORD_BITS) & (w->words - 1)];
}

static u64 mptun_replay_bit(u64 number)
{
	return BIT_ULL(number % MPTUN_REPLAY_WORD_BITS);
}

/**
 * mptun_replay_init() - initialise an empty window
 * @w: the window
 * @map: its bitmap
 * @bits: size of the bitmap, a power of two, at least 128
 */
void mptun_replay_init(struct mptun_replay *w, u64 *map, unsigned int bits)
{
	w->next = 0;
	w->words = bits / MPTUN_REPLAY_WORD_BITS;
	w->map = map;
	w->jumps = 0;
	w->taken = 0;
	memset(map, 0, bits / BITS_PER_BYTE);
}

/**
 * mptun_replay_begin() - begin a window with a number that is accepted
 * @w: the window
 * @number: packet number
 *
 * Smaller numbers count as received: another window may have accepted them.
 */
void mptun_replay_begin(struct mptun_replay *w, u64 number)
{
	memset(w->map, 0xff, w->words * sizeof(*w->map));
	*mptun_replay_word(w, number) =
		GENMASK_ULL(number % MPTUN_REPLAY_WORD_BITS, 0);
	w->next = number + 1;
	w->jumps = 0;
}

/**
 * mptun_replay_check() - check whether a number would be accepted
 * @w: the window
 * @number: packet number
 *
 * Return: false if it was accepted before, is below the window, or is the
 * largest possible one.
 */
bool mptun_replay_check(const struct mptun_replay *w, u64 number)
{
	u64 window = (u64)(w->words - 1) * MPTUN_REPLAY_WORD_BITS;

	if (number >= w->next)
		return number != U64_MAX;
	if (w->next - number > window)
		return false;
	return !(*mptun_replay_word(w, number) & mptun_replay_bit(number));
}

/**
 * mptun_replay_filter() - check the plausibility of an unauthenticated number
 * @w: the window
 * @number: packet number
 *
 * A damaged packet with a valid UDP checksum must not move the window to where
 * genuine packets never arrive.  A number ahead of the window by more than its
 * size must be confirmed by its successors, without others in between (RFC
 * 3550, appendix A.1, does so with one).  Many damaged numbers may still push
 * the window ahead step by step, so consecutive numbers behind it restart it.
 * For these a lag of MPTUN_REPLAY_LAG suffices: a path that reorders by that
 * much also delivers newer numbers in between.
 *
 * Not for authenticated packets: a replay would restart the window.
 *
 * Return: &enum mptun_replay_credit.
 */
enum mptun_replay_credit mptun_replay_filter(struct mptun_replay *w,
					     u64 number)
{
	u64 window = (u64)w->words * MPTUN_REPLAY_WORD_BITS;
	bool near = !w->next || (number < w->next + window &&
				 number + window >= w->next);

	if (near && number + MPTUN_REPLAY_LAG >= w->next) {
		w->jumps = 0;
		return MPTUN_REPLAY_TAKE;
	}
	/* A number received before confirms nothing. */
	if (near && !mptun_replay_check(w, number))
		return MPTUN_REPLAY_TAKE;
	w->jumps = w->jumps && number == w->jump + 1 ? w->jumps + 1 : 1;
	w->jump = number;
	if (w->jumps < MPTUN_REPLAY_JUMPS)
		return near ? MPTUN_REPLAY_TAKE : MPTUN_REPLAY_DROP;
	mptun_replay_init(w, w->map, w->words * MPTUN_REPLAY_WORD_BITS);
	return MPTUN_REPLAY_RESTART;
}

/**
 * mptun_replay_update() - accept a number
 * @w: the window
 * @number: packet number of an authenticated packet
 *
 * Return: true if it was accepted, false as mptun_replay_check().
 */
bool mptun_replay_update(struct mptun_replay *w, u64 number)
{
	u64 top, word, skip;

	if (!mptun_replay_check(w, number))
		return false;

	if (number >= w->next) {
		word = number / MPTUN_REPLAY_WORD_BITS;
		top = w->next ? (w->next - 1) / MPTUN_REPLAY_WORD_BITS : word;
		for (skip = min_t(u64, word - top, w->words); skip; skip--)
			w->map[(word - skip + 1) & (w->words - 1)] = 0;
		w->next = number + 1;
	}
	*mptun_replay_word(w, number) |= mptun_replay_bit(number);
	return true;
}

/**
 * mptun_replay_short() - check whether a window covers too little time
 * @w: the window
 * @now: time in ns, when a number was accepted
 *
 * Return: true if as many numbers as it holds were accepted within
 * MPTUN_REPLAY_SKEW_NS.  A peer that skips numbers gains nothing.
 */
bool mptun_replay_short(struct mptun_replay *w, u64 now)
{
	if (!w->taken)
		w->since_ns = now;
	if (++w->taken < w->words * MPTUN_REPLAY_WORD_BITS)
		return false;
	w->taken = 0;
	return now - w->since_ns < MPTUN_REPLAY_SKEW_NS;
}

/**
 * mptun_replay_grow() - double a window
 * @w: the window; its bitmap is not used any more
 * @map: bitmap of twice the size
 *
 * Numbers below the window so far count as received.
 */
void mptun_replay_grow(struct mptun_replay *w, u64 *map)
{
	u64 word, top = w->next ? (w->next - 1) / MPTUN_REPLAY_WORD_BITS : 0;
	u32 i, words = 2 * w->words;

	memset(map, w->next ? 0xff : 0, words * sizeof(*map));
	for (i = 0; i < w->words && i <= top; i++) {
		word = top - i;
		map[word & (words - 1)] = w->map[word & (w->words - 1)];
	}
	w->words = words;
	w->map = map;
}

/**
 * mptun_replay_data_free() - free what a window has grown by
 * @d: the window
 */
void mptun_replay_data_free(struct mptun_replay_data *d)
{
	kfree(d->grown);
	d->grown = NULL;
}

/**
 * mptun_replay_data_start() - start an empty window of the smallest size
 * @d: the window, or all zero
 */
void mptun_replay_data_start(struct mptun_replay_data *d)
{
	mptun_replay_data_free(d);
	mptun_replay_init(&d->window, d->map, MPTUN_REPLAY_DATA_BITS);
}

/**
 * mptun_replay_data_follow() - let a window follow the rate
 * @d: the window
 * @now: time in ns, when a number was accepted
 *
 * Without memory it keeps its size until as many numbers have passed again.
 */
void mptun_replay_data_follow(struct mptun_replay_data *d, u64 now)
{
	u32 bytes = 2 * d->window.words * sizeof(u64);
	u64 *map;

	if (!mptun_replay_short(&d->window, now) ||
	    bytes > MPTUN_REPLAY_DATA_BITS_MAX / BITS_PER_BYTE)
		return;
	/* at most 8 KiB */
	map = kzalloc(bytes, GFP_ATOMIC | __GFP_NOWARN);
	if (!map)
		return;
	mptun_replay_grow(&d->window, map);
	kfree(d->grown);
	d->grown = map;
}
