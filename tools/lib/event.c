// SPDX-License-Identifier: GPL-2.0
/*
 * Notifications of the kernel: names and contents.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include <linux/mptun.h>

#include "lib/dump.h"
#include "lib/event.h"

const char *event_name(int cmd)
{
	switch (cmd) {
	case EVENT_READY:
		return "listening";
	case EVENT_LOST:
		return "lost";
	case MPTUN_CMD_TUNNEL_NTF:
		return "tunnel";
	case MPTUN_CMD_PATH_NTF:
		return "path";
	case MPTUN_CMD_PATH_CAP_NTF:
		return "path-cap";
	case MPTUN_CMD_PATH_DEL_NTF:
		return "path-gone";
	default:
		return NULL;
	}
}

int event_read(struct nlmsghdr *msg, int *cmd, struct record **rec)
{
	const struct genlmsghdr *head = nlmsg_data(msg);

	*rec = NULL;
	if (msg->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN ||
	    !event_name(head->cmd))
		return 0;
	*cmd = head->cmd;
	*rec = dump_message(*cmd == MPTUN_CMD_TUNNEL_NTF ? &schema_tunnel :
							    &schema_path, msg);
	return *rec ? 0 : -1;
}
