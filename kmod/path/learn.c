// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Learn: paths that the peer opens, and paths that both ends open.
 *
 * A probe with an unknown path id begins here.  If one of our paths has its
 * addresses, both ends opened the same path and each gave it an id: the lower
 * one wins, which both ends find without negotiation.  Otherwise the peer
 * opened a path, which is accepted if the tunnel has "learn" on: a server then
 * needs no settings for the uplinks of its clients.
 *
 * Ids are not reused within an association.  An id of our half that is unknown
 * belongs to a deleted path; one of the peer's half replaces another of them
 * only if it is newer.  An id that the peer still uses after this end deleted
 * its long silent path is refused, and the peer takes another one.
 *
 * A path with an id gets another one only after the peer has answered a
 * challenge under it: otherwise a forged or corrupted probe could separate the
 * ends for good.  Until then the probe is not answered, because an answer would
 * let the peer use the path.
 *
 * All of it runs in the tunnel's worker, under mptun_tunnel.lock.
 */
#include "base/skb_cb.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/* Returns true if the peer's id replaces that of our path. */
static bool mptun_learn_wins(const struct mptun_tunnel *tunnel,
			     const struct mptun_path *path, u16 wire_id)
{
	if (!path->wire_id || !mptun_wire_id_is_peers(tunnel, path->wire_id))
		return !path->wire_id || wire_id < path->wire_id;
	return wire_id > path->wire_id;
}

/**
 * mptun_learn_name() - name a learned path after its id
 * @tunnel: the tunnel
 * @name: filled, MPTUN_PATH_NAME_MAX + 1 bytes
 * @wire_id: path id
 *
 * The administrator may have used the name.
 */
void mptun_learn_name(struct mptun_tunnel *tunnel, char *name, u16 wire_id)
{
	unsigned int i = 0;

	snprintf(name, MPTUN_PATH_NAME_MAX + 1, "peer%u", wire_id);
	while (mptun_path_find(tunnel, name))
		snprintf(name, MPTUN_PATH_NAME_MAX + 1, "peer%u.%u", wire_id,
			 ++i);
}

/* Returns the control number of a probe, which is at its body. */
static u64 mptun_learn_control(const struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;

	return be64_to_cpu(hdr[-1].outer.number) & MPTUN_NUMBER_PN_MASK;
}

static struct mptun_path *mptun_learn_create(struct mptun_tunnel *tunnel,
					     const struct mptun_endpoint *from,
					     u16 wire_id,
					     const struct sk_buff *skb)
{
	struct mptun_path_config config = {
		.family = from->family,
		.remote = from->remote,
		.remote_port = ntohs(from->remote_port),
		.scope = mptun_endpoint_scope(from, tunnel->net),
		.local = from->local,
		.local_port = ntohs(from->local_port),
		.weight = MPTUN_DEFAULT_WEIGHT,
		.spill_us = MPTUN_SPILL_OFF,
		.enabled = true,
	};
	struct mptun_path *path;

	mptun_learn_name(tunnel, config.name, wire_id);
	path = mptun_path_create(tunnel, &config, true, NULL);
	if (IS_ERR(path))
		return path;
	mptun_path_opened(path, wire_id, mptun_learn_control(skb));
	mptun_path_try(path, MPTUN_PATH_REASON_LEARNED);
	return path;
}

/* Marks an id of the peer as used.  Returns true if it was used before;
 * without a key it may be reused.
 */
static bool mptun_learn_claim(struct mptun_tunnel *tunnel, u16 wire_id)
{
	lockdep_assert_held(&tunnel->lock);
	return __test_and_set_bit(wire_id >> 1, tunnel->assoc.claimed) &&
	       mptun_tunnel_sealed(tunnel);
}

/* Refuses a path id.  The reply goes to the source of the probe, as there may
 * be no path to the peer.
 */
static void mptun_learn_refuse(struct mptun_tunnel *tunnel,
			       const struct mptun_endpoint *from, u16 wire_id)
{
	struct mptun_endpoint ep = *from;
	struct mptun_status *status;
	struct sk_buff *skb;

	ep.port = mptun_path_port(tunnel, ep.local_port);
	ep.mark = tunnel->config.fwmark;
	ep.ifindex = mptun_endpoint_scope(from, tunnel->net);
	if (!ep.port)
		return;
	skb = mptun_control_alloc(sizeof(struct mptun_block) +
				  sizeof(*status));
	if (!skb)
		return;
	status = mptun_control_block(skb, MPTUN_BLOCK_STATUS,
				     sizeof(*status));
	status->path = cpu_to_be16(wire_id);
	status->status = cpu_to_be16(MPTUN_STATUS_ABANDON);
	mptun_enter();
	mptun_control_send_to(tunnel, NULL, MPTUN_WIRE_ID_NONE, &ep, skb,
			      MPTUN_KIND_SET);
	mptun_leave();
}

/* Resolves the ids of our path and of the peer's probe; returns true if the
 * probe can be processed now.  A used id is refused: the peer has missed
 * that its path was deleted, and would probe it without end.
 */
static bool mptun_learn_id(struct mptun_tunnel *tunnel, struct mptun_path *path,
			   const struct mptun_endpoint *from, u16 wire_id,
			   struct sk_buff *skb)
{
	const struct mptun_endpoint *ep;
	struct mptun_endpoint to = *from;
	bool first = !path->wire_id;

	if (!mptun_learn_wins(tunnel, path, wire_id))
		return true;
	if (!first && !mptun_probe_proves(path, skb)) {
		to.port = mptun_path_port(tunnel, to.local_port);
		if (!to.port)
			return false;
		ep = mptun_path_endpoint(path);
		to.ifindex = mptun_endpoint_back(ep, from, tunnel->net);
		mptun_enter();
		mptun_probe_challenge(path, &to, wire_id);
		mptun_leave();
		return false;
	}
	if (mptun_learn_claim(tunnel, wire_id)) {
		mptun_learn_refuse(tunnel, from, wire_id);
		return false;
	}
	mptun_path_opened(path, wire_id, mptun_learn_control(skb));
	if (first)
		mptun_path_try(path, MPTUN_PATH_REASON_PEER);
	return true;
}

/* Returns the path of a probe with an unknown id, or NULL and a reason. */
static struct mptun_path *mptun_learn_path(struct mptun_tunnel *tunnel,
					   const struct mptun_endpoint *from,
					   u16 wire_id, struct sk_buff *skb,
					   unsigned int *reason)
{
	struct mptun_path *path;

	*reason = MPTUN_A_DROP_STATS_RX_NO_PATH;
	if (!mptun_wire_id_is_peers(tunnel, wire_id))
		return NULL;
	path = mptun_path_by_tuple(tunnel, from);
	if (path)
		return mptun_learn_id(tunnel, path, from, wire_id, skb) ?
		       path : NULL;
	if (!tunnel->config.learn)
		return NULL;
	if (mptun_learn_claim(tunnel, wire_id)) {
		mptun_learn_refuse(tunnel, from, wire_id);
		return NULL;
	}
	path = mptun_learn_create(tunnel, from, wire_id, skb);
	if (!IS_ERR(path))
		return path;
	*reason = PTR_ERR(path) == -ENOSPC || PTR_ERR(path) == -EBUSY ?
		  MPTUN_A_DROP_STATS_RX_PATH_LIMIT :
		  MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	return NULL;
}

static bool mptun_learn_fresh(struct mptun_tunnel *tunnel,
			      struct mptun_replay_space *space,
			      const struct sk_buff *skb)
{
	bool fresh;

	spin_lock_bh(&tunnel->rx.lock);
	fresh = mptun_tunnel_control_fresh(tunnel, space,
					   mptun_learn_control(skb),
					   mptun_now());
	spin_unlock_bh(&tunnel->rx.lock);
	return fresh;
}

/* Accounts the probe on its path.  Waiting for the worker made its delay
 * slightly too large.  The packet number has passed a window if the path got
 * its id by this probe (@begins), or if the association's window accepted it
 * when it arrived: the path's window, a copy of that, may contain it.
 */
static bool mptun_learn_account(struct mptun_path *path,
				const struct mptun_packet *hdr,
				const struct sk_buff *skb, bool begins)
{
	u32 time = be32_to_cpu(hdr->inner.flags_time) & MPTUN_TIME_MASK;
	struct mptun_rx *rx = &path->tunnel->rx;
	bool fresh;

	fresh = mptun_learn_fresh(path->tunnel, &path->rx.control, skb);
	if (!begins && !fresh && !mptun_rxcb(skb)->fresh)
		return false;
	spin_lock_bh(&rx->lock);
	mptun_playout_sample(&path->rx.playout, time, mptun_now());
	spin_unlock_bh(&rx->lock);
	return true;
}

/**
 * mptun_learn() - process a probe whose path id was unknown when it arrived
 * @tunnel: the tunnel, up, its association established
 * @skb: the decrypted probe of that association, linear, at its outer header;
 *	remains owned by the caller; mptun_rx_cb.fresh is set if its number has
 *	passed the window of the association
 */
void mptun_learn(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number);
	unsigned int reason = MPTUN_A_DROP_STATS_RX_REPLAY;
	struct mptun_endpoint from;
	struct mptun_path *path;
	bool newest = false;
	bool begins;
	u16 wire_id;
	int err;

	lockdep_assert_held(&tunnel->lock);
	wire_id = number >> MPTUN_NUMBER_PATH_SHIFT;
	/* Before it can open a path */
	if (skb->len < sizeof(*hdr) + sizeof(struct mptun_probe)) {
		mptun_drop_add(&tunnel->drops,
			       MPTUN_A_DROP_STATS_RX_MALFORMED, 1);
		return;
	}
	mptun_endpoint_of(skb, &from);
	skb_pull(skb, sizeof(struct mptun_packet));
	mptun_enter();
	path = mptun_path_by_wire(tunnel, wire_id);
	mptun_leave();
	begins = !path;
	/* Without a path, the window of the association detects replays.  In
	 * clear mode, where anyone can make new probes, it is not used.
	 */
	if (!path && (mptun_rxcb(skb)->fresh || !mptun_tunnel_sealed(tunnel) ||
		      mptun_learn_fresh(tunnel, &tunnel->assoc.window, skb)))
		path = mptun_learn_path(tunnel, &from, wire_id, skb, &reason);
	if (path && path->wire_id == wire_id &&
	    !mptun_learn_account(path, hdr, skb, begins)) {
		reason = MPTUN_A_DROP_STATS_RX_REPLAY;
		path = NULL;
	}
	if (!path) {
		mptun_drop_add(&tunnel->drops, reason, 1);
		return;
	}

	mptun_enter();
	err = mptun_probe_receive(path, path->wire_id, skb, &newest);
	mptun_leave();
	if (err)
		mptun_drop_add(&tunnel->drops,
			       MPTUN_A_DROP_STATS_RX_MALFORMED, 1);
}
