/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Messages of the handshake, with a key or in clear.
 */
#ifndef _MPTUN_HANDSHAKE_H
#define _MPTUN_HANDSHAKE_H

#include <linux/types.h>

#include "crypto/noise.h"
#include "wire/wire.h"

/**
 * struct mptun_secret - secrets derived from a shared key
 * @noise: initial state of the handshake
 * @mac1_key: key of &mptun_init.mac1 and &mptun_response.mac1
 * @cookie_key: seals COOKIE
 * @id: id of the key on the wire and in the user interface
 */
struct mptun_secret {
	struct mptun_noise noise;
	u8 mac1_key[BLAKE2S_KEY_SIZE];
	u8 cookie_key[CHACHA20POLY1305_KEY_SIZE];
	u8 id[MPTUN_KEY_ID_LEN];
};

void mptun_secret_init(struct mptun_secret *secret,
		       const u8 psk[MPTUN_NOISE_KEY]);

bool mptun_init_seal(const struct mptun_secret *secret,
		     struct mptun_noise *noise, const u8 *ephemeral,
		     struct mptun_init *init,
		     const struct mptun_hello *hello);
bool mptun_init_open(const struct mptun_secret *secret,
		     struct mptun_noise *noise,
		     const struct mptun_init *init,
		     struct mptun_hello *hello);
bool mptun_response_seal(const struct mptun_secret *secret,
			 struct mptun_noise *noise, const u8 *ephemeral,
			 const struct mptun_init *init,
			 struct mptun_response *response,
			 const struct mptun_hello *hello);
bool mptun_response_open(const struct mptun_secret *secret,
			 struct mptun_noise *noise,
			 const struct mptun_response *response,
			 struct mptun_hello *hello);
void mptun_cookie_seal(const struct mptun_secret *secret,
		       const struct mptun_init *init,
		       struct mptun_cookie *cookie);
bool mptun_cookie_open(const struct mptun_secret *secret,
		       const struct mptun_init *init,
		       struct mptun_cookie *cookie);

bool mptun_init_known(const struct mptun_secret *secret,
		      const struct mptun_init *init);
bool mptun_response_known(const struct mptun_secret *secret,
			  const struct mptun_response *response);
void mptun_init_mac2(const struct mptun_init *init,
		     const u8 source[MPTUN_COOKIE_LEN],
		     u8 mac2[MPTUN_MAC_LEN]);

#endif /* _MPTUN_HANDSHAKE_H */
