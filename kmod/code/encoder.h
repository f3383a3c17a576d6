/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Encoder: packets in, repair symbols out.
 */
#ifndef _MPTUN_CODE_ENCODER_H
#define _MPTUN_CODE_ENCODER_H

#include <linux/gfp.h>
#include <linux/types.h>

#include "code/field.h"
#include "code/symbol.h"

/* Overhead, credit and overdraft: this is one symbol, or one per packet. */
#define MPTUN_ENCODER_ONE	65536U

/* Share of the packets that a symbol is made of: this is all. */
#define MPTUN_ENCODER_DENSE	256U

/**
 * struct mptun_encoder_config - what an encoder is made for
 * @field: arithmetic
 * @len: longest packet in bytes; longer ones are not coded
 * @sums: symbols in progress at most; with the window times the overhead of
 *	them, rounded up, symbols are of whole windows
 * @overdraft: how far the ends of bursts may be ahead of the overhead, at most
 *	the symbols of a window; in symbols, see MPTUN_ENCODER_ONE
 * @idle_ns: time without a packet after which a burst has ended
 * @seed: seed of the first symbol
 */
struct mptun_encoder_config {
	const struct mptun_field *field;
	unsigned int len;
	unsigned int sums;
	u32 overdraft;
	u64 idle_ns;
	u16 seed;
};

/**
 * struct mptun_encoder_sum - a symbol in progress
 * @first: dsn of its first member
 * @last: dsn of its last member
 * @map: its members: bit n is @last - n
 * @members: their number
 * @age: packets since it began
 * @len: longest symbol of a member
 * @seed: seed of its coefficients
 * @data: members times coefficients, as far as @len
 */
struct mptun_encoder_sum {
	u32 first;
	u32 last;
	u64 map[2];
	unsigned int members;
	unsigned int age;
	unsigned int len;
	u16 seed;
	u8 *data;
};

/**
 * struct mptun_encoder - the sender's side of a code
 * @field: arithmetic
 * @sum: symbols in progress, a ring
 * @data: their bytes
 * @size: number of elements of @sum
 * @oldest: index of the oldest one
 * @open: number of those in use
 * @len: bytes of each in @data
 * @spare: the only one is too early for the next symbol
 * @tail: a burst has ended: the overdraft may be used
 * @started: there was a packet
 * @seed: seed of the next symbol
 * @overhead: symbols per packet, see MPTUN_ENCODER_ONE
 * @window: packets that a symbol covers
 * @share: share of them that it is made of
 * @credit: symbols that may be sent, less those sent
 * @overdraft: see &struct mptun_encoder_config
 * @idle_ns: see &struct mptun_encoder_config
 * @deadline: when a burst ends, U64_MAX if there is none
 * @last: dsn of the last packet
 * @seen: dsns since the first one, as far as MPTUN_REPAIR_SPAN
 * @recent: coded ones of the last MPTUN_REPAIR_SPAN dsns: bit n is @last - n
 * @packets: packets coded so far
 * @too_long: packets that were not, as they are too long
 * @symbols: symbols taken so far
 * @dropped: symbols begun and not finished
 */
struct mptun_encoder {
	const struct mptun_field *field;
	struct mptun_encoder_sum *sum;
	u8 *data;
	unsigned int size;
	unsigned int oldest;
	unsigned int open;
	unsigned int len;
	bool spare;
	bool tail;
	bool started;
	u16 seed;
	u32 overhead;
	u32 window;
	u32 share;
	s32 credit;
	u32 overdraft;
	u64 idle_ns;
	u64 deadline;
	u32 last;
	u32 seen;
	u64 recent[2];
	u64 packets;
	u64 too_long;
	u64 symbols;
	u64 dropped;
};

int mptun_encoder_init(struct mptun_encoder *e,
		       const struct mptun_encoder_config *config, gfp_t gfp);
void mptun_encoder_destroy(struct mptun_encoder *e);
void mptun_encoder_reset(struct mptun_encoder *e);
unsigned int mptun_encoder_longest(const struct mptun_encoder *e);
void mptun_encoder_set(struct mptun_encoder *e, u32 overhead, u32 window,
		       u32 share);
int mptun_encoder_add(struct mptun_encoder *e,
		      const struct mptun_code_packet *packet, u64 now);
void mptun_encoder_finish(struct mptun_encoder *e);
unsigned int mptun_encoder_ready(const struct mptun_encoder *e);
unsigned int mptun_encoder_take(struct mptun_encoder *e, u8 *body, u32 *dsn);

#endif /* _MPTUN_CODE_ENCODER_H */
