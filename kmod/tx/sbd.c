// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Groups: which windows are coupled.
 *
 * The windows of one group share a bottleneck, as far as controllers care that
 * couple them.  The user says so, or has it found out (setting auto-group):
 * then paths whose group is 0 are compared by their delays (cc/sbd.c), and
 * each is alone until it is found to share something.  What the user says of a
 * path holds: such a path is not compared.
 *
 * What is needed for that is allocated while it is switched on.
 */
#include <linux/slab.h>

#include "cc/sbd.h"
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/**
 * mptun_group_init() - have the group of a new path found out, if that is on
 * @path: the path, about to be one of its tunnel
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_group_init(struct mptun_path *path)
{
	struct mptun_sbd_path *b;

	lockdep_assert_held(&path->tunnel->lock);
	if (!path->tunnel->config.auto_group)
		return 0;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	INIT_LIST_HEAD(&b->list);
	path->tx.bottleneck = b;
	return 0;
}

/**
 * mptun_group_free() - undo mptun_group_init()
 * @path: the path, which has left its tunnel, or has not come so far
 */
void mptun_group_free(struct mptun_path *path)
{
	kfree(path->tx.bottleneck);
	path->tx.bottleneck = NULL;
}

static void mptun_group_set(struct mptun_path *path, u32 group, bool found)
{
	path->tx.cc.group = group;
	path->tx.cc.group_found = found;
}

/**
 * mptun_group_join() - a path has been added, or its settings are others
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
 * mptun_group_leave() - a path is not to be compared any more
 * @path: the path
 */
void mptun_group_leave(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->tx.lock);
	if (path->tx.bottleneck)
		list_del_init(&path->tx.bottleneck->list);
}

/**
 * mptun_group_restart() - a path begins anew, perhaps on another route
 * @path: the path
 */
void mptun_group_restart(struct mptun_path *path)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	if (!path->tx.cc.group_found)
		return;
	lockdep_assert_held(&tx->lock);
	mptun_sbd_reset(&tx->bottlenecks, path->tx.bottleneck);
	mptun_group_set(path, path->tx.bottleneck->group, true);
}

/**
 * mptun_group_report() - a report newly acknowledges its largest number
 * @path: the path
 * @rep: what it says
 */
void mptun_group_report(struct mptun_path *path,
			const struct mptun_sample_report *rep)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (path->tx.cc.group_found)
		mptun_sbd_sample(&tx->bottlenecks, path->tx.bottleneck,
					rep->sent_ns, rep->arrival_us);
}

/**
 * mptun_group_run() - find out who shares a bottleneck, if it is time
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
 * mptun_group_switch() - switch finding out on or off
 * @tunnel: the tunnel
 * @on: on
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
