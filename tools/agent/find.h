/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which devices are uplinks.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  An uplink is a device that is administratively up, has a default
 * route, and gets a path as "Uplinks" says.  Tunnels and made-up devices are
 * none, unless Uplinks has their name in full.
 */
#ifndef MPTUN_TOOLS_FIND_H
#define MPTUN_TOOLS_FIND_H

#include "agent/world.h"
#include "conf/plan.h"

/* Most uplinks of a tunnel. */
#define FIND_MAX MPTUN_PATHS_MAX

/**
 * struct find_uplink - an uplink
 * @link: its device
 * @model: the section for its path
 * @route: its default routes, of IPv4 and of IPv6, or NULL
 */
struct find_uplink {
	const struct world_link *link;
	const struct plan_path *model;
	const struct world_route *route[2];
};

/**
 * find_route() - the default route of an uplink
 * @uplink: the uplink
 * @version: 4 or 6
 *
 * Return: the route, or NULL.
 */
const struct world_route *find_route(const struct find_uplink *uplink,
				     int version);

/**
 * find_uplinks() - find the uplinks of a tunnel
 * @world: the machine
 * @plan: what the file says
 * @list: filled in with at most FIND_MAX uplinks
 *
 * Return: their number.
 */
size_t find_uplinks(const struct world *world, const struct plan *plan,
		    struct find_uplink *list);

#endif /* MPTUN_TOOLS_FIND_H */
