// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tests of the messages of the handshake: vectors of another implementation
 * (test/crypto/vectors.h), and every kind of change.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "crypto/noise.h"
#include "crypto/handshake.h"
#include "test/crypto/vectors.h"

/**
 * struct mptun_handshake_test - both ends of a handshake
 * @secret: secrets that both derive from the key
 * @initiator: handshake of the initiator
 * @responder: handshake of the responder
 * @init: INIT
 * @response: RESPONSE
 * @hello: decoded payload
 */
struct mptun_handshake_test {
	struct mptun_secret secret;
	struct mptun_noise initiator;
	struct mptun_noise responder;
	struct mptun_init init;
	struct mptun_response response;
	struct mptun_hello hello;
};

static struct mptun_handshake_test *mptun_handshake_test_new(struct kunit *test)
{
	struct mptun_handshake_test *t = kunit_kzalloc(test, sizeof(*t),
						       GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	mptun_secret_init(&t->secret, mptun_vec_key);
	return t;
}

static void mptun_handshake_test_init(struct kunit *test,
				      struct mptun_handshake_test *t)
{
	struct mptun_init *init = &t->init;

	memset(init, 0, sizeof(*init));
	init->outer.type = MPTUN_TYPE_INIT;
	init->outer.version = MPTUN_VERSION;
	init->from = cpu_to_be32(MPTUN_VEC_INIT_INDEX);
	KUNIT_ASSERT_TRUE(test,
			  mptun_init_seal(&t->secret, &t->initiator,
					  mptun_vec_init_secret, init,
					  (void *)mptun_vec_init_hello));
}

/* The second INIT of the vectors and its answer. */
static void mptun_handshake_test_response(struct kunit *test,
					  struct mptun_handshake_test *t)
{
	struct mptun_init *init = &t->init;

	memset(init, 0, sizeof(*init));
	init->outer.type = MPTUN_TYPE_INIT;
	init->outer.version = MPTUN_VERSION;
	init->from = cpu_to_be32(MPTUN_VEC_INIT2_INDEX);
	KUNIT_ASSERT_TRUE(test,
			  mptun_init_seal(&t->secret, &t->initiator,
					  mptun_vec_init2_secret, init,
					  (void *)mptun_vec_init2_hello));
	KUNIT_ASSERT_TRUE(test, mptun_init_open(&t->secret,
						&t->responder, init,
						&t->hello));
	t->response.outer.type = MPTUN_TYPE_RESPONSE;
	t->response.outer.version = MPTUN_VERSION;
	t->response.outer.receiver = t->hello.sender;
	KUNIT_ASSERT_TRUE(test,
			  mptun_response_seal(&t->secret, &t->responder,
					      mptun_vec_response_secret,
					      init, &t->response,
					      (void *)
					      mptun_vec_response_hello));
}

static void mptun_handshake_test_secret(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);

	KUNIT_EXPECT_MEMEQ(test, t->secret.id, mptun_vec_key_id,
			   sizeof(mptun_vec_key_id));
	KUNIT_EXPECT_MEMEQ(test, t->secret.mac1_key, mptun_vec_mac1_key,
			   sizeof(mptun_vec_mac1_key));
	KUNIT_EXPECT_MEMEQ(test, t->secret.cookie_key, mptun_vec_cookie_key,
			   sizeof(mptun_vec_cookie_key));
}

static void mptun_handshake_test_vector_init(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);

	mptun_handshake_test_init(test, t);
	KUNIT_EXPECT_MEMEQ(test, &t->init, mptun_vec_init, sizeof(t->init));
	KUNIT_EXPECT_MEMEQ(test, t->init.ephemeral, mptun_vec_init_public,
			   sizeof(t->init.ephemeral));
	KUNIT_EXPECT_TRUE(test, mptun_init_known(&t->secret, &t->init));
	KUNIT_EXPECT_TRUE(test, mptun_init_open(&t->secret,
						&t->responder, &t->init,
						&t->hello));
	KUNIT_EXPECT_MEMEQ(test, &t->hello, mptun_vec_init_hello,
			   sizeof(t->hello));
}

static void mptun_handshake_test_vector_cookie(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	struct mptun_cookie cookie = {};

	mptun_handshake_test_init(test, t);
	memcpy(&cookie, mptun_vec_cookie_msg, sizeof(cookie));
	KUNIT_ASSERT_TRUE(test, mptun_cookie_open(&t->secret, &t->init,
						  &cookie));
	KUNIT_EXPECT_MEMEQ(test, cookie.cookie, mptun_vec_cookie,
			   sizeof(cookie.cookie));
	KUNIT_EXPECT_MEMEQ(test, cookie.source, mptun_vec_source,
			   sizeof(cookie.source));
	mptun_cookie_seal(&t->secret, &t->init, &cookie);
	KUNIT_EXPECT_MEMEQ(test, &cookie, mptun_vec_cookie_msg,
			   sizeof(cookie));
	/* one of another INIT */
	t->init.mac1[0] ^= 1;
	KUNIT_EXPECT_FALSE(test, mptun_cookie_open(&t->secret, &t->init,
						   &cookie));
}

static void mptun_handshake_test_vector_response(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	u8 k1[MPTUN_NOISE_KEY], k2[MPTUN_NOISE_KEY];

	mptun_handshake_test_response(test, t);
	mptun_init_mac2(&t->init, mptun_vec_source, t->init.mac2);
	KUNIT_EXPECT_MEMEQ(test, &t->init, mptun_vec_init2, sizeof(t->init));
	KUNIT_EXPECT_MEMEQ(test, &t->response, mptun_vec_response,
			   sizeof(t->response));
	mptun_noise_split(&t->responder, k1, k2);
	KUNIT_EXPECT_MEMEQ(test, k1, mptun_vec_k1, sizeof(k1));
	KUNIT_EXPECT_MEMEQ(test, k2, mptun_vec_k2, sizeof(k2));

	KUNIT_EXPECT_TRUE(test, mptun_response_known(&t->secret,
						     &t->response));
	KUNIT_ASSERT_TRUE(test, mptun_response_open(&t->secret,
						    &t->initiator,
						    &t->response,
						    &t->hello));
	KUNIT_EXPECT_MEMEQ(test, &t->hello, mptun_vec_response_hello,
			   sizeof(t->hello));
	mptun_noise_split(&t->initiator, k1, k2);
	KUNIT_EXPECT_MEMEQ(test, k1, mptun_vec_k1, sizeof(k1));
	KUNIT_EXPECT_MEMEQ(test, k2, mptun_vec_k2, sizeof(k2));
	/* both erase their ephemeral keys */
	KUNIT_EXPECT_NULL(test, memchr_inv(t->initiator.ephemeral, 0,
					   sizeof(t->initiator.ephemeral)));
	KUNIT_EXPECT_NULL(test, memchr_inv(t->responder.ephemeral, 0,
					   sizeof(t->responder.ephemeral)));
}

/* mac1 covers all bytes before it, and sealed bytes are authenticated: bit by
 * bit.
 */
static void mptun_handshake_test_flip_init(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	u8 *byte = (u8 *)&t->init;
	unsigned int i;

	mptun_handshake_test_init(test, t);
	for (i = 0; i < 8 * offsetof(struct mptun_init, mac2); i++) {
		byte[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_FALSE(test, mptun_init_known(&t->secret,
							  &t->init));
		if (i / 8 >= offsetof(struct mptun_init, ephemeral) &&
		    i / 8 < offsetof(struct mptun_init, mac1))
			KUNIT_EXPECT_FALSE(test,
					   mptun_init_open(&t->secret,
							   &t->responder,
							   &t->init,
							   &t->hello));
		byte[i / 8] ^= 1 << i % 8;
	}
	KUNIT_EXPECT_TRUE(test, mptun_init_known(&t->secret, &t->init));
}

/* A RESPONSE that fails to open leaves the attempt unchanged. */
static void mptun_handshake_test_flip_response(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	u8 *byte = (u8 *)&t->response;
	bool known, opened;
	unsigned int i;

	mptun_handshake_test_response(test, t);
	for (i = 0; i < offsetof(struct mptun_response, mac1); i++) {
		byte[i] ^= 0x10;
		known = mptun_response_known(&t->secret, &t->response);
		KUNIT_EXPECT_FALSE(test, known);
		opened = i >= offsetof(struct mptun_response, ephemeral) &&
			 mptun_response_open(&t->secret, &t->initiator,
					     &t->response, &t->hello);
		KUNIT_EXPECT_FALSE(test, opened);
		byte[i] ^= 0x10;
	}
	KUNIT_EXPECT_TRUE(test, mptun_response_open(&t->secret,
						    &t->initiator,
						    &t->response,
						    &t->hello));
}

static void mptun_handshake_test_wrong_key(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	u8 other[MPTUN_NOISE_KEY];
	struct mptun_secret *secret;

	secret = kunit_kzalloc(test, sizeof(*secret), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, secret);
	memcpy(other, mptun_vec_key, sizeof(other));
	other[31] ^= 0x80;
	mptun_secret_init(secret, other);
	mptun_handshake_test_init(test, t);
	KUNIT_EXPECT_TRUE(test, memcmp(secret->id, t->secret.id,
				       sizeof(secret->id)));
	KUNIT_EXPECT_FALSE(test, mptun_init_known(secret, &t->init));
	KUNIT_EXPECT_FALSE(test, mptun_init_open(secret, &t->responder,
						 &t->init, &t->hello));
}

/* A point of low order is refused. */
static void mptun_handshake_test_small_order(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);

	mptun_handshake_test_response(test, t);
	memset(t->init.ephemeral, 0, sizeof(t->init.ephemeral));
	KUNIT_EXPECT_FALSE(test,
			   mptun_response_seal(&t->secret, &t->responder,
					       mptun_vec_response_secret,
					       &t->init, &t->response,
					       &t->hello));
}

static void mptun_handshake_test_clear(struct kunit *test)
{
	struct mptun_handshake_test *t = mptun_handshake_test_new(test);
	struct mptun_cookie cookie = {};
	struct mptun_hello said;

	memset(&said, 0x5a, sizeof(said));
	KUNIT_EXPECT_TRUE(test, mptun_init_seal(NULL, NULL, NULL,
						&t->init, &said));
	KUNIT_EXPECT_NULL(test, memchr_inv(t->init.tag, 0,
					   sizeof(t->init) -
					   offsetof(struct mptun_init, tag)));
	KUNIT_EXPECT_TRUE(test, mptun_init_open(NULL, NULL, &t->init,
						&t->hello));
	KUNIT_EXPECT_MEMEQ(test, &t->hello, &said, sizeof(said));

	mptun_cookie_seal(NULL, &t->init, &cookie);
	KUNIT_EXPECT_TRUE(test, mptun_cookie_open(NULL, &t->init,
						  &cookie));
	t->init.hello.counter ^= cpu_to_be64(1);
	KUNIT_EXPECT_FALSE(test, mptun_cookie_open(NULL, &t->init,
						   &cookie));
}

static struct kunit_case mptun_handshake_test_cases[] = {
	KUNIT_CASE(mptun_handshake_test_secret),
	KUNIT_CASE(mptun_handshake_test_vector_init),
	KUNIT_CASE(mptun_handshake_test_vector_cookie),
	KUNIT_CASE(mptun_handshake_test_vector_response),
	KUNIT_CASE(mptun_handshake_test_flip_init),
	KUNIT_CASE(mptun_handshake_test_flip_response),
	KUNIT_CASE(mptun_handshake_test_wrong_key),
	KUNIT_CASE(mptun_handshake_test_small_order),
	KUNIT_CASE(mptun_handshake_test_clear),
	{}
};

static struct kunit_suite mptun_handshake_test_suite = {
	.name = "mptun_handshake",
	.test_cases = mptun_handshake_test_cases,
};

kunit_test_suite(mptun_handshake_test_suite);
