// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Source: the source address of a path that has no local address.
 *
 * It is an address of the uplink, the device of the route.  If the uplink has
 * none, the stack takes one of any other device: possibly that of a tunnel,
 * whose packets would then depend on the tunnel, or that of another uplink,
 * whose provider alone routes it.  Such addresses are not used.  An address of
 * a network with neighbours, such as a LAN, comes before the others: providers
 * delegate its prefix, and do not know that of another tunnel or of a dummy.
 * Then the stack's rules choose (RFC 6724 for IPv6), but the one in use stays
 * while it exists: a closer match on a device that is no uplink changes
 * nothing.
 *
 * An address that the route itself names is always used.
 */
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ip_fib.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/rtnetlink.h>

#include "transport/transport.h"

#if IS_ENABLED(CONFIG_IPV6)
#include <net/ip6_route.h>
#endif

/* Bits of an address, the most that two can have in common */
#define MPTUN_SOURCE_BITS	128

static bool mptun_source_tunnel(const struct net_device *dev)
{
	const struct rtnl_link_ops *ops = dev->rtnl_link_ops;

	return ops && !strcmp(ops->kind, "mptun");
}

/* Returns true for a device with neighbours, and for loopback. */
static bool mptun_source_lan(const struct net_device *dev)
{
	return !(dev->flags & (IFF_POINTOPOINT | IFF_NOARP));
}

/* Returns true if both devices are in the same VRF, or in none. */
static bool mptun_source_domain(const struct net_device *dev,
				const struct net_device *uplink)
{
	return l3mdev_master_ifindex_rcu(dev) ==
	       l3mdev_master_ifindex_rcu(uplink);
}

static bool mptun_source_has4(const struct net_device *dev, __be32 addr)
{
	const struct in_device *in_dev = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (ifa->ifa_local == addr)
			return true;
	return false;
}

/**
 * mptun_source_own() - choose an address of the device of an endpoint
 * @ep: the endpoint
 * @net: the namespace
 * @source: filled in
 *
 * Called under rcu_read_lock().
 *
 * Return: false if the endpoint has no device, or the device no address.
 */
bool mptun_source_own(const struct mptun_endpoint *ep, struct net *net,
		      union mptun_addr *source)
{
	struct net_device *dev = dev_get_by_index_rcu(net, ep->ifindex);

	if (!dev)
		return false;
	if (ep->family == AF_INET) {
		source->v4 = inet_select_addr(dev, ep->remote.v4,
					      RT_SCOPE_UNIVERSE);
		return mptun_source_has4(dev, source->v4);
	}
	return IS_ENABLED(CONFIG_IPV6) &&
	       !ipv6_dev_get_saddr(net, dev, &ep->remote.v6, 0, &source->v6) &&
	       ipv6_chk_addr(net, &source->v6, dev, 1);
}

/* Returns true if a path must not use an address of a device.  A device with a
 * route of its own to the remote is another uplink.
 */
static bool mptun_source_barred4(struct net *net, const struct net_device *dev,
				 const struct flowi4 *request, __be32 addr)
{
	struct flowi4 lookup = *request;
	struct fib_result res;

	if (!request->flowi4_oif)
		return false;
	lookup.flowi4_oif = dev->ifindex;
	lookup.saddr = addr;
	return !fib_lookup(net, &lookup, &res, 0) && res.type == RTN_UNICAST;
}

/* Returns an address of another device, the present one if possible, or 0. */
static __be32 mptun_source_borrow4(struct net *net,
				   const struct net_device *uplink,
				   const struct flowi4 *request, __be32 present)
{
	const struct in_device *in_dev;
	const struct in_ifaddr *ifa;
	struct net_device *dev;
	bool lan = false;
	__be32 first = 0;

	for_each_netdev_rcu(net, dev) {
		in_dev = __in_dev_get_rcu(dev);
		if (!in_dev || mptun_source_tunnel(dev) ||
		    !mptun_source_domain(dev, uplink))
			continue;
		in_dev_for_each_ifa_rcu(ifa, in_dev) {
			if (ifa->ifa_scope > RT_SCOPE_LINK ||
			    ifa->ifa_flags & IFA_F_SECONDARY ||
			    (first && ifa->ifa_local != present &&
			     (lan || !mptun_source_lan(dev))) ||
			    mptun_source_barred4(net, dev, request,
						 ifa->ifa_local))
				continue;
			if (ifa->ifa_local == present)
				return present;
			first = ifa->ifa_local;
			lan = mptun_source_lan(dev);
		}
	}
	return first;
}

/**
 * mptun_source4() - choose the source address of an IPv4 route
 * @net: the namespace
 * @rt: the route
 * @request: what it was looked up for, without a source address
 * @chosen: what the stack chose
 * @present: what the path has used so far, 0 if nothing
 *
 * Called under rcu_read_lock().
 *
 * Return: the address, or 0 if there is none.
 */
__be32 mptun_source4(struct net *net, const struct rtable *rt,
		     const struct flowi4 *request, __be32 chosen,
		     __be32 present)
{
	const struct net_device *uplink = rt->dst.dev;
	struct flowi4 lookup = *request;
	struct fib_result res;

	if (rt->rt_flags & RTCF_LOCAL || mptun_source_has4(uplink, chosen))
		return chosen;
	if (chosen && !fib_lookup(net, &lookup, &res, 0) &&
	    res.fi->fib_prefsrc == chosen)
		return chosen;
	return mptun_source_borrow4(net, uplink, request, present);
}

#if IS_ENABLED(CONFIG_IPV6)
static bool mptun_source_barred6(struct net *net, const struct net_device *dev,
				 const struct flowi6 *request,
				 const struct in6_addr *addr)
{
	struct rt6_info *rt;
	bool uplink;

	if (!request->flowi6_oif)
		return false;
	rt = rt6_lookup(net, &request->daddr, addr, dev->ifindex, NULL,
			RT6_LOOKUP_F_IFACE);
	uplink = rt && !(rt->rt6i_flags & (RTF_REJECT | RTF_LOCAL)) &&
		 rt->dst.dev == dev;
	ip6_rt_put(rt);
	return uplink;
}

/* Finds the best address of another device, the present one if possible. */
static bool mptun_source_borrow6(struct net *net,
				 const struct net_device *uplink,
				 const struct flowi6 *request,
				 const struct in6_addr *present,
				 struct in6_addr *source)
{
	struct in6_addr addr, best = {};
	struct net_device *dev;
	int common, most = INT_MIN;

	for_each_netdev_rcu(net, dev) {
		if (mptun_source_tunnel(dev) ||
		    !mptun_source_domain(dev, uplink))
			continue;
		/* It prefers an address of the device to any other one. */
		addr = *present;
		if ((ipv6_addr_any(present) ||
		     !ipv6_chk_addr(net, present, dev, 1)) &&
		    (ipv6_dev_get_saddr(net, dev, &request->daddr, 0, &addr) ||
		     !ipv6_chk_addr(net, &addr, dev, 1)))
			continue;
		if (ipv6_addr_type(&addr) & IPV6_ADDR_LINKLOCAL ||
		    mptun_source_barred6(net, dev, request, &addr))
			continue;
		common = ipv6_addr_diff(&addr, &request->daddr);
		if (!mptun_source_lan(dev))
			common -= MPTUN_SOURCE_BITS;
		if (ipv6_addr_equal(&addr, present))
			common = INT_MAX;
		if (common <= most)
			continue;
		most = common;
		best = addr;
	}
	*source = best;
	return most != INT_MIN;
}

/**
 * mptun_source6() - choose the source address of an IPv6 route
 * @net: the namespace
 * @dst: the route
 * @request: what it was looked up for, without a source address
 * @present: what the path has used so far, all zero if nothing
 * @source: what the stack chose, replaced if necessary
 *
 * Called under rcu_read_lock().
 *
 * Return: false if there is none.
 */
bool mptun_source6(struct net *net, const struct dst_entry *dst,
		   const struct flowi6 *request, const struct in6_addr *present,
		   struct in6_addr *source)
{
	const struct rt6_info *rt = container_of(dst, struct rt6_info, dst);
	const struct fib6_info *from = rcu_dereference(rt->from);

	if (rt->rt6i_flags & RTF_LOCAL ||
	    ipv6_chk_addr(net, source, dst->dev, 1))
		return true;
	if (from && from->fib6_prefsrc.plen &&
	    ipv6_addr_equal(&from->fib6_prefsrc.addr, source))
		return true;
	/* The stack prefers any address to a deprecated one of the uplink. */
	if (!(ipv6_addr_type(present) & IPV6_ADDR_LINKLOCAL) &&
	    ipv6_chk_addr(net, present, dst->dev, 1)) {
		*source = *present;
		return true;
	}
	return mptun_source_borrow6(net, dst->dev, request, present, source);
}
#else
bool mptun_source6(struct net *net, const struct dst_entry *dst,
		   const struct flowi6 *request, const struct in6_addr *present,
		   struct in6_addr *source)
{
	return false;
}
#endif
