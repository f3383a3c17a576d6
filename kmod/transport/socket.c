// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ports: UDP sockets, shared by all tunnels of a namespace with the same port
 * number.
 *
 * The first user opens a port and the last one closes it; a namespace that is
 * deleted closes its ports while they are in use.
 */
#include <linux/slab.h>
#include <net/udp_tunnel.h>

#include "core/lookup.h"
#include "transport/transport.h"

/* Protects mptun_net.ports and .closed and mptun_port.users.  One lock for all
 * namespaces, because a port may outlive its own.
 */
static DEFINE_MUTEX(mptun_port_lock);

static int mptun_port_open(struct mptun_port *port, struct net *net, bool v6)
{
	struct udp_tunnel_sock_cfg tunnel_cfg = {
		.sk_user_data = port,
		.encap_type = 1, /* anything but zero */
		.encap_rcv = mptun_net(net)->encap_rcv,
	};
	struct udp_port_cfg cfg = {
		.family = v6 ? AF_INET6 : AF_INET,
		.local_udp_port = htons(port->number),
		.use_udp_checksums = true,
		.use_udp6_tx_checksums = true,
		.use_udp6_rx_checksums = true,
		.ipv6_v6only = true,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &cfg, &sock);
	if (err)
		return err;

	setup_udp_tunnel_sock(net, sock->sk, &tunnel_cfg);
	/* Let the stack verify checksums on demand only. */
	inet_dec_convert_csum(sock->sk);
	/* ICMP messages claim an MTU, but do not enforce it. */
	if (!v6)
		ip_sock_set_mtu_discover(sock->sk, IP_PMTUDISC_PROBE);
	/* No GRO: the stack segments batches again before encap_rcv, and
	 * merging costs as much as they save.
	 */
	rcu_assign_pointer(*(v6 ? &port->sock6 : &port->sock4), sock->sk);
	return 0;
}

static void mptun_port_close(struct mptun_port *port)
{
	struct sock *sock4, *sock6;

	lockdep_assert_held(&mptun_port_lock);
	sock4 = rcu_replace_pointer(port->sock4, NULL, true);
	sock6 = rcu_replace_pointer(port->sock6, NULL, true);
	if (!sock4 && !sock6)
		return;
	synchronize_net();
	if (sock4)
		udp_tunnel_sock_release(sock4);
	if (sock6)
		udp_tunnel_sock_release(sock6);
	pr_debug("mptun: port %u closed\n", port->number);
}

static struct mptun_port *mptun_port_create(struct net *net, u16 number,
					    struct netlink_ext_ack *extack)
{
	struct mptun_port *port;
	int err;

	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return ERR_PTR(-ENOMEM);
	port->number = number;
	port->users = 1;

	err = mptun_port_open(port, net, false);
	if (!err && IS_ENABLED(CONFIG_IPV6)) {
		err = mptun_port_open(port, net, true);
		/* IPv6 may be disabled. */
		if (err == -EAFNOSUPPORT)
			err = 0;
	}
	if (err) {
		if (err == -EADDRINUSE)
			NL_SET_ERR_MSG(extack,
				       "UDP port is used by another program");
		else
			NL_SET_ERR_MSG(extack, "UDP port could not be opened");
		mptun_port_close(port);
		kfree(port);
		return ERR_PTR(err);
	}
	pr_debug("mptun: port %u opened\n", number);
	return port;
}

/**
 * mptun_port_get() - get a port, opened if necessary
 * @net: transport namespace, alive
 * @number: UDP port, host byte order
 * @extack: for an error message
 *
 * Return: the port, to be released with mptun_port_put(), or an ERR_PTR.
 */
struct mptun_port *mptun_port_get(struct net *net, u16 number,
				  struct netlink_ext_ack *extack)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_port *port;

	mutex_lock(&mptun_port_lock);
	if (mn->closed) {
		port = ERR_PTR(-ENONET);
		goto out;
	}
	list_for_each_entry(port, &mn->ports, list)
		if (port->number == number) {
			port->users++;
			goto out;
		}
	port = mptun_port_create(net, number, extack);
	if (!IS_ERR(port))
		list_add(&port->list, &mn->ports);
out:
	mutex_unlock(&mptun_port_lock);
	return port;
}

/**
 * mptun_port_put() - release a port
 * @port: the port, or NULL
 */
void mptun_port_put(struct mptun_port *port)
{
	if (!port)
		return;
	mutex_lock(&mptun_port_lock);
	if (!--port->users) {
		list_del(&port->list);
		mptun_port_close(port);
		kfree_rcu(port, rcu);
	}
	mutex_unlock(&mptun_port_lock);
}

/**
 * mptun_port_close_all() - close the ports of a namespace that is deleted
 * @net: the namespace
 *
 * Users keep their references, but no socket is in use after this returns, and
 * no port is opened any more.
 */
void mptun_port_close_all(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_port *port, *tmp;

	mutex_lock(&mptun_port_lock);
	mn->closed = true;
	list_for_each_entry_safe(port, tmp, &mn->ports, list) {
		list_del_init(&port->list);
		mptun_port_close(port);
	}
	mutex_unlock(&mptun_port_lock);
}
