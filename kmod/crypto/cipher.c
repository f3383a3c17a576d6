// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ciphers: sealing and opening of a PACKET with the keys of a session.
 *
 * The outer header of 16 bytes stays in clear and is authenticated with the
 * rest, which is sealed; a tag follows.  The packet number, unique per session
 * and direction, is the nonce.  Cipher auth-only authenticates everything and
 * seals nothing: it is the same construction with an empty message.
 *
 * A packet is sealed in place, in linear memory.  A packet in linear memory of
 * its own is opened in place as well.  Pages in which a packet arrived are only
 * read, as copies of the packet may share them without a sign of it
 * (pskb_copy() of a duplicate for another host; a packet whose header was
 * changed after a packet socket got a clone).  ChaCha20 writes the text
 * elsewhere; other ciphers get a copy.  Text that a sender on this host can
 * change while it is opened, in a file or in memory of a program
 * (SKBFL_SHARED_FRAG), is always copied first.
 */
#include <linux/kernel.h>
#include <linux/mptun.h>
#include <linux/skbuff.h>
#include <linux/string.h>

#include "crypto/cipher.h"

static int mptun_cipher_clear_init(struct mptun_cipher_key *key, const u8 *raw)
{
	return 0;
}

static void mptun_cipher_clear_destroy(struct mptun_cipher_key *key)
{
}

static int mptun_cipher_clear_pass(const struct mptun_cipher_key *key,
				   u8 *packet, unsigned int len)
{
	return 0;
}

static const struct mptun_cipher_ops mptun_cipher_clear = {
	.tag = 0,
	.init = mptun_cipher_clear_init,
	.destroy = mptun_cipher_clear_destroy,
	.seal = mptun_cipher_clear_pass,
	.open = mptun_cipher_clear_pass,
};

static const struct mptun_cipher_ops *mptun_cipher_find(u32 cipher)
{
	switch (cipher) {
	case MPTUN_CIPHER_CLEAR:
		return &mptun_cipher_clear;
	case MPTUN_CIPHER_CHACHA20_POLY1305:
		return &mptun_cipher_chacha;
	case MPTUN_CIPHER_AES_GCM:
		return &mptun_cipher_aes_gcm;
	case MPTUN_CIPHER_AUTH_ONLY:
		return &mptun_cipher_auth_only;
	default:
		return NULL;
	}
}

/**
 * mptun_cipher_available() - check whether this kernel supports a cipher
 * @cipher: &enum mptun_cipher
 *
 * May sleep.
 *
 * Return: true if it does.
 */
bool mptun_cipher_available(u32 cipher)
{
	if (cipher == MPTUN_CIPHER_AES_GCM)
		return mptun_cipher_aes_gcm_available();
	return mptun_cipher_find(cipher);
}

/**
 * mptun_cipher_tag() - length of the tag of a cipher
 * @cipher: &enum mptun_cipher
 *
 * Return: length in bytes.
 */
unsigned int mptun_cipher_tag(u32 cipher)
{
	return mptun_cipher_find(cipher)->tag;
}

/**
 * mptun_cipher_init() - set a key for one direction
 * @key: filled
 * @cipher: &enum mptun_cipher
 * @raw: the key, MPTUN_CIPHER_KEY_LEN bytes; ignored in clear mode
 *
 * May sleep.
 *
 * Return: 0 or a negative error.
 */
int mptun_cipher_init(struct mptun_cipher_key *key, u32 cipher,
		      const u8 raw[MPTUN_CIPHER_KEY_LEN])
{
	const struct mptun_cipher_ops *ops = mptun_cipher_find(cipher);
	int err;

	err = ops->init(key, raw);
	if (!err)
		key->ops = ops;
	return err;
}

/**
 * mptun_cipher_destroy() - forget a key
 * @key: the key, possibly never set
 *
 * May sleep, as drivers of the crypto API do when a transform is freed.
 */
void mptun_cipher_destroy(struct mptun_cipher_key *key)
{
	might_sleep();
	if (key->ops)
		key->ops->destroy(key);
	key->ops = NULL;
}

/* Makes a packet linear and unshared, with @tail bytes of room. */
static int mptun_cipher_own(struct sk_buff *skb, unsigned int tail)
{
	if (skb_linearize(skb))
		return -ENOMEM;
	if (!skb_cloned(skb) && skb_tailroom(skb) >= (int)tail)
		return 0;
	return pskb_expand_head(skb, 0, tail, GFP_ATOMIC);
}

/* Allocates memory that can be a fragment, NULL if there is none. */
static u8 *mptun_cipher_piece(unsigned int len)
{
	unsigned int size = SKB_DATA_ALIGN(len);

	return size > PAGE_SIZE ? NULL : netdev_alloc_frag(size);
}

/* Replaces the contents of a packet by one fragment: GRO joins fragments, and
 * chains packets without any. (The kernel may move a small one to the head
 * later.)  Consumes @piece.
 */
static int mptun_cipher_replace(struct sk_buff *skb, u8 *piece,
				unsigned int len)
{
	struct page *page = virt_to_head_page(piece);

	if (pskb_trim(skb, 0)) {
		skb_free_frag(piece);
		return -ENOMEM;
	}
	skb->truesize = SKB_TRUESIZE(skb_end_offset(skb));
	skb_add_rx_frag(skb, 0, page, piece - (u8 *)page_address(page), len,
			SKB_DATA_ALIGN(len));
	return 0;
}

/* Opens text that is one fragment behind the outer header, and does not change,
 * to another one.  Returns -EOPNOTSUPP with the packet unchanged if that is not
 * possible.
 */
static int mptun_cipher_open_text(const struct mptun_cipher_key *key,
				  struct sk_buff *skb)
{
	const unsigned int clear = sizeof(struct mptun_outer);
	const u8 *text;
	u8 *piece;
	int err;

	if (!key->ops->open_text || skb_headlen(skb) != clear ||
	    skb_shinfo(skb)->nr_frags != 1 || skb_has_frag_list(skb) ||
	    skb_has_shared_frag(skb))
		return -EOPNOTSUPP;
	text = skb_frag_address_safe(&skb_shinfo(skb)->frags[0]);
	piece = text ? mptun_cipher_piece(skb->len) : NULL;
	if (!piece)
		return -EOPNOTSUPP;
	memcpy(piece, skb->data, clear);
	err = key->ops->open_text(key, piece, piece + clear, text,
				  skb->len - clear);
	if (!err)
		return mptun_cipher_replace(skb, piece,
					    skb->len - key->ops->tag);
	skb_free_frag(piece);
	return err;
}

/* Opens a packet synchronously, in linear memory or copied to one fragment. */
static int mptun_cipher_open_here(const struct mptun_cipher_key *key,
				  struct sk_buff *skb)
{
	unsigned int len = skb->len;
	u8 *packet = NULL;
	int err;

	if (skb_is_nonlinear(skb))
		packet = mptun_cipher_piece(len);
	if (packet) {
		skb_copy_bits(skb, 0, packet, len);
		if (mptun_cipher_replace(skb, packet, len))
			packet = NULL;
	}
	/* It is linear or too large, or there is no memory. */
	if (!packet) {
		err = mptun_cipher_own(skb, 0);
		if (err)
			return err;
		packet = skb->data;
	}
	err = key->ops->open(key, packet, skb->len);
	return err ?: pskb_trim(skb, skb->len - key->ops->tag);
}

/**
 * mptun_cipher_seal() - seal a PACKET
 * @key: the key, valid until completion
 * @skb: the packet at its outer header, which is complete
 * @done: completion callback if mptun_cipher_async(); NULL for a synchronous
 *	request
 *
 * Return: 0, the packet being longer by the tag; -EINPROGRESS if @done gets the
 * packet; or another negative error.
 */
int mptun_cipher_seal(const struct mptun_cipher_key *key, struct sk_buff *skb,
		      mptun_cipher_done_t done)
{
	unsigned int tag = key->ops->tag;
	int err;

	if (!tag)
		return 0;
	err = mptun_cipher_own(skb, tag);
	if (err)
		return err;
	if (done)
		return key->ops->seal_async(key, skb, done);
	err = key->ops->seal(key, skb->data, skb->len);
	if (!err)
		skb_put(skb, tag);
	return err;
}

/**
 * mptun_cipher_open() - open a PACKET
 * @key: the key, valid until completion
 * @skb: the packet at its outer header
 * @done: completion callback if mptun_cipher_async(); NULL for a synchronous
 *	request
 *
 * Text in pages becomes one fragment, without another copy if the head contains
 * exactly the outer header.
 *
 * Return: 0, the packet being shorter by the tag; -EINPROGRESS if @done gets
 * the packet; -EBADMSG if it is not genuine; or another negative error.
 */
int mptun_cipher_open(const struct mptun_cipher_key *key, struct sk_buff *skb,
		      mptun_cipher_done_t done)
{
	unsigned int tag = key->ops->tag;
	int err;

	if (skb->len < sizeof(struct mptun_packet) + tag)
		return -EBADMSG;
	if (!tag)
		return 0;
	if (done) {
		err = mptun_cipher_own(skb, 0);
		return err ?: key->ops->open_async(key, skb, done);
	}
	err = mptun_cipher_open_text(key, skb);
	return err == -EOPNOTSUPP ? mptun_cipher_open_here(key, skb) : err;
}
