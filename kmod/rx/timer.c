// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Timer: one hrtimer for all deadlines of the receiving side.
 *
 * These are hold times, playout, proofs of loss that need time, and reports.
 * Setting a timer is expensive, and arriving packets do most of its work: on
 * any path, they send all reports that are due.  The timer is therefore only
 * moved to an earlier time, and to a later one right after reports.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"

/* Applies the losses that time has proved. */
static void mptun_rx_timer_losses(struct mptun_tunnel *tunnel, u64 now,
				  struct sk_buff_head *out)
{
	struct mptun_gap gap[4];
	struct mptun_path *path;
	unsigned int n, i;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_loss_proof *proof = &path->rx.loss_proof;

		if (mptun_loss_proof_deadline(proof, now) > now)
			continue;
		n = mptun_loss_proof_expire(proof, now, gap,
					    ARRAY_SIZE(gap));
		for (i = 0; i < n; i++)
			mptun_reorder_prove(&tunnel->rx.reorder, &gap[i], now,
					    out);
	}
}

static void mptun_rx_timer_set(struct mptun_rx *rx, u64 at)
{
	if (!rx->running)
		return;
	rx->timer_ns = at;
	hrtimer_start(&rx->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Returns when the next waiting packet is due. */
static u64 mptun_rx_timer_packets(const struct mptun_rx *rx)
{
	return min(mptun_reorder_deadline(&rx->reorder),
		   mptun_playout_deadline(&rx->playout));
}

/**
 * mptun_rx_timer_update() - set the timer if packets are due earlier
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
 * mptun_rx_settle() - charge the memory of packets that wait
 * @rx: receiving side of a tunnel
 */
void mptun_rx_settle(struct mptun_rx *rx)
{
	lockdep_assert_held(&rx->lock);
	rx->reorder.most = mptun_pool_settle(&rx->share, rx->reorder.bytes +
					     rx->playout.bytes +
					     rx->assemble.bytes +
					     rx->ready_bytes);
}

/**
 * mptun_rx_timer_plan() - set the timer to the next deadline
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: true if the caller has to call mptun_report_due().
 */
bool mptun_rx_timer_plan(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	bool report = false;
	u64 at, interval, patience;

	lockdep_assert_held(&rx->lock);
	mptun_rx_settle(rx);
	mptun_hold_follow(tunnel, now);
	at = mptun_rx_timer_packets(rx);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		at = min(at, mptun_loss_proof_deadline(&path->rx.loss_proof,
						       now));
		interval = mptun_report_interval(path);
		/* While packets flow they send the reports, and the timer does
		 * not fire a thousand times a second.
		 */
		patience = min_t(u64, interval +
				 (interval >> MPTUN_REPORT_SLACK_SHIFT),
				 MPTUN_REPORT_MAX_NS);
		if (mptun_report_at(path, interval) > now) {
			at = min(at, mptun_report_at(path, patience));
			continue;
		}
		WRITE_ONCE(path->rx.report_due, true);
		report = true;
		/* An idle receiver has no timer: the next packet reports at
		 * once.
		 */
		if (rx->timer_ns != U64_MAX)
			at = min(at, now + patience);
	}
	if (report)
		at = min(at, mptun_hold_psmc_deadline(rx));
	if (at < rx->timer_ns || (report && at > rx->timer_ns))
		mptun_rx_timer_set(rx, at);
	return report;
}

/**
 * mptun_rx_timer_fired() - timer of the receiving side
 * @timer: &mptun_rx.timer
 *
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart mptun_rx_timer_fired(struct hrtimer *timer)
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
	mptun_rx_timer_losses(tunnel, now, &out);
	mptun_hold_psmc(tunnel, now, &out);
	mptun_reorder_expire(&rx->reorder, now, &out);
	mptun_ready_schedule(tunnel, &out, now);
	if (mptun_ready_playout(rx, now))
		napi_schedule(&rx->napi);
	report = mptun_rx_timer_plan(tunnel, now);
	spin_unlock(&rx->lock);

	if (report)
		mptun_report_due(tunnel, now);
	mptun_leave();
	return HRTIMER_NORESTART;
}
