// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fuzzer of handshakes: messages of any bytes are opened, with a key, without
 * one, and with tags that nobody looks at; what opens is answered, and the
 * answer opens and leads to the same keys.
 *
 * An input is a byte of choices and a message.
 */
#include "fuzz.h"
#include "crypto/handshake.h"
#include "wire/parse.h"

#define FUZZ_CLEAR	1	/* no key */
#define FUZZ_LENIENT	2	/* tags are taken for right */

static const u8 fuzz_psk[MPTUN_NOISE_KEY] = "a key that everybody knows";
static const u8 fuzz_ours[CURVE25519_KEY_SIZE] = "an ephemeral key";

static void fuzz_answer(const struct mptun_secret *secret,
			const struct mptun_init *init,
			struct mptun_noise *noise)
{
	struct mptun_response response = {};
	struct mptun_cookie cookie = {};
	struct mptun_hello hello = {};

	response.outer.type = MPTUN_TYPE_RESPONSE;
	if (mptun_response_seal(secret, noise, fuzz_ours, init,
				&response, &hello) && secret)
		FUZZ_CHECK(mptun_response_known(secret, &response));
	memset(cookie.source, 7, sizeof(cookie.source));
	mptun_cookie_seal(secret, init, &cookie);
	FUZZ_CHECK(mptun_cookie_open(secret, init, &cookie));
	FUZZ_CHECK(cookie.source[0] == 7);
}

static void fuzz_init(const struct mptun_secret *secret,
		      const struct mptun_init *init)
{
	struct mptun_noise noise;
	struct mptun_hello hello;
	u8 mac2[MPTUN_MAC_LEN];

	if (secret && !mptun_init_known(secret, init))
		return;
	mptun_init_mac2(init, init->mac1, mac2);
	if (mptun_init_open(secret, &noise, init, &hello))
		fuzz_answer(secret, init, &noise);
}

/* An attempt of our own, to which anything may be the answer. */
static void fuzz_attempt(const struct mptun_secret *secret,
			 struct mptun_init *init, struct mptun_noise *noise)
{
	struct mptun_hello hello = { .counter = cpu_to_be64(5) };

	memset(init, 0, sizeof(*init));
	FUZZ_CHECK(mptun_init_seal(secret, noise, fuzz_ours, init,
				   &hello));
}

/* The true answer is good after whatever else came. */
static void fuzz_true_response(const struct mptun_secret *secret,
			       const struct mptun_init *init,
			       struct mptun_noise *noise)
{
	u8 a[2][MPTUN_NOISE_KEY], b[2][MPTUN_NOISE_KEY];
	struct mptun_response response = {};
	struct mptun_noise responder;
	struct mptun_hello hello;

	FUZZ_CHECK(mptun_init_open(secret, &responder, init, &hello));
	FUZZ_CHECK(mptun_response_seal(secret, &responder, fuzz_ours,
				       init, &response, &hello));
	FUZZ_CHECK(mptun_response_open(secret, noise, &response,
				       &hello));
	if (!secret)
		return;
	mptun_noise_split(&responder, a[0], a[1]);
	mptun_noise_split(noise, b[0], b[1]);
	FUZZ_CHECK(!memcmp(a, b, sizeof(a)));
	FUZZ_CHECK(memcmp(a[0], a[1], sizeof(a[0])));
}

static void fuzz_response(const struct mptun_secret *secret,
			  const struct mptun_response *response)
{
	struct mptun_noise noise;
	struct mptun_hello hello;
	struct mptun_init init;

	fuzz_attempt(secret, &init, &noise);
	if (secret && !mptun_response_known(secret, response))
		return;
	if (!mptun_response_open(secret, &noise, response, &hello))
		fuzz_true_response(secret, &init, &noise);
}

static void fuzz_cookie(const struct mptun_secret *secret,
			struct mptun_cookie *cookie)
{
	struct mptun_noise noise;
	struct mptun_init init;

	fuzz_attempt(secret, &init, &noise);
	mptun_cookie_open(secret, &init, cookie);
	fuzz_true_response(secret, &init, &noise);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_in in = { .data = data, .len = len };
	u8 choice = fuzz_take(&in, 1), *p;
	struct mptun_secret secret;
	size_t n = in.len;

	fuzz_lenient = choice & FUZZ_LENIENT;
	mptun_secret_init(&secret, fuzz_psk);
	p = fuzz_copy(&in, &n);
	if (n >= sizeof(struct mptun_outer) && mptun_parse_outer((void *)p)) {
		const struct mptun_secret *key = choice & FUZZ_CLEAR ? NULL :
						 &secret;

		if (*p == MPTUN_TYPE_INIT && n == sizeof(struct mptun_init))
			fuzz_init(key, (void *)p);
		else if (*p == MPTUN_TYPE_RESPONSE &&
			 n == sizeof(struct mptun_response))
			fuzz_response(key, (void *)p);
		else if (*p == MPTUN_TYPE_COOKIE &&
			 n == sizeof(struct mptun_cookie))
			fuzz_cookie(key, (void *)p);
	}
	free(p);
	fuzz_lenient = false;
	return 0;
}
