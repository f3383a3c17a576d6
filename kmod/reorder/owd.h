/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays of paths, up to an unknown offset.
 */
#ifndef _MPTUN_OWD_H
#define _MPTUN_OWD_H

#include <linux/types.h>

#include "wire/wire.h"

#define MPTUN_OWD_FRACTION	4	/* fractional bits of a microsecond */
#define MPTUN_OWD_BITS		(MPTUN_TIME_BITS + MPTUN_OWD_FRACTION)
#define MPTUN_OWD_MASK		((1U << MPTUN_OWD_BITS) - 1)

/* Equal paths differ by some milliseconds because of batches at receivers and
 * runs of schedulers.
 */
#define MPTUN_OWD_HOLD_MIN_US	5000

/**
 * struct mptun_owd_range - minimum and maximum of recent delays
 * @high: largest delay of this period and of the previous one
 * @low: smallest delay of this period and of the previous one
 * @period: start of this period in ns
 */
struct mptun_owd_range {
	u32 high[2];
	u32 low[2];
	u64 period;
};

u32 mptun_owd_sample(u32 time, u64 now);
void mptun_owd_range_restart(struct mptun_owd_range *d, u32 sample, u64 now);
bool mptun_owd_range_add(struct mptun_owd_range *d, u32 sample, u64 now);
u32 mptun_owd_range_high(const struct mptun_owd_range *d);
u32 mptun_owd_range_low(const struct mptun_owd_range *d);

/**
 * mptun_owd_diff() - compare two delays
 * @a: a delay
 * @b: another one
 *
 * Return: @a - @b, signed, modulo their range.
 */
static inline s32 mptun_owd_diff(u32 a, u32 b)
{
	u32 pad = 32 - MPTUN_OWD_BITS;

	return (s32)((a - b) << pad) >> pad;
}

/**
 * struct mptun_owd - one-way delay of a path
 * @mean: smoothed delay in 1/16 us, modulo 2^28; only differences between paths
 *	are meaningful
 * @dev: smoothed deviation from the mean in 1/16 us
 * @delays: recent minimum and maximum
 * @packets: number of samples in their periods
 * @seen: time of the newest sample in ns
 * @valid: there is a sample
 */
struct mptun_owd {
	u32 mean;
	u32 dev;
	struct mptun_owd_range delays;
	u32 packets[2];
	u64 seen;
	bool valid;
};

void mptun_owd_init(struct mptun_owd *s);
void mptun_owd_update(struct mptun_owd *s, u32 time, u64 now);
bool mptun_owd_used(const struct mptun_owd *s, u64 now);
u32 mptun_owd_bound(u32 srtt_us, u32 var_us);
u32 mptun_owd_hold(const struct mptun_owd *const paths[], unsigned int n,
		    u64 now, u32 cap_us);
u32 mptun_owd_excess(const struct mptun_owd *s,
		      const struct mptun_owd *const paths[], unsigned int n,
		      u64 now);

#endif /* _MPTUN_OWD_H */
