// SPDX-License-Identifier: GPL-2.0
/*
 * Messages about addresses, routes and rules.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "host/message.h"
#include "lib/report.h"

int message_family(int version)
{
	return version == 4 ? AF_INET : AF_INET6;
}

size_t message_length(int version)
{
	return version == 4 ? 4 : 16;
}

struct nl_msg *message_new(int type, int flags, const void *head, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || nlmsg_append(msg, (void *)head, len, NLMSG_ALIGNTO))
		exit(report_fail("out of memory"));
	return msg;
}

int message_send(struct conn *conn, struct nl_msg *msg, const char *what)
{
	if (!conn_do(conn, msg, NULL, NULL))
		return STATUS_OK;
	return conn_error(conn, NULL, NULL, what);
}

static int message_take(struct nlmsghdr *msg, void *arg)
{
	struct message_list *list = arg;
	struct nlmsghdr **grown, *copy;

	copy = malloc(msg->nlmsg_len);
	grown = realloc(list->msg, (list->count + 1) * sizeof(*grown));
	if (!copy || !grown)
		exit(report_fail("out of memory"));
	memcpy(copy, msg, msg->nlmsg_len);
	list->msg = grown;
	list->msg[list->count++] = copy;
	return 0;
}

void message_dump(struct conn *conn, struct nl_msg *msg,
		  struct message_list *list)
{
	list->count = 0;
	list->msg = NULL;
	if (conn_do(conn, msg, message_take, list))
		message_free(list);
}

void message_delete(struct conn *conn, const struct nlmsghdr *msg, int type)
{
	conn_do(conn, message_new(type, 0, nlmsg_data(msg),
				  (size_t)nlmsg_datalen(msg)), NULL, NULL);
}

uint32_t message_u32(struct nlmsghdr *msg, size_t head, int attr)
{
	struct nlattr *found = nlmsg_find_attr(msg, (int)head, attr);

	return found && nla_len(found) == 4 ? nla_get_u32(found) : 0;
}

void message_free(struct message_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->msg[i]);
	free(list->msg);
	list->msg = NULL;
	list->count = 0;
}
