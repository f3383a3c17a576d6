/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Serial arithmetic (RFC 1982) on 32-bit sequence numbers.
 */
#ifndef _MPTUN_SEQ_H
#define _MPTUN_SEQ_H

#include <linux/types.h>

/**
 * mptun_seq_before() - compare two sequence numbers
 * @a: first number
 * @b: second number, less than 2^31 away from @a
 *
 * Return: true if @a is older than @b.
 */
static inline bool mptun_seq_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * mptun_seq_after() - compare two sequence numbers
 * @a: first number
 * @b: second number, less than 2^31 away from @a
 *
 * Return: true if @a is newer than @b.
 */
static inline bool mptun_seq_after(u32 a, u32 b)
{
	return mptun_seq_before(b, a);
}

#endif /* _MPTUN_SEQ_H */
