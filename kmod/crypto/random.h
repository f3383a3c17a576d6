/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Random bytes that must not occur twice.
 */
#ifndef _MPTUN_CRYPTO_RANDOM_H
#define _MPTUN_CRYPTO_RANDOM_H

#include <linux/types.h>

#define MPTUN_RANDOM_MAX	32	/* bytes at once */

/**
 * struct mptun_random_seed - what random bytes are made of
 * @random: random bytes of the kernel
 * @real_ns: time of day
 * @cycles: counter of the CPU
 */
struct mptun_random_seed {
	u8 random[MPTUN_RANDOM_MAX];
	u64 real_ns;
	u64 cycles;
};

bool mptun_random_ready(void);
void mptun_random_bytes(void *out, size_t len);
bool mptun_random_ephemeral(u8 secret[MPTUN_RANDOM_MAX]);

#if IS_ENABLED(CONFIG_KUNIT)
void mptun_random_make(const struct mptun_random_seed *seed, void *out,
		       size_t len);
#endif

#endif /* _MPTUN_CRYPTO_RANDOM_H */
