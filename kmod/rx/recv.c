// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Receive: from the UDP sockets to the path of a packet.
 *
 * A packet passes these stations:
 *
 *	mptun_recv()		datagram of a port: look up the session
 *	mptun_decrypt()		PACKET: authenticate and decrypt (rx/decrypt.c)
 *	mptun_recv_opened()	look up the path, check the source address
 *	mptun_input()		control: apply it (rx/input.c)
 *	mptun_decap()		DATA: turn it into an inner packet (rx/decap.c)
 *	  rx.arrived		queue for the NAPI instance of the tunnel
 *	mptun_order_arrived()	account, pass through the ring (rx/order.c)
 *	  rx.playout		early packets of classes with playout
 *	  rx.ready		queue of what the ring released, in order
 *	mptun_napi_poll()	pass to the stack (rx/napi.c)
 *
 * Up to rx.arrived, DATA without blocks needs RCU and no lock of the tunnel; it
 * is processed on the CPU it arrives on, in softirq context.  Handshakes and
 * probes of unknown paths go to the tunnel's worker: they change state that is
 * protected by mptun_tunnel.lock, a mutex.
 */
#include <linux/udp.h>
#include <net/ip_tunnels.h>
#include <net/sock.h>

#include "base/skb_cb.h"
#include "core/session.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "transport/transport.h"
#include "wire/parse.h"

/* Reads both headers; the packet is at its outer header and long enough. */
static void mptun_recv_parse(const struct mptun_session *session,
			     const struct sk_buff *skb,
			     struct mptun_recv_info *info)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number);
	u32 flags_time = be32_to_cpu(hdr->inner.flags_time);

	info->path = NULL;
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
	info->ds = ip_hdr(skb)->version == 4 ?
		   ipv4_get_dsfield(ip_hdr(skb)) :
		   ipv6_get_dsfield(ipv6_hdr(skb));
	info->newest = false;
	info->moved = false;
}

/* Returns true if a packet comes from another address than the path's.  A path
 * that the peer opened also has the local one of its packets, and their VRF
 * unless it works in another one.
 */
static bool mptun_recv_moved(const struct mptun_path *path,
			     const struct sk_buff *skb)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	struct net *net = READ_ONCE(path->tunnel->net);
	struct mptun_endpoint from;

	if (!mptun_endpoint_is_source(ep, skb))
		return true;
	if (!READ_ONCE(path->learned))
		return false;
	if (!mptun_endpoint_is_local(ep, skb))
		return true;
	if (mptun_path_up(path))
		return false;
	mptun_endpoint_of(skb, &from);
	return mptun_endpoint_back(ep, &from, net) != ep->ifindex;
}

/* Passes a packet on; it may come from another address than the path's. */
static void mptun_recv_path(struct mptun_recv_info *info, struct sk_buff *skb)
{
	struct mptun_path *path = info->path;
	struct mptun_endpoint from;

	info->moved = mptun_recv_moved(path, skb);
	if (unlikely(info->moved)) {
		if (!mptun_roam_allowed(path)) {
			mptun_drop(&path->tunnel->drops, skb,
				   MPTUN_A_DROP_STATS_RX_SOURCE);
			return;
		}
		mptun_endpoint_of(skb, &from);
	} else if (unlikely(READ_ONCE(path->allowance) !=
			    MPTUN_ALLOWANCE_PROVED)) {
		mptun_liveness_allow(path, info->bytes);
	}
	skb_pull(skb, sizeof(struct mptun_packet));
	if (info->control)
		mptun_input(path->tunnel, info, skb);
	else
		mptun_decap(info, skb);
	/* The challenge must not be larger than what came. */
	if (unlikely(info->moved && info->newest &&
		     info->bytes >= mptun_probe_bytes(path->tunnel)))
		mptun_roam_notice(path, info->wire_id, &from);
}

/* Passes a probe of an unknown path to the worker.  A replay of one of the
 * association is dropped here: anyone can record it, and it would take a place
 * of the queue.  The worker checks one that begins an association.
 */
static void mptun_recv_probe(struct mptun_tunnel *tunnel,
			     const struct mptun_recv_info *info,
			     struct sk_buff *skb, bool associated)
{
	bool fresh = false;

	if (associated && mptun_tunnel_sealed(tunnel)) {
		spin_lock(&tunnel->rx.lock);
		fresh = mptun_tunnel_control_fresh(tunnel,
						   &tunnel->assoc.window,
						   info->number, mptun_now());
		spin_unlock(&tunnel->rx.lock);
		if (!fresh) {
			mptun_drop(&tunnel->drops, skb,
				   MPTUN_A_DROP_STATS_RX_REPLAY);
			return;
		}
	}
	mptun_rxcb(skb)->fresh = fresh;
	mptun_tunnel_queue(tunnel, &tunnel->work_probes, skb,
			   MPTUN_A_DROP_STATS_RX_PROBE_LIMIT);
}

/**
 * mptun_recv_opened() - receive a PACKET that has been authenticated
 * @session: its session
 * @skb: the packet, at its outer header, without its tag; consumed
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_recv_opened(struct mptun_session *session, struct sk_buff *skb)
{
	struct mptun_tunnel *tunnel = session->tunnel;
	struct mptun_recv_info info;
	unsigned int reason;

	mptun_recv_parse(session, skb, &info);
	reason = MPTUN_A_DROP_STATS_RX_KIND;
	if (!mptun_parse_known(info.kind, info.control, info.flags))
		goto drop;

	reason = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION;
	if (!mptun_session_matches(session))
		goto unknown;
	if (!READ_ONCE(session->heard))
		mptun_session_heard(session);
	/* the first data packet of a session */
	if (unlikely(!info.control && !READ_ONCE(session->used))) {
		spin_lock(&tunnel->tx.lock);
		mptun_session_use(session);
		spin_unlock(&tunnel->tx.lock);
	}

	if (info.wire_id == MPTUN_WIRE_ID_NONE) {
		/* The peer refuses a path that it has forgotten. */
		reason = MPTUN_A_DROP_STATS_RX_KIND;
		if (!info.control || info.kind != MPTUN_KIND_SET)
			goto drop;
		skb_pull(skb, sizeof(struct mptun_packet));
		mptun_input(tunnel, &info, skb);
		return;
	}

	reason = MPTUN_A_DROP_STATS_RX_NO_PATH;
	info.path = mptun_path_by_wire(tunnel, info.wire_id);
	if (!info.path)
		goto unknown;
	mptun_recv_path(&info, skb);
	return;

unknown:
	/* The peer opens a path, or gives it another id than we do. */
	if (info.kind == MPTUN_KIND_PROBE) {
		mptun_recv_probe(tunnel, &info, skb,
				 reason == MPTUN_A_DROP_STATS_RX_NO_PATH);
		return;
	}
drop:
	mptun_drop(&tunnel->drops, skb, reason);
}

/**
 * mptun_recv() - receive a datagram at a port
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
	unsigned int reason;

	if (!port) {
		kfree_skb(skb);
		return 0;
	}
	skb_pull(skb, sizeof(struct udphdr));
	reason = MPTUN_A_DROP_STATS_RX_SHORT;
	outer = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	if (!outer)
		goto drop;
	reason = MPTUN_A_DROP_STATS_RX_VERSION;
	if (!mptun_parse_outer(outer))
		goto drop;
	if (outer->type != MPTUN_TYPE_PACKET) {
		mptun_recv_handshake(mn, port, skb);
		return 0;
	}
	reason = MPTUN_A_DROP_STATS_RX_UNKNOWN;
	session = mptun_net_session(mn, be32_to_cpu(outer->receiver));
	if (!session)
		goto drop;
	mptun_decrypt(session, skb);
	return 0;

drop:
	mptun_drop(&port->drops, skb, reason);
	return 0;
}
