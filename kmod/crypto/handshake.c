// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Messages of the handshake, with a key or in clear.
 *
 * INIT and RESPONSE are the two messages of Noise with a hello as payload. mac1
 * requires the shared key and covers all bytes before it, so garbage costs one
 * keyed hash.  A COOKIE is sealed and bound by mac1 to the INIT that it
 * answers, so only its receiver can have made it.  Without a key (@secret is
 * NULL) the same messages are sent in clear, with zeros instead of proofs.
 *
 * Nothing here keeps state or reads a clock.
 */
#include <crypto/utils.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "crypto/handshake.h"

static_assert(offsetof(struct mptun_init, tag) ==
	      offsetof(struct mptun_init, hello) + sizeof(struct mptun_hello));
static_assert(offsetof(struct mptun_response, tag) ==
	      offsetof(struct mptun_response, hello) +
	      sizeof(struct mptun_hello));
static_assert(MPTUN_TAG_LEN == MPTUN_NOISE_TAG);

static void mptun_handshake_mac(const u8 *key, size_t key_len, const void *data,
				size_t len, u8 *mac, size_t mac_len)
{
	struct blake2s_ctx ctx;

	blake2s_init_key(&ctx, mac_len, key, key_len);
	blake2s_update(&ctx, data, len);
	blake2s_final(&ctx, mac);
}

static void mptun_secret_derive(const u8 *psk, const char *label, u8 *out)
{
	mptun_handshake_mac(psk, MPTUN_NOISE_KEY, label, strlen(label), out,
			    BLAKE2S_HASH_SIZE);
}

/**
 * mptun_secret_init() - derive all secrets from a shared key
 * @secret: filled
 * @psk: the key
 */
void mptun_secret_init(struct mptun_secret *secret,
		       const u8 psk[MPTUN_NOISE_KEY])
{
	u8 id[BLAKE2S_HASH_SIZE];

	mptun_noise_begin(&secret->noise, psk);
	mptun_secret_derive(psk, "mptun 1 mac1", secret->mac1_key);
	mptun_secret_derive(psk, "mptun 1 cookie", secret->cookie_key);
	mptun_secret_derive(psk, "mptun 1 key id", id);
	memcpy(secret->id, id, sizeof(secret->id));
}

/* The payload of a message with its tag. */
static u8 *mptun_handshake_bytes(struct mptun_hello *hello)
{
	return (u8 *)hello;
}

static void mptun_init_mac1(const struct mptun_secret *secret,
			    const struct mptun_init *init, u8 *mac)
{
	mptun_handshake_mac(secret->mac1_key, sizeof(secret->mac1_key), init,
			    offsetof(struct mptun_init, mac1), mac,
			    MPTUN_MAC_LEN);
}

static void mptun_response_mac1(const struct mptun_secret *secret,
				const struct mptun_response *response,
				u8 *mac)
{
	mptun_handshake_mac(secret->mac1_key, sizeof(secret->mac1_key),
			    response, offsetof(struct mptun_response, mac1),
			    mac, MPTUN_MAC_LEN);
}

/**
 * mptun_init_known() - check mac1 of an INIT
 * @secret: derived from the key
 * @init: the INIT
 *
 * Return: true if it was made with the key.
 */
bool mptun_init_known(const struct mptun_secret *secret,
		      const struct mptun_init *init)
{
	u8 mac[MPTUN_MAC_LEN];

	mptun_init_mac1(secret, init, mac);
	return !crypto_memneq(mac, init->mac1, sizeof(mac));
}

/**
 * mptun_response_known() - check mac1 of a RESPONSE
 * @secret: derived from the key
 * @response: the RESPONSE
 *
 * Return: true if it was made with the key.
 */
bool mptun_response_known(const struct mptun_secret *secret,
			  const struct mptun_response *response)
{
	u8 mac[MPTUN_MAC_LEN];

	mptun_response_mac1(secret, response, mac);
	return !crypto_memneq(mac, response->mac1, sizeof(mac));
}

/**
 * mptun_init_mac2() - prove that a COOKIE was received
 * @init: the INIT, complete except for @mac2
 * @source: cookie of the address that it is sent from
 * @mac2: filled with the proof, may be that of the INIT
 */
void mptun_init_mac2(const struct mptun_init *init,
		     const u8 source[MPTUN_COOKIE_LEN],
		     u8 mac2[MPTUN_MAC_LEN])
{
	mptun_handshake_mac(source, MPTUN_COOKIE_LEN, init,
			    offsetof(struct mptun_init, mac2), mac2,
			    MPTUN_MAC_LEN);
}

/**
 * mptun_init_seal() - complete an INIT
 * @secret: of the key, or NULL for clear mode
 * @noise: the handshake, filled; unused in clear mode
 * @ephemeral: a new secret key, clamped; unused in clear mode
 * @init: the INIT, its outer header, @to and @from filled
 * @hello: its payload
 *
 * Return: false if the ephemeral key is invalid.
 */
bool mptun_init_seal(const struct mptun_secret *secret,
		     struct mptun_noise *noise, const u8 *ephemeral,
		     struct mptun_init *init,
		     const struct mptun_hello *hello)
{
	memset(init->mac2, 0, sizeof(init->mac2));
	if (!secret) {
		memset(init->key_id, 0, sizeof(init->key_id));
		memset(init->ephemeral, 0, sizeof(init->ephemeral));
		memset(init->tag, 0, sizeof(init->tag));
		memset(init->mac1, 0, sizeof(init->mac1));
		init->hello = *hello;
		return true;
	}
	memcpy(init->key_id, secret->id, sizeof(init->key_id));
	*noise = secret->noise;
	if (!mptun_noise_write_first(noise, ephemeral, init->ephemeral,
				     mptun_handshake_bytes(&init->hello),
				     (const u8 *)hello, sizeof(*hello)))
		return false;
	mptun_init_mac1(secret, init, init->mac1);
	return true;
}

/**
 * mptun_init_open() - open an INIT
 * @secret: of the key, or NULL for clear mode
 * @noise: the handshake, filled; unused in clear mode
 * @init: the INIT
 * @hello: filled with its payload
 *
 * Return: false if it is not genuine.
 */
bool mptun_init_open(const struct mptun_secret *secret,
		     struct mptun_noise *noise,
		     const struct mptun_init *init,
		     struct mptun_hello *hello)
{
	if (!secret) {
		*hello = init->hello;
		return true;
	}
	*noise = secret->noise;
	return mptun_noise_read_first(noise, init->ephemeral,
				      mptun_handshake_bytes(hello),
				      (const u8 *)&init->hello,
				      sizeof(*hello)) &&
	       hello->sender == init->from && !init->to;
}

/**
 * mptun_response_seal() - complete a RESPONSE
 * @secret: of the key, or NULL for clear mode
 * @noise: the handshake after mptun_init_open()
 * @ephemeral: a new secret key, clamped; unused in clear mode
 * @init: the INIT that it answers
 * @response: the RESPONSE, its outer header filled
 * @hello: its payload
 *
 * Costs two multiplications on the curve.
 *
 * Return: false if the peer's ephemeral key is invalid.
 */
bool mptun_response_seal(const struct mptun_secret *secret,
			 struct mptun_noise *noise, const u8 *ephemeral,
			 const struct mptun_init *init,
			 struct mptun_response *response,
			 const struct mptun_hello *hello)
{
	if (!secret) {
		memset(response->ephemeral, 0, sizeof(response->ephemeral));
		memset(response->tag, 0, sizeof(response->tag));
		memset(response->mac1, 0, sizeof(response->mac1));
		response->hello = *hello;
		return true;
	}
	if (!mptun_noise_write_second(noise, ephemeral, init->ephemeral,
				      response->ephemeral,
				      mptun_handshake_bytes(&response->hello),
				      (const u8 *)hello, sizeof(*hello)))
		return false;
	mptun_response_mac1(secret, response, response->mac1);
	return true;
}

/**
 * mptun_response_open() - open a RESPONSE
 * @secret: of the key, or NULL for clear mode
 * @noise: the handshake after mptun_init_seal(); used up on success,
 *	unchanged on failure
 * @response: the RESPONSE
 * @hello: filled with its payload
 *
 * Costs a multiplication on the curve.
 *
 * Return: false if it is not genuine or answers another INIT.
 */
bool mptun_response_open(const struct mptun_secret *secret,
			 struct mptun_noise *noise,
			 const struct mptun_response *response,
			 struct mptun_hello *hello)
{
	struct mptun_noise copy;
	bool good;

	if (!secret) {
		*hello = response->hello;
		return true;
	}
	copy = *noise;
	good = mptun_noise_read_second(&copy, response->ephemeral,
				       mptun_handshake_bytes(hello),
				       (const u8 *)&response->hello,
				       sizeof(*hello));
	if (good)
		*noise = copy;
	memzero_explicit(&copy, sizeof(copy));
	return good;
}

/**
 * mptun_cookie_seal() - complete a COOKIE
 * @secret: of the key, or NULL for clear mode
 * @init: the INIT that it answers
 * @cookie: the COOKIE, outer header, @cookie and @source filled, @nonce with
 *	random bytes
 */
void mptun_cookie_seal(const struct mptun_secret *secret,
		       const struct mptun_init *init,
		       struct mptun_cookie *cookie)
{
	if (!secret) {
		memset(cookie->nonce, 0, sizeof(cookie->nonce));
		memcpy(cookie->nonce, &init->hello.counter,
		       sizeof(init->hello.counter));
		memset(cookie->tag, 0, sizeof(cookie->tag));
		return;
	}
	xchacha20poly1305_encrypt(cookie->cookie, cookie->cookie,
				  2 * MPTUN_COOKIE_LEN, init->mac1,
				  sizeof(init->mac1), cookie->nonce,
				  secret->cookie_key);
}

/**
 * mptun_cookie_open() - open a COOKIE
 * @secret: of the key, or NULL for clear mode
 * @init: the last INIT
 * @cookie: the COOKIE, opened in place
 *
 * Return: false if it is not genuine or answers another INIT.
 */
bool mptun_cookie_open(const struct mptun_secret *secret,
		       const struct mptun_init *init,
		       struct mptun_cookie *cookie)
{
	if (!secret)
		return !memcmp(cookie->nonce, &init->hello.counter,
			       sizeof(init->hello.counter));
	return xchacha20poly1305_decrypt(cookie->cookie, cookie->cookie,
					 2 * MPTUN_COOKIE_LEN + MPTUN_TAG_LEN,
					 init->mac1, sizeof(init->mac1),
					 cookie->nonce, secret->cookie_key);
}
