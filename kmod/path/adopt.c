// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Adopt: a path that the peer opened gets a name and settings here.
 *
 * Both ends may be configured with the same path, one after the other.  If the
 * peer was first, this end has learned the path and it may carry data.  Adding
 * it then turns the learned path into the new one, which keeps its id and
 * measurements.  mptun_tunnel.lock protects all of this.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"

/* Returns 0 unless a learned path has the addresses of an endpoint, 2 if it has
 * the ports as well.  The peer may have tried others before this end was there
 * (path/heal.c).
 */
static unsigned int mptun_adopt_match(struct mptun_path *path,
				      const struct mptun_endpoint *ep,
				      const union mptun_addr *source)
{
	const struct mptun_path_config *config = &path->config;

	if (!path->learned || path->live.state == MPTUN_PATH_STATE_DRAINING ||
	    config->family != ep->family ||
	    htons(config->local_port) != ep->local_port ||
	    !mptun_endpoint_same_addr(ep->family, &config->remote,
				      &ep->remote) ||
	    !mptun_endpoint_same_addr(ep->family, &config->local, source))
		return 0;
	/* Its device must be that of the path, or one of its VRF, as far as
	 * they are known.
	 */
	if (config->scope && ep->ifindex &&
	    !mptun_endpoint_through(ep->ifindex, config->scope,
				    path->tunnel->net))
		return 0;
	return htons(config->remote_port) == ep->remote_port ? 2 : 1;
}

static struct mptun_path *mptun_adopt_find(struct mptun_tunnel *tunnel,
					   const struct mptun_endpoint *ep)
{
	struct mptun_path *path, *found = NULL;
	unsigned int match, best = 0;
	union mptun_addr source = {};
	struct dst_entry *dst;

	mptun_enter();
	dst = mptun_endpoint_route(ep, tunnel->dev, NULL, &source);
	if (!IS_ERR(dst)) {
		dst_release(dst);
		list_for_each_entry_rcu(path, &tunnel->paths, list) {
			match = mptun_adopt_match(path, ep, &source);
			if (match <= best)
				continue;
			best = match;
			found = path;
		}
	}
	mptun_leave();
	return found;
}

/**
 * mptun_adopt() - apply the settings of a new path to a learned one
 * @tunnel: the tunnel
 * @config: settings of the new path
 * @ep: its endpoint; owned by the path that is returned
 *
 * Return: the learned path, or NULL if none matches or can have the settings.
 */
struct mptun_path *mptun_adopt(struct mptun_tunnel *tunnel,
			       const struct mptun_path_config *config,
			       struct mptun_endpoint *ep)
{
	struct mptun_path *path, *named;
	int err;

	lockdep_assert_held(&tunnel->lock);
	if (!config->enabled)
		return NULL;
	path = mptun_adopt_find(tunnel, ep);
	if (!path)
		return NULL;
	/* The peer gave another path of its own this name. */
	named = mptun_path_find(tunnel, config->name);
	if (named && named != path && named->learned &&
	    mptun_policy_yield(named))
		return NULL;

	/* For netlink, one path is deleted and another one is added. */
	netdev_dbg(tunnel->dev, "path %s destroyed\n", path->config.name);
	mptun_event_deleted(path);
	err = mptun_path_apply(path, config);
	if (!err) {
		WRITE_ONCE(path->learned, false);
		path->overrides = 0;
		path->heal = (struct mptun_heal){};
		mptun_path_set_endpoint(path, ep);
		tunnel->generation++;
	}
	netdev_dbg(tunnel->dev, "path %s created\n", path->config.name);
	mptun_event_added(path);
	return err ? NULL : path;
}
