// SPDX-License-Identifier: GPL-2.0
/*
 * Decoding and printing of attributes from the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/netlink.h>
#include <stdlib.h>

#include <linux/mptun.h>

#include "lib/format.h"
#include "lib/print.h"
#include "lib/report.h"
#include "test/ktap.h"

static char msg[8192];
static size_t msg_len;

/* The program's own are in mptunctl.c, beside main(). */
int report_fail(const char *fmt, ...)
{
	(void)fmt;
	return STATUS_KERNEL;
}

static void put(uint16_t attr, const void *data, size_t len)
{
	struct nlattr nla = {
		.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = attr,
	};

	memset(msg + msg_len, 0, NLA_ALIGN(nla.nla_len));
	memcpy(msg + msg_len, &nla, sizeof(nla));
	if (len)
		memcpy(msg + msg_len + NLA_HDRLEN, data, len);
	msg_len += NLA_ALIGN(nla.nla_len);
}

static void put_u32(uint16_t attr, uint32_t num)
{
	put(attr, &num, sizeof(num));
}

static void put_u64(uint16_t attr, uint64_t num)
{
	put(attr, &num, sizeof(num));
}

static struct record *parse(const struct schema *schema)
{
	struct record *rec = record_parse(schema, msg, msg_len);

	msg_len = 0;
	return rec;
}

static void check_field(const struct record *rec, const char *name,
			const char *want)
{
	char buf[PRINT_MAX];

	print_field(rec, name, buf);
	ktap_checkf(!strcmp(buf, want), "%s is \"%s\", not \"%s\"", name, buf,
		    want);
}

static void check_json(const struct record *rec, const char *want)
{
	json_t *json = print_json(rec);
	char *text = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER |
				JSON_REAL_PRECISION(6));

	ktap_checkf(!strcmp(text, want), "%s", text);
	free(text);
	json_decref(json);
}

/* Fill every field of a schema, with nests, and look for it in the JSON. */
static void put_field(const struct field *field)
{
	uint64_t list[2] = { 1, 2 };
	unsigned char addr[16] = { 0x20, 0x01, 0x0d, 0xb8 };
	unsigned char prefix[RECORD_PREFIX_LEN] = { 4, 8, 0, 0, 10 };
	size_t start = msg_len;
	struct nlattr *nest;
	uint16_t u16 = 2;
	uint8_t u8 = 1;

	switch (field->type) {
	case FIELD_U8:
		put(field->attr, &u8, sizeof(u8));
		break;
	case FIELD_U16:
		put(field->attr, &u16, sizeof(u16));
		break;
	case FIELD_U32:
		put_u32(field->attr, 2);
		break;
	case FIELD_U64:
		put_u64(field->attr, 3);
		break;
	case FIELD_STRING:
		put(field->attr, "text", 5);
		break;
	case FIELD_BINARY4:
		put(field->attr, addr, 4);
		break;
	case FIELD_BINARY6:
		put(field->attr, addr, 16);
		break;
	case FIELD_LIST:
		put(field->attr, list, sizeof(list));
		break;
	case FIELD_PREFIXES:
		put(field->attr, prefix, sizeof(prefix));
		break;
	case FIELD_NEST:
		put(field->attr, NULL, 0);
		for (size_t i = 0; i < field->nest->count; i++)
			put_field(&field->nest->fields[i]);
		nest = (struct nlattr *)(msg + start);
		nest->nla_len = (uint16_t)(msg_len - start);
		break;
	case FIELD_PAD:
		put(field->attr, NULL, 0);
		break;
	}
}

static void check_all(const struct schema *schema, const json_t *json)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct field *field = &schema->fields[i];
		char key[48];
		json_t *val;

		snprintf(key, sizeof(key), "%s",
			 field->key ? field->key : field->name);
		for (char *p = key; *p; p++)
			*p = *p == '-' ? '_' : *p;
		val = json_object_get(json, key);
		ktap_checkf(!val == (field->type == FIELD_PAD || !field->attr),
			    "%s %s", schema->name, key);
		if (field->nest)
			check_all(field->nest, val);
	}
}

static void check_schema(const struct schema *schema)
{
	struct record *rec;
	json_t *json;

	for (size_t i = 0; i < schema->count; i++)
		if (schema->fields[i].attr)
			put_field(&schema->fields[i]);
	rec = parse(schema);
	json = print_json(rec);
	check_all(schema, json);
	json_decref(json);
	record_free(rec);
}

static void test_every_attribute(void)
{
	check_schema(&schema_tunnel);
	check_schema(&schema_path);
}

static void test_values(void)
{
	struct record *rec;
	uint16_t port = 5000;

	put_u32(MPTUN_A_PATH_STATE, MPTUN_PATH_STATE_SUSPECT);
	put_u32(MPTUN_A_PATH_REASON, 99);
	put_u32(MPTUN_A_PATH_SRTT, 0);
	put_u32(MPTUN_A_PATH_SSTHRESH, UINT32_MAX);
	put_u64(MPTUN_A_PATH_RATE, 20000000);
	put_u32(MPTUN_A_PATH_KEEPALIVE, MPTUN_KEEPALIVE_OFF);
	put_u64(MPTUN_A_PATH_PACING_RATE, 12345678);
	put(MPTUN_A_PATH_REMOTE4, "\306\063\144\007", 4);
	put(MPTUN_A_PATH_REMOTE_PORT, &port, sizeof(port));
	put(MPTUN_A_PATH_DEV, "", 1);
	rec = parse(&schema_path);
	check_field(rec, "state", "suspect");
	check_field(rec, "reason", "unknown(99)");
	check_field(rec, "srtt", "-");
	check_field(rec, "ssthresh", "none");
	check_field(rec, "rate", "20mbit");
	check_field(rec, "pacing-rate", "12.3mbit");
	check_field(rec, "keepalive", "off");
	check_field(rec, "dev", "-");
	check_field(rec, "cwnd", "-");
	check_json(rec, "{\"remote\":\"198.51.100.7\",\"remote_port\":5000,"
		   "\"dev\":\"\",\"rate\":20000000,\"keepalive\":\"off\","
		   "\"state\":\"suspect\","
		   "\"reason\":\"unknown(99)\",\"srtt\":null,"
		   "\"ssthresh\":null,\"pacing_rate\":12345678}");
	record_free(rec);
}

static void test_endpoints(void)
{
	static const unsigned char local[16] = { 0xfe, 0x80, [15] = 1 };
	uint16_t port = 4725;
	struct record *rec;
	char buf[PRINT_MAX];

	rec = parse(&schema_path);
	ktap_check(!strcmp(print_endpoint(rec, "remote", buf), "-"));
	record_free(rec);
	put(MPTUN_A_PATH_LOCAL_PORT, &port, sizeof(port));
	put(MPTUN_A_PATH_REMOTE6, local, sizeof(local));
	put_u32(MPTUN_A_PATH_REMOTE_SCOPE, 1);
	put(MPTUN_A_PATH_REMOTE_PORT, &port, sizeof(port));
	rec = parse(&schema_path);
	ktap_checkf(!strcmp(print_endpoint(rec, "remote", buf),
			    "[fe80::1%lo]:4725"), "%s", buf);
	ktap_checkf(!strcmp(print_endpoint(rec, "local", buf), "*:4725"), "%s",
		    buf);
	record_free(rec);
}

/* What is too long, too short, unknown or broken changes nothing else. */
static void test_foreign(void)
{
	struct record *rec;
	char name[200];

	memset(name, 'x', sizeof(name));
	put_u64(MPTUN_A_PATH_SRTT, 5);
	put(MPTUN_A_PATH_CWND, "ab", 2);
	put(MPTUN_A_PATH_NAME, name, sizeof(name));
	put(MPTUN_A_PATH_DEV, "ab", 2);
	put(MPTUN_A_PATH_CC, NULL, 0);
	put(MPTUN_A_PATH_REMOTE4, "abc", 3);
	put(MPTUN_A_PATH_REMOTE6, "abcd", 4);
	put(0, "x", 1);
	put(200, "x", 1);
	put_u32(MPTUN_A_PATH_SKEW | NLA_F_NESTED, 7);
	rec = parse(&schema_path);
	check_json(rec, "{\"skew\":7}");
	record_free(rec);
}

static void test_histogram(void)
{
	uint64_t list[MPTUN_HISTOGRAM_SLOTS] = { 1, [15] = UINT64_MAX };
	struct record *rec;

	put(MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM, list, 12);
	put(MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM, list, sizeof(list));
	put(MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM, list, 8);
	rec = parse(&schema_reorder_stats);
	check_json(rec, "{\"hold_histogram\":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		   "\"18446744073709551615\"]}");
	record_free(rec);
}

/* A message cut anywhere must be read without harm. */
static void test_truncated(void)
{
	size_t full;

	for (size_t i = 0; i < schema_tunnel.count; i++)
		put_field(&schema_tunnel.fields[i]);
	full = msg_len;
	for (size_t len = 0; len <= full; len++) {
		char *copy = malloc(len + 1);
		struct record *rec;

		memcpy(copy, msg, len);
		rec = record_parse(&schema_tunnel, copy, len);
		json_decref(print_json(rec));
		record_free(rec);
		free(copy);
	}
	msg_len = 0;
}

static void test_lookup(void)
{
	struct record *rec;

	put(MPTUN_A_PATH_NAME, "wan1", 5);
	rec = parse(&schema_path);
	ktap_check(!strcmp(record_text(rec, "name"), "wan1"));
	ktap_check(!strcmp(record_text(rec, "dev"), ""));
	ktap_check(!strcmp(record_text(NULL, "dev"), ""));
	ktap_check(!record_num(rec, "nonesuch"));
	ktap_check(!record_nest(rec, "stats"));
	record_set(rec, "loss", 2500);
	check_json(rec, "{\"name\":\"wan1\",\"loss\":0.25}");
	record_free(rec);
	record_free(NULL);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "record: every attribute is decoded and in the JSON",
		  test_every_attribute },
		{ "record: values for people and in JSON", test_values },
		{ "record: endpoints", test_endpoints },
		{ "record: unknown and broken attributes", test_foreign },
		{ "record: histogram", test_histogram },
		{ "record: truncated messages", test_truncated },
		{ "record: look-up", test_lookup },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
