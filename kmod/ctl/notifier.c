// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Notifiers of changes of lower devices, addresses and routes.
 *
 * They spare a path that loses its carrier, device or address a timeout, and
 * one that regains them the wait for its next probe.  All paths of the
 * namespace check their routes; one whose route is the same is not disturbed.
 *
 * Events of devices and IPv4 addresses are rare and handled at once under RTNL.
 * Those of routes and IPv6 addresses arrive in atomic context, and by thousands
 * next to a routing daemon, so a work item handles them together.  Routes are
 * followed in namespaces with tunnels only.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/fib_notifier.h>

#include "base/limits.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "transport/transport.h"

/* @cause is the device that changed, NULL if a route did. */
static void mptun_notifier_rebind(struct mptun_net *mn,
				  const struct net_device *cause)
{
	struct mptun_tunnel *tunnel;
	struct mptun_path *path;

	ASSERT_RTNL();
	list_for_each_entry(tunnel, &mn->tunnels, net_list) {
		if (tunnel->dev == cause)
			continue;
		mutex_lock(&tunnel->lock);
		if (tunnel->running)
			list_for_each_entry(path, &tunnel->paths, list)
				mptun_path_rebind(path, cause);
		mutex_unlock(&tunnel->lock);
	}
}

/* Ports are open in all VRFs. */
static void mptun_notifier_vrf(const struct net_device *dev,
			       unsigned long event)
{
	if (event == NETDEV_REGISTER)
		mptun_port_vrf_added(dev_net(dev), dev->ifindex);
	else if (event == NETDEV_UNREGISTER)
		mptun_port_vrf_gone(dev_net(dev), dev->ifindex);
}

static int mptun_notifier_device(struct notifier_block *nb,
				 unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (netif_is_l3_master(dev))
		mptun_notifier_vrf(dev, event);
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGENAME:
	case NETDEV_CHANGEMTU:
		mptun_notifier_rebind(mptun_net(dev_net(dev)), dev);
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

	mptun_notifier_rebind(mptun_net(dev_net(dev)), dev);
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

	mptun_notifier_routes(mn, tunnels);
	if (!tunnels)
		return;
	rtnl_lock();
	mptun_notifier_rebind(mn, NULL);
	WRITE_ONCE(mn->routes_checked, jiffies);
	rtnl_unlock();
}

/* Handles the first event at once, following ones after an interval.  Not on
 * mptun_wq, which is flushed where RTNL must not be waited for.
 */
static void mptun_notifier_queue(struct mptun_net *mn)
{
	unsigned long at = READ_ONCE(mn->routes_checked) +
			   msecs_to_jiffies(MPTUN_ROUTE_CHECK_MS);
	unsigned long now = jiffies;

	if (list_empty_careful(&mn->tunnels))
		return;
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

	mptun_notifier_queue(mptun_net(dev_net(ifa->idev->dev)));
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr6_block = {
	.notifier_call = mptun_notifier_addr6,
};
#endif

static int mptun_notifier_route(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	mptun_notifier_queue(container_of(nb, struct mptun_net, routes));
	return NOTIFY_DONE;
}

/**
 * mptun_notifier_net_init() - prepare for changes of routes of a namespace
 * @mn: state of the namespace
 */
void mptun_notifier_net_init(struct mptun_net *mn)
{
	mn->routes_checked = jiffies;
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
