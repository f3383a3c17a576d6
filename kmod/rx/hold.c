// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Hold: hold time and playout follow the delays of the paths.
 *
 * Pure cores compute them: the spread of delays (reorder/owd.c), the delay of
 * the slowest path (reorder/playout.c), the bounds of mode psmc
 * (reorder/psmc.c).  This file passes them the paths of a tunnel, periodically
 * and under mptun_rx.lock.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"

/* Period in which hold time and playout follow the measured skew. */
#define MPTUN_HOLD_SKEW_NS	(10ULL * NSEC_PER_MSEC)

/* Lists the delays of all paths; the array is too large for the stack. */
static unsigned int mptun_hold_skews(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	unsigned int n = 0;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (n < MPTUN_PATHS_MAX)
			rx->owds[n++] = &path->rx.owd;
	return n;
}

/* Returns a lower bound of the hold time.
 *
 * The delay of a path is unknown until its first data arrives, which may be
 * later than the hold time that suits the paths in use.  The round-trip times
 * of our own direction, which probes measure, bound how late it may be.
 * MPTUN_LATE_US is enough: a path of higher latency either leads the others or
 * is not used (sched/lead.c), and when it starts to lead nothing overtakes it.
 */
static u32 mptun_hold_least(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;
	unsigned int n = 0;
	u32 most = 0;

	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_usable(path))
			continue;
		most = max(most,
			   mptun_owd_bound(READ_ONCE(path->tx.rtt.srtt_us),
					   READ_ONCE(path->tx.rtt.var_us)));
		n++;
	}
	return n > 1 ? min(most, MPTUN_LATE_US) : 0;
}

/* Returns true if the peer uses a path: by our own settings, which it may not
 * share, or because it sends data there.
 */
static bool mptun_hold_uses(const struct mptun_path *path, u32 rank, u64 now)
{
	return mptun_path_takes_data(path) &&
	       (mptun_path_rank(path) == rank ||
		mptun_owd_used(&path->rx.owd, now));
}

/**
 * mptun_hold_update() - update the hold time of mode adaptive
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_hold_update(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	u32 cap = rx->reorder.config.hold_us;
	unsigned int n;
	u32 hold;

	lockdep_assert_held(&rx->lock);
	if (rx->reorder.config.mode != MPTUN_REORDER_MODE_ADAPTIVE)
		return;
	n = mptun_hold_skews(tunnel);
	hold = max(mptun_owd_hold(rx->owds, n, now, cap),
		   mptun_hold_least(tunnel));
	mptun_reorder_set_hold(&rx->reorder, min(hold, cap));
	trace_mptun_hold(tunnel, min(hold, cap));
}

/**
 * mptun_hold_follow() - update hold time and repair time periodically
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_hold_follow(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	u32 rank, most = 0;

	lockdep_assert_held(&rx->lock);
	if (now - rx->skew_ns < MPTUN_HOLD_SKEW_NS)
		return;
	rx->skew_ns = now;
	rank = mptun_path_best_rank(tunnel);
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_hold_uses(path, rank, now))
			most = max(most, READ_ONCE(path->tx.rtt.srtt_us));
	mptun_reorder_set_repair(&rx->reorder, most);
	mptun_hold_update(tunnel, now);
}

/**
 * mptun_hold_playout() - update the delay of classes with playout periodically
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Paths above MPTUN_LATE_US make no flow faster (sched/lead.c).
 */
void mptun_hold_playout(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_playout_range range;
	struct mptun_path *path;
	u32 rank;

	lockdep_assert_held(&rx->lock);
	if (!rx->playout.classes || now < rx->playout_ns)
		return;
	rx->playout_ns = now + MPTUN_HOLD_SKEW_NS;
	mptun_playout_range_init(&range, min(rx->reorder.config.hold_us,
					     MPTUN_LATE_US));
	rank = mptun_path_best_rank(tunnel);
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_hold_uses(path, rank, now))
			mptun_playout_add_low(&path->rx.playout,
					      &path->rx.owd, now, &range);
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_hold_uses(path, rank, now))
			mptun_playout_add_high(&path->rx.playout,
					       &path->rx.owd, now, &range);
	mptun_playout_follow(&rx->playout, &range);
	rx->playout.limit = mptun_reorder_most(&rx->reorder);
}

/**
 * mptun_hold_psmc_deadline() - next update of the bounds of mode psmc
 * @rx: receiving side of a tunnel
 *
 * Return: time in ns, U64_MAX in other modes.
 */
u64 mptun_hold_psmc_deadline(const struct mptun_rx *rx)
{
	lockdep_assert_held(&rx->lock);
	if (rx->reorder.config.mode != MPTUN_REORDER_MODE_PSMC)
		return U64_MAX;
	return rx->psmc_ns +
	       (u64)rx->reorder.config.psmc_period_us * NSEC_PER_USEC;
}

/**
 * mptun_hold_psmc() - update the bounds of mode psmc periodically
 * @tunnel: the tunnel
 * @now: time in ns
 * @out: packets that the ring releases
 */
void mptun_hold_psmc(struct mptun_tunnel *tunnel, u64 now,
		     struct sk_buff_head *out)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *path;
	unsigned int n = 0, i;
	u64 span;

	lockdep_assert_held(&rx->lock);
	if (mptun_hold_psmc_deadline(rx) > now)
		return;
	span = now - rx->psmc_ns;
	rx->psmc_ns = now;
	i = mptun_hold_skews(tunnel);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_path_rx *prx = &path->rx;
		u64 packets = prx->packets - prx->psmc_packets;

		prx->psmc_packets = prx->packets;
		if (n == MPTUN_PATHS_MAX)
			continue;
		rx->psmc[n].owd_us = mptun_owd_excess(&prx->owd, rx->owds,
						      i, now);
		rx->psmc[n++].rate_pps =
			div64_u64(packets * NSEC_PER_SEC, span);
	}
	mptun_reorder_psmc(&rx->reorder, rx->psmc, n, 0, now, out);
}
