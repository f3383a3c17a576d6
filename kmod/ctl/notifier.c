// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Notifiers of changes of lower devices, addresses and routes.
 *
 * They spare a path that loses its carrier, device or address a timeout, and
 * one that regains them the wait for its next probe.  Paths that depend on what
 * has changed (path/change.c) check their routes; one whose route is the same
 * is not disturbed.
 *
 * Events of devices and IPv4 addresses are handled at once under RTNL.  Those
 * of routes and IPv6 addresses arrive in atomic context, and by thousands next
 * to a routing daemon, so a work item handles them together.  Routes are
 * followed in namespaces with tunnels only.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/fib_notifier.h>
#include <net/ip_fib.h>

#include "base/limits.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "transport/transport.h"

#if IS_ENABLED(CONFIG_IPV6)
#include <net/ip6_fib.h>
#endif

/* Returns true if changes may concern a path of a tunnel. */
static bool mptun_notifier_concerned(struct mptun_tunnel *tunnel,
				     const struct mptun_change *changes,
				     unsigned int n)
{
	const struct mptun_path *path;
	bool concerned = false;

	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		concerned = mptun_path_concerned(path, changes, n);
		if (concerned)
			break;
	}
	rcu_read_unlock();
	return concerned;
}

static void mptun_notifier_rebind(struct mptun_tunnel *tunnel,
				  const struct mptun_change *changes,
				  unsigned int n, bool retry)
{
	struct mptun_path *path;
	bool concerned;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list) {
		rcu_read_lock();
		concerned = mptun_path_concerned(path, changes, n);
		rcu_read_unlock();
		if (concerned)
			mptun_path_rebind(path, retry);
	}
}

/* @cause is the device that has changed, NULL if something else has. */
static void mptun_notifier_handle(struct mptun_net *mn,
				  const struct net_device *cause,
				  const struct mptun_change *changes,
				  unsigned int n)
{
	struct mptun_tunnel *tunnel;

	ASSERT_RTNL();
	list_for_each_entry(tunnel, &mn->tunnels, net_list) {
		if (tunnel->dev == cause ||
		    !mptun_notifier_concerned(tunnel, changes, n))
			continue;
		mutex_lock(&tunnel->lock);
		if (tunnel->running)
			mptun_notifier_rebind(tunnel, changes, n, cause);
		mutex_unlock(&tunnel->lock);
	}
}

static void mptun_notifier_event(const struct net_device *dev,
				 const struct mptun_change *change)
{
	struct mptun_net *mn = mptun_net(dev_net(dev));

	if (mptun_net_follows(mn, change))
		mptun_notifier_handle(mn, dev, change, 1);
}

static int mptun_notifier_device(struct notifier_block *nb,
				 unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_DEVICE,
		.ifindex = dev->ifindex,
	};

	/* Ports are open in all VRFs. */
	if (netif_is_l3_master(dev)) {
		if (event == NETDEV_REGISTER)
			mptun_port_vrf_added(dev_net(dev), dev->ifindex);
		else if (event == NETDEV_UNREGISTER)
			mptun_port_vrf_gone(dev_net(dev), dev->ifindex);
	}
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGENAME:
	case NETDEV_CHANGEMTU:
		strscpy(change.name, dev->name, sizeof(change.name));
		mptun_notifier_event(dev, &change);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_device_block = {
	.notifier_call = mptun_notifier_device,
};

static int mptun_notifier_addr4(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	struct in_ifaddr *ifa = ptr;
	struct net_device *dev = ifa->ifa_dev->dev;
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ADDRESS,
		.ifindex = dev->ifindex,
		.family = AF_INET,
		.addr.v4 = ifa->ifa_local,
		.len = 32,
	};

	mptun_notifier_event(dev, &change);
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr4_block = {
	.notifier_call = mptun_notifier_addr4,
};

/* Registers for changes of routes, or undoes it.  Registration lists all
 * routes, which can fail if they change all the time; then probes find new
 * routes.
 */
static void mptun_notifier_routes(struct mptun_net *mn, bool wanted)
{
	int err;

	if (mn->routes_registered == wanted)
		return;
	if (!wanted) {
		unregister_fib_notifier(mn->net, &mn->routes);
		mn->routes_registered = false;
		return;
	}
	err = register_fib_notifier(mn->net, &mn->routes, NULL, NULL);
	mn->routes_registered = !err;
	if (err)
		pr_info("no notification of routes, probes will find changes (%d)\n",
			err);
}

/* Registers outside of RTNL, as older kernels take it to list the routes. */
static void mptun_notifier_route_work(struct work_struct *work)
{
	struct mptun_net *mn = container_of(to_delayed_work(work),
					    struct mptun_net, route_work);
	bool tunnels = !list_empty_careful(&mn->tunnels);
	struct mptun_change changes[MPTUN_CHANGES_MAX];
	unsigned int n;

	mptun_notifier_routes(mn, tunnels);
	spin_lock_bh(&mn->change_lock);
	n = mn->n_changes;
	mn->n_changes = 0;
	memcpy(changes, mn->changes, n * sizeof(*changes));
	spin_unlock_bh(&mn->change_lock);
	if (!tunnels || !n)
		return;
	rtnl_lock();
	mptun_notifier_handle(mn, NULL, changes, n);
	WRITE_ONCE(mn->routes_checked, jiffies);
	rtnl_unlock();
}

/* Handles the first event at once, following ones after an interval.  Not on
 * mptun_wq, which is flushed where RTNL must not be waited for.
 */
static void mptun_notifier_queue(struct mptun_net *mn,
				 const struct mptun_change *change)
{
	unsigned long at = READ_ONCE(mn->routes_checked) +
			   msecs_to_jiffies(MPTUN_ROUTE_CHECK_MS);
	unsigned long now = jiffies;

	if (list_empty_careful(&mn->tunnels) || !mptun_net_follows(mn, change))
		return;
	spin_lock_bh(&mn->change_lock);
	mn->n_changes = mptun_change_add(mn->changes, mn->n_changes, change);
	spin_unlock_bh(&mn->change_lock);
	if (delayed_work_pending(&mn->route_work))
		return;
	queue_delayed_work(system_freezable_wq, &mn->route_work,
			   time_before(now, at) ? at - now : 0);
}

#if IS_ENABLED(CONFIG_IPV6)
static int mptun_notifier_addr6(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	struct inet6_ifaddr *ifa = ptr;
	struct net_device *dev = ifa->idev->dev;
	struct mptun_change change = {
		.kind = MPTUN_CHANGE_ADDRESS,
		.ifindex = dev->ifindex,
		.family = AF_INET6,
		.addr.v6 = ifa->addr,
		.len = 128,
	};

	mptun_notifier_queue(mptun_net(dev_net(dev)), &change);
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr6_block = {
	.notifier_call = mptun_notifier_addr6,
};

static void mptun_notifier_entry6(const struct fib_notifier_info *info,
				  struct mptun_change *change)
{
	const struct fib6_entry_notifier_info *entry6;

	entry6 = container_of(info, struct fib6_entry_notifier_info, info);
	change->addr.v6 = entry6->rt->fib6_dst.addr;
	change->len = entry6->rt->fib6_dst.plen;
}
#else
static void mptun_notifier_entry6(const struct fib_notifier_info *info,
				  struct mptun_change *change)
{
}
#endif

static void mptun_notifier_entry(const struct fib_notifier_info *info,
				 struct mptun_change *change)
{
	const struct fib_entry_notifier_info *entry4;

	change->kind = MPTUN_CHANGE_ROUTE;
	change->family = info->family;
	if (info->family == AF_INET) {
		entry4 = container_of(info, struct fib_entry_notifier_info,
				      info);
		change->addr.v4 = htonl(entry4->dst);
		change->len = entry4->dst_len;
	} else {
		mptun_notifier_entry6(info, change);
	}
}

static int mptun_notifier_route(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	struct mptun_net *mn = container_of(nb, struct mptun_net, routes);
	struct mptun_change change = { .kind = MPTUN_CHANGE_ANY };
	const struct fib_notifier_info *info = ptr;
	const struct fib_nh *nh;

	if (info->family != AF_INET && info->family != AF_INET6)
		return NOTIFY_DONE;
	switch (event) {
	case FIB_EVENT_ENTRY_REPLACE:
	case FIB_EVENT_ENTRY_APPEND:
	case FIB_EVENT_ENTRY_ADD:
	case FIB_EVENT_ENTRY_DEL:
		mptun_notifier_entry(info, &change);
		break;
	case FIB_EVENT_NH_ADD:
	case FIB_EVENT_NH_DEL:
		nh = container_of(info, struct fib_nh_notifier_info,
				  info)->fib_nh;
		if (nh->fib_nh_gw_family || !nh->fib_nh_dev)
			break;
		/* Without a gateway it leads to the network of its device. */
		change.kind = MPTUN_CHANGE_DEVICE;
		change.ifindex = nh->fib_nh_dev->ifindex;
		strscpy(change.name, nh->fib_nh_dev->name, sizeof(change.name));
		break;
	}
	mptun_notifier_queue(mn, &change);
	return NOTIFY_DONE;
}

/**
 * mptun_notifier_net_init() - prepare for changes of routes of a namespace
 * @mn: state of the namespace
 */
void mptun_notifier_net_init(struct mptun_net *mn)
{
	mn->routes_checked = jiffies;
	spin_lock_init(&mn->change_lock);
	INIT_DELAYED_WORK(&mn->route_work, mptun_notifier_route_work);
	mn->routes.notifier_call = mptun_notifier_route;
}

/**
 * mptun_notifier_net_follow() - follow routes while there are tunnels
 * @mn: state of the namespace, whose first tunnel came or whose last one left
 */
void mptun_notifier_net_follow(struct mptun_net *mn)
{
	if (list_empty(&mn->tunnels) || list_is_singular(&mn->tunnels))
		mod_delayed_work(system_freezable_wq, &mn->route_work, 0);
}

/**
 * mptun_notifier_net_exit() - end what mptun_notifier_net_follow() began
 * @mn: state of the namespace, without tunnels
 */
void mptun_notifier_net_exit(struct mptun_net *mn)
{
	/* Events are ignored without tunnels. */
	cancel_delayed_work_sync(&mn->route_work);
	mptun_notifier_routes(mn, false);
}

/**
 * mptun_notifier_init() - register for changes of devices and addresses
 *
 * Return: 0 or a negative error.
 */
int __init mptun_notifier_init(void)
{
	int err;

	err = register_netdevice_notifier(&mptun_notifier_device_block);
	if (err)
		return err;
	err = register_inetaddr_notifier(&mptun_notifier_addr4_block);
	if (err)
		goto err_device;
#if IS_ENABLED(CONFIG_IPV6)
	err = register_inet6addr_notifier(&mptun_notifier_addr6_block);
	if (err)
		goto err_addr4;
#endif
	return 0;

#if IS_ENABLED(CONFIG_IPV6)
err_addr4:
	unregister_inetaddr_notifier(&mptun_notifier_addr4_block);
#endif
err_device:
	unregister_netdevice_notifier(&mptun_notifier_device_block);
	return err;
}

/**
 * mptun_notifier_exit() - undo mptun_notifier_init()
 */
void mptun_notifier_exit(void)
{
#if IS_ENABLED(CONFIG_IPV6)
	unregister_inet6addr_notifier(&mptun_notifier_addr6_block);
#endif
	unregister_inetaddr_notifier(&mptun_notifier_addr4_block);
	unregister_netdevice_notifier(&mptun_notifier_device_block);
}
