// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Symbols of packets, and their coefficients.
 *
 * The symbol of a packet is a header with what a receiver cannot know
 * otherwise, then the packet, then zeros without end.  Packets of any lengths
 * can be added so, and the zeros are not sent.
 */
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "code/symbol.h"

/**
 * mptun_code_hash() - mix a seed and a dsn
 * @seed: seed of a repair symbol
 * @dsn: dsn of a packet
 *
 * Part of the protocol: the upper 8 bits give the coefficient.  Seeds are far
 * from each other in the sequence of dsns, so no two symbols of a window have
 * the same coefficients.
 *
 * Return: 32 bits, each of which depends on all of @seed and @dsn.
 */
u32 mptun_code_hash(u16 seed, u32 dsn)
{
	u32 x = dsn + seed * 0x9e3779b9U;

	x = (x ^ x >> 16) * 0x85ebca6bU;
	x = (x ^ x >> 13) * 0xc2b2ae35U;
	return x ^ x >> 16;
}

/**
 * mptun_symbol_len() - length of the symbol of a packet
 * @packet: the packet
 *
 * Return: length in bytes; 0 if the packet has none, as it is empty or too
 * long.
 */
unsigned int mptun_symbol_len(const struct mptun_code_packet *packet)
{
	unsigned int i, len = 0;

	for (i = 0; i < packet->pieces; i++) {
		if (packet->piece[i].len > U16_MAX - len)
			return 0;
		len += packet->piece[i].len;
	}
	return len ? sizeof(struct mptun_symbol) + len : 0;
}

/**
 * mptun_symbol_head() - fill the header of a symbol
 * @head: the header
 * @packet: its packet
 * @len: length of the symbol
 */
void mptun_symbol_head(struct mptun_symbol *head,
		       const struct mptun_code_packet *packet,
		       unsigned int len)
{
	head->len = cpu_to_be16(len - sizeof(*head));
	head->prev = cpu_to_be16(packet->prev);
	head->flags = packet->flags & MPTUN_F_SYMBOL;
	head->class = packet->class & MPTUN_CLASS_MASK;
}

/**
 * mptun_symbol_valid() - check whether bytes are the symbol of a packet
 * @data: the bytes, aligned to 2
 * @len: their number
 *
 * Return: true if the header is right, and all behind the packet is zero.
 */
bool mptun_symbol_valid(const u8 *data, unsigned int len)
{
	const struct mptun_symbol *head = (const void *)data;
	unsigned int end;

	if (len <= sizeof(*head))
		return false;
	if (!head->len || head->class > MPTUN_CLASS_MASK ||
	    head->flags & ~MPTUN_F_SYMBOL)
		return false;

	end = sizeof(*head) + be16_to_cpu(head->len);
	return end <= len && !memchr_inv(data + end, 0, len - end);
}
