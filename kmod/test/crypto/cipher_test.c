// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the ciphers: vectors of another implementation
 * (test/crypto/vectors.h), every byte changed, packets in pieces and shared
 * ones.
 */
#include <kunit/test.h>
#include <linux/mptun.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/string.h>

#include "crypto/cipher.h"
#include "test/crypto/vectors.h"

static const struct mptun_cipher_test {
	const char *name;
	u32 cipher;
	const u8 *sealed;
} mptun_cipher_tests[] = {
	{ "chacha20-poly1305", MPTUN_CIPHER_CHACHA20_POLY1305,
	  mptun_vec_packet_chacha20_poly1305 },
#if IS_ENABLED(CONFIG_CRYPTO_AES)
	{ "aes-gcm", MPTUN_CIPHER_AES_GCM, mptun_vec_packet_aes_gcm },
#endif
	{ "auth-only", MPTUN_CIPHER_AUTH_ONLY, mptun_vec_packet_auth_only },
};

static void mptun_cipher_test_name(const struct mptun_cipher_test *t,
				   char *name)
{
	strscpy(name, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mptun_cipher, mptun_cipher_tests, mptun_cipher_test_name);

static void mptun_cipher_test_key(struct kunit *test,
				  struct mptun_cipher_key *key)
{
	const struct mptun_cipher_test *t = test->param_value;

	memset(key, 0, sizeof(*key));
	KUNIT_ASSERT_TRUE(test, mptun_cipher_available(t->cipher));
	KUNIT_ASSERT_EQ(test, mptun_cipher_init(key, t->cipher, mptun_vec_k1),
			0);
	KUNIT_ASSERT_EQ(test, mptun_cipher_tag(t->cipher), MPTUN_TAG_LEN);
}

static struct sk_buff *mptun_cipher_test_skb(struct kunit *test,
					     const u8 *data, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, data, len);
	return skb;
}

static void mptun_cipher_test_vector(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet);
	struct mptun_cipher_key key;
	struct sk_buff *skb;

	mptun_cipher_test_key(test, &key);
	skb = mptun_cipher_test_skb(test, mptun_vec_packet, len);
	KUNIT_EXPECT_EQ(test, mptun_cipher_seal(&key, skb, NULL), 0);
	KUNIT_ASSERT_EQ(test, skb->len, len + MPTUN_TAG_LEN);
	KUNIT_EXPECT_MEMEQ(test, skb->data, t->sealed, skb->len);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), 0);
	KUNIT_ASSERT_EQ(test, skb->len, len);
	KUNIT_EXPECT_MEMEQ(test, skb->data, mptun_vec_packet, len);
	kfree_skb(skb);
	mptun_cipher_destroy(&key);
}

/* Text in two pieces, divided anywhere, is sealed like text in one; the second
 * piece is only read.
 */
static void mptun_cipher_test_from(struct kunit *test)
{
	const unsigned int outer = sizeof(struct mptun_outer);
	const unsigned int most = 300;
	struct mptun_cipher_key key = {};
	unsigned int head, len;
	u8 *rest, *want, *got;

	rest = kunit_kzalloc(test, 3 * SZ_1K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rest);
	want = rest + SZ_1K;
	got = want + SZ_1K;
	KUNIT_ASSERT_EQ(test, mptun_cipher_init(&key,
						MPTUN_CIPHER_CHACHA20_POLY1305,
						mptun_vec_k1), 0);
	KUNIT_ASSERT_TRUE(test, mptun_cipher_gathers(&key));
	get_random_bytes(want, outer + most);
	for (head = outer; head <= outer + 130; head++) {
		for (len = 0; len <= most; len += 1 + len / 3) {
			get_random_bytes(want, head + len);
			memcpy(got, want, head);
			memcpy(rest, want + head, len);
			memset(got + head, 0xa5, SZ_1K - head);
			KUNIT_EXPECT_EQ(test, mptun_cipher_seal_at(&key, want,
								   head + len),
					0);
			KUNIT_EXPECT_EQ(test,
					mptun_cipher_seal_from(&key, got, head,
							       rest, len), 0);
			KUNIT_ASSERT_MEMEQ_MSG(test, got, want, head + len +
					       MPTUN_TAG_LEN, "%u and %u bytes",
					       head, len);
			KUNIT_EXPECT_EQ(test, got[head + len + MPTUN_TAG_LEN],
					0xa5);
		}
	}
	mptun_cipher_destroy(&key);
}

/* A changed or missing byte, header and tag included, is detected. */
static void mptun_cipher_test_changed(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet) + MPTUN_TAG_LEN;
	struct mptun_cipher_key key;
	struct sk_buff *skb;
	unsigned int i;

	mptun_cipher_test_key(test, &key);
	for (i = 0; i < len; i++) {
		skb = mptun_cipher_test_skb(test, t->sealed, len);
		skb->data[i] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ_MSG(test, mptun_cipher_open(&key, skb, NULL),
				    -EBADMSG, "byte %u", i);
		kfree_skb(skb);
	}
	for (i = 0; i < len; i++) {
		skb = mptun_cipher_test_skb(test, t->sealed, i);
		KUNIT_EXPECT_EQ_MSG(test, mptun_cipher_open(&key, skb, NULL),
				    -EBADMSG, "%u bytes", i);
		kfree_skb(skb);
	}
	mptun_cipher_destroy(&key);
}

/* A packet with all but its head in a page. */
static struct sk_buff *mptun_cipher_test_paged(struct kunit *test,
					       const u8 *data,
					       unsigned int len,
					       unsigned int head)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct sk_buff *skb;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memcpy(page_address(page), data + head, len - head);
	skb = mptun_cipher_test_skb(test, data, head);
	skb_add_rx_frag(skb, 0, page, 0, len - head, PAGE_SIZE);
	return skb;
}

/* A packet that arrives in pieces has its text in one piece once opened. */
static void mptun_cipher_test_pieces(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet);
	u8 text[sizeof(mptun_vec_packet)];
	struct mptun_cipher_key key;
	unsigned int head, sealed, pieces;
	struct sk_buff *skb;

	mptun_cipher_test_key(test, &key);
	sealed = len + MPTUN_TAG_LEN;
	for (head = 0; head < sealed; head++) {
		skb = mptun_cipher_test_paged(test, t->sealed, sealed, head);
		KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), 0);
		KUNIT_ASSERT_EQ(test, skb->len, len);
		pieces = skb_shinfo(skb)->nr_frags + !!skb_headlen(skb);
		KUNIT_EXPECT_EQ_MSG(test, pieces, 1U, "head %u", head);
		/* too small to hold a page */
		KUNIT_EXPECT_LT(test, skb->truesize, (unsigned int)PAGE_SIZE);
		KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, text, len), 0);
		KUNIT_EXPECT_MEMEQ(test, text, mptun_vec_packet, len);
		kfree_skb(skb);
	}
	mptun_cipher_destroy(&key);
}

/* A large packet whose head contains only the outer header is a fragment
 * afterwards, of memory of its own.
 */
static void mptun_cipher_test_large(struct kunit *test)
{
	const unsigned int len = 1400, head = sizeof(struct mptun_outer);
	u8 *packet = kunit_kzalloc(test, len + MPTUN_TAG_LEN, GFP_KERNEL);
	u8 *sealed = kunit_kzalloc(test, len + MPTUN_TAG_LEN, GFP_KERNEL);
	struct mptun_cipher_key key;
	struct sk_buff *skb;
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, packet);
	KUNIT_ASSERT_NOT_NULL(test, sealed);
	mptun_cipher_test_key(test, &key);
	memcpy(packet, mptun_vec_packet, sizeof(mptun_vec_packet));
	memcpy(sealed, packet, len);
	KUNIT_ASSERT_EQ(test, mptun_cipher_seal_at(&key, sealed, len), 0);

	skb = mptun_cipher_test_paged(test, sealed, len + MPTUN_TAG_LEN, head);
	page = skb_frag_page(&skb_shinfo(skb)->frags[0]);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), 0);
	KUNIT_ASSERT_EQ(test, skb->len, len);
	KUNIT_ASSERT_EQ(test, skb_shinfo(skb)->nr_frags, 1);
	KUNIT_EXPECT_PTR_NE(test, skb_frag_page(&skb_shinfo(skb)->frags[0]),
			    page);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, sealed, len), 0);
	KUNIT_EXPECT_MEMEQ(test, sealed, packet, len);
	kfree_skb(skb);
	mptun_cipher_destroy(&key);
}

/**
 * enum mptun_cipher_test_reader - who else reads the page of a packet
 * @MPTUN_CIPHER_TEST_CLONE: a clone
 * @MPTUN_CIPHER_TEST_COPY: a copy that shares the page without a mark
 * @MPTUN_CIPHER_TEST_FILE: a file
 */
enum mptun_cipher_test_reader {
	MPTUN_CIPHER_TEST_CLONE,
	MPTUN_CIPHER_TEST_COPY,
	MPTUN_CIPHER_TEST_FILE,
};

/* Opens a packet whose page has another reader. */
static void mptun_cipher_test_borrow(struct kunit *test,
				     const struct mptun_cipher_key *key,
				     const u8 *sealed, unsigned int len,
				     unsigned int head,
				     enum mptun_cipher_test_reader reader,
				     int err)
{
	struct sk_buff *skb, *other;

	skb = mptun_cipher_test_paged(test, sealed, len, head);
	if (reader == MPTUN_CIPHER_TEST_FILE) {
		other = mptun_cipher_test_skb(test, sealed, head);
		get_page(skb_frag_page(&skb_shinfo(skb)->frags[0]));
		skb_add_rx_frag(other, 0,
				skb_frag_page(&skb_shinfo(skb)->frags[0]), 0,
				len - head, PAGE_SIZE);
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	} else if (reader == MPTUN_CIPHER_TEST_COPY) {
		other = pskb_copy(skb, GFP_KERNEL);
	} else {
		other = skb_clone(skb, GFP_KERNEL);
	}
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(key, skb, NULL), err);
	kfree_skb(skb);
	KUNIT_ASSERT_EQ(test, skb_linearize(other), 0);
	KUNIT_ASSERT_EQ(test, other->len, len);
	KUNIT_EXPECT_MEMEQ(test, other->data, sealed, len);
	kfree_skb(other);
}

/* Shared pages never change, whatever the result of opening. */
static void mptun_cipher_test_borrowed(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet) + MPTUN_TAG_LEN;
	u8 sealed[sizeof(mptun_vec_packet) + MPTUN_TAG_LEN];
	struct mptun_cipher_key key;
	unsigned int head, reader;
	int err;

	mptun_cipher_test_key(test, &key);
	for (head = 0; head < len; head++) {
		memcpy(sealed, t->sealed, len);
		sealed[head] ^= head & 1;
		err = head & 1 ? -EBADMSG : 0;
		for (reader = MPTUN_CIPHER_TEST_CLONE;
		     reader <= MPTUN_CIPHER_TEST_FILE; reader++)
			mptun_cipher_test_borrow(test, &key, sealed, len, head,
						 reader, err);
	}
	mptun_cipher_destroy(&key);
}

/* A fragmented and a shared packet: the other holder's copy does not change. */
static void mptun_cipher_test_shared(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet), head = 40;
	struct mptun_cipher_key key;
	struct sk_buff *skb, *clone;

	mptun_cipher_test_key(test, &key);
	skb = mptun_cipher_test_paged(test, mptun_vec_packet, len, head);
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);

	KUNIT_EXPECT_EQ(test, mptun_cipher_seal(&key, skb, NULL), 0);
	KUNIT_EXPECT_MEMEQ(test, skb->data, t->sealed, skb->len);
	KUNIT_ASSERT_EQ(test, clone->len, len);
	KUNIT_ASSERT_EQ(test, skb_linearize(clone), 0);
	KUNIT_EXPECT_MEMEQ(test, clone->data, mptun_vec_packet, len);
	kfree_skb(clone);

	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), 0);
	KUNIT_EXPECT_MEMEQ(test, skb->data, mptun_vec_packet, skb->len);
	KUNIT_EXPECT_MEMEQ(test, clone->data, t->sealed, clone->len);
	kfree_skb(clone);
	kfree_skb(skb);
	mptun_cipher_destroy(&key);
}

/* Another key opens nothing, and destroying a key erases it. */
static void mptun_cipher_test_keys(struct kunit *test)
{
	const struct mptun_cipher_test *t = test->param_value;
	const unsigned int len = sizeof(mptun_vec_packet) + MPTUN_TAG_LEN;
	struct mptun_cipher_key key = {};
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, mptun_cipher_init(&key, t->cipher, mptun_vec_k2),
			0);
	skb = mptun_cipher_test_skb(test, t->sealed, len);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), -EBADMSG);
	kfree_skb(skb);
	mptun_cipher_destroy(&key);
	if (t->cipher != MPTUN_CIPHER_AES_GCM)
		KUNIT_EXPECT_NULL(test, memchr_inv(key.raw, 0,
						   sizeof(key.raw)));
	KUNIT_EXPECT_NULL(test, key.ops);
}

static void mptun_cipher_test_clear(struct kunit *test)
{
	const unsigned int len = sizeof(mptun_vec_packet);
	struct mptun_cipher_key key = {};
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, mptun_cipher_init(&key, MPTUN_CIPHER_CLEAR,
						mptun_vec_k1), 0);
	skb = mptun_cipher_test_skb(test, mptun_vec_packet, len);
	KUNIT_EXPECT_EQ(test, mptun_cipher_seal(&key, skb, NULL), 0);
	KUNIT_EXPECT_EQ(test, mptun_cipher_open(&key, skb, NULL), 0);
	KUNIT_EXPECT_EQ(test, skb->len, len);
	KUNIT_EXPECT_MEMEQ(test, skb->data, mptun_vec_packet, len);
	kfree_skb(skb);
	mptun_cipher_destroy(&key);
}

static struct kunit_case mptun_cipher_test_cases[] = {
	KUNIT_CASE_PARAM(mptun_cipher_test_vector, mptun_cipher_gen_params),
	KUNIT_CASE(mptun_cipher_test_from),
	KUNIT_CASE_PARAM(mptun_cipher_test_changed, mptun_cipher_gen_params),
	KUNIT_CASE_PARAM(mptun_cipher_test_pieces, mptun_cipher_gen_params),
	KUNIT_CASE_PARAM(mptun_cipher_test_large, mptun_cipher_gen_params),
	KUNIT_CASE_PARAM(mptun_cipher_test_borrowed, mptun_cipher_gen_params),
	KUNIT_CASE_PARAM(mptun_cipher_test_shared, mptun_cipher_gen_params),
	KUNIT_CASE_PARAM(mptun_cipher_test_keys, mptun_cipher_gen_params),
	KUNIT_CASE(mptun_cipher_test_clear),
	{}
};

static struct kunit_suite mptun_cipher_test_suite = {
	.name = "mptun_cipher",
	.test_cases = mptun_cipher_test_cases,
};

kunit_test_suite(mptun_cipher_test_suite);
