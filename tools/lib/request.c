// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that change a tunnel, a path or a class: one builder for all.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "lib/build.h"
#include "lib/conn.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/request.h"
#include "lib/secret.h"

int request_send(struct conn *conn, const struct request *request)
{
	struct nl_msg *msg = conn_message(conn, request->cmd, 0);
	char object[48];

	conn_put(msg, request->attr_dev, request->dev,
		 strlen(request->dev) + 1);
	if (request->attr_id)
		conn_put(msg, request->attr_id, &request->id,
			 sizeof(request->id));
	if (request->attr_name)
		conn_put(msg, request->attr_name, request->name,
			 strlen(request->name) + 1);
	if (request->table &&
	    build_attrs(request->table, request->res, conn_put, msg)) {
		conn_free(msg);
		return report_usage("%s", request->res->error);
	}
	if (!conn_do(conn, msg, NULL, NULL))
		return STATUS_OK;
	snprintf(object, sizeof(object), "%s%s%s", request->dev,
		 !request->name ? "" : request->attr_id ? " class " : " path ",
		 request->name ? request->name : "");
	return conn_error(conn, request->table, object, request->what);
}

int request_run(const struct request *request)
{
	struct conn *conn = conn_open();
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = request_send(conn, request);
	conn_close(conn);
	return status;
}

int request_set(const char *dev, struct parse_result *res)
{
	const struct request request = {
		.cmd = MPTUN_CMD_TUNNEL_SET,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME, .dev = dev,
		.table = &keyword_set, .res = res, .what = "cannot be changed",
	};

	return request_run(&request);
}

int request_settings(const char *dev, struct parse_result *res)
{
	struct parse_value *file = &res->value[KEYWORD_SET_KEY];
	unsigned char key[SECRET_LEN];
	int status = STATUS_OK;

	if (file->set) {
		status = keyfile_read(file->word, key);
		file->data = key;
	}
	if (!status)
		status = request_set(dev, res);
	file->data = NULL;
	secret_wipe(key, sizeof(key));
	return status;
}
