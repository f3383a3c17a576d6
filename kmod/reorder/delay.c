// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays up to an unknown offset, and their extremes.
 *
 * The model: every packet carries the low 24 bits of its sender's clock in
 * microseconds.  Our clock minus that is the one-way delay plus the unknown
 * distance of the two clocks.  The distance is the same for all paths of a
 * tunnel, so it vanishes when two of them are compared, and nothing else is
 * ever done with these figures.  They are kept modulo 2^24 us (16.8 s); the
 * difference of two is taken as signed, so that it may reach 8.4 s.
 *
 * Extremes are those of the last one or two seconds in which there were
 * samples: long enough for queues, which fill and drain within a few round
 * trips, to show both.
 *
 * Several CPUs read the clock before they take the lock, so it may seem to go
 * back a little.
 *
 * Units: 1/16 us inside, us on the wire, ns for the clock.
 */
#include <linux/math64.h>
#include <linux/time64.h>

#include "reorder/delay.h"

#define MPTUN_DELAY_PERIOD_NS	(1LL * NSEC_PER_SEC)

/**
 * mptun_delay_sample() - a packet arrived
 * @time: the sender's time that it carries
 * @now: our clock in ns
 *
 * Return: its delay.
 */
u32 mptun_delay_sample(u32 time, u64 now)
{
	u32 us = (u32)div_u64(now, NSEC_PER_USEC);

	return ((us - time) << MPTUN_DELAY_FRACTION) & MPTUN_DELAY_MASK;
}

/**
 * mptun_delays_restart() - nothing is known but one delay
 * @d: extremes of the path
 * @sample: the delay
 * @now: our clock in ns
 */
void mptun_delays_restart(struct mptun_delays *d, u32 sample, u64 now)
{
	d->high[0] = sample;
	d->high[1] = sample;
	d->low[0] = sample;
	d->low[1] = sample;
	d->period = now;
}

/**
 * mptun_delays_add() - one more delay
 * @d: extremes of the path
 * @sample: the delay
 * @now: our clock in ns
 *
 * Return: true if a period begins with it.
 */
bool mptun_delays_add(struct mptun_delays *d, u32 sample, u64 now)
{
	if ((s64)(now - d->period) >= MPTUN_DELAY_PERIOD_NS) {
		d->high[1] = d->high[0];
		d->low[1] = d->low[0];
		d->high[0] = sample;
		d->low[0] = sample;
		d->period = now;
		return true;
	}
	if (mptun_delay_diff(sample, d->high[0]) > 0)
		d->high[0] = sample;
	if (mptun_delay_diff(sample, d->low[0]) < 0)
		d->low[0] = sample;
	return false;
}

/**
 * mptun_delays_high() - the largest delay of late
 * @d: extremes of the path
 *
 * Return: the delay.
 */
u32 mptun_delays_high(const struct mptun_delays *d)
{
	return mptun_delay_diff(d->high[0], d->high[1]) > 0 ? d->high[0] :
							      d->high[1];
}

/**
 * mptun_delays_low() - the smallest delay of late
 * @d: extremes of the path
 *
 * Return: the delay.
 */
u32 mptun_delays_low(const struct mptun_delays *d)
{
	return mptun_delay_diff(d->low[0], d->low[1]) < 0 ? d->low[0] :
							    d->low[1];
}
