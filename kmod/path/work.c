// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * What the worker of a tunnel does for each of its paths.
 *
 * It performs the steps of a deletion (path/delete.c), moves a path that has
 * found another address (path/roam.c), tries other ways for one that does not
 * work (path/heal.c), and ends learned paths on which nothing arrives.
 *
 * A path that the peer deletes is deleted here as well if the peer opened it.
 * Otherwise it gets another id and is probed, in case the peer adds it again;
 * at a limited rate, since ids are not reused within an association.  Without
 * any left, a new association begins.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"

/**
 * mptun_path_work() - work of the tunnel's worker for a path
 * @path: the path
 * @dead: list for mptun_delete_free(), used if the path ends
 *
 * Return: time in ns at which to call it again, U64_MAX for none.
 */
u64 mptun_path_work(struct mptun_path *path, struct list_head *dead)
{
	u64 end, now, healed;

	lockdep_assert_held(&path->tunnel->lock);
	if (path->live.state == MPTUN_PATH_STATE_DRAINING)
		return mptun_delete_step(path, dead);
	mptun_roam_work(path);
	if (READ_ONCE(path->peer_status) == MPTUN_STATUS_ABANDON) {
		mptun_path_notify_status(path, MPTUN_STATUS_ABANDONED);
		if (path->learned) {
			mptun_delete_unlink(path, dead);
			return U64_MAX;
		}
		mptun_path_dissociate(path);
	}
	now = mptun_now();
	if (path->learned) {
		end = atomic64_read(&path->rx.last_ns) + MPTUN_LEARNED_LIFE_NS;
		if (now < end)
			return end;
		mptun_delete_unlink(path, dead);
		return U64_MAX;
	}

	healed = mptun_heal_work(path);
	/* A path of ours without an id gets one, at a limited rate. */
	if (!path->tunnel->assoc.established || path->wire_id)
		return healed;
	if (now < path->renumber_ns)
		return min(healed, path->renumber_ns);
	path->renumber_ns = now + MPTUN_RENUMBER_NS;
	mptun_path_renumber(path, MPTUN_PATH_REASON_PEER);
	return healed;
}
