// SPDX-License-Identifier: GPL-2.0
/*
 * Links, addresses and default routes of a machine.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "agent/world.h"
#include "host/host.h"
#include "host/message.h"

/* Room for one more at the end of a list, zeroed. */
static void *world_more(void **list, size_t *count, size_t size)
{
	char *grown = realloc(*list, (*count + 1) * size);

	if (!grown)
		return NULL;
	*list = grown;
	return memset(grown + (*count)++ * size, 0, size);
}

static int world_version(unsigned char family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 6 : 0;
}

static void world_text(struct nlattr *attr, char *to)
{
	if (attr)
		nla_strlcpy(to, attr, PARSE_TEXT_MAX + 1);
}

static int world_take_link(struct world *world, struct nlmsghdr *msg)
{
	const struct ifinfomsg *head = nlmsg_data(msg);
	struct nlattr *info = nlmsg_find_attr(msg, sizeof(*head),
					      IFLA_LINKINFO);
	struct world_link *link;

	/* A bridge also reports its ports, as such. */
	if (head->ifi_family != AF_UNSPEC)
		return 0;
	link = world_more((void **)&world->link, &world->links, sizeof(*link));
	if (!link)
		return -1;
	link->index = head->ifi_index;
	link->up = head->ifi_flags & IFF_UP;
	link->master = (int)message_u32(msg, sizeof(*head), IFLA_MASTER);
	world_text(nlmsg_find_attr(msg, sizeof(*head), IFLA_IFNAME),
		   link->name);
	if (info)
		world_text(nla_find(nla_data(info), nla_len(info),
				    IFLA_INFO_KIND), link->kind);
	return 0;
}

static int world_take_addr(struct world *world, struct nlmsghdr *msg)
{
	const struct ifaddrmsg *head = nlmsg_data(msg);
	int version = world_version(head->ifa_family);
	struct nlattr *attr = nlmsg_find_attr(msg, sizeof(*head), IFA_LOCAL);
	struct world_addr *addr;

	if (!attr)
		attr = nlmsg_find_attr(msg, sizeof(*head), IFA_ADDRESS);
	if (!version || !attr || head->ifa_scope >= RT_SCOPE_LINK ||
	    nla_len(attr) != (int)message_length(version))
		return 0;
	addr = world_more((void **)&world->addr, &world->addrs, sizeof(*addr));
	if (!addr)
		return -1;
	addr->index = (int)head->ifa_index;
	addr->version = version;
	memcpy(addr->addr, nla_data(attr), message_length(version));
	return 0;
}

/* Whether packets from an address of the device take a route that is for some
 * sources only, as those that netifd sets for each delegated prefix.
 */
static bool world_covers(const struct world *world,
			 const struct world_route *of, int index)
{
	int whole = of->bits / 8, rest = of->bits % 8;

	for (size_t i = 0; i < world->addrs; i++) {
		const struct world_addr *addr = &world->addr[i];

		if (addr->index == index && addr->version == of->version &&
		    !memcmp(addr->addr, of->source, (size_t)whole) &&
		    (!rest || !((addr->addr[whole] ^ of->source[whole]) >>
				(8 - rest))))
			return true;
	}
	return !of->bits;
}

/* One way of a route: all attributes but those of the table are its own. */
static int world_add_route(struct world *world, const struct world_route *of,
			   int index, unsigned int flags, struct nlattr *attrs,
			   int len)
{
	struct nlattr *gateway = nla_find(attrs, len, RTA_GATEWAY);
	struct world_route *route;

	if (!index || flags & RTNH_F_DEAD || !world_covers(world, of, index))
		return 0;
	route = world_more((void **)&world->route, &world->routes,
			   sizeof(*route));
	if (!route)
		return -1;
	*route = *of;
	route->index = index;
	route->onlink = flags & RTNH_F_ONLINK;
	route->mixed = nla_find(attrs, len, RTA_VIA);
	if (gateway && nla_len(gateway) == (int)message_length(of->version)) {
		route->via = true;
		memcpy(route->gateway, nla_data(gateway),
		       message_length(of->version));
	}
	return 0;
}

static int world_add_ways(struct world *world, const struct world_route *of,
			  struct nlattr *ways)
{
	struct rtnexthop *way = nla_data(ways);
	int len = nla_len(ways), err = 0;

	while (!err && len >= (int)sizeof(*way) &&
	       way->rtnh_len >= sizeof(*way) && way->rtnh_len <= len) {
		int step = (int)RTNH_ALIGN(way->rtnh_len);

		err = world_add_route(world, of, way->rtnh_ifindex,
				      way->rtnh_flags,
				      (struct nlattr *)RTNH_DATA(way),
				      way->rtnh_len - (int)sizeof(*way));
		way = (struct rtnexthop *)((char *)way + step);
		len -= step;
	}
	return err;
}

/* A default route of others: those of mptun follow from these. */
static bool world_default(struct nlmsghdr *msg)
{
	const struct rtmsg *head = nlmsg_data(msg);

	return world_version(head->rtm_family) && !head->rtm_dst_len &&
	       head->rtm_type == RTN_UNICAST &&
	       !(head->rtm_flags & RTM_F_CLONED) &&
	       head->rtm_protocol != HOST_PROTOCOL;
}

static int world_take_route(struct world *world, struct nlmsghdr *msg)
{
	const struct rtmsg *head = nlmsg_data(msg);
	const int size = sizeof(*head);
	struct world_route route = {
		.version = world_version(head->rtm_family),
		.table = message_u32(msg, sizeof(*head), RTA_TABLE),
		.metric = message_u32(msg, sizeof(*head), RTA_PRIORITY),
		.bits = head->rtm_src_len,
	};
	struct nlattr *ways, *from = nlmsg_find_attr(msg, size, RTA_SRC);
	int len = (int)message_length(route.version);

	if (!world_default(msg))
		return 0;
	if (route.bits && (!from || nla_len(from) != len ||
			   route.bits > len * 8))
		return 0;
	if (route.bits)
		memcpy(route.source, nla_data(from), (size_t)len);
	ways = nlmsg_find_attr(msg, size, RTA_MULTIPATH);
	if (ways)
		return world_add_ways(world, &route, ways);
	return world_add_route(world, &route,
			       (int)message_u32(msg, sizeof(*head), RTA_OIF),
			       head->rtm_flags, nlmsg_attrdata(msg, size),
			       nlmsg_attrlen(msg, size));
}

int world_take(struct world *world, struct nlmsghdr *msg)
{
	switch (msg->nlmsg_type) {
	case RTM_NEWLINK:
		return world_take_link(world, msg);
	case RTM_NEWADDR:
		return world_take_addr(world, msg);
	case RTM_NEWROUTE:
		return world_take_route(world, msg);
	default:
		return 0;
	}
}

bool world_concerns(struct nlmsghdr *msg)
{
	switch (msg->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
	case RTM_NEWADDR:
	case RTM_DELADDR:
	/* A default route is not reported itself, its nexthop is. */
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		return true;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return world_default(msg);
	default:
		return false;
	}
}

bool world_loses(struct nlmsghdr *msg)
{
	const int size = sizeof(struct fib_rule_hdr);
	struct nlattr *protocol;

	if (msg->nlmsg_type != RTM_DELRULE)
		return false;
	protocol = nlmsg_find_attr(msg, size, FRA_PROTOCOL);
	return protocol && nla_get_u8(protocol) == HOST_PROTOCOL;
}

bool world_moves(struct nlmsghdr *msg, const char *name)
{
	const struct ifinfomsg *head = nlmsg_data(msg);
	const int size = sizeof(*head);
	struct nlattr *is;

	if (msg->nlmsg_type != RTM_DELLINK || head->ifi_family != AF_UNSPEC)
		return false;
	is = nlmsg_find_attr(msg, size, IFLA_IFNAME);
	return is && !strcmp(nla_data(is), name) &&
	       (nlmsg_find_attr(msg, size, IFLA_NEW_NETNSID) ||
		nlmsg_find_attr(msg, size, IFLA_NEW_IFINDEX));
}

const struct world_link *world_link(const struct world *world,
				    const char *name)
{
	for (size_t i = 0; i < world->links; i++)
		if (!strcmp(world->link[i].name, name))
			return &world->link[i];
	return NULL;
}

const struct world_link *world_index(const struct world *world, int index)
{
	for (size_t i = 0; i < world->links; i++)
		if (world->link[i].index == index)
			return &world->link[i];
	return NULL;
}

void world_free(struct world *world)
{
	free(world->link);
	free(world->addr);
	free(world->route);
	memset(world, 0, sizeof(*world));
}
