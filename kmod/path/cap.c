// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Data caps: what happens to a path that has used up its own.
 *
 * Both directions count, so the peer has to save data as well.  It is notified
 * with a STATUS, as when a path is deleted:
 *
 *	action	own data	STATUS to the peer
 *	stop	none		STANDBY: no data either, and probes are rare
 *	backup	as a backup	BACKUP: as a backup, too
 *	notify	as before	none
 *
 * Caps are not checked for each packet.  Reports come eight times per round
 * trip: those of the peer check what was sent, our own what was received, and
 * each timer checks both.  A cap is thus exceeded by little more than the data
 * of a round trip: until it is detected, and in flight until the peer reacts.
 *
 * A STATUS is not acknowledged, so it is repeated several times.  While the
 * path is restricted it is repeated further, but rarely, as the path costs
 * money.
 *
 * The counters are read under mptun_rx.lock and mptun_tx.lock, one after the
 * other; the latter protects the state of the cap.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"

static u32 mptun_path_cap_header(const struct mptun_path *path)
{
	return READ_ONCE(path->config.family) == AF_INET ?
	       sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* Counts received and control packets. */
static struct mptun_cap_count
mptun_path_cap_count(const struct mptun_path *path)
{
	struct mptun_cap_count count = {
		.bytes = path->rx.bytes,
		.packets = path->rx.packets,
	};

	lockdep_assert_held(&path->tunnel->rx.lock);
	count.bytes += atomic64_read(&path->control_bytes);
	count.packets += atomic64_read(&path->tx_control) +
			 atomic64_read(&path->rx_control);
	return count;
}

/* Compares the used data with the cap, and changes the status of the path. */
static void mptun_path_cap_judge(struct mptun_path *path)
{
	struct mptun_path_tx *ptx = &path->tx;
	u16 status = MPTUN_STATUS_AVAILABLE;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_cap_judge(&ptx->cap, path->config.cap))
		mptun_event_note(path, MPTUN_EVENT_CAP, path->live.state);
	if (ptx->cap.state == MPTUN_CAP_STATE_REACHED) {
		if (path->config.cap_action == MPTUN_CAP_ACTION_STOP)
			status = MPTUN_STATUS_STANDBY;
		else if (path->config.cap_action == MPTUN_CAP_ACTION_BACKUP)
			status = MPTUN_STATUS_BACKUP;
	}
	if (status == path->own_status)
		return;
	WRITE_ONCE(path->own_status, status);
	WRITE_ONCE(ptx->notified, 0);
	ptx->notified_ns = 0;
	mptun_carrier_update(path->tunnel);
}

/* Returns true if the peer is to be notified now, and counts that. */
static bool mptun_path_cap_notifies(struct mptun_path *path, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	bool enough = ptx->notified >= MPTUN_CAP_NOTIFY_TIMES;
	u64 pause = enough ? MPTUN_CAP_REMIND_NS : MPTUN_CAP_NOTIFY_NS;

	if (!mptun_path_usable(path) ||
	    (enough && path->own_status == MPTUN_STATUS_AVAILABLE) ||
	    (ptx->notified_ns && now < ptx->notified_ns + pause))
		return false;
	ptx->notified_ns = now;
	if (!enough)
		WRITE_ONCE(ptx->notified, ptx->notified + 1);
	return true;
}

/* Counts all packets; returns with mptun_tx.lock held. */
static struct mptun_cap_count mptun_path_cap_lock(struct mptun_path *path)
	__acquires(&path->tunnel->tx.lock)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_cap_count count;

	spin_lock(&tunnel->rx.lock);
	count = mptun_path_cap_count(path);
	spin_unlock(&tunnel->rx.lock);
	spin_lock(&tunnel->tx.lock);
	count.bytes += path->tx.bytes;
	count.packets += path->tx.packets;
	return count;
}

/**
 * mptun_path_cap_used() - data that counts against the cap of a path
 * @path: the path; no spinlock of ours is held
 *
 * Return: bytes.
 */
u64 mptun_path_cap_used(struct mptun_path *path)
{
	struct mptun_cap_count count;
	u64 used;

	mptun_enter();
	count = mptun_path_cap_lock(path);
	used = mptun_cap_used(&path->tx.cap, &count,
			      mptun_path_cap_header(path));
	spin_unlock(&path->tunnel->tx.lock);
	mptun_leave();
	return used;
}

/**
 * mptun_path_cap_check() - check whether a path has reached its cap
 * @path: the path
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_path_cap_check(struct mptun_path *path, u64 now)
{
	struct mptun_cap_count count;
	bool notify;
	u16 status;

	/* No cap, and no notification of a former one left. On 32 bit a new cap
	 * can show half of it; mptun_path_cap_set() checks it again.
	 */
	if (!data_race(path->config.cap) &&
	    READ_ONCE(path->tx.notified) >= MPTUN_CAP_NOTIFY_TIMES)
		return;
	count = mptun_path_cap_lock(path);
	mptun_cap_update(&path->tx.cap, &count, mptun_path_cap_header(path));
	mptun_path_cap_judge(path);
	notify = mptun_path_cap_notifies(path, now);
	status = path->own_status;
	spin_unlock(&path->tunnel->tx.lock);
	if (notify)
		mptun_path_notify_status(path, status);
}

/**
 * mptun_path_cap_set() - apply changed settings of the cap
 * @path: the path
 * @used: bytes that count against the cap from now on, NULL for no change
 */
void mptun_path_cap_set(struct mptun_path *path, const u64 *used)
{
	struct mptun_cap_count count;

	lockdep_assert_held(&path->tunnel->lock);
	mptun_enter();
	count = mptun_path_cap_lock(path);
	mptun_cap_update(&path->tx.cap, &count, mptun_path_cap_header(path));
	if (used)
		mptun_cap_set(&path->tx.cap, &count, *used);
	mptun_path_cap_judge(path);
	spin_unlock(&path->tunnel->tx.lock);
	mptun_path_cap_check(path, mptun_now());
	mptun_leave();
}
