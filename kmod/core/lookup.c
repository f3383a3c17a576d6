// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Look-ups: the tunnel, session or key that a packet is for.
 *
 * All tables belong to a transport namespace: a tunnel lives in two namespaces,
 * its device can be moved, its sockets stay where the device was created.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/unaligned.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "core/lookup.h"
#include "core/tunnel.h"

unsigned int mptun_net_id __read_mostly;

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

static u32 mptun_net_key_hash(u16 port, const u8 *id)
{
	return jhash_2words(get_unaligned_be32(id), port, 0);
}

/* Indices are random already. */
static u32 mptun_net_index_hash(u32 index)
{
	return index;
}

/**
 * mptun_net_session() - find the session a PACKET is for
 * @mn: state of the namespace
 * @index: receiver index of the packet
 *
 * Return: the session, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_session *mptun_net_session(const struct mptun_net *mn, u32 index)
{
	struct mptun_session *session;

	hash_for_each_possible_rcu(mn->by_session, session, node,
				   mptun_net_index_hash(index),
				   lockdep_is_held(&mn->hash_lock))
		if (session->index == index)
			return session;
	return NULL;
}

/**
 * mptun_net_by_initiator() - find the tunnel an answer to an INIT is for
 * @mn: state of the namespace
 * @index: receiver index of the answer
 *
 * Return: the tunnel, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_tunnel *mptun_net_by_initiator(const struct mptun_net *mn,
					  u32 index)
{
	struct mptun_tunnel *tunnel;

	hash_for_each_possible_rcu(mn->by_attempt, tunnel, initiator.node,
				   mptun_net_index_hash(index),
				   lockdep_is_held(&mn->hash_lock))
		if (READ_ONCE(tunnel->initiator.index) == index)
			return tunnel;
	return NULL;
}

/**
 * mptun_net_key() - find the key an INIT is made with
 * @mn: state of the namespace
 * @port: local port
 * @id: what the INIT says, MPTUN_KEY_ID_LEN bytes
 *
 * Return: the key, or NULL.  Valid under rcu_read_lock().
 */
struct mptun_key *mptun_net_key(const struct mptun_net *mn, u16 port,
				const u8 *id)
{
	struct mptun_key *key;

	hash_for_each_possible_rcu(mn->by_key, key, node,
				   mptun_net_key_hash(port, id),
				   lockdep_is_held(&mn->hash_lock))
		if (key->port == port &&
		    !memcmp(key->secret.id, id, MPTUN_KEY_ID_LEN))
			return key;
	return NULL;
}

static bool mptun_net_index_free(const struct mptun_net *mn, u32 index)
{
	return index && !mptun_net_session(mn, index) &&
	       !mptun_net_by_initiator(mn, index);
}

/**
 * mptun_net_index() - choose an index
 * @mn: state of the namespace
 *
 * Return: one by which nothing is known.
 */
u32 mptun_net_index(struct mptun_net *mn)
{
	u32 index;

	spin_lock_bh(&mn->hash_lock);
	do {
		index = get_random_u32();
	} while (!mptun_net_index_free(mn, index));
	spin_unlock_bh(&mn->hash_lock);
	return index;
}

/**
 * mptun_net_hash_session() - make a session reachable
 * @session: the session
 */
void mptun_net_hash_session(struct mptun_session *session)
{
	struct mptun_net *mn = mptun_net(session->tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_add_rcu(mn->by_session, &session->node,
		     mptun_net_index_hash(session->index));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_unhash_session() - make a session unreachable
 * @session: the session
 */
void mptun_net_unhash_session(struct mptun_session *session)
{
	struct mptun_net *mn = mptun_net(session->tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&session->node);
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_hash_initiator() - make an attempt reachable, in place of the last
 * @tunnel: the tunnel
 * @index: index of the attempt, 0 for none
 */
void mptun_net_hash_initiator(struct mptun_tunnel *tunnel, u32 index)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	/* A reader on its way through the chain may miss an answer. */
	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&tunnel->initiator.node);
	WRITE_ONCE(tunnel->initiator.index, index);
	if (index)
		hash_add_rcu(mn->by_attempt, &tunnel->initiator.node,
			     mptun_net_index_hash(index));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_hash_key() - make a key reachable
 * @key: the key
 *
 * Return: false if another tunnel of the port has the same.
 */
bool mptun_net_hash_key(struct mptun_key *key)
{
	struct mptun_net *mn = mptun_net(key->tunnel->net);
	bool good;

	spin_lock_bh(&mn->hash_lock);
	good = !mptun_net_key(mn, key->port, key->secret.id);
	if (good)
		hash_add_rcu(mn->by_key, &key->node,
			     mptun_net_key_hash(key->port, key->secret.id));
	spin_unlock_bh(&mn->hash_lock);
	return good;
}

/**
 * mptun_net_unhash_key() - make a key unreachable
 * @key: the key
 */
void mptun_net_unhash_key(struct mptun_key *key)
{
	struct mptun_net *mn = mptun_net(key->tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&key->node);
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_hash_id() - make a tunnel in clear mode reachable
 * @tunnel: the tunnel
 */
void mptun_net_hash_id(struct mptun_tunnel *tunnel)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_add_rcu(mn->by_id, &tunnel->id_node,
		     mptun_net_id_hash(tunnel->config.port,
				       tunnel->config.id));
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_unhash_id() - make a tunnel unreachable by its number
 * @tunnel: the tunnel, possibly not reachable so
 */
void mptun_net_unhash_id(struct mptun_tunnel *tunnel)
{
	struct mptun_net *mn = mptun_net(tunnel->net);

	spin_lock_bh(&mn->hash_lock);
	hash_del_rcu(&tunnel->id_node);
	spin_unlock_bh(&mn->hash_lock);
}

/**
 * mptun_net_by_id() - find the tunnel an INIT is for
 * @mn: state of the namespace
 * @port: local port
 * @id: number of the tunnel, in clear mode
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
