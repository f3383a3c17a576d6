// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packet numbers received on a path, as ranges.
 *
 * The model: what a receiver tells the sender (RFC 9000 section 13.2.3) are
 * the numbers it has, as at most 64 ranges.  They stand in an array in
 * ascending order.  A number that continues the newest range, the usual case,
 * is one comparison and one addition; a new gap appends; a number that fills
 * a gap moves the part of the array above it.  When a range too many comes up
 * the oldest is forgotten, as if the sender had lost interest in it: what was
 * acknowledged in earlier reports does not have to be said for ever.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "reorder/ack_ranges.h"

/**
 * mptun_ranges_init() - nothing received
 * @r: the ranges
 */
void mptun_ranges_init(struct mptun_ranges *r)
{
	r->floor = 0;
	r->count = 0;
}

static void mptun_ranges_remove(struct mptun_ranges *r, u32 at, u32 n)
{
	r->count -= n;
	memmove(&r->range[at], &r->range[at + n],
		(r->count - at) * sizeof(r->range[0]));
}

/* Make room for one range below index @at, which is given up if it would have
 * to be the oldest one of a full array.
 */
static void mptun_ranges_insert(struct mptun_ranges *r, u32 at, u64 pn)
{
	if (r->count == MPTUN_RANGES_MAX) {
		if (!at) {
			r->floor = pn + 1;
			return;
		}
		r->floor = r->range[0].last + 1;
		mptun_ranges_remove(r, 0, 1);
		at--;
	}
	memmove(&r->range[at + 1], &r->range[at],
		(r->count - at) * sizeof(r->range[0]));
	r->range[at].first = pn;
	r->range[at].last = pn;
	r->count++;
}

/* @pn is smaller than the largest number. */
static enum mptun_range_verdict mptun_ranges_fill(struct mptun_ranges *r,
						  u64 pn)
{
	struct mptun_range *above;
	u32 i = r->count - 1;

	/* The newest range is at i; find the lowest one that ends above. */
	while (i && r->range[i - 1].last >= pn)
		i--;
	above = &r->range[i];
	if (pn >= above->first)
		return MPTUN_RANGE_OLD_OR_DUP;

	if (i && r->range[i - 1].last + 1 == pn) {
		r->range[i - 1].last = pn;
		if (pn + 1 == above->first) {
			r->range[i - 1].last = above->last;
			mptun_ranges_remove(r, i, 1);
		}
	} else if (pn + 1 == above->first) {
		above->first = pn;
	} else {
		mptun_ranges_insert(r, i, pn);
	}
	return MPTUN_RANGE_NEW_FILL;
}

/* All that came is below the floor, and the largest of it was kept to be named
 * in reports; from now on that is @pn.
 */
static enum mptun_range_verdict mptun_ranges_replace(struct mptun_range *only,
						     u64 pn)
{
	bool next = pn == only->last + 1;

	only->first = pn;
	only->last = pn;
	return next ? MPTUN_RANGE_NEW_IN_ORDER : MPTUN_RANGE_NEW_GAP;
}

/**
 * mptun_ranges_add() - a packet was received
 * @r: the ranges
 * @pn: its number, below 2^64 - 1
 *
 * Return: how it fits in.
 */
enum mptun_range_verdict mptun_ranges_add(struct mptun_ranges *r, u64 pn)
{
	struct mptun_range *newest;

	if (pn < r->floor)
		return MPTUN_RANGE_OLD_OR_DUP;
	if (!r->count) {
		mptun_ranges_insert(r, 0, pn);
		return MPTUN_RANGE_NEW_IN_ORDER;
	}
	newest = &r->range[r->count - 1];
	if (newest->last < r->floor)
		return mptun_ranges_replace(newest, pn);
	if (pn == newest->last + 1) {
		newest->last = pn;
		return MPTUN_RANGE_NEW_IN_ORDER;
	}
	if (pn > newest->last) {
		mptun_ranges_insert(r, r->count, pn);
		return MPTUN_RANGE_NEW_GAP;
	}
	return mptun_ranges_fill(r, pn);
}

/**
 * mptun_ranges_prune() - the sender has no interest in older numbers
 * @r: the ranges
 * @floor: lowest number of interest
 *
 * The newest range is kept, if only with its largest number: a report always
 * names that one.
 */
void mptun_ranges_prune(struct mptun_ranges *r, u64 floor)
{
	u32 n = 0;

	if (floor <= r->floor)
		return;
	r->floor = floor;
	if (!r->count)
		return;

	while (n < r->count - 1 && r->range[n].last < floor)
		n++;
	mptun_ranges_remove(r, 0, n);
	if (r->range[0].first < floor)
		r->range[0].first = min(floor, r->range[0].last);
}
