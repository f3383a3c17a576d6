/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.7 comparisons in constant time were declared elsewhere.
 */
#ifndef _MPTUN_COMPAT_CRYPTO_UTILS_H
#define _MPTUN_COMPAT_CRYPTO_UTILS_H

#ifdef MPTUN_HAVE_CRYPTO_UTILS
#include_next <crypto/utils.h>
#else
#include <crypto/algapi.h>
#endif

#endif /* _MPTUN_COMPAT_CRYPTO_UTILS_H */
