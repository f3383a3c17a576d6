/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Memory of encoders and decoders.
 */
#ifndef _MPTUN_CODE_MEMORY_H
#define _MPTUN_CODE_MEMORY_H

#include <linux/gfp.h>
#include <linux/types.h>

void *mptun_code_alloc(size_t n, size_t size, gfp_t gfp);

#endif /* _MPTUN_CODE_MEMORY_H */
