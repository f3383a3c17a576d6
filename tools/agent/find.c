// SPDX-License-Identifier: GPL-2.0
/*
 * Which devices are uplinks.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <net/if.h>
#include <string.h>

#include "agent/find.h"
#include "conf/uplink.h"

/* Kinds of devices whose packets leave by another one, or not at all. */
static const char *const find_kinds[] = {
	"bareudp", "dummy", "erspan", "fou", "geneve", "gre", "gretap", "gtp",
	"ifb", "ip6erspan", "ip6gre", "ip6gretap", "ip6tnl", "ipip", "mptun",
	"nlmon", "ovpn", "sit", "tun", "vrf", "vti", "vti6", "vxlan",
	"wireguard", "xfrm",
};

static bool find_is(const struct world_link *link, const char *kind)
{
	return link && !strcmp(link->kind, kind);
}

static bool find_virtual(const struct world_link *link)
{
	for (size_t i = 0; i < sizeof(find_kinds) / sizeof(*find_kinds); i++)
		if (!strcmp(link->kind, find_kinds[i]))
			return true;
	return !strcmp(link->name, "lo");
}

/* Routes of a VRF are for its own ports. */
static bool find_usable(const struct world *world, const struct plan *plan,
			const struct world_link *link)
{
	if (!link->up || find_is(link, "mptun"))
		return false;
	return uplink_named(plan, link->name) ||
	       (!find_virtual(link) &&
		!find_is(world_index(world, link->master), "vrf"));
}

/* That of the main table, and of those the one with the smallest metric. */
static bool find_better(const struct world_route *route,
			const struct world_route *than)
{
	bool main = route->table == PLAN_TABLE_MAIN;

	if (!than)
		return true;
	if (than->table == PLAN_TABLE_MAIN)
		return main && route->metric < than->metric;
	return main || route->metric < than->metric;
}

const struct world_route *find_route(const struct find_uplink *uplink,
				     int version)
{
	return uplink->route[version == 6];
}

static bool find_routes(const struct world *world, struct find_uplink *uplink)
{
	for (size_t i = 0; i < world->routes; i++) {
		const struct world_route *route = &world->route[i];
		const struct world_route **best;

		best = &uplink->route[route->version == 6];
		if (route->index == uplink->link->index &&
		    find_better(route, *best))
			*best = route;
	}
	return uplink->route[0] || uplink->route[1];
}

size_t find_uplinks(const struct world *world, const struct plan *plan,
		    struct find_uplink *list)
{
	size_t count = 0;

	for (size_t i = 0; i < world->links && count < FIND_MAX; i++) {
		struct find_uplink uplink = { .link = &world->link[i] };

		if (!find_usable(world, plan, uplink.link))
			continue;
		uplink.model = uplink_model(plan, uplink.link->name);
		if (uplink.model && find_routes(world, &uplink))
			list[count++] = uplink;
	}
	return count;
}
