/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Caps: what happens to a path that has used up its budget.
 */
#ifndef _MPTUN_CAP_H
#define _MPTUN_CAP_H

#include <linux/types.h>

struct mptun_path;

u64 mptun_cap_used(const struct mptun_path *path);
void mptun_cap_set(struct mptun_path *path, const u64 *used);
void mptun_cap_check(struct mptun_path *path, u64 now);
void mptun_cap_renumbered(struct mptun_path *path);

#endif /* _MPTUN_CAP_H */
