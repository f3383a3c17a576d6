// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between plans.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "conf/diff.h"
#include "lib/keyword.h"

/* Room for the prefixes of allowed-ips. */
#define DIFF_PREFIXES (MPTUN_ALLOWED_IPS_MAX * PARSE_PREFIX_LEN)

/* State of a path rather than a setting; what a key is cannot be read. */
static bool diff_skips(const struct parse_key *key)
{
	return key->type == PARSE_FILE || !strcmp(key->word, "used") ||
	       !strcmp(key->word, "key-grace");
}

static bool diff_clear(const struct plan *plan)
{
	const struct parse_value *cipher = plan_value(&plan->link, "cipher");

	return cipher && cipher->num == MPTUN_CIPHER_CLEAR;
}

/* Defaults that depend on other settings. */
static bool diff_depends(const struct plan_set *set,
			 const struct parse_key *key, const struct plan *plan,
			 struct parse_value *val)
{
	const struct parse_value *port = plan_value(&plan->link, "port");

	if (!strcmp(key->word, "learn"))
		val->num = !diff_clear(plan);
	else if (!strcmp(key->word, "local-port"))
		val->num = port ? port->num : MPTUN_PORT_DEFAULT;
	else if (!strcmp(key->word, "mask"))
		val->num = plan_value(set, "mark") ? UINT32_MAX : 0;
	else if (!strcmp(key->word, "on"))
		val->num = 1;
	else
		return false;
	val->set = true;
	return true;
}

/* The default of a setting; false if it has no value that can be set. */
static bool diff_default(const struct plan_set *set,
			 const struct parse_key *key, const struct plan *plan,
			 struct parse_value *val)
{
	char error[PARSE_ERROR_MAX];

	memset(val, 0, sizeof(*val));
	val->set = key->type != PARSE_FLAG;
	if (diff_depends(set, key, plan, val))
		return true;
	if (key->type == PARSE_FLAG)
		return false;
	if (key->standard && !parse_word(key, key->standard, val, error) &&
	    !val->word)
		return true;
	memset(val, 0, sizeof(*val));
	val->set = true;
	return key->none || (key->type != PARSE_NAME && key->type != PARSE_ADDR);
}

static size_t diff_prefixes(const struct parse_key *key, const char *list,
			    unsigned char *data)
{
	char error[PARSE_ERROR_MAX];
	size_t len = 0;

	if (list && parse_prefixes(key, list, data, &len, error))
		return 0;
	return len;
}

static bool diff_same(const struct parse_key *key, const struct parse_value *a,
		      const struct parse_value *b)
{
	unsigned char one[DIFF_PREFIXES], two[DIFF_PREFIXES];
	size_t len;

	switch (key->type) {
	case PARSE_NAME:
		return !strcmp(a->text, b->text);
	case PARSE_ADDR:
		return a->family == b->family && !strcmp(a->text, b->text) &&
		       !memcmp(a->addr, b->addr, a->family == 4 ? 4 : 16);
	case PARSE_PREFIXES:
		len = diff_prefixes(key, a->word, one);
		return len == diff_prefixes(key, b->word, two) &&
		       !memcmp(one, two, len);
	default:
		return a->num == b->num;
	}
}

int diff_fixed(const struct plan_set *want, const struct plan_set *have)
{
	for (size_t i = 0; i < want->table->count; i++)
		if (want->res.value[i].set &&
		    !diff_same(&want->table->keys[i], &want->res.value[i],
			       &have->res.value[i]))
			return (int)i;
	return -1;
}

/* "on" and "off" are one setting. */
static bool diff_flag(const struct plan_set *want, const struct plan_set *have,
		      struct plan_set *out)
{
	bool off = plan_value(want, "off");
	int index;

	if (off == !!plan_value(have, "off"))
		return false;
	index = parse_find(want->table, off ? "off" : "on");
	out->res.value[index].set = true;
	out->res.value[index].num = !off;
	out->line[index] = want->line[index];
	return true;
}

bool diff_set(const struct plan_set *want, const struct plan_set *have,
	      const struct plan *plan, struct plan_set *out)
{
	bool any = false;

	memset(out, 0, sizeof(*out));
	out->table = want->table;
	if (parse_find(want->table, "off") >= 0)
		any = diff_flag(want, have, out);
	for (size_t i = 0; i < want->table->count; i++) {
		const struct parse_key *key = &want->table->keys[i];
		struct parse_value to = want->res.value[i];
		struct parse_value from = have->res.value[i];

		if (key->type == PARSE_FLAG || diff_skips(key) ||
		    (!to.set && !diff_default(want, key, plan, &to)))
			continue;
		if (!from.set)
			diff_default(have, key, plan, &from);
		if (diff_same(key, &to, &from))
			continue;
		out->res.value[i] = to;
		out->line[i] = want->line[i];
		any = true;
	}
	return any;
}

void diff_prune(struct plan_set *set, const struct plan *plan)
{
	for (size_t i = 0; i < set->table->count; i++) {
		const struct parse_key *key = &set->table->keys[i];
		struct parse_value *val = &set->res.value[i], standard;

		if (val->set && (diff_skips(key) ||
				 (diff_default(set, key, plan, &standard) &&
				  diff_same(key, val, &standard))))
			memset(val, 0, sizeof(*val));
	}
}
