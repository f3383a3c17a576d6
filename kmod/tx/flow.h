/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lanes: which packets have to stay in order with each other.
 */
#ifndef _MPTUN_LANE_H
#define _MPTUN_LANE_H

#include <linux/types.h>

struct mptun_tx;
struct sk_buff;

u16 mptun_lane_of(const struct sk_buff *skb);
void mptun_lane_start(struct mptun_tx *tx);
u16 mptun_lane_prev(struct mptun_tx *tx, u16 lane, u32 dsn);

#endif /* _MPTUN_LANE_H */
