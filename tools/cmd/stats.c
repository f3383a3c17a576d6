// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl stats: counters with their meaning.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/format.h"
#include "lib/print.h"
#include "lib/report.h"

/* Upper end of the first slot of the histogram, in microseconds. */
#define STATS_SLOT_US 64
/* Width of the longest bar. */
#define STATS_BAR 40

static void stats_bar(uint64_t num, uint64_t largest)
{
	int len = largest ? (int)((double)num / (double)largest * STATS_BAR) :
			    0;

	if (num && !len)
		len = 1;
	for (int i = 0; i < len; i++)
		putchar('#');
}

static void stats_histogram(const struct value *val)
{
	uint64_t largest = 0;
	char low[FORMAT_MAX], high[FORMAT_MAX];

	for (size_t i = 0; i < val->count; i++)
		if (val->list[i] > largest)
			largest = val->list[i];
	for (size_t i = 0; i < val->count; i++) {
		uint64_t from = i ? (uint64_t)STATS_SLOT_US << (i - 1) : 0;

		format_time_short(from, low);
		format_time_short((uint64_t)STATS_SLOT_US << i, high);
		if (i + 1 == val->count)
			snprintf(high, sizeof(high), "more");
		printf("  %20llu %8s to %-8s ",
		       (unsigned long long)val->list[i], low, high);
		stats_bar(val->list[i], largest);
		putchar('\n');
	}
}

static bool stats_zero(const struct value *val)
{
	for (size_t i = 0; i < val->count; i++)
		if (val->list[i])
			return false;
	return !val->num;
}

/* The title is for those that are shown. */
static void stats_nest(bool all, const char *title, const char *name,
		       const struct record *rec)
{
	bool any = false;

	for (size_t i = 0; rec && i < rec->schema->count; i++) {
		const struct field *field = &rec->schema->fields[i];
		const struct value *val = &rec->value[i];

		if (!val->present || (!all && stats_zero(val)))
			continue;
		if (!any) {
			print_colored(PRINT_BOLD, title, 0);
			print_colored(PRINT_BOLD, name, 0);
			putchar('\n');
		}
		any = true;
		if (field->type != FIELD_LIST) {
			printf("  %20llu %-18s %s\n",
			       (unsigned long long)val->num, field->name,
			       field->doc);
			continue;
		}
		printf("  %20s %-18s %s\n", "", field->name, field->doc);
		stats_histogram(val);
	}
}

static void stats_tunnel(bool all, const struct record *tunnel,
			 const struct dump_list *paths)
{
	const struct schema *schema = tunnel->schema;
	char title[64];

	for (size_t i = 0; i < schema->count; i++) {
		if (!tunnel->value[i].present || !tunnel->value[i].nest)
			continue;
		snprintf(title, sizeof(title), "%s ",
			 record_text(tunnel, "ifname"));
		stats_nest(all, title, schema->fields[i].name,
			   tunnel->value[i].nest);
	}
	for (size_t i = 0; i < paths->count; i++) {
		if (record_num(paths->rec[i], "ifindex") !=
		    record_num(tunnel, "ifindex"))
			continue;
		snprintf(title, sizeof(title), "%s path ",
			 record_text(tunnel, "ifname"));
		stats_nest(all, title, record_text(paths->rec[i], "name"),
			   record_nest(paths->rec[i], "stats"));
	}
}

/* Copy the identity of a record, and its counters. */
static json_t *stats_select(json_t *from)
{
	json_t *to = json_object(), *val;
	const char *key;

	json_object_foreach(from, key, val)
		if (json_is_object(val) || !strcmp(key, "ifname") ||
		    !strcmp(key, "ifindex") || !strcmp(key, "name"))
			json_object_set(to, key, val);
	json_decref(from);
	return to;
}

static int stats_json(const struct dump_list *tunnels,
		      const struct dump_list *paths)
{
	json_t *all = json_array();

	for (size_t i = 0; i < tunnels->count; i++) {
		json_t *tunnel = stats_select(print_json(tunnels->rec[i]));
		json_t *list = json_array();

		for (size_t j = 0; j < paths->count; j++)
			if (record_num(paths->rec[j], "ifindex") ==
			    record_num(tunnels->rec[i], "ifindex"))
				json_array_append_new(list, stats_select(
						print_json(paths->rec[j])));
		json_object_set_new(tunnel, "paths", list);
		json_array_append_new(all, tunnel);
	}
	return print_json_print(all);
}

static int stats_print(const struct ctl *ctl, const struct dump_list *tunnels,
		       const struct dump_list *paths)
{
	if (ctl->json)
		return stats_json(tunnels, paths);
	for (size_t i = 0; i < tunnels->count; i++)
		stats_tunnel(ctl->all, tunnels->rec[i], paths);
	return STATUS_OK;
}

static int stats_command(const struct ctl *ctl, int argc, char **argv)
{
	const char *dev = argc ? argv[0] : NULL;
	struct dump_list tunnels, paths;
	char error[PARSE_ERROR_MAX];
	struct conn *conn;
	int status;

	if (argc > 1)
		return command_unexpected(argv[1]);
	if (dev && parse_dev_name(dev, error))
		return report_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, dev, &tunnels);
	if (!status) {
		status = dump_paths(conn, dev, NULL, &paths);
		if (!status)
			status = stats_print(ctl, &tunnels, &paths);
		dump_free(&paths);
	}
	dump_free(&tunnels);
	conn_close(conn);
	return status;
}

const struct command cmd_stats = {
	.name = "stats", .args = "[DEV] [-a] [-j]",
	.brief = "show counters with their meaning",
	.details = "Those that are zero are left out, except with -a and in JSON.",
	.words = { CTL_TUNNEL }, .run = stats_command,
};
