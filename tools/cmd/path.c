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
#include "lib/report.h"
#include "lib/request.h"
#include "lib/resolve.h"
#include "live/screen.h"

/* Fields of the first lines, which are not repeated below. */
static const char *const path_head[] = {
	"ifindex", "ifname", "name", "state", "old-state", "reason",
	"state-age", "remote4", "remote6", "remote-scope", "remote-port",
	"local4", "local6", "local-port",
};

/* The family of a path. */
static int path_family(char **argv, int *family)
{
	struct conn *conn = conn_open();
	struct dump_list list;
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = dump_paths(conn, argv[0], argv[1], &list);
	conn_close(conn);
	if (status)
		return status;
	*family = record_value(list.rec[0], "remote6") ? 6 : 4;
	dump_free(&list);
	return STATUS_OK;
}

/* Looks up the host name of the peer, if one is given. */
static int path_resolve(uint8_t cmd, char **argv, struct parse_result *res)
{
	struct parse_value *remote, *local;
	int status, prefer = 0;

	remote = &res->value[parse_find(&keyword_path, "remote")];
	local = &res->value[parse_find(&keyword_path, "local")];
	if (!remote->word)
		return STATUS_OK;
	if (cmd == MPTUN_CMD_PATH_SET && !local->family) {
		status = path_family(argv, &prefer);
		if (status)
			return status;
	}
	if (resolve_host(remote, local->family, prefer, res->error))
		return report_fail("%s", res->error);
	return STATUS_OK;
}

static int path_change(uint8_t cmd, const struct parse_table *table,
		       const char *what, int argc, char **argv)
{
	struct parse_result res;
	struct request request = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_PATH_IFNAME,
		.attr_name = MPTUN_A_PATH_NAME,
		.table = table, .res = &res, .what = what,
	};
	static const struct parse_table none;
	int status, remote = parse_find(&keyword_path, "remote");

	if (argc < 2)
		return report_usage("the tunnel name and the path name are missing");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_path_name(argv[1], res.error) ||
	    parse_words(table ? table : &none, argc - 2, argv + 2, &res))
		return report_usage("%s", res.error);
	if (cmd == MPTUN_CMD_PATH_NEW && !res.value[remote].set)
		return report_usage("a path needs a remote address (remote ADDR|HOST)");
	if (cmd == MPTUN_CMD_PATH_SET && argc == 2)
		return report_usage("no setting is given, see mptunctl path set --help");
	status = table ? path_resolve(cmd, argv, &res) : STATUS_OK;
	if (status)
		return status;
	request.dev = argv[0];
	request.name = argv[1];
	return request_run(&request);
}

static int path_add_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return path_change(MPTUN_CMD_PATH_NEW, &keyword_path, "cannot be added",
			   argc, argv);
}

static int path_set_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return path_change(MPTUN_CMD_PATH_SET, &keyword_path,
			   "cannot be changed", argc, argv);
}

static int path_del_run(const struct ctl *ctl, int argc, char **argv)
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

static void path_show_fields(const struct record *path)
{
	struct print_flow flow = { .indent = PRINT_INDENT };
	int rows;

	screen_size(&flow.width, &rows);
	for (size_t i = 0; i < path->schema->count; i++) {
		const struct field *field = &path->schema->fields[i];
		char buf[PRINT_MAX];

		if (path->value[i].present && field->type != FIELD_NEST &&
		    !path_in_head(field->name))
			print_flow_pair(&flow, field->name,
					print_field(path, field->name, buf));
	}
	print_flow_end(&flow);
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
	char buf[PRINT_MAX];

	printf("%s ", record_text(path, "ifname"));
	print_colored(PRINT_BOLD, record_text(path, "name"), 0);
	printf(": ");
	print_colored(print_state_color(record_num(path, "state")),
		      print_field(path, "state", buf), 0);
	printf(" (%s)", print_field(path, "reason", buf));
	printf(" for %s\n", print_field(path, "state-age", buf));
	printf("    remote %s", print_endpoint(path, "remote", buf));
	printf("  local %s\n", print_endpoint(path, "local", buf));
	path_show_fields(path);
	path_show_stats(record_nest(path, "stats"));
}

static int path_show_list(const struct ctl *ctl, const struct dump_list *list)
{
	json_t *json;

	if (!ctl->json) {
		for (size_t i = 0; i < list->count; i++)
			path_show(list->rec[i]);
		return STATUS_OK;
	}
	json = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(json, print_json(list->rec[i]));
	return print_json_print(json);
}

static int path_show_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *dev = argc > 0 ? argv[0] : NULL;
	const char *name = argc > 1 ? argv[1] : NULL;
	char error[PARSE_ERROR_MAX];
	struct dump_list list;
	struct conn *conn;
	int status;

	if (argc > 2)
		return command_unexpected(argv[2]);
	if ((dev && parse_dev_name(dev, error)) ||
	    (name && parse_path_name(name, error)))
		return report_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_paths(conn, dev, name, &list);
	conn_close(conn);
	if (status)
		return status;
	status = path_show_list(ctl, &list);
	dump_free(&list);
	return status;
}

static const struct command path_add_verb = {
	.name = "add", .args = "DEV NAME remote ADDR|HOST [KEYWORD VALUE]...",
	.brief = "add a path to a tunnel",
	.details = "The path is probed at once and carries data as soon as the peer answers.",
	.words = { CTL_TUNNEL, CTL_NEW },
	.table = &keyword_path, .run = path_add_run,
};

static const struct command path_set_verb = {
	.name = "set", .args = "DEV NAME KEYWORD VALUE...",
	.brief = "change settings of a path, also under traffic",
	.details = "New addresses, ports or devices take effect at once and the path is probed again.",
	.words = { CTL_TUNNEL, CTL_PATH },
	.table = &keyword_path, .run = path_set_run,
};

static const struct command path_del_verb = {
	.name = "del", .other = "delete", .args = "DEV NAME",
	.brief = "delete a path",
	.details = "Its name is free at once; packets in flight are still acknowledged.",
	.words = { CTL_TUNNEL, CTL_PATH }, .run = path_del_run,
};

static const struct command path_show_verb = {
	.name = "show", .other = "list", .args = "[DEV [NAME]] [-j]",
	.brief = "show everything about paths",
	.words = { CTL_TUNNEL, CTL_PATH }, .run = path_show_run,
};

static const struct command *const path_verbs[] = {
	&path_add_verb, &path_set_verb, &path_del_verb, &path_show_verb, NULL
};

const struct command cmd_path = {
	.name = "path", .args = "add|set|del|show ...",
	.brief = "add, change, delete or show paths",
	.verbs = path_verbs,
};
