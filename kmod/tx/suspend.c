// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Suspended paths: intervals are measured here, and paths that do harm are not
 * used until a trial shows that they have improved.
 *
 * A path is suspended (parked, for user space) if it carries next to nothing
 * beside the others (sched/bad.c).  A high-latency path (detour) is suspended
 * if the others do better without it (sched/detour.c); it still carries packets
 * that its delay does not hurt: classes without order, duplicated packets, and
 * packets pinned to it or sent on the path of lowest latency
 * (mptun_class_avoids()).  Without another working path a suspended one carries
 * everything.
 *
 * Paths are compared with those used together with them: working, of the same
 * priority, and all backups or none.  They are full, and so comparable, while
 * the queue of class 0 is stopped, which waits for all of them; at least half
 * of an interval must be so.  With less traffic no verdict is needed, because a
 * bad path that is not needed does no harm.  A scheduler that copies packets to
 * all paths uses all of them.
 *
 * Acknowledgments only add to the counters; the worker judges the paths at the
 * end of an interval.  mptun_tx.lock protects everything here.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "sched/trial.h"
#include "tx/tx.h"

#define MPTUN_AVOID_INTERVAL_NS	(250ULL * NSEC_PER_MSEC)

/* Longest interval that counts; a longer one is a pause. */
#define MPTUN_AVOID_PAUSE	4

#define MPTUN_PARK_INTERVAL_NS	(MPTUN_BAD_INTERVAL_MS * (u64)NSEC_PER_MSEC)

static bool mptun_park_judged(const struct mptun_path *path, u32 rank)
{
	return mptun_path_up(path) && !mptun_path_suspended(path) &&
	       mptun_path_rank(path) == rank;
}

static void mptun_park_judge(struct mptun_path *path,
			     const struct mptun_bad_sum *sum, u32 part,
			     u64 now)
{
	struct mptun_bad *bad = &path->tx.bad;
	u8 before = bad->state;

	if (mptun_bad_judge(bad, sum, part, now)) {
		trace_mptun_suspended(path);
		mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
	}
	if (before != MPTUN_BAD_PARKED || bad->state != MPTUN_BAD_TRIED)
		return;
	/* All measurements are outdated: the trial begins at full rate. */
	mptun_cc_reset(&path->tx.cc, path->tx.cc.mss);
	mptun_rate_init(&path->tx.rate);
	mptun_sample_reset(&path->tx.sample);
	mptun_pacer_reset(&path->tx.pacer);
}

/* Judges at the end of an interval which paths carry too little. */
static void mptun_park_run(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_park *park = &tunnel->tx.park;
	u32 part = READ_ONCE(tunnel->config.park);
	struct mptun_bad_sum sum = {};
	struct mptun_path *path;
	bool full;
	u32 rank;

	lockdep_assert_held(&tunnel->tx.lock);
	if (!part || now < park->full.begin_ns + MPTUN_PARK_INTERVAL_NS)
		return;
	rank = mptun_path_best_rank(tunnel);
	full = mptun_full_mostly(&park->full, tunnel->tx.queues[0].stopped,
				 now) &&
	       !tunnel->tx.sched.ops->copies;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_park_judged(path, rank))
			mptun_bad_measure(&path->tx.bad, path->tx.acked_bytes,
					  &sum);
	park->tries = false;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (full && mptun_park_judged(path, rank))
			mptun_park_judge(path, &sum, part, now);
		else
			mptun_bad_skip(&path->tx.bad, now);
		if (path->tx.bad.state == MPTUN_BAD_TRIED)
			park->tries = true;
	}
	mptun_full_begin(&park->full, now);
}

/**
 * mptun_park_forget() - resume all paths that carried too little
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_park_forget(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	tunnel->tx.park.tries = false;
	mptun_full_reset(&tunnel->tx.park.full, now);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		bool parked = mptun_bad_parked(&path->tx.bad);

		mptun_bad_reset(&path->tx.bad, path->tx.acked_bytes, now);
		if (!parked)
			continue;
		trace_mptun_suspended(path);
		mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
	}
	rcu_read_unlock();
}

static bool mptun_avoid_measured(struct mptun_path *path, u32 rank,
				 struct mptun_detour_path *measured)
{
	struct mptun_path_tx *tx = &path->tx;

	if (!mptun_path_up(path) || mptun_bad_parked(&tx->bad) ||
	    mptun_path_rank(path) != rank)
		return false;
	*measured = (struct mptun_detour_path){
		.min_rtt_us = tx->rtt.valid ? tx->rtt.min_us : 0,
		.srtt_us = tx->rtt.srtt_us,
		.rate = mptun_cc_rate(&tx->cc, mptun_rate_get(&tx->rate)),
		.acked = tx->acked_bytes,
	};
	return true;
}

static void mptun_avoid_set_detour(struct mptun_path *path, bool suspend)
{
	if (path->tx.detour.suspended == suspend)
		return;
	path->tx.detour.suspended = suspend;
	trace_mptun_suspended(path);
	mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
}

static void mptun_avoid_detour(struct mptun_tunnel *tunnel, bool full, u32 ms,
			       u64 now)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	u32 rank = mptun_path_best_rank(tunnel);
	struct mptun_detour_sum sum = {
		.min_rtt_us = U32_MAX,
		.srtt_us = U32_MAX,
		.full = full,
		.flows = avoid->flows,
	};
	struct mptun_detour_path measured;
	struct mptun_path *path;
	bool suspend;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_avoid_measured(path, rank, &measured))
			mptun_detour_compare(&measured, &sum);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (mptun_avoid_measured(path, rank, &measured)) {
			mptun_detour_measure(&path->tx.detour, &measured,
					     &sum);
			continue;
		}
		path->tx.detour.high_latency = false;
		path->tx.detour.acked = path->tx.acked_bytes;
	}
	suspend = mptun_detour_judge(&avoid->detours, &sum, ms, now) &&
		  tunnel->tx.sched.ops->low_latency_first;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_avoid_set_detour(path, suspend &&
				       path->tx.detour.high_latency);
}

/**
 * mptun_avoid_begin() - a flow sends its first packet of an interval
 * @tunnel: the tunnel
 * @lane: lane of the flow
 *
 * It begins if it sent nothing in the previous one.
 */
void mptun_avoid_begin(struct mptun_tunnel *tunnel, u16 lane)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	avoid->flows++;
	if (test_bit(lane, avoid->lanes_before))
		return;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_cc_flow(&path->tx.cc);
}

/* Judges at the end of an interval which paths are detours. */
static void mptun_avoid_run(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	u64 took = now - avoid->full.begin_ns;
	bool full;
	u32 ms;

	lockdep_assert_held(&tunnel->tx.lock);
	if (!READ_ONCE(tunnel->config.park) || took < MPTUN_AVOID_INTERVAL_NS)
		return;
	took = min(took, MPTUN_AVOID_PAUSE * MPTUN_AVOID_INTERVAL_NS);
	ms = div_u64(took, NSEC_PER_MSEC);
	full = mptun_full_mostly(&avoid->full, tunnel->tx.queues[0].stopped,
				 now);
	mptun_avoid_detour(tunnel, full, ms, now);
	mptun_full_begin(&avoid->full, now);
	bitmap_copy(avoid->lanes_before, avoid->lanes, MPTUN_LANES);
	bitmap_zero(avoid->lanes, MPTUN_LANES);
	avoid->flows_before = avoid->flows;
	avoid->flows = 0;
}

/**
 * mptun_avoid_forget() - resume all paths that were detours
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_avoid_forget(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	tunnel->tx.avoid.flows_before = 0;
	mptun_full_reset(&tunnel->tx.avoid.full, now);
	mptun_detour_group_reset(&tunnel->tx.avoid.detours, now);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		mptun_avoid_set_detour(path, false);
		mptun_detour_reset(&path->tx.detour, path->tx.acked_bytes);
	}
	rcu_read_unlock();
}

/**
 * mptun_suspend_judge() - judge the paths whose intervals have ended
 * @tunnel: the tunnel
 *
 * Called by the worker, without a spinlock of ours.
 */
void mptun_suspend_judge(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	u64 now, next;

	mptun_enter();
	spin_lock(&tx->lock);
	if (tx->judge_ns == U64_MAX) {
		now = mptun_now();
		mptun_park_run(tunnel, now);
		mptun_avoid_run(tunnel, now);
		mptun_group_run(tunnel, now);
		next = now + MPTUN_PARK_INTERVAL_NS;
		if (READ_ONCE(tunnel->config.park))
			next = min3(next, tx->park.full.begin_ns +
				    MPTUN_PARK_INTERVAL_NS,
				    tx->avoid.full.begin_ns +
				    MPTUN_AVOID_INTERVAL_NS);
		if (!list_empty(&tx->bottlenecks.paths))
			next = min(next, tx->bottlenecks.next_ns);
		tx->judge_ns = next;
	}
	spin_unlock(&tx->lock);
	mptun_leave();
}
