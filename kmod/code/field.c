// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * GF(2^8), the field in which repair symbols are computed.
 *
 * A byte is a polynomial over GF(2), bit n being the coefficient of x^n; sums
 * are XORs.  The product of a factor and a byte is the sum of the factor times
 * x^n over the bits n that are set in the byte.  A word of bytes is multiplied
 * bit by bit: bit n of every byte is moved to the lowest place of that byte,
 * and the word is multiplied by (factor times x^n).  No carry leaves a byte, as
 * that number has 8 bits.
 *
 * The products do not depend on each other, so a processor computes several at
 * a time.  A table of products would be faster where it is in the cache, but an
 * access by a byte of a packet shows that byte to others on the same processor.
 * Here time and addresses depend on lengths alone.
 */
#include <linux/types.h>
#include <linux/unaligned.h>

#include "code/field.h"

/* The lowest bit of each byte of a word. */
#define MPTUN_FIELD_ONES	(~0UL / 255)

static u8 mptun_field_times_x(u8 a)
{
	return a << 1 ^ (a >> 7) * MPTUN_FIELD_POLYNOMIAL;
}

/**
 * mptun_field_mul() - multiply
 * @a: a factor
 * @b: the other one
 *
 * Return: the product.
 */
u8 mptun_field_mul(u8 a, u8 b)
{
	u8 product = 0;
	int i;

	for (i = 0; i < 8; i++) {
		product ^= (b >> i & 1) * a;
		a = mptun_field_times_x(a);
	}
	return product;
}

/**
 * mptun_field_inverse() - find the inverse
 * @a: not zero
 *
 * Return: what @a is to be multiplied by for 1; zero if @a is zero.
 */
u8 mptun_field_inverse(u8 a)
{
	u8 a2 = mptun_field_mul(a, a);
	u8 a3 = mptun_field_mul(a2, a);
	u8 a6 = mptun_field_mul(a3, a3);
	u8 a12 = mptun_field_mul(a6, a6);
	u8 a15 = mptun_field_mul(a12, a3);
	u8 a30 = mptun_field_mul(a15, a15);
	u8 a60 = mptun_field_mul(a30, a30);
	u8 a120 = mptun_field_mul(a60, a60);
	u8 a240 = mptun_field_mul(a120, a120);

	/* the power 254, as the power 255 is 1 */
	return mptun_field_mul(mptun_field_mul(a240, a12), a2);
}

static unsigned long mptun_field_mul_word(unsigned long word,
					  const unsigned long *times)
{
	return ((word & MPTUN_FIELD_ONES) * times[0] ^
		(word >> 1 & MPTUN_FIELD_ONES) * times[1]) ^
	       ((word >> 2 & MPTUN_FIELD_ONES) * times[2] ^
		(word >> 3 & MPTUN_FIELD_ONES) * times[3]) ^
	       ((word >> 4 & MPTUN_FIELD_ONES) * times[4] ^
		(word >> 5 & MPTUN_FIELD_ONES) * times[5]) ^
	       ((word >> 6 & MPTUN_FIELD_ONES) * times[6] ^
		(word >> 7 & MPTUN_FIELD_ONES) * times[7]);
}

static void mptun_field_mul_add(u8 *dst, const u8 *src, u8 factor,
				unsigned int len)
{
	unsigned long times[8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		times[i] = factor;
		factor = mptun_field_times_x(factor);
	}
	for (; len >= sizeof(long); len -= sizeof(long)) {
		unsigned long word = get_unaligned((const unsigned long *)src);
		unsigned long *to = (unsigned long *)dst;

		word = mptun_field_mul_word(word, times);
		put_unaligned(get_unaligned(to) ^ word, to);
		src += sizeof(long);
		dst += sizeof(long);
	}
	while (len--)
		*dst++ ^= mptun_field_mul_word(*src++, times);
}

/* Arithmetic in registers of any processor. */
const struct mptun_field mptun_field_portable = {
	.mul_add = mptun_field_mul_add,
};
