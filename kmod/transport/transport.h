/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Transport: sockets, endpoints with their routes, and output.
 */
#ifndef _MPTUN_TRANSPORT_TRANSPORT_H
#define _MPTUN_TRANSPORT_TRANSPORT_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/dst_cache.h>
#include <net/net_namespace.h>

#include "base/stats.h"
#include "core/state.h"

struct flowi4;
struct flowi6;
struct mptun_endpoint;
struct mptun_net;
struct mptun_path;
struct mptun_port;
struct mptun_ports;
struct mptun_tunnel;
struct net_device;
struct netlink_ext_ack;
struct rtable;
struct sk_buff;
struct socket;

/* transport/socket.c */
/**
 * struct mptun_port - a UDP port with a socket for each family
 * @sock4: IPv4 socket, NULL once the namespace is being deleted
 * @sock6: IPv6 socket, NULL as well if there is no IPv6
 * @number: UDP port, host byte order
 * @serves: port of the tunnels whose paths drew it, else @number
 * @ports: those of its namespace, held
 * @drawn: when it was drawn, in jiffies
 * @open: found by its number; under the lock of @ports
 * @users: endpoints and tunnels, under the same lock
 * @list: entry in mptun_ports.list, while it is open
 * @vrfs: its sockets (transport/vrf.c), under the same lock; those for devices
 *	in no VRF are the first
 * @drops: packets dropped before their tunnel was known
 * @rcu: for kfree_rcu()
 */
struct mptun_port {
	struct sock __rcu *sock4;
	struct sock __rcu *sock6;
	u16 number;
	u16 serves;

	struct mptun_ports *ports;
	unsigned long drawn;
	bool open;
	unsigned int users;
	struct list_head list;
	struct list_head vrfs;
	struct mptun_drops drops;
	struct rcu_head rcu;
};

struct mptun_ports *mptun_ports_new(void);
void mptun_ports_put(struct mptun_ports *ports);
struct mptun_port *mptun_port_get(struct net *net, u16 number,
				  struct netlink_ext_ack *extack);
struct mptun_port *mptun_port_draw(struct net *net, u16 serves, u16 number);
void mptun_port_put(struct mptun_port *port);
void mptun_port_receive(struct mptun_port *port, struct net *net,
			struct socket *sock);
void mptun_port_vrf_added(struct net *net, int ifindex);
void mptun_port_vrf_gone(struct net *net, int ifindex);
void mptun_port_close_all(struct net *net);

/* transport/vrf.c */
/**
 * struct mptun_vrf - the sockets of a port in a VRF, or in none
 * @list: entry in mptun_port.vrfs
 * @mn: state of the namespace, counts it
 * @ifindex: device of the VRF, 0 for all devices that are in none
 * @sk: IPv4 and IPv6 socket, NULL where it could not be opened
 * @release: releases the sockets after a grace period
 */
struct mptun_vrf {
	struct list_head list;
	struct mptun_net *mn;
	int ifindex;
	struct sock *sk[2];
	struct rcu_work release;
};

int mptun_vrf_next(struct net *net, int after);
struct mptun_vrf *mptun_vrf_new(struct net *net, int ifindex);
struct mptun_vrf *mptun_vrf_open(struct mptun_port *port, struct net *net,
				 const struct mptun_vrf *common, int ifindex);
void mptun_vrf_close(struct mptun_vrf *vrf);
void mptun_vrf_wait(struct net *net);

/* transport/endpoint.c */
/**
 * struct mptun_endpoint - source and destination of the packets of a path
 * @port: local port, held, unless taken from a packet
 * @local_port: its number
 * @family: AF_INET or AF_INET6, of both addresses
 * @remote: address of the peer
 * @local: local address, all zero if the route selects it
 * @present: what it has selected so far, all zero if nothing
 * @another: look for the next best one after @present
 * @remote_port: UDP port of the peer
 * @ifindex: device its packets leave from, or VRF; 0 for any; if taken from a
 *	packet, set for link-local addresses only
 * @iif: device the packet arrived on, if taken from one
 * @mark: firewall mark of packets to the remote, also for their route
 * @bound: @ifindex is the device of the settings, 0 if that does not exist
 * @cache: the route, unless taken from a packet
 * @rcu: for call_rcu()
 *
 * Endpoints do not change: a path that moves gets a new one with a new cache,
 * so that no route is used with addresses it was not looked up for.
 */
struct mptun_endpoint {
	struct mptun_port *port;
	sa_family_t family;
	union mptun_addr remote;
	union mptun_addr local;
	union mptun_addr present;
	__be16 local_port;
	__be16 remote_port;
	int ifindex;
	int iif;
	u32 mark;
	bool bound;
	bool another;
	struct dst_cache cache;
	struct rcu_head rcu;
};

struct mptun_endpoint *mptun_endpoint_new(struct mptun_port *port);
void mptun_endpoint_free(struct mptun_endpoint *ep);
void mptun_endpoint_of(const struct sk_buff *skb, struct mptun_endpoint *ep);
int mptun_endpoint_scope(const struct mptun_endpoint *ep, struct net *net);
int mptun_endpoint_back(const struct mptun_endpoint *ep,
			const struct mptun_endpoint *from, struct net *net);
bool mptun_endpoint_same_addr(sa_family_t family, const union mptun_addr *a,
			      const union mptun_addr *b);
bool mptun_endpoint_through(int ifindex, int iif, struct net *net);
unsigned int mptun_endpoint_matches(const struct mptun_endpoint *ep,
				    const union mptun_addr *source,
				    const struct mptun_endpoint *from,
				    bool any_port, struct net *net);
bool mptun_endpoint_is_local(const struct mptun_endpoint *ep,
			     const struct sk_buff *skb);
bool mptun_endpoint_is_source(const struct mptun_endpoint *ep,
			      const struct sk_buff *skb);
struct dst_entry *mptun_endpoint_route(const struct mptun_endpoint *ep,
				       const struct net_device *tunnel_dev,
				       struct dst_cache *cache,
				       union mptun_addr *source);
struct sock *mptun_endpoint_sock(const struct mptun_endpoint *ep);
u32 mptun_endpoint_mtu(const struct mptun_endpoint *ep,
		       const struct dst_entry *dst);

/* transport/source.c */
__be32 mptun_source4(const struct mptun_endpoint *ep, struct net *net,
		     const struct rtable *rt, const struct flowi4 *request,
		     __be32 chosen);
bool mptun_source6(const struct mptun_endpoint *ep, struct net *net,
		   const struct dst_entry *dst, const struct flowi6 *request,
		   struct in6_addr *source);

/* transport/output.c */
bool mptun_output_nested(void);
int mptun_output(struct mptun_path *path, struct sk_buff *skb, u8 ds, u32 *mtu);
int mptun_output_reply(struct mptun_tunnel *tunnel,
		       const struct mptun_endpoint *ep, struct sk_buff *skb);

#endif /* _MPTUN_TRANSPORT_TRANSPORT_H */
