// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Look-ups: the tunnel, session or key of a packet.
 *
 * The tables belong to the transport namespace, where the sockets of a tunnel
 * stay even if its device is moved to another one.  They are read under RCU and
 * changed under mptun_net.hash_lock.  They exist while the namespace has
 * tunnels: there are namespaces by thousands, and few have any.
 */
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "base/pool.h"
#include "core/lookup.h"
#include "core/tunnel.h"

unsigned int mptun_net_id __read_mostly;

static struct mptun_pool mptun_pool_all;

/**
 * mptun_net() - get the state of a namespace
 * @net: the namespace
 *
 * Return: its state.
 */
struct mptun_net *mptun_net(const struct net *net)
{
	return net_generic(net, mptun_net_id);
}

/**
 * mptun_net_pool_setup() - limit the memory of packets that wait on the machine
 */
void mptun_net_pool_setup(void)
{
	mptun_pool_init(&mptun_pool_all, NULL,
			totalram_pages() / MPTUN_POOL_ALL << PAGE_SHIFT);
}

/**
 * mptun_net_pool_put() - release the pool of a namespace
 * @pool: the pool, or NULL
 */
void mptun_net_pool_put(struct mptun_pool *pool)
{
	if (!pool || !refcount_dec_and_test(&pool->refs))
		return;
	WARN_ON_ONCE(atomic_long_read(&pool->bytes));
	kfree(pool);
}

/**
 * mptun_net_open() - allocate the tables and the pool of a namespace
 * @mn: state of the namespace, about to get a tunnel
 *
 * Users who administrate a namespace of their own get a part of the machine's
 * pool.
 *
 * Return: 0, also if there are tables already, or -ENOMEM.
 */
int mptun_net_open(struct mptun_net *mn)
{
	long limit = mptun_pool_all.limit;
	struct mptun_net_tables *tables;

	ASSERT_RTNL();
	if (rtnl_dereference(mn->tables))
		return 0;
	tables = kvzalloc(sizeof(*tables), GFP_KERNEL_ACCOUNT);
	if (!tables)
		return -ENOMEM;
	mn->pool = kzalloc(sizeof(*mn->pool), GFP_KERNEL_ACCOUNT);
	if (!mn->pool) {
		kvfree(tables);
		return -ENOMEM;
	}
	if (mn->net->user_ns != &init_user_ns)
		limit /= MPTUN_POOL_USER;
	mptun_pool_init(mn->pool, &mptun_pool_all, limit);
	hash_init(tables->by_session);
	hash_init(tables->by_attempt);
	hash_init(tables->by_key);
	hash_init(tables->by_id);
	mptun_ratelimit_init(&tables->ratelimit);
	rcu_assign_pointer(mn->tables, tables);
	return 0;
}

/**
 * mptun_net_close() - free the tables of a namespace without tunnels
 * @mn: state of the namespace
 */
void mptun_net_close(struct mptun_net *mn)
{
	struct mptun_net_tables *tables;

	ASSERT_RTNL();
	if (!list_empty(&mn->tunnels))
		return;
	tables = rcu_replace_pointer(mn->tables, NULL, true);
	if (tables)
		kvfree_rcu(tables, rcu);
	mptun_net_pool_put(mn->pool);
	mn->pool = NULL;
}

/* Returns NULL without tunnels, while the last packets arrive. */
static struct mptun_net_tables *mptun_net_tables_of(const struct mptun_net *mn)
{
	return rcu_dereference_check(mn->tables,
				     lockdep_is_held(&mn->hash_lock));
}

/**
 * mptun_net_ratelimit() - get the rate limits of handshakes
 * @mn: state of the namespace
 *
 * Return: the limits, or NULL without tunnels.  Valid under rcu_read_lock().
 */
struct mptun_ratelimit *mptun_net_ratelimit(const struct mptun_net *mn)
{
	struct mptun_net_tables *tables = mptun_net_tables_of(mn);

	return tables ? &tables->ratelimit : NULL;
}

static atomic_t *mptun_net_followed(struct mptun_net_tables *tables, u32 key)
{
	return &tables->followed[hash_32(key, MPTUN_NET_FOLLOWED_BITS)];
}

/**
 * mptun_net_follow() - count what a path depends on
 * @mn: state of the namespace, with tunnels
 * @on: what it depends on
 * @by: 1, or -1 if it no longer does
 */
void mptun_net_follow(const struct mptun_net *mn,
		      const struct mptun_followed *on, int by)
{
	struct mptun_net_tables *tables;

	if (!on->counted)
		return;
	rcu_read_lock();
	tables = mptun_net_tables_of(mn);
	atomic_add(by, mptun_net_followed(tables, on->ifindex[0]));
	atomic_add(by, mptun_net_followed(tables, on->ifindex[1]));
	atomic_add(by, mptun_net_followed(tables, on->source));
	if (on->adrift)
		atomic_add(by, &tables->adrift);
	rcu_read_unlock();
}

/**
 * mptun_net_follows() - check whether a device or address may concern a path
 * @mn: state of the namespace
 * @change: the change
 *
 * The time this takes does not depend on the number of paths.
 *
 * Return: false if no path depends on it; true for all routes.
 */
bool mptun_net_follows(const struct mptun_net *mn,
		       const struct mptun_change *change)
{
	struct mptun_net_tables *tables;
	bool follows = false;
	u32 addr;

	if (change->kind == MPTUN_CHANGE_ANY ||
	    change->kind == MPTUN_CHANGE_ROUTE)
		return true;
	rcu_read_lock();
	tables = mptun_net_tables_of(mn);
	if (tables) {
		addr = mptun_change_addr_hash(&change->addr);
		follows = atomic_read(&tables->adrift) ||
			  atomic_read(mptun_net_followed(tables,
							 change->ifindex)) ||
			  (change->kind == MPTUN_CHANGE_ADDRESS &&
			   atomic_read(mptun_net_followed(tables, addr)));
	}
	rcu_read_unlock();
	return follows;
}

static u32 mptun_net_id_hash(u16 port, u32 id)
{
	return jhash_2words(port, id, 0);
}

static u32 mptun_net_key_hash(u16 port, const u8 *id)
{
	return jhash_2words(get_unaligned_be32(id), port, 0);
}

/* Indices are random. */
static u32 mptun_net_index_hash(u32 index)
{
	return index;
}

/**
 * mptun_net_session() - find the session of a PACKET
 * @mn: state of the namespace
 * @index: receiver index of the packet
 *
 * Return: the session, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_session *mptun_net_session(const struct mptun_net *mn, u32 index)
{
	struct mptun_net_tables *tables = mptun_net_tables_of(mn);
	struct mptun_session *session;

	if (!tables)
		return NULL;
	hash_for_each_possible_rcu(tables->by_session, session, node,
				   mptun_net_index_hash(index),
				   lockdep_is_held(&mn->hash_lock))
		if (session->index == index)
			return session;
	return NULL;
}

/**
 * mptun_net_by_initiator() - find the tunnel whose INIT was answered
 * @mn: state of the namespace
 * @index: receiver index of the answer
 *
 * Return: the tunnel, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_initiator(const struct mptun_net *mn,
					    u32 index)
{
	struct mptun_net_tables *tables = mptun_net_tables_of(mn);
	struct mptun_tunnel *tunnel;

	if (!tables)
		return NULL;
	hash_for_each_possible_rcu(tables->by_attempt, tunnel, initiator.node,
				   mptun_net_index_hash(index),
				   lockdep_is_held(&mn->hash_lock))
		if (READ_ONCE(tunnel->initiator.index) == index)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_key() - find the key of an INIT
 * @mn: state of the namespace
 * @port: local port
 * @id: key id of the INIT, MPTUN_KEY_ID_LEN bytes
 *
 * Return: the key, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_key *mptun_net_key(const struct mptun_net *mn, u16 port,
				const u8 *id)
{
	struct mptun_net_tables *tables = mptun_net_tables_of(mn);
	struct mptun_key *key;

	if (!tables)
		return NULL;
	hash_for_each_possible_rcu(tables->by_key, key, node,
				   mptun_net_key_hash(port, id),
				   lockdep_is_held(&mn->hash_lock))
		if (key->port == port &&
		    !memcmp(key->secret.id, id, MPTUN_KEY_ID_LEN))
			return key;
	return NULL;
}

/**
 * mptun_net_index() - select a free index
 * @mn: state of the namespace
 *
 * Return: the index, not 0.
 */
u32 mptun_net_index(struct mptun_net *mn)
{
	u32 index;

	spin_lock_bh(&mn->hash_lock);
	do {
		index = get_random_u32();
	} while (!index || mptun_net_session(mn, index) ||
		 mptun_net_by_initiator(mn, index));
	spin_unlock_bh(&mn->hash_lock);
	return index;
}

/**
 * mptun_net_hash_session() - add a session to the table
 * @session: the session
 */
void mptun_net_hash_session(struct mptun_session *session)
{
	struct mptun_net *mn = mptun_net(session->tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_add_rcu(mptun_net_tables_of(mn)->by_session, &session->node,
		     mptun_net_index_hash(session->index));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_hash_initiator() - replace the attempt of a tunnel in the table
 * @tunnel: the tunnel
 * @index: index of the new attempt, 0 for none
 */
void mptun_net_hash_initiator(struct mptun_tunnel *tunnel, u32 index)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	lockdep_assert_held(&tunnel->lock);
	/* A reader in the chain may miss the node; the INIT is repeated. */
	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&tunnel->initiator.node);
	WRITE_ONCE(tunnel->initiator.index, index);
	if (index)
		hash_add_rcu(mptun_net_tables_of(mn)->by_attempt,
			     &tunnel->initiator.node,
			     mptun_net_index_hash(index));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_hash_key() - add a key to the table
 * @key: the key
 *
 * Return: false if another tunnel of the port has the same key.
 */
bool mptun_net_hash_key(struct mptun_key *key)
{
	struct mptun_net *mn = mptun_net(key->tunnel->net);
	bool good;

	spin_lock_bh(&mn->hash_lock);
	good = !mptun_net_key(mn, key->port, key->secret.id);
	if (good)
		hash_add_rcu(mptun_net_tables_of(mn)->by_key, &key->node,
			     mptun_net_key_hash(key->port, key->secret.id));
	spin_unlock_bh(&mn->hash_lock);
	return good;
}

/**
 * mptun_net_hash_id() - add a tunnel to the table of ids
 * @tunnel: the tunnel, in clear mode
 */
void mptun_net_hash_id(struct mptun_tunnel *tunnel)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_add_rcu(mptun_net_tables_of(mn)->by_id, &tunnel->id_node,
		     mptun_net_id_hash(tunnel->config.port,
				       tunnel->config.id));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_unhash() - remove a node from its table
 * @tunnel: tunnel of the node
 * @node: the node, possibly in no table
 */
void mptun_net_unhash(const struct mptun_tunnel *tunnel,
		      struct hlist_node *node)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(node);
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_by_id() - find the tunnel of an INIT in clear mode
 * @mn: state of the namespace
 * @port: local port
 * @id: id of the tunnel
 *
 * Return: the tunnel, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_id(const struct mptun_net *mn, u16 port,
				     u32 id)
{
	struct mptun_net_tables *tables = mptun_net_tables_of(mn);
	struct mptun_tunnel *tunnel;

	if (!tables)
		return NULL;
	hash_for_each_possible_rcu(tables->by_id, tunnel, id_node,
				   mptun_net_id_hash(port, id))
		if (tunnel->config.port == port && tunnel->config.id == id)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_id_taken() - check whether an id is in use
 * @mn: state of the namespace
 * @port: local port
 * @id: id of the tunnel
 *
 * Return: true if it is.
 */
bool mptun_net_id_taken(const struct mptun_net *mn, u16 port, u32 id)
{
	bool taken;

	rcu_read_lock();
	taken = mptun_net_by_id(mn, port, id);
	rcu_read_unlock();
	return taken;
}
