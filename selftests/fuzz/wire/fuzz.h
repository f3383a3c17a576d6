/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What all fuzzers share: bytes that make up their mind, and what must hold.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include "shim.h"

#define FUZZ_CHECK(x)	do {						\
	if (!(x)) {							\
		fprintf(stderr, "FAILED: %s:%d: %s\n", __FILE__,	\
			__LINE__, #x);					\
		abort();						\
	}								\
} while (0)

/**
 * struct fuzz_in - what is left of an input
 * @data: the next byte
 * @len: the number of bytes from there on
 */
struct fuzz_in {
	const u8 *data;
	size_t len;
};

/**
 * fuzz_take() - the next bytes of an input as a number, zeros behind its end
 * @in: the input
 * @bytes: how many, at most 8
 *
 * Return: the number.
 */
static inline u64 fuzz_take(struct fuzz_in *in, unsigned int bytes)
{
	u64 x = 0;

	while (bytes--) {
		x <<= 8;
		if (in->len) {
			x |= *in->data++;
			in->len--;
		}
	}
	return x;
}

/**
 * fuzz_copy() - the next bytes of an input, in memory that ends with them
 * @in: the input
 * @len: how many; set to what there was
 *
 * Return: the memory, aligned to 8 bytes, to be freed.
 */
static inline u8 *fuzz_copy(struct fuzz_in *in, size_t *len)
{
	u8 *p;

	*len = min(*len, in->len);
	/* an empty one is memory all the same */
	p = malloc(*len);
	if (!p)
		abort();
	memcpy(p, in->data, *len);
	in->data += *len;
	in->len -= *len;
	return p;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

#endif /* _FUZZ_H */
