// SPDX-License-Identifier: GPL-2.0
/*
 * Connection to the kernel over netlink.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * libnl 3.7 has no interface for extended acknowledgements, so they are read
 * here: from error messages, and from the message that ends a dump, which is
 * where the kernel puts the error of a dump that had begun.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/mptun.h>

#include "lib/conn.h"
#include "lib/report.h"
#include "lib/secret.h"

/* Receive buffer of a listener, in bytes: some thousand notifications. */
#define CONN_LISTEN_BUFFER (1 << 20)

/**
 * struct conn_call - a request that waits for its answer
 * @conn: the connection
 * @request: the request
 * @reply: takes each message of the answer, or NULL
 * @arg: for @reply
 * @done: the answer is complete
 */
struct conn_call {
	struct conn *conn;
	const struct nlmsghdr *request;
	conn_reply reply;
	void *arg;
	bool done;
};

__attribute__((weak)) void conn_hook(struct nl_sock *sock)
{
	(void)sock;
}

void conn_close(struct conn *conn)
{
	if (!conn)
		return;
	nl_socket_free(conn->sock);
	free(conn);
}

static struct conn *conn_new(int protocol)
{
	struct conn *conn = calloc(1, sizeof(*conn));
	int one = 1, fd, err;

	if (conn)
		conn->sock = nl_socket_alloc();
	if (!conn || !conn->sock) {
		report_fail("out of memory");
		free(conn);
		return NULL;
	}
	conn_hook(conn->sock);
	err = nl_connect(conn->sock, protocol);
	if (err) {
		report_fail("no netlink socket: %s", nl_geterror(err));
		conn_close(conn);
		return NULL;
	}
	/* Kernels that lack one of these report less. */
	fd = nl_socket_get_fd(conn->sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	return conn;
}

struct conn *conn_open_route(void)
{
	return conn_new(NETLINK_ROUTE);
}

static struct conn *conn_family(bool needed)
{
	struct conn *conn = conn_new(NETLINK_GENERIC);

	if (!conn)
		return NULL;
	conn->family = genl_ctrl_resolve(conn->sock, MPTUN_FAMILY_NAME);
	if (conn->family < 0) {
		if (needed)
			report_fail("the kernel has no mptun, load the module (modprobe mptun)");
		conn_close(conn);
		return NULL;
	}
	return conn;
}

struct conn *conn_open(void)
{
	return conn_family(true);
}

struct conn *conn_open_loaded(void)
{
	return conn_family(false);
}

struct nl_msg *conn_message(struct conn *conn, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, conn->family,
				 0, flags, cmd, MPTUN_FAMILY_VERSION))
		exit(report_fail("out of memory"));
	return msg;
}

void conn_free(struct nl_msg *msg)
{
	secret_wipe(nlmsg_hdr(msg), nlmsg_get_max_size(msg));
	nlmsg_free(msg);
}

int conn_put(void *msg, uint16_t attr, const void *data, size_t len)
{
	return nla_put(msg, attr, (int)len, data);
}

/* Type of the attribute at an offset of the request, nests included. */
static uint16_t conn_attr_at(const struct nlmsghdr *request, uint32_t offset)
{
	if (offset + sizeof(struct nlattr) > request->nlmsg_len)
		return 0;
	return ((const struct nlattr *)((const char *)request + offset))
		->nla_type & NLA_TYPE_MASK;
}

/* Attributes of an extended acknowledgement. */
static void conn_extack(struct conn_call *call, const char *data, size_t len)
{
	struct conn *conn = call->conn;

	while (len >= NLA_HDRLEN) {
		const struct nlattr *attr = (const struct nlattr *)data;
		const char *payload = data + NLA_HDRLEN;
		size_t step = NLA_ALIGN((size_t)attr->nla_len);
		int size = (int)attr->nla_len - (int)NLA_HDRLEN;
		uint32_t number = 0;

		if (size < 0 || attr->nla_len > len)
			return;
		if (size == sizeof(number))
			memcpy(&number, payload, sizeof(number));
		if ((attr->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG)
			snprintf(conn->text, sizeof(conn->text), "%.*s", size,
				 payload);
		else if ((attr->nla_type & NLA_TYPE_MASK) ==
			 NLMSGERR_ATTR_OFFS)
			conn->attr = conn_attr_at(call->request, number);
		else if ((attr->nla_type & NLA_TYPE_MASK) ==
			 NLMSGERR_ATTR_MISS_TYPE)
			conn->attr = (uint16_t)number;
		if (step >= len)
			return;
		data += step;
		len -= step;
	}
}

/* What the kernel says about the request, of an error or a success. */
static void conn_text(struct conn_call *call, struct nlmsghdr *hdr)
{
	struct nlmsgerr *err = nlmsg_data(hdr);
	size_t size = sizeof(*err), len = hdr->nlmsg_len - NLMSG_HDRLEN;

	/* The request follows in full unless the kernel cut it. */
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		size += err->msg.nlmsg_len - NLMSG_HDRLEN;
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && size < len)
		conn_extack(call, (char *)err + NLMSG_ALIGN(size),
			    len - NLMSG_ALIGN(size));
}

static int conn_on_error(struct sockaddr_nl *from, struct nlmsgerr *err,
			 void *arg)
{
	struct conn_call *call = arg;

	(void)from;
	conn_text(call, (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN));
	call->conn->errnum = -err->error;
	call->done = true;
	return NL_STOP;
}

static int conn_on_ack(struct nl_msg *msg, void *arg)
{
	struct conn_call *call = arg;

	conn_text(call, nlmsg_hdr(msg));
	if (call->conn->text[0])
		report_warn("%s", call->conn->text);
	call->done = true;
	return NL_STOP;
}

static int conn_on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct conn_call *call = arg;
	int err = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(hdr), sizeof(err));
	if (err < 0) {
		call->conn->errnum = -err;
		if (hdr->nlmsg_flags & NLM_F_ACK_TLVS)
			conn_extack(call, (char *)nlmsg_data(hdr) + sizeof(err),
				    (size_t)nlmsg_datalen(hdr) - sizeof(err));
	}
	call->done = true;
	return NL_STOP;
}

static int conn_on_interrupt(struct nl_msg *msg, void *arg)
{
	struct conn_call *call = arg;

	(void)msg;
	call->conn->interrupted = true;
	return NL_OK;
}

static int conn_on_valid(struct nl_msg *msg, void *arg)
{
	struct conn_call *call = arg;

	if (call->reply && call->reply(nlmsg_hdr(msg), call->arg)) {
		call->conn->errnum = ENOMEM;
		call->done = true;
		return NL_STOP;
	}
	return NL_OK;
}

static struct nl_cb *conn_callbacks(struct conn_call *call)
{
	struct nl_cb *orig = nl_socket_get_cb(call->conn->sock);
	struct nl_cb *cb = nl_cb_clone(orig);

	nl_cb_put(orig);
	if (!cb)
		exit(report_fail("out of memory"));
	nl_cb_err(cb, NL_CB_CUSTOM, conn_on_error, call);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, conn_on_ack, call);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, conn_on_finish, call);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, conn_on_interrupt, call);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, conn_on_valid, call);
	return cb;
}

int conn_do(struct conn *conn, struct nl_msg *msg, conn_reply reply, void *arg)
{
	struct conn_call call = {
		.conn = conn, .request = nlmsg_hdr(msg), .reply = reply,
		.arg = arg,
	};
	struct nl_cb *cb = conn_callbacks(&call);
	int err;

	conn->errnum = 0;
	conn->text[0] = '\0';
	conn->attr = 0;
	conn->interrupted = false;
	err = nl_send_auto(conn->sock, msg);
	while (err >= 0 && !call.done)
		err = nl_recvmsgs(conn->sock, cb);
	if (!call.done && !conn->errnum) {
		conn->errnum = EIO;
		snprintf(conn->text, sizeof(conn->text), "%s",
			 nl_geterror(err));
	}
	nl_cb_put(cb);
	conn_free(msg);
	return conn->errnum ? -1 : 0;
}

/* Index of the keyword that an attribute belongs to, or -1. */
static int conn_keyword(const struct parse_table *table, uint16_t attr)
{
	for (size_t i = 0; table && attr && i < table->count; i++)
		if (table->keys[i].attr == attr ||
		    table->keys[i].attr6 == attr ||
		    table->keys[i].attr_scope == attr)
			return (int)i;
	return -1;
}

void conn_at(struct conn *conn, const struct conn_place *place)
{
	conn->place = place;
	report_at(place ? place->file : NULL, place ? place->head : 0);
}

int conn_error(const struct conn *conn, const struct parse_table *table,
	       const char *object, const char *what)
{
	int index = conn_keyword(table, conn->attr);
	const char *hint = "";
	char word[48] = "";

	if (conn->place && index >= 0 && conn->place->line[index])
		report_at(conn->place->file, conn->place->line[index]);
	if (index >= 0)
		snprintf(word, sizeof(word), " (%s)", table->keys[index].word);
	if (conn->text[0] && conn->place)
		return report_fail("%s%s", conn->text, word);
	if (conn->text[0])
		return report_fail("%s: %s%s", object ? object : what,
				   conn->text, word);
	if (conn->errnum == EPERM)
		hint = ", CAP_NET_ADMIN is needed";
	return report_fail("%s%s%s: %s%s%s", object ? object : "",
			   object ? " " : "", what, strerror(conn->errnum),
			   word, hint);
}

static int conn_on_notification(struct nl_msg *msg, void *arg)
{
	struct conn_listener *listener = arg;

	if (listener->reply(nlmsg_hdr(msg), listener->arg)) {
		listener->stop = true;
		return NL_STOP;
	}
	return NL_OK;
}

static int conn_join(struct conn *conn, const char *group)
{
	int id = genl_ctrl_resolve_grp(conn->sock, MPTUN_FAMILY_NAME, group);

	if (id < 0)
		return id;
	return nl_socket_add_membership(conn->sock, id);
}

static void conn_prepare(struct conn *conn, struct conn_listener *listener)
{
	nl_socket_disable_seq_check(conn->sock);
	nl_socket_modify_cb(conn->sock, NL_CB_VALID, NL_CB_CUSTOM,
			    conn_on_notification, listener);
	nl_socket_set_buffer_size(conn->sock, CONN_LISTEN_BUFFER, 0);
}

static int conn_subscribed(int err)
{
	if (err)
		return report_fail("notifications cannot be received: %s",
				   nl_geterror(err));
	return 0;
}

int conn_subscribe(struct conn *conn, struct conn_listener *listener)
{
	int err;

	conn_prepare(conn, listener);
	err = conn_join(conn, MPTUN_MCGRP_TUNNELS);
	if (!err)
		err = conn_join(conn, MPTUN_MCGRP_PATHS);
	return conn_subscribed(err);
}

int conn_subscribe_route(struct conn *conn, struct conn_listener *listener,
			 const int *groups, size_t count)
{
	int err = 0;

	conn_prepare(conn, listener);
	for (size_t i = 0; !err && i < count; i++)
		err = nl_socket_add_membership(conn->sock, groups[i]);
	return conn_subscribed(err);
}

/* Until the listener stops, or no message is left. */
static int conn_take(struct conn *conn, struct conn_listener *listener)
{
	while (!listener->stop) {
		int err = nl_recvmsgs_default(conn->sock);

		/* ENOBUFS: the buffer was full; later messages still arrive. */
		if (err == -NLE_NOMEM)
			listener->reply(NULL, listener->arg);
		else if (err == -NLE_INTR)
			continue;
		else if (err == -NLE_AGAIN)
			return 0;
		else if (err)
			return report_fail("no more notifications: %s",
					   nl_geterror(err));
	}
	return 0;
}

int conn_receive(struct conn *conn, struct conn_listener *listener)
{
	nl_socket_set_nonblocking(conn->sock);
	return conn_take(conn, listener);
}

int conn_listen(struct conn *conn, int (*ready)(void *arg), conn_reply reply,
		void *arg)
{
	struct conn_listener listener = { .reply = reply, .arg = arg };
	int status = conn_subscribe(conn, &listener);

	if (status)
		return status;
	if (ready(arg))
		return STATUS_OK;
	return conn_take(conn, &listener);
}
