// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events of the devices, addresses and routes below.
 *
 * A path that loses its carrier, its device or its address need not wait for
 * a timeout, and one that gets them back need not wait for the next probe.
 * Events are rare and paths are few, so every path of the namespace looks at
 * its route again; one that has not changed goes on undisturbed.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/fib_notifier.h>

#include "device.h"
#include "net.h"
#include "notifier.h"
#include "path.h"
#include "tunnel.h"

static void mptun_notifier_rebind(struct net *net,
				  const struct net_device *cause)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_tunnel *tunnel;
	struct mptun_path *path;

	ASSERT_RTNL();
	list_for_each_entry(tunnel, &mn->tunnels, net_list) {
		if (tunnel->dev == cause)
			continue;
		mutex_lock(&tunnel->lock);
		if (tunnel->running)
			list_for_each_entry(path, &tunnel->paths, list)
				mptun_path_rebind(path);
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
		mptun_notifier_rebind(dev_net(dev), dev);
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

	mptun_notifier_rebind(dev_net(dev), dev);
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr4_block = {
	.notifier_call = mptun_notifier_addr4,
};

#if IS_ENABLED(CONFIG_IPV6)
/* IPv6 addresses come and go in atomic context.  The next packet or probe of
 * a path finds out by itself, because the route is checked again.
 */
static int mptun_notifier_addr6(struct notifier_block *nb,
				unsigned long event, void *ptr)
{
	struct inet6_ifaddr *ifa = ptr;
	struct mptun_tunnel *tunnel;
	struct mptun_endpoint *ep;
	struct mptun_path *path;
	struct mptun_net *mn;

	mn = mptun_net(dev_net(ifa->idev->dev));
	rcu_read_lock();
	list_for_each_entry_rcu(tunnel, &mn->tunnels, net_list)
		list_for_each_entry_rcu(path, &tunnel->paths, list) {
			ep = rcu_dereference(path->endpoint);
			dst_cache_reset(&ep->cache);
		}
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block mptun_notifier_addr6_block = {
	.notifier_call = mptun_notifier_addr6,
};
#endif

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
