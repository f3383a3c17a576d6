// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Groups of paths with a shared bottleneck, whose windows may be coupled.
 *
 * The user assigns a group to a path, or with the setting auto-group shared
 * bottlenecks are detected (cc/shared_bottleneck.c): paths of group 0 are
 * compared by their delays, and each is alone until it is found to share one.
 * Paths with a configured group are not compared.
 *
 * The state of a path is allocated while auto-group is on, under
 * mptun_tunnel.lock; mptun_tx.lock protects its use.
 */
#include <linux/slab.h>

#include "cc/shared_bottleneck.h"
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/**
 * mptun_group_init() - prepare bottleneck detection for a path, if enabled
 * @path: the path
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_group_init(struct mptun_path *path)
{
	struct mptun_sbd_path *b;

	lockdep_assert_held(&path->tunnel->lock);
	if (!path->tunnel->config.auto_group)
		return 0;
	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return -ENOMEM;
	INIT_LIST_HEAD(&b->list);
	path->tx.bottleneck = b;
	return 0;
}

static void mptun_group_set(struct mptun_path *path, u32 group, bool found)
{
	path->tx.cc.group = group;
	path->tx.cc.group_found = found;
}

/**
 * mptun_group_join() - set the group of a new or changed path
 * @path: the path
 */
void mptun_group_join(struct mptun_path *path)
{
	struct mptun_sbd_path *b = path->tx.bottleneck;
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (!b || path->config.group) {
		mptun_group_leave(path);
		mptun_group_set(path, path->config.group, false);
		return;
	}
	if (list_empty(&b->list)) {
		mptun_sbd_reset(&tx->bottlenecks, b);
		list_add_tail(&b->list, &tx->bottlenecks.paths);
	}
	mptun_group_set(path, b->group, true);
}

/**
 * mptun_group_leave() - stop comparing a path
 * @path: the path
 */
void mptun_group_leave(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (path->tx.bottleneck)
		list_del_init(&path->tx.bottleneck->list);
}

/**
 * mptun_group_restart() - restart detection, as the route may have changed
 * @path: the path
 */
void mptun_group_restart(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	/* A path that is not yet in its tunnel has found no group.  It comes
	 * without the lock.
	 */
	if (!path->tx.cc.group_found)
		return;
	lockdep_assert_held(&tx->lock);
	mptun_sbd_reset(&tx->bottlenecks, path->tx.bottleneck);
	mptun_group_set(path, path->tx.bottleneck->group, true);
}

/**
 * mptun_group_run() - detect shared bottlenecks at the end of an interval
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called under rcu_read_lock().
 */
void mptun_group_run(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	if (!mptun_sbd_run(&tx->bottlenecks, now))
		return;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_cc *cc = &path->tx.cc;

		if (!cc->group_found || cc->group == path->tx.bottleneck->group)
			continue;
		cc->group = path->tx.bottleneck->group;
		mptun_event_note(path, MPTUN_EVENT_STATE, path->live.state);
	}
}

static void mptun_group_off(struct mptun_tunnel *tunnel)
{
	struct mptun_sbd_path *b;
	struct mptun_path *path;

	tunnel->config.auto_group = false;
	list_for_each_entry(path, &tunnel->paths, list) {
		spin_lock_bh(&tunnel->tx.lock);
		mptun_group_leave(path);
		b = path->tx.bottleneck;
		path->tx.bottleneck = NULL;
		mptun_group_join(path);
		spin_unlock_bh(&tunnel->tx.lock);
		kfree(b);
	}
}

/**
 * mptun_group_switch() - turn bottleneck detection on or off
 * @tunnel: the tunnel
 * @on: turn it on
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int mptun_group_switch(struct mptun_tunnel *tunnel, bool on)
{
	struct mptun_path *path;
	int err;

	lockdep_assert_held(&tunnel->lock);
	if (on == tunnel->config.auto_group)
		return 0;
	if (!on) {
		mptun_group_off(tunnel);
		return 0;
	}
	tunnel->config.auto_group = true;
	list_for_each_entry(path, &tunnel->paths, list) {
		err = mptun_group_init(path);
		if (err) {
			mptun_group_off(tunnel);
			return err;
		}
	}
	spin_lock_bh(&tunnel->tx.lock);
	list_for_each_entry(path, &tunnel->paths, list)
		mptun_group_join(path);
	spin_unlock_bh(&tunnel->tx.lock);
	return 0;
}
