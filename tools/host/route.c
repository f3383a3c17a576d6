// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of a tunnel, routes into it, and routes of its uplinks.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "conf/number.h"
#include "host/host.h"
#include "host/message.h"
#include "lib/report.h"

/**
 * struct route - a route
 * @version: 4 or 6
 * @entry: its network, see struct plan_prefix; NULL for a default route
 * @table: its table
 * @oif: index of its device
 * @via: its gateway, or NULL
 * @onlink: no network of the device has the gateway
 */
struct route {
	int version;
	const unsigned char *entry;
	uint32_t table;
	int oif;
	const struct parse_value *via;
	bool onlink;
};

static const char *route_text(const char *what, const unsigned char *entry,
			      char *buf, size_t size)
{
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(message_family(entry[0]), entry + 4, addr, sizeof(addr));
	snprintf(buf, size, "%s %s/%u cannot be set", what, addr, entry[1]);
	return buf;
}

int host_address_add(struct conn *route, int index, const unsigned char *entry)
{
	const struct ifaddrmsg head = {
		.ifa_family = (unsigned char)message_family(entry[0]),
		.ifa_prefixlen = entry[1],
		/* Nobody else is on the link. */
		.ifa_flags = entry[0] == 6 ? IFA_F_NODAD : 0,
		.ifa_index = (unsigned int)index,
	};
	struct nl_msg *msg = message_new(RTM_NEWADDR,
					 NLM_F_CREATE | NLM_F_EXCL, &head,
					 sizeof(head));
	size_t len = message_length(entry[0]);
	char what[96];

	nla_put(msg, IFA_LOCAL, (int)len, entry + 4);
	nla_put(msg, IFA_ADDRESS, (int)len, entry + 4);
	return message_send(route, msg,
			    route_text("Address", entry, what, sizeof(what)));
}

int host_addresses_add(const struct host *host)
{
	const struct plan_prefixes *list = &host->file->plan.host.address;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < list->count; i++) {
		file_at(host->file, list->list[i].line);
		status = host_address_add(host->route, host->index,
					  list->list[i].entry);
	}
	return status;
}

/* A route into the tunnel must not replace one of others. */
static struct nl_msg *route_message(const struct route *route, int flags)
{
	const unsigned char *entry = route->entry;
	const struct rtmsg head = {
		.rtm_family = (unsigned char)message_family(route->version),
		.rtm_dst_len = entry ? entry[1] : 0,
		.rtm_protocol = HOST_PROTOCOL,
		.rtm_scope = route->via || route->version == 6 ?
			     RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
		.rtm_flags = route->onlink ? RTNH_F_ONLINK : 0,
	};
	struct nl_msg *msg = message_new(RTM_NEWROUTE, NLM_F_CREATE | flags,
					 &head, sizeof(head));
	size_t len = message_length(route->version);

	if (entry && entry[1])
		nla_put(msg, RTA_DST, (int)len, entry + 4);
	if (route->via)
		nla_put(msg, RTA_GATEWAY, (int)len, route->via->addr);
	nla_put_u32(msg, RTA_OIF, (uint32_t)route->oif);
	nla_put_u32(msg, RTA_TABLE, route->table);
	return msg;
}

/* A route that the kernel has made, as that of the network of an address. */
static bool route_there(const struct host *host, const struct route *route)
{
	const struct rtmsg all = {
		.rtm_family = (unsigned char)message_family(route->version),
	};
	struct nl_msg *msg = message_new(RTM_GETROUTE, NLM_F_DUMP, &all,
					 sizeof(all));
	const unsigned char *entry = route->entry;
	size_t len = message_length(route->version);
	struct message_list list;
	bool there = false;

	nla_put_u32(msg, RTA_TABLE, route->table);
	message_dump(host->route, msg, &list);
	for (size_t i = 0; entry && !there && i < list.count; i++) {
		const struct rtmsg *head = nlmsg_data(list.msg[i]);
		struct nlattr *to = nlmsg_find_attr(list.msg[i], sizeof(*head),
						    RTA_DST);

		there = to && head->rtm_dst_len == entry[1] &&
			nla_len(to) == (int)len &&
			!memcmp(nla_data(to), entry + 4, len) &&
			message_u32(list.msg[i], sizeof(*head), RTA_TABLE) ==
				route->table &&
			message_u32(list.msg[i], sizeof(*head), RTA_OIF) ==
				(uint32_t)route->oif;
	}
	message_free(&list);
	return there;
}

static int route_tunnel(const struct host *host, int line, int version,
			const unsigned char *entry, uint32_t table)
{
	const struct route route = {
		.version = version, .entry = entry, .table = table,
		.oif = host->index,
	};
	char what[96] = "the default route cannot be set";

	if (entry)
		route_text("route to", entry, what, sizeof(what));
	file_at(host->file, line);
	if (!conn_do(host->route, route_message(&route, NLM_F_EXCL), NULL,
		     NULL) ||
	    (host->route->errnum == EEXIST && route_there(host, &route)))
		return STATUS_OK;
	return message_send(host->route, route_message(&route, NLM_F_EXCL),
			    what);
}

int host_routes_add(const struct host *host)
{
	const struct plan_host *plan = &host->file->plan.host;
	uint32_t table = plan->table, all = plan->table;
	int status = STATUS_OK;

	if (table == PLAN_TABLE_AUTO) {
		table = PLAN_TABLE_MAIN;
		all = number_block(host->file->name);
	}
	if (plan->all4)
		status = route_tunnel(host, plan->all4, 4, NULL, all);
	if (!status && plan->all6)
		status = route_tunnel(host, plan->all6, 6, NULL, all);
	for (size_t i = 0; !status && i < plan->route.count; i++)
		status = route_tunnel(host, plan->route.list[i].line,
				      plan->route.list[i].entry[0],
				      plan->route.list[i].entry, table);
	return status;
}

static bool route_inside(const unsigned char *a, const unsigned char *b,
			 int bits)
{
	int whole = bits / 8, rest = bits % 8;

	return !memcmp(a, b, (size_t)whole) &&
	       (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

/* The network that has the gateway, so that its other hosts are not reached
 * through the gateway.
 */
static bool route_network(const struct host *host, const struct route *route,
			  unsigned char *entry)
{
	const struct ifaddrmsg all = {
		.ifa_family = (unsigned char)message_family(route->version),
	};
	int bits = 8 * (int)message_length(route->version), found = 0;
	struct message_list list;

	message_dump(host->route, message_new(RTM_GETADDR, NLM_F_DUMP, &all,
					      sizeof(all)), &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct ifaddrmsg *head = nlmsg_data(list.msg[i]);
		struct nlattr *addr = nlmsg_find_attr(list.msg[i], sizeof(*head),
						      IFA_ADDRESS);

		if (!addr || head->ifa_prefixlen == bits ||
		    head->ifa_prefixlen <= found ||
		    (int)head->ifa_index != route->oif ||
		    !route_inside(nla_data(addr), route->via->addr,
				  head->ifa_prefixlen))
			continue;
		found = head->ifa_prefixlen;
	}
	message_free(&list);
	memset(entry, 0, PARSE_PREFIX_LEN);
	entry[0] = (unsigned char)route->version;
	entry[1] = (unsigned char)found;
	for (int i = 0; i < found; i++)
		entry[4 + i / 8] |= route->via->addr[i / 8] &
				    (unsigned char)(0x80 >> i % 8);
	return found;
}

/* An uplink that is missing is no reason to do without the others. */
static void route_missing(const struct host *host, const struct plan_path *path,
			  const char *why)
{
	if (host->agent)
		return;
	file_at(host->file, path->gateway);
	report_warn("path %s has no route yet: %s", path->name, why);
}

/* The device that has an address, 0 if none has. */
static int route_owner(const struct host *host, const struct parse_value *local)
{
	const struct ifaddrmsg all = {
		.ifa_family = (unsigned char)message_family(local->family),
	};
	struct message_list list;
	int index = 0;

	message_dump(host->route, message_new(RTM_GETADDR, NLM_F_DUMP, &all,
					      sizeof(all)), &list);
	for (size_t i = 0; !index && i < list.count; i++) {
		const struct ifaddrmsg *head = nlmsg_data(list.msg[i]);
		struct nlattr *addr;

		addr = nlmsg_find_attr(list.msg[i], sizeof(*head), IFA_LOCAL);
		if (!addr)
			addr = nlmsg_find_attr(list.msg[i], sizeof(*head),
					       IFA_ADDRESS);
		if (addr && !memcmp(nla_data(addr), local->addr,
				    message_length(local->family)))
			index = (int)head->ifa_index;
	}
	message_free(&list);
	return index;
}

/* Gateways of several uplinks may have the same address, so that Local has to
 * say which device it is if Dev does not.
 */
static bool route_device(const struct host *host, const struct plan_path *path,
			 int *index)
{
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *dev = plan_value(&path->set, "dev");

	if (dev && dev->text[0]) {
		*index = (int)if_nametoindex(dev->text);
		if (!*index)
			route_missing(host, path, "its device does not exist");
	} else {
		*index = route_owner(host, local);
		if (!*index)
			route_missing(host, path, "no device has its address");
	}
	return *index;
}

/* Networks that the device has had before. */
static void route_prune(const struct host *host, const struct route *uplink,
			const unsigned char *entry)
{
	const struct rtmsg all = {
		.rtm_family = (unsigned char)message_family(uplink->version),
	};
	struct nl_msg *msg = message_new(RTM_GETROUTE, NLM_F_DUMP, &all,
					 sizeof(all));
	size_t len = message_length(uplink->version);
	struct message_list list;

	nla_put_u32(msg, RTA_TABLE, uplink->table);
	message_dump(host->route, msg, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct rtmsg *head = nlmsg_data(list.msg[i]);
		struct nlattr *to = nlmsg_find_attr(list.msg[i], sizeof(*head),
						    RTA_DST);

		if (!to || message_u32(list.msg[i], sizeof(*head), RTA_TABLE) !=
			   uplink->table ||
		    (head->rtm_dst_len == entry[1] &&
		     !memcmp(nla_data(to), entry + 4, len)))
			continue;
		message_delete(host->route, list.msg[i], RTM_DELROUTE);
	}
	message_free(&list);
}

static void route_uplink(const struct host *host, const struct plan_path *path,
			 uint32_t table)
{
	bool add = host->agent && path->number < NUMBER_UPLINKS;
	const struct parse_value *remote = plan_value(&path->set, "remote");
	unsigned char entry[PARSE_PREFIX_LEN] = { 0 };
	struct route route = {
		.version = remote->family, .table = table,
		.via = path->direct ? NULL : &path->via,
		.onlink = path->onlink,
	};
	int flags = add ? NLM_F_EXCL : NLM_F_REPLACE;
	struct route network;

	if (!route_device(host, path, &route.oif))
		return;
	network = route;
	if (route.via && route_network(host, &network, entry)) {
		network.via = NULL;
		network.onlink = false;
		network.entry = entry;
		conn_do(host->route, route_message(&network, flags), NULL,
			NULL);
	}
	if (conn_do(host->route, route_message(&route, flags), NULL, NULL))
		route_missing(host, path, host->route->text[0] ?
			      host->route->text : strerror(host->route->errnum));
	if (!add)
		route_prune(host, &route, entry);
}

void host_uplinks_set(const struct host *host)
{
	uint32_t block = number_block(host->file->name);

	for (size_t i = 0; i < host->file->plan.paths; i++)
		if (host->file->plan.path[i].gateway)
			route_uplink(host, &host->file->plan.path[i],
				     block + host->file->plan.path[i].number);
}
