// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Change: which paths a change of a device, address or route concerns.
 *
 * A machine may have many devices that are no uplinks, such as those of
 * containers, and many tunnels.  A path examines only what it depends on, so
 * other events do not disturb it.  The namespace counts what its paths depend
 * on (core/lookup.c), so other events cost no time either.
 */
#include "core/change.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"

static void mptun_path_depends(const struct mptun_path *path,
			       struct mptun_depends *on)
{
	const struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	bool noroute, any = !memchr_inv(&ep->local, 0, sizeof(ep->local));
	const struct mptun_path_config *config = &path->config;
	u8 reason = READ_ONCE(path->live.reason);

	on->family = ep->family;
	on->remote = &ep->remote;
	on->source = any ? &ep->present : &ep->local;
	on->bound = ep->ifindex;
	on->ifindex = READ_ONCE(path->route_ifindex);
	on->name = config->dev;
	noroute = READ_ONCE(path->live.state) == MPTUN_PATH_STATE_NOROUTE;
	on->unrouted = noroute && !on->ifindex && !on->name[0];
	/* The route may depend on an address that it borrows. */
	on->homeless = noroute && (reason == MPTUN_PATH_REASON_ADDRESS ||
				   (reason == MPTUN_PATH_REASON_ROUTE &&
				    any && on->bound));
}

/**
 * mptun_path_concerned() - check whether changes may concern a path
 * @path: the path
 * @changes: the changes
 * @n: their number
 *
 * Called under rcu_read_lock().  Settings that change meanwhile are applied
 * with a look at the routes of their own.
 *
 * Return: true if one of them may.
 */
bool mptun_path_concerned(const struct mptun_path *path,
			  const struct mptun_change *changes, unsigned int n)
{
	struct mptun_depends on;
	unsigned int i;

	mptun_path_depends(path, &on);
	for (i = 0; i < n; i++)
		if (mptun_change_concerns(&changes[i], &on))
			return true;
	return false;
}

/**
 * mptun_path_watch() - count what a path depends on in its namespace
 * @path: the path; its route has been looked up
 * @err: with this result
 */
void mptun_path_watch(struct mptun_path *path, int err)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_net *mn = mptun_net(tunnel->net);
	struct mptun_followed on = { .counted = true };
	struct mptun_depends depends;

	lockdep_assert_held(&tunnel->lock);
	rcu_read_lock();
	mptun_path_depends(path, &depends);
	on.ifindex[0] = depends.ifindex;
	on.ifindex[1] = depends.bound;
	on.source = mptun_change_addr_hash(depends.source);
	on.adrift = err == -EADDRNOTAVAIL || err == -ENODEV ||
		    err == -ENETUNREACH ||
		    (err && !depends.ifindex && !depends.bound);
	rcu_read_unlock();
	mptun_net_follow(mn, &on, 1);
	mptun_net_follow(mn, &path->followed, -1);
	path->followed = on;
}

/**
 * mptun_path_unwatch() - no longer count what a path depends on
 * @path: the path; its tunnel may have left its namespace
 */
void mptun_path_unwatch(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	lockdep_assert_held(&tunnel->lock);
	if (tunnel->net)
		mptun_net_follow(mptun_net(tunnel->net), &path->followed, -1);
	path->followed.counted = false;
}
