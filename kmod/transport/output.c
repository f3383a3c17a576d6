// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Output: finished outer packets are passed to the stack.
 *
 * Outer packets have no socket and no flow hash.  A qdisc of the uplink that
 * saw the hash of the inner flow would reorder the packets of a path by flow,
 * and what a path reorders looks like loss to its sender.
 *
 * A run of packets may be one packet of UDP segments (tx/run.c).  It passes
 * through the stack once, and the device or the core below it segments it.
 *
 * The stack would refuse packets that are larger than ICMP messages claim.
 * Anyone can forge those, so packets leave that the configured MTU of the route
 * allows (recovery/pmtu.c decides which size is used).
 *
 * A tunnel whose path leads through another one calls itself in here.  The
 * depth of that is limited, as the stack of the kernel is.
 *
 * Runs without locks; RCU protects endpoints and routes.
 */
#include <net/addrconf.h>
#include <net/ip6_tunnel.h>
#include <net/lwtunnel.h>
#include <net/sch_generic.h>
#include <net/udp_tunnel.h>

#include "base/ecn.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"

#if IS_ENABLED(CONFIG_IPV6)
#include <net/ip6_route.h>
#endif

/**
 * struct mptun_output_route - properties of the route of a packet
 * @mtu: largest outer packet
 * @takes_runs: a run may be passed as one packet
 */
struct mptun_output_route {
	u32 mtu;
	bool takes_runs;
};

/* A qdisc before the segmentation would treat a run as a single large packet,
 * to drop, mark or delay as a whole.  So only devices that segment in hardware
 * or have no queue get runs.
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

/* Removes everything that belongs to the inner flow, and marks the packet. */
static void mptun_output_scrub(struct sk_buff *skb, u32 mark)
{
	unsigned int least;

	/* skb_cow_head() does not update truesize while a socket is charged.
	 * A peer on this host queues the same skb to a socket, which would be
	 * charged for too little.
	 */
	skb_orphan(skb);
	least = SKB_TRUESIZE(skb_end_offset(skb)) + skb->data_len;
	skb->truesize = max(skb->truesize, least);

	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->mark = mark;
	skb->priority = 0;
	skb_set_queue_mapping(skb, 0);
	skb->dev = NULL;
	skb->encapsulation = 0;
	skb_reset_inner_headers(skb);
}

#if IS_ENABLED(CONFIG_IPV6)
/* Returns the IPv6 route with the reference, or one like it without the MTU
 * that ICMP messages claim if it excludes a packet of @len bytes.  IPv4 ignores
 * that MTU for the socket of a port; IPv6 knows it as the MTU of the route.
 */
static struct dst_entry *
mptun_output_unclaimed(const struct mptun_endpoint *ep, struct dst_entry *dst,
		       unsigned int len)
{
	u32 claim = dst_mtu(dst);
	struct rt6_info *rt, *clone;

	len += sizeof(struct udphdr) + sizeof(struct ipv6hdr);
	if (len <= claim || claim >= mptun_endpoint_mtu(ep, dst))
		return dst;
	rt = container_of(dst, struct rt6_info, dst);
	clone = ip6_dst_alloc(dev_net(dst->dev), dst->dev, DST_NOCOUNT);
	if (!clone)
		return dst;
	clone->dst.input = dst->input;
	clone->dst.output = dst->output;
	clone->dst.lwtstate = lwtstate_get(dst->lwtstate);
	clone->rt6i_idev = in6_dev_get(dst->dev);
	clone->rt6i_gateway = rt->rt6i_gateway;
	clone->rt6i_dst = rt->rt6i_dst;
	clone->rt6i_flags = rt->rt6i_flags;
	dst_release(dst);
	return &clone->dst;
}
#else
static struct dst_entry *
mptun_output_unclaimed(const struct mptun_endpoint *ep, struct dst_entry *dst,
		       unsigned int len)
{
	return dst;
}
#endif

/**
 * struct mptun_output_frame - a tunnel that is sending a packet on this CPU
 * @next: another one, older
 * @task: the task that sends it
 *
 * With PREEMPT_RT a task may preempt another one that is sending.  Each stays
 * on its CPU meanwhile, as bottom halves are off.
 */
struct mptun_output_frame {
	struct mptun_output_frame *next;
	const struct task_struct *task;
};

static DEFINE_PER_CPU(struct mptun_output_frame *, mptun_output_frames);

/* Returns how many tunnels the packet that this task sends has entered. */
static unsigned int mptun_output_depth(void)
{
	const struct mptun_output_frame *frame;
	unsigned int depth = 0;

	preempt_disable();
	frame = this_cpu_read(mptun_output_frames);
	for (; frame; frame = frame->next)
		depth += frame->task == current;
	preempt_enable();
	return depth;
}

/**
 * mptun_output_nested() - check whether a tunnel is sending
 *
 * Called with BH off.
 *
 * Return: true if this task is sending an outer packet.
 */
bool mptun_output_nested(void)
{
	return mptun_output_depth();
}

static void mptun_output_xmit(const struct mptun_endpoint *ep,
			      struct sock *sk, struct dst_entry *dst,
			      const union mptun_addr *source,
			      struct sk_buff *skb, u8 ds)
{
	unsigned int len;
	u8 ttl;

	if (ep->family == AF_INET) {
		udp_tunnel_xmit_skb(dst_rtable(dst), sk, skb, source->v4,
				    ep->remote.v4, ds, ip4_dst_hoplimit(dst),
				    htons(IP_DF), ep->local_port,
				    ep->remote_port, false, false, 0);
		return;
	}
	/* Without IPv6, no endpoint of it has a socket. */
	if (!IS_ENABLED(CONFIG_IPV6))
		return;
	ttl = ip6_dst_hoplimit(dst);
	len = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : skb->len;
	dst = mptun_output_unclaimed(ep, dst, len);
	udp_tunnel6_xmit_skb(dst, NULL, skb, NULL, &source->v6, &ep->remote.v6,
			     ds, ttl, 0, ep->local_port, ep->remote_port,
			     false, 0);
}

/* Notes meanwhile that this task is sending. */
static void mptun_output_noted(const struct mptun_endpoint *ep,
			       struct sock *sk, struct dst_entry *dst,
			       const union mptun_addr *source,
			       struct sk_buff *skb, u8 ds)
{
	struct mptun_output_frame frame = { .task = current }, **at;

	preempt_disable();
	frame.next = this_cpu_read(mptun_output_frames);
	this_cpu_write(mptun_output_frames, &frame);
	preempt_enable();

	mptun_output_xmit(ep, sk, dst, source, skb, ds);

	preempt_disable();
	at = this_cpu_ptr(&mptun_output_frames);
	while (*at != &frame)
		at = &(*at)->next;
	*at = frame.next;
	preempt_enable();
}

static int mptun_output_endpoint(const struct mptun_endpoint *ep,
				 struct dst_cache *cache,
				 const struct net_device *tunnel_dev,
				 struct sk_buff *skb, u8 ds,
				 struct mptun_output_route *route)
{
	union mptun_addr source;
	struct dst_entry *dst;
	struct sock *sk;
	int err;

	if (mptun_output_depth() >= MPTUN_NESTED_MAX) {
		kfree_skb(skb);
		return -EMLINK;
	}
	sk = mptun_endpoint_sock(ep);
	dst = IS_ERR(sk) ? ERR_CAST(sk) :
	      mptun_endpoint_route(ep, tunnel_dev, cache, &source);
	if (IS_ERR(dst)) {
		kfree_skb(skb);
		return PTR_ERR(dst);
	}
	route->mtu = mptun_endpoint_mtu(ep, dst);
	route->takes_runs = mptun_output_takes_runs(dst);

	err = skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) +
			   sizeof(struct udphdr) + sizeof(struct ipv6hdr));
	if (err) {
		dst_release(dst);
		kfree_skb(skb);
		return err;
	}
	mptun_output_scrub(skb, ep->mark);
	/* The helpers below do not prepare the checksums of segments. */
	if (skb_is_gso(skb)) {
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb_headroom(skb) - sizeof(struct udphdr);
		skb->csum_offset = offsetof(struct udphdr, check);
	}
	mptun_output_noted(ep, sk, dst, &source, skb, ds);
	return 0;
}

/**
 * mptun_output() - send a packet on a path
 * @path: the path
 * @skb: the packet from its outer header on, or several as UDP segments;
 *	consumed
 * @ds: DS field of the outer header
 * @mtu: set to the MTU of the route if there is one
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 *
 * Return: 0 if the stack accepted the packet, which it may still drop, -EMLINK
 * if it has come through too many tunnels, or another negative error of
 * mptun_endpoint_route().
 */
int mptun_output(struct mptun_path *path, struct sk_buff *skb, u8 ds, u32 *mtu)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	unsigned int packets = skb_shinfo(skb)->gso_segs ?: 1;
	struct mptun_output_route route;
	int err;

	err = mptun_output_endpoint(ep, &ep->cache, path->tunnel->dev, skb, ds,
				    &route);
	if (err) {
		atomic64_add(packets, &path->tx_errors);
		return err;
	}
	if (route.takes_runs != READ_ONCE(path->takes_runs))
		WRITE_ONCE(path->takes_runs, route.takes_runs);
	*mtu = route.mtu;
	return 0;
}

/**
 * mptun_output_reply() - send a packet that belongs to no path
 * @tunnel: the tunnel
 * @ep: its destination
 * @skb: the packet from its outer header on; consumed
 *
 * Called without a spinlock of ours.
 *
 * Return: 0 or a negative error.
 */
int mptun_output_reply(struct mptun_tunnel *tunnel,
		       const struct mptun_endpoint *ep, struct sk_buff *skb)
{
	u8 ds = mptun_ecn_control(READ_ONCE(tunnel->config.dscp));
	struct mptun_output_route route;
	int err;

	mptun_enter();
	err = mptun_output_endpoint(ep, NULL, tunnel->dev, skb, ds, &route);
	mptun_leave();
	if (err == -EMLINK)
		mptun_drop_add(&tunnel->drops, MPTUN_A_DROP_STATS_TX_NESTED, 1);
	return err;
}
