/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connection to the kernel over netlink.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Every function that fails prints one sentence, except conn_do(). A sentence
 * of the kernel (extended acknowledgement) is passed on unchanged.
 */
#ifndef MPTUN_TOOLS_CONN_H
#define MPTUN_TOOLS_CONN_H

#include <netlink/netlink.h>

#include "lib/field.h"
#include "lib/parse.h"

/**
 * struct conn_place - where the settings of a request are in a file
 * @file: the file
 * @head: line of their section
 * @line: line of each setting, by index of its keyword
 */
struct conn_place {
	const char *file;
	int head;
	const int *line;
};

/**
 * struct conn - connection to the kernel
 * @sock: socket of libnl
 * @family: id of the generic netlink family, 0 on a routing socket
 * @errnum: error of the last request, a positive errno
 * @text: sentence of the kernel about it, or ""
 * @attr: attribute that is wrong, 0 if unknown
 * @interrupted: the last dump was inconsistent
 * @place: where the settings of the request are, or NULL
 */
struct conn {
	struct nl_sock *sock;
	int family;
	int errnum;
	char text[256];
	uint16_t attr;
	bool interrupted;
	const struct conn_place *place;
};

/**
 * typedef conn_reply - take a message of the answer
 * @msg: the message
 * @arg: argument of the caller
 *
 * Return: 0, or -1 to fail (memory ran out).
 */
typedef int (*conn_reply)(struct nlmsghdr *msg, void *arg);

/**
 * conn_open() - connect to the family of mptun
 *
 * Return: the connection, or NULL.
 */
struct conn *conn_open(void);

/**
 * conn_open_loaded() - connect to the family of mptun if the module is loaded
 *
 * Return: the connection, or NULL, without a message if it is not loaded.
 */
struct conn *conn_open_loaded(void);

/**
 * conn_open_route() - connect to the routing family, where links are created
 *
 * Return: the connection, or NULL.
 */
struct conn *conn_open_route(void);

/**
 * conn_close() - disconnect
 * @conn: the connection, or NULL
 */
void conn_close(struct conn *conn);

/**
 * conn_message() - begin a request to the family of mptun
 * @conn: the connection
 * @cmd: the command, MPTUN_CMD_*
 * @flags: flags beside NLM_F_REQUEST
 *
 * Return: the message; the program ends if memory runs out.
 */
struct nl_msg *conn_message(struct conn *conn, uint8_t cmd, int flags);

/**
 * conn_free() - free a request, and wipe it: it may hold a key
 * @msg: the request
 */
void conn_free(struct nl_msg *msg);

/**
 * conn_put() - append an attribute, see build_put
 * @msg: a struct nl_msg
 * @attr: type of the attribute
 * @data: its payload
 * @len: length of @data
 *
 * Return: 0, or negative if the message is full.
 */
int conn_put(void *msg, uint16_t attr, const void *data, size_t len);

/**
 * conn_do() - send a request and take the answer, silently
 * @conn: the connection
 * @msg: the request, wiped and freed
 * @reply: takes each message of the answer, or NULL
 * @arg: for @reply
 *
 * Return: 0, or -1 with @conn->errnum and @conn->text set.
 */
int conn_do(struct conn *conn, struct nl_msg *msg, conn_reply reply,
	    void *arg);

/**
 * conn_error() - report why conn_do() failed
 * @conn: the connection
 * @table: keywords, by which an attribute is named, or NULL
 * @object: what it was about, for instance "mp0 path wan1", or NULL
 * @what: what was tried, for instance "cannot be added"
 *
 * The sentence of the kernel follows the object, unless a place in a file names
 * it.
 *
 * Return: STATUS_KERNEL.
 */
int conn_error(const struct conn *conn, const struct parse_table *table,
	       const char *object, const char *what);

/**
 * conn_at() - say where the settings of the next requests are
 * @conn: the connection
 * @place: the place, NULL for none; must exist as long as it is set
 *
 * Messages begin with it, that of conn_error() with the line of the setting.
 */
void conn_at(struct conn *conn, const struct conn_place *place);

/**
 * struct conn_listener - takes notifications
 * @reply: takes each message; NULL instead of one when some were lost
 * @arg: for @reply
 * @stop: @reply has returned -1
 */
struct conn_listener {
	conn_reply reply;
	void *arg;
	bool stop;
};

/**
 * conn_subscribe() - subscribe to notifications
 * @conn: the connection
 * @listener: takes them; must exist as long as the connection
 *
 * The connection takes no more requests.
 *
 * Return: 0, or the exit status after a message.
 */
int conn_subscribe(struct conn *conn, struct conn_listener *listener);

/**
 * conn_subscribe_route() - subscribe to notifications of the routing family
 * @conn: connection by conn_open_route()
 * @listener: takes them; must exist as long as the connection
 * @groups: which ones, RTNLGRP_*
 * @count: number of @groups
 *
 * The connection takes no more requests.
 *
 * Return: 0, or the exit status after a message.
 */
int conn_subscribe_route(struct conn *conn, struct conn_listener *listener,
			 const int *groups, size_t count);

/**
 * conn_receive() - take pending notifications, without waiting
 * @conn: the connection, subscribed
 * @listener: as given to conn_subscribe()
 *
 * Return: 0, or the exit status after a message.
 */
int conn_receive(struct conn *conn, struct conn_listener *listener);

/**
 * conn_listen() - wait for notifications until the program is interrupted
 * @conn: the connection
 * @ready: called once no notification can be missed
 * @reply: takes each message; NULL instead of one when some were lost
 * @arg: for @reply
 *
 * Return: exit status of the program.
 */
int conn_listen(struct conn *conn, int (*ready)(void *arg), conn_reply reply,
		void *arg);

/**
 * conn_hook() - let tests replace the kernel
 * @sock: a socket that is not connected yet
 *
 * Does nothing; tests replace it.
 */
void conn_hook(struct nl_sock *sock);

#endif /* MPTUN_TOOLS_CONN_H */
