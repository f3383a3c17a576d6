// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink attributes from parsed keywords.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "lib/build.h"

/* Interface index of a scope, which is a name or the index itself. */
static uint32_t build_scope(const char *scope)
{
	unsigned int index = if_nametoindex(scope);
	unsigned long number;
	char *end;

	if (index)
		return index;
	number = strtoul(scope, &end, 10);
	return *end || number > INT32_MAX ? 0 : (uint32_t)number;
}

static int build_addr(const struct parse_key *key, struct parse_result *res,
		      const struct parse_value *val, build_put put, void *ctx)
{
	uint32_t scope;

	if (val->family != 6)
		return put(ctx, key->attr, val->addr, 4);
	if (put(ctx, key->attr6, val->addr, 16))
		return -1;
	if (!val->text[0])
		return 0;
	scope = build_scope(val->text);
	if (!scope) {
		snprintf(res->error, sizeof(res->error),
			 "%s: there is no device \"%s\"", key->word, val->text);
		return -1;
	}
	return put(ctx, key->attr_scope, &scope, sizeof(scope));
}

static int build_prefixes(const struct parse_key *key,
			  struct parse_result *res,
			  const struct parse_value *val, build_put put,
			  void *ctx)
{
	unsigned char data[MPTUN_ALLOWED_IPS_MAX * PARSE_PREFIX_LEN];
	size_t len = 0;

	if (key->max > sizeof(data) ||
	    (val->word && parse_prefixes(key, val->word, data, &len,
					 res->error)))
		return -1;
	return put(ctx, key->attr, data, len);
}

static int build_attr(const struct parse_key *key, struct parse_result *res,
		      const struct parse_value *val, build_put put, void *ctx)
{
	uint8_t u8 = (uint8_t)val->num;
	uint16_t u16 = (uint16_t)val->num;
	uint32_t u32 = (uint32_t)val->num;

	switch (key->type) {
	case PARSE_BOOL:
	case PARSE_FLAG:
		return put(ctx, key->attr, &u8, sizeof(u8));
	case PARSE_U16:
		return put(ctx, key->attr, &u16, sizeof(u16));
	case PARSE_U32:
	case PARSE_TIME:
	case PARSE_SECONDS:
	case PARSE_SIZE:
	case PARSE_ENUM:
		return put(ctx, key->attr, &u32, sizeof(u32));
	case PARSE_SPAN:
	case PARSE_RATE:
	case PARSE_VOLUME:
		return put(ctx, key->attr, &val->num, sizeof(val->num));
	case PARSE_NAME:
		return put(ctx, key->attr, val->text, strlen(val->text) + 1);
	case PARSE_ADDR:
		return build_addr(key, res, val, put, ctx);
	case PARSE_PREFIXES:
		return build_prefixes(key, res, val, put, ctx);
	case PARSE_FILE:
		return put(ctx, key->attr, val->data, key->max);
	}
	return -1;
}

int build_attrs(const struct parse_table *table, struct parse_result *res,
		build_put put, void *ctx)
{
	strcpy(res->error, "the message is full");
	for (size_t i = 0; i < table->count; i++)
		if (res->value[i].set &&
		    build_attr(&table->keys[i], res, &res->value[i], put, ctx))
			return -1;
	res->error[0] = '\0';
	return 0;
}
