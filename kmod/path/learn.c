// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Learning: paths that the peer opens, and paths both ends opened.
 *
 * The model: a probe bears a number we do not know.  If one of our paths leads
 * to where it came from, both ends opened the same path and gave it a number
 * each; the lower one wins, and both ends come to this result by themselves.
 * Otherwise the peer has opened a path of its own, which is accepted if the
 * tunnel is told to learn: so a server needs no settings for the uplinks of
 * its clients.
 *
 * Numbers are never used again within an association.  A number of ours that
 * we do not know has been given up; one of the peer's replaces another of the
 * peer's only if it is newer.  One that the peer goes on using though we have
 * forgotten it, for a path that was silent for long, is refused, so that the
 * peer takes another one.
 *
 * A path that has a number gets another one only when the peer has answered a
 * challenge under it: a forged or damaged probe would part the ends for good.
 * Until then the peer's probe is not answered, for the peer would take the
 * path into use.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

static bool mptun_learn_wins(const struct mptun_tunnel *tunnel,
			     const struct mptun_path *path, u16 wire_id)
{
	if (!path->wire_id || !mptun_wire_id_is_peers(tunnel, path->wire_id))
		return !path->wire_id || wire_id < path->wire_id;
	return wire_id > path->wire_id;
}

/* A name for a path of the peer; the administrator may have used the first one
 * for his own.
 */
static void mptun_learn_name(struct mptun_tunnel *tunnel,
			     struct mptun_path_config *config, u16 wire_id)
{
	unsigned int i = 0;

	snprintf(config->name, sizeof(config->name), "peer%u", wire_id);
	while (mptun_path_find(tunnel, config->name))
		snprintf(config->name, sizeof(config->name), "peer%u.%u",
			 wire_id, ++i);
}

static struct mptun_path *mptun_learn_create(struct mptun_tunnel *tunnel,
					     const struct mptun_endpoint *from,
					     u16 wire_id)
{
	struct mptun_path_config config = {
		.family = from->family,
		.remote = from->remote,
		.remote_port = ntohs(from->remote_port),
		.scope = from->ifindex,
		.local = from->local,
		.local_port = ntohs(from->local_port),
		.weight = MPTUN_DEFAULT_WEIGHT,
		.spill_us = MPTUN_SPILL_OFF,
		.enabled = true,
	};
	struct mptun_path *path;

	mptun_learn_name(tunnel, &config, wire_id);
	path = mptun_path_create(tunnel, &config, true, NULL);
	if (IS_ERR(path))
		return path;
	mptun_path_associate(path, wire_id);
	mptun_path_try(path, MPTUN_PATH_REASON_LEARNED);
	return path;
}

/* The number was used before.  Without a key it may be used again. */
static bool mptun_learn_used(struct mptun_tunnel *tunnel, u16 wire_id)
{
	return !mptun_wire_id_claim(tunnel, wire_id) &&
	       mptun_tunnel_sealed(tunnel);
}

/* To where the probe came from: we may have no path to the peer. */
static void mptun_learn_refuse(struct mptun_tunnel *tunnel,
			       const struct mptun_endpoint *from, u16 wire_id)
{
	struct mptun_endpoint ep = *from;
	struct mptun_status *status;
	struct sk_buff *skb;

	ep.port = tunnel->port;
	if (htons(ep.port->number) != ep.local_port)
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
	mptun_control_reply(tunnel, &ep, skb, MPTUN_KIND_SET);
	mptun_leave();
}

/* The path gets the peer's number, unless that was used before: then the peer
 * has missed the end of a path, and would go on probing what nobody knows.
 */
static bool mptun_learn_take(struct mptun_tunnel *tunnel,
			     struct mptun_path *path,
			     const struct mptun_endpoint *from, u16 wire_id)
{
	if (mptun_learn_used(tunnel, wire_id)) {
		mptun_learn_refuse(tunnel, from, wire_id);
		return false;
	}
	mptun_path_associate(path, wire_id);
	return true;
}

/* Our path bears another number than the peer's probe. Return: whether the
 * probe is to be taken in now.
 */
static bool mptun_learn_number(struct mptun_tunnel *tunnel,
			       struct mptun_path *path,
			       const struct mptun_endpoint *from, u16 wire_id,
			       struct sk_buff *skb)
{
	if (!mptun_learn_wins(tunnel, path, wire_id))
		return true;
	if (!path->wire_id) {
		if (!mptun_learn_take(tunnel, path, from, wire_id))
			return false;
		mptun_path_try(path, MPTUN_PATH_REASON_PEER);
		return true;
	}
	if (mptun_probe_proves(path, skb))
		return mptun_learn_take(tunnel, path, from, wire_id);
	mptun_enter();
	mptun_probe_challenge(path, wire_id);
	mptun_leave();
	return false;
}

/* The path a probe with an unknown number is for, or why there is none. */
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
		return mptun_learn_number(tunnel, path, from, wire_id, skb) ?
		       path : NULL;
	if (!tunnel->config.learn)
		return NULL;
	if (mptun_learn_used(tunnel, wire_id)) {
		mptun_learn_refuse(tunnel, from, wire_id);
		return NULL;
	}
	path = mptun_learn_create(tunnel, from, wire_id);
	if (!IS_ERR(path))
		return path;
	*reason = PTR_ERR(path) == -ENOSPC || PTR_ERR(path) == -EBUSY ?
		  MPTUN_A_DROP_STATS_RX_PATH_LIMIT :
		  MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	return NULL;
}

static bool mptun_learn_fresh(struct mptun_tunnel *tunnel,
			      struct mptun_replay *window, u64 number)
{
	bool fresh;

	spin_lock_bh(&tunnel->rx.lock);
	fresh = mptun_replay_update(window, number & MPTUN_NUMBER_PN_MASK);
	spin_unlock_bh(&tunnel->rx.lock);
	return fresh;
}

/* While the number leads to no path of ours nothing else would tell whether the
 * probe is a copy. In clear mode there are no such numbers, and no such copies:
 * anybody can make as many as he likes.
 */
static bool mptun_learn_stray_fresh(struct mptun_tunnel *tunnel, u64 number)
{
	return !mptun_tunnel_sealed(tunnel) ||
	       mptun_learn_fresh(tunnel, &tunnel->assoc.window.window, number);
}

/* The probe counts as the first packet of the path. That it has waited for a
 * worker makes its delay a little too large.
 */
static bool mptun_learn_first(struct mptun_path *path,
			      const struct mptun_packet *hdr)
{
	u32 time = be32_to_cpu(hdr->inner.flags_time) & MPTUN_TIME_MASK;
	struct mptun_rx *rx = &path->tunnel->rx;

	if (!mptun_learn_fresh(path->tunnel, &path->rx.control.window,
			       be64_to_cpu(hdr->outer.number)))
		return false;
	spin_lock_bh(&rx->lock);
	mptun_playout_sample(&path->rx.playout, time, mptun_now());
	spin_unlock_bh(&rx->lock);
	return true;
}

/**
 * mptun_learn() - a probe with a number that was unknown when it arrived
 * @tunnel: the tunnel, up, its association established
 * @skb: the probe, opened, of a session of that, linear, at its outer header;
 *	stays the caller's
 */
void mptun_learn(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	const struct mptun_packet *hdr = (const void *)skb->data;
	u64 number = be64_to_cpu(hdr->outer.number);
	unsigned int reason = MPTUN_A_DROP_STATS_RX_REPLAY;
	struct mptun_endpoint from;
	struct mptun_path *path;
	u16 wire_id;
	int err;

	lockdep_assert_held(&tunnel->lock);
	wire_id = number >> MPTUN_NUMBER_PATH_SHIFT;
	mptun_endpoint_of(skb, &from);
	skb_pull(skb, sizeof(struct mptun_packet));
	mptun_enter();
	path = mptun_path_by_wire(tunnel, wire_id);
	mptun_leave();
	if (!path && mptun_learn_stray_fresh(tunnel, number))
		path = mptun_learn_path(tunnel, &from, wire_id, skb, &reason);
	if (path && path->wire_id == wire_id &&
	    !mptun_learn_first(path, hdr)) {
		reason = MPTUN_A_DROP_STATS_RX_REPLAY;
		path = NULL;
	}
	if (!path) {
		mptun_drop_count(&tunnel->drops, reason);
		return;
	}

	mptun_enter();
	err = mptun_probe_receive(path, skb);
	mptun_leave();
	if (err)
		mptun_drop_count(&tunnel->drops,
				 MPTUN_A_DROP_STATS_RX_MALFORMED);
}
