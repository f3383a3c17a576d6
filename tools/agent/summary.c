// SPDX-License-Identifier: GPL-2.0
/*
 * What an agent sends to the agent of the other end: a summary of its paths.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/summary.h"
#include "lib/parse.h"
#include "lib/print.h"

/* What is sent at once, and what is sent with it; no addresses and no keys. */
static const char *const summary_first[] = {
	"name", "dev", "state", "reason", "backup", "learned", "parked",
	"detour", "cap-state", NULL
};

static const char *const summary_more[] = {
	"srtt", "pacing-rate", "recent-loss", "cap", "used", NULL
};

static bool summary_is_first(const struct field *field)
{
	return field_among(field, summary_first);
}

static bool summary_wanted(const struct field *field)
{
	return summary_is_first(field) || field_among(field, summary_more);
}

static json_t *summary_paths(const struct summary *summary,
			     bool (*want)(const struct field *field))
{
	json_t *list = json_array();

	for (size_t i = 0; i < summary->paths.count; i++) {
		const struct record *path = summary->paths.rec[i];

		if (record_num(path, "state") != MPTUN_PATH_STATE_DRAINING)
			json_array_append_new(list,
					      print_json_some(path, want));
	}
	return list;
}

size_t summary_write(const struct summary *summary, char *buf)
{
	json_t *json = json_object();
	size_t len;

	json_object_set_new(json, "version",
			    print_json_text(summary->version));
	json_object_set_new(json, "number", json_integer(summary->number));
	json_object_set_new(json, "seen", json_integer(summary->seen));
	json_object_set_new(json, "asks", json_boolean(summary->asks));
	json_object_set_new(json, "paths",
			    summary_paths(summary, summary_wanted));
	len = json_dumpb(json, buf, SUMMARY_MAX, JSON_COMPACT |
			 JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
	json_decref(json);
	return len <= SUMMARY_MAX ? len : 0;
}

char *summary_states(const struct summary *summary)
{
	json_t *list = summary_paths(summary, summary_is_first);
	char *text = json_dumps(list, JSON_COMPACT | JSON_PRESERVE_ORDER);

	json_decref(list);
	return text;
}

/* Takes a string, unless it is too long or has control characters. */
static bool summary_text(const json_t *json, char *buf, size_t max)
{
	const char *text = json_string_value(json);

	if (!text || strlen(text) > max)
		return false;
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	strcpy(buf, text);
	return true;
}

static bool summary_word(const struct names *names, const json_t *json,
			 struct value *val)
{
	const char *word = json_string_value(json);

	for (size_t i = 0; word && i < names->count; i++) {
		if (!names->name[i] || strcmp(names->name[i], word))
			continue;
		val->present = true;
		val->num = i;
	}
	return word;
}

static bool summary_number(const struct field *field, const json_t *json,
			   struct value *val)
{
	if (field->names)
		return summary_word(field->names, json, val);
	val->present = true;
	if (field->none && json_is_null(json)) {
		val->num = field->none_value;
		return true;
	}
	if (field->unit == UNIT_BOOL) {
		val->num = json_is_true(json);
		return json_is_boolean(json);
	}
	if (field->unit == UNIT_PPM) {
		double share = json_number_value(json);

		if (!json_is_number(json) || !(share >= 0 && share <= 100))
			return false;
		val->num = (uint64_t)(share * 10000 + 0.5);
		return true;
	}
	val->num = (uint64_t)json_integer_value(json);
	return json_is_integer(json) && json_integer_value(json) >= 0;
}

static bool summary_field(const json_t *json, const struct field *field,
			  struct value *val)
{
	char key[48];

	snprintf(key, sizeof(key), "%s", field->name);
	for (char *p = key; *p; p++)
		if (*p == '-')
			*p = '_';
	json = json_object_get(json, key);
	if (!json)
		return true;
	if (field->type != FIELD_STRING)
		return summary_number(field, json, val);
	val->present = true;
	return summary_text(json, val->text, PARSE_TEXT_MAX);
}

/* Return: false if it is no path. */
static bool summary_record(const json_t *json, struct record *rec)
{
	const struct schema *schema = rec->schema;

	for (size_t i = 0; i < schema->count; i++)
		if (summary_wanted(&schema->fields[i]) &&
		    !summary_field(json, &schema->fields[i], &rec->value[i]))
			return false;
	return *record_text(rec, "name");
}

static const char *summary_add(struct summary *summary, const char *ifname,
			       const json_t *json)
{
	struct record *rec = calloc(1, sizeof(*rec));
	struct value *of;

	if (!rec)
		return "there is no memory for it";
	rec->schema = &schema_path;
	/* Freed with the others, even if a value is wrong. */
	summary->paths.rec[summary->paths.count] = rec;
	if (!summary_record(json, rec))
		return "one of its paths has a value that no path has";
	if (summary_path(summary, record_text(rec, "name")))
		return "two of its paths have the same name";
	of = &rec->value[field_find(&schema_path, "ifname")];
	of->present = true;
	snprintf(of->text, sizeof(of->text), "%s", ifname);
	return NULL;
}

static const char *summary_list(struct summary *summary, const char *ifname,
				const json_t *list)
{
	const char *error = NULL;

	if (!json_is_array(list) || json_array_size(list) > MPTUN_PATHS_MAX)
		return "it has no list of at most 32 paths";
	summary->paths.rec = calloc(MPTUN_PATHS_MAX, sizeof(struct record *));
	if (!summary->paths.rec)
		return "there is no memory for it";
	for (size_t i = 0; !error && i < json_array_size(list); i++) {
		error = summary_add(summary, ifname, json_array_get(list, i));
		summary->paths.count += !!summary->paths.rec[i];
	}
	return error;
}

static bool summary_count(const json_t *json, const char *key, uint32_t *num)
{
	const json_t *value = json_object_get(json, key);
	json_int_t integer = json_integer_value(value);

	*num = (uint32_t)integer;
	return json_is_integer(value) && integer >= 0 && integer <= UINT32_MAX;
}

static const char *summary_parse(struct summary *summary, const char *ifname,
				 const json_t *json)
{
	if (!json_is_object(json))
		return "it is no JSON object";
	if (!summary_text(json_object_get(json, "version"), summary->version,
			  SUMMARY_VERSION_MAX))
		return "it has no version";
	if (!summary_count(json, "number", &summary->number) ||
	    !summary_count(json, "seen", &summary->seen))
		return "it has no numbers";
	summary->asks = json_is_true(json_object_get(json, "asks"));
	return summary_list(summary, ifname, json_object_get(json, "paths"));
}

const char *summary_read(struct summary *summary, const char *ifname,
			 const char *buf, size_t len)
{
	json_t *json = json_loadb(buf, len, JSON_REJECT_DUPLICATES, NULL);
	const char *error;

	memset(summary, 0, sizeof(*summary));
	error = summary_parse(summary, ifname, json);
	json_decref(json);
	if (error)
		summary_free(summary);
	return error;
}

const struct record *summary_path(const struct summary *summary,
				  const char *name)
{
	for (size_t i = 0; i < summary->paths.count; i++)
		if (!strcmp(record_text(summary->paths.rec[i], "name"), name))
			return summary->paths.rec[i];
	return NULL;
}

void summary_free(struct summary *summary)
{
	dump_free(&summary->paths);
	memset(summary, 0, sizeof(*summary));
}
