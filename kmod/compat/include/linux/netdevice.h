/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Before v6.12 lockless transmission was a feature flag.  Before v6.5 there
 * was no way to look up a device and track the reference in one step.  Before
 * v6.9, and in some releases of 6.1, the registration state was a bit field.
 */
#ifndef _MPTUN_COMPAT_LINUX_NETDEVICE_H
#define _MPTUN_COMPAT_LINUX_NETDEVICE_H

#include_next <linux/netdevice.h>

static inline void mptun_compat_set_lltx(struct net_device *dev)
{
#ifdef MPTUN_HAVE_LLTX
	dev->lltx = true;
#else
	dev->features |= NETIF_F_LLTX;
#endif
}

#ifdef MPTUN_HAVE_REG_STATE
#define mptun_compat_reg_state(dev)	READ_ONCE((dev)->reg_state)
#else
/* The bit field fills a byte. */
#define mptun_compat_reg_state(dev)	data_race((dev)->reg_state)
#endif

#ifndef MPTUN_HAVE_NETDEV_GET_BY
static inline struct net_device *
mptun_compat_track(struct net_device *dev, netdevice_tracker *tracker,
		   gfp_t gfp)
{
	if (dev)
		netdev_tracker_alloc(dev, tracker, gfp);
	return dev;
}

#define netdev_get_by_index(net, ifindex, tracker, gfp)			\
	mptun_compat_track(dev_get_by_index(net, ifindex), tracker, gfp)
#define netdev_get_by_name(net, name, tracker, gfp)			\
	mptun_compat_track(dev_get_by_name(net, name), tracker, gfp)
#endif

#endif /* _MPTUN_COMPAT_LINUX_NETDEVICE_H */
