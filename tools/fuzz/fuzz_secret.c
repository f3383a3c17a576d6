// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: contents of a key file.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * What is accepted must be a key, and be read back from the form in which keys
 * are printed; what is refused must leave nothing behind.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond, const char *what)
{
	if (cond)
		return;
	fprintf(stderr, "fuzz_secret: %s\n", what);
	abort();
}

static void check_key(const unsigned char *key)
{
	unsigned char again[SECRET_LEN];
	char text[SECRET_BASE64 + 1] = "";

	secret_print(key, text);
	require(strlen(text) == SECRET_BASE64, "printed in another length");
	require(secret_like(text), "does not look like a key");
	require(!secret_parse(text, SECRET_BASE64, again), "not read back");
	require(!memcmp(key, again, sizeof(again)), "another key");
}

/* As a word of a command line: what is a key there is recognized. */
static void check_word(const uint8_t *data, size_t size, bool good)
{
	char *word = malloc(size + 1), *words[] = { word };
	bool plain = size == SECRET_BASE64 || size == SECRET_HEX;
	const char *wrong;

	memcpy(word, data, size);
	word[size] = '\0';
	for (size_t i = 0; i < size; i++)
		plain = plain && word[i] > ' ';
	wrong = secret_refuse(1, words);
	require(!good || !plain || wrong, "a key passed as a word");
	require(!wrong || !*word, "a key stayed on the command line");
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char key[SECRET_LEN], any = 0;
	char *copy = malloc(size ? size : 1);
	const char *wrong;

	memset(key, 0xff, sizeof(key));
	if (size)
		memcpy(copy, data, size);
	wrong = secret_parse(copy, size, key);
	free(copy);
	for (size_t i = 0; i < sizeof(key); i++)
		any |= key[i];
	require(!wrong == !!any, "a refused key stayed, or zeros are a key");
	require(!wrong || *wrong, "no sentence");
	if (!wrong)
		check_key(key);
	check_word(data, size, !wrong);
	return 0;
}
