/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Delivery rate of one path.
 */
#ifndef _MPTUN_RATE_H
#define _MPTUN_RATE_H

#include <linux/types.h>

#include "recovery/rtt.h"

/* Longest time of a sample: beyond it the path was idle in between. */
#define MPTUN_RATE_MAX_US	1000000U

/**
 * struct mptun_rate - what a path has been seen to carry
 * @bytes: bytes received when the present sample began
 * @arrival_us: receiver's time then
 * @valid: the two above are known
 * @samples: samples of the present epoch
 * @best: largest sample of this epoch and of the one before, in bytes per
 *	second, 0 if there was none
 */
struct mptun_rate {
	u64 bytes;
	u32 arrival_us;
	bool valid;
	u32 samples;
	u64 best[2];
};

void mptun_rate_init(struct mptun_rate *r);
void mptun_rate_report(struct mptun_rate *r, u64 bytes, u32 arrival_us,
		       const struct mptun_rtt *rtt);
u64 mptun_rate_get(const struct mptun_rate *r);

#endif /* _MPTUN_RATE_H */
