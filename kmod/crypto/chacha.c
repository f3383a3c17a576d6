// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ciphers "chacha20-poly1305" and "auth-only" (RFC 8439).
 *
 * The kernel's library seals text in one piece.  That of a segment is not: its
 * headers are built here, its payload is in the pages of a socket, which are
 * read-only.  Copying it first would be another pass over memory that is no
 * longer in a cache.  So such packets are sealed piecewise with the library's
 * ChaCha20 and Poly1305.  If a page changes meanwhile, the sealed content
 * changes but stays genuine: the tag covers what was written.
 */
#include <crypto/chacha.h>
#include <crypto/chacha20poly1305.h>
#include <crypto/poly1305.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "crypto/cipher.h"

static_assert(MPTUN_CIPHER_KEY_LEN == CHACHA20POLY1305_KEY_SIZE);
static_assert(MPTUN_TAG_LEN == CHACHA20POLY1305_AUTHTAG_SIZE);

static const u8 mptun_cipher_chacha_pad[POLY1305_BLOCK_SIZE];

static u64 mptun_cipher_number(const u8 *packet)
{
	const struct mptun_outer *outer = (const void *)packet;

	return be64_to_cpu(outer->number);
}

static int mptun_cipher_chacha_init(struct mptun_cipher_key *key,
				    const u8 *raw)
{
	memcpy(key->raw, raw, sizeof(key->raw));
	return 0;
}

static void mptun_cipher_chacha_destroy(struct mptun_cipher_key *key)
{
	memzero_explicit(key->raw, sizeof(key->raw));
}

static int mptun_cipher_chacha_seal(const struct mptun_cipher_key *key,
				    u8 *packet, unsigned int len)
{
	const size_t clear = sizeof(struct mptun_outer);

	chacha20poly1305_encrypt(packet + clear, packet + clear, len - clear,
				 packet, clear, mptun_cipher_number(packet),
				 key->raw);
	return 0;
}

/* Authenticates the header and the sealed text. */
static void mptun_cipher_chacha_tag(const u8 key[POLY1305_KEY_SIZE],
				    const u8 *packet, unsigned int len, u8 *tag)
{
	const unsigned int clear = sizeof(struct mptun_outer);
	const unsigned int text = len - clear;
	struct poly1305_desc_ctx poly;
	__le64 lens[2];

	BUILD_BUG_ON(sizeof(struct mptun_outer) % POLY1305_BLOCK_SIZE);
	lens[0] = cpu_to_le64(clear);
	lens[1] = cpu_to_le64(text);
	poly1305_init(&poly, key);
	poly1305_update(&poly, packet, len);
	poly1305_update(&poly, mptun_cipher_chacha_pad,
			-text % POLY1305_BLOCK_SIZE);
	poly1305_update(&poly, (const u8 *)lens, sizeof(lens));
	poly1305_final(&poly, tag);
}

/* Seals whole blocks of the key stream: the text in the packet, filled up from
 * @rest to a block boundary, then the remainder of @rest, read in place and
 * written sealed.
 */
static int mptun_cipher_chacha_seal_from(const struct mptun_cipher_key *key,
					 u8 *packet, unsigned int head,
					 const u8 *rest, unsigned int len)
{
	__le64 iv[] = { 0, cpu_to_le64(mptun_cipher_number(packet)) };
	const unsigned int clear = sizeof(struct mptun_outer);
	u32 words[CHACHA_KEY_SIZE / sizeof(u32)];
	u8 poly[POLY1305_KEY_SIZE] = {};
	struct chacha_state chacha;
	unsigned int i, fill;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = get_unaligned_le32(key->raw + i * sizeof(u32));
	chacha_init(&chacha, words, (const u8 *)iv);
	memzero_explicit(words, sizeof(words));
	chacha20_crypt(&chacha, poly, poly, sizeof(poly));

	fill = min(-(head - clear) % CHACHA_BLOCK_SIZE, len);
	memcpy(packet + head, rest, fill);
	chacha20_crypt(&chacha, packet + clear, packet + clear,
		       head - clear + fill);
	chacha20_crypt(&chacha, packet + head + fill, rest + fill, len - fill);
	mptun_cipher_chacha_tag(poly, packet, head + len, packet + head + len);

	memzero_explicit(&chacha, sizeof(chacha));
	memzero_explicit(poly, sizeof(poly));
	return 0;
}

static int mptun_cipher_chacha_open_text(const struct mptun_cipher_key *key,
					 const u8 *outer, u8 *to,
					 const u8 *text, unsigned int len)
{
	if (!chacha20poly1305_decrypt(to, text, len, outer,
				      sizeof(struct mptun_outer),
				      mptun_cipher_number(outer), key->raw))
		return -EBADMSG;
	return 0;
}

static int mptun_cipher_chacha_open(const struct mptun_cipher_key *key,
				    u8 *packet, unsigned int len)
{
	const unsigned int clear = sizeof(struct mptun_outer);

	return mptun_cipher_chacha_open_text(key, packet, packet + clear,
					     packet + clear, len - clear);
}

const struct mptun_cipher_ops mptun_cipher_chacha = {
	.tag = MPTUN_TAG_LEN,
	.init = mptun_cipher_chacha_init,
	.destroy = mptun_cipher_chacha_destroy,
	.seal = mptun_cipher_chacha_seal,
	.seal_from = mptun_cipher_chacha_seal_from,
	.open = mptun_cipher_chacha_open,
	.open_text = mptun_cipher_chacha_open_text,
};

static int mptun_cipher_auth_seal(const struct mptun_cipher_key *key,
				  u8 *packet, unsigned int len)
{
	chacha20poly1305_encrypt(packet + len, NULL, 0, packet, len,
				 mptun_cipher_number(packet), key->raw);
	return 0;
}

static int mptun_cipher_auth_open(const struct mptun_cipher_key *key,
				  u8 *packet, unsigned int len)
{
	u8 nothing;

	len -= MPTUN_TAG_LEN;
	if (!chacha20poly1305_decrypt(&nothing, packet + len, MPTUN_TAG_LEN,
				      packet, len,
				      mptun_cipher_number(packet), key->raw))
		return -EBADMSG;
	return 0;
}

const struct mptun_cipher_ops mptun_cipher_auth_only = {
	.tag = MPTUN_TAG_LEN,
	.init = mptun_cipher_chacha_init,
	.destroy = mptun_cipher_chacha_destroy,
	.seal = mptun_cipher_auth_seal,
	.open = mptun_cipher_auth_open,
};
