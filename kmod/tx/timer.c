// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The one timer of a path: when it is set.
 *
 * Loss detection, probe timeout, probes and pacing are deadlines of it, and so
 * is a packet that could not be sent.  Deadlines mostly move away while packets
 * flow, and setting a timer is expensive.  So it is only ever set to an earlier
 * time; when it fires before anything is due it is set again.  What it does is
 * in ctl/timer.c.
 */
#include <linux/hrtimer.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/**
 * mptun_timer_pto() - when data that is not acknowledged makes a path suspect
 * @path: the path
 *
 * Return: time in ns, U64_MAX for never.
 */
u64 mptun_timer_pto(const struct mptun_path *path)
{
	if (path->live.state != MPTUN_PATH_STATE_UP)
		return U64_MAX;
	return mptun_sent_pto_deadline(&path->tx.sent, &path->tx.rtt);
}

static u64 mptun_timer_liveness(const struct mptun_path *path)
{
	const struct mptun_path_live *live = &path->live;
	u64 at = min(live->probe_ns, live->answer_ns);

	return min(at, mptun_timer_pto(path));
}

static u64 mptun_timer_deadline(const struct mptun_path *path, u64 now)
{
	const struct mptun_path_tx *tx = &path->tx;
	u64 at = mptun_timer_liveness(path);
	u64 ready;
	u32 need;

	at = min(at, mptun_sent_loss_deadline(&tx->sent));
	if (!path->tunnel->tx.stopped || !mptun_path_usable(path) ||
	    !mptun_cc_room(&tx->cc, tx->sent.in_flight))
		return at;

	/* If the pacer is ready it is the scheduler that waits. */
	need = max(tx->cc.mss, mptun_place_need(path->tunnel));
	ready = mptun_pacer_ready(&tx->pacer, tx->cc.pacing_rate, need, now);
	if (ready <= now)
		ready = path->tunnel->tx.sched.wake_ns;
	return ready > now ? min(at, ready) : at;
}

static void mptun_timer_set(struct mptun_path *path, u64 at)
{
	struct mptun_path_live *live = &path->live;

	if (at >= live->timer_ns || live->gone)
		return;
	live->timer_ns = at;
	hrtimer_start(&path->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/**
 * mptun_timer_update() - a deadline may have come nearer
 * @path: the path
 * @now: time in ns
 */
void mptun_timer_update(struct mptun_path *path, u64 now)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	mptun_timer_set(path, mptun_timer_deadline(path, now));
}

/**
 * mptun_timer_failed() - a packet of a path could not be sent
 * @path: the path
 * @err: error of mptun_output()
 *
 * The timer acts on it at once (mptun_liveness_unroutable()): who sends knows
 * nothing of liveness.
 */
void mptun_timer_failed(struct mptun_path *path, int err)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	spin_lock_bh(&tx->lock);
	path->live.error = err;
	mptun_timer_set(path, mptun_now());
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_timer_stop() - the timer does not fire any more
 * @path: the path, whose timer nobody sets any more
 */
void mptun_timer_stop(struct mptun_path *path)
{
	hrtimer_cancel(&path->timer);
}
