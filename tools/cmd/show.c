// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl show: tunnels, and their paths as a table.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/report.h"

/**
 * struct column - a column of the table of paths
 * @title: its title
 * @field: name of the field in the spec; "remote" for address and port
 * @nest: name of the nest the field is in, or NULL
 * @rates: only shown with (1) or without (-1) measured rates
 * @left: aligned to the left
 * @optional: only shown if a path has it
 */
struct column {
	const char *title;
	const char *field;
	const char *nest;
	int rates;
	bool left;
	bool optional;
};

static const struct column show_columns[] = {
	{ .title = "PATH", .field = "name", .left = true },
	{ .title = "STATE", .field = "state", .left = true },
	{ .title = "WHY", .field = "reason", .left = true },
	{ .title = "FOR", .field = "state-age" },
	{ .title = "REMOTE", .field = "remote", .left = true },
	{ .title = "DEV", .field = "dev", .left = true },
	{ .title = "GROUP", .field = "group-now", .optional = true },
	{ .title = "RTT", .field = "srtt" },
	{ .title = "SKEW", .field = "skew" },
	{ .title = "LOSS", .field = "loss" },
	{ .title = "CWND", .field = "cwnd" },
	{ .title = "FLIGHT", .field = "in-flight" },
	{ .title = "PACING", .field = "pacing-rate" },
	{ .title = "SENT", .field = "tx-bytes", .nest = "stats", .rates = -1 },
	{ .title = "RECEIVED", .field = "rx-bytes", .nest = "stats",
	  .rates = -1 },
	{ .title = "TX", .field = "tx-rate", .rates = 1 },
	{ .title = "RX", .field = "rx-rate", .rates = 1 },
};

#define COLUMNS (sizeof(show_columns) / sizeof(show_columns[0]))

static const char *show_cell(const struct column *col,
			     const struct record *path, char *buf)
{
	if (!strcmp(col->field, "remote"))
		return print_endpoint(path, "remote", buf);
	if (col->nest)
		path = record_nest(path, col->nest);
	return print_field(path, col->field, buf);
}

/* Width of a column, 0 if it is not shown. */
static int show_width(const struct column *col, const struct record *tunnel,
		      const struct dump_list *paths)
{
	int width = (int)strlen(col->title);
	bool any = !col->optional;

	for (size_t i = 0; i < paths->count; i++) {
		char buf[PRINT_MAX];
		int len;

		if (!dump_of(paths->rec[i], tunnel))
			continue;
		if (record_value(paths->rec[i], col->field))
			any = true;
		len = (int)strlen(show_cell(col, paths->rec[i], buf));
		if (len > width)
			width = len;
	}
	return any ? width : 0;
}

/* One line of the table, the titles if there is no path. */
static void show_row(const struct record *path, const int *width, bool rates)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *col = &show_columns[i];
		char buf[PRINT_MAX];
		const char *text;

		if (!width[i] || (col->rates && (col->rates > 0) != rates))
			continue;
		text = path ? show_cell(col, path, buf) : col->title;
		printf("%s", i ? "  " : "    ");
		if (path && !strcmp(col->field, "state"))
			print_colored(print_state_color(record_num(path, "state")),
				      text, width[i]);
		else
			printf("%*s", col->left ? -width[i] : width[i], text);
	}
	putchar('\n');
}

static void show_paths(const struct record *tunnel,
		       const struct dump_list *paths, bool rates)
{
	int width[COLUMNS];
	bool any = false;

	for (size_t i = 0; i < COLUMNS; i++)
		width[i] = show_width(&show_columns[i], tunnel, paths);
	for (size_t i = 0; i < paths->count; i++) {
		if (!dump_of(paths->rec[i], tunnel))
			continue;
		if (!any)
			show_row(NULL, width, rates);
		any = true;
		show_row(paths->rec[i], width, rates);
	}
}

/* A line with name and value of each field that is present. */
static void show_fields(const struct record *rec, const char *const *names)
{
	char buf[PRINT_MAX];
	bool any = false;

	for (; *names; names++) {
		if (!record_value(rec, *names))
			continue;
		printf("%s%s %s", any ? "  " : "    ", *names,
		       print_field(rec, *names, buf));
		any = true;
	}
	if (any)
		putchar('\n');
}

/* Which source addresses the peer may use, unless any. */
static void show_allowed(const struct record *tunnel)
{
	const struct value *val = record_value(tunnel, "allowed-ips");
	char buf[RECORD_PREFIX_TEXT];

	if (!val || !val->count)
		return;
	printf("    allowed-ips ");
	for (size_t i = 0; i < val->count; i++)
		printf("%s%s", i ? "," : "", record_prefix(val, i, buf));
	putchar('\n');
}

/* Ids belong to clear mode, keys to all other ciphers.  The last four are
 * shown if they are not the default; "" is no field.
 */
static void show_link(const struct record *tunnel)
{
	const char *dscp = record_num(tunnel, "dscp") ? "dscp" : "";
	const char *group = record_num(tunnel, "auto-group") ? "auto-group" :
							       "";
	const char *mark = record_num(tunnel, "fwmark") ? "fwmark" : "";
	const char *follow = record_num(tunnel, "follow") ? "" : "follow";
	const char *const clear[] = {
		"port", "id", "peer-id", "sched", "cc", "learn", follow, dscp,
		group, mark, NULL
	};
	static const char *const session[] = {
		"cipher", "rekey", "sessions", "session-age", NULL
	};
	const char *const sealed[] = {
		"port", "sched", "cc", "learn", follow, dscp, group, mark, NULL
	};
	/* Shown while there is some time left. */
	const char *const key[] = {
		"key-fingerprint",
		record_num(tunnel, "key-grace") ? "key-grace" : NULL, NULL
	};
	uint64_t cipher = record_num(tunnel, "cipher");
	bool seals = cipher && cipher != MPTUN_CIPHER_CLEAR;

	show_fields(tunnel, seals ? sealed : clear);
	show_fields(tunnel, session);
	if (seals)
		show_fields(tunnel, key);
}

static void show_tunnel(const struct record *tunnel)
{
	static const char *const order[] = {
		"reorder", "hold", "hold-now", "buffer", NULL
	};
	static const char *const held[] = {
		"held-packets", "held-bytes", NULL
	};
	static const char *const peer[] = {
		"associations", "instance", "peer-instance", NULL
	};
	static const char *const size[] = {
		"mtu", "mtu-now", "frag", "mss-clamp", NULL
	};
	char state[PRINT_MAX];

	print_colored(PRINT_BOLD, record_text(tunnel, "ifname"), 0);
	printf(": %s, %llu of %llu paths up\n",
	       print_field(tunnel, "state", state),
	       (unsigned long long)record_num(tunnel, "paths-up"),
	       (unsigned long long)record_num(tunnel, "paths"));
	show_link(tunnel);
	show_allowed(tunnel);
	show_fields(tunnel, size);
	show_fields(tunnel, order);
	show_fields(record_nest(tunnel, "reordering"), held);
	show_fields(tunnel, peer);
}

static int show_json(const struct dump_list *tunnels,
		     const struct dump_list *paths)
{
	json_t *all = json_array();

	for (size_t i = 0; i < tunnels->count; i++) {
		json_t *tunnel = print_json(tunnels->rec[i]);
		json_t *list = json_array();

		for (size_t j = 0; j < paths->count; j++)
			if (dump_of(paths->rec[j], tunnels->rec[i]))
				json_array_append_new(list,
						print_json(paths->rec[j]));
		json_object_set_new(tunnel, "paths", list);
		json_array_append_new(all, tunnel);
	}
	return print_json_print(all);
}

static int show_print(const struct ctl *ctl, const struct dump_sample *sample,
		      bool rates)
{
	if (ctl->json)
		return show_json(&sample->tunnels, &sample->paths);
	for (size_t i = 0; i < sample->tunnels.count; i++) {
		if (i)
			putchar('\n');
		show_tunnel(sample->tunnels.rec[i]);
		show_paths(sample->tunnels.rec[i], &sample->paths, rates);
	}
	return STATUS_OK;
}

static void show_wait(uint64_t us)
{
	struct timespec ts = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};

	nanosleep(&ts, NULL);
}

/* Each sample after the first is printed, with the rates since the last. */
static int show_again(const struct ctl *ctl, struct conn *conn,
		      const char *dev, struct dump_sample *last,
		      const struct parse_result *res)
{
	uint64_t every = res->value[KEYWORD_SHOW_EVERY].num;
	uint64_t count = res->value[KEYWORD_SHOW_COUNT].num;
	int status;

	for (uint64_t i = 0; !count || i < count; i++) {
		struct dump_sample now;

		show_wait(every);
		status = dump_all(conn, dev, &now);
		if (status)
			return status;
		dump_rates(&now.paths, &last->paths, now.us - last->us);
		if (i && !ctl->json)
			putchar('\n');
		status = show_print(ctl, &now, true);
		dump_sample_free(last);
		*last = now;
		if (status || fflush(stdout))
			return status;
	}
	return STATUS_OK;
}

static int show_command(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	const char *dev = NULL;
	struct conn *conn;
	struct dump_sample sample;
	int status;

	if (argc && parse_find(&keyword_show, argv[0]) < 0) {
		dev = argv[0];
		argc--;
		argv++;
	}
	if ((dev && parse_dev_name(dev, res.error)) ||
	    parse_words(&keyword_show, argc, argv, &res))
		return report_usage("%s", res.error);
	if (res.value[KEYWORD_SHOW_COUNT].set &&
	    !res.value[KEYWORD_SHOW_EVERY].set)
		return report_usage("count needs every TIME");
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_all(conn, dev, &sample);
	if (!status && res.value[KEYWORD_SHOW_EVERY].set)
		status = show_again(ctl, conn, dev, &sample, &res);
	else if (!status)
		status = show_print(ctl, &sample, false);
	dump_sample_free(&sample);
	conn_close(conn);
	return status;
}

const struct command cmd_show = {
	.name = "show", .args = "[DEV] [every TIME [count N]] [-j]",
	.brief = "show tunnels and their paths (default)",
	.words = { CTL_TUNNEL }, .table = &keyword_show,
	.run = show_command,
};
