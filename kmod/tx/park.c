// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parking: bad paths are left alone, and tried now and then.
 *
 * What is bad, and what becomes of it, is decided in sched/bad.c.  Here intervals are
 * measured, as acknowledgments come in, and paths are compared with those that
 * are used together with them: that work, with the same priority, all of them
 * backups or none.
 *
 * Paths are full, and so to be compared, while the queue of class 0 is stopped,
 * which waits for all of them; of an interval that should be half.  Who sends
 * less needs no verdict: a path that is bad and not needed does no harm.
 *
 * A scheduler that sends copies on all paths wants them all.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "ctl/netlink.h"
#include "path/liveness.h"
#include "sched/trial.h"
#include "tx/park.h"

#define MPTUN_PARK_INTERVAL_NS	(MPTUN_BAD_INTERVAL_MS * (u64)NSEC_PER_MSEC)

static bool mptun_park_judged(const struct mptun_path *path, u32 rank)
{
	return mptun_liveness_good(path) && !mptun_path_rests(path) &&
	       mptun_liveness_rank(path) == rank;
}

/* What was known of the path is long past: it is full speed that is tried. */
static void mptun_park_try(struct mptun_path *path)
{
	mptun_cc_reset(&path->tx.cc, path->tx.cc.mss);
	mptun_rate_init(&path->tx.rate);
	mptun_sample_reset(&path->tx.sample);
	mptun_pacer_reset(&path->tx.pacer);
}

static void mptun_park_judge(struct mptun_path *path,
			     const struct mptun_bad_sum *sum, u32 part,
			     u64 now)
{
	struct mptun_bad *bad = &path->tx.bad;
	u8 before = bad->state;

	if (mptun_bad_judge(bad, sum, part, now))
		mptun_netlink_path_event(path, path->live.state);
	if (before == MPTUN_BAD_PARKED && bad->state == MPTUN_BAD_TRIED)
		mptun_park_try(path);
}

static void mptun_park_interval(struct mptun_tunnel *tunnel, u32 part, u64 now)
{
	u32 rank = mptun_liveness_best(tunnel);
	struct mptun_bad_sum sum = {};
	struct mptun_path *path;
	bool full;

	full = mptun_full_mostly(&tunnel->tx.park.full,
				 tunnel->tx.queues[0].stopped, now) &&
	       !tunnel->tx.sched.ops->copies;
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_park_judged(path, rank))
			mptun_bad_measure(&path->tx.bad, path->tx.acked_bytes,
					  &sum);
	tunnel->tx.park.tries = false;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (full && mptun_park_judged(path, rank))
			mptun_park_judge(path, &sum, part, now);
		else
			mptun_bad_rest(&path->tx.bad, now);
		if (path->tx.bad.state == MPTUN_BAD_TRIED)
			tunnel->tx.park.tries = true;
	}
}

/**
 * mptun_park_run() - judge the paths, if it is time
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called under rcu_read_lock().
 */
void mptun_park_run(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_park *park = &tunnel->tx.park;
	u32 part = READ_ONCE(tunnel->config.park);

	lockdep_assert_held(&tunnel->tx.lock);
	if (!part || now < park->full.begin_ns + MPTUN_PARK_INTERVAL_NS)
		return;
	mptun_park_interval(tunnel, part, now);
	mptun_full_begin(&park->full, now);
}

/**
 * mptun_park_forget() - no path is parked any more
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
		if (parked)
			mptun_netlink_path_event(path, path->live.state);
	}
	rcu_read_unlock();
}
