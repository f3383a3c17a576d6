// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Generic netlink: multicast notifications of changes.
 *
 * Only administrators of the network may join the groups, so messages say
 * everything.
 */
#include <net/genetlink.h>

#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "ctl/policy-gen.h"

/* RCU keeps the namespace, as the device may move to another one meanwhile. */
static bool mptun_netlink_has_listeners(struct mptun_tunnel *tunnel,
					unsigned int group)
{
	bool listeners;

	rcu_read_lock();
	listeners = genl_has_listeners(&mptun_netlink_family,
				       dev_net(tunnel->dev), group);
	rcu_read_unlock();
	return listeners;
}

static void mptun_netlink_multicast(struct mptun_tunnel *tunnel,
				    struct sk_buff *skb, unsigned int group)
{
	rcu_read_lock();
	genlmsg_multicast_netns(&mptun_netlink_family,
				dev_net(tunnel->dev), skb, 0, group,
				GFP_ATOMIC);
	rcu_read_unlock();
}

static void mptun_netlink_path_ntf(struct mptun_path *path, u8 cmd,
				   int old_state)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct sk_buff *skb;

	lockdep_assert_held(&tunnel->lock);
	if (!mptun_netlink_has_listeners(tunnel, MPTUN_NLGRP_PATHS))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	if (mptun_netlink_fill_path(skb, path, 0, 0, 0, cmd, old_state,
				    true)) {
		nlmsg_free(skb);
		return;
	}
	mptun_netlink_multicast(tunnel, skb, MPTUN_NLGRP_PATHS);
}

static void mptun_netlink_path_added(struct mptun_path *path)
{
	mptun_netlink_path_ntf(path, MPTUN_CMD_PATH_NTF, -1);
}

static void mptun_netlink_path_changed(struct mptun_path *path,
				       unsigned int events,
				       enum mptun_path_state old)
{
	if (events & MPTUN_EVENT_STATE)
		mptun_netlink_path_ntf(path, MPTUN_CMD_PATH_NTF, old);
	if (events & MPTUN_EVENT_CAP)
		mptun_netlink_path_ntf(path, MPTUN_CMD_PATH_CAP_NTF, -1);
}

static void mptun_netlink_path_deleted(struct mptun_path *path)
{
	mptun_netlink_path_ntf(path, MPTUN_CMD_PATH_DEL_NTF, -1);
}

static void mptun_netlink_tunnel(struct mptun_tunnel *tunnel)
{
	struct sk_buff *skb;

	if (!mptun_netlink_has_listeners(tunnel, MPTUN_NLGRP_TUNNELS))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	if (mptun_netlink_fill_tunnel(skb, tunnel, 0, 0, 0,
				      MPTUN_CMD_TUNNEL_NTF, true)) {
		nlmsg_free(skb);
		return;
	}
	mptun_netlink_multicast(tunnel, skb, MPTUN_NLGRP_TUNNELS);
}

const struct mptun_event_ops mptun_netlink_event_ops = {
	.added = mptun_netlink_path_added,
	.changed = mptun_netlink_path_changed,
	.deleted = mptun_netlink_path_deleted,
	.tunnel = mptun_netlink_tunnel,
};
