// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Memory of encoders and decoders.
 */
#include <kunit/static_stub.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "code/memory.h"

/**
 * mptun_code_alloc() - allocate what an encoder or decoder has for its life
 * @n: number of elements
 * @size: size of an element
 * @gfp: how to allocate
 *
 * Return: memory for kvfree(), all zero, or NULL.
 */
void *mptun_code_alloc(size_t n, size_t size, gfp_t gfp)
{
	KUNIT_STATIC_STUB_REDIRECT(mptun_code_alloc, n, size, gfp);
	return kvcalloc(n, size, gfp);
}
