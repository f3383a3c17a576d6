// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Liveness: which paths work.
 *
 * The model: a path works as long as the peer answers what is sent on it, data
 * with reports and probes with answers.  What is received on a path proves
 * nothing about the direction in which we send.
 *
 *	       associated               answered
 *	new --------------> probing ---------------> up <-------+
 *	                       |                      |         |
 *	             timeouts  |      probe timeout   |         | acked,
 *	                       v                      v         | answered
 *	noroute <-----------> down <-------------- suspect -----+
 *	     no route, device  |   several timeouts
 *	                       +---> up, after several answers in a row
 *
 *	off: by the administrator      draining: deleted
 *
 * A suspect path costs nothing: new packets avoid it as long as another one is
 * up, and one answer brings it back.  A path that was down has to answer
 * several times in a row, so that one that comes and goes is left alone.
 *
 * A probe keeps its token until it is answered, so that the answer counts even
 * if it takes longer than the timeout after which the probe is repeated.
 */
#include <linux/random.h>

#include "core/event.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/run.h"
#include "tx/tx.h"

/* What waits for room would come out stale when a path returns. */
static void mptun_liveness_purge(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff *skb;
	unsigned int q;

	for (q = 0; q < tx->n_queues; q++)
		while ((skb = __skb_dequeue(&tx->queues[q].rest)))
			mptun_classify_drop(tunnel, skb,
					    MPTUN_A_DROP_STATS_TX_NO_PATH);
}

/**
 * mptun_liveness_carrier() - a path came or went, or its state has changed
 * @tunnel: the tunnel
 *
 * Is there a usable path?  The device's carrier says so to its qdisc (which
 * drops what it holds for the same reason) and to routing.
 */
void mptun_liveness_carrier(struct mptun_tunnel *tunnel)
{
	bool usable = false, good = false;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		usable |= mptun_path_takes_data(path);
		good |= mptun_path_up(path);
	}
	rcu_read_unlock();

	if (usable && netif_running(tunnel->dev)) {
		netif_carrier_on(tunnel->dev);
	} else {
		netif_carrier_off(tunnel->dev);
		mptun_liveness_purge(tunnel);
	}
	/* Perhaps the peer has been restarted. */
	if (!good)
		mptun_tunnel_kick(tunnel);
}

/**
 * mptun_liveness_set() - change the state of a path
 * @path: the path
 * @state: new state
 * @reason: why
 * @now: time in ns
 */
void mptun_liveness_set(struct mptun_path *path, enum mptun_path_state state,
			enum mptun_path_reason reason, u64 now)
{
	struct mptun_path_live *live = &path->live;
	enum mptun_path_state old = live->state;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (old == state && live->reason == reason)
		return;

	WRITE_ONCE(live->state, state);
	live->reason = reason;
	if (old == state)
		return;
	live->since_ns = now;
	live->changes++;
	mptun_liveness_carrier(path->tunnel);
	mptun_event_note(path, MPTUN_EVENT_STATE, old);
}

/**
 * mptun_liveness_init() - a path that has just been made
 * @path: the path
 * @why: reason of its first state
 */
void mptun_liveness_init(struct mptun_path *path, enum mptun_path_reason why)
{
	struct mptun_path_live *live = &path->live;

	live->state = path->config.enabled ? MPTUN_PATH_STATE_NEW :
					     MPTUN_PATH_STATE_OFF;
	live->reason = path->config.enabled ? why : MPTUN_PATH_REASON_ADMIN;
	live->since_ns = mptun_now();
	live->timer_ns = U64_MAX;
	live->probe_ns = U64_MAX;
	live->answer_ns = U64_MAX;
}

static void mptun_liveness_rest(struct mptun_path *path)
{
	path->live.probe_ns = U64_MAX;
	path->live.answer_ns = U64_MAX;
	path->live.good = 0;
	path->tx.pto_count = 0;
}

/**
 * mptun_liveness_probe() - find out anew whether a path works
 * @path: the path; its association is established
 * @reason: why
 * @now: time in ns
 */
void mptun_liveness_probe(struct mptun_path *path,
			  enum mptun_path_reason reason, u64 now)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_liveness_rest(path);
	if (!path->config.enabled) {
		mptun_sent_idle(&path->tx.sent);
		mptun_liveness_set(path, MPTUN_PATH_STATE_OFF,
				   MPTUN_PATH_REASON_ADMIN, now);
		return;
	}
	live->token = get_random_u64();
	live->probe_ns = now;
	live->backoff_ns = MPTUN_REPROBE_FIRST_NS;
	mptun_liveness_set(path, MPTUN_PATH_STATE_PROBING, reason, now);
}

/* The path works again, or for the first time: nothing is known of it but the
 * round-trip time of the probe that has just been answered.
 */
static void mptun_liveness_up(struct mptun_path *path,
			      enum mptun_path_reason reason, u64 now)
{
	u32 rtt_us = path->tx.rtt.latest_us;

	mptun_rtt_init(&path->tx.rtt);
	mptun_rtt_sample(&path->tx.rtt, rtt_us, 0, now);
	mptun_rate_init(&path->tx.rate);
	mptun_sample_reset(&path->tx.sample);
	mptun_cc_reset(&path->tx.cc, path->tx.cc.mss);
	mptun_pacer_reset(&path->tx.pacer);
	memset(&path->tx.mem, 0, sizeof(path->tx.mem));
	path->tx.spill = (struct mptun_busy){};
	path->tx.thin = (struct mptun_thin){};
	mptun_bad_reset(&path->tx.bad, path->tx.acked_bytes, now);
	mptun_lossy_reset(&path->tx.lossy, path->tx.acked_bytes);
	mptun_detour_reset(&path->tx.detour, path->tx.acked_bytes);
	path->tx.pto_count = 0;
	mptun_liveness_set(path, MPTUN_PATH_STATE_UP, reason, now);
}

static void mptun_liveness_down(struct mptun_path *path,
				enum mptun_path_state state,
				enum mptun_path_reason reason, u64 now)
{
	struct mptun_path_live *live = &path->live;

	mptun_liveness_rest(path);
	live->backoff_ns = MPTUN_REPROBE_FIRST_NS;
	live->probe_ns = now + live->backoff_ns;
	mptun_ack_abandon(path, now);
	mptun_liveness_set(path, state, reason, now);
}

static u64 mptun_liveness_keepalive(const struct mptun_path *path, u64 now)
{
	u32 wish = READ_ONCE(path->config.keepalive);

	if (wish && wish != MPTUN_KEEPALIVE_OFF)
		return wish * (u64)NSEC_PER_SEC;
	if (!mptun_path_takes_data(path))
		return MPTUN_KEEPALIVE_STANDBY_NS;
	return mptun_tunnel_active(path->tunnel, now) ?
	       MPTUN_KEEPALIVE_ACTIVE_NS : MPTUN_KEEPALIVE_IDLE_NS;
}

/**
 * mptun_liveness_acked() - the peer acknowledged data sent on a path
 * @path: the path
 * @newest_ns: when the newest of it was sent
 * @now: time in ns
 *
 * What arrived before a path became silent, and is told of by another path's
 * report, does not clear it of suspicion.
 */
void mptun_liveness_acked(struct mptun_path *path, u64 newest_ns, u64 now)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	path->tx.last_ack_ns = now;
	if (path->live.state == MPTUN_PATH_STATE_SUSPECT &&
	    newest_ns < path->live.doubt_ns)
		return;
	path->tx.pto_count = 0;
	if (!mptun_path_usable(path))
		return;
	path->live.answer_ns = U64_MAX;
	path->live.probe_ns = now + mptun_liveness_keepalive(path, now);
	mptun_liveness_set(path, MPTUN_PATH_STATE_UP,
			   MPTUN_PATH_REASON_ACKNOWLEDGED, now);
}

/**
 * mptun_liveness_answered() - a probe was answered
 * @path: the path
 * @now: time in ns
 */
void mptun_liveness_answered(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	live->token = get_random_u64();
	live->answer_ns = U64_MAX;
	path->tx.pto_count = 0;

	switch (live->state) {
	case MPTUN_PATH_STATE_PROBING:
		mptun_liveness_up(path, MPTUN_PATH_REASON_ANSWERED, now);
		break;
	case MPTUN_PATH_STATE_SUSPECT:
		mptun_liveness_set(path, MPTUN_PATH_STATE_UP,
				   MPTUN_PATH_REASON_ANSWERED, now);
		break;
	case MPTUN_PATH_STATE_DOWN:
	case MPTUN_PATH_STATE_NOROUTE:
		if (++live->good < MPTUN_GOOD_PROBES) {
			live->probe_ns = now + MPTUN_GOOD_PAUSE_NS;
			return;
		}
		live->good = 0;
		mptun_liveness_up(path, MPTUN_PATH_REASON_ANSWERED, now);
		break;
	case MPTUN_PATH_STATE_UP:
		break;
	default:
		return;
	}
	live->probe_ns = now + mptun_liveness_keepalive(path, now);
}

/**
 * mptun_liveness_heard() - a probe of the peer arrived on a path
 * @path: the path
 * @now: time in ns
 *
 * If the path does not work this is a good moment to try it; again, if it has
 * just begun: the peer may not have known it by our number before.
 */
void mptun_liveness_heard(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_path_up(path))
		return;
	if (live->state == MPTUN_PATH_STATE_PROBING)
		live->probe_ns = now;
	else if (live->answer_ns == U64_MAX && live->probe_ns != U64_MAX)
		live->probe_ns = min(live->probe_ns, now);
}

/**
 * mptun_liveness_unroutable() - a packet could not be sent
 * @path: the path
 * @err: error of mptun_output()
 * @now: time in ns
 */
void mptun_liveness_unroutable(struct mptun_path *path, int err, u64 now)
{
	enum mptun_path_reason reason = MPTUN_PATH_REASON_ROUTE;
	enum mptun_path_state state = MPTUN_PATH_STATE_NOROUTE;

	lockdep_assert_held(&path->tunnel->tx.lock);

	switch (err) {
	case -ENODEV:
		reason = MPTUN_PATH_REASON_DEVICE;
		break;
	case -EADDRNOTAVAIL:
		reason = MPTUN_PATH_REASON_ADDRESS;
		break;
	case -ELOOP:
		reason = MPTUN_PATH_REASON_LOOP;
		break;
	case -ENETDOWN:
		reason = MPTUN_PATH_REASON_CARRIER;
		break;
	case -ENOMEM:
		return;
	default:
		break;
	}

	switch (path->live.state) {
	case MPTUN_PATH_STATE_PROBING:
	case MPTUN_PATH_STATE_UP:
	case MPTUN_PATH_STATE_SUSPECT:
	case MPTUN_PATH_STATE_DOWN:
		mptun_liveness_down(path, state, reason, now);
		break;
	case MPTUN_PATH_STATE_NEW:
	case MPTUN_PATH_STATE_NOROUTE:
		mptun_liveness_set(path, state, reason, now);
		break;
	default:
		break;
	}
	if (mptun_rtx_waits(&path->tunnel->tx.repair))
		mptun_tunnel_kick(path->tunnel);
}

/**
 * mptun_liveness_routable() - there is a route, though no peer yet
 * @path: the path
 */
void mptun_liveness_routable(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	spin_lock_bh(&tx->lock);
	if (path->live.state == MPTUN_PATH_STATE_NOROUTE && !path->wire_id)
		mptun_liveness_set(path, MPTUN_PATH_STATE_NEW,
				   MPTUN_PATH_REASON_ROUTE, mptun_now());
	spin_unlock_bh(&tx->lock);
}

static void mptun_liveness_suspect(struct mptun_path *path, u64 now)
{
	path->tx.timeouts++;
	path->live.probe_ns = now;
	path->live.answer_ns = U64_MAX;
	path->live.doubt_ns = path->tx.sent.last_ns;
	mptun_liveness_set(path, MPTUN_PATH_STATE_SUSPECT,
			   MPTUN_PATH_REASON_TIMEOUT, now);
	mptun_rtx_suspect(path);
}

/* The probe was not answered in time. */
static void mptun_liveness_unanswered(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 limit;

	live->answer_ns = U64_MAX;
	live->probe_ns = now;

	switch (live->state) {
	case MPTUN_PATH_STATE_UP:
		mptun_liveness_suspect(path, now);
		break;
	case MPTUN_PATH_STATE_SUSPECT:
	case MPTUN_PATH_STATE_PROBING:
		path->tx.timeouts++;
		if (path->tx.pto_count < MPTUN_DOWN_TIMEOUTS)
			path->tx.pto_count++;
		if (path->tx.pto_count == MPTUN_DOWN_TIMEOUTS &&
		    now - live->since_ns >= MPTUN_DOWN_MIN_NS)
			mptun_liveness_down(path, MPTUN_PATH_STATE_DOWN,
					    MPTUN_PATH_REASON_TIMEOUT, now);
		break;
	default:
		live->good = 0;
		limit = mptun_tunnel_active(path->tunnel, now) ?
			MPTUN_REPROBE_ACTIVE_NS : MPTUN_REPROBE_IDLE_NS;
		live->backoff_ns = min(2 * live->backoff_ns, limit);
		live->probe_ns = now + live->backoff_ns;
		break;
	}
}

/* A path that works is left alone while nothing is to be sent, if so told. */
static bool mptun_liveness_quiet(const struct mptun_path *path, u64 now)
{
	return READ_ONCE(path->config.keepalive) == MPTUN_KEEPALIVE_OFF &&
	       path->live.state == MPTUN_PATH_STATE_UP &&
	       !mptun_tunnel_active(path->tunnel, now);
}

/**
 * mptun_liveness_expire() - a deadline has passed
 * @path: the path
 * @now: time in ns
 *
 * Return: true if a probe is to be sent now.
 */
bool mptun_liveness_expire(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 pto;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_timer_pto(path) <= now)
		mptun_liveness_suspect(path, now);
	if (live->answer_ns <= now)
		mptun_liveness_unanswered(path, now);
	if (live->probe_ns > now)
		return false;
	if (mptun_liveness_quiet(path, now)) {
		live->probe_ns = now + MPTUN_KEEPALIVE_IDLE_NS;
		return false;
	}

	pto = (u64)mptun_rtt_pto_us(&path->tx.rtt) * NSEC_PER_USEC;
	live->probe_ns = U64_MAX;
	live->answer_ns = now + (pto << path->tx.pto_count);
	return true;
}
