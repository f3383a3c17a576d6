// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl path: add, change, delete and show paths.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/request.h"

/* Settings in a line of their own are not repeated below it. */
static const char *const path_head[] = {
	"ifindex", "ifname", "name", "state", "old-state", "reason",
	"state-age", "remote4", "remote6", "remote-scope", "remote-port",
	"local4", "local6", "local-port",
};

static int path_change(uint8_t cmd, const struct parse_table *table,
		       const char *what, int argc, char **argv)
{
	struct parse_result res;
	struct change change = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_PATH_IFNAME,
		.attr_name = MPTUN_A_PATH_NAME,
		.table = table, .res = &res, .what = what,
	};
	static const struct parse_table none;
	int remote = parse_find(&keys_path, "remote");

	if (argc < 2)
		return ctl_usage("the names of the tunnel and the path are missing");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_path_name(argv[1], res.error) ||
	    parse_words(table ? table : &none, argc - 2, argv + 2, &res))
		return ctl_usage("%s", res.error);
	if (cmd == MPTUN_CMD_PATH_NEW && !res.value[remote].set)
		return ctl_usage("a path needs a remote address (remote ADDR)");
	if (cmd == MPTUN_CMD_PATH_SET && argc == 2)
		return ctl_usage("there is nothing to set, see mptunctl path set --help");
	change.dev = argv[0];
	change.name = argv[1];
	return change_run(&change);
}

int cmd_path_add(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return path_change(MPTUN_CMD_PATH_NEW, &keys_path, "cannot be added",
			   argc, argv);
}

int cmd_path_set(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return path_change(MPTUN_CMD_PATH_SET, &keys_path,
			   "cannot be changed", argc, argv);
}

int cmd_path_del(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return path_change(MPTUN_CMD_PATH_DEL, NULL, "cannot be deleted", argc,
			   argv);
}

static bool path_in_head(const char *name)
{
	for (size_t i = 0; i < sizeof(path_head) / sizeof(path_head[0]); i++)
		if (!strcmp(name, path_head[i]))
			return true;
	return false;
}

/* "name value" pairs, as many on a line as fit. */
static void path_show_fields(const struct record *path)
{
	int column = 0;

	for (size_t i = 0; i < path->schema->count; i++) {
		const struct field *field = &path->schema->fields[i];
		char buf[OUT_MAX];
		int width;

		if (!path->value[i].present || field->type == FIELD_NEST ||
		    path_in_head(field->name))
			continue;
		out_field(path, field->name, buf);
		width = (int)strlen(field->name) + (int)strlen(buf) + 3;
		if (column + width > 78) {
			putchar('\n');
			column = 0;
		}
		printf("%s%s %s", column ? "  " : "    ", field->name, buf);
		column += width;
	}
	putchar('\n');
}

static void path_show_stats(const struct record *stats)
{
	for (size_t i = 0; stats && i < stats->schema->count; i++) {
		const struct field *field = &stats->schema->fields[i];

		if (stats->value[i].present)
			printf("    %20llu %-16s%s\n",
			       (unsigned long long)stats->value[i].num,
			       field->name, field->doc);
	}
}

static void path_show(const struct record *path)
{
	char buf[OUT_MAX];

	printf("%s ", record_text(path, "ifname"));
	out_color(OUT_BOLD, record_text(path, "name"), 0);
	printf(": ");
	out_color(out_state_color(record_num(path, "state")),
		  out_field(path, "state", buf), 0);
	printf(" (%s)", out_field(path, "reason", buf));
	printf(" for %s\n", out_field(path, "state-age", buf));
	printf("    remote %s", out_endpoint(path, "remote", buf));
	printf("  local %s\n", out_endpoint(path, "local", buf));
	path_show_fields(path);
	path_show_stats(record_nest(path, "stats"));
}

static int path_show_list(const struct ctl *ctl, const struct fetch_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			path_show(list->rec[i]);
		return CTL_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, out_json(list->rec[i]));
	return out_json_print(json);
}

int cmd_path_show(const struct ctl *ctl, int argc, char **argv)
{
	const char *dev = argc > 0 ? argv[0] : NULL;
	const char *name = argc > 1 ? argv[1] : NULL;
	char error[PARSE_ERROR_MAX];
	struct fetch_list list;
	struct conn *conn;
	int status;

	if (argc > 2)
		return ctl_usage("unexpected word \"%s\"", argv[2]);
	if ((dev && parse_dev_name(dev, error)) ||
	    (name && parse_path_name(name, error)))
		return ctl_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return CTL_KERNEL;
	status = fetch_paths(conn, dev, name, &list);
	conn_close(conn);
	if (status)
		return status;
	status = path_show_list(ctl, &list);
	fetch_free(&list);
	return status;
}
