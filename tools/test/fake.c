// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: messages in and out.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/mptun.h>

#include "lib/conn.h"
#include "test/fake.h"

/* Largest answer, and most datagrams that wait. */
#define FAKE_DATAGRAM 65536
#define FAKE_DATAGRAMS 64

static char *fake_out;		/* the datagram that is being written */
static size_t fake_len;		/* its length */
static size_t fake_msg;		/* where its last message begins */
static uint32_t fake_seq;	/* number of the request */
static bool fake_listening;	/* a listener waits for events */
static bool fake_replaying;	/* requests come from the file */

static struct {
	char *data;
	size_t len;
} fake_queue[FAKE_DATAGRAMS];
static unsigned int fake_first, fake_last;

static void fake_die(const char *why)
{
	fprintf(stderr, "fake kernel: %s\n", why);
	abort();
}

static void fake_append(const void *data, size_t len)
{
	size_t size = NLMSG_ALIGN(len);

	if (!fake_out)
		fake_out = calloc(1, FAKE_DATAGRAM);
	if (!fake_out || fake_len + size > FAKE_DATAGRAM)
		fake_die("the answer is too long");
	if (len)
		memcpy(fake_out + fake_len, data, len);
	fake_len += size;
}

static void fake_header(uint16_t type, uint16_t flags)
{
	struct nlmsghdr hdr = {
		.nlmsg_type = type, .nlmsg_flags = flags,
		.nlmsg_seq = fake_seq,
	};

	fake_msg = fake_len;
	fake_append(&hdr, sizeof(hdr));
}

void fake_begin(uint16_t type, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };

	fake_header(type, flags);
	fake_append(&genl, sizeof(genl));
}

void fake_begin_head(uint16_t type, uint16_t flags, const void *head,
		     size_t len)
{
	fake_header(type, flags);
	fake_append(head, len);
}

void fake_put(uint16_t attr, const void *data, size_t len)
{
	struct nlattr nla = {
		.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = attr,
	};

	fake_append(&nla, sizeof(nla));
	fake_append(data, len);
}

size_t fake_nest(uint16_t attr)
{
	size_t start = fake_len;

	fake_put(attr, NULL, 0);
	return start;
}

void fake_nest_end(size_t start)
{
	((struct nlattr *)(fake_out + start))->nla_len =
		(uint16_t)(fake_len - start);
}

void fake_end(void)
{
	((struct nlmsghdr *)(fake_out + fake_msg))->nlmsg_len =
		(uint32_t)(fake_len - fake_msg);
}

/* What has been written becomes a datagram that can be received. */
static void fake_flush(void)
{
	if (!fake_len)
		return;
	if (fake_replaying) {
		free(fake_out);
	} else {
		if (fake_first == fake_last) {
			fake_first = 0;
			fake_last = 0;
		}
		if (fake_last == FAKE_DATAGRAMS)
			fake_die("too many datagrams");
		fake_queue[fake_last].data = fake_out;
		fake_queue[fake_last++].len = fake_len;
	}
	fake_out = NULL;
	fake_len = 0;
}

const struct nlattr *fake_find(const void *data, size_t len, uint16_t type)
{
	return nla_find(data, (int)len, type);
}

/* The capped request and its extended acknowledgement. */
static void fake_extack(const struct nlmsghdr *request,
			const struct fake_reply *reply)
{
	uint32_t offset;

	if (reply->text)
		fake_put(NLMSGERR_ATTR_MSG, reply->text,
			 strlen(reply->text) + 1);
	if (reply->attr) {
		offset = (uint32_t)((const char *)reply->attr -
				    (const char *)request);
		fake_put(NLMSGERR_ATTR_OFFS, &offset, sizeof(offset));
	}
}

static void fake_ack(const struct nlmsghdr *request,
		     const struct fake_reply *reply)
{
	struct nlmsgerr err = { .error = -reply->errnum, .msg = *request };
	bool tlvs = reply->text || reply->attr;

	fake_header(NLMSG_ERROR, (uint16_t)(NLM_F_CAPPED |
					    (tlvs ? NLM_F_ACK_TLVS : 0)));
	fake_append(&err, sizeof(err));
	fake_extack(request, reply);
	fake_end();
	fake_flush();
}

/* A dump says at its end how it went. */
static void fake_done(const struct nlmsghdr *request,
		      const struct fake_reply *reply)
{
	int err = -reply->errnum;
	bool tlvs = reply->text || reply->attr;

	fake_header(NLMSG_DONE, (uint16_t)(NLM_F_MULTI |
					   (tlvs ? NLM_F_ACK_TLVS : 0)));
	fake_append(&err, sizeof(err));
	fake_extack(request, reply);
	fake_end();
	fake_flush();
}

static void fake_family(struct fake_reply *reply)
{
	static const char *const groups[] = {
		MPTUN_MCGRP_TUNNELS, MPTUN_MCGRP_PATHS
	};
	const char *trouble = getenv("MPTUN_FAKE_FAMILY");
	uint16_t family = FAKE_FAMILY;
	uint32_t group = FAKE_GROUP;
	size_t list, nest;

	if (trouble && !strcmp(trouble, "none")) {
		reply->errnum = ENOENT;
		return;
	}
	fake_begin(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, 0);
	fake_put(CTRL_ATTR_FAMILY_NAME, MPTUN_FAMILY_NAME,
		 sizeof(MPTUN_FAMILY_NAME));
	fake_put(CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	list = fake_nest(CTRL_ATTR_MCAST_GROUPS);
	for (uint16_t i = 0; i < 2; i++) {
		nest = fake_nest((uint16_t)(i + 1));
		fake_put(CTRL_ATTR_MCAST_GRP_NAME, groups[i],
			 strlen(groups[i]) + 1);
		fake_put(CTRL_ATTR_MCAST_GRP_ID, &group, sizeof(group));
		fake_nest_end(nest);
	}
	fake_nest_end(list);
	fake_end();
	fake_flush();
}

static bool fake_changes(const struct nlmsghdr *request, bool route)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);

	if (request->nlmsg_type != FAKE_FAMILY)
		return route && request->nlmsg_type != RTM_GETLINK &&
		       request->nlmsg_type != RTM_GETADDR &&
		       request->nlmsg_type != RTM_GETQDISC &&
		       request->nlmsg_type != RTM_GETROUTE;
	return genl->cmd != MPTUN_CMD_TUNNEL_GET &&
	       genl->cmd != MPTUN_CMD_PATH_GET &&
	       genl->cmd != MPTUN_CMD_CLASS_GET;
}

static void fake_record(const struct nlmsghdr *request)
{
	const char *name = getenv("MPTUN_FAKE");
	FILE *file = name ? fopen(name, "ab") : NULL;

	if (!file)
		return;
	setvbuf(file, NULL, _IONBF, 0);
	fwrite(request, request->nlmsg_len, 1, file);
	fclose(file);
}

/* GENL_ID_CTRL and RTM_NEWLINK are the same number on different sockets. */
static void fake_handle(const struct nlmsghdr *request, bool route)
{
	const char *trouble = getenv("MPTUN_FAKE_ERROR");
	bool changes = fake_changes(request, route);
	struct fake_reply reply = { .errnum = 0 };

	fake_seq = request->nlmsg_seq;
	if (request->nlmsg_type == GENL_ID_CTRL && !route) {
		fake_family(&reply);
		fake_listening = true;
	} else if (changes && trouble && !fake_replaying) {
		reply.errnum = atoi(trouble);
	} else {
		fake_listening = false;
		fake_request(request, &reply);
		fake_flush();
		if (changes && !reply.errnum && !fake_replaying)
			fake_record(request);
	}
	if (request->nlmsg_flags & NLM_F_DUMP && !changes &&
	    (request->nlmsg_type == FAKE_FAMILY || route))
		fake_done(request, &reply);
	else
		fake_ack(request, &reply);
}

static int fake_send(struct nl_sock *sock, struct nl_msg *msg)
{
	int protocol = 0;
	socklen_t len = sizeof(protocol);

	getsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_PROTOCOL, &protocol,
		   &len);
	/* Look-ups of the family are libnl's own. */
	if (nlmsg_hdr(msg)->nlmsg_type == FAKE_FAMILY)
		fake_memory_touch("sent", nlmsg_hdr(msg),
				  nlmsg_hdr(msg)->nlmsg_len);
	fake_handle(nlmsg_hdr(msg), protocol == NETLINK_ROUTE);
	return (int)nlmsg_hdr(msg)->nlmsg_len;
}

static int fake_recv(struct nl_sock *sock, struct sockaddr_nl *from,
		     unsigned char **buf, struct ucred **creds)
{
	bool waits = !(fcntl(nl_socket_get_fd(sock), F_GETFL) & O_NONBLOCK);
	static int events;

	if (fake_first == fake_last) {
		if (!fake_listening && waits)
			fake_die("nothing to receive");
		fake_seq = 0;
		/* Events, then a full buffer, then the end of the test. */
		switch (events++) {
		case 0:
			fake_events();
			fake_flush();
			break;
		case 1:
			return -NLE_NOMEM;
		default:
			if (!waits)
				return -NLE_AGAIN;
			exit(fflush(stdout) != 0);
		}
	}
	memset(from, 0, sizeof(*from));
	from->nl_family = AF_NETLINK;
	if (creds)
		*creds = NULL;
	*buf = (unsigned char *)fake_queue[fake_first].data;
	return (int)fake_queue[fake_first++].len;
}

void fake_replay(void)
{
	const char *name = getenv("MPTUN_FAKE");
	static bool replayed;
	char buf[4096];
	FILE *file;

	if (replayed)
		return;
	replayed = true;
	file = name ? fopen(name, "rb") : NULL;
	if (!file)
		return;
	/* The file holds keys, this program should not for long. */
	setvbuf(file, NULL, _IONBF, 0);
	fake_replaying = true;
	while (fread(buf, sizeof(struct nlmsghdr), 1, file) == 1) {
		struct nlmsghdr *hdr = (struct nlmsghdr *)buf;
		size_t rest = hdr->nlmsg_len - sizeof(*hdr);

		if (hdr->nlmsg_len > sizeof(buf) ||
		    fread(buf + sizeof(*hdr), rest, 1, file) != 1)
			fake_die("the file is broken");
		fake_handle(hdr, hdr->nlmsg_type != FAKE_FAMILY);
	}
	fake_replaying = false;
	explicit_bzero(buf, sizeof(buf));
	fclose(file);
}

void conn_hook(struct nl_sock *sock)
{
	struct nl_cb *cb = nl_socket_get_cb(sock);

	fake_replay();
	nl_cb_overwrite_send(cb, fake_send);
	nl_cb_overwrite_recv(cb, fake_recv);
	nl_cb_put(cb);
}
