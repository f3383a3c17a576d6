// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s (the Noise Protocol Framework, revision
 * 34): two messages, one shared key.
 *
 *	-> psk, e	payload
 *	<- e, ee	payload
 *
 * All messages and secrets are hashed into a chain in order.  Without the
 * shared key even the first payload is unreadable; an attacker who learns it
 * later cannot read packets after the second message, as both ephemeral keys
 * have been erased.
 *
 * The first message needs only symmetric operations: its receiver does no
 * multiplication on the curve until it is authenticated.
 */
#include <linux/string.h>

#include "crypto/noise.h"

#define MPTUN_NOISE_BLOCK	64	/* of BLAKE2s, for HMAC */

static const char mptun_noise_name[] = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
static const char mptun_noise_prologue[] = "mptun 1";

static void mptun_noise_hash2(u8 *out, const void *a, size_t a_len,
			      const void *b, size_t b_len)
{
	struct blake2s_ctx ctx;

	blake2s_init(&ctx, BLAKE2S_HASH_SIZE);
	blake2s_update(&ctx, a, a_len);
	blake2s_update(&ctx, b, b_len);
	blake2s_final(&ctx, out);
}

/* HMAC (RFC 2104), which Noise uses with every hash; @key is a hash. */
static void mptun_noise_hmac(u8 *out, const u8 *key, const void *a,
			     size_t a_len, const void *b, size_t b_len)
{
	u8 pad[MPTUN_NOISE_BLOCK], inner[BLAKE2S_HASH_SIZE];
	struct blake2s_ctx ctx;
	unsigned int i;

	memset(pad, 0x36, sizeof(pad));
	for (i = 0; i < BLAKE2S_HASH_SIZE; i++)
		pad[i] ^= key[i];
	blake2s_init(&ctx, BLAKE2S_HASH_SIZE);
	blake2s_update(&ctx, pad, sizeof(pad));
	blake2s_update(&ctx, a, a_len);
	blake2s_update(&ctx, b, b_len);
	blake2s_final(&ctx, inner);

	for (i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	mptun_noise_hash2(out, pad, sizeof(pad), inner, sizeof(inner));
	memzero_explicit(pad, sizeof(pad));
	memzero_explicit(inner, sizeof(inner));
}

/* HKDF (RFC 5869) as in the specification, with up to three outputs. */
static void mptun_noise_kdf(const u8 *chain, const void *input, size_t len,
			    u8 *first, u8 *second, u8 *third)
{
	u8 secret[BLAKE2S_HASH_SIZE], out[BLAKE2S_HASH_SIZE];
	u8 count = 1;

	mptun_noise_hmac(secret, chain, input, len, NULL, 0);
	mptun_noise_hmac(out, secret, &count, 1, NULL, 0);
	memcpy(first, out, sizeof(out));
	count++;
	mptun_noise_hmac(out, secret, out, sizeof(out), &count, 1);
	memcpy(second, out, sizeof(out));
	if (third) {
		count++;
		mptun_noise_hmac(out, secret, out, sizeof(out), &count, 1);
		memcpy(third, out, sizeof(out));
	}
	memzero_explicit(secret, sizeof(secret));
	memzero_explicit(out, sizeof(out));
}

static void mptun_noise_mix_hash(struct mptun_noise *noise, const void *data,
				 size_t len)
{
	mptun_noise_hash2(noise->hash, noise->hash, sizeof(noise->hash), data,
			  len);
}

static void mptun_noise_mix_key(struct mptun_noise *noise, const u8 *input)
{
	u8 chain[BLAKE2S_HASH_SIZE];

	mptun_noise_kdf(noise->chain, input, MPTUN_NOISE_KEY, chain,
			noise->key, NULL);
	memcpy(noise->chain, chain, sizeof(chain));
	memzero_explicit(chain, sizeof(chain));
}

/* With a psk, ephemeral keys are also mixed into the chaining key. */
static void mptun_noise_mix_public(struct mptun_noise *noise,
				   const u8 *public)
{
	mptun_noise_mix_hash(noise, public, MPTUN_NOISE_PUBLIC);
	mptun_noise_mix_key(noise, public);
}

static bool mptun_noise_mix_dh(struct mptun_noise *noise, const u8 *peer)
{
	u8 shared[CURVE25519_KEY_SIZE];
	bool good;

	good = curve25519(shared, noise->ephemeral, peer);
	if (good)
		mptun_noise_mix_key(noise, shared);
	memzero_explicit(shared, sizeof(shared));
	memzero_explicit(noise->ephemeral, sizeof(noise->ephemeral));
	return good;
}

static void mptun_noise_seal(struct mptun_noise *noise, u8 *sealed,
			     const u8 *payload, size_t len)
{
	chacha20poly1305_encrypt(sealed, payload, len, noise->hash,
				 sizeof(noise->hash), 0, noise->key);
	mptun_noise_mix_hash(noise, sealed, len + MPTUN_NOISE_TAG);
}

static bool mptun_noise_open(struct mptun_noise *noise, u8 *payload,
			     const u8 *sealed, size_t len)
{
	if (!chacha20poly1305_decrypt(payload, sealed, len + MPTUN_NOISE_TAG,
				      noise->hash, sizeof(noise->hash), 0,
				      noise->key))
		return false;
	mptun_noise_mix_hash(noise, sealed, len + MPTUN_NOISE_TAG);
	return true;
}

/**
 * mptun_noise_begin() - initialise a handshake
 * @noise: the handshake
 * @psk: the shared key
 *
 * The result depends on the key only and may be cached.
 */
void mptun_noise_begin(struct mptun_noise *noise,
		       const u8 psk[MPTUN_NOISE_KEY])
{
	u8 chain[BLAKE2S_HASH_SIZE], hash[BLAKE2S_HASH_SIZE];

	memset(noise, 0, sizeof(*noise));
	mptun_noise_hash2(noise->hash, mptun_noise_name,
			  sizeof(mptun_noise_name) - 1, NULL, 0);
	memcpy(noise->chain, noise->hash, sizeof(noise->chain));
	mptun_noise_mix_hash(noise, mptun_noise_prologue,
			     sizeof(mptun_noise_prologue) - 1);

	mptun_noise_kdf(noise->chain, psk, MPTUN_NOISE_KEY, chain, hash,
			noise->key);
	memcpy(noise->chain, chain, sizeof(chain));
	mptun_noise_mix_hash(noise, hash, sizeof(hash));
	memzero_explicit(chain, sizeof(chain));
	memzero_explicit(hash, sizeof(hash));
}

/**
 * mptun_noise_write_first() - write the first message as initiator
 * @noise: the handshake, initialised
 * @secret: a new ephemeral key, clamped
 * @public: filled with its public part
 * @sealed: filled with the sealed payload, MPTUN_NOISE_TAG longer
 * @payload: the payload
 * @len: its length in bytes
 *
 * Return: false if the key is invalid; random keys are not.
 */
bool mptun_noise_write_first(struct mptun_noise *noise,
			     const u8 secret[CURVE25519_KEY_SIZE],
			     u8 public[MPTUN_NOISE_PUBLIC], u8 *sealed,
			     const u8 *payload, size_t len)
{
	if (!curve25519_generate_public(public, secret))
		return false;
	memcpy(noise->ephemeral, secret, sizeof(noise->ephemeral));
	mptun_noise_mix_public(noise, public);
	mptun_noise_seal(noise, sealed, payload, len);
	return true;
}

/**
 * mptun_noise_read_first() - read the first message as responder
 * @noise: the handshake, initialised
 * @public: ephemeral key of the message
 * @payload: filled with the payload
 * @sealed: the sealed payload, MPTUN_NOISE_TAG longer
 * @len: length of the payload in bytes
 *
 * Return: false if the sender does not have the key.
 */
bool mptun_noise_read_first(struct mptun_noise *noise,
			    const u8 public[MPTUN_NOISE_PUBLIC],
			    u8 *payload, const u8 *sealed, size_t len)
{
	mptun_noise_mix_public(noise, public);
	return mptun_noise_open(noise, payload, sealed, len);
}

/**
 * mptun_noise_write_second() - write the second message as responder
 * @noise: the handshake after the first message
 * @secret: a new ephemeral key, clamped
 * @peer: ephemeral key of the first message
 * @public: filled with the public part of @secret
 * @sealed: filled with the sealed payload, MPTUN_NOISE_TAG longer
 * @payload: the payload
 * @len: its length in bytes
 *
 * Return: false if the peer's key is a point of low order.
 */
bool mptun_noise_write_second(struct mptun_noise *noise,
			      const u8 secret[CURVE25519_KEY_SIZE],
			      const u8 peer[MPTUN_NOISE_PUBLIC],
			      u8 public[MPTUN_NOISE_PUBLIC], u8 *sealed,
			      const u8 *payload, size_t len)
{
	if (!curve25519_generate_public(public, secret))
		return false;
	memcpy(noise->ephemeral, secret, sizeof(noise->ephemeral));
	mptun_noise_mix_public(noise, public);
	if (!mptun_noise_mix_dh(noise, peer))
		return false;
	mptun_noise_seal(noise, sealed, payload, len);
	return true;
}

/**
 * mptun_noise_read_second() - read the second message as initiator
 * @noise: the handshake after the first message
 * @public: ephemeral key of the message
 * @payload: filled with the payload
 * @sealed: the sealed payload, MPTUN_NOISE_TAG longer
 * @len: length of the payload in bytes
 *
 * Return: false if it does not answer the first message.
 */
bool mptun_noise_read_second(struct mptun_noise *noise,
			     const u8 public[MPTUN_NOISE_PUBLIC],
			     u8 *payload, const u8 *sealed, size_t len)
{
	mptun_noise_mix_public(noise, public);
	return mptun_noise_mix_dh(noise, public) &&
	       mptun_noise_open(noise, payload, sealed, len);
}

/**
 * mptun_noise_split() - derive the keys of the session
 * @noise: the handshake after the second message
 * @first: filled with the key for packets of the initiator
 * @second: filled with the key for packets of the responder
 */
void mptun_noise_split(const struct mptun_noise *noise,
		       u8 first[MPTUN_NOISE_KEY], u8 second[MPTUN_NOISE_KEY])
{
	mptun_noise_kdf(noise->chain, NULL, 0, first, second, NULL);
}
