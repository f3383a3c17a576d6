// SPDX-License-Identifier: GPL-2.0
/*
 * Which devices are uplinks.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/fib_rules.h>

#include "agent/find.h"
#include "agent/resolver.h"
#include "conf/uplink.h"
#include "test/ktap.h"
#include "test/world.h"

#define HEAD "[Interface]\nCipher=clear\nID=1\nUplinks=auto\n"
#define PATH "[Path *]\nRemote=198.51.100.7\n"
#define ANY HEAD PATH

static struct plan file;
static char text[4096];

/* The plan of a file. */
static void begin(const char *conf)
{
	strcpy(text, conf);
	ktap_checkf(!plan_read(&file, text, strlen(text)) &&
		    !plan_check(&file, true), "%s", file.error.text);
}

static size_t found(const char *conf, const char *names)
{
	struct find_uplink list[FIND_MAX];
	char got[256] = "";
	size_t count;

	begin(conf);
	count = find_uplinks(&world, &file, list);
	for (size_t i = 0; i < count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s",
			 i ? " " : "", list[i].link->name);
	ktap_checkf(!strcmp(got, names), "\"%s\", not \"%s\"", got, names);
	return count;
}

static void test_patterns(void)
{
	machine();
	found(ANY, "eth0 wwan0");
	found("[Interface]\nCipher=clear\nID=1\nUplinks=none\n", "");
	found("[Interface]\nCipher=clear\nID=1\nUplinks=eth*\n[Path *]\nRemote=::1\n",
	      "eth0");
	found("[Interface]\nCipher=clear\nID=1\nUplinks=!eth?, auto\n[Path *]\nRemote=::1\n",
	      "wwan0");
	found(HEAD "[Path w*]\nRemote=::1\n", "wwan0");
	/* the file has a path for it, by device or by name */
	found(ANY "[Path a]\nRemote=::1\nDev=eth0\n", "wwan0");
	found(ANY "[Path wwan0]\nRemote=::1\n", "eth0");
	begin(HEAD "[Path w*]\nRemote=::1\nWeight=2\n[Path *]\nRemote=::1\n");
	ktap_check(uplink_model(&file, "wwan0") == &file.model[0]);
	ktap_check(uplink_model(&file, "eth0") == &file.model[1]);
}

static void test_kinds(void)
{
	static const char *const none[] = {
		"mptun", "wireguard", "tun", "dummy", "vrf", "gre", "ipip",
		"sit", "vxlan",
	};
	static const char *const some[] = {
		"bridge", "vlan", "bond", "veth", "ppp", "wwan", "macvlan",
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		machine();
		link_of(9, "x9", none[i], 0, IFF_UP);
		ROUTE(9, NULL, .version = 4);
		found(ANY, "eth0 wwan0");
		found("[Interface]\nCipher=clear\nID=1\nUplinks=x9\n[Path *]\nRemote=::1\n",
		      strcmp(none[i], "mptun") ? "x9" : "");
	}
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		machine();
		link_of(9, "x9", some[i], 0, IFF_UP);
		ROUTE(9, NULL, .version = 4);
		found(ANY, "eth0 wwan0 x9");
	}
	machine();
	link_of(8, "red", "vrf", 0, IFF_UP);
	link_of(9, "port", NULL, 8, IFF_UP);
	ROUTE(9, "10.9.1.1", .version = 4);
	link_of(10, "down", NULL, 0, 0);
	ROUTE(10, "10.9.1.1", .version = 4);
	link_of(11, "idle", NULL, 0, IFF_UP);
	found(ANY, "eth0 wwan0");
}

/* Which route of a device counts, and which is no route to anywhere. */
static void test_routes(void)
{
	struct find_uplink list[FIND_MAX];

	world_free(&world);
	link_of(2, "eth0", NULL, 0, IFF_UP);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_dst_len = 8);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_src_len = 8);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_type = RTN_UNREACHABLE);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_protocol = 47);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_flags = RTM_F_CLONED);
	ROUTE(0, "10.0.0.1", .version = 4);
	ROUTE(2, "10.0.0.1", .version = 4, .head.rtm_flags = RTNH_F_DEAD);
	found(ANY, "");
	ROUTE(2, "10.0.0.2", .version = 4, .table = 77, .metric = 1);
	ROUTE(2, "10.0.0.3", .version = 4, .metric = 200);
	ROUTE(2, "10.0.0.4", .version = 4, .metric = 100,
	      .head.rtm_flags = RTNH_F_ONLINK);
	ROUTE(2, "fe80::1", .version = 6, .table = 78);
	begin(ANY);
	ktap_check(find_uplinks(&world, &file, list) == 1);
	ktap_check(same(find_route(&list[0], 4)->gateway, "10.0.0.4"));
	ktap_check(find_route(&list[0], 4)->onlink);
	ktap_check(same(find_route(&list[0], 6)->gateway, "fe80::1"));
}

/* A route for some sources is one of the devices with such an address. */
static void test_sources(void)
{
	struct find_uplink list[FIND_MAX];

	world_free(&world);
	link_of(2, "eth0", NULL, 0, IFF_UP);
	link_of(3, "wwan0", NULL, 0, IFF_UP);
	addr_of(2, "2001:db8:1:2::5", 0);
	addr_of(3, "2001:db8:1:4::5", 0);
	ROUTE(2, "fe80::1", .version = 6, .source = "2001:db8:1::",
	      .head.rtm_src_len = 62);
	ROUTE(3, "fe80::2", .version = 6, .source = "2001:db8:1::",
	      .head.rtm_src_len = 62);
	ROUTE(3, "fe80::3", .version = 6, .head.rtm_src_len = 62);
	ROUTE(3, "fe80::4", .version = 6, .source = "2001:db8:1::",
	      .head.rtm_src_len = 129);
	begin(ANY);
	ktap_check(find_uplinks(&world, &file, list) == 1);
	ktap_check(same(find_route(&list[0], 6)->gateway, "fe80::1"));
}

/* Those of a link are asked over it alone. */
static void test_resolvers(void)
{
	char list[512];

	machine();
	ROUTE(2, "fe80::9", .version = 6);
	begin(HEAD "Resolver = fe80::1%eth0, fe80::2%wwan0, 192.0.2.1, fe80::3\n" PATH);
	resolver_list(&file, &world, "eth0", list, sizeof(list));
	ktap_check(!strcmp(list, "fe80::1%eth0,192.0.2.1,fe80::3%eth0"));
	resolver_list(&file, &world, "", list, sizeof(list));
	ktap_check(!strcmp(list, "192.0.2.1"));
	begin(HEAD "Resolver = fe80::1%2, fe80::2%3\n" PATH);
	resolver_list(&file, &world, "wwan0", list, sizeof(list));
	ktap_check(!strcmp(list, "fe80::2%wwan0"));
	begin(ANY);
	resolver_list(&file, &world, "eth0", list, sizeof(list));
	ktap_check(strstr(list, "fe80::9%eth0"));
}

/* One route with two ways is two uplinks. */
static void test_multipath(void)
{
	struct find_uplink list[FIND_MAX];
	struct nl_msg *msg;
	struct nlattr *ways;

	world_free(&world);
	link_of(2, "eth0", NULL, 0, IFF_UP);
	link_of(3, "eth1", NULL, 0, IFF_UP);
	msg = way_message(RTM_NEWROUTE, &(struct way) { .version = 4 });
	ways = nla_nest_start(msg, RTA_MULTIPATH);
	for (int i = 2; i <= 3; i++) {
		struct rtnexthop *way = nlmsg_reserve(msg, sizeof(*way), 4);
		char gateway[32];

		memset(way, 0, sizeof(*way));
		way->rtnh_ifindex = i;
		snprintf(gateway, sizeof(gateway), "10.%d.1.1", i);
		put_addr(msg, RTA_GATEWAY, gateway);
		way->rtnh_len = (unsigned short)((char *)nlmsg_tail(
			nlmsg_hdr(msg)) - (char *)way);
	}
	nla_nest_end(msg, ways);
	take(msg);
	begin(ANY);
	ktap_check(find_uplinks(&world, &file, list) == 2);
	ktap_check(same(find_route(&list[0], 4)->gateway, "10.2.1.1"));
	ktap_check(same(find_route(&list[1], 4)->gateway, "10.3.1.1"));
}

/* What is of no interest does not wake the agent. */
static void test_concerns(void)
{
	static const struct {
		struct way way;
		bool concerns;
	} cases[] = {
		{ { 2, "10.0.0.1", .version = 4 }, true },
		{ { 2, "fe80::1", .version = 6, .table = 9 }, true },
		{ { 2, "fe80::1", .version = 6, .source = "2001:db8::",
		    .head.rtm_src_len = 56 }, true },
		{ { 2, NULL, .version = 4, .head.rtm_dst_len = 24 }, false },
		{ { 2, NULL, .version = 4, .head.rtm_protocol = 47 }, false },
	};
	struct nl_msg *msg;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int type = RTM_NEWROUTE; type <= RTM_DELROUTE; type++) {
			msg = way_message(type, &cases[i].way);
			ktap_checkf(world_concerns(nlmsg_hdr(msg)) ==
				    cases[i].concerns, "case %zu", i);
			nlmsg_free(msg);
		}
	}
	/* a route that uses one is not reported when that changes */
	msg = nlmsg_alloc_simple(RTM_NEWNEXTHOP, 0);
	ktap_check(world_concerns(nlmsg_hdr(msg)));
	nlmsg_free(msg);
}

/* A rule that is gone is looked after by itself: syncconf deletes some, too. */
static void test_loses(void)
{
	const struct fib_rule_hdr head = { .family = AF_INET };

	for (int type = RTM_NEWRULE; type <= RTM_DELRULE; type++) {
		for (unsigned char protocol = 46; protocol <= 47; protocol++) {
			struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

			nlmsg_append(msg, (void *)&head, sizeof(head), 4);
			nla_put_u8(msg, FRA_PROTOCOL, protocol);
			ktap_checkf(world_loses(nlmsg_hdr(msg)) ==
				    (type == RTM_DELRULE && protocol == 47),
				    "%d of %u", type, protocol);
			ktap_check(!world_concerns(nlmsg_hdr(msg)));
			nlmsg_free(msg);
		}
	}
}

/* A device that leaves is not one that is deleted. */
static bool moves(int type, const char *name, bool away)
{
	const struct ifinfomsg head = { .ifi_index = 2 };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);
	bool found;

	nlmsg_append(msg, (void *)&head, sizeof(head), NLMSG_ALIGNTO);
	nla_put_string(msg, IFLA_IFNAME, name);
	if (away)
		nla_put_u32(msg, IFLA_NEW_NETNSID, 0);
	found = world_moves(nlmsg_hdr(msg), "mp0");
	nlmsg_free(msg);
	return found;
}

static void test_moves(void)
{
	ktap_check(moves(RTM_DELLINK, "mp0", true));
	ktap_check(!moves(RTM_DELLINK, "mp0", false));
	ktap_check(!moves(RTM_DELLINK, "mp1", true));
	ktap_check(!moves(RTM_NEWLINK, "mp0", true));
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "uplink: patterns choose uplinks", test_patterns },
		{ "uplink: tunnels and made-up devices are none", test_kinds },
		{ "uplink: the default route that counts", test_routes },
		{ "uplink: routes for some sources", test_sources },
		{ "uplink: resolvers of a link", test_resolvers },
		{ "uplink: a route with several ways", test_multipath },
		{ "uplink: notifications that matter", test_concerns },
		{ "uplink: a rule that is deleted", test_loses },
		{ "uplink: a device that leaves the machine", test_moves },
	};
	int status = ktap_run(tests, sizeof(tests) / sizeof(*tests));

	world_free(&world);
	return status;
}
