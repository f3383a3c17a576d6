/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Symbols of packets, and their coefficients.
 */
#ifndef _MPTUN_CODE_SYMBOL_H
#define _MPTUN_CODE_SYMBOL_H

#include <linux/types.h>

#include "wire/wire.h"

/* What a REPAIR is longer than the longest packet in it, at most. */
#define MPTUN_SYMBOL_HEAD	(sizeof(struct mptun_repair) + \
				 MPTUN_REPAIR_WORDS * sizeof(__be32) + \
				 sizeof(struct mptun_symbol))

/**
 * struct mptun_code_piece - some bytes of a packet
 * @data: the first one
 * @len: their number
 */
struct mptun_code_piece {
	const u8 *data;
	unsigned int len;
};

/**
 * struct mptun_code_packet - a DATA packet as it is coded
 * @dsn: its dsn
 * @prev: see &struct mptun_inner
 * @flags: MPTUN_F_*; those that are not in MPTUN_F_SYMBOL are left out
 * @class: its class
 * @pieces: number of pieces
 * @piece: its body without blocks, in pieces
 */
struct mptun_code_packet {
	u32 dsn;
	u16 prev;
	u8 flags;
	u8 class;
	unsigned int pieces;
	const struct mptun_code_piece *piece;
};

u32 mptun_code_hash(u16 seed, u32 dsn);
unsigned int mptun_symbol_len(const struct mptun_code_packet *packet);
void mptun_symbol_head(struct mptun_symbol *head,
		       const struct mptun_code_packet *packet,
		       unsigned int len);
bool mptun_symbol_valid(const u8 *data, unsigned int len);

/**
 * mptun_symbol_fits() - check whether a packet may be coded
 * @len: its length in bytes
 * @mtu: largest inner packet of its path
 *
 * Of packets of several paths, a symbol fits into that of the longest one.
 *
 * Return: true if each symbol of it and of shorter ones fits into the path.
 */
static inline bool mptun_symbol_fits(u32 len, u32 mtu)
{
	return len <= MPTUN_FRAG_INNER_MAX && len + MPTUN_SYMBOL_HEAD <= mtu;
}

/**
 * mptun_code_coefficient() - compute the coefficient of a member
 * @seed: seed of the repair symbol
 * @dsn: dsn of the member
 *
 * Return: 1 to 255, each about as often.
 */
static inline u8 mptun_code_coefficient(u16 seed, u32 dsn)
{
	return ((mptun_code_hash(seed, dsn) >> 24) * 255 >> 8) + 1;
}

#endif /* _MPTUN_CODE_SYMBOL_H */
