// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Locate: the endpoint of a path, with its device, route and source address,
 * under mptun_tunnel.lock.
 *
 *	mptun_path_resolve()	the endpoint that settings describe
 *	mptun_path_settle()	after new settings
 *	mptun_path_rebind()	after a change of the machine (path/change.c)
 *	mptun_path_locate()	the look-up itself, also for path/heal.c and
 *				for a path that follows the peer
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Fills in what settings say about an endpoint, except its port. */
static void mptun_path_describe(struct mptun_tunnel *tunnel,
				const struct mptun_path_config *config,
				u16 local_port, struct mptun_endpoint *ep)
{
	struct net_device *dev;

	ep->family = config->family;
	ep->remote = config->remote;
	ep->local = config->local;
	ep->local_port = htons(local_port);
	ep->remote_port = htons(config->remote_port);
	ep->mark = config->fwmark ?: tunnel->config.fwmark;
	ep->ifindex = config->scope;
	if (!config->dev[0])
		return;
	rcu_read_lock();
	dev = dev_get_by_name_rcu(tunnel->net, config->dev);
	ep->ifindex = dev ? dev->ifindex : 0;
	ep->bound = true;
	rcu_read_unlock();
}

/**
 * mptun_path_resolve() - create the endpoint that settings describe
 * @tunnel: the tunnel
 * @config: settings of a path
 * @local_port: its local port
 * @extack: explains an error
 *
 * Return: the endpoint, or an ERR_PTR.
 */
struct mptun_endpoint *
mptun_path_resolve(struct mptun_tunnel *tunnel,
		   const struct mptun_path_config *config, u16 local_port,
		   struct netlink_ext_ack *extack)
{
	struct mptun_endpoint *ep;
	struct mptun_port *port;

	if (!tunnel->net) {
		NL_SET_ERR_MSG(extack,
			       "namespace of the tunnel's sockets is gone");
		return ERR_PTR(-ENONET);
	}
	port = mptun_port_get(tunnel->net, local_port, extack);
	if (IS_ERR(port))
		return ERR_CAST(port);
	ep = mptun_endpoint_new(port);
	if (!ep) {
		mptun_port_put(port);
		return ERR_PTR(-ENOMEM);
	}
	mptun_path_describe(tunnel, config, local_port, ep);
	return ep;
}

/**
 * mptun_path_set_endpoint() - replace the endpoint of a path
 * @path: the path
 * @ep: its new endpoint, owned by the path
 */
void mptun_path_set_endpoint(struct mptun_path *path,
			     struct mptun_endpoint *ep)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_endpoint *old;

	old = rcu_replace_pointer(path->endpoint, ep,
				  lockdep_is_held(&tunnel->lock));
	mptun_endpoint_free(old);
}

/* Looks up the route of an endpoint; updates MTU and device of the path. */
static int mptun_path_source(struct mptun_path *path,
			     const struct mptun_endpoint *ep,
			     union mptun_addr *source)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct dst_entry *dst;
	int err = 0;

	trace_mptun_path_route(path);
	mptun_enter();
	dst = mptun_endpoint_route(ep, tunnel->dev, NULL, source);
	if (IS_ERR(dst)) {
		err = PTR_ERR(dst);
	} else {
		WRITE_ONCE(path->route_ifindex, dst->dev->ifindex);
		mptun_out_mtu(path, mptun_endpoint_mtu(ep, dst));
		dst_release(dst);
	}
	mptun_leave();
	return err;
}

static bool mptun_path_same_endpoint(const struct mptun_endpoint *a,
				     const struct mptun_endpoint *b)
{
	return a->ifindex == b->ifindex && a->bound == b->bound &&
	       a->mark == b->mark &&
	       a->local_port == b->local_port &&
	       a->remote_port == b->remote_port &&
	       !memcmp(&a->remote, &b->remote, sizeof(a->remote)) &&
	       !memcmp(&a->present, &b->present, sizeof(a->present));
}

/**
 * mptun_path_locate() - look up device, route and source address again
 * @path: the path
 * @local_port: its local port from now on
 * @present: source address that it keeps while that exists, all zero for none
 * @another: find the next best one after @present instead
 *
 * The endpoint is replaced if it differs, or if there is no route.
 *
 * Return: 1 if the source address has changed, 0 if not, or a negative error of
 * mptun_endpoint_route().
 */
int mptun_path_locate(struct mptun_path *path, u16 local_port,
		      const union mptun_addr *present, bool another)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_endpoint *ep, *old;
	struct mptun_endpoint want = {};
	union mptun_addr source = {};
	bool moved;
	int err;

	lockdep_assert_held(&tunnel->lock);
	old = mptun_path_endpoint(path);
	want.port = old->port;
	want.present = *present;
	want.another = another;
	mptun_path_describe(tunnel, &path->config, local_port, &want);
	err = mptun_path_source(path, &want, &source);
	if (!err && !memchr_inv(&want.local, 0, sizeof(want.local)))
		want.present = source;
	if (err || !mptun_path_same_endpoint(old, &want)) {
		ep = mptun_path_resolve(tunnel, &path->config, local_port,
					NULL);
		if (IS_ERR(ep))
			return -ENOMEM;
		ep->present = want.present;
		path->heal.port = local_port;
		mptun_path_set_endpoint(path, ep);
	}
	mptun_path_watch(path, err);
	if (err)
		return err;
	moved = path->source_known &&
		memcmp(&path->source, &source, sizeof(source));
	path->source = source;
	path->source_known = true;
	return moved;
}

/**
 * mptun_path_unroutable() - note that a path has no route
 * @path: the path
 * @err: error of mptun_output()
 *
 * Called without a spinlock of ours.
 */
void mptun_path_unroutable(struct mptun_path *path, int err)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	spin_lock_bh(&tx->lock);
	mptun_liveness_unroutable(path, err, mptun_now());
	spin_unlock_bh(&tx->lock);
}

static u16 mptun_path_local_port(const struct mptun_path *path)
{
	return path->heal.port ?: path->config.local_port;
}

/**
 * mptun_path_settle() - look up where new settings lead
 * @path: the path
 */
void mptun_path_settle(struct mptun_path *path)
{
	const union mptun_addr none = {};
	int err;

	err = mptun_path_locate(path, mptun_path_local_port(path), &none,
				false);
	if (err < 0)
		mptun_path_unroutable(path, err);
}

/**
 * mptun_path_rebind() - look up device, route and source address again
 * @path: the path
 * @retry: restart a path that does not work, as a change may have repaired it;
 *	otherwise, and if packets wait for it, it is probed when it is due
 */
void mptun_path_rebind(struct mptun_path *path, bool retry)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	u8 state = READ_ONCE(path->live.state);
	int moved;

	/* The namespace of its sockets may be gone. */
	if (state == MPTUN_PATH_STATE_DRAINING || !tunnel->net)
		return;
	moved = mptun_path_locate(path, mptun_path_local_port(path),
				  &path->source, false);
	if (moved < 0) {
		mptun_path_unroutable(path, moved);
	} else if (moved || state == MPTUN_PATH_STATE_NOROUTE ||
		   (retry && !mptun_path_usable(path) &&
		    !mptun_path_stalled(path))) {
		mptun_path_restart(path, moved, moved ?
				   MPTUN_PATH_REASON_ADDRESS :
				   MPTUN_PATH_REASON_ROUTE);
	} else if (!mptun_path_usable(path)) {
		/* Try it on the route that it has. */
		spin_lock_bh(&tunnel->tx.lock);
		mptun_liveness_retry(path, mptun_now());
		spin_unlock_bh(&tunnel->tx.lock);
		mptun_tunnel_retry(tunnel);
	}
}
