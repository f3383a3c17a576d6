// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: words of a command line.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The first byte selects a table of keywords, the rest are words, each ended
 * by a zero byte or a line feed.  What is accepted must be in range, and must
 * be accepted again in the form in which it is printed, with the same value.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "lib/format.h"
#include "lib/keyword.h"

#define WORDS_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond, const char *what)
{
	if (cond)
		return;
	fprintf(stderr, "fuzz_parse: %s\n", what);
	abort();
}

static void check_text(const char *text, size_t max)
{
	size_t len = strlen(text);

	require(len <= max, "a name is too long");
	for (size_t i = 0; i < len; i++)
		require(text[i] > ' ' && text[i] < 127, "a name is not plain");
}

/* Printed exactly, then read again. */
static void check_again(const struct parse_key *key,
			const struct parse_value *val)
{
	char error[PARSE_ERROR_MAX], buf[FORMAT_MAX];
	struct parse_value again;

	switch (key->type) {
	case PARSE_TIME:
	case PARSE_SPAN:
		format_time(val->num, buf);
		break;
	case PARSE_SECONDS:
		format_seconds(val->num, buf);
		break;
	case PARSE_SIZE:
		format_size(val->num, buf);
		break;
	case PARSE_RATE:
		format_rate(val->num, buf);
		break;
	default:
		return;
	}
	/* Words such as "none" may stand for a number out of range. */
	if (val->num < key->min || (key->most && val->num == key->max))
		return;
	require(!parse_word(key, buf, &again, error), "not read back");
	require(again.num == val->num, "another value");
}

static void check_value(const struct parse_key *key,
			const struct parse_value *val)
{
	if (key->type == PARSE_NAME) {
		check_text(val->text, key->max);
		return;
	}
	if (key->type == PARSE_ADDR) {
		require(val->family == 4 || val->family == 6 ||
			(!val->family && (key->none || val->word)),
			"no address");
		require(!val->word || (key->host && *val->word &&
				       strlen(val->word) < 254), "no host");
		check_text(val->text, PARSE_TEXT_MAX);
		return;
	}
	if (key->type == PARSE_PREFIXES) {
		unsigned char data[MPTUN_ALLOWED_IPS_MAX * PARSE_PREFIX_LEN];
		char error[PARSE_ERROR_MAX];
		size_t len;

		require(!val->word ||
			(!parse_prefixes(key, val->word, data, &len, error) &&
			 len && len <= sizeof(data)), "no prefixes");
		return;
	}
	if (key->type == PARSE_FILE) {
		require(val->word && *val->word, "no file");
		require(!val->data, "read while it was parsed");
		return;
	}
	require(val->num <= key->max, "too large");
	require(val->num >= key->min || (key->none && !val->num), "too small");
	check_again(key, val);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct parse_table *const tables[] = {
		&keyword_link, &keyword_set, &keyword_path, &keyword_show,
		&keyword_key, &keyword_top, &keyword_record,
		&keyword_test,
	};
	const struct parse_table *table;
	struct parse_result res;
	char *copy, *words[WORDS_MAX];
	int count = 0;

	if (!size)
		return 0;
	table = tables[data[0] % (sizeof(tables) / sizeof(tables[0]))];
	copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = '\0';
	for (size_t i = 0; i < size && count < WORDS_MAX; i++) {
		if (!i || !copy[i - 1])
			words[count++] = copy + i;
		if (copy[i] == '\n')
			copy[i] = '\0';
	}
	if (!parse_words(table, count, words, &res)) {
		for (size_t i = 0; i < table->count; i++)
			if (res.value[i].set)
				check_value(&table->keys[i], &res.value[i]);
	} else {
		require(res.error[0] && strlen(res.error) < PARSE_ERROR_MAX,
			"no sentence");
		for (const char *p = res.error; *p; p++)
			require(*p >= ' ' && *p < 127, "unclean sentence");
	}
	for (int i = 0; i < count; i++) {
		parse_dev_name(words[i], res.error);
		parse_path_name(words[i], res.error);
	}
	free(copy);
	return 0;
}
