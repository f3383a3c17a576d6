/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages about addresses, routes and rules.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_MESSAGE_H
#define MPTUN_TOOLS_MESSAGE_H

#include <netlink/msg.h>

#include "lib/conn.h"

/**
 * struct message_list - messages of a dump
 * @count: their number
 * @msg: copies of them
 */
struct message_list {
	size_t count;
	struct nlmsghdr **msg;
};

/* The family of an address that plans have as 4 or 6. */
int message_family(int version);

/* The length of its addresses, in bytes. */
size_t message_length(int version);

/**
 * message_new() - begin a request
 * @type: its type, RTM_*
 * @flags: flags beside NLM_F_REQUEST
 * @head: its header
 * @len: length of @head
 *
 * Return: the message; the program ends if memory runs out.
 */
struct nl_msg *message_new(int type, int flags, const void *head, size_t len);

/**
 * message_send() - send a request
 * @conn: the connection
 * @msg: the request, freed
 * @what: what was tried, for the message
 *
 * Return: 0, or the exit status after a message.
 */
int message_send(struct conn *conn, struct nl_msg *msg, const char *what);

/**
 * message_dump() - read a list
 * @conn: the connection
 * @msg: the request, freed
 * @list: filled in; empty if the kernel refuses
 */
void message_dump(struct conn *conn, struct nl_msg *msg,
		  struct message_list *list);

/**
 * message_delete() - delete what a message of a list describes, silently
 * @conn: the connection
 * @msg: the message
 * @type: type of the request that deletes
 */
void message_delete(struct conn *conn, const struct nlmsghdr *msg, int type);

/**
 * message_u32() - a number of a message
 * @msg: the message
 * @head: length of its header
 * @attr: the attribute
 *
 * Return: the number, 0 if it is not there.
 */
uint32_t message_u32(struct nlmsghdr *msg, size_t head, int attr);

/**
 * message_free() - free a list
 * @list: the list, empty afterwards
 */
void message_free(struct message_list *list);

#endif /* MPTUN_TOOLS_MESSAGE_H */
