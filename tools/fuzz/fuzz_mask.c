// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: lines of a report of a bug, and of a file of commands.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A secret is put between two halves of the input; it has to be masked, and the
 * line must not become longer than its buffer.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mask.h"
#include "lib/words.h"

/* Longest half of the input. */
#define HALF 300
#define WORDS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const secrets[] = {
	"203.0.113.77", "2001:db8:1::77", "02:00:5e:10:00:01",
	"0xfedcba9876543210", "AAECAwQFBgcICQoLDA0O/+AREhMUFRYXGBkaGxwdHh8=",
};

static void require(bool cond, const char *what)
{
	if (cond)
		return;
	fprintf(stderr, "fuzz_mask: %s\n", what);
	abort();
}

static int count(const char *text, const char *word)
{
	int found = 0;

	while ((text = strstr(text, word))) {
		text++;
		found++;
	}
	return found;
}

/* A part of the input as text. */
static size_t half(const uint8_t *data, size_t size, char *text)
{
	size_t len = size < HALF ? size : HALF;

	for (size_t i = 0; i < len; i++)
		text[i] = data[i] ? (char)data[i] : ' ';
	return len;
}

static void check_words(const char *line)
{
	char *copy = strdup(line), *argv[WORDS];
	const char *error = NULL;
	int words = words_split(copy, argv, WORDS, &error);

	require(words >= 0 || error, "no sentence");
	for (int i = 0; i < words; i++)
		require(argv[i] >= copy && argv[i] <= copy + strlen(line),
			"a word is outside of its line");
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mask mask;
	char line[2 * HALF + 64] = "", *out;
	const char *secret;
	size_t len, room;

	if (size < 2)
		return 0;
	secret = secrets[data[0] % (sizeof(secrets) / sizeof(*secrets))];
	len = half(data + 2, (size - 2) / 2, line);
	len += (size_t)sprintf(line + len, "%c%s%c", " ,(\"\t"[data[1] % 5],
			       secret, " ,)\"\n"[data[1] / 5 % 5]);
	half(data + 2 + (size - 2) / 2, size - 2 - (size - 2) / 2, line + len);
	room = 1 + data[1] * 8u;
	out = malloc(room);
	mask.count = 0;
	mask_line(&mask, line, out, room);
	require(strlen(out) < room, "longer than its buffer");
	/* The input may have it as well, as a part of a longer word. */
	require(count(out, secret) < count(line, secret), "a secret is left");
	free(out);
	check_words(line);
	return 0;
}
