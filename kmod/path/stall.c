// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Stall: packets wait for the last path that went down.
 *
 * While no other path can carry the traffic, one that went down may only stand
 * still, and deliver everything afterwards: a hand-over of an uplink, or the
 * buffer of a modem.  What is in flight on it stays in flight, and it is listed
 * as a full path, so that packets wait in the queue of the device.  One answer
 * restores it.
 *
 * It is given up when another path takes data, and after MPTUN_HEAL_FIRST_NS,
 * when it tries another way (path/heal.c).  Then what is in flight is lost.
 *
 * mptun_tx.lock protects everything here.
 */
#include "base/limits.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/**
 * mptun_stall_begin() - decide whether packets wait for a path that goes down
 * @path: the path, before its state changes
 * @reason: why it goes down
 *
 * They do if it takes data and no other path does.
 *
 * Return: true if they do.
 */
bool mptun_stall_begin(struct mptun_path *path, enum mptun_path_reason reason)
{
	bool stalled = reason == MPTUN_PATH_REASON_TIMEOUT &&
		       mptun_path_takes_data(path);
	const struct mptun_path *other;

	lockdep_assert_held(&path->tunnel->tx.lock);
	rcu_read_lock();
	list_for_each_entry_rcu(other, &path->tunnel->paths, list)
		stalled &= other == path || !mptun_path_takes_data(other);
	rcu_read_unlock();
	WRITE_ONCE(path->live.stalled, stalled);
	return stalled;
}

/**
 * mptun_stall_end() - no longer wait for a path that is down
 * @path: the path
 * @now: time in ns
 *
 * What is in flight on it is lost.  The caller updates the carrier.
 */
void mptun_stall_end(struct mptun_path *path, u64 now)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	WRITE_ONCE(path->live.stalled, false);
	mptun_ack_abandon(path, now);
}

/**
 * mptun_stall_expire() - give a path up that has been waited for long enough
 * @path: the path
 * @now: time in ns
 */
void mptun_stall_expire(struct mptun_path *path, u64 now)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!mptun_path_stalled(path) ||
	    now < path->live.since_ns + MPTUN_HEAL_FIRST_NS)
		return;
	mptun_stall_end(path, now);
	mptun_carrier_update(path->tunnel);
}
