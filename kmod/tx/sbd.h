/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Groups: which windows are coupled.
 */
#ifndef _MPTUN_GROUP_H
#define _MPTUN_GROUP_H

#include <linux/types.h>

struct mptun_path;
struct mptun_sample_report;
struct mptun_tunnel;

int mptun_group_init(struct mptun_path *path);
void mptun_group_free(struct mptun_path *path);
void mptun_group_join(struct mptun_path *path);
void mptun_group_leave(struct mptun_path *path);
void mptun_group_restart(struct mptun_path *path);
void mptun_group_report(struct mptun_path *path,
			const struct mptun_sample_report *rep);
void mptun_group_run(struct mptun_tunnel *tunnel, u64 now);
int mptun_group_switch(struct mptun_tunnel *tunnel, bool on);

#endif /* _MPTUN_GROUP_H */
