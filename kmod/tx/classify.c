// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Classification: the class of a packet, and the paths it allows.
 *
 * Packets are classified on any CPU, so the classes are read under RCU; a
 * change replaces all of them, under mptun_tunnel.lock and mptun_tx.lock.  A
 * packet keeps the number of its class until it is placed; if the class has
 * been removed by then, the packet is placed by default settings, and counted
 * under that number.
 */
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <net/dsfield.h>
#include <net/ip.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"
#include "wire/tcp.h"

/**
 * mptun_classify_init() - create the initial classes of a tunnel
 * @tunnel: the tunnel
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_classify_init(struct mptun_tunnel *tunnel)
{
	struct mptun_classes *classes = kzalloc(sizeof(*classes),
						GFP_KERNEL_ACCOUNT);

	if (!classes)
		return -ENOMEM;
	mptun_class_list_init(&classes->list);
	rcu_assign_pointer(tunnel->classes, classes);
	return 0;
}

/**
 * mptun_classify_destroy() - free the classes of a tunnel
 * @tunnel: the tunnel, no longer sending
 *
 * A sender that saw the device up before it slept in an allocation may still
 * call mptun_queue_select().
 */
void mptun_classify_destroy(struct mptun_tunnel *tunnel)
{
	struct mptun_classes *classes;

	classes = rcu_replace_pointer(tunnel->classes, NULL, true);
	if (classes)
		kfree_rcu(classes, rcu);
}

/**
 * mptun_classify_list() - classes of a tunnel
 * @tunnel: the tunnel, under its mutex or RCU
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
	classes = kmemdup(old, sizeof(*classes), GFP_KERNEL_ACCOUNT);
	if (!classes)
		return -ENOMEM;
	is_new = class && !mptun_class_exists(&old->list, id);
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

/**
 * mptun_classify_peer_rates() - replace the rates of the peer's classes
 * @tunnel: the tunnel
 * @rates: the rates, NULL for none
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int mptun_classify_peer_rates(struct mptun_tunnel *tunnel,
			      const struct mptun_class_rate_list *rates)
{
	struct mptun_classes *classes, *old;

	lockdep_assert_held(&tunnel->lock);
	old = rcu_dereference_protected(tunnel->classes,
					lockdep_is_held(&tunnel->lock));
	if (!rates && !old->peer_rates.n)
		return 0;
	classes = kmemdup(old, sizeof(*classes), GFP_KERNEL_ACCOUNT);
	if (!classes)
		return -ENOMEM;
	if (rates)
		classes->peer_rates = *rates;
	else
		classes->peer_rates.n = 0;
	spin_lock_bh(&tunnel->tx.lock);
	rcu_assign_pointer(tunnel->classes, classes);
	spin_unlock_bh(&tunnel->tx.lock);
	kfree_rcu(old, rcu);
	return 0;
}

/* Reads both ports, which come first in every header that has them. */
static void mptun_classify_ports(const struct sk_buff *skb, int at,
				 struct mptun_class_key *key)
{
	const __be16 *ports;
	__be16 buf[2];

	switch (key->protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
		break;
	default:
		return;
	}
	ports = skb_header_pointer(skb, at, sizeof(buf), buf);
	if (!ports)
		return;
	key->source = be16_to_cpu(ports[0]);
	key->dest = be16_to_cpu(ports[1]);
}

/* An extension header of IPv6 counts as the protocol: few packets have any. */
static void mptun_classify_key(const struct sk_buff *skb,
			       struct mptun_class_key *key, bool ports)
{
	int at = skb_network_offset(skb);
	const struct ipv6hdr *ip6;
	const struct iphdr *ip;
	struct ipv6hdr buf6;
	struct iphdr buf;

	if (skb->protocol == htons(ETH_P_IP)) {
		ip = skb_header_pointer(skb, at, sizeof(buf), &buf);
		if (!ip)
			return;
		key->dscp = ipv4_get_dsfield(ip) >> 2;
		key->protocol = ip->protocol;
		/* Only the first fragment has ports. */
		if (ports && !(ip->frag_off & htons(IP_OFFSET)))
			mptun_classify_ports(skb, at + ip->ihl * 4, key);
	} else if (skb->protocol == htons(ETH_P_IPV6)) {
		ip6 = skb_header_pointer(skb, at, sizeof(buf6), &buf6);
		if (!ip6)
			return;
		key->dscp = ipv6_get_dsfield(ip6) >> 2;
		key->protocol = ip6->nexthdr;
		if (ports)
			mptun_classify_ports(skb, at + sizeof(*ip6), key);
	}
}

/* An acknowledgment without data is not kept: the packets behind it would wait,
 * and the next one makes up for a loss.
 */
static enum mptun_class_keep
mptun_classify_keep(const struct sk_buff *skb,
		    const struct mptun_class_key *key,
		    const struct mptun_class *class)
{
	bool tcp = key->protocol == IPPROTO_TCP;
	u8 buf[MPTUN_TCP_HEADERS];
	const u8 *packet;

	if (tcp && class->repair == MPTUN_REPAIR_MODE_AUTO &&
	    skb->len <= sizeof(buf)) {
		packet = skb_header_pointer(skb, 0, skb->len, buf);
		if (packet && mptun_tcp_bare(packet, skb->len))
			return MPTUN_CLASS_KEEP_NEVER;
	}
	return mptun_class_keep(class, tcp);
}

static u8 mptun_classify_match(const struct mptun_tunnel *tunnel,
			       const struct mptun_class_list *list,
			       const struct mptun_class_key *key)
{
	u8 class = mptun_class_match(list, key);

	trace_mptun_class(tunnel, class);
	return class;
}

/**
 * mptun_classify() - find the class of a packet
 * @tunnel: the tunnel
 * @skb: a packet of the stack, possibly GSO
 *
 * Return: number of the class.
 */
u8 mptun_classify(const struct mptun_tunnel *tunnel, const struct sk_buff *skb)
{
	struct mptun_class_key key = { .mark = skb->mark };
	const struct mptun_classes *classes;
	u8 class = 0;

	rcu_read_lock();
	classes = rcu_dereference(tunnel->classes);
	/* mptun_classify_destroy() runs before the device is freed. */
	if (classes) {
		mptun_classify_key(skb, &key, classes->list.ports);
		class = mptun_classify_match(tunnel, &classes->list, &key);
	}
	rcu_read_unlock();
	return class;
}

/**
 * mptun_classify_queued() - how a packet of a queue is treated
 * @tunnel: the tunnel
 * @q: the device's queue it is from
 * @skb: the packet, possibly GSO
 * @cb: class, order and keep are set
 *
 * mptun_queue_select() has classified the packet, and the queue is all that the
 * queueing discipline leaves of that.  It is enough if a single class has this
 * queue.  A sender that chooses a queue itself has chosen the class, too.
 *
 * Return: index of the rate of the peer, -1 if none applies.
 */
int mptun_classify_queued(const struct mptun_tunnel *tunnel, u16 q,
			  const struct sk_buff *skb, struct mptun_tx_cb *cb)
{
	struct mptun_class_key key = { .mark = skb->mark };
	const struct mptun_classes *classes;
	const struct mptun_class *class;
	int peer_rate;
	u16 known;

	rcu_read_lock();
	classes = rcu_dereference(tunnel->classes);
	known = classes->list.used & tunnel->tx.queues[q].classes;
	if (is_power_of_2(known)) {
		mptun_classify_key(skb, &key, classes->peer_rates.n);
		cb->class = __ffs(known);
	} else {
		mptun_classify_key(skb, &key, classes->list.ports ||
				   classes->peer_rates.n);
		cb->class = mptun_classify_match(tunnel, &classes->list, &key);
	}
	class = &classes->list.class[cb->class];
	cb->order = class->order;
	cb->keep = mptun_classify_keep(skb, &key, class);
	peer_rate = mptun_class_rates_match(&classes->peer_rates, &key);
	rcu_read_unlock();
	return peer_rate;
}

/**
 * mptun_classify_of() - settings of the class of a packet
 * @tunnel: the tunnel
 * @skb: a classified packet; NULL for class 0
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

/**
 * mptun_classify_cands() - restrict the candidates to those of a packet's class
 * @tunnel: the tunnel, its mptun_tx.cand listed
 * @class: the class
 * @n: number of candidates
 * @packet_mtu: size of the packet
 *
 * A pinned class keeps its path only; a class that losses and delay do not hurt
 * may use suspended paths as well.
 *
 * Return: number of candidates that remain.
 */
unsigned int mptun_classify_cands(struct mptun_tunnel *tunnel,
				  const struct mptun_class *class,
				  unsigned int n, u32 packet_mtu)
{
	struct mptun_tx *tx = &tunnel->tx;
	int at = n;

	lockdep_assert_held(&tx->lock);
	if (!mptun_class_avoids(class))
		while (at--)
			tx->cand[at].suspended = false;
	if (class->policy != MPTUN_CLASS_POLICY_PIN)
		return n;
	for (at = n - 1; at >= 0; at--)
		if (!strcmp(tx->cand_path[at]->config.name, class->path))
			break;
	if (!mptun_class_pins(class, tx->cand, n, at, packet_mtu))
		return class->strict ? 0 : n;
	swap(tx->cand[0], tx->cand[at]);
	swap(tx->cand_path[0], tx->cand_path[at]);
	return 1;
}

/**
 * mptun_classify_admits() - check a packet of the stack against its class' rate
 * @tunnel: the tunnel
 * @segs: its segments; dropped and counted if they exceed the rate
 * @peer_rate: index of the rate of the peer, -1 for none; that of the class
 *	precedes
 * @now: time in ns
 *
 * Called under rcu_read_lock().
 *
 * Return: false if they were dropped.
 */
bool mptun_classify_admits(struct mptun_tunnel *tunnel,
			   struct sk_buff_head *segs, int peer_rate, u64 now)
{
	struct sk_buff *skb = skb_peek(segs);
	const struct mptun_classes *classes;
	struct mptun_tx *tx = &tunnel->tx;
	u64 rate, *paid_ns;
	u32 bytes = 0;

	lockdep_assert_held(&tx->lock);
	classes = rcu_dereference(tunnel->classes);
	rate = classes->list.class[mptun_tx_cb(skb)->class].rate;
	paid_ns = &tx->classes[mptun_tx_cb(skb)->class].paid_ns;
	if (!rate && peer_rate >= 0 && peer_rate < classes->peer_rates.n) {
		rate = classes->peer_rates.entry[peer_rate].rate;
		paid_ns = &tx->peer_paid_ns[peer_rate];
	}
	if (!rate)
		return true;
	skb_queue_walk(segs, skb)
		bytes += skb->len;
	if (mptun_class_admits(rate, paid_ns, bytes, now))
		return true;
	while ((skb = __skb_dequeue(segs)))
		mptun_classify_drop(tunnel, skb,
				    MPTUN_A_DROP_STATS_TX_CLASS_RATE);
	return false;
}

/**
 * mptun_classify_drop() - drop and count a packet that is not placed
 * @tunnel: the tunnel
 * @skb: the packet, possibly a GSO packet placed in part
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
