// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events of the devices, addresses and routes below.
 *
 * A path that loses its carrier, its device or its address need not wait for
 * a timeout, and one that gets them back need not wait for the next probe.
 * Every path of the namespace looks at its route again; one that has not
 * changed goes on undisturbed.  Events of devices and IPv4 addresses are rare.
 * Those of routes and IPv6 addresses come in atomic context, and in thousands
 * where a routing daemon runs: they are gathered.
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

/* @cause: the device that has changed, NULL if it was something else */
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

static int mptun_notifier_device(struct notifier_block *nb,
				 unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

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

static void mptun_notifier_follow(struct work_struct *work)
{
	struct mptun_net *mn = container_of(to_delayed_work(work),
					    struct mptun_net, follow);

	rtnl_lock();
	mptun_notifier_rebind(mn, NULL);
	WRITE_ONCE(mn->followed, jiffies);
	rtnl_unlock();
}

/* The first event counts at once, those that follow it a little later. */
static void mptun_notifier_later(struct mptun_net *mn)
{
	unsigned long at = READ_ONCE(mn->followed) +
			   msecs_to_jiffies(MPTUN_ROUTE_CHECK_MS);
	unsigned long now = jiffies;

	if (delayed_work_pending(&mn->follow))
		return;
	queue_delayed_work(mptun_wq, &mn->follow,
			   time_before(now, at) ? at - now : 0);
}

#if IS_ENABLED(CONFIG_IPV6)
static int mptun_notifier_addr6(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	struct inet6_ifaddr *ifa = ptr;

	mptun_notifier_later(mptun_net(dev_net(ifa->idev->dev)));
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr6_block = {
	.notifier_call = mptun_notifier_addr6,
};
#endif

static int mptun_notifier_route(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	mptun_notifier_later(container_of(nb, struct mptun_net, routes));
	return NOTIFY_DONE;
}

/**
 * mptun_notifier_net_init() - follow the routes of a namespace
 * @net: the namespace
 *
 * Where routes change all the time that may be impossible, as they are listed
 * first.  Then the next probe of a path that has no route finds the new one.
 */
void mptun_notifier_net_init(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);
	int err;

	mn->followed = jiffies;
	INIT_DELAYED_WORK(&mn->follow, mptun_notifier_follow);
	mn->routes.notifier_call = mptun_notifier_route;
	err = register_fib_notifier(net, &mn->routes, NULL, NULL);
	mn->routes_followed = !err;
	if (err)
		pr_info("changes of routes are found by probes only (%d)\n",
			err);
}

/**
 * mptun_notifier_net_exit() - stop following the routes of a namespace
 * @net: the namespace; no device of it has an address any more, unless the
 *	module is being unloaded
 */
void mptun_notifier_net_exit(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	if (mn->routes_followed)
		unregister_fib_notifier(net, &mn->routes);
	cancel_delayed_work_sync(&mn->follow);
}

/**
 * mptun_notifier_init() - follow events
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
 * mptun_notifier_exit() - stop following events
 */
void mptun_notifier_exit(void)
{
#if IS_ENABLED(CONFIG_IPV6)
	unregister_inet6addr_notifier(&mptun_notifier_addr6_block);
#endif
	unregister_inetaddr_notifier(&mptun_notifier_addr4_block);
	unregister_netdevice_notifier(&mptun_notifier_device_block);
}
