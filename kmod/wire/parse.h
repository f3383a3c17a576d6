/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parser of the body of a PACKET.
 */
#ifndef _MPTUN_PARSE_H
#define _MPTUN_PARSE_H

#include <linux/types.h>

#include "wire/wire.h"

/**
 * struct mptun_parse_block - a block of a body
 * @type: &enum mptun_block_type, possibly unknown
 * @data: its content
 * @len: length of @data in bytes
 */
struct mptun_parse_block {
	u8 type;
	const u8 *data;
	unsigned int len;
};

/**
 * struct mptun_ack_span - consecutive packet numbers that were received
 * @first: lowest number
 * @last: highest number
 */
struct mptun_ack_span {
	u64 first;
	u64 last;
};

/**
 * struct mptun_repair_window - a repair symbol and its members
 * @last: dsn of the newest member
 * @map: bit n of this number of 128 bits, the lower half first, is set if
 *	@last - n is a member; bit 0 is set
 * @members: number of members
 * @seed: gives the coefficients
 * @data: the symbol
 * @len: its length in bytes
 */
struct mptun_repair_window {
	u32 last;
	u64 map[MPTUN_REPAIR_SPAN / 64];
	unsigned int members;
	u16 seed;
	const u8 *data;
	unsigned int len;
};

bool mptun_parse_outer(const struct mptun_outer *outer);
bool mptun_parse_known(u8 kind, bool control, u8 flags);
int mptun_parse_next(const u8 **data, unsigned int *len,
		     struct mptun_parse_block *block);
int mptun_parse_blocks(const u8 *data, unsigned int len);
const struct mptun_ack *mptun_parse_ack(const u8 *data, unsigned int len);
int mptun_parse_spans(const struct mptun_ack *ack,
		      struct mptun_ack_span *spans);
const struct mptun_frag *mptun_parse_frag(const u8 *data, unsigned int len);
const struct mptun_probe *mptun_parse_probe(const u8 *data, unsigned int len);
int mptun_parse_repair(u32 dsn, const u8 *data, unsigned int len,
		       struct mptun_repair_window *window);
unsigned int mptun_parse_inner(const u8 *data, unsigned int len,
			       __be16 *protocol);

#endif /* _MPTUN_PARSE_H */
