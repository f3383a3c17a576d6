/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Segmentation: one segment of a GSO packet at a time, at any address.
 */
#ifndef _MPTUN_SEGMENT_H
#define _MPTUN_SEGMENT_H

#include <linux/minmax.h>
#include <linux/types.h>

struct sk_buff;

/**
 * struct mptun_segment - segmentation of a GSO packet
 * @head: bytes of headers of each segment
 * @size: bytes of payload of each segment except the last, which may be shorter
 * @payload: bytes of payload of all segments
 */
struct mptun_segment {
	u32 head;
	u32 size;
	u32 payload;
};

/**
 * mptun_segment_payload() - payload of a segment
 * @cut: segmentation of the packet
 * @offset: first payload byte of the segment, below @cut->payload
 *
 * Return: bytes.
 */
static inline u32 mptun_segment_payload(const struct mptun_segment *cut,
					u32 offset)
{
	return min(cut->size, cut->payload - offset);
}

bool mptun_segment_init(struct mptun_segment *cut, struct sk_buff *skb);
const u8 *mptun_segment_piece(const struct mptun_segment *cut,
			      const struct sk_buff *skb, u32 offset);
void mptun_segment_headers(const struct mptun_segment *cut, struct sk_buff *skb,
			   u32 offset, u8 *to);
void mptun_segment_write(const struct mptun_segment *cut, struct sk_buff *skb,
			 u32 offset, u8 *to);

#endif /* _MPTUN_SEGMENT_H */
