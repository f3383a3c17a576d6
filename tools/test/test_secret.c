// SPDX-License-Identifier: GPL-2.0
/*
 * Keys as text.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdint.h>
#include <stdlib.h>

#include "lib/secret.h"
#include "test/ktap.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The bytes 0x00 to 0x1f, in both forms. */
#define BASE64 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

#define SHORT "is too short for a key (44 characters of base64, or 64 hexadecimal digits)"
#define LONG "is too long for a key (44 characters of base64, or 64 hexadecimal digits)"
#define NEITHER "is neither base64 nor hexadecimal digits"

static const unsigned char nothing[SECRET_LEN];

/* A copy without room behind it, so that the sanitizers see reads beyond it. */
static const char *parse(const char *text, size_t len, unsigned char *key)
{
	char *copy = malloc(len ? len : 1);
	const char *wrong;

	memcpy(copy, text, len);
	memset(key, 0xff, SECRET_LEN);
	wrong = secret_parse(copy, len, key);
	free(copy);
	return wrong;
}

static void test_good(void)
{
	static const char *const good[] = {
		BASE64, HEX, BASE64 "\n", " \t" BASE64 " \r\n", "\n\v\f\n" HEX "\n\n",
		"000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
	};
	unsigned char key[SECRET_LEN];

	for (size_t i = 0; i < COUNT(good); i++) {
		const char *wrong = parse(good[i], strlen(good[i]), key);

		ktap_checkf(!wrong, "\"%s\" %s", good[i], wrong);
		for (int j = 0; j < SECRET_LEN; j++)
			ktap_checkf(key[j] == j, "\"%s\", byte %d", good[i], j);
	}
}

/* Texts that are no keys, and what must be said. */
static const struct {
	const char *text;
	const char *wrong;
} bad[] = {
	{ "", "is empty" },
	{ " \r\n\t ", "is empty" },
	{ "A", SHORT },
	{ "00", SHORT },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", SHORT },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd", SHORT },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", LONG },
	{ BASE64 "=", "is not base64 of 32 bytes, which ends with one =" },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIj", LONG },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
	  "is not base64 of 32 bytes, which ends with one =" },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
	  "is not base64 of 32 bytes" },
	{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh===", NEITHER },
	{ "AAECAwQFBgcICQoLDA0O=xAREhMUFRYXGBkaGxwdHh8=", NEITHER },
	{ "AAECAwQFBgcICQoLDA0O-xAREhMUFRYXGBkaGxwdHh8=", NEITHER },
	{ "AAECAwQFBgcICQoLDA0O_xAREhMUFRYXGBkaGxwdHh8=", NEITHER },
	{ "AAECAwQFBgcICQoLDA0O xAREhMUFRYXGBkaGxwdHh8=", NEITHER },
	{ BASE64 "\n" BASE64, NEITHER },
	{ "0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	  LONG },
	{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
	  SHORT },
	{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1",
	  SHORT },
	{ HEX "0", LONG },
	{ HEX HEX, LONG },
	{ "00010203 04050607", NEITHER },
	{ "secret!", NEITHER },
	{ "PrivateKey = " BASE64, NEITHER },
	{ "\xef\xbb\xbf" BASE64, NEITHER },
	{ "=", SHORT },
	{ ZEROS, "is all zero, which is no key" },
	{ "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
	  "is all zero, which is no key" },
};

static void test_bad(void)
{
	unsigned char key[SECRET_LEN];

	for (size_t i = 0; i < COUNT(bad); i++) {
		const char *wrong = parse(bad[i].text, strlen(bad[i].text),
					  key);

		ktap_checkf(wrong && !strcmp(wrong, bad[i].wrong),
			    "\"%s\" %s", bad[i].text, wrong);
		/* What was read until then is not left there. */
		ktap_checkf(!memcmp(key, nothing, sizeof(key)), "\"%s\"",
			    bad[i].text);
	}
	/* Zero bytes, and a key as it is. */
	ktap_check(!strcmp(parse(BASE64, sizeof(BASE64), key), NEITHER));
	ktap_check(!strcmp(parse((const char *)nothing, SECRET_LEN, key),
			   NEITHER));
}

/* Every length of both kinds of digits: only one of each is a key. */
static void test_lengths(void)
{
	unsigned char key[SECRET_LEN];
	char text[200];

	for (size_t len = 1; len < sizeof(text); len++) {
		memset(text, '1', sizeof(text));
		ktap_checkf(!parse(text, len, key) == (len == SECRET_HEX),
			    "%zu digits", len);
		memset(text, 'z', sizeof(text));
		ktap_checkf(parse(text, len, key), "%zu letters", len);
	}
}

static void test_round_trip(void)
{
	unsigned char key[SECRET_LEN], again[SECRET_LEN];
	uint64_t x = 88172645463325252u;
	char text[SECRET_BASE64];

	for (int i = 0; i < 20000 && !ktap_failed; i++) {
		const char *wrong;

		for (int j = 0; j < SECRET_LEN; j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			key[j] = (unsigned char)(x >> 32);
		}
		secret_print(key, text);
		wrong = parse(text, sizeof(text), again);
		ktap_checkf(!wrong, "%.44s %s", text, wrong);
		ktap_checkf(!memcmp(key, again, sizeof(key)), "%.44s", text);
	}
	for (int j = 0; j < SECRET_LEN; j++)
		key[j] = (unsigned char)j;
	secret_print(key, text);
	ktap_checkf(!memcmp(text, BASE64, sizeof(text)), "%.44s", text);
}

static void test_like(void)
{
	static const char *const yes[] = {
		BASE64, HEX, ZEROS,
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
		"//+//+//+//+//+//+//+//+//+//+//+//+//+//+8=",
	};
	static const char *const no[] = {
		"", "-", "key", "mp0", "site.key", "/etc/mptun/mp0.key",
		"./" BASE64, BASE64 "=", HEX "0", "./" HEX,
		"etc/networks/of/customers/in/the/north/keys",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1g",
		"chacha20-poly1305",
	};

	for (size_t i = 0; i < COUNT(yes); i++)
		ktap_checkf(secret_like(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < COUNT(no); i++)
		ktap_checkf(!secret_like(no[i]), "%s", no[i]);
}

static void test_refuse(void)
{
	char set[] = "set", key[] = BASE64, hex[] = HEX, file[] = "site.key";
	char *good[] = { set, file }, *wrong[] = { set, key, file, hex };
	const char *text = secret_refuse(4, wrong);

	ktap_check(!secret_refuse(2, good));
	ktap_check(!secret_refuse(0, NULL));
	ktap_check(text && !strstr(text, BASE64) && !strstr(text, HEX));
	/* The words themselves are gone, and only they. */
	for (size_t i = 0; i < sizeof(key); i++)
		ktap_checkf(!key[i], "%zu", i);
	for (size_t i = 0; i < sizeof(hex); i++)
		ktap_checkf(!hex[i], "%zu", i);
	ktap_check(!strcmp(set, "set") && !strcmp(file, "site.key"));
}

static const char *wiped;
static size_t wiped_len;

void secret_hook(const void *data, size_t len)
{
	wiped = data;
	wiped_len = len;
}

static void test_wipe(void)
{
	char buf[8] = "abcdefg";

	secret_wipe(buf + 1, 5);
	ktap_check(!memcmp(buf, "a\0\0\0\0\0g", sizeof(buf)));
	ktap_check(wiped == buf + 1 && wiped_len == 5);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "secret: keys", test_good },
		{ "secret: what is no key, and why", test_bad },
		{ "secret: lengths", test_lengths },
		{ "secret: what is printed is read back", test_round_trip },
		{ "secret: words that look like a key", test_like },
		{ "secret: keys on a command line", test_refuse },
		{ "secret: wiping", test_wipe },
	};

	return ktap_run(tests, COUNT(tests));
}
