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
 * A LAN may have a prefix of each provider, and each drops the others' packets.
 * Where routes depend on the source, an address counts only if they lead from
 * it out of the uplink.  Otherwise a path that does not work tries the others
 * in turn (path/heal.c).
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

/* Ranks of an address; for IPv6 the bits in common with the remote are added,
 * 128 at most.
 */
#define MPTUN_SOURCE_PRESENT	BIT(11)	/* in use, and to be kept */
#define MPTUN_SOURCE_OWN	BIT(10)	/* of the uplink */
#define MPTUN_SOURCE_LAN	BIT(9)	/* of a device with neighbours */
#define MPTUN_SOURCE_FIRST	BIT(8)	/* that the stack prefers there */

/**
 * struct mptun_source_search - search for the best address
 * @ep: endpoint of the path
 * @net: the namespace
 * @uplink: device of the route
 * @walk: offers the addresses of a device
 * @routed: checks whether the route from an address leads out of a device
 * @flow4: what the route is looked up for, if it is one of IPv4
 * @flow6: the same for IPv6
 * @from: there must be a route from the address
 * @limit: addresses come after mptun_endpoint.present, which has this rank
 * @passed: that has been seen
 * @at: its rank, -1 if it has not been seen
 * @most: rank of @best, -1 if there is none
 * @best: the best address so far, the first of those with its rank
 */
struct mptun_source_search {
	const struct mptun_endpoint *ep;
	struct net *net;
	const struct net_device *uplink;
	void (*walk)(struct mptun_source_search *s, struct net_device *dev);
	bool (*routed)(const struct mptun_source_search *s, int ifindex,
		       const union mptun_addr *addr);
	const struct flowi4 *flow4;
	const struct flowi6 *flow6;
	bool from;
	int limit;
	bool passed;
	int at;
	int most;
	union mptun_addr best;
};

/* Takes an address if it is the best so far.  A device with a route of its own
 * to the remote is another uplink.
 */
static void mptun_source_offer(struct mptun_source_search *s,
			       const struct net_device *dev,
			       const union mptun_addr *addr, int rank)
{
	bool present = mptun_endpoint_same_addr(s->ep->family, addr,
						&s->ep->present);

	if (dev == s->uplink)
		rank += MPTUN_SOURCE_OWN;
	else if (!(dev->flags & (IFF_POINTOPOINT | IFF_NOARP)))
		rank += MPTUN_SOURCE_LAN;
	if (present) {
		rank += s->ep->another ? 0 : MPTUN_SOURCE_PRESENT;
		s->passed = true;
		s->at = rank;
	}
	if (rank <= s->most || rank > s->limit ||
	    (rank == s->limit && (present || !s->passed)))
		return;
	if (s->ep->ifindex && dev != s->uplink &&
	    s->routed(s, dev->ifindex, addr))
		return;
	if (s->from && !s->routed(s, s->ep->ifindex, addr))
		return;
	s->most = rank;
	s->best = *addr;
}

/* Leaves out tunnels, and the devices of other VRFs. */
static void mptun_source_walk(struct mptun_source_search *s, int limit)
{
	int domain = l3mdev_master_ifindex_rcu(s->uplink);
	const struct rtnl_link_ops *ops;
	struct net_device *dev;

	s->limit = limit;
	s->passed = false;
	s->at = -1;
	s->most = -1;
	for_each_netdev_rcu(s->net, dev) {
		ops = dev->rtnl_link_ops;
		if ((!ops || strcmp(ops->kind, "mptun")) &&
		    l3mdev_master_ifindex_rcu(dev) == domain)
			s->walk(s, dev);
	}
}

/* Finds the best address, or the next best one, after the last the first. */
static bool mptun_source_find(struct mptun_source_search *s)
{
	union mptun_addr best;
	int most;

	if (!s->uplink)
		return false;
	mptun_source_walk(s, INT_MAX);
	if (!s->ep->another || s->at < 0)
		return s->most >= 0;
	best = s->best;
	most = s->most;
	mptun_source_walk(s, s->at);
	if (s->most < 0) {
		s->best = best;
		s->most = most;
	}
	return s->most >= 0;
}

static bool mptun_source_routed4(const struct mptun_source_search *s,
				 int ifindex, const union mptun_addr *addr)
{
	struct flowi4 lookup = *s->flow4;
	struct fib_result res;

	lookup.flowi4_oif = ifindex;
	lookup.saddr = addr->v4;
	return !fib_lookup(s->net, &lookup, &res, 0) && res.type == RTN_UNICAST;
}

static void mptun_source_walk4(struct mptun_source_search *s,
			       struct net_device *dev)
{
	const struct in_device *in_dev = __in_dev_get_rcu(dev);
	union mptun_addr addr = {};
	const struct in_ifaddr *ifa;
	bool first;

	if (!in_dev)
		return;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (ifa->ifa_scope > RT_SCOPE_LINK ||
		    ifa->ifa_flags & IFA_F_SECONDARY)
			continue;
		addr.v4 = ifa->ifa_local;
		first = inet_ifa_match(s->ep->remote.v4, ifa);
		mptun_source_offer(s, dev, &addr,
				   first ? MPTUN_SOURCE_FIRST : 0);
	}
}

/* Returns true if the address that the stack chose is of the uplink, or named
 * by the route.
 */
static bool mptun_source_fits4(const struct rtable *rt,
			       const struct fib_result *res, __be32 chosen)
{
	const struct in_device *in_dev = __in_dev_get_rcu(rt->dst.dev);
	const struct in_ifaddr *ifa;

	if (rt->rt_flags & RTCF_LOCAL ||
	    (res->fi && chosen && res->fi->fib_prefsrc == chosen))
		return true;
	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev)
		if (ifa->ifa_local == chosen)
			return true;
	return false;
}

/**
 * mptun_source4() - choose the source address of an IPv4 route
 * @ep: endpoint of the path
 * @net: the namespace
 * @rt: the route, NULL if there is none without a source address
 * @request: what it was looked up for, without one
 * @chosen: what the stack chose
 *
 * Called under rcu_read_lock().
 *
 * Return: the address, or 0 if there is none.
 */
__be32 mptun_source4(const struct mptun_endpoint *ep, struct net *net,
		     const struct rtable *rt, const struct flowi4 *request,
		     __be32 chosen)
{
	struct mptun_source_search s = {
		.ep = ep,
		.net = net,
		.uplink = rt ? rt->dst.dev :
			  dev_get_by_index_rcu(net, ep->ifindex),
		.walk = mptun_source_walk4,
		.routed = mptun_source_routed4,
		.flow4 = request,
	};
	struct flowi4 lookup = *request;
	struct fib_result res = {};

	if (fib_lookup(net, &lookup, &res, 0))
		res.fi = NULL;
	if (rt && mptun_source_fits4(rt, &res, chosen))
		return chosen;
	/* The stack assumes a route out of a point-to-point device. */
	s.from = ep->ifindex && (res.fi || !rt);
	return mptun_source_find(&s) ? s.best.v4 : 0;
}

#if IS_ENABLED(CONFIG_IPV6)
static bool mptun_source_routed6(const struct mptun_source_search *s,
				 int ifindex, const union mptun_addr *addr)
{
	struct flowi6 lookup = *s->flow6;
	const struct rt6_info *rt;
	struct dst_entry *dst;
	bool leads;

	lookup.flowi6_oif = ifindex;
	lookup.saddr = addr->v6;
	dst = ip6_route_output_flags(s->net, NULL, &lookup,
				     RT6_LOOKUP_F_IFACE);
	rt = container_of(dst, struct rt6_info, dst);
	leads = !dst->error && !(rt->rt6i_flags & (RTF_REJECT | RTF_LOCAL));
	dst_release(dst);
	return leads;
}

/* Those that expire are offered if one is in use, or the stack prefers it. */
static void mptun_source_walk6(struct mptun_source_search *s,
			       struct net_device *dev)
{
	const u32 inside = IPV6_ADDR_LINKLOCAL | IPV6_ADDR_LOOPBACK;
	const u32 expire = IFA_F_TEMPORARY | IFA_F_DEPRECATED;
	const struct in6_addr *remote = &s->ep->remote.v6;
	const struct inet6_dev *idev = __in6_dev_get(dev);
	const struct inet6_ifaddr *ifa;
	union mptun_addr addr = {};
	struct in6_addr preferred;
	int rank;

	if (!idev || ipv6_dev_get_saddr(s->net, dev, remote, 0, &preferred))
		return;
	list_for_each_entry_rcu(ifa, &idev->addr_list, if_list) {
		addr.v6 = ifa->addr;
		rank = ipv6_addr_diff(&addr.v6, remote);
		if (ipv6_addr_equal(&addr.v6, &preferred))
			rank += MPTUN_SOURCE_FIRST;
		else if (ifa->flags & expire &&
			 !ipv6_addr_equal(&addr.v6, &s->ep->present.v6))
			continue;
		if (!(ipv6_addr_type(&addr.v6) & inside) &&
		    ipv6_chk_addr(s->net, &addr.v6, dev, 1))
			mptun_source_offer(s, dev, &addr, rank);
	}
}

/* Returns true if the address that the stack chose is of the uplink, or named
 * by the route.  It prefers any to a deprecated one of the uplink: one that is
 * in use replaces it.  No gateway forwards a packet from a link-local address.
 */
static bool mptun_source_fits6(const struct mptun_endpoint *ep,
			       struct net *net, const struct dst_entry *dst,
			       struct in6_addr *source)
{
	const struct rt6_info *rt = container_of(dst, struct rt6_info, dst);
	const struct fib6_info *from = rcu_dereference(rt->from);
	const struct in6_addr *present = &ep->present.v6;
	bool forwarded = rt->rt6i_flags & RTF_GATEWAY;

	if (rt->rt6i_flags & RTF_LOCAL ||
	    (ipv6_chk_addr(net, source, dst->dev, 1) &&
	     !(forwarded && ipv6_addr_type(source) & IPV6_ADDR_LINKLOCAL)))
		return true;
	if (from && from->fib6_prefsrc.plen &&
	    ipv6_addr_equal(&from->fib6_prefsrc.addr, source))
		return true;
	if (ipv6_addr_type(present) & IPV6_ADDR_LINKLOCAL ||
	    !ipv6_chk_addr(net, present, dst->dev, 1))
		return false;
	*source = *present;
	return true;
}

/**
 * mptun_source6() - choose the source address of an IPv6 route
 * @ep: endpoint of the path
 * @net: the namespace
 * @dst: the route, NULL if there is none without a source address
 * @request: what it was looked up for, without one
 * @source: what the stack chose, replaced if necessary
 *
 * Called under rcu_read_lock().
 *
 * Return: false if there is none.
 */
bool mptun_source6(const struct mptun_endpoint *ep, struct net *net,
		   const struct dst_entry *dst, const struct flowi6 *request,
		   struct in6_addr *source)
{
	struct mptun_source_search s = {
		.ep = ep,
		.net = net,
		.uplink = dst ? dst->dev :
			  dev_get_by_index_rcu(net, ep->ifindex),
		.walk = mptun_source_walk6,
		.routed = mptun_source_routed6,
		.flow6 = request,
		.from = ep->ifindex,
	};

	if (dst && mptun_source_fits6(ep, net, dst, source))
		return true;
	if (!mptun_source_find(&s))
		return false;
	*source = s.best.v6;
	return true;
}
#else
bool mptun_source6(const struct mptun_endpoint *ep, struct net *net,
		   const struct dst_entry *dst, const struct flowi6 *request,
		   struct in6_addr *source)
{
	return false;
}
#endif
