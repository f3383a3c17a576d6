/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.16 the state of ChaCha20 was an array of words.
 */
#ifndef _MPTUN_COMPAT_CRYPTO_CHACHA_H
#define _MPTUN_COMPAT_CRYPTO_CHACHA_H

#include_next <crypto/chacha.h>

#ifndef MPTUN_HAVE_CHACHA_STATE
struct chacha_state {
	u32 x[CHACHA_STATE_WORDS];
};

#define chacha_init(state, key, iv)	chacha_init((state)->x, key, iv)
#define chacha20_crypt(state, dst, src, bytes) \
	chacha20_crypt((state)->x, dst, src, bytes)
#endif

#endif /* _MPTUN_COMPAT_CRYPTO_CHACHA_H */
