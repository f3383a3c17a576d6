/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Liveness: which paths work.
 */
#ifndef _MPTUN_LIVENESS_H
#define _MPTUN_LIVENESS_H

#include <linux/mptun.h>

#include "core/path.h"

/**
 * mptun_liveness_good() - does a path work, as far as known?
 * @path: the path
 *
 * Return: true if answers come in time.
 */
static inline bool mptun_liveness_good(const struct mptun_path *path)
{
	return READ_ONCE(path->live.state) == MPTUN_PATH_STATE_UP;
}

/**
 * mptun_liveness_usable() - may a path carry data?
 * @path: the path
 *
 * Return: true if it may, possibly only for want of a better one.
 */
static inline bool mptun_liveness_usable(const struct mptun_path *path)
{
	u8 state = READ_ONCE(path->live.state);

	return state == MPTUN_PATH_STATE_UP ||
	       state == MPTUN_PATH_STATE_SUSPECT;
}

/**
 * mptun_liveness_open() - may new data be placed on a path?
 * @path: the path
 *
 * Return: true if it may carry data, and neither end wants it to stand by.
 */
static inline bool mptun_liveness_open(const struct mptun_path *path)
{
	return mptun_liveness_usable(path) &&
	       READ_ONCE(path->own_status) != MPTUN_STATUS_STANDBY &&
	       READ_ONCE(path->peer_status) != MPTUN_STATUS_STANDBY;
}

/**
 * mptun_liveness_backup() - is a path a backup?
 * @path: the path; it may change without the mptun_tx.lock of its tunnel
 *
 * Return: true if its settings, its cap or the peer say so.
 */
static inline bool mptun_liveness_backup(const struct mptun_path *path)
{
	return READ_ONCE(path->config.backup) ||
	       READ_ONCE(path->own_status) == MPTUN_STATUS_BACKUP ||
	       READ_ONCE(path->peer_status) == MPTUN_STATUS_BACKUP;
}

/**
 * mptun_liveness_rank() - when is a path used?
 * @path: the path; it may change without the mptun_tx.lock of its tunnel
 *
 * Return: the lower, the earlier; those that are equal are used together.
 */
static inline u32 mptun_liveness_rank(const struct mptun_path *path)
{
	return mptun_liveness_backup(path) << 16 |
	       READ_ONCE(path->config.priority);
}

u32 mptun_liveness_best(const struct mptun_tunnel *tunnel);
void mptun_liveness_carrier(struct mptun_tunnel *tunnel);
void mptun_liveness_init(struct mptun_path *path, enum mptun_path_reason why);
void mptun_liveness_set(struct mptun_path *path, enum mptun_path_state state,
			enum mptun_path_reason reason, u64 now);
void mptun_liveness_probe(struct mptun_path *path,
			  enum mptun_path_reason reason, u64 now);
void mptun_liveness_acked(struct mptun_path *path, u64 newest_ns, u64 now);
void mptun_liveness_answered(struct mptun_path *path, u64 now);
void mptun_liveness_heard(struct mptun_path *path, u64 now);
void mptun_liveness_unroutable(struct mptun_path *path, int err);
void mptun_liveness_routable(struct mptun_path *path);
u64 mptun_liveness_deadline(const struct mptun_path *path);
bool mptun_liveness_expire(struct mptun_path *path, u64 now);

#endif /* _MPTUN_LIVENESS_H */
