// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Random bytes that must not occur twice: ephemeral keys, nonces, instances and
 * secrets of cookies.
 *
 * A machine that has resumed from an image of hibernation continues with the
 * state of the random number generator in the image until the kernel reseeds
 * it, a minute later.  If the image is resumed twice both machines draw the
 * same bytes.  So the time of day and a counter of the CPU are hashed in, which
 * differ.  They need not be secret.
 *
 * Early at boot random numbers cannot be trusted yet.  Until they can, there is
 * no ephemeral key, and so no handshake, and no secret of cookies.
 */
#include <crypto/blake2s.h>
#include <crypto/curve25519.h>
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/build_bug.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/timex.h>

#include "crypto/random.h"

static_assert(MPTUN_RANDOM_MAX == BLAKE2S_HASH_SIZE);
static_assert(MPTUN_RANDOM_MAX == CURVE25519_KEY_SIZE);

/**
 * mptun_random_ready() - check whether random numbers can be trusted
 *
 * Return: true if they can.
 */
bool mptun_random_ready(void)
{
	KUNIT_STATIC_STUB_REDIRECT(mptun_random_ready);
	return rng_is_initialized();
}

/* Hashes a seed. */
VISIBLE_IF_KUNIT void mptun_random_make(const struct mptun_random_seed *seed,
					void *out, size_t len)
{
	u8 hash[BLAKE2S_HASH_SIZE];
	struct blake2s_ctx ctx;

	blake2s_init(&ctx, sizeof(hash));
	blake2s_update(&ctx, (const u8 *)seed, sizeof(*seed));
	blake2s_final(&ctx, hash);
	memcpy(out, hash, min(len, sizeof(hash)));
	memzero_explicit(hash, sizeof(hash));
}

/**
 * mptun_random_bytes() - draw random bytes
 * @out: filled
 * @len: number of bytes, at most MPTUN_RANDOM_MAX
 */
void mptun_random_bytes(void *out, size_t len)
{
	struct mptun_random_seed seed;

	get_random_bytes(seed.random, sizeof(seed.random));
	seed.real_ns = ktime_get_real_ns();
	seed.cycles = random_get_entropy();
	mptun_random_make(&seed, out, len);
	memzero_explicit(&seed, sizeof(seed));
}

/**
 * mptun_random_ephemeral() - draw an ephemeral key
 * @secret: filled
 *
 * Return: false if random numbers cannot be trusted yet; then there is no key.
 */
bool mptun_random_ephemeral(u8 secret[MPTUN_RANDOM_MAX])
{
	if (!mptun_random_ready())
		return false;
	mptun_random_bytes(secret, CURVE25519_KEY_SIZE);
	curve25519_clamp_secret(secret);
	return true;
}
