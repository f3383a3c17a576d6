// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that change a tunnel, a path or a class: one builder for all.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/build.h"
#include "lib/conn.h"
#include "lib/request.h"

static int change_send(struct conn *conn, const struct change *change)
{
	struct nl_msg *msg = conn_message(conn, change->cmd, 0);
	char what[120];

	conn_put(msg, change->attr_dev, change->dev, strlen(change->dev) + 1);
	if (change->attr_id)
		conn_put(msg, change->attr_id, &change->id,
			 sizeof(change->id));
	if (change->attr_name)
		conn_put(msg, change->attr_name, change->name,
			 strlen(change->name) + 1);
	if (change->table &&
	    build_attrs(change->table, change->res, conn_put, msg)) {
		conn_free(msg);
		return ctl_usage("%s", change->res->error);
	}
	if (!conn_do(conn, msg, NULL, NULL))
		return CTL_OK;
	if (change->name)
		snprintf(what, sizeof(what), "%s %s %s %s", change->dev,
			 change->attr_id ? "class" : "path", change->name,
			 change->what);
	else
		snprintf(what, sizeof(what), "%s %s", change->dev,
			 change->what);
	return conn_error(conn, change->table, what);
}

int change_run(const struct change *change)
{
	struct conn *conn = conn_open();
	int status;

	if (!conn)
		return CTL_KERNEL;
	status = change_send(conn, change);
	conn_close(conn);
	return status;
}
