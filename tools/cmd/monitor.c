// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl monitor: changes of tunnels and paths as they happen.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/conn.h"
#include "lib/dump.h"
#include "lib/event.h"
#include "lib/print.h"
#include "lib/report.h"

/**
 * struct monitor - what is watched
 * @ctl: options of the run
 * @dev: name of the tunnel, or NULL
 */
struct monitor {
	const struct ctl *ctl;
	const char *dev;
};

static void monitor_path(const struct record *path, bool gone)
{
	char buf[PRINT_MAX];

	printf("%s path ", record_text(path, "ifname"));
	print_colored(PRINT_BOLD, record_text(path, "name"), 0);
	if (gone) {
		printf(" gone\n");
		return;
	}
	if (record_value(path, "old-state"))
		printf(" %s ->", print_field(path, "old-state", buf));
	putchar(' ');
	print_colored(print_state_color(record_num(path, "state")),
		      print_field(path, "state", buf), 0);
	printf(" (%s)", print_field(path, "reason", buf));
	printf(" remote %s", print_endpoint(path, "remote", buf));
	if (record_value(path, "group-now"))
		printf(" group %s", print_field(path, "group-now", buf));
	if (record_num(path, "srtt"))
		printf(" rtt %s", print_field(path, "srtt", buf));
	putchar('\n');
}

static void monitor_cap(const struct record *path)
{
	char buf[PRINT_MAX];

	printf("%s path ", record_text(path, "ifname"));
	print_colored(PRINT_BOLD, record_text(path, "name"), 0);
	printf(" cap %s:", print_field(path, "cap-state", buf));
	printf(" used %s", print_field(path, "used", buf));
	printf(" of %s", print_field(path, "cap", buf));
	printf(" (%s)\n", print_field(path, "cap-action", buf));
}

static void monitor_tunnel(const struct record *tunnel)
{
	char buf[PRINT_MAX];

	printf("%s association ", record_text(tunnel, "ifname"));
	print_colored(PRINT_BOLD, print_field(tunnel, "state", buf), 0);
	printf(", %llu of %llu paths up",
	       (unsigned long long)record_num(tunnel, "paths-up"),
	       (unsigned long long)record_num(tunnel, "paths"));
	printf(", peer instance %s\n", print_field(tunnel, "peer-instance", buf));
}

static void monitor_json(const struct record *rec, const char *event)
{
	json_t *json = json_object(), *fields;
	char now[PRINT_MAX];

	json_object_set_new(json, "time", json_string(print_time(now, true)));
	json_object_set_new(json, "event", json_string(event));
	fields = rec ? print_json(rec) : NULL;
	if (fields)
		json_object_update(json, fields);
	json_decref(fields);
	print_json_print(json);
}

static void monitor_text(const struct record *rec, int cmd)
{
	char now[PRINT_MAX];

	printf("%s ", print_time(now, false));
	if (!rec)
		printf("%s\n", cmd == EVENT_READY ? "listening" :
		       "some changes were lost, the machine is too busy");
	else if (cmd == MPTUN_CMD_TUNNEL_NTF)
		monitor_tunnel(rec);
	else if (cmd == MPTUN_CMD_PATH_CAP_NTF)
		monitor_cap(rec);
	else
		monitor_path(rec, cmd == MPTUN_CMD_PATH_DEL_NTF);
}

static int monitor_print(const struct monitor *monitor,
			 const struct record *rec, int cmd)
{
	if (rec && monitor->dev &&
	    strcmp(monitor->dev, record_text(rec, "ifname")))
		return 0;
	if (monitor->ctl->json)
		monitor_json(rec, event_name(cmd));
	else
		monitor_text(rec, cmd);
	return fflush(stdout) ? -1 : 0;
}

static int monitor_ready(void *arg)
{
	return monitor_print(arg, NULL, EVENT_READY);
}

static int monitor_reply(struct nlmsghdr *msg, void *arg)
{
	struct record *rec;
	int cmd, err;

	if (!msg)
		return monitor_print(arg, NULL, EVENT_LOST);
	if (event_read(msg, &cmd, &rec))
		return -1;
	if (!rec)
		return 0;
	err = monitor_print(arg, rec, cmd);
	record_free(rec);
	return err;
}

/* A tunnel that is missing would never show anything. */
static int monitor_exists(struct conn *conn, const char *dev)
{
	struct dump_list list;
	int status;

	if (!dev)
		return STATUS_OK;
	status = dump_tunnels(conn, dev, &list);
	dump_free(&list);
	return status;
}

static int monitor_command(const struct ctl *ctl, int argc, char **argv)
{
	struct monitor monitor = { .ctl = ctl };
	char error[PARSE_ERROR_MAX];
	struct conn *conn;
	int status;

	if (argc > 1)
		return command_unexpected(argv[1]);
	if (argc && parse_dev_name(argv[0], error))
		return report_usage("%s", error);
	monitor.dev = argc ? argv[0] : NULL;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = monitor_exists(conn, monitor.dev);
	if (!status)
		status = conn_listen(conn, monitor_ready, monitor_reply,
				     &monitor);
	conn_close(conn);
	return status;
}

const struct command cmd_monitor = {
	.name = "monitor", .args = "[DEV] [-j]",
	.brief = "show changes of tunnels and paths as they happen",
	.words = { CTL_TUNNEL }, .run = monitor_command,
};
