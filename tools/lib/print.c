// SPDX-License-Identifier: GPL-2.0
/*
 * Printing of records: for people and as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/format.h"
#include "lib/print.h"

static bool out_colored;

void out_init(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	out_colored = isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		      term && strcmp(term, "dumb");
}

void out_color(enum out_color color, const char *text, int width)
{
	static const char *const codes[] = {
		[OUT_PLAIN] = "", [OUT_BOLD] = "\033[1m",
		[OUT_GREEN] = "\033[32m", [OUT_YELLOW] = "\033[33m",
		[OUT_RED] = "\033[31m",
	};
	int pad = width - (int)strlen(text);

	if (out_colored && color != OUT_PLAIN)
		printf("%s%s\033[0m", codes[color], text);
	else
		printf("%s", text);
	if (pad > 0)
		printf("%*s", pad, "");
}

enum out_color out_state_color(uint64_t state)
{
	switch (state) {
	case MPTUN_PATH_STATE_UP:
		return OUT_GREEN;
	case MPTUN_PATH_STATE_NEW:
	case MPTUN_PATH_STATE_PROBING:
	case MPTUN_PATH_STATE_SUSPECT:
		return OUT_YELLOW;
	case MPTUN_PATH_STATE_DOWN:
	case MPTUN_PATH_STATE_NOROUTE:
		return OUT_RED;
	default:
		return OUT_PLAIN;
	}
}

static bool out_is_text(const struct field *field)
{
	return field->type == FIELD_STRING || field->type == FIELD_BINARY4 ||
	       field->type == FIELD_BINARY6;
}

/* Why a path that is up is not used, NULL if it is. */
static const char *out_unused(const struct record *rec,
			      const struct value *state)
{
	static const char *const names[] = {
		"parked", "lossy", "detour", NULL
	};
	const char *const *why = names;

	if (state->num != MPTUN_PATH_STATE_UP)
		return NULL;
	while (*why && !record_num(rec, *why))
		why++;
	return *why;
}

const char *out_field(const struct record *rec, const char *name, char *buf)
{
	const struct value *val = record_value(rec, name);
	const struct field *field;

	if (!val) {
		strcpy(buf, "-");
		return buf;
	}
	field = &rec->schema->fields[val - rec->value];
	if (!strcmp(name, "state") && out_unused(rec, val))
		strcpy(buf, out_unused(rec, val));
	else if (out_is_text(field))
		snprintf(buf, OUT_MAX, "%s", val->text[0] ? val->text : "-");
	else
		field_number(field, val->num, buf);
	return buf;
}

const char *out_endpoint(const struct record *rec, const char *side, char *buf)
{
	char name[24], dev[24] = "", addr[OUT_MAX];
	const struct value *v4, *v6, *port;
	uint64_t scope = 0;

	snprintf(name, sizeof(name), "%s4", side);
	v4 = record_value(rec, name);
	snprintf(name, sizeof(name), "%s6", side);
	v6 = record_value(rec, name);
	snprintf(name, sizeof(name), "%s-port", side);
	port = record_value(rec, name);
	snprintf(name, sizeof(name), "%s-scope", side);
	scope = record_num(rec, name);
	if (scope && !if_indextoname((unsigned int)scope, dev))
		snprintf(dev, sizeof(dev), "%" PRIu64, scope);

	if (v4)
		snprintf(addr, sizeof(addr), "%s", v4->text);
	else if (v6)
		snprintf(addr, sizeof(addr), "%s%s%s%s%s", port ? "[" : "",
			 v6->text, *dev ? "%" : "", dev, port ? "]" : "");
	else
		snprintf(addr, sizeof(addr), "%s", port ? "*" : "-");
	if (port)
		snprintf(buf, OUT_MAX, "%.70s:%" PRIu64, addr, port->num);
	else
		snprintf(buf, OUT_MAX, "%.79s", addr);
	return buf;
}

static json_t *out_json_number(const struct field *field, uint64_t num)
{
	char buf[FORMAT_MAX];

	if (field->none && num == field->none_value)
		return json_null();
	if (field->unit == UNIT_BOOL)
		return json_boolean(num);
	if (field->unit == UNIT_PPM)
		return json_real((double)num / 10000);
	/* Identifiers, and what JSON's integers cannot hold, are strings. */
	if (field->names || field->unit == UNIT_HEX ||
	    (field->other && num == field->other_value))
		return json_string(field_number(field, num, buf));
	if (num > INT64_MAX) {
		snprintf(buf, sizeof(buf), "%" PRIu64, num);
		return json_string(buf);
	}
	return json_integer((json_int_t)num);
}

/* Names come from users and need not be UTF-8. */
static json_t *out_json_text(const char *text)
{
	json_t *json = json_string(text);
	char copy[RECORD_TEXT_MAX + 1];

	if (json)
		return json;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *p = copy; *p; p++)
		if (*p & 0x80)
			*p = '?';
	return json_string(copy);
}

static json_t *out_json_list(const struct field *field,
			     const struct value *val)
{
	json_t *list = json_array();

	for (size_t i = 0; i < val->count; i++)
		json_array_append_new(list,
				      out_json_number(field, val->list[i]));
	return list;
}

static json_t *out_json_value(const struct field *field,
			      const struct value *val)
{
	if (field->type == FIELD_NEST)
		return out_json(val->nest);
	if (field->type == FIELD_LIST)
		return out_json_list(field, val);
	if (out_is_text(field))
		return out_json_text(val->text);
	return out_json_number(field, val->num);
}

json_t *out_json_some(const struct record *rec,
		      bool (*want)(const struct field *field))
{
	json_t *json = json_object();

	for (size_t i = 0; i < rec->schema->count; i++) {
		const struct field *field = &rec->schema->fields[i];
		char key[48];

		if (!rec->value[i].present || !want(field))
			continue;
		snprintf(key, sizeof(key), "%s",
			 field->key ? field->key : field->name);
		for (char *p = key; *p; p++)
			if (*p == '-')
				*p = '_';
		if (json_object_set_new(json, key,
					out_json_value(field, &rec->value[i])))
			break;
	}
	return json;
}

static bool out_all(const struct field *field)
{
	(void)field;
	return true;
}

json_t *out_json(const struct record *rec)
{
	return out_json_some(rec, out_all);
}

const char *out_time(char *buf, bool json)
{
	struct timeval tv;
	struct tm tm;
	char day[24], zone[8];

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strftime(day, sizeof(day), json ? "%Y-%m-%dT%H:%M:%S" :
					  "%Y-%m-%d %H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf, OUT_MAX, "%s.%06ld%s", day, (long)tv.tv_usec,
		 json ? zone : "");
	return buf;
}

int out_json_write(json_t *json, FILE *file)
{
	int err = -1;

	if (json)
		err = json_dumpf(json, file, JSON_PRESERVE_ORDER |
				 JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(json);
	return err || putc('\n', file) == EOF ? -1 : 0;
}

int out_json_print(json_t *json)
{
	if (out_json_write(json, stdout))
		return ctl_fail("JSON cannot be written");
	return 0;
}
