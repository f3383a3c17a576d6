// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Namespaces: setup and teardown of the state of a transport namespace.
 */
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "core/lookup.h"
#include "core/tunnel.h"
#include "crypto/cookie.h"
#include "ctl/ctl.h"
#include "path/path.h"
#include "rx/rx.h"
#include "transport/transport.h"

static int __net_init mptun_net_init_one(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	mn->ports = mptun_ports_new();
	if (!mn->ports)
		return -ENOMEM;
	mn->net = net;
	spin_lock_init(&mn->hash_lock);
	INIT_LIST_HEAD(&mn->tunnels);
	mutex_init(&mn->port_mutex);
	mn->encap_rcv = mptun_recv;
	mn->encap_err = mptun_icmp;
	mptun_cookies_init(&mn->cookies);
	mptun_notifier_net_init(mn);
	INIT_WORK(&mn->mtu_work, mptun_mtu_work);
	return 0;
}

/* Tunnels whose device has moved to another namespace survive, but cannot send
 * or receive.  The ports are closed first, so that no route is in use when it
 * is dropped.  Afterwards tunnels must not refer to the namespace: its sockets,
 * routes and our state are about to be freed.
 */
static void __net_exit mptun_net_pre_exit(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);
	struct mptun_tunnel *tunnel, *tmp;
	LIST_HEAD(dead);

	mptun_port_close_all(net);
	/* It gets no more tunnels.  One that is just being deleted has gone
	 * when the core deletes the devices of the namespace under RTNL, before
	 * mptun_net_exit_one().
	 */
	if (list_empty_careful(&mn->tunnels))
		return;
	rtnl_lock();
	list_for_each_entry_safe(tunnel, tmp, &mn->tunnels, net_list)
		mptun_tunnel_detach(tunnel, &dead);
	rtnl_unlock();
	mptun_delete_free(&dead);
}

static void __net_exit mptun_net_exit_one(struct net *net)
{
	struct mptun_net *mn = mptun_net(net);

	mptun_notifier_net_exit(mn);
	cancel_work_sync(&mn->mtu_work);
	mptun_cookies_forget(&mn->cookies);
	WARN_ON_ONCE(!list_empty(&mn->tunnels));
	WARN_ON_ONCE(rcu_access_pointer(mn->tables));
	WARN_ON_ONCE(!list_empty(&mn->ports->list));
	WARN_ON_ONCE(atomic_read(&mn->n_vrfs));
	mptun_ports_put(mn->ports);
}

static struct pernet_operations mptun_net_ops = {
	.init = mptun_net_init_one,
	.pre_exit = mptun_net_pre_exit,
	.exit = mptun_net_exit_one,
	.id = &mptun_net_id,
	.size = sizeof(struct mptun_net),
};

/**
 * mptun_net_init() - register for all namespaces
 *
 * Return: 0 or a negative error.
 */
int __init mptun_net_init(void)
{
	mptun_net_pool_setup();
	/* A subsystem is set up before the first device of a namespace and torn
	 * down after the last one.
	 */
	return register_pernet_subsys(&mptun_net_ops);
}

/**
 * mptun_net_exit() - undo mptun_net_init()
 */
void mptun_net_exit(void)
{
	unregister_pernet_subsys(&mptun_net_ops);
}
