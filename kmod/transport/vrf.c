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
 *
 * Sockets are closed in two steps.  They leave the tables of the stack at once,
 * so that their port can be bound again.  Packets may still be processed with
 * them, so a work item releases them after a grace period.  Only the deletion
 * of a namespace waits for that.
 */
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/udp_tunnel.h>

#include "core/lookup.h"
#include "core/tunnel.h"
#include "transport/transport.h"

static void mptun_vrf_release(struct mptun_vrf *vrf)
{
	struct mptun_net *mn = vrf->mn;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vrf->sk); i++) {
		if (!vrf->sk[i])
			continue;
		kernel_sock_shutdown(vrf->sk[i]->sk_socket, SHUT_RDWR);
		sock_release(vrf->sk[i]->sk_socket);
	}
	kfree(vrf);
	/* The namespace may be gone afterwards. */
	if (atomic_dec_and_test(&mn->n_vrfs))
		wake_up_var(&mn->n_vrfs);
}

static void mptun_vrf_release_work(struct work_struct *work)
{
	mptun_vrf_release(container_of(to_rcu_work(work), struct mptun_vrf,
				       release));
}

/**
 * mptun_vrf_new() - allocate the sockets of a port
 * @net: namespace of the port, alive
 * @ifindex: device of the VRF, 0 for all devices that are in none
 *
 * Return: the sockets, none of them open; NULL without memory.
 */
struct mptun_vrf *mptun_vrf_new(struct net *net, int ifindex)
{
	struct mptun_vrf *vrf;

	vrf = kzalloc(sizeof(*vrf), GFP_KERNEL_ACCOUNT);
	if (!vrf)
		return NULL;
	vrf->mn = mptun_net(net);
	vrf->ifindex = ifindex;
	INIT_RCU_WORK(&vrf->release, mptun_vrf_release_work);
	atomic_inc(&vrf->mn->n_vrfs);
	return vrf;
}

/**
 * mptun_vrf_close() - close sockets
 * @vrf: the sockets, found by packets only
 *
 * Does not sleep.  Their port can be bound again when it returns.
 */
void mptun_vrf_close(struct mptun_vrf *vrf)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vrf->sk); i++) {
		if (!vrf->sk[i])
			continue;
		rcu_assign_sk_user_data(vrf->sk[i], NULL);
		vrf->sk[i]->sk_prot->unhash(vrf->sk[i]);
	}
	queue_rcu_work(mptun_wq, &vrf->release);
}

/**
 * mptun_vrf_wait() - wait until closed sockets are released
 * @net: namespace whose ports have been closed, and are not opened any more
 */
void mptun_vrf_wait(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	wait_var_event(&mn->n_vrfs, !atomic_read(&mn->n_vrfs));
}

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
 * @common: its sockets for devices that are in no VRF
 * @ifindex: device of the VRF
 *
 * Return: the sockets, NULL without memory.  Those that cannot be opened, for
 * example as another program uses the port, are missing.
 */
struct mptun_vrf *mptun_vrf_open(struct mptun_port *port, struct net *net,
				 const struct mptun_vrf *common, int ifindex)
{
	struct mptun_vrf *vrf;
	unsigned int i;

	vrf = mptun_vrf_new(net, ifindex);
	if (!vrf)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(vrf->sk); i++)
		if (common->sk[i])
			vrf->sk[i] = mptun_vrf_socket(port, net, common->sk[i],
						      ifindex);
	return vrf;
}
