/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The one timer of a path.
 */
#ifndef _MPTUN_TIMER_H
#define _MPTUN_TIMER_H

struct mptun_path;

void mptun_timer_init(struct mptun_path *path);
void mptun_timer_update(struct mptun_path *path, u64 now);
void mptun_timer_stop(struct mptun_path *path);

#endif /* _MPTUN_TIMER_H */
