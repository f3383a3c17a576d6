/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays up to an unknown offset, and their extremes.
 */
#ifndef _MPTUN_DELAY_H
#define _MPTUN_DELAY_H

#include <linux/types.h>

#include "wire/wire.h"

#define MPTUN_DELAY_FRACTION	4	/* binary digits below a microsecond */
#define MPTUN_DELAY_BITS	(MPTUN_TIME_BITS + MPTUN_DELAY_FRACTION)
#define MPTUN_DELAY_MASK	((1U << MPTUN_DELAY_BITS) - 1)

/**
 * struct mptun_delays - extremes of the delays of a path
 * @high: largest delay of this period and of the one before
 * @low: smallest delay of this period and of the one before
 * @period: when this period began, in ns
 */
struct mptun_delays {
	u32 high[2];
	u32 low[2];
	u64 period;
};

u32 mptun_delay_sample(u32 time, u64 now);
void mptun_delays_restart(struct mptun_delays *d, u32 sample, u64 now);
bool mptun_delays_add(struct mptun_delays *d, u32 sample, u64 now);
u32 mptun_delays_high(const struct mptun_delays *d);
u32 mptun_delays_low(const struct mptun_delays *d);

/**
 * mptun_delay_diff() - compare two delays
 * @a: a delay
 * @b: another one
 *
 * Return: signed distance from @b to @a on their circle.
 */
static inline s32 mptun_delay_diff(u32 a, u32 b)
{
	u32 pad = 32 - MPTUN_DELAY_BITS;

	return (s32)((a - b) << pad) >> pad;
}

#endif /* _MPTUN_DELAY_H */
