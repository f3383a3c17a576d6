// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The timer of a path: when it is set.
 *
 * Each path has one hrtimer for loss detection, probe timeout, probes, pacing
 * and the handling of send errors; ctl/path_timer.c holds its handler.
 * Deadlines mostly move into the future while packets flow, and programming a
 * timer is expensive.  So the timer is only ever moved to an earlier time; a
 * handler that finds nothing due sets it again.  mptun_tx.lock protects all
 * deadlines.
 */
#include <linux/hrtimer.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static void mptun_timer_set(struct mptun_path *path, u64 at)
{
	struct mptun_path_live *live = &path->live;

	if (at >= live->timer_ns || live->dying)
		return;
	live->timer_ns = at;
	hrtimer_start(&path->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Room that the largest next packet of all queues needs, 0 if none waits. */
static u32 mptun_timer_need(const struct mptun_tunnel *tunnel)
{
	const struct mptun_tx *tx = &tunnel->tx;
	const struct sk_buff *skb;
	unsigned int q;
	u32 need = 0;

	for (q = 0; q < tx->n_queues; q++) {
		skb = skb_peek(&tx->queues[q].rest);
		if (skb)
			need = max(need, mptun_run_next(skb) +
					 tunnel->overhead);
	}
	return need;
}

/**
 * mptun_timer_update() - set the timer if a deadline is earlier than before
 * @path: the path
 * @now: time in ns
 */
void mptun_timer_update(struct mptun_path *path, u64 now)
{
	const struct mptun_path_live *live = &path->live;
	const struct mptun_path_tx *tx = &path->tx;
	u64 at, ready, notify, overdue;
	u32 burst, need;

	lockdep_assert_held(&path->tunnel->tx.lock);
	at = min3(live->probe_ns, live->answer_ns,
		  mptun_sent_loss_deadline(&tx->sent));
	if (live->state == MPTUN_PATH_STATE_UP) {
		overdue = mptun_sent_pto_deadline(&tx->sent, &tx->rtt);
		/* A probe has been sent for what is overdue. */
		if (overdue > now || live->answer_ns == U64_MAX)
			at = min(at, overdue);
		/* The handler ends with a notification that is overdue. */
		notify = mptun_notify_at(&path->tunnel->tx);
		if (notify > now)
			at = min(at, notify);
	}

	if (mptun_path_stalled(path))
		at = min(at, live->since_ns + MPTUN_HEAL_FIRST_NS);
	if (mptun_path_sized(path))
		at = min3(at, mptun_pmtu_deadline(&path->pmtu),
			  mptun_dsfield_deadline(&path->dsfield));

	if (path->tunnel->tx.stopped && mptun_path_usable(path) &&
	    mptun_cc_room(&tx->cc, tx->sent.in_flight)) {
		need = max(tx->cc.mss, mptun_timer_need(path->tunnel));
		burst = mptun_pacer_burst(tx->cc.pacing_rate, need,
					  tx->cc.tick_ns);
		ready = mptun_pacer_ready(&tx->pacer, tx->cc.pacing_rate, burst,
					  now);
		/* The pacer allows it: the scheduler is waiting. */
		if (ready <= now)
			ready = path->tunnel->tx.sched.wake_ns;
		if (ready > now)
			at = min(at, ready);
	}
	mptun_timer_set(path, at);
}

/**
 * mptun_timer_failed() - report that a packet of a path could not be sent
 * @path: the path
 * @err: error of mptun_output()
 *
 * The timer fires at once and its handler passes the error to
 * mptun_liveness_unroutable(), so the sending code needs no liveness.
 *
 * Called without a spinlock of ours.
 */
void mptun_timer_failed(struct mptun_path *path, int err)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	if (err == -ENOMEM)
		return; /* says nothing about the path */
	spin_lock_bh(&tx->lock);
	path->live.error = err;
	mptun_timer_set(path, mptun_now());
	spin_unlock_bh(&tx->lock);
}
