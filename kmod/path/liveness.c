// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Liveness: the state machine of a path.
 *
 * A path works as long as the peer answers what is sent on it: data with
 * reports, probes with answers.  Packets received on a path prove nothing about
 * the direction in which we send.
 *
 *	       associated               answered
 *	new --------------> probing ---------------> up <-------+
 *	                       |       probe timeout, |         |
 *	             timeouts  |         overdue data |         | acked,
 *	                       v                      v         | answered
 *	noroute <-----------> down <-------------- suspect -----+
 *	     no route, device  |   several timeouts
 *	                       +---> up, after several answers in a row
 *
 *	noroute: no route, device or address, from any state but these two
 *	off: by the administrator      draining: deleted
 *
 * A false suspicion is cheap: new packets avoid a suspect path while another
 * one is up, and one answer restores it.  A path that was down has to answer
 * several times in a row, so that a flapping path is not used.
 *
 * Packets wait for the last path that goes down (path/stall.c), and one answer
 * restores it, as if it were suspect.
 *
 * A probe keeps its token until it is answered, so that an answer counts even
 * if it takes longer than the timeout after which the probe is repeated.
 *
 * A path that stays down is probed less and less often (base/backoff.h), as its
 * network may be dead for days and its packets may cost money.  It is probed
 * soon after anything that may have repaired it: an event, new settings, a
 * probe of the peer, or an answer on another path that was down for as long.
 *
 * The state is protected by mptun_tx.lock.
 */
#include <linux/random.h>

#include "base/backoff.h"
#include "core/event.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/run.h"
#include "tx/tx.h"

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

	/* whatever ends it, a path that worked is probed often at first */
	if (mptun_path_usable(path))
		live->rare_ns = mptun_backoff_begin(now);
	WRITE_ONCE(live->state, state);
	live->reason = reason;
	if (old == state)
		return;
	live->since_ns = now;
	live->changes++;
	if (state == MPTUN_PATH_STATE_UP)
		mptun_rtt_silence(&path->tx.rtt, now);
	mptun_carrier_update(path->tunnel);
	trace_mptun_path_state(path, old);
	mptun_event_note(path, MPTUN_EVENT_STATE, old);
}

/**
 * mptun_liveness_init() - initialize the state of a path
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
	/* The probe that opened it had at least this size. */
	path->allowance = path->learned ?
			  MPTUN_AMPLIFY_MAX * mptun_probe_bytes(path->tunnel) :
			  MPTUN_ALLOWANCE_PROVED;
}

static void mptun_liveness_reset(struct mptun_path *path)
{
	path->live.probe_ns = U64_MAX;
	path->live.answer_ns = U64_MAX;
	WRITE_ONCE(path->live.good, 0);
	path->tx.pto_count = 0;
}

/**
 * mptun_liveness_probe() - begin to probe a path
 * @path: the path; its association is established
 * @reason: why
 * @now: time in ns
 */
void mptun_liveness_probe(struct mptun_path *path,
			  enum mptun_path_reason reason, u64 now)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_liveness_reset(path);
	if (!path->config.enabled) {
		mptun_sent_idle(&path->tx.sent);
		mptun_liveness_set(path, MPTUN_PATH_STATE_OFF,
				   MPTUN_PATH_REASON_ADMIN, now);
		return;
	}
	atomic64_set(&live->token, get_random_u64());
	live->probe_ns = now;
	live->backoff_ns = MPTUN_REPROBE_FIRST_NS;
	switch (reason) {
	case MPTUN_PATH_REASON_ROUTE:
	case MPTUN_PATH_REASON_ADDRESS:
	case MPTUN_PATH_REASON_TIMEOUT:
		live->rare_ns = mptun_backoff_again(live->rare_ns, now);
		break;
	default:
		live->rare_ns = mptun_backoff_begin(now);
		break;
	}
	mptun_liveness_set(path, MPTUN_PATH_STATE_PROBING, reason, now);
}

/* A path works again, or for the first time: only the round-trip time of the
 * answered probe is known.
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
	path->tx.loss = (struct mptun_code_loss){};
	path->tx.spill = (struct mptun_busy){};
	path->tx.low_rate = (struct mptun_low_rate){};
	mptun_bad_reset(&path->tx.bad, path->tx.acked_bytes, now);
	mptun_detour_reset(&path->tx.detour, path->tx.acked_bytes);
	path->tx.pto_count = 0;
	mptun_policy_again(&path->policy_out.send);
	mptun_liveness_set(path, MPTUN_PATH_STATE_UP, reason, now);
}

static void mptun_liveness_down(struct mptun_path *path,
				enum mptun_path_state state,
				enum mptun_path_reason reason, u64 now)
{
	struct mptun_path_live *live = &path->live;
	bool stalled;

	mptun_liveness_reset(path);
	live->backoff_ns = MPTUN_REPROBE_FIRST_NS;
	live->probe_ns = now + live->backoff_ns;
	stalled = mptun_stall_begin(path, reason);
	mptun_liveness_set(path, state, reason, now);
	if (!stalled)
		mptun_ack_abandon(path, now);
}

/* Returns true if the administrator has set the interval of probes. */
static bool mptun_liveness_fixed(const struct mptun_path *path)
{
	u32 seconds = READ_ONCE(path->config.keepalive);

	return seconds && seconds != MPTUN_KEEPALIVE_OFF;
}

/* The interval depends on whether a path has just carried data, in either
 * direction.  One whose data others take again is at rest: a backup that has
 * replaced another path for a moment.
 */
static u64 mptun_liveness_keepalive(const struct mptun_path *path, u64 now)
{
	u64 sent, last;
	bool spare;

	if (mptun_liveness_fixed(path))
		return READ_ONCE(path->config.keepalive) * (u64)NSEC_PER_SEC;
	if (!mptun_path_takes_data(path) ||
	    !mptun_tunnel_active(path->tunnel, now))
		return path->keep.short_lived ?
		       MPTUN_KEEPALIVE_SHORT_NS : MPTUN_KEEPALIVE_IDLE_NS;
	sent = path->tx.packets ? path->tx.sent.last_ns : 0;
	last = max_t(u64, sent, atomic64_read(&path->rx.arrival_ns));
	rcu_read_lock();
	spare = !last || now >= last + MPTUN_ACTIVE_NS ||
		mptun_path_rank(path) > mptun_path_best_rank(path->tunnel);
	rcu_read_unlock();
	return spare ? MPTUN_KEEPALIVE_REST_NS : MPTUN_KEEPALIVE_USED_NS;
}

/* Schedules the next probe of a path that has just been proved.  The peer has
 * heard of it as well; its turn comes sooner.
 */
static void mptun_liveness_proved(struct mptun_path *path, u64 now)
{
	const struct mptun_assoc *assoc = &path->tunnel->assoc;
	u64 interval = mptun_liveness_keepalive(path, now);
	u64 more = interval >> MPTUN_KEEPALIVE_TURN_SHIFT;

	/* Our own changes only while there is no association. */
	if (data_race(assoc->instance < assoc->peer_instance))
		more *= 2;
	path->live.proved_ns = now;
	path->live.probe_ns = now + interval +
			      (mptun_liveness_fixed(path) ? 0 : more);
}

/**
 * mptun_liveness_reschedule() - apply changed settings to the next probe
 * @path: the path
 * @now: time in ns
 */
void mptun_liveness_reschedule(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_liveness_retry(path, now);
	if (mptun_path_up(path) && live->answer_ns == U64_MAX)
		live->probe_ns = min(live->probe_ns, now +
				     mptun_liveness_keepalive(path, now));
}

/* Tests whether a single sign of life restores a path as it was. */
static bool mptun_liveness_paused(const struct mptun_path *path)
{
	return path->live.state == MPTUN_PATH_STATE_SUSPECT ||
	       mptun_path_stalled(path);
}

/**
 * mptun_liveness_acked() - the peer acknowledged data sent on a path
 * @path: the path
 * @newest_ns: when the newest of it was sent
 * @now: time in ns
 *
 * A suspect or stalled path stays so if another path's report acknowledges only
 * packets sent before the silence.
 */
void mptun_liveness_acked(struct mptun_path *path, u64 newest_ns, u64 now)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_liveness_paused(path) &&
	    newest_ns < path->live.suspect_ns)
		return;
	path->tx.pto_count = 0;
	if (!mptun_path_usable(path) && !mptun_path_stalled(path))
		return;
	path->live.answer_ns = U64_MAX;
	mptun_liveness_proved(path, now);
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
	atomic64_set(&live->token, get_random_u64());
	WRITE_ONCE(path->allowance, MPTUN_ALLOWANCE_PROVED);
	live->answer_ns = U64_MAX;
	path->tx.pto_count = 0;

	if (mptun_liveness_paused(path))
		mptun_liveness_set(path, MPTUN_PATH_STATE_UP,
				   MPTUN_PATH_REASON_ANSWERED, now);
	switch (live->state) {
	case MPTUN_PATH_STATE_PROBING:
		if (now > live->rare_ns)
			mptun_liveness_others(path->tunnel, path, now);
		live->rare_ns = mptun_backoff_begin(now);
		mptun_pmtu_start(&path->pmtu, now);
		mptun_liveness_up(path, MPTUN_PATH_REASON_ANSWERED, now);
		mptun_out_resize(path);
		break;
	case MPTUN_PATH_STATE_DOWN:
	case MPTUN_PATH_STATE_NOROUTE:
		if (now > live->rare_ns)
			mptun_liveness_others(path->tunnel, path, now);
		live->rare_ns = mptun_backoff_begin(now);
		WRITE_ONCE(live->good, live->good + 1);
		/* Find its MTU before it is used. */
		if (live->good == MPTUN_GOOD_PROBES - 1)
			mptun_pmtu_start(&path->pmtu, now);
		if (live->good < MPTUN_GOOD_PROBES) {
			live->probe_ns = now + MPTUN_GOOD_PAUSE_NS;
			return;
		}
		WRITE_ONCE(live->good, 0);
		mptun_liveness_up(path, MPTUN_PATH_REASON_ANSWERED, now);
		mptun_out_resize(path);
		break;
	case MPTUN_PATH_STATE_UP:
		break;
	default:
		return;
	}
	mptun_liveness_proved(path, now);
}

/**
 * mptun_liveness_heard() - a probe of the peer arrived on a path
 * @path: the path
 * @now: time in ns
 *
 * The ends take turns at probing a path that works: a probe of the peer takes
 * the place of one of ours, as it keeps the mapping of a NAT as well, and shows
 * that the peer lives.  The answer of this end may get lost, so after two
 * intervals it probes by itself.
 *
 * If the path does not work, it may do so now: probe it.  Probe it again while
 * the first answer is pending, as the peer may have ignored our id before.
 */
void mptun_liveness_heard(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 interval, latest;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_path_up(path)) {
		if (mptun_keep_heard(&path->keep, live->proved_ns, now)) {
			netdev_dbg(path->tunnel->dev,
				   "path %s: its mapping is short-lived\n",
				   path->config.name);
			mptun_liveness_reschedule(path, now);
		}
		interval = mptun_liveness_keepalive(path, now);
		latest = live->proved_ns + 2 * interval +
			 (interval >> MPTUN_KEEPALIVE_TURN_SHIFT);
		if (live->answer_ns == U64_MAX && !mptun_liveness_fixed(path))
			live->probe_ns = max(live->probe_ns,
					     min(now + interval, latest));
	} else if (live->state == MPTUN_PATH_STATE_PROBING ||
		   mptun_path_stalled(path)) {
		live->probe_ns = now;
	} else if (live->answer_ns == U64_MAX && live->probe_ns != U64_MAX) {
		live->probe_ns = min(live->probe_ns, now);
	}
}

/**
 * mptun_liveness_allow() - bytes arrived from an address that has not answered
 * @path: the path
 * @bytes: their number
 *
 * The source of a packet may be forged: until it has answered a challenge, at
 * most three times as many bytes are sent there (RFC 9000, section 8.1).
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_liveness_allow(struct mptun_path *path, u32 bytes)
{
	struct mptun_tx *tx = &path->tunnel->tx;
	u64 sum;

	spin_lock(&tx->lock);
	sum = path->allowance + (u64)MPTUN_AMPLIFY_MAX * bytes;
	if (path->allowance != MPTUN_ALLOWANCE_PROVED)
		WRITE_ONCE(path->allowance,
			   min(sum, MPTUN_ALLOWANCE_PROVED - 1ULL));
	spin_unlock(&tx->lock);
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
		/* Nothing has left, so it has cost nothing. */
		path->live.rare_ns = mptun_backoff_again(path->live.rare_ns,
							 now);
		mptun_liveness_set(path, state, reason, now);
		break;
	default:
		break;
	}
	if (mptun_rtx_waits(&path->tunnel->tx.rtx))
		mptun_tunnel_kick(path->tunnel);
}

/* Probes the paths at rest: one of them may have to replace a suspect path. */
static void mptun_liveness_rouse(const struct mptun_path *suspect, u64 now)
{
	struct mptun_path_live *live;
	struct mptun_path *path;

	rcu_read_lock();
	list_for_each_entry_rcu(path, &suspect->tunnel->paths, list) {
		live = &path->live;
		if (path == suspect || !mptun_path_up(path) ||
		    path->tx.sent.packets || live->answer_ns != U64_MAX)
			continue;
		live->probe_ns = now;
		mptun_timer_update(path, now);
	}
	rcu_read_unlock();
}

static void mptun_liveness_suspect(struct mptun_path *path, u64 now)
{
	path->tx.timeouts++;
	path->live.probe_ns = now;
	path->live.answer_ns = U64_MAX;
	path->live.suspect_ns = path->tx.sent.last_ns;
	mptun_sent_silent(&path->tx.sent);
	mptun_rtt_silence(&path->tx.rtt, U64_MAX);
	mptun_pmtu_doubt(&path->pmtu,
			 mptun_path_outer(path, path->tx.sent.doubt), now);
	mptun_liveness_set(path, MPTUN_PATH_STATE_SUSPECT,
			   MPTUN_PATH_REASON_TIMEOUT, now);
	mptun_rtx_suspect(path);
}

/* An answer to data is overdue.  If an equally ranked path can take over,
 * suspect this one now.  Otherwise, if it has lost packets in the last minute,
 * the overdue answer is probably a loss too: probe it first.
 */
static void mptun_liveness_overdue(struct mptun_path *path, u64 now)
{
	const struct mptun_path *other;
	bool leave;

	leave = !mptun_recent_sum(&path->tx.recent, now).lost;
	rcu_read_lock();
	list_for_each_entry_rcu(other, &path->tunnel->paths, list)
		leave |= other != path && mptun_path_up(other) &&
			 mptun_path_takes_data(other) &&
			 mptun_path_rank(other) <= mptun_path_rank(path);
	rcu_read_unlock();
	if (leave)
		mptun_liveness_suspect(path, now);
	else if (path->live.answer_ns == U64_MAX)
		path->live.probe_ns = now;
}

/* A probe was not answered in time. */
static void mptun_liveness_unanswered(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 limit;

	live->answer_ns = U64_MAX;
	live->probe_ns = now;

	switch (live->state) {
	case MPTUN_PATH_STATE_UP:
		mptun_liveness_suspect(path, now);
		mptun_liveness_rouse(path, now);
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
		/* The first overdue answer may be a lost packet. */
		else if (path->tx.pto_count == 1 &&
			 live->state == MPTUN_PATH_STATE_SUSPECT)
			mptun_liveness_rouse(path, now);
		break;
	default:
		WRITE_ONCE(live->good, 0);
		/* what waits for the path has not made the tunnel active */
		limit = mptun_tunnel_active(path->tunnel, now) ||
			mptun_path_stalled(path) ?
			mptun_backoff_limit(MPTUN_REPROBE_ACTIVE_NS,
					    MPTUN_REPROBE_ACTIVE_RARE_NS,
					    live->rare_ns, now) :
			mptun_backoff_limit(MPTUN_REPROBE_IDLE_NS,
					    MPTUN_REPROBE_IDLE_RARE_NS,
					    live->rare_ns, now);
		live->backoff_ns = min(2 * live->backoff_ns, limit);
		live->probe_ns = now + live->backoff_ns;
		break;
	}
}

/**
 * mptun_liveness_expire() - act on the deadlines that have passed
 * @path: the path
 * @now: time in ns
 *
 * Return: true if the caller has to send a probe.
 */
bool mptun_liveness_expire(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 pto;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (live->state == MPTUN_PATH_STATE_UP &&
	    mptun_sent_pto_deadline(&path->tx.sent, &path->tx.rtt) <= now)
		mptun_liveness_overdue(path, now);
	if (live->answer_ns <= now)
		mptun_liveness_unanswered(path, now);
	mptun_stall_expire(path, now);
	if (live->probe_ns > now)
		return false;
	/* Without keepalive, an idle path that works sends nothing. */
	if (READ_ONCE(path->config.keepalive) == MPTUN_KEEPALIVE_OFF &&
	    live->state == MPTUN_PATH_STATE_UP &&
	    !mptun_tunnel_active(path->tunnel, now)) {
		live->probe_ns = now + MPTUN_KEEPALIVE_IDLE_NS;
		return false;
	}

	pto = (u64)mptun_rtt_pto_us(&path->tx.rtt) * NSEC_PER_USEC;
	/* The route may be longer now, and only the latest sample knows. */
	if (live->state == MPTUN_PATH_STATE_DOWN)
		pto = max(pto, (u64)path->tx.rtt.latest_us * 2 * NSEC_PER_USEC);
	if (!path->learned && mptun_path_up(path))
		mptun_keep_asked(&path->keep, live->proved_ns, pto, now);
	live->probe_ns = U64_MAX;
	live->answer_ns = now + (pto << path->tx.pto_count);
	return true;
}
