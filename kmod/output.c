// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Output: a finished packet goes down into the stack.
 *
 * Outer packets belong to nobody and bear no hash.  A queueing discipline of
 * the uplink that saw the hash of the inner flow would sort the packets of a
 * path by flow, and what a path reorders looks like loss to its sender.
 */
#include <net/ip6_tunnel.h>
#include <net/udp_tunnel.h>

#include "endpoint.h"
#include "output.h"
#include "path.h"
#include "port.h"
#include "tunnel.h"

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

static void mptun_output_send(const struct mptun_endpoint *ep,
			      struct dst_entry *dst,
			      const union mptun_addr *source,
			      struct sk_buff *skb)
{
	if (ep->family == AF_INET)
		udp_tunnel_xmit_skb(dst_rtable(dst), NULL, skb, source->v4,
				    ep->remote.v4, 0, ip4_dst_hoplimit(dst),
				    htons(IP_DF), ep->local_port,
				    ep->remote_port, false, false, 0);
	else
		udp_tunnel6_xmit_skb(dst, NULL, skb, NULL, &source->v6,
				     &ep->remote.v6, 0, ip6_dst_hoplimit(dst),
				     0, ep->local_port, ep->remote_port, false,
				     0);
}

static int mptun_output_endpoint(const struct mptun_endpoint *ep,
				 struct dst_cache *cache,
				 const struct net_device *tunnel_dev,
				 struct sk_buff *skb, u32 *mtu)
{
	union mptun_addr source;
	struct dst_entry *dst;
	int err;

	dst = mptun_endpoint_route(ep, tunnel_dev, cache, &source);
	if (IS_ERR(dst)) {
		kfree_skb(skb);
		return PTR_ERR(dst);
	}
	*mtu = dst_mtu(dst);

	err = skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) +
			   sizeof(struct udphdr) + sizeof(struct ipv6hdr));
	if (err) {
		dst_release(dst);
		kfree_skb(skb);
		return err;
	}
	mptun_output_anonymous(skb);
	mptun_output_send(ep, dst, &source, skb);
	return 0;
}

/**
 * mptun_output() - send a packet on a path
 * @path: the path
 * @skb: the packet from its outer header on; consumed
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 *
 * Return: 0 if the stack took the packet, which it may still drop, or a
 * negative error as mptun_endpoint_route() gives.
 */
int mptun_output(struct mptun_path *path, struct sk_buff *skb)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	u32 mtu;
	int err;

	err = mptun_output_endpoint(ep, &ep->cache, path->tunnel->dev, skb,
				    &mtu);
	if (err)
		atomic64_inc(&path->tx_errors);
	else
		mptun_path_set_pmtu(path, mtu);
	return err;
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
	u32 mtu;
	int err;

	mptun_enter();
	err = mptun_output_endpoint(ep, NULL, tunnel->dev, skb, &mtu);
	mptun_leave();
	return err;
}
