// SPDX-License-Identifier: GPL-2.0
/*
 * The machine and the tunnel, as the kernel reports them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/socket.h>
#include <stddef.h>
#include <string.h>

#include "agent/machine.h"
#include "host/host.h"
#include "host/message.h"
#include "lib/report.h"

/* A list that changes while it is read is read again. */
#define MACHINE_TRIES 20

static int machine_reply(struct nlmsghdr *msg, void *arg)
{
	return world_take(arg, msg);
}

/* An incomplete list must not be taken for devices that are gone. */
static int machine_list(struct conn *conn, int type, const void *head,
			size_t len, struct world *world)
{
	if (conn_do(conn, message_new(type, NLM_F_DUMP, head, len),
		    machine_reply, world))
		/* There is no IPv6 at all. */
		return conn->errnum == EOPNOTSUPP ? 0 : -1;
	return conn->interrupted ? -1 : 0;
}

static int machine_read(struct conn *conn, struct world *world)
{
	const struct ifinfomsg link = { .ifi_family = AF_UNSPEC };
	const struct ifaddrmsg addr = { .ifa_family = AF_UNSPEC };
	const struct rtmsg four = { .rtm_family = AF_INET };
	const struct rtmsg six = { .rtm_family = AF_INET6 };

	if (machine_list(conn, RTM_GETLINK, &link, sizeof(link), world) ||
	    machine_list(conn, RTM_GETADDR, &addr, sizeof(addr), world) ||
	    machine_list(conn, RTM_GETROUTE, &four, sizeof(four), world) ||
	    machine_list(conn, RTM_GETROUTE, &six, sizeof(six), world)) {
		world_free(world);
		return -1;
	}
	return 0;
}

int machine_world(struct conn *conn, struct world *world)
{
	memset(world, 0, sizeof(*world));
	for (int i = 0; i < MACHINE_TRIES; i++) {
		if (!machine_read(conn, world))
			return STATUS_OK;
		if (conn->errnum)
			return conn_error(conn, NULL, NULL,
					  "the uplinks cannot be listed");
	}
	return report_fail("the uplinks change too fast to be listed");
}

void machine_tables(struct conn *conn, const char *name,
		    struct want_notes *notes)
{
	const int head = sizeof(struct fib_rule_hdr);
	uint32_t block = number_block(name);

	for (int version = 4; version <= 6; version += 2) {
		const struct fib_rule_hdr all = {
			.family = (unsigned char)message_family(version),
		};
		struct message_list list;

		message_dump(conn, message_new(RTM_GETRULE, NLM_F_DUMP, &all,
					       sizeof(all)), &list);
		for (size_t i = 0; i < list.count; i++) {
			struct nlattr *oif = nlmsg_find_attr(list.msg[i], head,
							     FRA_OIFNAME);
			uint32_t number = message_u32(list.msg[i], (size_t)head,
						      FRA_TABLE) - block;

			if (oif && number >= NUMBER_UPLINKS &&
			    number < NUMBER_BLOCK)
				want_table(notes, nla_data(oif), number);
		}
		message_free(&list);
	}
}

/* On a router with a full table the other routes change all the time. */
static int machine_filter(struct conn *conn)
{
	const unsigned int len = sizeof(struct nlmsghdr) +
				 offsetof(struct rtmsg, rtm_dst_len);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS,
			 offsetof(struct nlmsghdr, nlmsg_type)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 0, 2),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, len),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog prog = {
		.len = sizeof(code) / sizeof(*code), .filter = code,
	};

	if (setsockopt(nl_socket_get_fd(conn->sock), SOL_SOCKET,
		       SO_ATTACH_FILTER, &prog, sizeof(prog)))
		return report_fail("changes of uplinks cannot be received: %s",
				   strerror(errno));
	return STATUS_OK;
}

int machine_subscribe(struct conn *conn, struct conn_listener *listener)
{
	static const int groups[] = {
		RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
		RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP,
		RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
	};
	int status = machine_filter(conn);

	if (status)
		return status;
	return conn_subscribe_route(conn, listener, groups,
				    sizeof(groups) / sizeof(*groups));
}
