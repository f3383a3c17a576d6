/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays of paths, compared with each other.
 */
#ifndef _MPTUN_SKEW_H
#define _MPTUN_SKEW_H

#include <linux/types.h>

#include "reorder/delay.h"

/**
 * struct mptun_skew - one-way delay of a path, up to an unknown offset
 * @mean: smoothed delay in 1/16 us, modulo 2^28; only differences between
 *	paths mean anything
 * @dev: smoothed deviation from the mean in 1/16 us
 * @delays: its extremes
 * @packets: how many samples there were in their periods
 * @seen: when the newest sample was taken, in ns
 * @valid: there is a sample
 */
struct mptun_skew {
	u32 mean;
	u32 dev;
	struct mptun_delays delays;
	u32 packets[2];
	u64 seen;
	bool valid;
};

void mptun_skew_init(struct mptun_skew *s);
void mptun_skew_update(struct mptun_skew *s, u32 time, u64 now);
bool mptun_skew_used(const struct mptun_skew *s, u64 now);
u32 mptun_skew_bound(u32 srtt_us, u32 var_us);
u32 mptun_skew_hold(const struct mptun_skew *const paths[], unsigned int n,
		    u64 now, u32 cap_us);
u32 mptun_skew_excess(const struct mptun_skew *s,
		      const struct mptun_skew *const paths[], unsigned int n,
		      u64 now);

#endif /* _MPTUN_SKEW_H */
