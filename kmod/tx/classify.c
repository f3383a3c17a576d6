// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classification: the class of a packet, and what it means for its path.
 *
 * What is sent is matched on any processor, so the classes are read under RCU:
 * a change replaces all of them.  A packet keeps the number of its class until
 * it is placed; should the class be gone by then it goes as class 0 does.
 */
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <net/dsfield.h>
#include <net/ip.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/**
 * mptun_classify_init() - give a tunnel the classes that it begins with
 * @tunnel: the tunnel
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_classify_init(struct mptun_tunnel *tunnel)
{
	struct mptun_classes *classes = kzalloc(sizeof(*classes), GFP_KERNEL);

	if (!classes)
		return -ENOMEM;
	mptun_class_list_init(&classes->list);
	rcu_assign_pointer(tunnel->classes, classes);
	return 0;
}

/**
 * mptun_classify_destroy() - free the classes of a tunnel
 * @tunnel: the tunnel, which sends nothing any more
 *
 * Somebody may still ask for the queue of a packet, who looked whether the
 * device is up before he waited for memory.
 */
void mptun_classify_destroy(struct mptun_tunnel *tunnel)
{
	struct mptun_classes *classes;

	classes = rcu_replace_pointer(tunnel->classes, NULL, true);
	if (classes)
		kfree_rcu(classes, rcu);
}

/**
 * mptun_classify_list() - the classes of a tunnel
 * @tunnel: the tunnel, its mutex held or under RCU
 *
 * Return: the classes.
 */
const struct mptun_class_list *
mptun_classify_list(const struct mptun_tunnel *tunnel)
{
	const struct mptun_classes *classes;

	classes = rcu_dereference_check(tunnel->classes,
					lockdep_is_held(&tunnel->lock));
	return &classes->list;
}

/**
 * mptun_classify_change() - add, change or remove a class
 * @tunnel: the tunnel
 * @id: number of the class
 * @class: its settings, NULL to remove it, which must not be class 0
 *
 * The counters of a new class begin at zero.
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int mptun_classify_change(struct mptun_tunnel *tunnel, unsigned int id,
			  const struct mptun_class *class)
{
	struct mptun_classes *classes, *old;
	bool is_new;

	lockdep_assert_held(&tunnel->lock);
	old = rcu_dereference_protected(tunnel->classes,
					lockdep_is_held(&tunnel->lock));
	classes = kmemdup(old, sizeof(*classes), GFP_KERNEL);
	if (!classes)
		return -ENOMEM;
	is_new = class && !mptun_class_there(&old->list, id);
	if (class)
		mptun_class_put(&classes->list, id, class);
	else
		mptun_class_remove(&classes->list, id);

	spin_lock_bh(&tunnel->tx.lock);
	if (is_new)
		memset(&tunnel->tx.classes[id], 0,
		       sizeof(tunnel->tx.classes[id]));
	rcu_assign_pointer(tunnel->classes, classes);
	spin_unlock_bh(&tunnel->tx.lock);
	kfree_rcu(old, rcu);
	tunnel->generation++;
	return 0;
}

static bool mptun_classify_has_ports(u8 protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
		return true;
	default:
		return false;
	}
}

/* Both ports stand first in all headers that have them. */
static void mptun_classify_ports(const struct sk_buff *skb, int at,
				 struct mptun_class_key *key)
{
	const __be16 *ports;
	__be16 room[2];

	if (!mptun_classify_has_ports(key->protocol))
		return;
	ports = skb_header_pointer(skb, at, sizeof(room), room);
	if (!ports)
		return;
	key->source = be16_to_cpu(ports[0]);
	key->dest = be16_to_cpu(ports[1]);
}

static void mptun_classify_v4(const struct sk_buff *skb,
			      struct mptun_class_key *key, bool ports)
{
	int at = skb_network_offset(skb);
	const struct iphdr *ip;
	struct iphdr room;

	ip = skb_header_pointer(skb, at, sizeof(room), &room);
	if (!ip)
		return;
	key->dscp = ipv4_get_dsfield(ip) >> 2;
	key->protocol = ip->protocol;
	/* A later fragment has none. */
	if (ports && !(ip->frag_off & htons(IP_OFFSET)))
		mptun_classify_ports(skb, at + ip->ihl * 4, key);
}

/* Extension headers are taken for the protocol: few packets have any. */
static void mptun_classify_v6(const struct sk_buff *skb,
			      struct mptun_class_key *key, bool ports)
{
	int at = skb_network_offset(skb);
	const struct ipv6hdr *ip;
	struct ipv6hdr room;

	ip = skb_header_pointer(skb, at, sizeof(room), &room);
	if (!ip)
		return;
	key->dscp = ipv6_get_dsfield(ip) >> 2;
	key->protocol = ip->nexthdr;
	if (ports)
		mptun_classify_ports(skb, at + sizeof(*ip), key);
}

static void mptun_classify_key(const struct sk_buff *skb,
			       struct mptun_class_key *key, bool ports)
{
	if (skb->protocol == htons(ETH_P_IP))
		mptun_classify_v4(skb, key, ports);
	else if (skb->protocol == htons(ETH_P_IPV6))
		mptun_classify_v6(skb, key, ports);
}

/**
 * mptun_classify() - which class does a packet belong to?
 * @tunnel: the tunnel
 * @skb: a packet of the stack, possibly GSO
 * @order: set to whether the receiver puts it in order, unless it is NULL
 * @repair: set to whether it is sent again if it is lost, unless it is NULL
 *
 * Return: number of the class.
 */
u8 mptun_classify(const struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		  bool *order, bool *repair)
{
	struct mptun_class_key key = { .mark = skb->mark };
	const struct mptun_classes *classes;
	u8 class = 0;

	rcu_read_lock();
	classes = rcu_dereference(tunnel->classes);
	/* They go before the device does. */
	if (classes) {
		mptun_classify_key(skb, &key, classes->list.ports);
		class = mptun_class_match(&classes->list, &key);
		if (order)
			*order = classes->list.class[class].order;
		if (repair)
			*repair = classes->list.class[class].repair;
	}
	rcu_read_unlock();
	return class;
}

/**
 * mptun_classify_queued() - the class of a packet that is in a queue
 * @tunnel: the tunnel
 * @q: which of the device's queues it is from
 * @skb: the packet, possibly GSO
 * @order: set to whether the receiver puts it in order
 * @repair: set to whether it is retransmitted if it is lost
 *
 * Its class chose the queue (mptun_queue_select()): all that is in queue 0 of
 * several is of class 0, and need not be classified again.
 *
 * Return: number of the class.
 */
u8 mptun_classify_queued(const struct mptun_tunnel *tunnel, u16 q,
			 const struct sk_buff *skb, bool *order, bool *repair)
{
	const struct mptun_class *class;

	if (q || tunnel->tx.n_queues == 1)
		return mptun_classify(tunnel, skb, order, repair);
	rcu_read_lock();
	class = &mptun_classify_list(tunnel)->class[0];
	*order = class->order;
	*repair = class->repair;
	rcu_read_unlock();
	return 0;
}

/**
 * mptun_classify_of() - settings of the class of a packet
 * @tunnel: the tunnel
 * @skb: a packet that has been classified; NULL for class 0
 *
 * Return: the settings, valid under RCU.
 */
const struct mptun_class *
mptun_classify_of(const struct mptun_tunnel *tunnel,
		  const struct sk_buff *skb)
{
	unsigned int id = skb ? mptun_tx_cb(skb)->class : 0;

	return &mptun_classify_list(tunnel)->class[id];
}

/* Where among the candidates is the path of this name? */
static int mptun_classify_find(const struct mptun_tx *tx, unsigned int n,
			       const char *name)
{
	while (n--)
		if (!strcmp(tx->cand_path[n]->config.name, name))
			return n;
	return -1;
}

/* Paths that rest, because of what they lose, are for this packet as well. */
static void mptun_classify_use_all(struct mptun_tx *tx, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		tx->cand[i].rests = false;
}

/**
 * mptun_classify_cands() - leave the paths that the class of a packet is not
 *	pinned to, and let it use those that rest for others
 * @tunnel: the tunnel, its mptun_tx.cand listed
 * @skb: the packet, NULL for any of class 0
 * @n: number of candidates
 * @packet_mtu: size of the packet
 *
 * Return: number of candidates that remain.
 */
unsigned int mptun_classify_cands(struct mptun_tunnel *tunnel,
				  const struct sk_buff *skb, unsigned int n,
				  u32 packet_mtu)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);
	struct mptun_tx *tx = &tunnel->tx;
	int at;

	lockdep_assert_held(&tx->lock);
	if (!mptun_class_avoids(class))
		mptun_classify_use_all(tx, n);
	if (class->policy != MPTUN_CLASS_POLICY_PIN)
		return n;
	at = mptun_classify_find(tx, n, class->path);
	if (!mptun_class_pins(class, tx->cand, n, at, packet_mtu))
		return class->strict ? 0 : n;
	swap(tx->cand[0], tx->cand[at]);
	swap(tx->cand_path[0], tx->cand_path[at]);
	return 1;
}

/**
 * mptun_classify_pick() - choose a path for a packet as its class says
 * @tunnel: the tunnel
 * @skb: the packet, NULL for any of class 0
 * @n: number of candidates
 * @bytes: room it needs
 * @packet_mtu: its size as an inner packet
 *
 * Return: as mptun_sched_pick().
 */
int mptun_classify_pick(struct mptun_tunnel *tunnel,
			const struct sk_buff *skb, unsigned int n, u32 bytes,
			u32 packet_mtu)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);
	unsigned int id = skb ? mptun_tx_cb(skb)->class : 0;
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	return mptun_class_pick(class, &tx->classes[id], &tx->sched, tx->cand,
				n, bytes, packet_mtu);
}

/**
 * mptun_classify_drop() - drop a packet that has been classified and not placed
 * @tunnel: the tunnel
 * @skb: the packet, possibly a GSO packet that is placed in part
 * @reason: MPTUN_A_DROP_STATS_*
 */
void mptun_classify_drop(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			 unsigned int reason)
{
	lockdep_assert_held(&tunnel->tx.lock);
	tunnel->tx.classes[mptun_tx_cb(skb)->class].drops +=
		mptun_run_packets(skb);
	mptun_run_drop(tunnel, skb, reason);
}
