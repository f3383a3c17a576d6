/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cutting: one segment of a GSO packet, written where it is wanted.
 */
#ifndef _MPTUN_CUT_H
#define _MPTUN_CUT_H

#include <linux/minmax.h>
#include <linux/types.h>

struct sk_buff;

/**
 * struct mptun_segment - how a GSO packet is to be cut
 * @head: bytes of headers that each segment gets
 * @size: bytes of payload of each segment but the last, which may have less
 * @payload: bytes of payload of all of them
 */
struct mptun_segment {
	u32 head;
	u32 size;
	u32 payload;
};

/**
 * mptun_segment_payload() - payload of a segment
 * @cut: how the packet is cut
 * @offset: where the segment begins, below @cut->payload
 *
 * Return: bytes.
 */
static inline u32 mptun_segment_payload(const struct mptun_segment *cut, u32 offset)
{
	return min(cut->size, cut->payload - offset);
}

bool mptun_segment_init(struct mptun_segment *cut, struct sk_buff *skb);
const u8 *mptun_segment_piece(const struct mptun_segment *cut,
			  const struct sk_buff *skb, u32 offset);
void mptun_segment_headers(const struct mptun_segment *cut, struct sk_buff *skb,
		       u32 offset, u8 *to);
void mptun_segment_segment(const struct mptun_segment *cut, struct sk_buff *skb,
		       u32 offset, u8 *to);

#endif /* _MPTUN_CUT_H */
