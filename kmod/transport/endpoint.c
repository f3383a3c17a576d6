// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Endpoints: the addresses, ports and device of a path, and its route.
 *
 * An endpoint never changes, and is freed after an RCU grace period.
 */
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ip_fib.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/lwtunnel.h>
#include <net/route.h>

#include "transport/transport.h"

#if IS_ENABLED(CONFIG_IPV6)
#include <net/ip6_route.h>
#endif

/**
 * mptun_endpoint_new() - allocate an endpoint of a path
 * @port: local port, its reference passed to the endpoint
 *
 * Return: the endpoint, without addresses, or NULL.
 */
struct mptun_endpoint *mptun_endpoint_new(struct mptun_port *port)
{
	struct mptun_endpoint *ep;

	ep = kzalloc(sizeof(*ep), GFP_KERNEL_ACCOUNT);
	if (!ep)
		return NULL;
	if (dst_cache_init(&ep->cache, GFP_KERNEL_ACCOUNT)) {
		kfree(ep);
		return NULL;
	}
	ep->port = port;
	return ep;
}

static void mptun_endpoint_free_rcu(struct rcu_head *rcu)
{
	struct mptun_endpoint *ep;

	ep = container_of(rcu, struct mptun_endpoint, rcu);
	dst_cache_destroy(&ep->cache);
	kfree(ep);
}

/**
 * mptun_endpoint_free() - free an endpoint after an RCU grace period
 * @ep: the endpoint, or NULL
 */
void mptun_endpoint_free(struct mptun_endpoint *ep)
{
	if (!ep)
		return;
	mptun_port_put(ep->port);
	call_rcu(&ep->rcu, mptun_endpoint_free_rcu);
}

/**
 * mptun_endpoint_of() - get the source endpoint of a received packet
 * @skb: the packet, its network and transport headers set
 * @ep: filled in with the endpoint for a reply, except its port
 */
void mptun_endpoint_of(const struct sk_buff *skb, struct mptun_endpoint *ep)
{
	memset(ep, 0, sizeof(*ep));
	ep->local_port = udp_hdr(skb)->dest;
	ep->remote_port = udp_hdr(skb)->source;
	ep->iif = skb->skb_iif;
	if (ip_hdr(skb)->version == 4) {
		ep->family = AF_INET;
		ep->remote.v4 = ip_hdr(skb)->saddr;
		ep->local.v4 = ip_hdr(skb)->daddr;
		return;
	}
	ep->family = AF_INET6;
	ep->remote.v6 = ipv6_hdr(skb)->saddr;
	ep->local.v6 = ipv6_hdr(skb)->daddr;
	if (ipv6_addr_type(&ep->remote.v6) & IPV6_ADDR_LINKLOCAL)
		ep->ifindex = skb->skb_iif;
}

/**
 * mptun_endpoint_scope() - device to which replies to a packet are bound
 * @ep: source of the packet, of mptun_endpoint_of()
 * @net: transport namespace, NULL while it is being deleted
 *
 * Return: index of the device of a link-local address, or of the VRF that the
 * packet came through; 0 if there is none.
 */
int mptun_endpoint_scope(const struct mptun_endpoint *ep, struct net *net)
{
	if (ep->ifindex || !net)
		return ep->ifindex;
	return netif_index_is_l3_master(net, ep->iif) ? ep->iif : 0;
}

/**
 * mptun_endpoint_back() - device of a path from which a packet is answered
 * @ep: endpoint of the path
 * @from: source of the packet, of mptun_endpoint_of()
 * @net: transport namespace, NULL while it is being deleted
 *
 * The packet may have come through another VRF than the path leads to, which
 * its device has entered or left since.
 *
 * Return: index of the configured device, else that of mptun_endpoint_scope().
 */
int mptun_endpoint_back(const struct mptun_endpoint *ep,
			const struct mptun_endpoint *from, struct net *net)
{
	return ep->bound ? ep->ifindex : mptun_endpoint_scope(from, net);
}

/**
 * mptun_endpoint_same_addr() - compare two addresses
 * @family: of both, AF_INET or AF_INET6
 * @a: an address
 * @b: another one
 *
 * Return: true if they are equal.
 */
bool mptun_endpoint_same_addr(sa_family_t family, const union mptun_addr *a,
			      const union mptun_addr *b)
{
	if (family == AF_INET)
		return a->v4 == b->v4;
	return ipv6_addr_equal(&a->v6, &b->v6);
}

/**
 * mptun_endpoint_through() - compare the device of a path with that of a packet
 * @ifindex: device of the path, not 0
 * @iif: that of the packet
 * @net: transport namespace, NULL while it is being deleted
 *
 * Return: true if they are the same, or the packet came through the VRF that
 * the device is in: the stack does not say from which of its devices.
 */
bool mptun_endpoint_through(int ifindex, int iif, struct net *net)
{
	return ifindex == iif ||
	       (net && iif == l3mdev_master_ifindex_by_index(net, ifindex));
}

/**
 * mptun_endpoint_matches() - compare a path with the source of a packet
 * @ep: endpoint of the path
 * @source: source address that its route selects, NULL if unknown
 * @from: endpoint of the packet
 * @any_port: other ports match as well, worse than equal ones
 * @net: transport namespace, NULL while it is being deleted
 *
 * A path without a local address sends from the one that its route selects,
 * which may have changed since.  So another address still matches; the address
 * only distinguishes paths to the same remote, as their devices do.
 *
 * Return: 0 if the packet did not come from the remote of @ep to its local
 * side, else a score of the match.
 */
unsigned int mptun_endpoint_matches(const struct mptun_endpoint *ep,
				    const union mptun_addr *source,
				    const struct mptun_endpoint *from,
				    bool any_port, struct net *net)
{
	bool any_local, ports = ep->local_port == from->local_port &&
				ep->remote_port == from->remote_port;
	unsigned int match = ports ? 5 : 1;

	if (ep->family != from->family || !(ports || any_port) ||
	    !mptun_endpoint_same_addr(ep->family, &ep->remote, &from->remote))
		return 0;
	if (ep->ifindex && from->ifindex &&
	    !mptun_endpoint_through(ep->ifindex, from->ifindex, net))
		return 0;
	any_local = ep->family == AF_INET ? !ep->local.v4 :
					    ipv6_addr_any(&ep->local.v6);
	if (!any_local) {
		if (!mptun_endpoint_same_addr(ep->family, &ep->local,
					      &from->local))
			return 0;
		match += 2;
	} else if (source && mptun_endpoint_same_addr(ep->family, source,
						      &from->local)) {
		match += 2;
	}
	return match + (ep->ifindex &&
			mptun_endpoint_through(ep->ifindex, from->iif, net));
}

/**
 * mptun_endpoint_is_local() - compare the local address of a path with a packet
 * @ep: endpoint of the path, with a local address
 * @skb: the packet, its network header set
 *
 * Return: true if it was sent to that address.
 */
bool mptun_endpoint_is_local(const struct mptun_endpoint *ep,
			     const struct sk_buff *skb)
{
	if (ep->family == AF_INET)
		return ip_hdr(skb)->version == 4 &&
		       ip_hdr(skb)->daddr == ep->local.v4;
	return ip_hdr(skb)->version == 6 &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &ep->local.v6);
}

/**
 * mptun_endpoint_is_source() - compare the remote of a path with a packet
 * @ep: endpoint of the path
 * @skb: the packet, its network and transport headers set
 *
 * Return: true if the packet came from that remote.
 */
bool mptun_endpoint_is_source(const struct mptun_endpoint *ep,
			      const struct sk_buff *skb)
{
	if (udp_hdr(skb)->source != ep->remote_port)
		return false;
	if (ep->family == AF_INET)
		return ip_hdr(skb)->version == 4 &&
		       ip_hdr(skb)->saddr == ep->remote.v4;
	return ip_hdr(skb)->version == 6 &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &ep->remote.v6);
}

/* With a device given the IPv4 stack assumes that any address without a route
 * is on its link.  With neighbour resolution that blackholes the usual case, a
 * remote behind a gateway whose route is missing.
 */
static bool mptun_endpoint_assumed4(struct net *net, const struct rtable *rt,
				    const struct flowi4 *fl4)
{
	struct flowi4 lookup = *fl4;
	struct fib_result res;

	if (!fl4->flowi4_oif || rt->rt_gw_family ||
	    rt->dst.dev->flags & (IFF_POINTOPOINT | IFF_LOOPBACK))
		return false;
	return fib_lookup(net, &lookup, &res, 0);
}

/* Returns a route, or NULL. */
static struct rtable *mptun_endpoint_output4(struct sock *sk,
					     struct flowi4 *fl4)
{
	const struct flowi4 request = *fl4;
	struct net *net = sock_net(sk);
	struct rtable *rt;

	rt = ip_route_output_flow(net, fl4, sk);
	if (IS_ERR(rt))
		return NULL;
	if (!mptun_endpoint_assumed4(net, rt, &request))
		return rt;
	ip_rt_put(rt);
	return NULL;
}

/* Looks up the route from a local address, or from the one that it selects. */
static struct dst_entry *
mptun_endpoint_route4(const struct mptun_endpoint *ep, struct sock *sk,
		      const union mptun_addr *local, union mptun_addr *source)
{
	struct net *net = sock_net(sk);
	struct flowi4 fl4 = {
		.flowi4_oif = ep->ifindex,
		.flowi4_mark = ep->mark,
		.flowi4_proto = IPPROTO_UDP,
		.daddr = ep->remote.v4,
		.saddr = local->v4,
		.fl4_dport = ep->remote_port,
		.fl4_sport = ep->local_port,
	};
	const struct flowi4 request = fl4;
	struct rtable *rt;

	source->v4 = fl4.saddr;
	/* inet_confirm_addr() finds no address that has a peer. */
	if (fl4.saddr && !__ip_dev_find(net, fl4.saddr, false))
		return ERR_PTR(-EADDRNOTAVAIL);

	rt = mptun_endpoint_output4(sk, &fl4);
	if (!request.saddr) {
		source->v4 = mptun_source4(ep, net, rt, &request, fl4.saddr);
		if (rt && source->v4 && source->v4 == fl4.saddr)
			return &rt->dst;
		ip_rt_put(rt);
		if (!source->v4)
			return ERR_PTR(rt ? -EADDRNOTAVAIL : -ENETUNREACH);
		fl4 = request;
		fl4.saddr = source->v4;
		rt = mptun_endpoint_output4(sk, &fl4);
	}
	return rt ? &rt->dst : ERR_PTR(-ENETUNREACH);
}

#if IS_ENABLED(CONFIG_IPV6)
/* Returns a route, or NULL.  With a source address, the stack takes the route
 * of the best metric for a socket that is bound to no device, whatever device
 * is given.  Without one it may fall back to a source address that leads out of
 * another device.
 */
static struct dst_entry *mptun_endpoint_output6(struct sock *sk,
						struct flowi6 *fl6)
{
	struct net *net = sock_net(sk);
	int ifindex = fl6->flowi6_oif;
	const struct rt6_info *rt;
	struct dst_entry *dst;

	if (ifindex && !ipv6_addr_any(&fl6->saddr)) {
		dst = ip6_route_output_flags(net, sk, fl6, RT6_LOOKUP_F_IFACE);
		if (dst->error) {
			dst_release(dst);
			return NULL;
		}
		dst = xfrm_lookup_route(net, dst, flowi6_to_flowi(fl6), sk, 0);
		return IS_ERR(dst) ? NULL : dst;
	}
	dst = ip6_dst_lookup_flow(net, sk, fl6, NULL);
	if (IS_ERR(dst))
		return NULL;
	rt = container_of(dst, struct rt6_info, dst);
	/* An own address of the device leads out of the loopback device. */
	if (!ifindex || dst_xfrm(dst) || rt->rt6i_flags & RTF_LOCAL ||
	    mptun_endpoint_through(dst->dev->ifindex, ifindex, net))
		return dst;
	dst_release(dst);
	return NULL;
}
#else
static struct dst_entry *mptun_endpoint_output6(struct sock *sk,
						struct flowi6 *fl6)
{
	return NULL;
}
#endif

static struct dst_entry *
mptun_endpoint_route6(const struct mptun_endpoint *ep, struct sock *sk,
		      const union mptun_addr *local, union mptun_addr *source)
{
	struct net *net = sock_net(sk);
	struct flowi6 fl6 = {
		.flowi6_oif = ep->ifindex,
		.flowi6_mark = ep->mark,
		.flowi6_proto = IPPROTO_UDP,
		.daddr = ep->remote.v6,
		.saddr = local->v6,
		.fl6_dport = ep->remote_port,
		.fl6_sport = ep->local_port,
	};
	const struct flowi6 request = fl6;
	struct net_device *dev;
	struct dst_entry *dst;
	bool found;

	if (!IS_ENABLED(CONFIG_IPV6))
		return ERR_PTR(-EAFNOSUPPORT);
	source->v6 = fl6.saddr;
	/* The device selects the VRF; the address may be another one's. */
	dev = dev_get_by_index_rcu(net, ep->ifindex);
	if (!ipv6_addr_any(&fl6.saddr) &&
	    !ipv6_chk_addr(net, &fl6.saddr, dev, 0))
		return ERR_PTR(-EADDRNOTAVAIL);

	dst = mptun_endpoint_output6(sk, &fl6);
	if (ipv6_addr_any(&request.saddr)) {
		source->v6 = fl6.saddr;
		found = mptun_source6(ep, net, dst, &request, &source->v6);
		if (found && dst && ipv6_addr_equal(&source->v6, &fl6.saddr))
			return dst;
		dst_release(dst);
		if (!found)
			return ERR_PTR(dst ? -EADDRNOTAVAIL : -ENETUNREACH);
		fl6 = request;
		fl6.saddr = source->v6;
		dst = mptun_endpoint_output6(sk, &fl6);
	}
	return dst ?: ERR_PTR(-ENETUNREACH);
}

/* A route that selects the source is looked up again with it, as for a socket
 * that connects: there may be rules on the source.
 */
static struct dst_entry *
mptun_endpoint_lookup(const struct mptun_endpoint *ep, struct sock *sk,
		      union mptun_addr *source)
{
	typeof(mptun_endpoint_route4) *route = mptun_endpoint_route6;
	bool any_local = ipv6_addr_any(&ep->local.v6);
	union mptun_addr first = {};
	struct dst_entry *dst;

	if (ep->family == AF_INET) {
		route = mptun_endpoint_route4;
		any_local = !ep->local.v4;
	}
	dst = route(ep, sk, &ep->local, &first);
	if (!any_local || IS_ERR(dst)) {
		*source = first;
		return dst;
	}
	dst_release(dst);
	return route(ep, sk, &first, source);
}

static struct dst_entry *mptun_endpoint_cached(const struct mptun_endpoint *ep,
					       struct dst_cache *cache,
					       union mptun_addr *source)
{
	struct rtable *rt;

#if IS_ENABLED(CONFIG_IPV6)
	if (ep->family == AF_INET6)
		return dst_cache_get_ip6(cache, &source->v6);
#endif
	rt = dst_cache_get_ip4(cache, &source->v4);
	return rt ? &rt->dst : NULL;
}

static void mptun_endpoint_cache(const struct mptun_endpoint *ep,
				 struct dst_cache *cache,
				 struct dst_entry *dst,
				 const union mptun_addr *source)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (ep->family == AF_INET6) {
		dst_cache_set_ip6(cache, dst, &source->v6);
		return;
	}
#endif
	dst_cache_set_ip4(cache, dst, source->v4);
}

/**
 * mptun_endpoint_sock() - socket of an endpoint
 * @ep: the endpoint
 *
 * Checked before the cache: after a dying namespace has closed its sockets and
 * waited for readers, no cached route is used any more.
 *
 * Called under rcu_read_lock().
 *
 * Return: the socket or an ERR_PTR, see mptun_endpoint_route().
 */
struct sock *mptun_endpoint_sock(const struct mptun_endpoint *ep)
{
	struct sock *sk4 = rcu_dereference(ep->port->sock4);
	struct sock *sk6 = rcu_dereference(ep->port->sock6);

	if (ep->family == AF_INET)
		return sk4 ?: ERR_PTR(-ENONET);
	if (sk6)
		return sk6;
	return ERR_PTR(sk4 ? -EAFNOSUPPORT : -ENONET);
}

/**
 * mptun_endpoint_route() - look up the route to the remote
 * @ep: the endpoint
 * @tunnel_dev: device of the tunnel, which the route must not use
 * @cache: cache of @ep, or NULL
 * @source: set to the source address to use
 *
 * Called under rcu_read_lock() with BH off.
 *
 * Return: the route with a reference, or an ERR_PTR: -ENODEV if the configured
 * device does not exist, -EADDRNOTAVAIL if the local address does not,
 * -ENETUNREACH if there is no route, -ELOOP if it uses the tunnel itself,
 * -ENETDOWN if its device has no carrier, -ENONET if the namespace is being
 * deleted, -EAFNOSUPPORT if there is no IPv6.
 */
struct dst_entry *mptun_endpoint_route(const struct mptun_endpoint *ep,
				       const struct net_device *tunnel_dev,
				       struct dst_cache *cache,
				       union mptun_addr *source)
{
	struct dst_entry *dst = NULL;
	struct sock *sk;

	if (ep->bound && !ep->ifindex)
		return ERR_PTR(-ENODEV);
	sk = mptun_endpoint_sock(ep);
	if (IS_ERR(sk))
		return ERR_CAST(sk);
	if (cache)
		dst = mptun_endpoint_cached(ep, cache, source);
	if (dst)
		return dst;
	dst = mptun_endpoint_lookup(ep, sk, source);
	if (IS_ERR(dst))
		return dst;

	if (dst->dev == tunnel_dev) {
		dst_release(dst);
		return ERR_PTR(-ELOOP);
	}
	if (!netif_running(dst->dev) || !netif_carrier_ok(dst->dev)) {
		dst_release(dst);
		return ERR_PTR(-ENETDOWN);
	}
	if (cache)
		mptun_endpoint_cache(ep, cache, dst, source);
	return dst;
}

#if IS_ENABLED(CONFIG_IPV6)
/* IPv6 stores the MTU that a message claims as that of a route for the one
 * destination; the route it was cloned from has the configured one.
 */
static u32 mptun_endpoint_mtu6(const struct dst_entry *dst)
{
	const struct rt6_info *rt = container_of(dst, struct rt6_info, dst);
	const struct inet6_dev *idev = __in6_dev_get(dst->dev);
	const struct fib6_info *from = rcu_dereference(rt->from);
	u32 mtu = from ? from->fib6_pmtu : 0;

	if (!mtu)
		mtu = idev ? READ_ONCE(idev->cnf.mtu6) : IPV6_MIN_MTU;
	return min_t(u32, mtu, IP6_MAX_MTU);
}
#else
static u32 mptun_endpoint_mtu6(const struct dst_entry *dst)
{
	return IPV6_MIN_MTU;
}
#endif

/**
 * mptun_endpoint_mtu() - MTU of a route, whatever ICMP messages claim
 * @ep: endpoint that it was looked up for
 * @dst: the route
 *
 * IPsec calculates the MTU of its routes.
 *
 * Called under rcu_read_lock().
 *
 * Return: MTU of the route as configured, or else of its device, in bytes.
 */
u32 mptun_endpoint_mtu(const struct mptun_endpoint *ep,
		       const struct dst_entry *dst)
{
	u32 mtu;

	if (dst_xfrm(dst))
		return dst_mtu(dst);
	if (ep->family == AF_INET) {
		mtu = dst_metric_raw(dst, RTAX_MTU) ?:
		      READ_ONCE(dst->dev->mtu);
		mtu = min_t(u32, mtu, IP_MAX_MTU);
	} else {
		mtu = mptun_endpoint_mtu6(dst);
	}
	return min(mtu - lwtunnel_headroom(dst->lwtstate, mtu), U16_MAX + 0U);
}
