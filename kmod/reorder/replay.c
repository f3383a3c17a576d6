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
 * A window has to cover a time: how late a packet may be against others that
 * were sent after it.  How many numbers that is depends on the rate of their
 * counter, which a path has for its data, and all paths together for control
 * packets (tx/control.c).  So a window of control numbers must follow the rate
 * of all paths, even if its own path carries few of them.
 *
 * What a window grows by is charged to a pool (base/pool.c).  If that is used
 * up, the window keeps its size, and packets below it count as replays.
 */
#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/pool.h"
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
	memset(map, 0, bits / BITS_PER_BYTE);
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

/* Copies a window into a bitmap.  Numbers below what both cover count as
 * received.
 */
static void mptun_replay_copy(const struct mptun_replay *w, u64 *map, u32 words)
{
	u64 word, top = w->next ? (w->next - 1) / MPTUN_REPLAY_WORD_BITS : 0;
	u32 i;

	memset(map, w->next ? 0xff : 0, words * sizeof(*map));
	for (i = 0; i < min(words, w->words) && i <= top; i++) {
		word = top - i;
		map[word & (words - 1)] = w->map[word & (w->words - 1)];
	}
}

/**
 * mptun_replay_grow() - enlarge a window
 * @w: the window; its bitmap is not used any more
 * @map: a larger bitmap
 * @words: number of its words, a power of two
 *
 * Numbers below the window so far count as received.
 */
void mptun_replay_grow(struct mptun_replay *w, u64 *map, u32 words)
{
	mptun_replay_copy(w, map, words);
	w->words = words;
	w->map = map;
}

/**
 * mptun_replay_continue() - begin a window where another one is
 * @w: the window, empty
 * @from: the other one, which has taken the numbers so far
 *
 * Numbers that @from has not taken may still arrive.
 */
void mptun_replay_continue(struct mptun_replay *w,
			   const struct mptun_replay *from)
{
	mptun_replay_copy(from, w->map, w->words);
	w->next = from->next;
}

/**
 * mptun_replay_limit() - charge to a pool what a window grows by
 * @s: the window, which has not grown
 * @pool: the pool, which outlives it
 */
void mptun_replay_limit(struct mptun_replay_space *s, struct mptun_pool *pool)
{
	s->pool = pool;
}

/* Bytes charged for a window. */
static u32 mptun_replay_charged(const struct mptun_replay_space *s)
{
	return s->grown ? s->window.words * sizeof(*s->grown) : 0;
}

/**
 * mptun_replay_free() - free what a window has grown by
 * @s: the window
 */
void mptun_replay_free(struct mptun_replay_space *s)
{
	mptun_pool_uncharge(s->pool, mptun_replay_charged(s));
	kfree(s->grown);
	s->grown = NULL;
}

/**
 * mptun_replay_start() - start an empty window of the smallest size
 * @s: the window, or all zero
 */
void mptun_replay_start(struct mptun_replay_space *s)
{
	mptun_replay_free(s);
	mptun_replay_init(&s->window, s->map, MPTUN_REPLAY_BITS);
}

/* Enlarges a window before a number that is next accepted.  That is tried once
 * per window of numbers, so that it costs little without memory.
 */
static void mptun_replay_fit(struct mptun_replay_space *s, u64 number, u32 bits)
{
	const struct mptun_replay *w = &s->window;
	u32 words = bits / MPTUN_REPLAY_WORD_BITS;
	u32 size = w->words * MPTUN_REPLAY_WORD_BITS;
	u32 more;
	u64 *map;

	if (words <= w->words || (number ^ (w->next - 1)) < size)
		return;
	more = words * sizeof(*map) - mptun_replay_charged(s);
	if (!mptun_pool_charge(s->pool, more))
		return;
	map = kcalloc(words, sizeof(*map), GFP_ATOMIC | __GFP_NOWARN);
	if (!map) {
		mptun_pool_uncharge(s->pool, more);
		return;
	}
	mptun_replay_grow(&s->window, map, words);
	kfree(s->grown);
	s->grown = map;
}

/**
 * mptun_replay_take() - accept a number, in a window that follows the rate
 * @s: the window
 * @rate: that of the counter, which other windows may share
 * @number: number of an authenticated packet
 * @now: time in ns
 *
 * Return: as mptun_replay_update().
 */
bool mptun_replay_take(struct mptun_replay_space *s,
		       struct mptun_replay_rate *rate, u64 number, u64 now)
{
	if (!mptun_replay_check(&s->window, number))
		return false;
	/* The size doubles while more numbers than that pass within
	 * MPTUN_REPLAY_SKEW_NS, whether they arrive here or not.
	 */
	if (number >= rate->first && number - rate->first >= rate->bits) {
		if (now - rate->since_ns < MPTUN_REPLAY_SKEW_NS)
			rate->bits = min(2 * rate->bits, MPTUN_REPLAY_BITS_MAX);
		rate->first = number;
		rate->since_ns = now;
	}
	/* Before the number moves the window: what it skips may be late. */
	mptun_replay_fit(s, number, rate->bits);
	return mptun_replay_update(&s->window, number);
}
