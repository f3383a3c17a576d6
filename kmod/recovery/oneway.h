/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * How long packets of one path wait on their way there.
 */
#ifndef _MPTUN_ONEWAY_H
#define _MPTUN_ONEWAY_H

#include <linux/types.h>

/**
 * struct mptun_oneway - delays of one path in our direction
 * @least_us: smallest delay of this epoch and of the one before, beside an
 *	unknown distance of the two clocks
 * @epoch_ns: when this epoch began, 0 before the first sample
 * @queue8_us: eight times the smoothed delay above the smallest
 */
struct mptun_oneway {
	u32 least_us[2];
	u64 epoch_ns;
	u32 queue8_us;
};

void mptun_oneway_sample(struct mptun_oneway *o, u64 sent_ns, u32 arrival_us,
			 u64 now);

/**
 * mptun_oneway_queue_us() - how long do packets wait on their way there?
 * @o: delays of the path
 *
 * Return: smoothed, 0 before the first sample.
 */
static inline u32 mptun_oneway_queue_us(const struct mptun_oneway *o)
{
	return o->queue8_us / 8;
}

#endif /* _MPTUN_ONEWAY_H */
