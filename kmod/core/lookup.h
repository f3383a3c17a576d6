/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * State of a network namespace that carries outer packets: its ports, and the
 * tables that map a packet to its tunnel.
 */
#ifndef _MPTUN_LOOKUP_H
#define _MPTUN_LOOKUP_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/change.h"
#include "crypto/cookie.h"
#include "crypto/ratelimit.h"

struct mptun_key;
struct mptun_pool;
struct mptun_session;
struct mptun_tunnel;
struct net;
struct sk_buff;
struct sock;

#define MPTUN_NET_HASH_BITS	10
#define MPTUN_NET_ATTEMPT_BITS	8
#define MPTUN_NET_FOLLOWED_BITS	8

/**
 * struct mptun_net_tables - what a namespace with tunnels needs
 * @by_session: sessions by their index, RCU
 * @by_key: keys by port and id, RCU
 * @by_id: tunnels in clear mode by port and id, RCU
 * @by_attempt: tunnels by the index of their attempt to open a session, RCU
 * @ratelimit: rate limits of handshakes
 * @followed: number of paths that depend on a device or source address, by a
 *	hash of it
 * @adrift: number of paths that any device or address may concern
 * @rcu: for kvfree_rcu()
 */
struct mptun_net_tables {
	struct rcu_head rcu;

	/* Read mostly, for every packet received */
	DECLARE_HASHTABLE(by_session, MPTUN_NET_HASH_BITS);

	/* Control */
	DECLARE_HASHTABLE(by_key, MPTUN_NET_HASH_BITS);
	DECLARE_HASHTABLE(by_id, MPTUN_NET_HASH_BITS);
	DECLARE_HASHTABLE(by_attempt, MPTUN_NET_ATTEMPT_BITS);
	struct mptun_ratelimit ratelimit;
	atomic_t followed[1 << MPTUN_NET_FOLLOWED_BITS];
	atomic_t adrift;
};

/**
 * struct mptun_ports - the ports of a namespace, which may outlive it
 * @lock: protects @list, and the users and sockets of each port
 * @list: open ports
 * @closing: ports whose sockets are being closed
 * @refs: the namespace, and each port
 *
 * One lock for each namespace: a user who has many VRFs in their own must not
 * hold up the ports of others.
 */
struct mptun_ports {
	spinlock_t lock; /* protects @list, users and sockets of ports */
	struct list_head list;
	atomic_t closing;
	refcount_t refs;
};

/**
 * struct mptun_net - state of a transport namespace
 * @net: the namespace
 * @tables: NULL without tunnels, changed under RTNL, RCU
 * @pool: memory of packets that wait, while there are tables; held
 * @hash_lock: protects changes of what is in the tables
 * @tunnels: all tunnels, changed under RTNL, RCU
 * @ports: its ports, held
 * @n_vrfs: sets of sockets (transport/vrf.c) that are not yet released
 * @port_mutex: held while a port is opened, and while its VRFs change
 * @closed: the namespace is being deleted, protected by @port_mutex
 * @encap_rcv: receive function of the ports
 * @encap_err: receives ICMP errors about their packets
 * @cookies: secrets of cookies
 * @icmp_ns: when the next ICMP message is looked at (rx/icmp.c)
 * @routes: notifier of changes of routes
 * @routes_registered: @routes is registered
 * @change_lock: protects @changes and @n_changes
 * @changes: changes for @route_work
 * @n_changes: their number
 * @route_work: registers @routes while there are tunnels, and checks the routes
 *	of the paths that changes concern
 * @routes_checked: when it last ran, in jiffies
 * @mtu_work: applies the MTUs that tunnels have chosen, see ctl/mtu.c
 */
struct mptun_net {
	struct net *net;
	struct mptun_net_tables __rcu *tables;
	struct mptun_pool *pool;
	spinlock_t hash_lock; /* protects changes of what is in the tables */
	struct list_head tunnels;
	struct mptun_ports *ports;
	atomic_t n_vrfs;
	struct mutex port_mutex; /* held while a port is opened */
	bool closed;
	int (*encap_rcv)(struct sock *sk, struct sk_buff *skb);
	int (*encap_err)(struct sock *sk, struct sk_buff *skb);
	struct mptun_cookies cookies;

	atomic64_t icmp_ns;

	/* Routes below, see ctl/notifier.c */
	struct notifier_block routes;
	bool routes_registered;
	spinlock_t change_lock; /* protects the next two */
	struct mptun_change changes[MPTUN_CHANGES_MAX + 1];
	unsigned int n_changes;
	struct delayed_work route_work;
	unsigned long routes_checked;

	struct work_struct mtu_work;
};

extern unsigned int mptun_net_id;

void mptun_net_pool_setup(void);
void mptun_net_pool_put(struct mptun_pool *pool);

struct mptun_net *mptun_net(const struct net *net);
int mptun_net_open(struct mptun_net *mn);
void mptun_net_close(struct mptun_net *mn);
struct mptun_ratelimit *mptun_net_ratelimit(const struct mptun_net *mn);

void mptun_net_follow(const struct mptun_net *mn,
		      const struct mptun_followed *on, int by);
bool mptun_net_follows(const struct mptun_net *mn,
		       const struct mptun_change *change);

u32 mptun_net_index(struct mptun_net *mn);
void mptun_net_hash_session(struct mptun_session *session);
void mptun_net_hash_initiator(struct mptun_tunnel *tunnel, u32 index);
bool mptun_net_hash_key(struct mptun_key *key);
void mptun_net_hash_id(struct mptun_tunnel *tunnel);
void mptun_net_unhash(const struct mptun_tunnel *tunnel,
		      struct hlist_node *node);
bool mptun_net_id_taken(const struct mptun_net *mn, u16 port, u32 id);
struct mptun_session *mptun_net_session(const struct mptun_net *mn, u32 index);
struct mptun_tunnel *mptun_net_by_initiator(const struct mptun_net *mn,
					    u32 index);
struct mptun_key *mptun_net_key(const struct mptun_net *mn, u16 port,
				const u8 *id);
struct mptun_tunnel *mptun_net_by_id(const struct mptun_net *mn, u16 port,
				     u32 id);

#endif /* _MPTUN_LOOKUP_H */
