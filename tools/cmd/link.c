// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl add, del: create and delete tunnels, also without the plugin of
 * ip-link.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "cmd/command.h"
#include "lib/conn.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/link.h"
#include "lib/report.h"

static int link_add_run(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	struct conn *conn;
	int status;

	(void)ctl;
	if (!argc)
		return report_usage("add needs the name of the new tunnel");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keyword_link, argc - 1, argv + 1, &res))
		return report_usage("%s", res.error);
	conn = conn_open_route();
	if (!conn)
		return STATUS_KERNEL;
	status = link_create(conn, argv[0], &res);
	conn_close(conn);
	return status;
}

/* By index, after the kernel has confirmed that it is a tunnel. */
static int link_del(const char *dev, int index)
{
	struct conn *conn = conn_open_route();
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = link_delete(conn, dev, index);
	conn_close(conn);
	return status;
}

static int link_del_run(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct dump_list list;
	struct conn *conn;
	int status, index;

	(void)ctl;
	if (argc != 1)
		return report_usage("del needs the name of a tunnel");
	if (parse_dev_name(argv[0], error))
		return report_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, argv[0], &list);
	conn_close(conn);
	if (status)
		return status;
	index = list.count ? (int)record_num(list.rec[0], "ifindex") : 0;
	dump_free(&list);
	if (!index)
		return report_fail("%s: the kernel does not report its index",
				   argv[0]);
	return link_del(argv[0], index);
}

const struct command cmd_add = {
	.name = "add", .args = "DEV [KEYWORD VALUE]...",
	.brief = "create a tunnel, as \"ip link add DEV type mptun\" does",
	.words = { CTL_NEW }, .table = &keyword_link, .run = link_add_run,
};

const struct command cmd_del = {
	.name = "del", .other = "delete", .args = "DEV",
	.brief = "delete a tunnel, as \"ip link del DEV\" does",
	.words = { CTL_TUNNEL }, .run = link_del_run,
};
