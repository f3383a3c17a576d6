// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception: from the sockets to the ring.
 *
 * A packet walks in one direction:
 *
 *	mptun_recv()		a datagram of a port: which tunnel?
 *	mptun_recv_packet()	a PACKET of a tunnel: which path, which kind?
 *	mptun_recv_data()	DATA: strip, account, order
 *	mptun_deliver_ready()	what the ring released, towards NAPI
 *
 * Handshakes, and probes on paths nobody knows yet, are left to the tunnel's
 * worker: they change what only a mutex protects.
 */
#include <linux/udp.h>
#include <net/ip_tunnels.h>
#include <net/sock.h>

#include "deliver.h"
#include "feedback.h"
#include "net.h"
#include "path.h"
#include "port.h"
#include "probe.h"
#include "recv.h"
#include "report.h"
#include "skb_cb.h"
#include "tunnel.h"
#include "xmit.h"

/* Brackets one arrival may prove. */
#define MPTUN_RECV_BRACKETS	4

/**
 * struct mptun_recv_info - what the headers of a PACKET say
 * @path: path it belongs to
 * @number: packet number within its space
 * @control: it is of the control space
 * @kind: &enum mptun_kind
 * @flags: MPTUN_F_*
 * @fseq: first transmissions of the path, mod 256
 * @wire_id: of the path
 * @prev: distance to the predecessor
 * @dsn: data sequence number
 * @time: sender's microseconds, 24 bits
 * @bytes: size, UDP header included
 * @ce: the packet bears a congestion mark
 */
struct mptun_recv_info {
	struct mptun_path *path;
	u64 number;
	bool control;
	u8 kind;
	u8 flags;
	u8 fseq;
	u16 wire_id;
	u16 prev;
	u32 dsn;
	u32 time;
	u32 bytes;
	bool ce;
};

static bool mptun_recv_ce(const struct sk_buff *skb)
{
	u8 dsfield = ip_hdr(skb)->version == 4 ?
		     ipv4_get_dsfield(ip_hdr(skb)) :
		     ipv6_get_dsfield(ipv6_hdr(skb));

	return INET_ECN_is_ce(dsfield);
}

/* Reads both headers; the packet is at its outer header and long enough. */
static void mptun_recv_parse(const struct sk_buff *skb,
			     struct mptun_recv_info *info)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number);
	u32 flags_time = be32_to_cpu(hdr->inner.flags_time);

	info->number = number & MPTUN_NUMBER_PN_MASK;
	info->wire_id = number >> MPTUN_NUMBER_PATH_SHIFT;
	info->control = number & MPTUN_NUMBER_CONTROL;
	info->kind = hdr->inner.kind_class >> 4;
	info->fseq = hdr->inner.fseq;
	info->prev = be16_to_cpu(hdr->inner.prev);
	info->dsn = be32_to_cpu(hdr->inner.dsn);
	info->flags = flags_time >> MPTUN_TIME_BITS;
	info->time = flags_time & MPTUN_TIME_MASK;
	info->bytes = skb->len + sizeof(struct udphdr);
	info->ce = mptun_recv_ce(skb);
}

/* Takes the outer side off an inner packet, which is at its inner header.
 *
 * A packet may wait in the ring longer than the device below it lives, and one
 * flow must look alike to GRO whatever path its packets came on.  So nothing
 * of the way stays: no device, no route, no hash, no mark.
 */
static void mptun_recv_strip(struct sk_buff *skb)
{
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	skb_reset_mac_len(skb);
	skb_scrub_packet(skb, true);
	skb_clear_hash(skb);
	skb->ip_summed = CHECKSUM_NONE;
	skb->csum_level = 0;
	skb->encapsulation = 0;
	skb->mark = 0;
	skb->priority = 0;
	skb->queue_mapping = 0;
}

/* Checks an inner packet, and cuts off what is behind it. */
static bool mptun_recv_inner(struct sk_buff *skb)
{
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(struct iphdr)))
		return false;
	skb_reset_network_header(skb);
	switch (ip_hdr(skb)->version) {
	case 4:
		len = ntohs(ip_hdr(skb)->tot_len);
		if (len < sizeof(struct iphdr))
			return false;
		skb->protocol = htons(ETH_P_IP);
		break;
	case 6:
		if (!pskb_may_pull(skb, sizeof(struct ipv6hdr)))
			return false;
		len = ntohs(ipv6_hdr(skb)->payload_len) +
		      sizeof(struct ipv6hdr);
		skb->protocol = htons(ETH_P_IPV6);
		break;
	default:
		return false;
	}
	return len <= skb->len && !pskb_trim(skb, len);
}

/* Is a data number credible? If the window begins anew, so does all else that
 * was derived from the numbers of before.
 */
static bool mptun_recv_number_near(struct mptun_path *path, u64 number)
{
	switch (mptun_replay_credit(&path->rx.data.window, number)) {
	case MPTUN_REPLAY_FAR:
		return false;
	case MPTUN_REPLAY_ANEW:
		mptun_ranges_init(&path->rx.ranges);
		mptun_evidence_init(&path->rx.evidence);
		return true;
	default:
		return true;
	}
}

/* Are both numbers of a packet credible, and is its own one new? Returns 0, or
 * the reason to drop it.
 */
static unsigned int mptun_recv_credit(struct mptun_path *path,
				      const struct mptun_recv_info *info,
				      u64 now, struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &path->tunnel->rx.reorder;
	struct mptun_replay *window = &path->rx.data.window;

	if (!mptun_recv_number_near(path, info->number))
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (!mptun_replay_check(window, info->number))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	switch (mptun_reorder_credit(reorder, info->dsn)) {
	case MPTUN_REORDER_FAR:
		return MPTUN_A_DROP_STATS_RX_JUMP;
	case MPTUN_REORDER_ANEW:
		mptun_reorder_anew(reorder, info->dsn, now, out);
		break;
	case MPTUN_REORDER_NEAR:
		break;
	}
	mptun_replay_update(window, info->number);
	return 0;
}

/* Accounts a data number, and says whether a report is due at once. */
static bool mptun_recv_account(struct mptun_path *path,
			       const struct mptun_recv_info *info, u64 now)
{
	struct mptun_path_rx *prx = &path->rx;
	enum mptun_range_verdict verdict;

	verdict = mptun_ranges_add(&prx->ranges, info->number);
	if (verdict == MPTUN_RANGE_NEW_IN_ORDER ||
	    verdict == MPTUN_RANGE_NEW_GAP)
		prx->arrival_ns = now;
	prx->last_ns = now;
	prx->packets++;
	prx->bytes += info->bytes;
	prx->ce += info->ce;
	prx->unreported++;
	prx->cross_unreported++;
	if (!(info->flags & MPTUN_F_COPY))
		mptun_skew_update(&prx->skew, info->time, now);
	return verdict == MPTUN_RANGE_NEW_GAP || info->ce;
}

/* Puts a packet into the ring, and what its arrival proves into effect. */
static enum mptun_verdict mptun_recv_order(struct mptun_path *path,
					   const struct mptun_recv_info *info,
					   struct sk_buff *skb, u64 now,
					   struct sk_buff_head *out)
{
	struct mptun_reorder *reorder = &path->tunnel->rx.reorder;
	bool copy = info->flags & MPTUN_F_COPY;
	struct mptun_bracket bracket[MPTUN_RECV_BRACKETS];
	struct mptun_arrival arrival = {
		.pn = info->number,
		.dsn = info->dsn,
		.fseq = info->fseq,
		.copy = copy,
	};
	struct mptun_reorder_pkt pkt = {
		.dsn = info->dsn,
		.prev = info->prev,
		.copy = copy,
		.repairable = info->flags & MPTUN_F_REPAIRABLE,
	};
	enum mptun_verdict verdict;
	unsigned int n, i;

	n = mptun_evidence_receive(&path->rx.evidence, &arrival, now, bracket,
				   MPTUN_RECV_BRACKETS);
	verdict = mptun_reorder_insert(reorder, skb, &pkt, now, out);
	for (i = 0; i < n; i++)
		mptun_reorder_prove(reorder, &bracket[i], now, out);
	return verdict;
}

/* Everything about a DATA packet that needs the lock. */
static void mptun_recv_data_locked(const struct mptun_recv_info *info,
				   struct sk_buff *skb, u64 now, bool *report)
{
	struct mptun_path *path = info->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	enum mptun_verdict verdict;
	struct sk_buff_head out;
	unsigned int reason;
	u64 at;

	lockdep_assert_held(&rx->lock);
	if (!rx->running) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION);
		return;
	}
	__skb_queue_head_init(&out);
	reason = mptun_recv_credit(path, info, now, &out);
	if (reason) {
		mptun_drop(&tunnel->drops, skb, reason);
		return;
	}
	rx->active_ns = now;
	*report = mptun_recv_account(path, info, now);
	verdict = mptun_recv_order(path, info, skb, now, &out);
	if (verdict == MPTUN_VERDICT_DUPLICATE ||
	    verdict == MPTUN_VERDICT_TOO_OLD)
		consume_skb(skb); /* counted by the ring */
	mptun_deliver_ready(tunnel, &out);

	at = mptun_report_deadline(path, *report);
	*report = at <= now;
	if (*report)
		at = U64_MAX;
	at = min(at, mptun_evidence_deadline(&path->rx.evidence, now));
	mptun_deliver_update(tunnel, at);
}

/* Takes the blocks off the front of a flagged DATA packet. */
static bool mptun_recv_blocks(struct mptun_path *path, struct sk_buff *skb)
{
	unsigned int len;
	int err;

	if (!pskb_may_pull(skb, sizeof(__be16)))
		return false;
	len = be16_to_cpup((__be16 *)skb->data);
	if (!pskb_may_pull(skb, sizeof(__be16) + len))
		return false;
	skb_pull(skb, sizeof(__be16));
	err = mptun_feedback_blocks(path, skb->data, len);
	mptun_feedback_tell(path->tunnel);
	mptun_xmit_run(path->tunnel);
	skb_pull(skb, len);
	return !err;
}

static void mptun_recv_data(const struct mptun_recv_info *info,
			    struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	u64 now = mptun_now();
	bool report = false;

	if (info->flags & MPTUN_F_BLOCKS && !mptun_recv_blocks(path, skb)) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_MALFORMED);
		return;
	}
	if (!mptun_recv_inner(skb)) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_NOT_IP);
		return;
	}
	/* GRO writes into what clones share.  Where both ends are on one host
	 * that is the packet in the sender's retransmit queue.
	 */
	if (skb_unclone(skb, GFP_ATOMIC)) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_MEMORY);
		return;
	}
	mptun_recv_strip(skb);
	skb->dev = tunnel->dev;

	spin_lock(&tunnel->rx.lock);
	mptun_recv_data_locked(info, skb, now, &report);
	spin_unlock(&tunnel->rx.lock);
	if (report)
		mptun_report_send(path, now);
}

static void mptun_recv_bye(struct mptun_path *path, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	/* Only the worker may end an association. */
	skb_push(skb, sizeof(struct mptun_packet));
	mptun_tunnel_queue_work(tunnel, skb);
}

static void mptun_recv_control(const struct mptun_recv_info *info,
			       struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_replay *window = &path->rx.control.window;
	bool near, fresh = false;
	int err;

	spin_lock(&tunnel->rx.lock);
	near = mptun_replay_credit(window, info->number) != MPTUN_REPLAY_FAR;
	if (near)
		fresh = mptun_replay_update(window, info->number);
	/* What anybody can repeat keeps no learned path alive. */
	if (fresh)
		path->rx.last_ns = mptun_now();
	spin_unlock(&tunnel->rx.lock);
	if (!fresh) {
		mptun_drop(&tunnel->drops, skb, near ?
			   MPTUN_A_DROP_STATS_RX_REPLAY :
			   MPTUN_A_DROP_STATS_RX_JUMP);
		return;
	}
	atomic64_inc(&path->rx_control);

	switch (info->kind) {
	case MPTUN_KIND_REPORT:
	case MPTUN_KIND_SET:
		err = skb_linearize(skb) ?:
		      mptun_feedback_blocks(path, skb->data, skb->len);
		mptun_feedback_tell(tunnel);
		mptun_xmit_run(tunnel);
		break;
	case MPTUN_KIND_PROBE:
		err = mptun_probe_receive(path, skb);
		break;
	default:
		mptun_recv_bye(path, skb);
		return;
	}
	if (err)
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_MALFORMED);
	else
		consume_skb(skb);
}

/* Is this a kind we know, in the space it belongs to, with flags we know? */
static bool mptun_recv_known(const struct mptun_recv_info *info)
{
	if (info->flags & ~MPTUN_F_KNOWN)
		return false;
	switch (info->kind) {
	case MPTUN_KIND_DATA:
		return !info->control;
	case MPTUN_KIND_REPORT:
	case MPTUN_KIND_PROBE:
	case MPTUN_KIND_SET:
	case MPTUN_KIND_BYE:
		return info->control;
	default:
		return false;
	}
}

/* A PACKET that names a tunnel; it is at its outer header. */
static void mptun_recv_packet(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	struct mptun_recv_info info;
	struct mptun_endpoint *ep;

	if (!READ_ONCE(tunnel->assoc.established)) {
		mptun_drop(&tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION);
		return;
	}
	if (!pskb_may_pull(skb, sizeof(struct mptun_packet))) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return;
	}
	mptun_recv_parse(skb, &info);
	if (!mptun_recv_known(&info)) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_KIND);
		return;
	}

	info.path = mptun_path_by_wire(tunnel, info.wire_id);
	if (!info.path) {
		/* A path the peer opens, or numbers otherwise than we do. */
		if (info.kind == MPTUN_KIND_PROBE)
			mptun_tunnel_queue_work(tunnel, skb);
		else
			mptun_drop(&tunnel->drops, skb,
				   MPTUN_A_DROP_STATS_RX_NO_PATH);
		return;
	}
	ep = rcu_dereference(info.path->endpoint);
	if (!mptun_endpoint_is_source(ep, skb)) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_SOURCE);
		return;
	}
	skb_pull(skb, sizeof(struct mptun_packet));
	if (info.control)
		mptun_recv_control(&info, skb);
	else
		mptun_recv_data(&info, skb);
}

/* INIT names its tunnel by id, its answers name it by index, and a PACKET names
 * the association as well.
 */
static struct mptun_tunnel *mptun_recv_find(const struct mptun_net *mn,
					    const struct mptun_port *port,
					    struct sk_buff *skb)
{
	const struct mptun_outer *outer = (const void *)skb->data;
	const struct mptun_hello *hello;

	if (outer->type == MPTUN_TYPE_PACKET)
		return mptun_net_by_assoc(mn, be32_to_cpu(outer->receiver));
	if (outer->type != MPTUN_TYPE_INIT)
		return mptun_net_by_index(mn, be32_to_cpu(outer->receiver));
	if (!pskb_may_pull(skb, sizeof(*outer) + sizeof(*hello)))
		return NULL;
	hello = (const void *)(skb->data + sizeof(*outer));
	return mptun_net_by_id(mn, port->number, be32_to_cpu(hello->to));
}

static bool mptun_recv_outer_known(const struct mptun_outer *outer)
{
	return outer->version == MPTUN_VERSION && !outer->flags &&
	       outer->type >= MPTUN_TYPE_INIT &&
	       outer->type <= MPTUN_TYPE_PACKET;
}

/**
 * mptun_recv() - a datagram arrived at a port
 * @sk: socket of the port
 * @skb: the datagram, at its UDP header
 *
 * Return: 0, the datagram is consumed.
 */
int mptun_recv(struct sock *sk, struct sk_buff *skb)
{
	struct mptun_port *port = rcu_dereference_sk_user_data(sk);
	const struct mptun_outer *outer;
	struct mptun_tunnel *tunnel;

	if (!port) {
		kfree_skb(skb);
		return 0;
	}
	if (!pskb_may_pull(skb, sizeof(struct udphdr) + sizeof(*outer))) {
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return 0;
	}
	skb_pull(skb, sizeof(struct udphdr));
	outer = (const void *)skb->data;
	if (!mptun_recv_outer_known(outer)) {
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_VERSION);
		return 0;
	}
	tunnel = mptun_recv_find(mptun_net(sock_net(sk)), port, skb);
	if (!tunnel) {
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_UNKNOWN);
		return 0;
	}
	outer = (const void *)skb->data;
	if (outer->type == MPTUN_TYPE_PACKET)
		mptun_recv_packet(tunnel, skb);
	else
		mptun_tunnel_queue_work(tunnel, skb);
	return 0;
}
