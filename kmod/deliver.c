// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Delivery: from the ring to the stack, in order.
 *
 * One NAPI instance per tunnel puts what has arrived in order (order.c) and
 * hands what the ring releases to the stack.  The ring also releases packets
 * when a time is over or the sender says so, on whatever CPU that happens.  All
 * of them pass one list, because anything per CPU would bring them out of order
 * again.
 *
 * This file also owns the timer of the receiving side: hold times, late
 * proofs of loss, reports that are due, and the measurements behind the hold
 * time.
 */
#include <net/gro.h>

#include "deliver.h"
#include "liveness.h"
#include "order.h"
#include "path.h"
#include "proto.h"
#include "report.h"
#include "skb_cb.h"
#include "tunnel.h"

/* How often the hold time follows the measured skew. */
#define MPTUN_DELIVER_SKEW_NS	(10ULL * NSEC_PER_MSEC)

/* How often the bounds of mode psmc are computed: once per RTT was found to
 * track well, the 60 s of the dissertation do not follow anything.
 */
#define MPTUN_DELIVER_PSMC_NS	(100ULL * NSEC_PER_MSEC)

/* Why a packet in order does not get to the stack, 0 if it does. */
static unsigned int mptun_deliver_refuse(const struct mptun_rx *rx,
					 const struct sk_buff *skb)
{
	if (mptun_rx_cb(skb)->drop)
		return MPTUN_A_DROP_STATS_RX_ECN;
	if (!rx->running || skb_queue_len(&rx->ready) >= MPTUN_READY_MAX)
		return MPTUN_A_DROP_STATS_RX_OVERRUN;
	return 0;
}

/**
 * mptun_deliver_add() - packets have been released, NAPI will look
 * @tunnel: the tunnel
 * @out: the packets in order; empty afterwards
 */
void mptun_deliver_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out)
{
	struct mptun_rx *rx = &tunnel->rx;
	unsigned int reason;
	struct sk_buff *skb;

	lockdep_assert_held(&rx->lock);
	while ((skb = __skb_dequeue(out))) {
		reason = mptun_deliver_refuse(rx, skb);
		if (reason) {
			mptun_drop(&tunnel->drops, skb, reason);
			DEV_STATS_INC(tunnel->dev, rx_dropped);
			continue;
		}
		__skb_queue_tail(&rx->ready, skb);
	}
}

/* The same where nobody has told NAPI. */
static void mptun_deliver_ready(struct mptun_tunnel *tunnel,
				struct sk_buff_head *out)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (skb_queue_empty(out))
		return;
	mptun_deliver_add(tunnel, out);
	if (rx->running)
		napi_schedule(&rx->napi);
}

/* The next packet for the stack.  All that is ready is taken under one lock,
 * after some of what has arrived was put in order.
 */
static struct sk_buff *mptun_deliver_next(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	bool more = true;

	while (skb_queue_empty(&rx->taken) && more) {
		mptun_enter();
		more = mptun_order_arrived(tunnel);
		spin_lock(&rx->lock);
		skb_queue_splice_tail_init(&rx->ready, &rx->taken);
		spin_unlock(&rx->lock);
		mptun_leave();
	}
	return __skb_dequeue(&rx->taken);
}

static int mptun_deliver_poll(struct napi_struct *napi, int budget)
{
	struct mptun_tunnel *tunnel;
	struct sk_buff *skb;
	int work = 0;

	tunnel = container_of(napi, struct mptun_tunnel, rx.napi);
	while (work < budget && (skb = mptun_deliver_next(tunnel))) {
		work++;
		dev_sw_netstats_rx_add(tunnel->dev, skb->len);
		napi_gro_receive(napi, skb);
	}
	if (work < budget)
		napi_complete_done(napi, work);
	return work;
}

/* Collects the delays of all paths; the array is too large for the stack. */
static unsigned int mptun_deliver_skews(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	unsigned int n = 0;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (n < MPTUN_PATHS_MAX)
			rx->skews[n++] = &path->rx.skew;
	return n;
}

/* Nothing is known of the delay of a path until its first data arrives, and
 * that must not be taken for lost because it comes later than what the paths
 * in use made likely.  The round-trip times of our own direction, which probes
 * measure, say how late it might be.  A path that is very far leads the others
 * or is not used (sched_lead.c): when it begins all leaves there, and nothing
 * comes too early, so nobody has to wait for it who does not know it.
 */
static u32 mptun_deliver_least_hold(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	unsigned int n = 0;
	u32 most = 0;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_liveness_usable(path))
			continue;
		most = max(most,
			   mptun_skew_bound(READ_ONCE(path->tx.rtt.srtt_us),
					    READ_ONCE(path->tx.rtt.var_us)));
		n++;
	}
	return n > 1 ? min(most, MPTUN_LATE_US) : 0;
}

static void mptun_deliver_follow_skew(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	u32 cap = rx->reorder.config.hold_us;
	unsigned int n;
	u32 hold;

	if (rx->reorder.config.mode != MPTUN_REORDER_MODE_ADAPTIVE)
		return;
	n = mptun_deliver_skews(tunnel);
	hold = max(mptun_skew_hold(rx->skews, n, now, cap),
		   mptun_deliver_least_hold(tunnel));
	mptun_reorder_set_hold(&rx->reorder, min(hold, cap));
}

static void mptun_deliver_follow_psmc(struct mptun_tunnel *tunnel, u64 now,
				      struct sk_buff_head *out)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	unsigned int n = 0, i;
	u64 span;

	span = now - rx->psmc_ns;
	if (rx->reorder.config.mode != MPTUN_REORDER_MODE_PSMC ||
	    span < MPTUN_DELIVER_PSMC_NS)
		return;
	rx->psmc_ns = now;
	i = mptun_deliver_skews(tunnel);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_path_rx *prx = &path->rx;
		u64 packets = prx->packets - prx->psmc_packets;

		prx->psmc_packets = prx->packets;
		if (n == MPTUN_PATHS_MAX)
			continue;
		rx->psmc[n].owd_us = mptun_skew_excess(&prx->skew, rx->skews,
						       i, now);
		rx->psmc[n++].rate_pps =
			div64_u64(packets * NSEC_PER_SEC, span);
	}
	mptun_reorder_psmc(&rx->reorder, rx->psmc, n, 0, now, out);
}

/* Evidence that only time makes certain. */
static u64 mptun_deliver_evidence(struct mptun_tunnel *tunnel, u64 now,
				  struct sk_buff_head *out)
{
	struct mptun_bracket bracket[4];
	struct mptun_path *path;
	u64 at = U64_MAX;
	unsigned int n, i;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_evidence *evidence = &path->rx.evidence;

		if (mptun_evidence_deadline(evidence, now) <= now) {
			n = mptun_evidence_expire(evidence, now, bracket,
						  ARRAY_SIZE(bracket));
			for (i = 0; i < n; i++)
				mptun_reorder_prove(&tunnel->rx.reorder,
						    &bracket[i], now, out);
		}
		at = min(at, mptun_evidence_deadline(evidence, now));
	}
	return at;
}

static enum hrtimer_restart mptun_deliver_timer(struct hrtimer *timer)
{
	struct mptun_tunnel *tunnel;
	struct sk_buff_head out;
	struct mptun_rx *rx;
	u64 now, at;

	tunnel = container_of(timer, struct mptun_tunnel, rx.timer);
	rx = &tunnel->rx;
	__skb_queue_head_init(&out);

	mptun_enter();
	now = mptun_now();
	spin_lock(&rx->lock);
	rx->timer_ns = U64_MAX;
	at = mptun_deliver_evidence(tunnel, now, &out);
	mptun_deliver_follow_psmc(tunnel, now, &out);
	mptun_reorder_expire(&rx->reorder, now, &out);
	mptun_deliver_ready(tunnel, &out);
	mptun_deliver_update(tunnel, at, now);
	spin_unlock(&rx->lock);

	mptun_report_due(tunnel, now);
	mptun_leave();
	return HRTIMER_NORESTART;
}

static void mptun_deliver_arm(struct mptun_rx *rx, u64 at)
{
	rx->timer_ns = at;
	hrtimer_start(&rx->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Lets the hold time follow the paths. Returns when the ring is due. */
static u64 mptun_deliver_hold(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (now - rx->skew_ns >= MPTUN_DELIVER_SKEW_NS) {
		rx->skew_ns = now;
		mptun_deliver_follow_skew(tunnel, now);
	}
	return mptun_reorder_deadline(&rx->reorder);
}

/**
 * mptun_deliver_update() - set the timer of the receiving side
 * @tunnel: the tunnel
 * @at: another deadline of the caller in ns, U64_MAX for none
 * @now: time in ns
 *
 * As the timers of paths it is only set to an earlier time.
 */
void mptun_deliver_update(struct mptun_tunnel *tunnel, u64 at, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	lockdep_assert_held(&rx->lock);
	at = min(at, mptun_deliver_hold(tunnel, now));
	if (at < rx->timer_ns && rx->running)
		mptun_deliver_arm(rx, at);
}

/**
 * mptun_deliver_postpone() - an arrival makes a path report
 * @path: the path
 * @now: time in ns
 *
 * A timer that was to see to it would fire for nothing, and is set to a later
 * time: for the next report, or what else is due.  One that is not set stays so
 * as far as reports are concerned: packets come so seldom that each makes one.
 */
void mptun_deliver_postpone(struct mptun_path *path, u64 now)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *other;
	u64 at;

	lockdep_assert_held(&rx->lock);
	at = mptun_deliver_hold(tunnel, now);
	if (rx->timer_ns != U64_MAX)
		at = min(at, mptun_report_next(path, now));
	if (rx->reorder.config.mode == MPTUN_REORDER_MODE_PSMC)
		at = min(at, rx->psmc_ns + MPTUN_DELIVER_PSMC_NS);
	list_for_each_entry_rcu(other, &tunnel->paths, list) {
		at = min(at, mptun_evidence_deadline(&other->rx.evidence, now));
		if (other != path)
			at = min(at, mptun_report_latest(other));
	}
	if (at != rx->timer_ns && rx->running)
		mptun_deliver_arm(rx, at);
}

/**
 * mptun_deliver_settled() - the sender says what it does not expect to arrive
 * @tunnel: the tunnel
 * @data: content of a block (struct mptun_settled)
 * @len: its length
 *
 * Return: 0, or -EINVAL if it does not parse.
 */
int mptun_deliver_settled(struct mptun_tunnel *tunnel, const u8 *data,
			  unsigned int len)
{
	const struct mptun_settled *settled = (const void *)data;
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	if (len != sizeof(*settled))
		return -EINVAL;
	__skb_queue_head_init(&out);
	spin_lock(&rx->lock);
	mptun_reorder_floor(&rx->reorder, be32_to_cpu(settled->dsn),
			    mptun_now(), &out);
	mptun_deliver_ready(tunnel, &out);
	spin_unlock(&rx->lock);
	return 0;
}

/* A floor far above all that was received cannot be: the sender would have to
 * have given up more than it keeps.
 */
static int mptun_deliver_floor(struct mptun_path *path, u64 floor)
{
	lockdep_assert_held(&path->tunnel->rx.lock);
	if (floor > path->rx.data.window.next + MPTUN_SENT_MAX)
		return -EINVAL;
	mptun_ranges_prune(&path->rx.ranges, floor);
	return 0;
}

/**
 * mptun_deliver_prune() - the sender says which numbers matter no more
 * @tunnel: the tunnel
 * @data: content of a block (struct mptun_floor)
 * @len: its length
 *
 * Return: 0, or -EINVAL if it does not parse or cannot be.
 */
int mptun_deliver_prune(struct mptun_tunnel *tunnel, const u8 *data,
			unsigned int len)
{
	const struct mptun_floor *floor = (const void *)data;
	struct mptun_path *path;
	int err;

	if (len != sizeof(*floor))
		return -EINVAL;
	path = mptun_path_by_wire(tunnel, be16_to_cpu(floor->path));
	if (!path)
		return 0;
	spin_lock(&tunnel->rx.lock);
	err = mptun_deliver_floor(path, be64_to_cpu(floor->number));
	spin_unlock(&tunnel->rx.lock);
	return err;
}

/**
 * mptun_deliver_configure() - change how packets are put in order
 * @tunnel: the tunnel
 * @config: new settings
 */
void mptun_deliver_configure(struct mptun_tunnel *tunnel,
			     const struct mptun_reorder_config *config)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;
	u64 now = mptun_now();

	__skb_queue_head_init(&out);
	mptun_enter();
	spin_lock(&rx->lock);
	mptun_reorder_configure(&rx->reorder, config, now, &out);
	mptun_deliver_follow_skew(tunnel, now);
	mptun_deliver_ready(tunnel, &out);
	mptun_deliver_update(tunnel, U64_MAX, now);
	spin_unlock(&rx->lock);
	mptun_leave();
}

/**
 * mptun_deliver_associate() - a new association begins
 * @tunnel: the tunnel
 * @first_dsn: first data sequence number of the peer
 */
void mptun_deliver_associate(struct mptun_tunnel *tunnel, u32 first_dsn)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, first_dsn, &out);
	mptun_deliver_ready(tunnel, &out);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_end() - an association has ended
 * @tunnel: the tunnel
 *
 * What is missing does not come any more.
 */
void mptun_deliver_end(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	mptun_reorder_idle(&rx->reorder);
	mptun_deliver_ready(tunnel, &out);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_rest() - give memory back if nothing has come for a while
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_deliver_rest(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (now < READ_ONCE(rx->active_ns) + MPTUN_REST_NS)
		return;
	spin_lock(&rx->lock);
	/* A packet may have come just now. */
	if (now >= rx->active_ns + MPTUN_REST_NS)
		mptun_reorder_idle(&rx->reorder);
	spin_unlock(&rx->lock);
}

/**
 * mptun_deliver_init() - make the receiving side of a tunnel
 * @tunnel: the tunnel, its ring made
 */
void mptun_deliver_init(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	skb_queue_head_init(&rx->arrived);
	__skb_queue_head_init(&rx->ready);
	__skb_queue_head_init(&rx->taken);
	rx->timer_ns = U64_MAX;
	hrtimer_setup(&rx->timer, mptun_deliver_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	set_bit(NAPI_STATE_NO_BUSY_POLL, &rx->napi.state);
	netif_napi_add(tunnel->dev, &rx->napi, mptun_deliver_poll);
}

/**
 * mptun_deliver_destroy() - free what the receiving side holds
 * @tunnel: the tunnel, stopped
 */
void mptun_deliver_destroy(struct mptun_tunnel *tunnel)
{
	netif_napi_del(&tunnel->rx.napi);
}

static void mptun_deliver_running(struct mptun_rx *rx, bool running)
{
	lockdep_assert_held(&rx->lock);
	spin_lock(&rx->arrived.lock);
	rx->running = running;
	spin_unlock(&rx->arrived.lock);
}

/**
 * mptun_deliver_start() - the device comes up
 * @tunnel: the tunnel
 */
void mptun_deliver_start(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	napi_enable(&rx->napi);
	spin_lock_bh(&rx->lock);
	mptun_deliver_running(rx, true);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_stop() - the device goes down
 * @tunnel: the tunnel
 */
void mptun_deliver_stop(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_deliver_running(rx, false);
	rx->timer_ns = U64_MAX;
	/* The driver below wants its pages back. */
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	spin_unlock_bh(&rx->lock);
	hrtimer_cancel(&rx->timer);
	napi_disable(&rx->napi);
	skb_queue_purge(&rx->arrived);
	__skb_queue_purge(&rx->ready);
	__skb_queue_purge(&rx->taken);
	__skb_queue_purge(&out);
}
