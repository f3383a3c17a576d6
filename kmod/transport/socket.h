/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Ports: the UDP sockets, shared by all tunnels of a namespace that use the
 * same port number.
 */
#ifndef _MPTUN_PORT_H
#define _MPTUN_PORT_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <net/net_namespace.h>

#include "base/stats.h"

/**
 * struct mptun_port - a pair of UDP sockets
 * @sock4: IPv4 socket, NULL once the namespace is being deleted
 * @sock6: IPv6 socket, NULL likewise or where there is no IPv6
 * @number: UDP port, host byte order
 * @users: endpoints and tunnels, protected by a lock of transport/socket.c
 * @list: entry in mptun_net.ports
 * @drops: packets dropped before their tunnel was known
 * @rcu: frees the port after its last reader
 */
struct mptun_port {
	struct sock __rcu *sock4;
	struct sock __rcu *sock6;
	u16 number;

	unsigned int users;
	struct list_head list;
	struct mptun_drops drops;
	struct rcu_head rcu;
};

struct netlink_ext_ack;

struct mptun_port *mptun_port_get(struct net *net, u16 number,
				  struct netlink_ext_ack *extack);
void mptun_port_put(struct mptun_port *port);
void mptun_port_close_all(struct net *net);

#endif /* _MPTUN_PORT_H */
