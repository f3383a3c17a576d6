// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Adoption: a path that the peer opened gets a name and settings here.
 *
 * Both ends may be told of the same path, one after the other.  If the peer was
 * first we have learned the path meanwhile, and it may carry data.  What is
 * added then is that path: it keeps its number and all that is known of it.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"

/* Does a learned path lead where an endpoint leads, from the same address? */
static bool mptun_adopt_same(struct mptun_path *path,
			     const struct mptun_endpoint *ep,
			     const union mptun_addr *source)
{
	const struct mptun_path_config *config = &path->config;

	if (!path->learned || path->live.state == MPTUN_PATH_STATE_DRAINING ||
	    config->family != ep->family ||
	    htons(config->remote_port) != ep->remote_port ||
	    htons(config->local_port) != ep->local_port ||
	    (config->scope && ep->ifindex && config->scope != ep->ifindex))
		return false;
	return mptun_endpoint_same_addr(ep->family, &config->remote,
					&ep->remote) &&
	       mptun_endpoint_same_addr(ep->family, &config->local, source);
}

static struct mptun_path *mptun_adopt_find(struct mptun_tunnel *tunnel,
					   const struct mptun_endpoint *ep)
{
	struct mptun_path *path, *found = NULL;
	union mptun_addr source = {};
	struct dst_entry *dst;

	mptun_enter();
	dst = mptun_endpoint_route(ep, tunnel->dev, NULL, &source);
	if (!IS_ERR(dst)) {
		dst_release(dst);
		list_for_each_entry_rcu(path, &tunnel->paths, list)
			if (mptun_adopt_same(path, ep, &source))
				found = path;
	}
	mptun_leave();
	return found;
}

/**
 * mptun_adopt() - has the peer opened this path already?
 * @tunnel: the tunnel
 * @config: settings of a path that is to be added
 * @ep: its endpoint, taken over if there is such a path
 *
 * Return: the path, which has these settings now; NULL if there is none, or
 * none that can have them.
 */
struct mptun_path *mptun_adopt(struct mptun_tunnel *tunnel,
			       const struct mptun_path_config *config,
			       struct mptun_endpoint *ep)
{
	struct mptun_path *path;
	int err;

	lockdep_assert_held(&tunnel->lock);
	if (!config->enabled)
		return NULL;
	path = mptun_adopt_find(tunnel, ep);
	if (!path)
		return NULL;

	/* To everybody who watches it is another path. */
	netdev_dbg(tunnel->dev, "path %s destroyed\n", path->config.name);
	mptun_event_deleted(path);
	err = mptun_path_apply(path, config);
	if (!err) {
		path->learned = false;
		mptun_path_set_endpoint(path, ep);
		tunnel->generation++;
	}
	netdev_dbg(tunnel->dev, "path %s created\n", path->config.name);
	mptun_event_added(path);
	return err ? NULL : path;
}
