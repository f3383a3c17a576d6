// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Output: a finished packet goes down into the stack.
 *
 * Outer packets belong to nobody and bear no hash.  A queueing discipline of
 * the uplink that saw the hash of the inner flow would sort the packets of a
 * path by flow, and what a path reorders looks like loss to its sender.
 *
 * A run of packets may come as one, of UDP segments (tx/run.c).  It walks through
 * the stack once, and is cut by the device, or before the device is given it.
 */
#include <net/ip6_tunnel.h>
#include <net/sch_generic.h>
#include <net/udp_tunnel.h>

#include "base/ecn.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"

/**
 * struct mptun_output_way - what the route says
 * @mtu: largest outer packet in bytes
 * @takes_runs: several packets may be given as one
 */
struct mptun_output_way {
	u32 mtu;
	bool takes_runs;
};

/* skb_cow_head() leaves truesize alone as long as a socket is charged for the
 * packet, however much it enlarges the head.  A peer on this host hands the
 * same packet to a socket, which would be charged for too little.
 */
static void mptun_output_orphan(struct sk_buff *skb)
{
	unsigned int least;

	skb_orphan(skb);
	least = SKB_TRUESIZE(skb_end_offset(skb)) + skb->data_len;
	skb->truesize = max(skb->truesize, least);
}

static void mptun_output_anonymous(struct sk_buff *skb)
{
	mptun_output_orphan(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->mark = 0;
	skb->priority = 0;
	skb_set_queue_mapping(skb, 0);
	skb->dev = NULL;
	skb->encapsulation = 0;
	skb_reset_inner_headers(skb);
}

/* A queueing discipline would take a run that is cut behind it for one large
 * packet, and what it does with its packets would be done with all of it.  So
 * only devices get runs that cut them, or that have no queue.
 */
static bool mptun_output_takes_runs(const struct dst_entry *dst)
{
	const struct net_device *dev = dst->dev;
	const struct netdev_queue *queue;

	if (dst_xfrm(dst))
		return false;
	if (dev->features & NETIF_F_GSO_UDP_L4)
		return true;
	queue = netdev_get_tx_queue(dev, 0);
	return !rcu_dereference_bh(queue->qdisc)->enqueue;
}

/* The helpers leave the checksums of segments to who cuts, who has to know
 * where they are.
 */
static void mptun_output_segments(struct sk_buff *skb)
{
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) - sizeof(struct udphdr);
	skb->csum_offset = offsetof(struct udphdr, check);
}

static u8 mptun_output_ds(const struct mptun_tunnel *tunnel)
{
	return mptun_ecn_control(READ_ONCE(tunnel->config.dscp));
}

static void mptun_output_send(const struct mptun_endpoint *ep,
			      struct dst_entry *dst,
			      const union mptun_addr *source, u8 ds,
			      struct sk_buff *skb)
{
	if (ep->family == AF_INET)
		udp_tunnel_xmit_skb(dst_rtable(dst), NULL, skb, source->v4,
				    ep->remote.v4, ds, ip4_dst_hoplimit(dst),
				    htons(IP_DF), ep->local_port,
				    ep->remote_port, false, false, 0);
	else
		udp_tunnel6_xmit_skb(dst, NULL, skb, NULL, &source->v6,
				     &ep->remote.v6, ds, ip6_dst_hoplimit(dst),
				     0, ep->local_port, ep->remote_port, false,
				     0);
}

static int mptun_output_endpoint(const struct mptun_endpoint *ep,
				 struct dst_cache *cache,
				 const struct net_device *tunnel_dev,
				 struct sk_buff *skb, u8 ds,
				 struct mptun_output_way *way)
{
	union mptun_addr source;
	struct dst_entry *dst;
	int err;

	dst = mptun_endpoint_route(ep, tunnel_dev, cache, &source);
	if (IS_ERR(dst)) {
		kfree_skb(skb);
		return PTR_ERR(dst);
	}
	way->mtu = dst_mtu(dst);
	way->takes_runs = mptun_output_takes_runs(dst);

	err = skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) +
			   sizeof(struct udphdr) + sizeof(struct ipv6hdr));
	if (err) {
		dst_release(dst);
		kfree_skb(skb);
		return err;
	}
	mptun_output_anonymous(skb);
	if (skb_is_gso(skb))
		mptun_output_segments(skb);
	mptun_output_send(ep, dst, &source, ds, skb);
	return 0;
}

/**
 * mptun_output() - send a packet on a path
 * @path: the path
 * @skb: the packet from its outer header on, or several as UDP segments;
 *	consumed
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 *
 * Return: largest outer packet of the route in bytes, if the stack took the
 * packet, which it may still drop; or a negative error as
 * mptun_endpoint_route() gives.
 */
int mptun_output(struct mptun_path *path, struct sk_buff *skb, u8 ds)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	unsigned int packets = skb_shinfo(skb)->gso_segs ?: 1;
	struct mptun_output_way way;
	int err;

	err = mptun_output_endpoint(ep, &ep->cache, path->tunnel->dev, skb, ds,
				    &way);
	if (err) {
		atomic64_add(packets, &path->tx_errors);
		return err;
	}
	if (way.takes_runs != READ_ONCE(path->takes_runs))
		WRITE_ONCE(path->takes_runs, way.takes_runs);
	return way.mtu;
}

/**
 * mptun_output_control() - send a packet that is no data
 * @path: the path
 * @skb: the packet from its outer header on; consumed
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 *
 * Return: as mptun_output().
 */
int mptun_output_control(struct mptun_path *path, struct sk_buff *skb)
{
	return mptun_output(path, skb, mptun_output_ds(path->tunnel));
}

/**
 * mptun_output_reply() - send a packet that belongs to no path
 * @tunnel: the tunnel it is from
 * @ep: where to
 * @skb: the packet from its outer header on; consumed
 *
 * Called in process context.
 *
 * Return: 0 or a negative error.
 */
int mptun_output_reply(struct mptun_tunnel *tunnel,
		       const struct mptun_endpoint *ep, struct sk_buff *skb)
{
	struct mptun_output_way way;
	int err;

	mptun_enter();
	err = mptun_output_endpoint(ep, NULL, tunnel->dev, skb,
				    mptun_output_ds(tunnel), &way);
	mptun_leave();
	return err;
}
