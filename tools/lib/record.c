// SPDX-License-Identifier: GPL-2.0
/*
 * A tunnel or a path as the kernel reported it: decoded attributes.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"

/* Deepest nesting that is followed. */
#define RECORD_DEPTH_MAX 4

static struct record *record_parse_depth(const struct schema *schema,
					 const void *data, size_t len,
					 int depth);

static bool record_number(struct value *val, const void *data, size_t len,
			  size_t want)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;

	if (len != want)
		return false;
	switch (want) {
	case sizeof(u8):
		memcpy(&u8, data, sizeof(u8));
		val->num = u8;
		return true;
	case sizeof(u16):
		memcpy(&u16, data, sizeof(u16));
		val->num = u16;
		return true;
	case sizeof(u32):
		memcpy(&u32, data, sizeof(u32));
		val->num = u32;
		return true;
	default:
		memcpy(&val->num, data, sizeof(val->num));
		return true;
	}
}

static bool record_list(struct value *val, const void *data, size_t len)
{
	size_t count = len / sizeof(*val->list);

	if (len % sizeof(*val->list) || count > RECORD_LIST_MAX || val->list)
		return false;
	val->list = calloc(count + 1, sizeof(*val->list));
	if (!val->list)
		return false;
	memcpy(val->list, data, len);
	val->count = count;
	return true;
}

static bool record_prefixes(struct value *val, const void *data, size_t len)
{
	size_t count = len / sizeof(*val->prefix);

	if (len % sizeof(*val->prefix) || count > RECORD_LIST_MAX ||
	    val->prefix)
		return false;
	val->prefix = calloc(count + 1, sizeof(*val->prefix));
	if (!val->prefix)
		return false;
	memcpy(val->prefix, data, len);
	val->count = count;
	return true;
}

static bool record_decode(const struct field *field, struct value *val,
			  const void *data, size_t len, int depth)
{
	switch (field->type) {
	case FIELD_PAD:
		return false;
	case FIELD_U8:
		return record_number(val, data, len, sizeof(uint8_t));
	case FIELD_U16:
		return record_number(val, data, len, sizeof(uint16_t));
	case FIELD_U32:
		return record_number(val, data, len, sizeof(uint32_t));
	case FIELD_U64:
		return record_number(val, data, len, sizeof(uint64_t));
	case FIELD_STRING:
		if (!len || len > sizeof(val->text) ||
		    ((const char *)data)[len - 1])
			return false;
		snprintf(val->text, sizeof(val->text), "%s",
			 (const char *)data);
		return true;
	case FIELD_BINARY4:
		return len == 4 && inet_ntop(AF_INET, data, val->text,
					     sizeof(val->text));
	case FIELD_BINARY6:
		return len == 16 && inet_ntop(AF_INET6, data, val->text,
					      sizeof(val->text));
	case FIELD_LIST:
		return record_list(val, data, len);
	case FIELD_PREFIXES:
		return record_prefixes(val, data, len);
	case FIELD_NEST:
		if (val->nest || depth >= RECORD_DEPTH_MAX)
			return false;
		val->nest = record_parse_depth(field->nest, data, len,
					       depth + 1);
		return val->nest;
	}
	return false;
}

static void record_attr(struct record *rec, const struct nlattr *attr,
			int depth)
{
	const struct schema *schema = rec->schema;
	uint16_t type = attr->nla_type & NLA_TYPE_MASK;

	for (size_t i = 0; i < schema->count; i++) {
		if (!type || schema->fields[i].attr != type)
			continue;
		if (record_decode(&schema->fields[i], &rec->value[i],
				  (const char *)attr + NLA_HDRLEN,
				  attr->nla_len - (size_t)NLA_HDRLEN, depth))
			rec->value[i].present = true;
		return;
	}
}

static struct record *record_parse_depth(const struct schema *schema,
					 const void *data, size_t len,
					 int depth)
{
	struct record *rec = calloc(1, sizeof(*rec));
	const char *p = data;

	if (!rec)
		return NULL;
	rec->schema = schema;
	while (len >= sizeof(struct nlattr)) {
		const struct nlattr *attr = (const struct nlattr *)p;
		size_t step = NLA_ALIGN((size_t)attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			break;
		record_attr(rec, attr, depth);
		if (step >= len)
			break;
		p += step;
		len -= step;
	}
	return rec;
}

struct record *record_parse(const struct schema *schema, const void *data,
			    size_t len)
{
	return record_parse_depth(schema, data, len, 0);
}

void record_free(struct record *rec)
{
	if (!rec)
		return;
	for (size_t i = 0; i < rec->schema->count; i++) {
		free(rec->value[i].list);
		free(rec->value[i].prefix);
		record_free(rec->value[i].nest);
	}
	free(rec);
}

const struct value *record_value(const struct record *rec, const char *name)
{
	int i = rec ? field_find(rec->schema, name) : -1;

	return i >= 0 && rec->value[i].present ? &rec->value[i] : NULL;
}

uint64_t record_num(const struct record *rec, const char *name)
{
	const struct value *val = record_value(rec, name);

	return val ? val->num : 0;
}

const char *record_text(const struct record *rec, const char *name)
{
	const struct value *val = record_value(rec, name);

	return val ? val->text : "";
}

const struct record *record_nest(const struct record *rec, const char *name)
{
	const struct value *val = record_value(rec, name);

	return val ? val->nest : NULL;
}

const char *record_prefix(const struct value *val, size_t index, char *buf)
{
	const unsigned char *entry = val->prefix[index];
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(entry[0] == 4 ? AF_INET : AF_INET6, entry + 4, addr,
		  sizeof(addr));
	snprintf(buf, RECORD_PREFIX_TEXT, "%s/%u", addr, entry[1]);
	return buf;
}

void record_set(struct record *rec, const char *name, uint64_t num)
{
	int i = field_find(rec->schema, name);

	if (i >= 0) {
		rec->value[i].present = true;
		rec->value[i].num = num;
	}
}
