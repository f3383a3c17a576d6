/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Drain: how paths are deleted without losing anything.
 */
#ifndef _MPTUN_DRAIN_H
#define _MPTUN_DRAIN_H

#include <linux/list.h>
#include <linux/types.h>

struct mptun_path;

void mptun_drain_tell(struct mptun_path *path, u16 status);
void mptun_drain_path(struct mptun_path *path, struct list_head *dead);
u64 mptun_drain_work(struct mptun_path *path, struct list_head *dead);
void mptun_drain_unlink(struct mptun_path *path, struct list_head *dead);
void mptun_drain_kill(struct list_head *dead);

#endif /* _MPTUN_DRAIN_H */
