// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Roam: a path follows the peer to another address.
 *
 * A NAT loses a mapping, or a provider assigns another address, and the packets
 * of a path come from a new address.  They are authentic and are accepted, but
 * the address may be that of an attacker who forwards the peer's packets faster
 * than the path.  The newest packet from another address therefore challenges
 * both the new and the old address, with different tokens.  The path moves when
 * the new address answers before the old one, and back if the old one answers
 * later.  Before an address has answered, only the challenge is sent to it, and
 * only for a packet of at least its size: so no more than was received from
 * there.  A probe earns either the challenge or its answer (path/probe.c).
 *
 * A path that does not work tries other source ports (path/heal.c), which makes
 * it move here.  A path that the peer opened also follows the packets to
 * another local address: the peer expects answers from the one that it sends
 * to, and the former one may be gone.  While it does not work, it follows them
 * from one VRF to another as well: its device may have entered or left one.
 *
 * Another IP address is another network, whose round-trip time and rate are
 * unknown; another port alone is the same network.
 *
 * mptun_tx.lock protects the state.  Once the new address is proved, that
 * address stays until the worker has moved the path, under mptun_tunnel.lock.
 */
#include <linux/random.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_roam_allowed() - check whether a path may move to another address
 * @path: the path
 *
 * Return: true with a key, or if the peer may open paths.
 */
bool mptun_roam_allowed(const struct mptun_path *path)
{
	const struct mptun_tunnel *tunnel = path->tunnel;

	return mptun_tunnel_sealed(tunnel) || READ_ONCE(tunnel->config.learn);
}

static void mptun_roam_address(struct mptun_roam_address *to,
			       const struct mptun_endpoint *ep)
{
	to->family = ep->family;
	to->remote = ep->remote;
	to->remote_port = ep->remote_port;
	to->local = ep->local;
	to->local_port = ep->local_port;
	to->ifindex = ep->ifindex;
}

static bool mptun_roam_same(const struct mptun_roam_address *a,
			    const struct mptun_roam_address *b)
{
	return a->family == b->family && a->remote_port == b->remote_port &&
	       a->local_port == b->local_port && a->ifindex == b->ifindex &&
	       mptun_endpoint_same_addr(a->family, &a->remote, &b->remote) &&
	       mptun_endpoint_same_addr(a->family, &a->local, &b->local);
}

/* Begins to examine an address, or repeats its challenge.  Sets the tokens of
 * both challenges.  An answer may take longer than the pause between
 * challenges.  So a repeated challenge has the same token.
 */
static bool mptun_roam_begin(struct mptun_path *path, u16 wire_id,
			     const struct mptun_endpoint *from, u64 now,
			     u64 *token, u64 *old_token)
{
	struct mptun_roam *roam = &path->roam;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_roam_address to = {};
	bool begin;

	mptun_roam_address(&to, from);
	spin_lock(&tx->lock);
	begin = mptun_path_may_roam(path, wire_id, now);
	if (begin) {
		if (now >= roam->until_ns || !roam->old_token ||
		    !mptun_roam_same(&roam->to, &to)) {
			roam->to = to;
			roam->token = get_random_u64();
			roam->old_token = get_random_u64();
		}
		*token = roam->token;
		*old_token = roam->old_token;
		roam->until_ns = now + MPTUN_SESSION_LINGER_NS;
		roam->ignore_ns = now + (u64)NSEC_PER_USEC *
				mptun_rtt_pto_us(&path->tx.rtt);
	}
	spin_unlock(&tx->lock);
	return begin;
}

/**
 * mptun_roam_notice() - the newest packet of a path has another source address
 * @path: the path
 * @wire_id: path id in the packet
 * @from: the address
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_roam_notice(struct mptun_path *path, u16 wire_id,
		       const struct mptun_endpoint *from)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	struct net *net = READ_ONCE(path->tunnel->net);
	struct mptun_endpoint to = *from;
	u64 token, old_token;

	/* A path that the peer opened answers from the local port at which the
	 * packet arrived, if that is known; ours stay at theirs, or both ends
	 * might leave the port that the other one takes.
	 */
	if (!READ_ONCE(path->learned) || from->local_port == ep->local_port)
		to.port = ep->port;
	else if (from->local_port == htons(path->tunnel->port->number))
		to.port = path->tunnel->port;
	else
		return;
	to.local_port = htons(to.port->number);
	to.ifindex = mptun_endpoint_scope(from, net);
	to.mark = ep->mark;
	if (!mptun_roam_begin(path, wire_id, &to, mptun_now(), &token,
			      &old_token))
		return;
	to.ifindex = mptun_endpoint_back(ep, from, net);
	mptun_probe_send(path, &to, token);
	mptun_probe_send(path, NULL, old_token);
}

/* Returns true if an answer belongs to the examination.  That of the old
 * address ends it; that of the new one makes the worker move the path.
 */
static bool mptun_roam_judge(struct mptun_path *path, u64 token,
			     const struct mptun_endpoint *from, u64 now)
{
	struct mptun_roam *roam = &path->roam;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!roam->until_ns || now >= roam->until_ns)
		return false;
	if (token == roam->old_token && !roam->proved) {
		roam->until_ns = 0;
		roam->ignore_ns = now + MPTUN_ROAM_NS;
		return true;
	}
	if (token != roam->token || from->family != roam->to.family ||
	    from->remote_port != roam->to.remote_port ||
	    !mptun_endpoint_same_addr(from->family, &from->remote,
				      &roam->to.remote))
		return false;
	WRITE_ONCE(roam->proved, true);
	mptun_tunnel_kick(path->tunnel);
	return true;
}

/**
 * mptun_roam_answered() - process an answer that may be to a roaming challenge
 * @path: the path
 * @skb: the answer, its network and transport headers in place
 * @token: its token
 *
 * Return: true if it was.
 */
bool mptun_roam_answered(struct mptun_path *path, const struct sk_buff *skb,
			 u64 token)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_endpoint from;
	bool ours;

	mptun_endpoint_of(skb, &from);
	spin_lock(&tx->lock);
	ours = mptun_roam_judge(path, token, &from, mptun_now());
	spin_unlock(&tx->lock);
	return ours;
}

/* Restarts a path that has moved. */
static void mptun_roam_arrive(struct mptun_path *path,
			      const struct mptun_roam_address *old)
{
	struct mptun_rx *rx = &path->tunnel->rx;
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_roam *roam = &path->roam;
	u64 now = mptun_now();
	bool network;

	spin_lock_bh(&rx->lock);
	path->rx.ecn = (struct mptun_ecn_check){};
	spin_unlock_bh(&rx->lock);

	spin_lock_bh(&tx->lock);
	network = old->family != path->config.family ||
		  !mptun_endpoint_same_addr(old->family, &old->remote,
					    &path->config.remote) ||
		  (path->learned &&
		   !mptun_endpoint_same_addr(old->family, &old->local,
					     &path->config.local));
	if (network) {
		mptun_pmtu_start(&path->pmtu, now);
		path->dsfield = (struct mptun_dsfield){};
		mptun_rtt_init(&path->tx.rtt);
		mptun_rate_init(&path->tx.rate);
		mptun_sample_reset(&path->tx.sample);
		mptun_cc_reset(&path->tx.cc, path->tx.cc.mss);
		mptun_pacer_reset(&path->tx.pacer);
		mptun_out_resize(path);
	}
	/* From now on, an answer of the old address moves the path back. */
	roam->to = *old;
	roam->token = roam->old_token;
	roam->old_token = 0;
	WRITE_ONCE(roam->proved, false);
	roam->until_ns = now + MPTUN_ROAM_NS;
	roam->ignore_ns = now;
	mptun_liveness_answered(path, now);
	mptun_timer_update(path, now);
	spin_unlock_bh(&tx->lock);
	path->source_cookie_valid = false;
	netdev_dbg(path->tunnel->dev, "path %s moved\n", path->config.name);
}

/**
 * mptun_roam_work() - move a path to an address that has answered
 * @path: the path
 */
void mptun_roam_work(struct mptun_path *path)
{
	const struct mptun_roam_address *to = &path->roam.to;
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path_config config;
	struct mptun_roam_address old;
	struct mptun_endpoint *ep;

	lockdep_assert_held(&tunnel->lock);
	if (!READ_ONCE(path->roam.proved))
		return;
	ep = mptun_path_endpoint(path);
	mptun_roam_address(&old, ep);
	/* Rebinding starts from settings. */
	config = path->config;
	config.family = to->family;
	config.remote = to->remote;
	config.remote_port = ntohs(to->remote_port);
	config.scope = to->ifindex;
	if (path->learned) {
		config.local = to->local;
		config.local_port = ntohs(to->local_port);
	}
	/* A configured local address does not allow another family. */
	if ((path->learned || config.family == path->config.family) &&
	    !mptun_path_move(path, &config, to->local_port)) {
		mptun_roam_arrive(path, &old);
		return;
	}
	spin_lock_bh(&tx->lock);
	WRITE_ONCE(path->roam.proved, false);
	path->roam.until_ns = 0;
	spin_unlock_bh(&tx->lock);
}
