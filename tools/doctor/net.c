// SPDX-License-Identifier: GPL-2.0
/*
 * Devices, addresses and routes of the machine.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "doctor/doctor.h"
#include "host/message.h"
#include "lib/report.h"

/* Missing in the headers of the C library. */
#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

/* Room for another entry of a list, which doubles at powers of two. */
static void *net_grow(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	list = reallocarray(list, count ? 2 * count : 1, size);
	if (!list)
		exit(report_fail("out of memory"));
	return list;
}

static void net_link(struct doctor *doc, struct nlmsghdr *msg)
{
	const struct ifinfomsg *info = nlmsg_data(msg);
	struct nlattr *name = nlmsg_find_attr(msg, sizeof(*info), IFLA_IFNAME);
	struct doctor_link *link;

	if (!name)
		return;
	doc->link = net_grow(doc->link, doc->links, sizeof(*link));
	link = &doc->link[doc->links++];
	link->index = info->ifi_index;
	link->up = info->ifi_flags & IFF_UP;
	link->carrier = info->ifi_flags & IFF_LOWER_UP;
	link->arp = !(info->ifi_flags & IFF_NOARP);
	snprintf(link->name, sizeof(link->name), "%.*s", nla_len(name),
		 (const char *)nla_data(name));
}

static void net_address(struct doctor *doc, struct nlmsghdr *msg)
{
	const struct ifaddrmsg *info = nlmsg_data(msg);
	struct nlattr *addr = nlmsg_find_attr(msg, sizeof(*info), IFA_LOCAL);
	int version = info->ifa_family == AF_INET ? 4 : 6;
	struct doctor_address *one;

	if (!addr)
		addr = nlmsg_find_attr(msg, sizeof(*info), IFA_ADDRESS);
	if (!addr || nla_len(addr) != (int)message_length(version))
		return;
	doc->address = net_grow(doc->address, doc->addresses, sizeof(*one));
	one = &doc->address[doc->addresses++];
	one->index = (int)info->ifa_index;
	one->family = version;
	one->bits = info->ifa_prefixlen;
	memcpy(one->addr, nla_data(addr), message_length(version));
}

int doctor_net(struct doctor *doc)
{
	const struct ifinfomsg link = { .ifi_family = AF_UNSPEC };
	const struct ifaddrmsg addr = { .ifa_family = AF_UNSPEC };
	struct message_list list;

	doc->route = conn_open_route();
	if (!doc->route)
		return STATUS_KERNEL;
	message_dump(doc->route, message_new(RTM_GETLINK, NLM_F_DUMP, &link,
					     sizeof(link)), &list);
	for (size_t i = 0; i < list.count; i++)
		net_link(doc, list.msg[i]);
	message_free(&list);
	message_dump(doc->route, message_new(RTM_GETADDR, NLM_F_DUMP, &addr,
					     sizeof(addr)), &list);
	for (size_t i = 0; i < list.count; i++)
		net_address(doc, list.msg[i]);
	message_free(&list);
	return STATUS_OK;
}

void doctor_net_free(struct doctor *doc)
{
	free(doc->link);
	free(doc->address);
}

const struct doctor_link *doctor_link_named(const struct doctor *doc,
					    const char *name)
{
	for (size_t i = 0; i < doc->links; i++)
		if (!strcmp(doc->link[i].name, name))
			return &doc->link[i];
	return NULL;
}

const struct doctor_link *doctor_link_index(const struct doctor *doc,
					    int index)
{
	for (size_t i = 0; i < doc->links; i++)
		if (doc->link[i].index == index)
			return &doc->link[i];
	return NULL;
}

static int net_route(struct nlmsghdr *msg, void *arg)
{
	const struct rtmsg *info = nlmsg_data(msg);
	struct doctor_way *way = arg;
	struct nlattr *source;

	if (msg->nlmsg_type != RTM_NEWROUTE || info->rtm_type != RTN_UNICAST)
		return 0;
	way->oif = (int)message_u32(msg, sizeof(*info), RTA_OIF);
	source = nlmsg_find_attr(msg, sizeof(*info), RTA_PREFSRC);
	if (source && nla_len(source) == (int)message_length(way->family))
		memcpy(way->source, nla_data(source),
		       message_length(way->family));
	return 0;
}

bool doctor_route(struct doctor *doc, struct doctor_way *way)
{
	const struct rtmsg head = {
		.rtm_family = (unsigned char)message_family(way->family),
		.rtm_dst_len = (unsigned char)(8 * message_length(way->family)),
		.rtm_src_len = (unsigned char)
			(way->from ? 8 * message_length(way->family) : 0),
	};
	struct nl_msg *msg = message_new(RTM_GETROUTE, 0, &head, sizeof(head));
	int len = (int)message_length(way->family);

	nla_put(msg, RTA_DST, len, way->to);
	if (way->from) {
		nla_put(msg, RTA_SRC, len, way->from);
		memcpy(way->source, way->from, (size_t)len);
	}
	if (way->oif)
		nla_put_u32(msg, RTA_OIF, (uint32_t)way->oif);
	if (way->mark)
		nla_put_u32(msg, RTA_MARK, way->mark);
	way->oif = 0;
	return !conn_do(doc->route, msg, net_route, way) && way->oif;
}
