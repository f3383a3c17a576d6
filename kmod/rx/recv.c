// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reception: from the sockets to the ring.
 *
 * A packet walks in one direction:
 *
 *	mptun_recv()		a datagram of a port: which session?
 *	mptun_decrypt()		a PACKET of a session: is it genuine? (rx/decrypt.c)
 *	mptun_recv_opened()	which path, which kind?
 *	mptun_recv_data()	DATA: an inner packet is made of it
 *	  "arrived"		waits for the NAPI of the tunnel
 *	mptun_order_arrived()	those that wait: accounted, through the ring
 *	  "playout"		what came early, of classes that want that
 *	  "ready"		what the ring released, in order
 *	mptun_deliver_poll()	into the stack
 *
 * Probes on paths nobody knows yet are left to the tunnel's worker, as are
 * handshakes (rx/handshake.c): they change what only a mutex protects.
 */
#include <linux/udp.h>
#include <net/ip_tunnels.h>
#include <net/sock.h>

#include "core/session.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "transport/transport.h"
#include "wire/parse.h"

static u8 mptun_recv_ds(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4 ? ipv4_get_dsfield(ip_hdr(skb)) :
					   ipv6_get_dsfield(ipv6_hdr(skb));
}

/* Reads both headers; the packet is at its outer header and long enough. */
static void mptun_recv_parse(const struct mptun_session *session,
			     const struct sk_buff *skb,
			     struct mptun_recv_info *info)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number);
	u32 flags_time = be32_to_cpu(hdr->inner.flags_time);

	info->number = number & MPTUN_NUMBER_PN_MASK;
	info->wire_id = number >> MPTUN_NUMBER_PATH_SHIFT;
	info->control = number & MPTUN_NUMBER_CONTROL;
	info->kind = hdr->inner.kind_class >> 4;
	info->class = hdr->inner.kind_class & MPTUN_CLASS_MASK;
	info->fseq = hdr->inner.fseq;
	info->prev = be16_to_cpu(hdr->inner.prev);
	info->dsn = be32_to_cpu(hdr->inner.dsn);
	info->flags = flags_time >> MPTUN_TIME_BITS;
	info->time = flags_time & MPTUN_TIME_MASK;
	info->bytes = skb->len + session->open.ops->tag +
		      sizeof(struct udphdr);
	info->ds = mptun_recv_ds(skb);
	info->newest = false;
	info->moved = false;
}

static void mptun_recv_bye(struct mptun_path *path, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = path->tunnel;

	/* Only the worker may end an association. */
	skb_push(skb, sizeof(struct mptun_packet));
	mptun_tunnel_queue_work(tunnel, skb);
}

static bool mptun_recv_has_blocks(const struct mptun_recv_info *info)
{
	return info->kind == MPTUN_KIND_REPORT || info->kind == MPTUN_KIND_SET;
}

/* Is a control number credible and new?  Returns 0, or the reason to drop the
 * packet.
 */
static unsigned int mptun_recv_number(struct mptun_tunnel *tunnel,
				      struct mptun_recv_info *info,
				      struct mptun_replay *window)
{
	lockdep_assert_held(&tunnel->rx.lock);
	if (!mptun_tunnel_sealed(tunnel) && info->path &&
	    mptun_replay_filter(window, info->number) == MPTUN_REPLAY_DROP)
		return MPTUN_A_DROP_STATS_RX_JUMP;
	if (!mptun_replay_update(window, info->number))
		return MPTUN_A_DROP_STATS_RX_REPLAY;
	info->newest = window->next == info->number + 1;
	return 0;
}

/* What anybody can repeat keeps no learned path alive. */
static void mptun_recv_alive(struct mptun_path *path, u32 time, u64 now)
{
	path->rx.last_ns = now;
	mptun_playout_sample(&path->rx.playout, time, now);
}

/* Takes in the blocks of a control packet. */
static unsigned int mptun_recv_blocks(struct mptun_tunnel *tunnel,
				      struct mptun_recv_info *info,
				      struct sk_buff *skb,
				      struct mptun_replay *window)
{
	struct mptun_blocks blocks;
	u64 now = mptun_now();
	unsigned int reason;
	int err;

	err = skb_linearize(skb) ?:
	      mptun_blocks_parse(&blocks, skb->data, skb->len);
	spin_lock(&tunnel->rx.lock);
	reason = mptun_recv_number(tunnel, info, window);
	if (!reason && info->path)
		mptun_recv_alive(info->path, info->time, now);
	if (!reason && !err)
		err = mptun_blocks_apply_rx(tunnel, &blocks, now);
	spin_unlock(&tunnel->rx.lock);
	if (reason)
		return reason;
	if (!err)
		err = mptun_blocks_apply_tx(tunnel, info->path, &blocks, now);
	return err ? MPTUN_A_DROP_STATS_RX_MALFORMED : 0;
}

/* Takes in a PROBE or BYE of a path. */
static unsigned int mptun_recv_probe(struct mptun_recv_info *info,
				     struct sk_buff **skb)
{
	struct mptun_path *path = info->path;
	struct mptun_tunnel *tunnel = path->tunnel;
	unsigned int reason;

	spin_lock(&tunnel->rx.lock);
	reason = mptun_recv_number(tunnel, info, &path->rx.control.window);
	if (!reason)
		mptun_recv_alive(path, info->time, mptun_now());
	spin_unlock(&tunnel->rx.lock);
	if (reason)
		return reason;
	if (info->kind == MPTUN_KIND_PROBE)
		return mptun_probe_receive(path, *skb) ?
		       MPTUN_A_DROP_STATS_RX_MALFORMED : 0;
	mptun_recv_bye(path, *skb);
	*skb = NULL;
	return 0;
}

static void mptun_recv_control(struct mptun_recv_info *info,
			       struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	unsigned int reason;

	if (mptun_recv_has_blocks(info))
		reason = mptun_recv_blocks(path->tunnel, info, skb,
					   &path->rx.control.window);
	else
		reason = mptun_recv_probe(info, &skb);
	if (reason != MPTUN_A_DROP_STATS_RX_REPLAY &&
	    reason != MPTUN_A_DROP_STATS_RX_JUMP) {
		atomic64_inc(&path->rx_control);
		atomic64_add(info->bytes, &path->control_bytes);
	}
	if (reason)
		mptun_drop(&path->tunnel->drops, skb, reason);
	else
		consume_skb(skb);
}

/* Control about the association: only a path that the peer has forgotten. */
static void mptun_recv_about(struct mptun_tunnel *tunnel,
			     struct mptun_recv_info *info, struct sk_buff *skb)
{
	unsigned int reason = MPTUN_A_DROP_STATS_RX_KIND;

	info->path = NULL;
	if (info->control && info->kind == MPTUN_KIND_SET)
		reason = mptun_recv_blocks(tunnel, info, skb,
					   &tunnel->assoc.window.window);
	if (reason)
		mptun_drop(&tunnel->drops, skb, reason);
	else
		consume_skb(skb);
}

/* No path of ours, or not of this association: a path the peer opens, or
 * numbers otherwise than we do.
 */
static void mptun_recv_strange(struct mptun_tunnel *tunnel,
			       const struct mptun_recv_info *info,
			       struct sk_buff *skb, unsigned int reason)
{
	if (info->kind == MPTUN_KIND_PROBE)
		mptun_tunnel_queue_work(tunnel, skb);
	else
		mptun_drop(&tunnel->drops, skb, reason);
}

/* Is the session of the present association? It may be the first packet by
 * which we know that the peer has it.
 */
static bool mptun_recv_associated(struct mptun_session *session)
{
	if (!mptun_session_matches(session))
		return false;
	if (!READ_ONCE(session->heard))
		mptun_session_heard(session);
	return true;
}

static void mptun_recv_on_path(struct mptun_recv_info *info,
			       struct sk_buff *skb)
{
	skb_pull(skb, sizeof(struct mptun_packet));
	if (info->control)
		mptun_recv_control(info, skb);
	else
		mptun_recv_data(info, skb);
}

/* A packet of a path; it may come from elsewhere than the path leads to. */
static void mptun_recv_from(struct mptun_recv_info *info, struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	struct mptun_endpoint from, *ep;

	ep = rcu_dereference(path->endpoint);
	if (likely(mptun_endpoint_is_source(ep, skb))) {
		mptun_recv_on_path(info, skb);
		return;
	}
	if (!mptun_roam_allowed(path)) {
		mptun_drop(&path->tunnel->drops, skb,
			   MPTUN_A_DROP_STATS_RX_SOURCE);
		return;
	}
	mptun_endpoint_of(skb, &from);
	info->moved = true;
	mptun_recv_on_path(info, skb);
	if (info->newest)
		mptun_roam_notice(path, &from);
}

/**
 * mptun_recv_opened() - a PACKET is genuine
 * @session: its session
 * @skb: the packet, at its outer header, without its tag; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_recv_opened(struct mptun_session *session, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_recv_info info;

	mptun_recv_parse(session, skb, &info);
	if (!mptun_parse_known(info.kind, info.control, info.flags)) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_KIND);
		return;
	}
	if (!mptun_recv_associated(session)) {
		mptun_recv_strange(tunnel, &info, skb,
				   MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION);
		return;
	}
	if (info.wire_id == MPTUN_WIRE_ID_NONE) {
		skb_pull(skb, sizeof(struct mptun_packet));
		mptun_recv_about(tunnel, &info, skb);
		return;
	}
	info.path = mptun_path_by_wire(tunnel, info.wire_id);
	if (!info.path) {
		mptun_recv_strange(tunnel, &info, skb,
				   MPTUN_A_DROP_STATS_RX_NO_PATH);
		return;
	}
	mptun_recv_from(&info, skb);
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
	struct mptun_net *mn = mptun_net(sock_net(sk));
	const struct mptun_outer *outer;
	struct mptun_session *session;
	struct mptun_outer buffer;

	if (!port) {
		kfree_skb(skb);
		return 0;
	}
	skb_pull(skb, sizeof(struct udphdr));
	outer = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	if (!outer) {
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_SHORT);
		return 0;
	}
	if (!mptun_parse_outer(outer)) {
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_VERSION);
		return 0;
	}
	if (outer->type != MPTUN_TYPE_PACKET) {
		mptun_recv_handshake(mn, port, skb);
		return 0;
	}
	session = mptun_net_session(mn, be32_to_cpu(outer->receiver));
	if (session)
		mptun_decrypt(session, skb);
	else
		mptun_drop(&port->drops, skb, MPTUN_A_DROP_STATS_RX_UNKNOWN);
	return 0;
}
