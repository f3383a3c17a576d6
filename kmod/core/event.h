/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events: notifications for user space.
 */
#ifndef _MPTUN_EVENT_H
#define _MPTUN_EVENT_H

#include <linux/bits.h>
#include <linux/mptun.h>

struct mptun_path;
struct mptun_tunnel;

/**
 * enum mptun_event - kinds of changes of a path
 * @MPTUN_EVENT_STATE: its state or its use
 * @MPTUN_EVENT_CAP: the state of its cap
 */
enum mptun_event {
	MPTUN_EVENT_STATE	= BIT(0),
	MPTUN_EVENT_CAP		= BIT(1),
};

/**
 * struct mptun_event_ops - receiver of events
 * @added: a path was created
 * @changed: a path changed; gets a mask of &enum mptun_event and the previous
 *	state
 * @deleted: a path is about to be freed
 * @tunnel: the association of a tunnel began or ended
 *
 * Called under mptun_tunnel.lock.
 */
struct mptun_event_ops {
	void (*added)(struct mptun_path *path);
	void (*changed)(struct mptun_path *path, unsigned int events,
			enum mptun_path_state old);
	void (*deleted)(struct mptun_path *path);
	void (*tunnel)(struct mptun_tunnel *tunnel);
};

void mptun_event_setup(const struct mptun_event_ops *ops);
void mptun_event_note(struct mptun_path *path, enum mptun_event event,
		      enum mptun_path_state old);
void mptun_event_send(struct mptun_tunnel *tunnel);
void mptun_event_added(struct mptun_path *path);
void mptun_event_deleted(struct mptun_path *path);
void mptun_event_tunnel(struct mptun_tunnel *tunnel);

#endif /* _MPTUN_EVENT_H */
