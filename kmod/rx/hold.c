// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Hold: how long the ring waits follows the delays of the paths, and so does
 * how late what it releases is handed on.
 *
 * What is computed is in pure cores: the spread of delays in reorder/owd.c, the delay
 * of the slowest path in reorder/playout.c, the bounds of mode psmc in reorder/psmc.c.
 * Here the paths of a tunnel are put before them, now and then.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"

/* How often hold time and playout follow the measured skew. */
#define MPTUN_HOLD_SKEW_NS	(10ULL * NSEC_PER_MSEC)

/* How often the bounds of mode psmc are computed: once per RTT was found to
 * track well, the 60 s of the dissertation do not follow anything.
 */
#define MPTUN_HOLD_PSMC_NS	(100ULL * NSEC_PER_MSEC)

/* Collects the delays of all paths; the array is too large for the stack. */
static unsigned int mptun_hold_skews(struct mptun_tunnel *tunnel)
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
 * or is not used (sched/lead.c): when it begins all leaves there, and nothing
 * comes too early, so nobody has to wait for it who does not know it.
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

/**
 * mptun_hold_update() - the hold time of mode adaptive
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
	hold = max(mptun_owd_hold(rx->skews, n, now, cap),
		   mptun_hold_least(tunnel));
	mptun_reorder_set_hold(&rx->reorder, min(hold, cap));
}

/**
 * mptun_hold_follow() - the same, if that was some time ago
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_hold_follow(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	lockdep_assert_held(&rx->lock);
	if (now - rx->skew_ns < MPTUN_HOLD_SKEW_NS)
		return;
	rx->skew_ns = now;
	mptun_hold_update(tunnel, now);
}

/* Is a path in use?  Those of our own settings that say so are taken for the
 * peer's; of others it sends data at most.
 */
static bool mptun_hold_uses(const struct mptun_path *path, u32 rank, u64 now)
{
	return mptun_path_takes_data(path) &&
	       (mptun_path_rank(path) == rank ||
		mptun_owd_used(&path->rx.skew, now));
}

static void mptun_hold_range(struct mptun_tunnel *tunnel, u64 now,
			     struct mptun_playout_range *range)
{
	u32 rank = mptun_path_best_rank(tunnel);
	struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_hold_uses(path, rank, now))
			mptun_playout_add_low(&path->rx.playout,
					      &path->rx.skew, now, range);
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (mptun_hold_uses(path, rank, now))
			mptun_playout_add_high(&path->rx.playout,
					       &path->rx.skew, now, range);
}

/**
 * mptun_hold_playout() - the delay that packets of some classes are to have
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * What is farther than late makes no flow faster (sched/lead.c).
 */
void mptun_hold_playout(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_playout_range range;

	lockdep_assert_held(&rx->lock);
	if (!rx->playout.classes || now < rx->playout_ns)
		return;
	rx->playout_ns = now + MPTUN_HOLD_SKEW_NS;
	mptun_playout_range_init(&range, min(rx->reorder.config.hold_us,
					     MPTUN_LATE_US));
	mptun_hold_range(tunnel, now, &range);
	mptun_playout_follow(&rx->playout, &range);
	rx->playout.limit = rx->reorder.config.limit_bytes;
}

/**
 * mptun_hold_psmc() - the bounds of mode psmc, if they are due
 * @tunnel: the tunnel
 * @now: time in ns
 * @out: what the ring releases thereby
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
		rx->psmc[n].owd_us = mptun_owd_excess(&prx->skew, rx->skews,
						       i, now);
		rx->psmc[n++].rate_pps =
			div64_u64(packets * NSEC_PER_SEC, span);
	}
	mptun_reorder_psmc(&rx->reorder, rx->psmc, n, 0, now, out);
}

/**
 * mptun_hold_psmc_deadline() - when the bounds of mode psmc are due
 * @rx: receiving side of a tunnel
 *
 * Return: time in ns, U64_MAX in other modes.
 */
u64 mptun_hold_psmc_deadline(const struct mptun_rx *rx)
{
	if (rx->reorder.config.mode != MPTUN_REORDER_MODE_PSMC)
		return U64_MAX;
	return rx->psmc_ns + MPTUN_HOLD_PSMC_NS;
}
