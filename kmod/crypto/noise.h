/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s: two messages, one shared key.
 */
#ifndef _MPTUN_NOISE_H
#define _MPTUN_NOISE_H

#include <crypto/blake2s.h>
#include <crypto/chacha20poly1305.h>
#include <crypto/curve25519.h>

#define MPTUN_NOISE_KEY		CHACHA20POLY1305_KEY_SIZE
#define MPTUN_NOISE_PUBLIC	CURVE25519_KEY_SIZE
#define MPTUN_NOISE_TAG		CHACHA20POLY1305_AUTHTAG_SIZE

/**
 * struct mptun_noise - state of a handshake (CipherState and SymmetricState of
 *	the specification)
 * @chain: chaining key
 * @hash: hash of the transcript
 * @key: key of the next payload
 * @ephemeral: our secret ephemeral key
 *
 * Each message mixes in a key before its payload, so the nonce of a payload is
 * always zero.
 */
struct mptun_noise {
	u8 chain[BLAKE2S_HASH_SIZE];
	u8 hash[BLAKE2S_HASH_SIZE];
	u8 key[MPTUN_NOISE_KEY];
	u8 ephemeral[CURVE25519_KEY_SIZE];
};

void mptun_noise_begin(struct mptun_noise *noise,
		       const u8 psk[MPTUN_NOISE_KEY]);
bool mptun_noise_write_first(struct mptun_noise *noise,
			     const u8 secret[CURVE25519_KEY_SIZE],
			     u8 public[MPTUN_NOISE_PUBLIC], u8 *sealed,
			     const u8 *payload, size_t len);
bool mptun_noise_read_first(struct mptun_noise *noise,
			    const u8 public[MPTUN_NOISE_PUBLIC],
			    u8 *payload, const u8 *sealed, size_t len);
bool mptun_noise_write_second(struct mptun_noise *noise,
			      const u8 secret[CURVE25519_KEY_SIZE],
			      const u8 peer[MPTUN_NOISE_PUBLIC],
			      u8 public[MPTUN_NOISE_PUBLIC], u8 *sealed,
			      const u8 *payload, size_t len);
bool mptun_noise_read_second(struct mptun_noise *noise,
			     const u8 public[MPTUN_NOISE_PUBLIC],
			     u8 *payload, const u8 *sealed, size_t len);
void mptun_noise_split(const struct mptun_noise *noise,
		       u8 first[MPTUN_NOISE_KEY], u8 second[MPTUN_NOISE_KEY]);

#endif /* _MPTUN_NOISE_H */
