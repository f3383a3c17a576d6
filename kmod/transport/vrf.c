// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * VRFs: the sockets of a port that receive from them.
 *
 * A socket that is bound to no device receives from devices of a VRF only if
 * the sysctl udp_l3mdev_accept is set, for all programs of the namespace.  So a
 * port has further sockets, bound to each VRF of its namespace.  They only
 * receive: the route of a packet decides on the VRF it leaves through.
 */
#include <linux/slab.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/udp_tunnel.h>

#include "transport/transport.h"

/**
 * mptun_vrf_next() - find the next VRF of a namespace
 * @net: the namespace
 * @after: its index is larger than this
 *
 * Return: the index of its device, 0 if there is none.
 */
int mptun_vrf_next(struct net *net, int after)
{
	struct net_device *dev;
	int next = 0;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev)
		if (netif_is_l3_master(dev) && dev->ifindex > after &&
		    (!next || dev->ifindex < next))
			next = dev->ifindex;
	rcu_read_unlock();
	return next;
}

static void mptun_vrf_share(struct sock *sk, bool share)
{
	lock_sock(sk);
	sk->sk_reuse = share ? SK_CAN_REUSE : SK_NO_REUSE;
	release_sock(sk);
}

/* A socket without a device excludes others from its port.  So both share it,
 * just while the second one is bound.
 */
static int mptun_vrf_bind(struct socket *sock, struct sock *common, u16 number,
			  int ifindex)
{
	struct sockaddr_in6 sin6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(number),
	};
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(number),
	};
	bool v6 = common->sk_family == AF_INET6;
	int err;

	err = sock_bindtoindex(sock->sk, ifindex, true);
	if (!err && v6)
		err = ip6_sock_set_v6only(sock->sk);
	if (err)
		return err;
	mptun_vrf_share(common, true);
	mptun_vrf_share(sock->sk, true);
	err = v6 ? kernel_bind(sock, (void *)&sin6, sizeof(sin6)) :
		   kernel_bind(sock, (void *)&sin, sizeof(sin));
	mptun_vrf_share(sock->sk, false);
	mptun_vrf_share(common, false);
	return err;
}

static struct sock *mptun_vrf_socket(struct mptun_port *port, struct net *net,
				     struct sock *common, int ifindex)
{
	struct socket *sock;
	int err;

	err = sock_create_kern(net, common->sk_family, SOCK_DGRAM, IPPROTO_UDP,
			       &sock);
	if (err)
		return NULL;
	err = mptun_vrf_bind(sock, common, port->number, ifindex);
	if (err) {
		pr_debug("mptun: port %u is not open in VRF %d (%d)\n",
			 port->number, ifindex, err);
		sock_release(sock);
		return NULL;
	}
	mptun_port_receive(port, net, sock);
	return sock->sk;
}

/**
 * mptun_vrf_open() - open a port in a VRF
 * @port: the port, open otherwise
 * @net: its namespace
 * @ifindex: device of the VRF
 *
 * Return: the sockets, NULL without memory.  Those that cannot be opened, for
 * example as another program uses the port, are missing.
 */
struct mptun_vrf *mptun_vrf_open(struct mptun_port *port, struct net *net,
				 int ifindex)
{
	struct sock __rcu **const places[] = { &port->sock4, &port->sock6 };
	struct mptun_vrf *vrf;
	struct sock *common;
	unsigned int i;

	vrf = kzalloc(sizeof(*vrf), GFP_KERNEL_ACCOUNT);
	if (!vrf)
		return NULL;
	vrf->ifindex = ifindex;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		/* The socket for all other devices */
		rcu_read_lock();
		common = rcu_dereference(*places[i]);
		if (common)
			sock_hold(common);
		rcu_read_unlock();
		if (!common)
			continue;
		vrf->sk[i] = mptun_vrf_socket(port, net, common, ifindex);
		sock_put(common);
	}
	return vrf;
}

/**
 * mptun_vrf_close() - close sockets of VRFs
 * @vrfs: list of them; empty afterwards
 *
 * Takes a grace period, if there are any.
 */
void mptun_vrf_close(struct list_head *vrfs)
{
	struct mptun_vrf *vrf, *tmp;
	unsigned int i;

	if (list_empty(vrfs))
		return;
	list_for_each_entry(vrf, vrfs, list)
		for (i = 0; i < ARRAY_SIZE(vrf->sk); i++)
			if (vrf->sk[i])
				rcu_assign_sk_user_data(vrf->sk[i], NULL);
	synchronize_net();
	list_for_each_entry_safe(vrf, tmp, vrfs, list) {
		for (i = 0; i < ARRAY_SIZE(vrf->sk); i++)
			mptun_port_release(vrf->sk[i]);
		kfree(vrf);
	}
	INIT_LIST_HEAD(vrfs);
}
