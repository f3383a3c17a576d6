// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Caps: what happens to a path that has used up its budget.
 *
 * What counts is both directions at this end, so the peer has to spare the path
 * as well: it is told, as with a path that is deleted, how we want it used.
 *
 *	action	own data	the peer is told
 *	stop	none		STANDBY: none either, and probes are rare
 *	backup	as a backup	BACKUP: the same
 *	notify	as before	nothing
 *
 * Nothing is looked at for each packet.  Reports come eight times per round
 * trip: with those of the peer what was sent is looked at, with our own what
 * was received, and with each timer what is left.  So a cap is exceeded by what
 * goes through in a good round trip: one until it is seen, and what is in
 * flight until the peer has heard of it.
 *
 * Nobody answers what the peer is told, so it is told several times, and again
 * as long as the path is to be spared.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"

static u32 mptun_quota_header(const struct mptun_path *path)
{
	return path->config.family == AF_INET ? sizeof(struct iphdr) :
						sizeof(struct ipv6hdr);
}

/* What went through so far. On 32 bit what was received can only be read under
 * its lock, so this comes before the one of sending is taken; and what may be
 * off by half a number else is merely shown.
 */
static struct mptun_budget_count mptun_quota_count(const struct mptun_path *path)
{
	struct mptun_budget_count count = {
		.bytes = path->rx.bytes,
		.packets = path->rx.packets,
	};

	count.bytes += atomic64_read(&path->control_bytes);
	count.packets += atomic64_read(&path->tx_control) +
			 atomic64_read(&path->rx_control);
	return count;
}

static void mptun_quota_count_tx(const struct mptun_path *path,
			       struct mptun_budget_count *count)
{
	count->bytes += path->tx.bytes;
	count->packets += path->tx.packets;
}

/**
 * mptun_quota_used() - what counts against the cap of a path
 * @path: the path; mptun_tunnel.lock or mptun_tx.lock is held
 *
 * Return: bytes.
 */
u64 mptun_quota_used(const struct mptun_path *path)
{
	struct mptun_budget_count count = mptun_quota_count(path);

	mptun_quota_count_tx(path, &count);
	return mptun_budget_used(&path->tx.budget, &count,
				 mptun_quota_header(path));
}

static u16 mptun_quota_status(const struct mptun_path *path)
{
	if (path->tx.budget.state != MPTUN_CAP_STATE_REACHED)
		return MPTUN_STATUS_AVAILABLE;
	switch (path->config.cap_action) {
	case MPTUN_CAP_ACTION_STOP:
		return MPTUN_STATUS_STANDBY;
	case MPTUN_CAP_ACTION_BACKUP:
		return MPTUN_STATUS_BACKUP;
	default:
		return MPTUN_STATUS_AVAILABLE;
	}
}

/* Compares with the cap, and puts what follows into effect. */
static void mptun_quota_judge(struct mptun_path *path)
{
	struct mptun_path_tx *ptx = &path->tx;
	u16 status;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_budget_judge(&ptx->budget, path->config.cap))
		mptun_event_note(path, MPTUN_EVENT_CAP, path->live.state);
	status = mptun_quota_status(path);
	if (status == path->own_status)
		return;
	WRITE_ONCE(path->own_status, status);
	ptx->told = 0;
	ptx->told_ns = 0;
	mptun_liveness_carrier(path->tunnel);
}

/* Is the peer to be told now? */
static bool mptun_quota_notifies(struct mptun_path *path, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;

	if (!mptun_path_usable(path) ||
	    (ptx->told_ns && now < ptx->told_ns + MPTUN_QUOTA_NOTIFY_NS))
		return false;
	if (path->own_status == MPTUN_STATUS_AVAILABLE &&
	    ptx->told >= MPTUN_QUOTA_NOTIFY_TIMES)
		return false;
	ptx->told_ns = now;
	if (ptx->told < MPTUN_QUOTA_NOTIFY_TIMES)
		ptx->told++;
	return true;
}

/* Has the path a cap, or had it one of which the peer is still to hear? */
static bool mptun_quota_matters(const struct mptun_path *path)
{
	return READ_ONCE(path->config.cap) ||
	       READ_ONCE(path->tx.told) < MPTUN_QUOTA_NOTIFY_TIMES;
}

static struct mptun_budget_count mptun_quota_lock(struct mptun_path *path)
	__acquires(&path->tunnel->tx.lock)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_budget_count count;

	spin_lock(&tunnel->rx.lock);
	count = mptun_quota_count(path);
	spin_unlock(&tunnel->rx.lock);
	spin_lock(&tunnel->tx.lock);
	mptun_quota_count_tx(path, &count);
	return count;
}

/**
 * mptun_quota_check() - has a path reached its cap?
 * @path: the path
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_quota_check(struct mptun_path *path, u64 now)
{
	struct mptun_budget_count count;
	u16 status;
	bool tell;

	if (!mptun_quota_matters(path))
		return;
	count = mptun_quota_lock(path);
	mptun_budget_update(&path->tx.budget, &count, mptun_quota_header(path));
	mptun_quota_judge(path);
	tell = mptun_quota_notifies(path, now);
	status = path->own_status;
	spin_unlock(&path->tunnel->tx.lock);
	if (tell)
		mptun_drain_notify(path, status);
}

/**
 * mptun_quota_set() - the settings of a path have changed
 * @path: the path
 * @used: what is to count against the cap from now on, NULL for no change
 */
void mptun_quota_set(struct mptun_path *path, const u64 *used)
{
	struct mptun_budget_count count;

	lockdep_assert_held(&path->tunnel->lock);
	mptun_enter();
	count = mptun_quota_lock(path);
	mptun_budget_update(&path->tx.budget, &count, mptun_quota_header(path));
	if (used)
		mptun_budget_set(&path->tx.budget, &count, *used);
	mptun_quota_judge(path);
	spin_unlock(&path->tunnel->tx.lock);
	mptun_quota_check(path, mptun_now());
	mptun_leave();
}

/**
 * mptun_quota_renumbered() - the peer knows nothing of a path yet
 * @path: the path
 */
void mptun_quota_renumbered(struct mptun_path *path)
{
	struct mptun_path_tx *ptx = &path->tx;

	ptx->told_ns = 0;
	ptx->told = path->own_status == MPTUN_STATUS_AVAILABLE ?
		    MPTUN_QUOTA_NOTIFY_TIMES : 0;
}
