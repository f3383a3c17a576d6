/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packet numbers received on a path, as ranges.
 */
#ifndef _MPTUN_ACK_RANGES_H
#define _MPTUN_ACK_RANGES_H

#include <linux/types.h>

#include "wire/wire.h"

/**
 * struct mptun_range - consecutive packet numbers
 * @first: lowest number
 * @last: highest number
 */
struct mptun_range {
	u64 first;
	u64 last;
};

/**
 * struct mptun_ranges - numbers received that matter to the sender
 * @floor: numbers below are forgotten
 * @count: ranges in use
 * @range: the ranges in ascending order
 */
struct mptun_ranges {
	u64 floor;
	u32 count;
	struct mptun_range range[MPTUN_RANGES_MAX];
};

/**
 * enum mptun_range_verdict - place of a received number
 * @MPTUN_RANGE_NEW_IN_ORDER: the successor of the largest, or the first one
 * @MPTUN_RANGE_NEW_GAP: larger than the largest, with a gap between them
 * @MPTUN_RANGE_NEW_FILL: smaller than the largest
 * @MPTUN_RANGE_OLD_OR_DUP: received before, or forgotten
 */
enum mptun_range_verdict {
	MPTUN_RANGE_NEW_IN_ORDER,
	MPTUN_RANGE_NEW_GAP,
	MPTUN_RANGE_NEW_FILL,
	MPTUN_RANGE_OLD_OR_DUP,
};

void mptun_ranges_init(struct mptun_ranges *r);
enum mptun_range_verdict mptun_ranges_add(struct mptun_ranges *r, u64 pn);
void mptun_ranges_prune(struct mptun_ranges *r, u64 floor);

/**
 * mptun_ranges_get() - get a range, newest first
 * @r: the ranges
 * @i: 0 for the newest; less than @r->count
 *
 * Return: the range.
 */
static inline const struct mptun_range *
mptun_ranges_get(const struct mptun_ranges *r, unsigned int i)
{
	return &r->range[r->count - 1 - i];
}

/**
 * mptun_ranges_largest() - get the largest number received
 * @r: the ranges
 * @pn: filled
 *
 * Return: false if there is none.
 */
static inline bool mptun_ranges_largest(const struct mptun_ranges *r, u64 *pn)
{
	if (!r->count)
		return false;
	*pn = r->range[r->count - 1].last;
	return true;
}

#endif /* _MPTUN_ACK_RANGES_H */
