/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ciphers: sealing and opening of a PACKET with the keys of a session.
 */
#ifndef _MPTUN_CIPHER_H
#define _MPTUN_CIPHER_H

#include <linux/types.h>

#include "wire/wire.h"

struct crypto_aead;
struct mptun_cipher_key;
struct sk_buff;

#define MPTUN_CIPHER_KEY_LEN	32

/**
 * typedef mptun_cipher_done_t - completion of an asynchronous request
 * @skb: the packet, owned by the callee
 * @err: 0, -EBADMSG if it is not genuine, or another negative error
 *
 * Called with bottom halves disabled.
 */
typedef void (*mptun_cipher_done_t)(struct sk_buff *skb, int err);

/**
 * struct mptun_cipher_ops - a cipher
 * @tag: length of its tag in bytes
 * @init: set a key of MPTUN_CIPHER_KEY_LEN bytes; may sleep; 0 or a negative
 *	error
 * @destroy: forget the key; may sleep
 * @seal: seal a packet in memory with room for the tag, which its length
 *	excludes; 0 or a negative error
 * @seal_from: seal a packet whose memory holds the outer header and the start
 *	of the text; the rest is read elsewhere and written behind it with the
 *	tag; NULL if text must be in one piece
 * @open: open a packet in memory, whose length includes the tag; 0 or a
 *	negative error
 * @open_text: open text with its tag, whose outer header is elsewhere, to other
 *	memory of the same size; the text does not change; NULL if header and
 *	text must be in one piece
 * @seal_async: as mptun_cipher_seal() for a linear, unshared packet with room
 *	for the tag; only if &mptun_cipher_key.async may be true
 * @open_async: as mptun_cipher_open() for a linear, unshared packet; only if
 *	&mptun_cipher_key.async may be true
 */
struct mptun_cipher_ops {
	unsigned int tag;
	int (*init)(struct mptun_cipher_key *key, const u8 *raw);
	void (*destroy)(struct mptun_cipher_key *key);
	int (*seal)(const struct mptun_cipher_key *key, u8 *packet,
		    unsigned int len);
	int (*seal_from)(const struct mptun_cipher_key *key, u8 *packet,
			 unsigned int head, const u8 *rest, unsigned int len);
	int (*open)(const struct mptun_cipher_key *key, u8 *packet,
		    unsigned int len);
	int (*open_text)(const struct mptun_cipher_key *key, const u8 *outer,
			 u8 *to, const u8 *text, unsigned int len);
	int (*seal_async)(const struct mptun_cipher_key *key,
			  struct sk_buff *skb, mptun_cipher_done_t done);
	int (*open_async)(const struct mptun_cipher_key *key,
			  struct sk_buff *skb, mptun_cipher_done_t done);
};

/**
 * struct mptun_cipher_key - a key for one direction
 * @ops: its cipher, NULL if no key is set
 * @async: the fastest implementation may be asynchronous
 * @raw: ChaCha20-Poly1305
 * @aead: AES-GCM, the fastest implementation, possibly asynchronous
 * @sync: AES-GCM, a synchronous implementation
 */
struct mptun_cipher_key {
	const struct mptun_cipher_ops *ops;
	bool async;
	union {
		u8 raw[MPTUN_CIPHER_KEY_LEN];
		struct {
			struct crypto_aead *aead;
			struct crypto_aead *sync;
		};
	};
};

/**
 * mptun_cipher_async() - check whether requests may be asynchronous
 * @key: the key
 *
 * Return: true if the key must be held until completion.
 */
static inline bool mptun_cipher_async(const struct mptun_cipher_key *key)
{
	return key->async;
}

bool mptun_cipher_available(u32 cipher);
unsigned int mptun_cipher_tag(u32 cipher);
int mptun_cipher_init(struct mptun_cipher_key *key, u32 cipher,
		      const u8 raw[MPTUN_CIPHER_KEY_LEN]);
void mptun_cipher_destroy(struct mptun_cipher_key *key);
int mptun_cipher_seal(const struct mptun_cipher_key *key, struct sk_buff *skb,
		      mptun_cipher_done_t done);
int mptun_cipher_open(const struct mptun_cipher_key *key, struct sk_buff *skb,
		      mptun_cipher_done_t done);

/**
 * mptun_cipher_tag_of() - length of the tag of a key
 * @key: the key
 *
 * Return: length in bytes.
 */
static inline unsigned int
mptun_cipher_tag_of(const struct mptun_cipher_key *key)
{
	return key->ops->tag;
}

/**
 * mptun_cipher_seal_at() - seal a PACKET in memory
 * @key: the key
 * @packet: the packet with a complete outer header; the tag is written behind
 *	it
 * @len: its length in bytes
 *
 * Return: 0 or a negative error.
 */
static inline int mptun_cipher_seal_at(const struct mptun_cipher_key *key,
				       u8 *packet, unsigned int len)
{
	return key->ops->seal(key, packet, len);
}

/**
 * mptun_cipher_gathers() - check for mptun_cipher_seal_from()
 * @key: the key
 *
 * Return: true if the cipher supports it.
 */
static inline bool mptun_cipher_gathers(const struct mptun_cipher_key *key)
{
	return key->ops->seal_from;
}

/**
 * mptun_cipher_seal_from() - seal a PACKET whose text is in two pieces
 * @key: the key, for which mptun_cipher_gathers()
 * @packet: the start with a complete outer header; the rest and the tag are
 *	written behind it
 * @head: its length in bytes
 * @rest: the rest of the text
 * @len: its length in bytes
 *
 * Return: 0 or a negative error.
 */
static inline int mptun_cipher_seal_from(const struct mptun_cipher_key *key,
					 u8 *packet, unsigned int head,
					 const u8 *rest, unsigned int len)
{
	return key->ops->seal_from(key, packet, head, rest, len);
}

/* crypto/chacha.c */
extern const struct mptun_cipher_ops mptun_cipher_chacha;
extern const struct mptun_cipher_ops mptun_cipher_auth_only;

/* crypto/aead.c */
extern const struct mptun_cipher_ops mptun_cipher_aes_gcm;
bool mptun_cipher_aes_gcm_available(void);

#endif /* _MPTUN_CIPHER_H */
