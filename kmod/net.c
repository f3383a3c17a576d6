// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What belongs to a network namespace that carries outer packets: its ports
 * and the ways to find a tunnel from a packet.
 *
 * A tunnel lives in two namespaces: its device can be moved, its sockets stay
 * where the device was created.  "Transport namespace" is the latter.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "net.h"
#include "notifier.h"
#include "port.h"
#include "tunnel.h"

static unsigned int mptun_net_id __read_mostly;

/**
 * mptun_net() - state of a namespace
 * @net: the namespace
 *
 * Return: our state in it.
 */
struct mptun_net *mptun_net(const struct net *net)
{
	return net_generic(net, mptun_net_id);
}

static u32 mptun_net_id_hash(u16 port, u32 id)
{
	return jhash_2words(port, id, 0);
}

/* What peers vary is left out, see mptun_assoc_key(). */
static u32 mptun_net_index_hash(u32 index)
{
	return index >> 16;
}

static bool mptun_net_index_taken(const struct mptun_net *mn, u32 index)
{
	struct mptun_tunnel *tunnel;

	hash_for_each_possible_rcu(mn->by_index, tunnel, index_node,
				   mptun_net_index_hash(index),
				   lockdep_is_held(&mn->hash_lock))
		if (tunnel->index == index)
			return true;
	return false;
}

/**
 * mptun_net_hash() - make a tunnel reachable
 * @tunnel: the tunnel; its index is chosen here
 */
void mptun_net_hash(struct mptun_tunnel *tunnel)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	do {
		tunnel->index = get_random_u32();
	} while (!tunnel->index || mptun_net_index_taken(mn, tunnel->index));
	hash_add_rcu(mn->by_index, &tunnel->index_node,
		     mptun_net_index_hash(tunnel->index));
	hash_add_rcu(mn->by_id, &tunnel->id_node,
		     mptun_net_id_hash(tunnel->config.port,
				       tunnel->config.id));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_unhash() - make a tunnel unreachable
 * @tunnel: the tunnel, may have been made unreachable before
 */
void mptun_net_unhash(struct mptun_tunnel *tunnel)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&tunnel->index_node);
	hash_del_rcu(&tunnel->id_node);
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_by_index() - find the tunnel that an answer to an INIT is for
 * @mn: state of the namespace
 * @index: receiver index of the answer
 *
 * Return: the tunnel, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_index(const struct mptun_net *mn, u32 index)
{
	struct mptun_tunnel *tunnel;

	hash_for_each_possible_rcu(mn->by_index, tunnel, index_node,
				   mptun_net_index_hash(index))
		if (tunnel->index == index)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_by_assoc() - find the tunnel a PACKET is for
 * @mn: state of the namespace
 * @index: receiver index of the packet
 *
 * Return: the tunnel, or NULL; packets of another association than the last
 * one find none.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_assoc(const struct mptun_net *mn, u32 index)
{
	struct mptun_tunnel *tunnel;

	hash_for_each_possible_rcu(mn->by_index, tunnel, index_node,
				   mptun_net_index_hash(index))
		if (READ_ONCE(tunnel->assoc.index) == index)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_by_id() - find the tunnel an INIT is for
 * @mn: state of the namespace
 * @port: local port
 * @id: number of the tunnel
 *
 * Return: the tunnel, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_id(const struct mptun_net *mn, u16 port,
				     u32 id)
{
	struct mptun_tunnel *tunnel;

	hash_for_each_possible_rcu(mn->by_id, tunnel, id_node,
				   mptun_net_id_hash(port, id))
		if (tunnel->config.port == port && tunnel->config.id == id)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_id_taken() - is there such a tunnel?
 * @mn: state of the namespace
 * @port: local port
 * @id: number of the tunnel
 *
 * Return: true if there is.
 */
bool mptun_net_id_taken(const struct mptun_net *mn, u16 port, u32 id)
{
	bool taken;

	rcu_read_lock();
	taken = mptun_net_by_id(mn, port, id);
	rcu_read_unlock();
	return taken;
}

static int __net_init mptun_net_init_one(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	hash_init(mn->by_index);
	hash_init(mn->by_id);
	spin_lock_init(&mn->hash_lock);
	INIT_LIST_HEAD(&mn->tunnels);
	INIT_LIST_HEAD(&mn->ports);
	get_random_bytes(&mn->cookie_key, sizeof(mn->cookie_key));
	mptun_notifier_net_init(net);
	return 0;
}

/* The namespace goes.  Tunnels whose device has moved elsewhere stay, without
 * a way to send or receive: first the ports are closed, then the tunnels let
 * go of the routes that nobody can ask for any more.  Nobody may look the
 * namespace up afterwards: its sockets, routes and our entry in it are about to
 * be freed.
 */
static void __net_exit mptun_net_pre_exit(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_tunnel *tunnel, *tmp;

	rtnl_lock();
	mptun_port_close_all(net);
	list_for_each_entry_safe(tunnel, tmp, &mn->tunnels, net_list)
		mptun_tunnel_detach(tunnel);
	rtnl_unlock();
}

static void __net_exit mptun_net_exit_one(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	mptun_notifier_net_exit(net);
	WARN_ON_ONCE(!list_empty(&mn->tunnels));
	WARN_ON_ONCE(!list_empty(&mn->ports));
}

static struct pernet_operations mptun_net_ops = {
	.init = mptun_net_init_one,
	.pre_exit = mptun_net_pre_exit,
	.exit = mptun_net_exit_one,
	.id = &mptun_net_id,
	.size = sizeof(struct mptun_net),
};

/**
 * mptun_net_init() - follow namespaces
 *
 * Return: 0 or a negative error.
 */
int __init mptun_net_init(void)
{
	/* As a subsystem we are there before the first device of a namespace
	 * and until after its last.
	 */
	return register_pernet_subsys(&mptun_net_ops);
}

/**
 * mptun_net_exit() - stop following namespaces
 */
void mptun_net_exit(void)
{
	unregister_pernet_subsys(&mptun_net_ops);
}
