// SPDX-License-Identifier: GPL-2.0
/*
 * Plans made from what the kernel reports.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "conf/kernel.h"
#include "lib/keyword.h"
#include "lib/report.h"

/* Value of an attribute, NULL if the kernel did not report it. */
static const struct value *kernel_find(const struct record *rec, uint16_t attr,
				       const struct field **field)
{
	for (size_t i = 0; attr && i < rec->schema->count; i++) {
		if (rec->schema->fields[i].attr == attr &&
		    rec->value[i].present) {
			*field = &rec->schema->fields[i];
			return &rec->value[i];
		}
	}
	return NULL;
}

static bool kernel_address(const struct parse_key *key,
			   const struct record *rec, struct parse_value *to)
{
	const struct value *four, *six, *scope;
	const struct field *field;

	four = kernel_find(rec, key->attr, &field);
	six = kernel_find(rec, key->attr6, &field);
	scope = kernel_find(rec, key->attr_scope, &field);
	if (six) {
		to->family = 6;
		if (scope && scope->num)
			if_indextoname((unsigned int)scope->num, to->text);
		return inet_pton(AF_INET6, six->text, to->addr) == 1;
	}
	to->family = 4;
	return four && inet_pton(AF_INET, four->text, to->addr) == 1;
}

/* The list is kept by the plan. */
static bool kernel_prefixes(struct plan *plan, const struct value *val,
			    struct parse_value *to)
{
	char buf[RECORD_PREFIX_TEXT];
	size_t len = 0;

	for (size_t i = 0; i < val->count &&
	     len + sizeof(buf) < sizeof(plan->allowed); i++)
		len += (size_t)sprintf(plan->allowed + len, "%s%s",
				       i ? "," : "", record_prefix(val, i, buf));
	to->word = len ? plan->allowed : NULL;
	return len;
}

static bool kernel_value(struct plan *plan, const struct parse_key *key,
			 const struct record *rec, struct parse_value *to)
{
	const struct field *field = NULL;
	const struct value *val;

	if (key->type == PARSE_ADDR)
		return kernel_address(key, rec, to);
	val = kernel_find(rec, key->attr, &field);
	if (!val || key->type == PARSE_FILE)
		return false;
	if (key->type == PARSE_PREFIXES)
		return kernel_prefixes(plan, val, to);
	if (field->type == FIELD_STRING)
		snprintf(to->text, sizeof(to->text), "%.*s", PARSE_TEXT_MAX,
			 val->text);
	to->num = val->num;
	/* Of "on" and "off" the one that holds. */
	return key->type != PARSE_FLAG || val->num == key->min;
}

static void kernel_set(struct plan *plan, const struct record *rec,
		       struct plan_set *set)
{
	for (size_t i = 0; i < set->table->count; i++) {
		struct parse_value *val = &set->res.value[i];

		val->set = kernel_value(plan, &set->table->keys[i], rec, val);
		if (!val->set)
			memset(val, 0, sizeof(*val));
	}
}

static void kernel_unset(struct plan_set *set, const char *word)
{
	memset(&set->res.value[parse_find(set->table, word)], 0,
	       sizeof(struct parse_value));
}

/* What is fixed at creation has attributes of another family there. */
static void kernel_link(struct plan *plan, const struct record *rec)
{
	for (size_t i = 0; i < keyword_link.count; i++) {
		const char *word = keyword_link.keys[i].word;

		if (parse_find(&keyword_set, word) >= 0 ||
		    !record_value(rec, word) || !record_num(rec, word))
			continue;
		plan->link.res.value[i].set = true;
		plan->link.res.value[i].num = record_num(rec, word);
	}
}

/* The kernel reports what holds: its own choice, if a setting leaves it that. */
void kernel_path(const struct record *path, struct plan *plan,
		 struct plan_set *set)
{
	const struct parse_value *cc = plan_value(&plan->set, "cc");

	memset(set, 0, sizeof(*set));
	set->table = &keyword_path;
	kernel_set(plan, path, set);
	if (cc && !strcmp(record_text(path, "cc"), cc->text))
		kernel_unset(set, "cc");
	if (record_num(path, "mtu") == record_num(path, "pmtu"))
		kernel_unset(set, "mtu");
}

/* Paths that were deleted are there until their last packets are acknowledged. */
static void kernel_add_path(struct plan *plan, const struct record *rec)
{
	struct plan_path *path;

	if (record_num(rec, "learned") || plan->paths == MPTUN_PATHS_MAX ||
	    record_num(rec, "state") == MPTUN_PATH_STATE_DRAINING)
		return;
	path = plan_add_path(plan);
	snprintf(path->name, sizeof(path->name), "%.*s", PARSE_TEXT_MAX,
		 record_text(rec, "name"));
	kernel_path(rec, plan, &path->set);
}

void kernel_plan(const struct record *tunnel, struct plan *plan)
{
	plan_init(plan);
	kernel_link(plan, tunnel);
	kernel_set(plan, tunnel, &plan->set);
	kernel_unset(&plan->set, "key-grace");
}

static void kernel_class(struct plan *plan, const struct record *rec)
{
	struct plan_class *class;

	if (plan->classes == MPTUN_CLASSES_MAX)
		return;
	class = plan_add_class(plan);
	class->id = (uint32_t)record_num(rec, "id");
	kernel_set(plan, rec, &class->set);
}

int kernel_read(struct conn *conn, const char *name, struct plan *plan,
		uint64_t *fingerprint)
{
	struct dump_list classes = { .count = 0 };
	struct dump_sample sample;
	int status;

	plan_init(plan);
	status = dump_all(conn, name, &sample);
	if (status)
		return status;
	status = dump_classes(conn, name, NULL, &classes);
	if (!status) {
		kernel_plan(sample.tunnels.rec[0], plan);
		if (fingerprint)
			*fingerprint = record_num(sample.tunnels.rec[0],
						  "key-fingerprint");
		for (size_t i = 0; i < sample.paths.count; i++)
			kernel_add_path(plan, sample.paths.rec[i]);
		for (size_t i = 0; i < classes.count; i++)
			kernel_class(plan, classes.rec[i]);
	}
	dump_free(&classes);
	dump_sample_free(&sample);
	return status;
}
