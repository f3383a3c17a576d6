/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Decoder: packets and repair symbols in, lost packets out.
 */
#ifndef _MPTUN_CODE_DECODER_H
#define _MPTUN_CODE_DECODER_H

#include <linux/gfp.h>
#include <linux/types.h>

#include "code/equations.h"
#include "code/symbol.h"

struct mptun_repair_window;

/* Equations that a decoder has, unless it is to have more memory. */
#define MPTUN_DECODER_ROWS	64U

/**
 * struct mptun_decoder_config - what a decoder is made for
 * @field: arithmetic
 * @len: longest packet in bytes
 * @slots: dsns whose packets are kept, a power of two, at least 2 *
 *	MPTUN_REPAIR_SPAN; a symbol that arrives when its oldest member is
 *	older is useless
 * @rows: largest number of equations, 1 to MPTUN_UNKNOWNS
 */
struct mptun_decoder_config {
	const struct mptun_field *field;
	unsigned int len;
	unsigned int slots;
	unsigned int rows;
};

/**
 * struct mptun_decoder_slot - a dsn
 * @len: length of its symbol, if it is known
 * @known: its symbol is known
 * @col: the unknown that it is, or MPTUN_UNKNOWN_NONE
 */
struct mptun_decoder_slot {
	u32 len;
	bool known;
	u8 col;
};

/**
 * struct mptun_decoder_stats - what became of what arrived
 * @packets: packets that arrived first
 * @duplicates: packets that were known, decoded ones included
 * @too_old: packets older than all that is kept
 * @too_long: packets and symbols that are too long
 * @symbols: symbols
 * @useless: symbols of known packets, or implied by others
 * @late: symbols of a packet older than all that is kept
 * @ahead: symbols that are too far ahead of the packets
 * @decoded: packets decoded
 * @given_up: unknowns that became too old, or too many; not counting those that
 *	were only in their equations
 * @wrong: contradictions
 * @restarts: packets so far ahead that nothing was kept
 */
struct mptun_decoder_stats {
	u64 packets;
	u64 duplicates;
	u64 too_old;
	u64 too_long;
	u64 symbols;
	u64 useless;
	u64 late;
	u64 ahead;
	u64 decoded;
	u64 given_up;
	u64 wrong;
	u64 restarts;
};

/**
 * struct mptun_decoder - the receiver's side of a code
 * @field: arithmetic
 * @slot: the last dsns, a ring
 * @data: their symbols
 * @slots: number of elements of @slot
 * @len: longest symbol in bytes
 * @stride: bytes of each in @data
 * @started: @newest is valid
 * @newest: newest dsn
 * @equations: sums of unknown packets
 * @ready: dsns decoded and not taken
 * @first: index in @ready of the first one
 * @count: number of elements of @ready
 * @piece: the packet taken last
 * @stats: counters
 */
struct mptun_decoder {
	const struct mptun_field *field;
	struct mptun_decoder_slot *slot;
	u8 *data;
	unsigned int slots;
	unsigned int len;
	unsigned int stride;
	bool started;
	u32 newest;
	struct mptun_equations equations;
	u32 *ready;
	unsigned int first;
	unsigned int count;
	struct mptun_code_piece piece;
	struct mptun_decoder_stats stats;
};

int mptun_decoder_init(struct mptun_decoder *d,
		       const struct mptun_decoder_config *config, gfp_t gfp);
void mptun_decoder_destroy(struct mptun_decoder *d);
void mptun_decoder_reset(struct mptun_decoder *d);
void mptun_decoder_follow(struct mptun_decoder *d, u32 dsn);
int mptun_decoder_packet(struct mptun_decoder *d,
			 const struct mptun_code_packet *packet);
int mptun_decoder_symbol(struct mptun_decoder *d,
			 const struct mptun_repair_window *window);
bool mptun_decoder_next(struct mptun_decoder *d,
			struct mptun_code_packet *packet);

#endif /* _MPTUN_CODE_DECODER_H */
