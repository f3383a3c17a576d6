// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events: notifications for user space.
 *
 * Changes of a path are recorded under mptun_tx.lock and sent by the worker, so
 * nothing is sent under a data lock.  Consecutive changes become one event with
 * the state before the first.  Creation and deletion of a path, and begin and
 * end of an association, are sent at once, under mptun_tunnel.lock.
 */
#include "core/event.h"
#include "core/path.h"
#include "core/tunnel.h"

static const struct mptun_event_ops *mptun_event_ops;

/**
 * mptun_event_setup() - register the receiver of events
 * @ops: operations, set before the first tunnel is created
 */
void mptun_event_setup(const struct mptun_event_ops *ops)
{
	mptun_event_ops = ops;
}

/**
 * mptun_event_note() - record a change of a path for the worker
 * @path: the path
 * @event: kind of the change
 * @old: previous state of the path
 */
void mptun_event_note(struct mptun_path *path, enum mptun_event event,
		      enum mptun_path_state old)
{
	struct mptun_path_live *live = &path->live;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (!live->events)
		live->event_old = old;
	live->events |= event;
	mptun_tunnel_kick(path->tunnel);
}

static void mptun_event_send_path(struct mptun_path *path)
{
	struct mptun_path_live *live = &path->live;
	struct mptun_tx *tx = &path->tunnel->tx;
	enum mptun_path_state old;
	unsigned int events;

	spin_lock_bh(&tx->lock);
	events = live->events;
	old = live->event_old;
	live->events = 0;
	spin_unlock_bh(&tx->lock);
	if (events)
		mptun_event_ops->changed(path, events, old);
}

/**
 * mptun_event_send() - send recorded events
 * @tunnel: the tunnel
 */
void mptun_event_send(struct mptun_tunnel *tunnel)
{
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->lock);
	list_for_each_entry(path, &tunnel->paths, list)
		mptun_event_send_path(path);
}

/**
 * mptun_event_added() - notify of a new path
 * @path: the path
 */
void mptun_event_added(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->lock);
	mptun_event_ops->added(path);
}

/**
 * mptun_event_deleted() - notify of the deletion of a path
 * @path: the path
 */
void mptun_event_deleted(struct mptun_path *path)
{
	lockdep_assert_held(&path->tunnel->lock);
	mptun_event_send_path(path);
	mptun_event_ops->deleted(path);
}

/**
 * mptun_event_tunnel() - notify of the begin or end of an association
 * @tunnel: the tunnel
 */
void mptun_event_tunnel(struct mptun_tunnel *tunnel)
{
	lockdep_assert_held(&tunnel->lock);
	mptun_event_ops->tunnel(tunnel);
}
