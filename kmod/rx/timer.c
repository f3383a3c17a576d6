// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Due: the one timer of the receiving side.
 *
 * Hold times, late proofs of loss and reports are deadlines of it.  A timer is
 * dear, and packets that arrive see to most of what it is set for: whatever
 * path they come on, they make all paths report that are to.  So it is set to
 * an earlier time only, and to a later one when reports have just been made.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* Evidence that only time makes certain. */
static void mptun_rx_timer_evidence(struct mptun_tunnel *tunnel, u64 now,
			       struct sk_buff_head *out)
{
	struct mptun_gap bracket[4];
	struct mptun_path *path;
	unsigned int n, i;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_loss_proof *evidence = &path->rx.evidence;

		if (mptun_loss_proof_deadline(evidence, now) > now)
			continue;
		n = mptun_loss_proof_expire(evidence, now, bracket,
					  ARRAY_SIZE(bracket));
		for (i = 0; i < n; i++)
			mptun_reorder_prove(&tunnel->rx.reorder, &bracket[i],
					    now, out);
	}
}

/* When a path needs the timer. One that is about to report needs it for the
 * report after that, if it was set: if not, packets come so seldom that each
 * makes one.
 */
static u64 mptun_rx_timer_path(const struct mptun_path *path, u64 now)
{
	const struct mptun_rx *rx = &path->tunnel->rx;
	u64 at = mptun_loss_proof_deadline(&path->rx.evidence, now);

	if (mptun_report_deadline(path) > now)
		return min(at, mptun_report_latest(path));
	if (rx->timer_ns != U64_MAX)
		at = min(at, mptun_report_next(path, now));
	return at;
}

static void mptun_rx_timer_set(struct mptun_rx *rx, u64 at)
{
	if (!rx->running)
		return;
	rx->timer_ns = at;
	hrtimer_start(&rx->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* When packets that wait are due. */
static u64 mptun_rx_timer_packets(const struct mptun_rx *rx)
{
	return min(mptun_reorder_deadline(&rx->reorder),
		   mptun_playout_deadline(&rx->playout));
}

/**
 * mptun_rx_timer_update() - packets that wait may be due earlier
 * @tunnel: the tunnel
 */
void mptun_rx_timer_update(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	u64 at;

	lockdep_assert_held(&rx->lock);
	at = mptun_rx_timer_packets(rx);
	if (at < rx->timer_ns)
		mptun_rx_timer_set(rx, at);
}

/**
 * mptun_rx_timer_plan() - set the timer for what comes next
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: true if paths are to report, which the caller has to see to.
 */
bool mptun_rx_timer_plan(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	bool report = false;
	u64 at;

	lockdep_assert_held(&rx->lock);
	mptun_hold_follow(tunnel, now);
	at = mptun_rx_timer_packets(rx);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (mptun_report_deadline(path) <= now) {
			WRITE_ONCE(path->rx.report_due, true);
			report = true;
		}
		at = min(at, mptun_rx_timer_path(path, now));
	}
	if (report)
		at = min(at, mptun_hold_psmc_deadline(rx));
	if (at < rx->timer_ns || (report && at > rx->timer_ns))
		mptun_rx_timer_set(rx, at);
	return report;
}

static enum hrtimer_restart mptun_rx_timer_timer(struct hrtimer *timer)
{
	struct mptun_tunnel *tunnel;
	struct sk_buff_head out;
	struct mptun_rx *rx;
	bool report;
	u64 now;

	tunnel = container_of(timer, struct mptun_tunnel, rx.timer);
	rx = &tunnel->rx;
	__skb_queue_head_init(&out);

	mptun_enter();
	now = mptun_now();
	spin_lock(&rx->lock);
	rx->timer_ns = U64_MAX;
	mptun_rx_timer_evidence(tunnel, now, &out);
	mptun_hold_psmc(tunnel, now, &out);
	mptun_reorder_expire(&rx->reorder, now, &out);
	mptun_deliver_ready(tunnel, &out, now);
	mptun_deliver_due(tunnel, now);
	report = mptun_rx_timer_plan(tunnel, now);
	spin_unlock(&rx->lock);

	if (report)
		mptun_report_due(tunnel, now);
	mptun_leave();
	return HRTIMER_NORESTART;
}

/**
 * mptun_rx_timer_init() - a receiving side that has just been made
 * @rx: receiving side of a tunnel
 */
void mptun_rx_timer_init(struct mptun_rx *rx)
{
	rx->timer_ns = U64_MAX;
	hrtimer_setup(&rx->timer, mptun_rx_timer_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * mptun_rx_timer_stop() - the timer fires no more
 * @rx: receiving side of a tunnel, which no longer runs
 */
void mptun_rx_timer_stop(struct mptun_rx *rx)
{
	hrtimer_cancel(&rx->timer);
	spin_lock_bh(&rx->lock);
	rx->timer_ns = U64_MAX;
	spin_unlock_bh(&rx->lock);
}
