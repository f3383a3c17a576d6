// SPDX-License-Identifier: GPL-2.0
/*
 * Plans as text: what plan_read() reads back.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "conf/text.h"
#include "lib/format.h"

/* Longest value besides lists of prefixes: an address with its scope. */
#define TEXT_MAX 80

static const char *text_address(const struct parse_value *val, char *buf,
				size_t size)
{
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(val->family == 4 ? AF_INET : AF_INET6, val->addr, addr,
		  sizeof(addr));
	snprintf(buf, size, "%s%s%s", addr, val->text[0] ? "%" : "",
		 val->text);
	return buf;
}

static const char *text_name(const struct names *names, uint64_t num)
{
	return names && num < names->count ? names->name[num] : NULL;
}

static const char *text_number(const struct parse_key *key, uint64_t num,
			       char *buf, size_t size)
{
	const char *name = text_name(key->names, num);
	char number[FORMAT_MAX];

	if (key->type == PARSE_BOOL)
		name = num ? "on" : "off";
	if (name)
		return name;
	switch (key->type) {
	case PARSE_TIME:
		format_time(num, number);
		break;
	case PARSE_SECONDS:
		format_seconds(num, number);
		break;
	case PARSE_SIZE:
		format_size(num, number);
		break;
	case PARSE_VOLUME:
		format_volume(num, number);
		break;
	case PARSE_RATE:
		format_rate(num, number);
		break;
	default:
		snprintf(number, sizeof(number), "%" PRIu64, num);
		break;
	}
	snprintf(buf, size, "%s", number);
	return buf;
}

const char *text_value(const struct parse_key *key,
		       const struct parse_value *val, char *buf, size_t size)
{
	switch (key->type) {
	case PARSE_NAME:
		return val->text[0] || !key->none ? val->text : key->none;
	case PARSE_PREFIXES:
	case PARSE_FILE:
		return val->word ? val->word : key->none;
	case PARSE_ADDR:
		if (val->word)
			return val->word;
		return val->family ? text_address(val, buf, size) : key->none;
	default:
		if (key->none && !val->num)
			return key->none;
		if (key->most && val->num == key->max)
			return key->most;
		return text_number(key, val->num, buf, size);
	}
}

static void text_set(const struct plan_set *set, FILE *file)
{
	for (size_t i = 0; i < set->table->count; i++) {
		const struct parse_key *key = &set->table->keys[i];
		const struct parse_value *val = &set->res.value[i];
		char name[OPTION_NAME_MAX], buf[TEXT_MAX];

		if (!val->set || key->type == PARSE_FILE)
			continue;
		if (key->type == PARSE_FLAG)
			fprintf(file, "Enabled = %s\n", key->word);
		else
			fprintf(file, "%s = %s\n", option_name(key->word, name),
				text_value(key, val, buf, sizeof(buf)));
	}
}

void text_print(const struct plan *plan, FILE *file)
{
	fprintf(file, "[Interface]\n");
	text_set(&plan->link, file);
	text_set(&plan->set, file);
	for (size_t i = 0; i < plan->paths; i++) {
		fprintf(file, "\n[Path %s]\n", plan->path[i].name);
		text_set(&plan->path[i].set, file);
	}
	for (size_t i = 0; i < plan->classes; i++) {
		fprintf(file, "\n[Class %u]\n", plan->class[i].id);
		text_set(&plan->class[i].set, file);
	}
}
