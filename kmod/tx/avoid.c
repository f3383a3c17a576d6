// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Avoiding: lossy and far paths rest where others do better without them.
 *
 * Which paths are lossy or far, and whether they are used, is decided in
 * sched/lossy.c and sched/detour.c.  Here intervals are measured, as acknowledgments come
 * in.  Paths are compared with those that are used together with them, as for
 * parking (tx/park.c).
 *
 * A path that rests still carries what is not hurt by its losses and its delay:
 * classes without order, what is duplicated, and what is pinned to it or wants
 * the nearest path (mptun_class_avoids()).  It carries all if no other one
 * works.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

#define MPTUN_AVOID_INTERVAL_NS	(MPTUN_LOSSY_INTERVAL_MS * (u64)NSEC_PER_MSEC)

/* Longer than so many intervals is a pause. */
#define MPTUN_AVOID_PAUSE	4

/**
 * mptun_avoid_news() - a report tells of the packets of a path
 * @path: the path
 * @res: what it tells
 * @now: time in ns
 */
void mptun_avoid_news(struct mptun_path *path,
		      const struct mptun_sent_result *res, u64 now)
{
	const struct mptun_rtt *rtt = &path->tx.rtt;
	struct mptun_lossy_news news = {
		.now = now,
		.lost_ns = res->newest_lost_ns,
		.packets = res->acked_packets + res->lost_packets,
		.spurious = res->spurious,
	};

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (rtt->valid && rtt->latest_us > rtt->min_us)
		news.queue_us = rtt->latest_us - rtt->min_us;
	mptun_lossy_news(&path->tx.lossy, &news);
}

static void mptun_avoid_set(struct mptun_path *path, bool rests, u64 now)
{
	if (path->tx.lossy.rests == rests)
		return;
	mptun_lossy_rest(&path->tx.lossy, rests, now);
	mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
}

static bool mptun_avoid_together(const struct mptun_path *path, u32 rank)
{
	return mptun_path_up(path) &&
	       !mptun_bad_parked(&path->tx.bad) &&
	       mptun_path_rank(path) == rank;
}

static bool mptun_avoid_judged(const struct mptun_path *path, u32 rank)
{
	return mptun_avoid_together(path, rank) && !path->tx.detour.rests;
}

static void mptun_avoid_measure(struct mptun_tunnel *tunnel, u32 rank,
				struct mptun_lossy_sum *sum, u64 now)
{
	struct mptun_lossy_ref ref = {};
	struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_avoid_judged(path, rank))
			mptun_lossy_compare(&path->tx.lossy, &ref);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_avoid_judged(path, rank)) {
			mptun_avoid_set(path, false, now);
			/* what it carries meanwhile is of no interval */
			path->tx.lossy.acked = path->tx.acked_bytes;
			continue;
		}
		mptun_lossy_measure(&path->tx.lossy, path->tx.acked_bytes,
				    &ref, sum);
		if (path->tx.lossy.rests &&
		    !mptun_lossy_check(&path->tx.lossy, &ref, sum->full, now))
			mptun_avoid_set(path, false, now);
	}
}

static void mptun_avoid_lossy(struct mptun_tunnel *tunnel, bool full, u32 ms,
			      u64 now)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	u32 rank = mptun_path_best_rank(tunnel);
	struct mptun_lossy_sum sum = {
		.full = full,
		.flows = avoid->flows,
	};
	enum mptun_lossy_verdict verdict;
	struct mptun_path *path;

	mptun_avoid_measure(tunnel, rank, &sum, now);
	if (tunnel->tx.sched.ops->copies)
		verdict = MPTUN_LOSSY_USE;
	else
		verdict = mptun_lossy_judge(&avoid->group, &sum, ms, now);
	if (verdict == MPTUN_LOSSY_KEEP)
		return;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_avoid_set(path, verdict == MPTUN_LOSSY_REST &&
				mptun_avoid_judged(path, rank) &&
				path->tx.lossy.lossy, now);
}

/* Losses are judged before distance: one that rests for its losses is no
 * nearest path.
 */
static bool mptun_avoid_measured(struct mptun_path *path, u32 rank,
				 struct mptun_detour_path *is)
{
	struct mptun_path_tx *tx = &path->tx;

	if (!mptun_avoid_together(path, rank) || tx->lossy.rests)
		return false;
	*is = (struct mptun_detour_path){
		.min_rtt_us = tx->rtt.valid ? tx->rtt.min_us : 0,
		.srtt_us = tx->rtt.srtt_us,
		.rate = mptun_cc_rate(&tx->cc, mptun_rate_get(&tx->rate)),
		.acked = tx->acked_bytes,
	};
	return true;
}

static void mptun_avoid_far(struct mptun_path *path, bool rests)
{
	if (path->tx.detour.rests == rests)
		return;
	path->tx.detour.rests = rests;
	mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
}

static void mptun_avoid_detour(struct mptun_tunnel *tunnel, bool full, u32 ms,
			       u64 now)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	u32 rank = mptun_path_best_rank(tunnel);
	struct mptun_detour_sum sum = {
		.least_us = U32_MAX,
		.nearest_us = U32_MAX,
		.full = full,
		.flows = avoid->flows,
	};
	struct mptun_detour_path is;
	struct mptun_path *path;
	bool rests;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_avoid_measured(path, rank, &is))
			mptun_detour_compare(&is, &sum);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (mptun_avoid_measured(path, rank, &is)) {
			mptun_detour_measure(&path->tx.detour, &is, &sum);
			continue;
		}
		path->tx.detour.far = false;
		path->tx.detour.acked = path->tx.acked_bytes;
	}
	rests = mptun_detour_judge(&avoid->detours, &sum, ms, now) &&
		tunnel->tx.sched.ops->near_first;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_avoid_far(path, rests && path->tx.detour.far);
}

/* An interval is over, of a tunnel that was in use. */
static void mptun_avoid_interval(struct mptun_tunnel *tunnel, u32 ms, u64 now)
{
	bool full = mptun_full_mostly(&tunnel->tx.avoid.full,
				      tunnel->tx.queues[0].stopped, now);

	mptun_avoid_lossy(tunnel, full, ms, now);
	mptun_avoid_detour(tunnel, full, ms, now);
}

/**
 * mptun_avoid_run() - judge the paths, if it is time
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called under rcu_read_lock().
 */
void mptun_avoid_run(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_avoid *avoid = &tunnel->tx.avoid;
	u64 took = now - avoid->full.begin_ns;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	if (!READ_ONCE(tunnel->config.park) || took < MPTUN_AVOID_INTERVAL_NS)
		return;
	took = min(took, MPTUN_AVOID_PAUSE * MPTUN_AVOID_INTERVAL_NS);
	mptun_avoid_interval(tunnel, div_u64(took, NSEC_PER_MSEC), now);
	mptun_full_begin(&avoid->full, now);
	bitmap_zero(avoid->lanes, MPTUN_LANES);
	avoid->flows_before = avoid->flows;
	avoid->flows = 0;
	avoid->tries = false;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		avoid->tries |= path->tx.lossy.tried;
}

/**
 * mptun_avoid_forget() - no path rests any more
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_avoid_forget(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	tunnel->tx.avoid.tries = false;
	tunnel->tx.avoid.flows_before = 0;
	mptun_full_reset(&tunnel->tx.avoid.full, now);
	mptun_lossy_group_reset(&tunnel->tx.avoid.group, now);
	mptun_detour_group_reset(&tunnel->tx.avoid.detours, now);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		mptun_avoid_set(path, false, now);
		mptun_lossy_reset(&path->tx.lossy, path->tx.acked_bytes);
		mptun_avoid_far(path, false);
		mptun_detour_reset(&path->tx.detour, path->tx.acked_bytes);
	}
	rcu_read_unlock();
}
