// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of command line words into values, by tables of keywords.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A value is taken exactly or refused: no rounding, no saturation, no sign.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/format.h"
#include "lib/guess.h"
#include "lib/parse.h"
#include "lib/secret.h"
#include "lib/unit.h"

#define PARSE_SECOND_US 1000000

__attribute__((format(printf, 2, 3)))
static int parse_fail(char *error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, PARSE_ERROR_MAX, fmt, ap);
	va_end(ap);
	return -1;
}

/* Digits, or 0x and hexadecimal digits, up to the end of the word. */
static bool parse_int(const char *s, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int base = 10;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		const char *p = memchr(digits, tolower((unsigned char)*s), base);

		if (!p || v > (UINT64_MAX - (uint64_t)(p - digits)) / base)
			return false;
		v = v * base + (uint64_t)(p - digits);
	}
	*out = v;
	return true;
}

/* Largest number; beyond it is only @most. */
static uint64_t parse_max(const struct parse_key *key)
{
	if (key->highest)
		return key->highest;
	return key->most ? key->max - 1 : key->max;
}

/* "a, b or c" */
static void parse_list(const struct names *names, char *buf, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < names->count && len < size; i++) {
		const char *sep = i + 1 < names->count ? ", " : " or ";

		if (names->name[i])
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? sep : "",
						names->name[i]);
	}
}

/* Smallest number, besides 0 where that has another meaning. */
static uint64_t parse_min(const struct parse_key *key)
{
	return key->least ? key->least : key->min;
}

const char *parse_range(const struct parse_key *key, char *buf, size_t size)
{
	char lo[FORMAT_MAX], hi[FORMAT_MAX];

	buf[0] = '\0';
	switch (key->type) {
	case PARSE_U16:
	case PARSE_U32:
		snprintf(buf, size, "%llu..%llu",
			 (unsigned long long)parse_min(key),
			 (unsigned long long)parse_max(key));
		break;
	case PARSE_TIME:
	case PARSE_SPAN:
		snprintf(buf, size, "%s..%s", format_time(key->min, lo),
			 format_time(parse_max(key), hi));
		break;
	case PARSE_SECONDS:
		snprintf(buf, size, "%s..%s", format_seconds(parse_min(key), lo),
			 format_seconds(parse_max(key), hi));
		break;
	case PARSE_SIZE:
		snprintf(buf, size, "%s..%s", format_size(key->min, lo),
			 format_size(key->max, hi));
		break;
	case PARSE_BOOL:
		snprintf(buf, size, "on or off");
		break;
	case PARSE_ENUM:
		parse_list(key->names, buf, size);
		break;
	case PARSE_NAME:
		snprintf(buf, size, "at most %u characters",
			 (unsigned int)key->max);
		break;
	case PARSE_VOLUME:
	case PARSE_RATE:
	case PARSE_FLAG:
	case PARSE_ADDR:
	case PARSE_PREFIXES:
	case PARSE_FILE:
		break;
	}
	return buf;
}

const char *parse_about(const struct parse_key *key, char *buf, size_t size)
{
	char range[120] = "";
	bool both;

	if (key->type == PARSE_NAME && key->names)
		parse_list(key->names, range, sizeof(range));
	else if (key->type != PARSE_NAME && key->type != PARSE_BOOL)
		parse_range(key, range, sizeof(range));
	both = *range && key->standard;
	if (!*range && !key->standard)
		snprintf(buf, size, "%s", key->help);
	else
		snprintf(buf, size, "%s (%s%s%s%s)", key->help, range,
			 both ? "; " : "", key->standard ? "default " : "",
			 key->standard ? key->standard : "");
	return buf;
}

static const char *parse_units(enum parse_type type)
{
	switch (type) {
	case PARSE_TIME:
		return " (us, ms, s, m, h or d)";
	case PARSE_SPAN:
		return " (seconds, or us, ms, m, h or d)";
	case PARSE_SECONDS:
		return " (whole seconds, or m, h or d)";
	case PARSE_SIZE:
	case PARSE_VOLUME:
		return " (bytes, or k, m, g, t, kb, mb, gb or tb)";
	case PARSE_RATE:
		return " (bit, kbit, mbit, gbit or tbit, per second)";
	default:
		return "";
	}
}

static int parse_name(const char *what, const char *word, size_t max,
		      char *error)
{
	char quoted[40];
	size_t len = strlen(word);

	secret_quote(word, quoted, sizeof(quoted));
	if (!len)
		return parse_fail(error, "%s must not be empty", what);
	if (len > max)
		return parse_fail(error,
				  "%s \"%s\" is longer than %zu characters",
				  what, quoted, max);
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)word[i]) || word[i] == '/')
			return parse_fail(error, "%s \"%s\" contains a character that is not allowed",
					  what, quoted);
	if (word[0] == '-' || !strcmp(word, ".") || !strcmp(word, ".."))
		return parse_fail(error, "%s must not be \"%s\"", what, quoted);
	return 0;
}

int parse_dev_name(const char *word, char *error)
{
	if (strchr(word, ':')) {
		char quoted[40];

		return parse_fail(error, "device name \"%s\" contains a colon",
				  secret_quote(word, quoted, sizeof(quoted)));
	}
	return parse_name("device name", word, 15, error);
}

int parse_kept_name(const char *word, char *error)
{
	if (strcmp(word, "all") && strcmp(word, "default"))
		return 0;
	return parse_fail(error, "no device can be called \"%s\", a name that sysctl keeps",
			  word);
}

int parse_path_name(const char *word, char *error)
{
	return parse_name("path name", word, 15, error);
}

/* Whole seconds are read as any other time.  Returns what is wrong, or NULL. */
static const char *parse_unit(enum parse_type type, const char *word,
			      uint64_t *num)
{
	const char *wrong;

	switch (type) {
	case PARSE_TIME:
		return unit_parse(word, unit_times, num);
	case PARSE_SPAN:
		return unit_parse(word, unit_spans, num);
	case PARSE_SECONDS:
		wrong = unit_parse(word, unit_spans, num);
		if (!wrong && *num % PARSE_SECOND_US)
			wrong = "is not a multiple of the smallest unit";
		*num /= PARSE_SECOND_US;
		return wrong;
	case PARSE_SIZE:
	case PARSE_VOLUME:
		return unit_parse(word, unit_sizes, num);
	case PARSE_RATE:
		return unit_parse(word, unit_rates, num);
	default:
		return parse_int(word, num) ? NULL : "is not a whole number";
	}
}

static int parse_number(const struct parse_key *key, const char *word,
			struct parse_value *val, char *error)
{
	const char *wrong = NULL;
	char quoted[40], range[120];

	secret_quote(word, quoted, sizeof(quoted));
	wrong = parse_unit(key->type, word, &val->num);
	if (wrong && key->type == PARSE_U32 && key->names)
		wrong = "is neither a whole number nor a name that is known";
	if (wrong)
		return parse_fail(error, "%s \"%s\" %s%s", key->word, quoted,
				  wrong, parse_units(key->type));
	if (val->num < key->min || val->num > parse_max(key) ||
	    (val->num && val->num < key->least))
		return parse_fail(error, "%s %s is out of range (%s)",
				  key->word, quoted,
				  parse_range(key, range, sizeof(range)));
	return 0;
}

/* Finds a value by its name.  Capitals do not count. */
static bool parse_named(const struct names *names, const char *word,
			struct parse_value *val)
{
	/* The name in /etc/protocols */
	if (names == &names_protocol && !strcasecmp(word, "ipv6-icmp"))
		word = "icmpv6";
	for (size_t i = 0; names && i < names->count; i++) {
		if (names->name[i] && !strcasecmp(names->name[i], word)) {
			val->num = i;
			return true;
		}
	}
	return false;
}

static int parse_choice(const struct parse_key *key, const char *word,
			struct parse_value *val, char *error)
{
	const struct names *names = key->names;
	char quoted[40], range[120];

	if (key->type == PARSE_BOOL)
		names = &names_switch;
	if (parse_named(names, word, val))
		return 0;
	return parse_fail(error, "%s must be %s, not \"%s\"", key->word,
			  parse_range(key, range, sizeof(range)),
			  secret_quote(word, quoted, sizeof(quoted)));
}

/*
 * Whether a word may be a host name: labels of letters, digits, - and _.  What
 * looks like a number at its end is a bad IPv4 address, which the resolver would
 * take in some other form.
 */
static bool parse_host(const char *word)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	size_t len;

	for (;; word += len + 1) {
		len = strspn(word, valid);
		if (!len || len > 63 || *word == '-')
			return false;
		/* The last one, with or without a dot after it */
		if (!word[len] || (word[len] == '.' && !word[len + 1]))
			return strspn(word, "0123456789") != len &&
			       strncasecmp(word, "0x", 2);
		if (word[len] != '.')
			return false;
	}
}

static int parse_addr(const struct parse_key *key, const char *word,
		      struct parse_value *val, char *error)
{
	char copy[INET6_ADDRSTRLEN + PARSE_TEXT_MAX + 2], quoted[72];
	const char *scope = strchr(word, '%');
	size_t len = scope ? (size_t)(scope - word) : strlen(word);

	secret_quote(word, quoted, sizeof(quoted));
	if (len < sizeof(copy)) {
		memcpy(copy, word, len);
		copy[len] = '\0';
		if (inet_pton(AF_INET, copy, val->addr) == 1)
			val->family = 4;
		else if (inet_pton(AF_INET6, copy, val->addr) == 1)
			val->family = 6;
	}
	if (key->host && !val->family && strlen(word) < 254 &&
	    parse_host(word)) {
		val->word = word;
		return 0;
	}
	if (!val->family || (scope && val->family == 4))
		return parse_fail(error, "%s \"%s\" is neither an IPv4 nor an IPv6 address%s",
				  key->word, quoted,
				  key->host ? " nor a host name" : "");
	if (!scope)
		return 0;
	if (!key->attr_scope)
		return parse_fail(error, "%s takes an address without %%SCOPE, not \"%s\"",
				  key->word, quoted);
	if (parse_name("scope of the address", scope + 1, PARSE_TEXT_MAX,
		       error))
		return -1;
	strcpy(val->text, scope + 1);
	return 0;
}

bool parse_prefix(const char *word, size_t len, unsigned char *entry)
{
	char copy[INET6_ADDRSTRLEN + 8], *slash;
	uint64_t bits;

	memset(entry, 0, PARSE_PREFIX_LEN);
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, word, len);
	copy[len] = '\0';
	slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, copy, entry + 4) == 1)
		entry[0] = 4;
	else if (inet_pton(AF_INET6, copy, entry + 4) == 1)
		entry[0] = 6;
	else
		return false;
	bits = entry[0] == 4 ? 32 : 128;
	if (slash && (strspn(slash + 1, "0123456789") != strlen(slash + 1) ||
		      !parse_int(slash + 1, &bits)))
		return false;
	entry[1] = (unsigned char)bits;
	return bits <= (entry[0] == 4 ? 32 : 128);
}

int parse_prefixes(const struct parse_key *key, const char *list,
		   unsigned char *data, size_t *len, char *error)
{
	unsigned char entry[PARSE_PREFIX_LEN];
	char quoted[72];

	*len = 0;
	for (;; list++) {
		size_t part = strcspn(list, ",");

		if (!parse_prefix(list, part, entry))
			return parse_fail(error, "%s \"%s\" does not begin with an address prefix",
					  key->word,
					  secret_quote(list, quoted,
						      sizeof(quoted)));
		if (*len + sizeof(entry) > key->max)
			return parse_fail(error, "%s takes at most %u prefixes",
					  key->word, (unsigned int)
					  (key->max / sizeof(entry)));
		if (data)
			memcpy(data + *len, entry, sizeof(entry));
		*len += sizeof(entry);
		list += part;
		if (!*list)
			return 0;
	}
}

int parse_word(const struct parse_key *key, const char *word,
	       struct parse_value *val, char *error)
{
	char what[48];
	size_t len;

	memset(val, 0, sizeof(*val));
	val->set = true;
	if (key->none && !strcmp(key->none, word))
		return 0;
	if (key->most && !strcmp(key->most, word)) {
		val->num = key->max;
		return 0;
	}
	switch (key->type) {
	case PARSE_BOOL:
	case PARSE_ENUM:
		return parse_choice(key, word, val, error);
	case PARSE_ADDR:
		return parse_addr(key, word, val, error);
	case PARSE_PREFIXES:
		val->word = word;
		return parse_prefixes(key, word, NULL, &len, error);
	case PARSE_NAME:
		snprintf(what, sizeof(what), "name after \"%s\"", key->word);
		if (parse_name(what, word, key->max, error))
			return -1;
		strcpy(val->text, word);
		return 0;
	case PARSE_FLAG:
		val->num = key->min;
		return 0;
	case PARSE_FILE:
		if (!*word)
			return parse_fail(error, "the name of the file after \"%s\" must not be empty",
					  key->word);
		val->word = word;
		return 0;
	case PARSE_U32:
		if (parse_named(key->names, word, val))
			return 0;
		return parse_number(key, word, val, error);
	default:
		return parse_number(key, word, val, error);
	}
}

int parse_find(const struct parse_table *table, const char *word)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->keys[i].word, word))
			return (int)i;
	return -1;
}

int parse_match(const struct parse_table *table, const char *word)
{
	int index = parse_find(table, word);

	if (index >= 0 || !*word || *word == '-')
		return index;
	for (size_t i = 0; i < table->count; i++) {
		if (strncmp(table->keys[i].word, word, strlen(word)))
			continue;
		if (index >= 0)
			return -1;
		index = (int)i;
	}
	return index;
}

/* Whether several keywords begin with a word; then a sentence names them. */
static bool parse_several(const struct parse_table *table, const char *word,
			  const char *quoted, char *error)
{
	size_t len = (size_t)snprintf(error, PARSE_ERROR_MAX,
				      "\"%s\" may stand for", quoted);
	unsigned int count = 0;

	if (!*word || *word == '-')
		return false;
	for (size_t i = 0; i < table->count && len < PARSE_ERROR_MAX; i++)
		if (!strncmp(table->keys[i].word, word, strlen(word)))
			len += (size_t)snprintf(error + len,
						PARSE_ERROR_MAX - len, "%s %s",
						count++ ? "," : "",
						table->keys[i].word);
	return count > 1;
}

static int parse_unknown(const struct parse_table *table, const char *word,
			 char *error)
{
	struct guess guess = { .word = word };
	char quoted[40];
	size_t len;

	secret_quote(word, quoted, sizeof(quoted));
	if (!table->count)
		return parse_fail(error, "unexpected word \"%s\"", quoted);
	if (parse_several(table, word, quoted, error))
		return -1;
	for (size_t i = 0; i < table->count; i++)
		guess_try(&guess, table->keys[i].word);
	if (guess.best)
		return parse_fail(error, "unknown keyword \"%s\", did you mean \"%s\"?",
				  quoted, guess.best);
	len = (size_t)snprintf(error, PARSE_ERROR_MAX,
			       "unknown keyword \"%s\", known are", quoted);
	for (size_t i = 0; i < table->count && len < PARSE_ERROR_MAX; i++)
		len += (size_t)snprintf(error + len, PARSE_ERROR_MAX - len,
					"%s %s", i ? "," : "",
					table->keys[i].word);
	return -1;
}

/* Two keywords may stand for one attribute ("on" and "off"). */
static int parse_twice(const struct parse_table *table, int index,
		       const struct parse_result *res, char *error)
{
	const struct parse_key *key = &table->keys[index];

	if (res->value[index].set)
		return parse_fail(error, "\"%s\" is given twice", key->word);
	for (size_t i = 0; i < table->count; i++)
		if (res->value[i].set && table->keys[i].attr == key->attr)
			return parse_fail(error, "\"%s\" contradicts \"%s\"",
					  key->word, table->keys[i].word);
	return 0;
}

int parse_words(const struct parse_table *table, int argc, char *const *argv,
		struct parse_result *res)
{
	memset(res, 0, sizeof(*res));
	while (argc > 0) {
		int index = parse_match(table, *argv);
		const struct parse_key *key;

		if (index < 0)
			return parse_unknown(table, *argv, res->error);
		if (parse_twice(table, index, res, res->error))
			return -1;
		key = &table->keys[index];
		argc--;
		argv++;
		if (key->type == PARSE_FLAG) {
			res->value[index].set = true;
			res->value[index].num = key->min;
			continue;
		}
		if (!argc)
			return parse_fail(res->error, "\"%s\" needs a value (%s)",
					  key->word, key->value);
		if (parse_word(key, *argv, &res->value[index], res->error))
			return -1;
		argc--;
		argv++;
	}
	return 0;
}
