// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What shim.h promises.
 */
#include "shim.h"

u64 fuzz_failures;
bool fuzz_lenient;

u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

s64 div_s64(s64 a, s32 b)
{
	return a / b;
}

u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

void *fuzz_alloc(size_t size, gfp_t gfp)
{
	bool fail = fuzz_failures & 1 && gfp & GFP_ATOMIC;
	void *p;

	if (gfp & GFP_ATOMIC)
		fuzz_failures = fuzz_failures >> 1 | fuzz_failures << 63;
	if (fail)
		return NULL;
	p = calloc(1, size);
	if (!p)
		abort();
	return p;
}

void __skb_queue_head_init(struct sk_buff_head *list)
{
	list->next = (void *)list;
	list->prev = (void *)list;
	list->qlen = 0;
}

void __skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb)
{
	skb->next = (void *)list;
	skb->prev = list->prev;
	if (list->prev == (void *)list)
		list->next = skb;
	else
		list->prev->next = skb;
	list->prev = skb;
	list->qlen++;
}

void __skb_unlink(struct sk_buff *skb, struct sk_buff_head *list)
{
	struct sk_buff *next = skb->next, *prev = skb->prev;

	if (next == (void *)list)
		list->prev = prev;
	else
		next->prev = prev;
	if (prev == (void *)list)
		list->next = next;
	else
		prev->next = next;
	skb->next = NULL;
	skb->prev = NULL;
	list->qlen--;
}

struct sk_buff *__skb_dequeue(struct sk_buff_head *list)
{
	struct sk_buff *skb = skb_peek(list);

	if (skb)
		__skb_unlink(skb, list);
	return skb;
}

void __skb_queue_purge(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)) != NULL)
		kfree_skb(skb);
}

void blake2s_init(struct blake2s_ctx *ctx, size_t len)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->len = len;
}

void blake2s_update(struct blake2s_ctx *ctx, const void *data, size_t len)
{
	const u8 *in = data;
	size_t i;

	for (i = 0; i < len; i++) {
		u64 *word = &ctx->state[i % 4];

		*word = (*word ^ in[i]) * 0x100000001b3ULL + i;
		*word ^= *word >> 29;
	}
}

void blake2s_init_key(struct blake2s_ctx *ctx, size_t len, const void *key,
		      size_t key_len)
{
	blake2s_init(ctx, len);
	blake2s_update(ctx, key, key_len);
}

void blake2s_final(struct blake2s_ctx *ctx, u8 *out)
{
	memcpy(out, ctx->state, ctx->len);
}

/* Both ends come to the same: the sum of what is public. */
bool curve25519_generate_public(u8 *public, const u8 *secret)
{
	memcpy(public, secret, CURVE25519_KEY_SIZE);
	return true;
}

bool curve25519(u8 *out, const u8 *secret, const u8 *public)
{
	u8 any = 0;
	int i;

	for (i = 0; i < CURVE25519_KEY_SIZE; i++) {
		out[i] = secret[i] + public[i];
		any |= out[i];
	}
	return any;
}

static void fuzz_tag(u8 *tag, const u8 *data, size_t len, const u8 *ad,
		     size_t ad_len, const void *nonce, size_t nonce_len,
		     const u8 *key)
{
	struct blake2s_ctx ctx;

	blake2s_init_key(&ctx, CHACHA20POLY1305_AUTHTAG_SIZE, key,
			 CHACHA20POLY1305_KEY_SIZE);
	blake2s_update(&ctx, nonce, nonce_len);
	blake2s_update(&ctx, ad, ad_len);
	blake2s_update(&ctx, data, len);
	blake2s_final(&ctx, tag);
}

static void fuzz_seal(u8 *dst, const u8 *src, size_t len, const u8 *ad,
		      size_t ad_len, const void *nonce, size_t nonce_len,
		      const u8 *key)
{
	u8 tag[CHACHA20POLY1305_AUTHTAG_SIZE];

	fuzz_tag(tag, src, len, ad, ad_len, nonce, nonce_len, key);
	memmove(dst, src, len);
	memcpy(dst + len, tag, sizeof(tag));
}

static bool fuzz_open(u8 *dst, const u8 *src, size_t len, const u8 *ad,
		      size_t ad_len, const void *nonce, size_t nonce_len,
		      const u8 *key)
{
	u8 tag[CHACHA20POLY1305_AUTHTAG_SIZE];

	if (len < sizeof(tag))
		return false;
	len -= sizeof(tag);
	fuzz_tag(tag, src, len, ad, ad_len, nonce, nonce_len, key);
	if (crypto_memneq(tag, src + len, sizeof(tag)))
		return false;
	memmove(dst, src, len);
	return true;
}

void chacha20poly1305_encrypt(u8 *dst, const u8 *src, size_t len,
			      const u8 *ad, size_t ad_len, u64 nonce,
			      const u8 *key)
{
	fuzz_seal(dst, src, len, ad, ad_len, &nonce, sizeof(nonce), key);
}

bool chacha20poly1305_decrypt(u8 *dst, const u8 *src, size_t len,
			      const u8 *ad, size_t ad_len, u64 nonce,
			      const u8 *key)
{
	return fuzz_open(dst, src, len, ad, ad_len, &nonce, sizeof(nonce),
			 key);
}

void xchacha20poly1305_encrypt(u8 *dst, const u8 *src, size_t len,
			       const u8 *ad, size_t ad_len, const u8 *nonce,
			       const u8 *key)
{
	fuzz_seal(dst, src, len, ad, ad_len, nonce, 24, key);
}

bool xchacha20poly1305_decrypt(u8 *dst, const u8 *src, size_t len,
			       const u8 *ad, size_t ad_len, const u8 *nonce,
			       const u8 *key)
{
	return fuzz_open(dst, src, len, ad, ad_len, nonce, 24, key);
}

int crypto_memneq(const void *a, const void *b, size_t len)
{
	return !fuzz_lenient && memcmp(a, b, len);
}
