/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Events: changes that user space is notified of.
 */
#ifndef _MPTUN_EVENT_H
#define _MPTUN_EVENT_H

#include <linux/bits.h>
#include <linux/mptun.h>

struct mptun_path;
struct mptun_tunnel;

/**
 * enum mptun_event - what has changed about a path
 * @MPTUN_EVENT_STATE: its state, or how it is used
 * @MPTUN_EVENT_CAP: how much of its cap is used up
 */
enum mptun_event {
	MPTUN_EVENT_STATE	= BIT(0),
	MPTUN_EVENT_CAP		= BIT(1),
};

/**
 * struct mptun_event_ops - where events go, under mptun_tunnel.lock
 * @added: a path has been made
 * @changed: some of &enum mptun_event happened to a path, and which state it
 *	had before
 * @deleted: a path is about to be freed
 * @tunnel: the association of a tunnel has begun or ended
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
