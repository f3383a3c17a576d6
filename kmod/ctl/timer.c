// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The one timer of a path: loss detection, probe timeout, probes and pacing
 * are deadlines of it.
 *
 * Deadlines mostly move away while packets flow, and setting a timer is dear.
 * So the timer is only ever set to an earlier time; when it fires before
 * anything is due it is set again.
 */
#include <linux/hrtimer.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/timer.h"
#include "path/liveness.h"
#include "path/probe.h"
#include "path/quota.h"
#include "rx/deliver.h"
#include "tx/ack.h"
#include "tx/xmit.h"

static u64 mptun_timer_deadline(const struct mptun_path *path, u64 now)
{
	const struct mptun_path_tx *tx = &path->tx;
	u64 at = mptun_liveness_deadline(path);
	u64 ready;
	u32 need;

	at = min(at, mptun_sent_loss_deadline(&tx->sent));
	if (!path->tunnel->tx.stopped || !mptun_liveness_usable(path) ||
	    !mptun_cc_room(&tx->cc, tx->sent.in_flight))
		return at;

	/* If the pacer is ready it is the scheduler that waits. */
	need = max(tx->cc.mss, mptun_xmit_need(path->tunnel));
	ready = mptun_pacer_ready(&tx->pacer, tx->cc.pacing_rate, need, now);
	if (ready <= now)
		ready = path->tunnel->tx.sched.wake_ns;
	return ready > now ? min(at, ready) : at;
}

/**
 * mptun_timer_update() - a deadline may have come nearer
 * @path: the path
 * @now: time in ns
 */
void mptun_timer_update(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 at;

	lockdep_assert_held(&path->tunnel->tx.lock);
	at = mptun_timer_deadline(path, now);
	if (at >= live->timer_ns || live->gone)
		return;
	live->timer_ns = at;
	hrtimer_start(&path->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Probes make the timer fire now and then while there is nothing to send. */
static void mptun_timer_rest(struct mptun_path *path, u64 now)
{
	struct mptun_sent *sent = &path->tx.sent;

	if (sent->ring.chunks + sent->kept.chunks > 1 &&
	    now > sent->last_ns + MPTUN_REST_NS)
		mptun_sent_idle(sent);
}

static enum hrtimer_restart mptun_timer_fired(struct hrtimer *timer)
{
	struct mptun_path *path = container_of(timer, struct mptun_path, timer);
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_tx *tx = &tunnel->tx;
	u64 now = mptun_now();
	bool probe;

	mptun_enter();
	spin_lock(&tx->lock);
	path->live.timer_ns = U64_MAX;
	if (mptun_sent_loss_deadline(&path->tx.sent) <= now)
		mptun_feedback_detect(path, now);
	probe = mptun_liveness_expire(path, now);
	mptun_timer_rest(path, now);
	mptun_timer_update(path, now);
	spin_unlock(&tx->lock);

	if (probe)
		mptun_probe_send(path);
	mptun_cap_check(path, now);
	mptun_deliver_rest(tunnel, now);
	mptun_feedback_tell(tunnel);
	mptun_xmit_run(tunnel);
	mptun_leave();
	return HRTIMER_NORESTART;
}

/**
 * mptun_timer_init() - a path that has just been made
 * @path: the path
 */
void mptun_timer_init(struct mptun_path *path)
{
	hrtimer_setup(&path->timer, mptun_timer_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * mptun_timer_stop() - the timer fires no more
 * @path: the path, whose timer nobody sets any more
 */
void mptun_timer_stop(struct mptun_path *path)
{
	hrtimer_cancel(&path->timer);
}
