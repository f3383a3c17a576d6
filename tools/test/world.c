// SPDX-License-Identifier: GPL-2.0
/*
 * Machines made up for tests, out of messages as the kernel sends them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>

#include "conf/plan.h"
#include "test/ktap.h"
#include "test/world.h"

struct world world;

void take(struct nl_msg *msg)
{
	ktap_check(!world_take(&world, nlmsg_hdr(msg)));
	nlmsg_free(msg);
}

static struct nl_msg *message(int type, const void *head, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	nlmsg_append(msg, (void *)head, len, NLMSG_ALIGNTO);
	return msg;
}

void link_of(int index, const char *name, const char *kind, int master,
	     unsigned int flags)
{
	const struct ifinfomsg head = {
		.ifi_index = index, .ifi_flags = flags,
	};
	struct nl_msg *msg = message(RTM_NEWLINK, &head, sizeof(head));
	struct nlattr *info;

	nla_put_string(msg, IFLA_IFNAME, name);
	if (master)
		nla_put_u32(msg, IFLA_MASTER, (uint32_t)master);
	if (kind) {
		info = nla_nest_start(msg, IFLA_LINKINFO);
		nla_put_string(msg, IFLA_INFO_KIND, kind);
		nla_nest_end(msg, info);
	}
	take(msg);
}

void put_addr(struct nl_msg *msg, int attr, const char *addr)
{
	unsigned char bytes[16];
	int family = strchr(addr, ':') ? AF_INET6 : AF_INET;

	inet_pton(family, addr, bytes);
	nla_put(msg, attr, family == AF_INET ? 4 : 16, bytes);
}

void addr_of(int index, const char *addr, unsigned char scope)
{
	const struct ifaddrmsg head = {
		.ifa_family = strchr(addr, ':') ? AF_INET6 : AF_INET,
		.ifa_index = (unsigned int)index, .ifa_scope = scope,
	};
	struct nl_msg *msg = message(RTM_NEWADDR, &head, sizeof(head));

	put_addr(msg, IFA_ADDRESS, addr);
	take(msg);
}

struct nl_msg *way_message(int type, const struct way *way)
{
	struct rtmsg head = way->head;
	struct nl_msg *msg;

	head.rtm_family = way->version == 6 ? AF_INET6 : AF_INET;
	if (!head.rtm_type)
		head.rtm_type = RTN_UNICAST;
	msg = message(type, &head, sizeof(head));
	nla_put_u32(msg, RTA_TABLE, way->table ? way->table : PLAN_TABLE_MAIN);
	if (way->metric)
		nla_put_u32(msg, RTA_PRIORITY, way->metric);
	if (way->gateway)
		put_addr(msg, RTA_GATEWAY, way->gateway);
	if (way->source)
		put_addr(msg, RTA_SRC, way->source);
	if (way->index)
		nla_put_u32(msg, RTA_OIF, (uint32_t)way->index);
	return msg;
}

void uplink_of(int index, const char *name)
{
	char addr[32], gateway[32];

	snprintf(addr, sizeof(addr), "10.%d.1.2", index);
	snprintf(gateway, sizeof(gateway), "10.%d.1.1", index);
	link_of(index, name, NULL, 0, IFF_UP);
	addr_of(index, addr, 0);
	ROUTE(index, gateway, .version = 4, .metric = (uint32_t)index);
}

void machine(void)
{
	world_free(&world);
	link_of(1, "lo", NULL, 0, IFF_UP);
	uplink_of(2, "eth0");
	uplink_of(3, "wwan0");
}

bool same(const unsigned char *bytes, const char *addr)
{
	unsigned char other[16];
	int family = strchr(addr, ':') ? AF_INET6 : AF_INET;

	inet_pton(family, addr, other);
	return !memcmp(bytes, other, family == AF_INET ? 4 : 16);
}
