/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Endpoints: the addresses, ports and device of a path, and the route that
 * follows from them.
 */
#ifndef _MPTUN_ENDPOINT_H
#define _MPTUN_ENDPOINT_H

#include <linux/in6.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <net/dst_cache.h>

struct mptun_port;
struct net_device;

/**
 * union mptun_addr - an address of either family
 * @v4: IPv4 address
 * @v6: IPv6 address
 */
union mptun_addr {
	__be32 v4;
	struct in6_addr v6;
};

/**
 * struct mptun_endpoint - where packets of a path leave and go to
 * @port: local port; a user of it, unless taken from a packet
 * @local_port: its number
 * @family: AF_INET or AF_INET6, of both addresses
 * @remote: address of the peer
 * @local: local address, all zero for the route's choice
 * @remote_port: UDP port of the peer
 * @ifindex: device the path is bound to, 0 for none; of one taken from a packet
 *	only if its addresses are link-local
 * @came_by: device the packet came by, if taken from one
 * @missing: a device is asked for that does not exist
 * @cache: the route, unless taken from a packet
 * @rcu: frees the endpoint after its last reader
 *
 * Endpoints do not change: a path that moves gets a new one, and with it a new
 * cache, so that no route is ever used with addresses it was not found for.
 */
struct mptun_endpoint {
	struct mptun_port *port;
	sa_family_t family;
	union mptun_addr remote;
	union mptun_addr local;
	__be16 local_port;
	__be16 remote_port;
	int ifindex;
	int came_by;
	bool missing;
	struct dst_cache cache;
	struct rcu_head rcu;
};

struct mptun_endpoint *mptun_endpoint_new(struct mptun_port *port);
void mptun_endpoint_free(struct mptun_endpoint *ep);
void mptun_endpoint_of(const struct sk_buff *skb, struct mptun_endpoint *ep);
bool mptun_endpoint_same_addr(sa_family_t family, const union mptun_addr *a,
			      const union mptun_addr *b);
unsigned int mptun_endpoint_matches(const struct mptun_endpoint *ep,
				    const union mptun_addr *source,
				    const struct mptun_endpoint *from);
bool mptun_endpoint_is_source(const struct mptun_endpoint *ep,
			      const struct sk_buff *skb);
struct dst_entry *mptun_endpoint_route(const struct mptun_endpoint *ep,
				       const struct net_device *tunnel_dev,
				       struct dst_cache *cache,
				       union mptun_addr *source);

#endif /* _MPTUN_ENDPOINT_H */
