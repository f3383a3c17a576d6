/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What belongs to a network namespace that carries outer packets: its ports
 * and the ways to find a tunnel from a packet.
 */
#ifndef _MPTUN_NET_H
#define _MPTUN_NET_H

#include <linux/hashtable.h>
#include <linux/notifier.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

struct mptun_tunnel;
struct net;

#define MPTUN_NET_HASH_BITS	10

/**
 * struct mptun_net - state of a transport namespace
 * @by_index: tunnels by the upper half of their index, RCU
 * @by_id: tunnels by port and id, RCU
 * @hash_lock: protects changes of @by_index and @by_id
 * @tunnels: all tunnels, changed under RTNL, RCU
 * @ports: all ports, protected by a lock of port.c
 * @closed: the namespace is being deleted, protected by the same
 * @cookie_key: secret from which cookies are made
 * @routes: is told of changes of routes
 * @routes_followed: @routes is registered
 * @follow: looks at the routes of all paths again
 * @followed: when it did so last, in jiffies
 */
struct mptun_net {
	/* Read mostly, for every packet received */
	DECLARE_HASHTABLE(by_index, MPTUN_NET_HASH_BITS);
	DECLARE_HASHTABLE(by_id, MPTUN_NET_HASH_BITS);

	/* Control */
	spinlock_t hash_lock; /* protects changes of by_index, by_id */
	struct list_head tunnels;
	struct list_head ports;
	bool closed;
	siphash_key_t cookie_key;

	/* Routes below, see notifier.c */
	struct notifier_block routes;
	bool routes_followed;
	struct delayed_work follow;
	unsigned long followed;
};

struct mptun_net *mptun_net(const struct net *net);

void mptun_net_hash(struct mptun_tunnel *tunnel);
void mptun_net_unhash(struct mptun_tunnel *tunnel);
bool mptun_net_id_taken(const struct mptun_net *mn, u16 port, u32 id);
struct mptun_tunnel *mptun_net_by_index(const struct mptun_net *mn, u32 index);
struct mptun_tunnel *mptun_net_by_assoc(const struct mptun_net *mn, u32 index);
struct mptun_tunnel *mptun_net_by_id(const struct mptun_net *mn, u16 port,
				     u32 id);

int mptun_net_init(void);
void mptun_net_exit(void);

#endif /* _MPTUN_NET_H */
