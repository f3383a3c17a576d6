// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sets of address prefixes.
 *
 * A set is a sorted array in which no prefix contains another one, so at most
 * one can match an address: the last one that is not larger.  The kernel's
 * longest-prefix matches, for routes and for BPF, need much more around them.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mptun.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "base/prefix.h"

/* Order of an entry: version, length, two zeros, 16 bytes of address. */
#define MPTUN_PREFIX_ADDRESS	4

/* Returns the part of an address that a prefix length covers. */
static struct mptun_prefix mptun_prefix_cut(const struct mptun_prefix *address,
					    u8 len)
{
	struct mptun_prefix cut = { .version = address->version, .len = len };

	if (len)
		cut.hi = address->hi & U64_MAX << (64 - min_t(u8, len, 64));
	if (len > 64)
		cut.lo = address->lo & U64_MAX << (128 - len);
	return cut;
}

static bool mptun_prefix_contains(const struct mptun_prefix *prefix,
				  const struct mptun_prefix *other)
{
	struct mptun_prefix cut = mptun_prefix_cut(other, prefix->len);

	return prefix->version == other->version && prefix->len <= other->len &&
	       prefix->hi == cut.hi && prefix->lo == cut.lo;
}

/* Returns true if @a comes after @b, which may contain it. */
static bool mptun_prefix_after(const struct mptun_prefix *a,
			       const struct mptun_prefix *b)
{
	if (a->version != b->version)
		return a->version > b->version;
	if (a->hi != b->hi)
		return a->hi > b->hi;
	if (a->lo != b->lo)
		return a->lo > b->lo;
	return a->len > b->len;
}

/**
 * mptun_prefix_read() - read a prefix as user space writes it
 * @prefix: filled in
 * @entry: MPTUN_ALLOWED_IP_LEN bytes
 *
 * Bits behind the prefix are ignored.
 *
 * Return: 0, or -EINVAL if it is none.
 */
int mptun_prefix_read(struct mptun_prefix *prefix, const u8 *entry)
{
	const u8 *address = entry + MPTUN_PREFIX_ADDRESS;
	struct mptun_prefix full = {
		.version = entry[0],
		.hi = get_unaligned_be64(address),
		.lo = get_unaligned_be64(address + 8),
	};

	if (entry[0] == 4)
		full.hi &= ~(u64)U32_MAX;
	if ((entry[0] != 4 && entry[0] != 6) ||
	    entry[1] > (entry[0] == 4 ? 32 : 128) || entry[2] || entry[3])
		return -EINVAL;
	*prefix = mptun_prefix_cut(&full, entry[1]);
	return 0;
}

/**
 * mptun_prefix_write() - write a prefix for user space
 * @prefix: the prefix
 * @entry: MPTUN_ALLOWED_IP_LEN bytes, filled in
 */
void mptun_prefix_write(const struct mptun_prefix *prefix, u8 *entry)
{
	memset(entry, 0, MPTUN_ALLOWED_IP_LEN);
	entry[0] = prefix->version;
	entry[1] = prefix->len;
	put_unaligned_be64(prefix->hi, entry + MPTUN_PREFIX_ADDRESS);
	put_unaligned_be64(prefix->lo, entry + MPTUN_PREFIX_ADDRESS + 8);
}

/**
 * mptun_prefix_merge() - make a set of an array of prefixes
 * @set: the array
 * @n: number of prefixes, small
 *
 * Sorts it, and removes what another prefix contains.
 *
 * Return: number of prefixes left.
 */
unsigned int mptun_prefix_merge(struct mptun_prefix *set, unsigned int n)
{
	unsigned int i, at, left = 0;
	struct mptun_prefix prefix;

	for (i = 1; i < n; i++) {
		prefix = set[i];
		for (at = i; at && mptun_prefix_after(&set[at - 1], &prefix);
		     at--)
			set[at] = set[at - 1];
		set[at] = prefix;
	}
	for (i = 0; i < n; i++)
		if (!left || !mptun_prefix_contains(&set[left - 1], &set[i]))
			set[left++] = set[i];
	return left;
}

/**
 * mptun_prefix_match() - look an address up in a set
 * @set: the set
 * @n: number of its prefixes
 * @address: the address, all of its bits set as length
 *
 * Return: true if a prefix contains it.
 */
bool mptun_prefix_match(const struct mptun_prefix *set, unsigned int n,
			const struct mptun_prefix *address)
{
	unsigned int low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (mptun_prefix_after(&set[middle], address))
			high = middle;
		else
			low = middle + 1;
	}
	return low && mptun_prefix_contains(&set[low - 1], address);
}
