/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sets of address prefixes.
 */
#ifndef _MPTUN_PREFIX_H
#define _MPTUN_PREFIX_H

#include <linux/types.h>

/**
 * struct mptun_prefix - an address with the length of its network part
 * @hi: first 8 bytes of the address; of an IPv4 address the upper half
 * @lo: last 8 bytes
 * @version: 4 or 6
 * @len: bits that count, the others are 0
 */
struct mptun_prefix {
	u64 hi;
	u64 lo;
	u8 version;
	u8 len;
};

int mptun_prefix_read(struct mptun_prefix *prefix, const u8 *entry);
void mptun_prefix_write(const struct mptun_prefix *prefix, u8 *entry);
unsigned int mptun_prefix_merge(struct mptun_prefix *set, unsigned int n);
bool mptun_prefix_match(const struct mptun_prefix *set, unsigned int n,
			const struct mptun_prefix *address);

#endif /* _MPTUN_PREFIX_H */
