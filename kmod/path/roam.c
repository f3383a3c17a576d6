// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Roaming: paths follow the peer to another address.
 *
 * The model: a translator on the way forgets a mapping, a provider hands out
 * another address, and the same path comes from elsewhere.  What arrives is
 * genuine and is taken in; where it came from may be a lie, of somebody who
 * repeats the peer's packets from an address of his own and sooner.  So the
 * newest packet from another address has both addresses challenged, the other
 * and the present one, with tokens of their own.  The path moves when the
 * other one answers and the present one has not; and it moves back if that
 * answers after all.  Nothing but the challenge is sent to an address before
 * it has answered, so no more than was received from it.
 *
 * Behind another IP address is another network, where nothing is known of
 * round-trip time and rate.  Another port is the same one.
 */
#include <linux/random.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_roam_allowed() - may a packet of a path come from elsewhere?
 * @path: the path
 *
 * Return: true if it may; without a key only if the peer may open paths.
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
	to->ifindex = ep->ifindex;
}

/* Something new to look at? If so, what was going on before is over. */
static bool mptun_roam_begin(struct mptun_path *path,
			     const struct mptun_endpoint *from, u64 now)
{
	struct mptun_roam *roam = &path->roam;
	struct mptun_tx *tx = &path->tunnel->tx;
	bool fresh;

	spin_lock(&tx->lock);
	fresh = now >= roam->rest_ns && !roam->proved &&
		path->live.state != MPTUN_PATH_STATE_DRAINING;
	if (fresh) {
		mptun_roam_address(&roam->to, from);
		roam->token = get_random_u64();
		roam->old_token = get_random_u64();
		roam->until_ns = now + MPTUN_ROAM_NS;
		roam->rest_ns = now + (u64)NSEC_PER_USEC *
				mptun_rtt_pto_us(&path->tx.rtt);
	}
	spin_unlock(&tx->lock);
	return fresh;
}

/**
 * mptun_roam_notice() - the newest packet of a path came from elsewhere
 * @path: the path
 * @from: where it came from
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_roam_notice(struct mptun_path *path,
		       const struct mptun_endpoint *from)
{
	struct mptun_endpoint *ep = rcu_dereference(path->endpoint);
	struct mptun_endpoint to = *from;

	if (from->local_port != ep->local_port ||
	    !mptun_roam_begin(path, from, mptun_now()))
		return;
	to.port = ep->port;
	mptun_probe_token(path, &to, path->roam.token);
	mptun_probe_token(path, NULL, path->roam.old_token);
}

/* What has not been answered may still be, where the path was before. */
static bool mptun_roam_judge(struct mptun_path *path, u64 token,
			     const struct mptun_endpoint *from, u64 now)
{
	struct mptun_roam *roam = &path->roam;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!roam->until_ns || now >= roam->until_ns)
		return false;
	if (token == roam->old_token && !roam->proved) {
		roam->until_ns = 0;
		roam->rest_ns = now + MPTUN_ROAM_NS;
		return true;
	}
	if (token != roam->token || from->family != roam->to.family ||
	    from->remote_port != roam->to.remote_port ||
	    !mptun_endpoint_same_addr(from->family, &from->remote,
				      &roam->to.remote))
		return false;
	roam->proved = true;
	mptun_tunnel_kick(path->tunnel);
	return true;
}

/**
 * mptun_roam_answered() - a challenge was answered that is not the path's own
 * @path: the path
 * @skb: the answer, its network and transport headers in place
 * @token: its token
 *
 * Return: true if it is one of an address under examination.
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

/* The settings follow, as what is found anew later is found from them. */
static bool mptun_roam_config(const struct mptun_path *path,
			      const struct mptun_roam_address *to,
			      struct mptun_path_config *config)
{
	*config = path->config;
	config->family = to->family;
	config->remote = to->remote;
	config->remote_port = ntohs(to->remote_port);
	config->scope = to->ifindex;
	if (path->learned) {
		config->local = to->local;
		return true;
	}
	/* A local address that was asked for stays. */
	return config->family == path->config.family;
}

static void mptun_roam_arrive(struct mptun_path *path,
			      const struct mptun_roam_address *old)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	struct mptun_roam *roam = &path->roam;
	u64 now = mptun_now();
	bool elsewhere;

	spin_lock_bh(&tx->lock);
	elsewhere = old->family != path->config.family ||
		    !mptun_endpoint_same_addr(old->family, &old->remote,
					      &path->config.remote);
	if (elsewhere) {
		mptun_rtt_init(&path->tx.rtt);
		mptun_rate_init(&path->tx.rate);
		mptun_sample_reset(&path->tx.sample);
		mptun_cc_reset(&path->tx.cc, path->tx.cc.mss);
		mptun_pacer_reset(&path->tx.pacer);
	}
	/* now the old address is the one that may prove itself */
	roam->to = *old;
	swap(roam->token, roam->old_token);
	roam->old_token = 0;
	roam->proved = false;
	roam->until_ns = now + MPTUN_ROAM_NS;
	roam->rest_ns = now;
	mptun_liveness_answered(path, now);
	mptun_timer_update(path, now);
	spin_unlock_bh(&tx->lock);
	path->source_cookie_valid = false;
	netdev_dbg(path->tunnel->dev, "path %s moved\n", path->config.name);
}

/**
 * mptun_roam_work() - move a path to the address that has proved itself
 * @path: the path
 */
void mptun_roam_work(struct mptun_path *path)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path_config config;
	struct mptun_roam_address old;
	struct mptun_endpoint *ep;

	lockdep_assert_held(&tunnel->lock);
	if (!READ_ONCE(path->roam.proved))
		return;
	ep = rcu_dereference_protected(path->endpoint,
				       lockdep_is_held(&tunnel->lock));
	mptun_roam_address(&old, ep);
	if (mptun_roam_config(path, &path->roam.to, &config) &&
	    !mptun_path_move(path, &config)) {
		mptun_roam_arrive(path, &old);
		return;
	}
	spin_lock_bh(&tx->lock);
	path->roam.proved = false;
	path->roam.until_ns = 0;
	spin_unlock_bh(&tx->lock);
}
