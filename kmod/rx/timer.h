/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Due: the one timer of the receiving side.
 */
#ifndef _MPTUN_DUE_H
#define _MPTUN_DUE_H

#include <linux/types.h>

struct mptun_rx;
struct mptun_tunnel;

void mptun_due_init(struct mptun_rx *rx);
void mptun_due_update(struct mptun_tunnel *tunnel);
bool mptun_due_plan(struct mptun_tunnel *tunnel, u64 now);
void mptun_due_stop(struct mptun_rx *rx);

#endif /* _MPTUN_DUE_H */
