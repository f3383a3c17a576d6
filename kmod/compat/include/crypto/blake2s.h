/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.18 the state of a hash had another name.
 */
#ifndef _MPTUN_COMPAT_CRYPTO_BLAKE2S_H
#define _MPTUN_COMPAT_CRYPTO_BLAKE2S_H

#include_next <crypto/blake2s.h>

#ifndef MPTUN_HAVE_BLAKE2S_CTX
#define blake2s_ctx blake2s_state
#endif

#endif /* _MPTUN_COMPAT_CRYPTO_BLAKE2S_H */
