// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl add, del: create and delete tunnels, also without the plugin of
 * ip-link.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/build.h"
#include "lib/conn.h"
#include "lib/dump.h"
#include "lib/keyword.h"
#include "lib/report.h"

static struct nl_msg *link_message(int type, int flags, int index)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC,
				  .ifi_index = index };
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO))
		exit(report_fail("out of memory"));
	return msg;
}

static int link_add(struct conn *conn, const char *dev,
		    struct parse_result *res)
{
	struct nl_msg *msg = link_message(RTM_NEWLINK,
					  NLM_F_CREATE | NLM_F_EXCL, 0);
	struct nlattr *info, *data;
	char what[64];

	nla_put_string(msg, IFLA_IFNAME, dev);
	info = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_KIND, "mptun");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (build_attrs(&keyword_link, res, conn_put, msg)) {
		conn_free(msg);
		return report_usage("%s", res->error);
	}
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	if (!conn_do(conn, msg, NULL, NULL))
		return STATUS_OK;
	if (conn->errnum == EOPNOTSUPP && !conn->attr)
		return report_fail("%s, the module mptun may not be installed",
				   conn->text[0] ? conn->text :
				   strerror(conn->errnum));
	snprintf(what, sizeof(what), "%s cannot be created", dev);
	return conn_error(conn, &keyword_link, what);
}

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
	status = link_add(conn, argv[0], &res);
	conn_close(conn);
	return status;
}

/* By index, after the kernel has confirmed that it is a tunnel. */
static int link_del(const char *dev, int index)
{
	struct conn *conn = conn_open_route();
	int status = STATUS_OK;
	char what[64];

	if (!conn)
		return STATUS_KERNEL;
	if (conn_do(conn, link_message(RTM_DELLINK, 0, index), NULL, NULL)) {
		snprintf(what, sizeof(what), "%s cannot be deleted", dev);
		status = conn_error(conn, NULL, what);
	}
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
	.name = "del", .args = "DEV",
	.brief = "delete a tunnel, as \"ip link del DEV\" does",
	.words = { CTL_TUNNEL }, .run = link_del_run,
};
