// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ports: UDP sockets, shared by all tunnels of a namespace with the same port
 * number.
 *
 * The first user opens a port and the last one closes it; a namespace that is
 * deleted closes its ports while they are in use.
 *
 * A path that does not work tries other source ports (path/heal.c).  They are
 * drawn from the range of ephemeral ports.  Paths that fail together share one,
 * so that their number stays small when a server of many tunnels is lost.
 *
 * A port is free when its last user has released it; see transport/vrf.c.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/inet_sock.h>
#include <net/udp_tunnel.h>

#include "core/lookup.h"
#include "transport/transport.h"

/* Paths that draw a port within this time share it. */
#define MPTUN_PORT_SHARE	(3 * HZ)

/* How often a number is drawn that the other family has in use. */
#define MPTUN_PORT_DRAWS	4

/**
 * mptun_ports_new() - allocate the list of ports of a namespace
 *
 * Return: the list, to be released with mptun_ports_put(); NULL without memory.
 */
struct mptun_ports *mptun_ports_new(void)
{
	struct mptun_ports *ports;

	ports = kzalloc(sizeof(*ports), GFP_KERNEL_ACCOUNT);
	if (!ports)
		return NULL;
	spin_lock_init(&ports->lock);
	INIT_LIST_HEAD(&ports->list);
	refcount_set(&ports->refs, 1);
	return ports;
}

/**
 * mptun_ports_put() - release the list of ports of a namespace
 * @ports: the list
 */
void mptun_ports_put(struct mptun_ports *ports)
{
	if (refcount_dec_and_test(&ports->refs))
		kfree(ports);
}

/**
 * mptun_port_receive() - receive the packets of a socket
 * @port: port of the socket
 * @net: its namespace
 * @sock: the socket, bound
 */
void mptun_port_receive(struct mptun_port *port, struct net *net,
			struct socket *sock)
{
	struct udp_tunnel_sock_cfg tunnel_cfg = {
		.sk_user_data = port,
		.encap_type = 1, /* anything but zero */
		.encap_rcv = mptun_net(net)->encap_rcv,
		.encap_err_lookup = mptun_net(net)->encap_err,
	};

	setup_udp_tunnel_sock(net, sock->sk, &tunnel_cfg);
	/* Let the stack verify checksums on demand only. */
	inet_dec_convert_csum(sock->sk);
	/* ICMP messages claim an MTU, but do not enforce it. */
	if (sock->sk->sk_family == AF_INET)
		ip_sock_set_mtu_discover(sock->sk, IP_PMTUDISC_PROBE);
	/* No GRO: the stack segments batches again before encap_rcv, and
	 * merging costs as much as they save.
	 */
}

/* Number 0 is for the kernel to choose. */
static int mptun_port_open(struct mptun_port *port, struct net *net,
			   struct mptun_vrf *common, bool v6)
{
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

	port->number = inet_sk(sock->sk)->inet_num;
	mptun_port_receive(port, net, sock);
	common->sk[v6] = sock->sk;
	rcu_assign_pointer(*(v6 ? &port->sock6 : &port->sock4), sock->sk);
	return 0;
}

/* Takes a port off the list, so that its number is not found any more.
 * mptun_port_close() follows, without the lock.
 */
static void mptun_port_retire(struct mptun_port *port)
{
	lockdep_assert_held(&port->ports->lock);
	port->open = false;
	list_del_init(&port->list);
	RCU_INIT_POINTER(port->sock4, NULL);
	RCU_INIT_POINTER(port->sock6, NULL);
	atomic_inc(&port->ports->closing);
	pr_debug("mptun: port %u closed\n", port->number);
}

/* Closes the sockets of a retired port, which the caller holds: packets find it
 * until then.  Without the lock, as there may be thousands; mptun_port_try()
 * waits until their number can be bound again.
 */
static void mptun_port_close(struct mptun_port *port)
{
	struct mptun_ports *ports = port->ports;
	struct mptun_vrf *vrf, *tmp;

	list_for_each_entry_safe(vrf, tmp, &port->vrfs, list) {
		list_del(&vrf->list);
		mptun_vrf_close(vrf);
	}
	if (atomic_dec_and_test(&ports->closing))
		wake_up_var(&ports->closing);
}

static struct mptun_port *mptun_port_create(struct net *net, u16 number)
{
	struct mptun_ports *ports = mptun_net(net)->ports;
	struct mptun_vrf *common;
	struct mptun_port *port;
	int err;

	port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	if (!port)
		return ERR_PTR(-ENOMEM);
	common = mptun_vrf_new(net, 0);
	if (!common) {
		kfree(port);
		return ERR_PTR(-ENOMEM);
	}
	port->number = number;
	port->serves = number;
	port->users = 1;
	INIT_LIST_HEAD(&port->list);
	INIT_LIST_HEAD(&port->vrfs);
	list_add(&common->list, &port->vrfs);

	err = mptun_port_open(port, net, common, false);
	if (!err && IS_ENABLED(CONFIG_IPV6)) {
		err = mptun_port_open(port, net, common, true);
		/* IPv6 may be disabled. */
		if (err == -EAFNOSUPPORT)
			err = 0;
	}
	if (err) {
		mptun_vrf_close(common);
		kfree_rcu(port, rcu);
		return ERR_PTR(err);
	}
	port->ports = ports;
	refcount_inc(&ports->refs);
	port->open = true;
	pr_debug("mptun: port %u opened\n", port->number);
	return port;
}

/* Opens a port in a VRF and adds the sockets to the port. */
static struct mptun_vrf *mptun_port_enter(struct mptun_port *port,
					  struct net *net, int ifindex)
{
	const struct mptun_vrf *common;
	struct mptun_vrf *vrf;

	/* The first one stays as long as the port, of which we are a user. */
	common = list_first_entry(&port->vrfs, struct mptun_vrf, list);
	vrf = mptun_vrf_open(port, net, common, ifindex);
	if (!vrf)
		return NULL;
	spin_lock_bh(&port->ports->lock);
	list_add_tail(&vrf->list, &port->vrfs);
	spin_unlock_bh(&port->ports->lock);
	return vrf;
}

/* Opens a new port in all VRFs, and lists it. */
static void mptun_port_serve(struct mptun_net *mn, struct mptun_port *port)
{
	int vrf = 0;

	lockdep_assert_held(&mn->port_mutex);
	while ((vrf = mptun_vrf_next(mn->net, vrf)))
		mptun_port_enter(port, mn->net, vrf);
	spin_lock_bh(&mn->ports->lock);
	list_add(&port->list, &mn->ports->list);
	spin_unlock_bh(&mn->ports->lock);
}

/* Returns the port of that number with a new user, opened if necessary.  The
 * mutex keeps two users from opening it twice.
 */
static struct mptun_port *mptun_port_try(struct mptun_net *mn, u16 number)
{
	struct mptun_port *port;

	lockdep_assert_held(&mn->port_mutex);
	if (mn->closed)
		return ERR_PTR(-ENONET);
	spin_lock_bh(&mn->ports->lock);
	list_for_each_entry(port, &mn->ports->list, list)
		if (port->number == number) {
			port->users++;
			spin_unlock_bh(&mn->ports->lock);
			return port;
		}
	spin_unlock_bh(&mn->ports->lock);
	wait_var_event(&mn->ports->closing,
		       !atomic_read(&mn->ports->closing));
	port = mptun_port_create(mn->net, number);
	if (!IS_ERR(port))
		mptun_port_serve(mn, port);
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

	mutex_lock(&mn->port_mutex);
	port = mptun_port_try(mn, number);
	mutex_unlock(&mn->port_mutex);
	if (port == ERR_PTR(-EADDRINUSE))
		NL_SET_ERR_MSG(extack, "UDP port is used by another program");
	else if (IS_ERR(port))
		NL_SET_ERR_MSG(extack, "UDP port could not be opened");
	return port;
}

/* Returns a port that others drew just now, with a new user, or NULL. */
static struct mptun_port *mptun_port_recent(struct mptun_net *mn, u16 serves,
					    u16 number)
{
	struct mptun_port *port;

	spin_lock_bh(&mn->ports->lock);
	list_for_each_entry(port, &mn->ports->list, list)
		if (port->serves == serves && port->number != serves &&
		    port->number != number &&
		    time_before(jiffies, port->drawn + MPTUN_PORT_SHARE)) {
			port->users++;
			goto out;
		}
	port = NULL;
out:
	spin_unlock_bh(&mn->ports->lock);
	return port;
}

static struct mptun_port *mptun_port_open_any(struct mptun_net *mn, u16 serves)
{
	unsigned int left = MPTUN_PORT_DRAWS;
	struct mptun_port *port;

	lockdep_assert_held(&mn->port_mutex);
	if (mn->closed)
		return ERR_PTR(-ENONET);
	do {
		port = mptun_port_create(mn->net, 0);
	} while (port == ERR_PTR(-EADDRINUSE) && --left);
	if (IS_ERR(port))
		return port;
	port->serves = serves;
	port->drawn = jiffies;
	mptun_port_serve(mn, port);
	return port;
}

/**
 * mptun_port_draw() - get a port of the range of ephemeral ports
 * @net: transport namespace, alive
 * @serves: port of the tunnel it is for
 * @number: a port that it must not be
 *
 * Return: the port, to be released with mptun_port_put(), or an ERR_PTR.
 */
struct mptun_port *mptun_port_draw(struct net *net, u16 serves, u16 number)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_port *port;

	mutex_lock(&mn->port_mutex);
	port = mptun_port_recent(mn, serves, number);
	if (!port)
		port = mptun_port_open_any(mn, serves);
	mutex_unlock(&mn->port_mutex);
	return port;
}

/**
 * mptun_port_put() - release a port
 * @port: the port, or NULL
 */
void mptun_port_put(struct mptun_port *port)
{
	struct mptun_ports *ports;
	bool last, retired;

	if (!port)
		return;
	ports = port->ports;
	spin_lock_bh(&ports->lock);
	last = !--port->users;
	retired = last && port->open;
	if (retired)
		mptun_port_retire(port);
	spin_unlock_bh(&ports->lock);
	if (retired)
		mptun_port_close(port);
	if (!last)
		return;
	kfree_rcu(port, rcu);
	mptun_ports_put(ports);
}

/* Returns the port after @port, the first one after NULL, with a new user; NULL
 * at the end.  Releases @port.  The mutex keeps it in the list.
 */
static struct mptun_port *mptun_port_next(struct mptun_net *mn,
					  struct mptun_port *port)
{
	struct list_head *at = port ? &port->list : &mn->ports->list;
	struct mptun_port *next = NULL;

	lockdep_assert_held(&mn->port_mutex);
	spin_lock_bh(&mn->ports->lock);
	if (!list_is_last(at, &mn->ports->list)) {
		next = list_first_entry(at, struct mptun_port, list);
		next->users++;
	}
	spin_unlock_bh(&mn->ports->lock);
	mptun_port_put(port);
	return next;
}

/* Returns the sockets of a port in a VRF, or NULL. */
static struct mptun_vrf *mptun_port_vrf(const struct mptun_port *port,
					int ifindex)
{
	struct mptun_vrf *vrf;

	lockdep_assert_held(&port->ports->lock);
	list_for_each_entry(vrf, &port->vrfs, list)
		if (vrf->ifindex == ifindex)
			return vrf;
	return NULL;
}

/**
 * mptun_port_vrf_added() - open the ports of a namespace in a new VRF
 * @net: the namespace
 * @ifindex: device of the VRF
 */
void mptun_port_vrf_added(struct net *net, int ifindex)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_port *port = NULL;
	bool open;

	mutex_lock(&mn->port_mutex);
	while (!mn->closed && (port = mptun_port_next(mn, port))) {
		spin_lock_bh(&mn->ports->lock);
		open = mptun_port_vrf(port, ifindex);
		spin_unlock_bh(&mn->ports->lock);
		if (!open)
			mptun_port_enter(port, net, ifindex);
	}
	mutex_unlock(&mn->port_mutex);
}

/**
 * mptun_port_vrf_gone() - close the ports of a namespace in a VRF
 * @net: the namespace
 * @ifindex: device of the VRF
 */
void mptun_port_vrf_gone(struct net *net, int ifindex)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_port *port = NULL;
	struct mptun_vrf *vrf;

	mutex_lock(&mn->port_mutex);
	while (!mn->closed && (port = mptun_port_next(mn, port))) {
		spin_lock_bh(&mn->ports->lock);
		vrf = mptun_port_vrf(port, ifindex);
		if (vrf)
			list_del(&vrf->list);
		spin_unlock_bh(&mn->ports->lock);
		/* Packets find the port until then. */
		if (vrf)
			mptun_vrf_close(vrf);
	}
	mutex_unlock(&mn->port_mutex);
}

/* Closes one of the open ports.  Returns false if there is none. */
static bool mptun_port_close_one(struct mptun_ports *ports)
{
	struct mptun_port *port;

	spin_lock_bh(&ports->lock);
	port = list_first_entry_or_null(&ports->list, struct mptun_port, list);
	if (port) {
		port->users++;
		mptun_port_retire(port);
	}
	spin_unlock_bh(&ports->lock);
	if (!port)
		return false;
	mptun_port_close(port);
	mptun_port_put(port);
	return true;
}

/**
 * mptun_port_close_all() - close the ports of a namespace that is deleted
 * @net: the namespace
 *
 * Users keep their references, but no socket is left after this returns, and no
 * port is opened any more.  Waits for a grace period if there were sockets.
 */
void mptun_port_close_all(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	mutex_lock(&mn->port_mutex);
	mn->closed = true;
	mutex_unlock(&mn->port_mutex);
	while (mptun_port_close_one(mn->ports))
		cond_resched();
	mptun_vrf_wait(net);
}
