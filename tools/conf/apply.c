// SPDX-License-Identifier: GPL-2.0
/*
 * Settings of a plan, sent to the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>

#include "conf/apply.h"
#include "lib/request.h"

static int apply_send(struct conn *conn, const struct conf_file *file,
		      int head, struct plan_set *set, struct request *request)
{
	const struct conn_place place = file_place(file, head, set);
	int status;

	request->dev = file->name;
	request->table = set->table;
	request->res = &set->res;
	conn_at(conn, &place);
	status = request_send(conn, request);
	conn_at(conn, NULL);
	return status;
}

int apply_tunnel(struct conn *conn, const struct conf_file *file,
		 struct plan_set *set)
{
	struct request request = {
		.cmd = MPTUN_CMD_TUNNEL_SET,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME, .what = "cannot be changed",
	};

	return apply_send(conn, file, file->plan.line, set, &request);
}

int apply_path(struct conn *conn, const struct conf_file *file, uint8_t cmd,
	       struct plan_path *path)
{
	struct plan_set none = { .table = path->set.table };
	struct request request = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_PATH_IFNAME,
		.attr_name = MPTUN_A_PATH_NAME, .name = path->name,
		.what = cmd == MPTUN_CMD_PATH_NEW ? "cannot be added" :
			cmd == MPTUN_CMD_PATH_SET ? "cannot be changed" :
						    "cannot be deleted",
	};

	return apply_send(conn, file, path->line,
			  cmd == MPTUN_CMD_PATH_DEL ? &none : &path->set,
			  &request);
}

int apply_class(struct conn *conn, const struct conf_file *file, uint8_t cmd,
		struct plan_class *class)
{
	struct plan_set none = { .table = class->set.table };
	char number[12];
	struct request request = {
		.cmd = cmd,
		.attr_dev = MPTUN_A_CLASS_IFNAME,
		.attr_id = MPTUN_A_CLASS_ID, .id = class->id, .name = number,
		.what = cmd == MPTUN_CMD_CLASS_NEW ? "cannot be added" :
			cmd == MPTUN_CMD_CLASS_SET ? "cannot be changed" :
						     "cannot be deleted",
	};

	snprintf(number, sizeof(number), "%u", class->id);
	return apply_send(conn, file, class->line,
			  cmd == MPTUN_CMD_CLASS_DEL ? &none : &class->set,
			  &request);
}
