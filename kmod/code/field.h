/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * GF(2^8), the field in which repair symbols are computed.
 */
#ifndef _MPTUN_CODE_FIELD_H
#define _MPTUN_CODE_FIELD_H

#include <linux/types.h>

/* x^8 + x^4 + x^3 + x^2 + 1 */
#define MPTUN_FIELD_POLYNOMIAL	0x11d

/**
 * struct mptun_field - arithmetic on ranges of bytes
 * @mul_add: adds to each byte of @dst that of @src times @factor; @dst and @src
 *	are the same range or do not overlap, and need no alignment
 *
 * An encoder or decoder calls the one it was given.  One for vector
 * instructions is for callers that may use them: they enclose all calls of an
 * encoder or decoder.
 */
struct mptun_field {
	void (*mul_add)(u8 *dst, const u8 *src, u8 factor, unsigned int len);
};

extern const struct mptun_field mptun_field_portable;

u8 mptun_field_mul(u8 a, u8 b);
u8 mptun_field_inverse(u8 a);

#endif /* _MPTUN_CODE_FIELD_H */
