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

#include "lib/format.h"
#include "lib/print.h"
#include "lib/report.h"

static bool print_colors;

void print_init(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	print_colors = isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
		      term && strcmp(term, "dumb");
}

void print_colored(enum print_color color, const char *text, int width)
{
	static const char *const codes[] = {
		[PRINT_PLAIN] = "", [PRINT_BOLD] = "\033[1m",
		[PRINT_GREEN] = "\033[32m", [PRINT_YELLOW] = "\033[33m",
		[PRINT_RED] = "\033[31m",
	};
	int pad = width - (int)strlen(text);

	if (print_colors && color != PRINT_PLAIN)
		printf("%s%s\033[0m", codes[color], text);
	else
		printf("%s", text);
	if (pad > 0)
		printf("%*s", pad, "");
}

enum print_color print_state_color(uint64_t state)
{
	switch (state) {
	case MPTUN_PATH_STATE_UP:
		return PRINT_GREEN;
	case MPTUN_PATH_STATE_NEW:
	case MPTUN_PATH_STATE_PROBING:
	case MPTUN_PATH_STATE_SUSPECT:
		return PRINT_YELLOW;
	case MPTUN_PATH_STATE_DOWN:
	case MPTUN_PATH_STATE_NOROUTE:
		return PRINT_RED;
	default:
		return PRINT_PLAIN;
	}
}

static bool print_is_text(const struct field *field)
{
	return field->type == FIELD_STRING || field->type == FIELD_BINARY4 ||
	       field->type == FIELD_BINARY6;
}

/* Why a path that is up is suspended, or NULL. */
static const char *print_unused(const struct record *rec,
				const struct value *state)
{
	static const char *const names[] = {
		"parked", "detour", NULL
	};
	const char *const *why = names;

	if (state->num != MPTUN_PATH_STATE_UP)
		return NULL;
	while (*why && !record_num(rec, *why))
		why++;
	return *why;
}

/* The word for a state that its name in the spec does not explain, or NULL. */
static const char *print_state(const struct record *rec,
			       const struct value *state)
{
	if (rec->schema != &schema_tunnel)
		return print_unused(rec, state);
	return state->num == MPTUN_ASSOC_STATE_CLOSED ? "waiting" : NULL;
}

const char *print_field(const struct record *rec, const char *name, char *buf)
{
	const struct value *val = record_value(rec, name);
	const struct field *field;

	if (!val) {
		strcpy(buf, "-");
		return buf;
	}
	field = &rec->schema->fields[val - rec->value];
	if (!strcmp(name, "state") && print_state(rec, val))
		strcpy(buf, print_state(rec, val));
	else if (print_is_text(field))
		snprintf(buf, PRINT_MAX, "%s", val->text[0] ? val->text : "-");
	else
		field_number(field, val->num, buf);
	return buf;
}

const char *print_endpoint(const struct record *rec, const char *side,
			   char *buf)
{
	char name[24], dev[24] = "", addr[PRINT_MAX];
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
		snprintf(buf, PRINT_MAX, "%.70s:%" PRIu64, addr, port->num);
	else
		snprintf(buf, PRINT_MAX, "%.79s", addr);
	return buf;
}

/* Continues a list on lines of its own, cut at its commas. */
static void print_flow_list(struct print_flow *flow, const char *value)
{
	while (*value) {
		int len = (int)strcspn(value, ",");

		len += value[len] == ',';
		if (flow->column + len > flow->width &&
		    flow->column > PRINT_INDENT_PART)
			flow->column = printf("\n%*s", PRINT_INDENT_PART, "") - 1;
		flow->column += printf("%.*s", len, value);
		value += len;
	}
}

void print_flow_pair(struct print_flow *flow, const char *name,
		     const char *value)
{
	int len = (int)strlen(name) + (value ? (int)strlen(value) + 1 : 0);

	if (flow->column && flow->column + 2 + len > flow->width)
		print_flow_end(flow);
	flow->column += printf("%*s%s%s", flow->column ? 2 : flow->indent, "",
			       name, value ? " " : "");
	if (value)
		print_flow_list(flow, value);
}

void print_flow_end(struct print_flow *flow)
{
	if (flow->column)
		putchar('\n');
	flow->column = 0;
}

static json_t *print_json_number(const struct field *field, uint64_t num)
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

json_t *print_json_text(const char *text)
{
	json_t *json = json_string(text);
	char *copy;

	if (json)
		return json;
	copy = strdup(text);
	for (char *p = copy; p && *p; p++)
		if (*p & 0x80)
			*p = '?';
	json = copy ? json_string(copy) : NULL;
	free(copy);
	return json;
}

static json_t *print_json_list(const struct field *field,
			       const struct value *val)
{
	json_t *list = json_array();

	for (size_t i = 0; i < val->count; i++)
		json_array_append_new(list,
				      print_json_number(field, val->list[i]));
	return list;
}

static json_t *print_json_prefixes(const struct value *val)
{
	char buf[RECORD_PREFIX_TEXT];
	json_t *list = json_array();

	for (size_t i = 0; i < val->count; i++)
		json_array_append_new(list,
				      json_string(record_prefix(val, i, buf)));
	return list;
}

static json_t *print_json_value(const struct field *field,
				const struct value *val)
{
	if (field->type == FIELD_NEST)
		return print_json(val->nest);
	if (field->type == FIELD_LIST)
		return print_json_list(field, val);
	if (field->type == FIELD_PREFIXES)
		return print_json_prefixes(val);
	if (print_is_text(field))
		return print_json_text(val->text);
	return print_json_number(field, val->num);
}

json_t *print_json_some(const struct record *rec,
			bool (*want)(const struct field *field))
{
	json_t *json = json_object();

	for (size_t i = 0; i < rec->schema->count; i++) {
		const struct field *field = &rec->schema->fields[i];
		json_t *value;
		char key[48];

		if (!rec->value[i].present || !want(field))
			continue;
		snprintf(key, sizeof(key), "%s",
			 field->key ? field->key : field->name);
		for (char *p = key; *p; p++)
			if (*p == '-')
				*p = '_';
		value = print_json_value(field, &rec->value[i]);
		if (json_object_set_new(json, key, value))
			break;
	}
	return json;
}

static bool print_all(const struct field *field)
{
	(void)field;
	return true;
}

json_t *print_json(const struct record *rec)
{
	return print_json_some(rec, print_all);
}

const char *print_time(char *buf, bool json)
{
	char day[24], zone[8] = "", *end = buf;
	struct timeval tv;
	struct tm tm;

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strftime(day, sizeof(day), json ? "%Y-%m-%dT%H:%M:%S" :
					  "%Y-%m-%d %H:%M:%S", &tm);
	end += snprintf(buf, PRINT_MAX, "%s.%06ld", day, (long)tv.tv_usec);
	/* RFC 3339 has a colon in the offset, which strftime() has not. */
	if (json && strftime(zone, sizeof(zone), "%z", &tm))
		sprintf(end, "%.3s:%s", zone, zone + 3);
	return buf;
}

int print_json_write(json_t *json, FILE *file)
{
	int err = -1;

	if (json)
		err = json_dumpf(json, file, JSON_PRESERVE_ORDER |
				 JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(json);
	return err || putc('\n', file) == EOF ? -1 : 0;
}

int print_json_print(json_t *json)
{
	if (print_json_write(json, stdout))
		return report_fail("JSON cannot be written");
	return 0;
}
