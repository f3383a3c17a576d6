// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and deletion of tunnels, as links.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/build.h"
#include "lib/keyword.h"
#include "lib/link.h"
#include "lib/report.h"

static struct nl_msg *link_message(int type, int flags,
				   const struct ifinfomsg *info)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, (void *)info, sizeof(*info),
				 NLMSG_ALIGNTO))
		exit(report_fail("out of memory"));
	return msg;
}

int link_create(struct conn *conn, const char *dev, struct parse_result *res)
{
	const struct ifinfomsg none = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg = link_message(RTM_NEWLINK,
					  NLM_F_CREATE | NLM_F_EXCL, &none);
	struct nlattr *info, *data;

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
	return conn_error(conn, &keyword_link, dev, "cannot be created");
}

static int link_do(struct conn *conn, struct nl_msg *msg, const char *dev,
		   const char *what)
{
	if (!conn_do(conn, msg, NULL, NULL))
		return STATUS_OK;
	return conn_error(conn, NULL, dev, what);
}

int link_delete(struct conn *conn, const char *dev, int index)
{
	const struct ifinfomsg info = {
		.ifi_family = AF_UNSPEC, .ifi_index = index,
	};

	struct nl_msg *msg = link_message(RTM_DELLINK, 0, &info);

	if (!index)
		nla_put_string(msg, IFLA_IFNAME, dev);
	return link_do(conn, msg, dev, "cannot be deleted");
}

int link_up(struct conn *conn, const char *dev, int index)
{
	const struct ifinfomsg info = {
		.ifi_family = AF_UNSPEC, .ifi_index = index,
		.ifi_flags = IFF_UP, .ifi_change = IFF_UP,
	};

	return link_do(conn, link_message(RTM_NEWLINK, 0, &info), dev,
		       "cannot be set up");
}
