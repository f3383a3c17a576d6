/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Hold: how long the ring waits follows the delays of the paths.
 */
#ifndef _MPTUN_HOLD_H
#define _MPTUN_HOLD_H

#include <linux/types.h>

struct mptun_rx;
struct mptun_tunnel;
struct sk_buff_head;

void mptun_hold_anew(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_follow(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_playout(struct mptun_tunnel *tunnel, u64 now);
void mptun_hold_psmc(struct mptun_tunnel *tunnel, u64 now,
		     struct sk_buff_head *out);
u64 mptun_hold_psmc_deadline(const struct mptun_rx *rx);

#endif /* _MPTUN_HOLD_H */
