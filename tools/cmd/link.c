// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl add, del: make and delete tunnels, for machines whose ip command
 * takes no plugins.
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

static struct nl_msg *link_message(int type, int flags, int index)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC,
				  .ifi_index = index };
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO))
		exit(ctl_fail("out of memory"));
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
	if (build_attrs(&keys_link, res, conn_put, msg)) {
		conn_free(msg);
		return ctl_usage("%s", res->error);
	}
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	if (!conn_do(conn, msg, NULL, NULL))
		return CTL_OK;
	if (conn->errnum == EOPNOTSUPP && !conn->attr)
		return ctl_fail("%s, is the module mptun installed?",
				conn->text[0] ? conn->text :
				strerror(conn->errnum));
	snprintf(what, sizeof(what), "%s cannot be made", dev);
	return conn_error(conn, &keys_link, what);
}

int cmd_add(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	struct conn *conn;
	int status;

	(void)ctl;
	if (!argc)
		return ctl_usage("add needs a name for the tunnel");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keys_link, argc - 1, argv + 1, &res))
		return ctl_usage("%s", res.error);
	conn = conn_open_route();
	if (!conn)
		return CTL_KERNEL;
	status = link_add(conn, argv[0], &res);
	conn_close(conn);
	return status;
}

/* By index, after the kernel has confirmed that it is a tunnel of ours. */
static int link_del(const char *dev, int index)
{
	struct conn *conn = conn_open_route();
	int status = CTL_OK;
	char what[64];

	if (!conn)
		return CTL_KERNEL;
	if (conn_do(conn, link_message(RTM_DELLINK, 0, index), NULL, NULL)) {
		snprintf(what, sizeof(what), "%s cannot be deleted", dev);
		status = conn_error(conn, NULL, what);
	}
	conn_close(conn);
	return status;
}

int cmd_del(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct fetch_list list;
	struct conn *conn;
	int status, index;

	(void)ctl;
	if (argc != 1)
		return ctl_usage("del needs the name of one tunnel");
	if (parse_dev_name(argv[0], error))
		return ctl_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return CTL_KERNEL;
	status = fetch_tunnels(conn, argv[0], &list);
	conn_close(conn);
	if (status)
		return status;
	index = list.count ? (int)record_num(list.rec[0], "ifindex") : 0;
	fetch_free(&list);
	if (!index)
		return ctl_fail("%s: the kernel does not tell its index",
				argv[0]);
	return link_del(argv[0], index);
}
