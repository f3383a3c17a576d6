// SPDX-License-Identifier: GPL-2.0
/*
 * Keys as text, and wiping them.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Digits are computed, not looked up: no part of a key selects an address.
 */
#include <ctype.h>
#include <string.h>

#include <linux/mptun.h>

#include "lib/secret.h"

_Static_assert(SECRET_LEN == MPTUN_KEY_LEN, "the length is the kernel's");

/* Digits of base64 of a key; the last one has two spare bits. */
#define SECRET_DIGITS 43
/* Most digits in a row that a message shows. */
#define SECRET_RUN 16

__attribute__((weak)) void secret_hook(const void *data, size_t len)
{
	(void)data;
	(void)len;
}

void secret_wipe(void *data, size_t len)
{
	explicit_bzero(data, len);
	secret_hook(data, len);
}

static bool secret_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Value of a hexadecimal digit, -1 if it is none. */
static int secret_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Value of a digit of base64, -1 if it is none. */
static int secret_base64(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* Number of digits at the beginning of a text. */
static size_t secret_span(const char *text, size_t len, int (*digit)(char c))
{
	size_t i = 0;

	while (i < len && digit(text[i]) >= 0)
		i++;
	return i;
}

static const char *secret_length(size_t got, size_t want)
{
	if (got < want)
		return "is too short for a key (44 characters of base64, or 64 hexadecimal digits)";
	if (got > want)
		return "is too long for a key (44 characters of base64, or 64 hexadecimal digits)";
	return NULL;
}

static const char *secret_from_hex(const char *text, unsigned char *key)
{
	for (int i = 0; i < SECRET_LEN; i++)
		key[i] = (unsigned char)(secret_hex(text[2 * i]) << 4 |
					 secret_hex(text[2 * i + 1]));
	return NULL;
}

static const char *secret_from_base64(const char *text, unsigned char *key)
{
	unsigned int bits = 0, value = 0;

	/* 43 digits hold 258 bits. */
	for (int i = 0; i < SECRET_DIGITS; i++) {
		value = value << 6 | (unsigned int)secret_base64(text[i]);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		*key++ = (unsigned char)(value >> bits);
		value &= (1u << bits) - 1;
	}
	/* The spare bits must be zero: a key has only one form. */
	return value ? "is not base64 of 32 bytes" : NULL;
}

/* The text without white space around it. */
static const char *secret_decode(const char *text, size_t len,
				 unsigned char *key)
{
	size_t hex = secret_span(text, len, secret_hex);
	size_t digits = secret_span(text, len, secret_base64);
	const char *wrong;

	if (!len)
		return "is empty";
	if (hex == len && len > SECRET_BASE64) {
		wrong = secret_length(len, SECRET_HEX);
		return wrong ? wrong : secret_from_hex(text, key);
	}
	for (size_t i = digits; i < len; i++)
		if (text[i] != '=' || len - digits > 2)
			return "is neither base64 nor hexadecimal digits";
	wrong = secret_length(digits, SECRET_DIGITS);
	if (wrong)
		return wrong;
	if (len != SECRET_BASE64)
		return "is not base64 of 32 bytes, which ends with one =";
	return secret_from_base64(text, key);
}

const char *secret_parse(const char *text, size_t len, unsigned char *key)
{
	const char *wrong;
	unsigned char any = 0;

	memset(key, 0, SECRET_LEN);
	while (len && secret_space(text[len - 1]))
		len--;
	while (len && secret_space(*text)) {
		text++;
		len--;
	}
	wrong = secret_decode(text, len, key);
	for (int i = 0; i < SECRET_LEN; i++)
		any |= key[i];
	if (!wrong && !any)
		wrong = "is all zero, which is no key";
	if (wrong)
		secret_wipe(key, SECRET_LEN);
	return wrong;
}

static char secret_digit(unsigned int value)
{
	if (value < 26)
		return (char)('A' + value);
	if (value < 52)
		return (char)('a' + value - 26);
	if (value < 62)
		return (char)('0' + value - 52);
	return value == 62 ? '+' : '/';
}

void secret_print(const unsigned char *key, char *text)
{
	unsigned int bits = 0, value = 0;

	for (int i = 0; i < SECRET_LEN; i++) {
		value = value << 8 | key[i];
		for (bits += 8; bits >= 6; value &= (1u << bits) - 1) {
			bits -= 6;
			*text++ = secret_digit(value >> bits);
		}
	}
	*text++ = secret_digit(value << (6 - bits));
	*text = '=';
}

/* File names seldom mix all kinds of characters, keys always do. */
static bool secret_mixed(const char *word)
{
	bool upper = false, lower = false, digit = false;

	for (; *word; word++) {
		int value = secret_base64(*word);

		upper |= value >= 0 && value < 26;
		lower |= value >= 26 && value < 52;
		digit |= value >= 52 && value < 62;
	}
	return upper && lower && digit;
}

bool secret_like(const char *word)
{
	size_t len = strlen(word);
	size_t digits = secret_span(word, len, secret_base64);

	if (len == SECRET_HEX && secret_span(word, len, secret_hex) == len)
		return true;
	if (len == SECRET_BASE64 && digits == SECRET_DIGITS)
		return word[digits] == '=';
	return len == SECRET_DIGITS && digits == len && secret_mixed(word);
}

static bool secret_part(const char *word)
{
	size_t run = 0;

	for (; *word && run <= SECRET_RUN; word++)
		run = secret_base64(*word) < 0 ? 0 : run + 1;
	return run > SECRET_RUN;
}

const char *secret_quote(const char *word, char *buf, size_t size)
{
	bool hide = secret_like(word) || secret_part(word);
	size_t i;

	for (i = 0; !hide && word[i] && i + 1 < size; i++)
		buf[i] = isprint((unsigned char)word[i]) ? word[i] : '?';
	buf[i] = '\0';
	if (word[i])
		memcpy(buf + (hide ? 0 : size - 4), "...", 4);
	return buf;
}

const char *secret_refuse(int argc, char **argv)
{
	const char *wrong = NULL;

	for (int i = 0; i < argc; i++) {
		if (!secret_like(argv[i]))
			continue;
		secret_wipe(argv[i], strlen(argv[i]));
		wrong = "an argument looks like a key; other users can see the command line, so give the key in a file, or with - on standard input";
	}
	return wrong;
}
