// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths that have been down for long are tried again after an event.
 *
 * mptun_tx.lock protects everything here.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/**
 * mptun_liveness_retry() - probe a path often again that has been down for long
 * @path: the path
 * @now: time in ns
 *
 * Something has changed that may let it work again.  The interval counts from
 * the last probe, so that changes in a row do not cause a probe each.
 */
void mptun_liveness_retry(struct mptun_path *path, u64 now)
{
	struct mptun_path_live *live = &path->live;
	u64 less;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if ((live->state != MPTUN_PATH_STATE_DOWN &&
	     live->state != MPTUN_PATH_STATE_NOROUTE) || now <= live->rare_ns)
		return;
	live->rare_ns = now;
	if (live->backoff_ns <= MPTUN_REPROBE_ACTIVE_NS)
		return;
	less = live->backoff_ns - MPTUN_REPROBE_ACTIVE_NS;
	live->backoff_ns = MPTUN_REPROBE_ACTIVE_NS;
	if (live->probe_ns != U64_MAX && live->probe_ns > now)
		live->probe_ns = max(now, live->probe_ns - less);
	mptun_timer_update(path, now);
}

/**
 * mptun_liveness_others() - retry all paths but one
 * @tunnel: the tunnel
 * @back: a path that was down for long and answers, NULL if none does
 * @now: time in ns
 *
 * Their networks or the peer may have been what they have in common.
 */
void mptun_liveness_others(struct mptun_tunnel *tunnel,
			   const struct mptun_path *back, u64 now)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (path != back)
			mptun_liveness_retry(path, now);
	rcu_read_unlock();
}
