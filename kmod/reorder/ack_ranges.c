// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packet numbers received on a path, as ranges.
 *
 * A receiver reports the numbers it has as at most 64 ranges (RFC 9000, section
 * 13.2.3), kept in ascending order in an array.  The next number, the usual
 * case, costs one comparison and one addition; a new gap appends a range; a
 * number inside a gap moves the part of the array above it.  When the array is
 * full the oldest range is dropped: what earlier reports acknowledged need not
 * be repeated forever.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "reorder/ack_ranges.h"

/**
 * mptun_ranges_init() - initialise without numbers
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

/* Inserts a range below index @at, unless it would be the oldest one of a full
 * array.
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

	/* Find the lowest range that ends at or above @pn. */
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

/**
 * mptun_ranges_add() - add a received number
 * @r: the ranges
 * @pn: packet number, below 2^64 - 1
 *
 * Return: &enum mptun_range_verdict.
 */
enum mptun_range_verdict mptun_ranges_add(struct mptun_ranges *r, u64 pn)
{
	struct mptun_range *newest;
	bool next;

	if (pn < r->floor)
		return MPTUN_RANGE_OLD_OR_DUP;
	if (!r->count) {
		mptun_ranges_insert(r, 0, pn);
		return MPTUN_RANGE_NEW_IN_ORDER;
	}
	newest = &r->range[r->count - 1];
	next = pn == newest->last + 1;
	if (newest->last < r->floor) {
		/* All are below the floor; this one was kept for reports. */
		newest->first = pn;
		newest->last = pn;
		return next ? MPTUN_RANGE_NEW_IN_ORDER : MPTUN_RANGE_NEW_GAP;
	}
	if (next) {
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
 * mptun_ranges_prune() - forget numbers below the sender's floor
 * @r: the ranges
 * @floor: lowest number that matters
 *
 * Keeps at least the largest number, which every report contains.
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
