/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.3 the completion of a request was given the request, which knows
 * the data of its owner; later it is given that data.
 */
#ifndef _MPTUN_COMPAT_CRYPTO_AEAD_H
#define _MPTUN_COMPAT_CRYPTO_AEAD_H

#include_next <crypto/aead.h>

#ifdef MPTUN_HAVE_CRYPTO_COMPLETION_DATA
#define MPTUN_CRYPTO_DONE(name) name
#define MPTUN_CRYPTO_COMPLETION(name)
#else
#define MPTUN_CRYPTO_DONE(name) name##_request
#define MPTUN_CRYPTO_COMPLETION(name)					\
static void name##_request(struct crypto_async_request *base, int err)	\
{									\
	name(base->data, err);						\
}
#endif

#endif /* _MPTUN_COMPAT_CRYPTO_AEAD_H */
