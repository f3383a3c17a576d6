// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays of paths, up to an unknown offset.
 *
 * Every packet carries the low 24 bits of its sender's clock in microseconds.
 * Our clock minus that is the one-way delay plus the unknown offset of the
 * clocks, which is equal for all paths of a tunnel: delays are only compared.
 * They are kept modulo 2^24 us (16.8 s); a difference is signed and reaches 8.4
 * s.  Clocks drift apart by up to 200 us per second, so a path without packets
 * for a second or two, which is unused anyway, is not compared and restarts
 * when it returns.
 *
 * Minimum and maximum are those of the last one or two seconds with samples,
 * long enough for queues, which fill and drain within a few round trips, to
 * show both.  Mean and deviation are smoothed as in RFC 6298, with lower gains,
 * as there is a sample per packet.
 *
 * The hold time follows from minimum and maximum: a packet missing when a later
 * one arrived on one path may still arrive on another.  It was sent no later,
 * so it arrives within the difference of the two delays: the maximum of one
 * path less the minimum of any other, plus the deviation for a queue that is
 * growing.  A hold time that is too long costs little, as losses are mostly
 * proved; one that is too short delivers out of order.
 *
 * This does not hold for long waits: packets held for half a second are
 * released in one burst, which overflows sockets and queues behind them.  A
 * path with a share of the traffic is worth that, a low-rate path is not: with
 * 20 kbit/s beside three paths of 2 Mbit/s, UDP lost 9 % that way.
 *
 * CPUs read the clock before they take the lock, so it may go back a little.
 *
 * Units: 1/16 us inside, us outside and on the wire, ns for the clock.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "base/limits.h"
#include "reorder/owd.h"

#define MPTUN_OWD_PERIOD_NS	(1LL * NSEC_PER_SEC)

#define MPTUN_OWD_MEAN_SHIFT	4	/* gain of the mean: 1/16 */
#define MPTUN_OWD_DEV_SHIFT	3	/* gain of the deviation: 1/8 */

/* Deviation before the second sample, in us. */
#define MPTUN_OWD_DEV_FIRST_US	1000

/* A path is in use if a packet arrived within this time. */
#define MPTUN_OWD_USED_NS	(1LL * NSEC_PER_SEC)

/* A path is a low-rate path with less than this part of all packets. */
#define MPTUN_OWD_LOW_SHARE	32U

/**
 * mptun_owd_sample() - one-way delay of a packet
 * @time: the sender's time in the packet
 * @now: our clock in ns
 *
 * Return: the delay.
 */
u32 mptun_owd_sample(u32 time, u64 now)
{
	u32 us = (u32)div_u64(now, NSEC_PER_USEC);

	return ((us - time) << MPTUN_OWD_FRACTION) & MPTUN_OWD_MASK;
}

/**
 * mptun_owd_range_restart() - start with one delay
 * @d: range of the path
 * @sample: the delay
 * @now: our clock in ns
 */
void mptun_owd_range_restart(struct mptun_owd_range *d, u32 sample, u64 now)
{
	d->high[0] = sample;
	d->high[1] = sample;
	d->low[0] = sample;
	d->low[1] = sample;
	d->period = now;
}

/**
 * mptun_owd_range_add() - add a delay
 * @d: range of the path
 * @sample: the delay
 * @now: our clock in ns
 *
 * Return: true if it begins a period.
 */
bool mptun_owd_range_add(struct mptun_owd_range *d, u32 sample, u64 now)
{
	if ((s64)(now - d->period) >= MPTUN_OWD_PERIOD_NS) {
		d->high[1] = d->high[0];
		d->low[1] = d->low[0];
		d->high[0] = sample;
		d->low[0] = sample;
		d->period = now;
		return true;
	}
	if (mptun_owd_diff(sample, d->high[0]) > 0)
		d->high[0] = sample;
	if (mptun_owd_diff(sample, d->low[0]) < 0)
		d->low[0] = sample;
	return false;
}

/**
 * mptun_owd_range_high() - recent maximum
 * @d: range of the path
 *
 * Return: the delay.
 */
u32 mptun_owd_range_high(const struct mptun_owd_range *d)
{
	return mptun_owd_diff(d->high[0], d->high[1]) > 0 ? d->high[0] :
							      d->high[1];
}

/**
 * mptun_owd_range_low() - recent minimum
 * @d: range of the path
 *
 * Return: the delay.
 */
u32 mptun_owd_range_low(const struct mptun_owd_range *d)
{
	return mptun_owd_diff(d->low[0], d->low[1]) < 0 ? d->low[0] :
							    d->low[1];
}

/**
 * mptun_owd_init() - initialise the delay of a path
 * @s: the delay
 */
void mptun_owd_init(struct mptun_owd *s)
{
	s->mean = 0;
	s->dev = 0;
	s->seen = 0;
	s->valid = false;
}

/**
 * mptun_owd_used() - check whether a path carries data
 * @s: delay of the path
 * @now: our clock in ns
 *
 * Return: true if a packet arrived within a second.
 */
bool mptun_owd_used(const struct mptun_owd *s, u64 now)
{
	return s->valid && (s64)(now - s->seen) <= MPTUN_OWD_USED_NS;
}

/**
 * mptun_owd_update() - add the delay of a data packet
 * @s: delay of the path
 * @time: the sender's time in the packet
 * @now: our clock in ns
 */
void mptun_owd_update(struct mptun_owd *s, u32 time, u64 now)
{
	u32 sample = mptun_owd_sample(time, now);
	s32 delta;
	u32 off;

	if (!s->valid)
		s->dev = MPTUN_OWD_DEV_FIRST_US << MPTUN_OWD_FRACTION;
	if (!s->valid || (s64)(now - s->seen) > 2 * MPTUN_OWD_USED_NS) {
		s->valid = true;
		s->mean = sample;
		s->packets[0] = 0;
		s->packets[1] = 0;
		mptun_owd_range_restart(&s->delays, sample, now);
	} else {
		delta = mptun_owd_diff(sample, s->mean);
		off = delta < 0 ? -delta : delta;
		s->mean += delta >> MPTUN_OWD_MEAN_SHIFT;
		s->mean &= MPTUN_OWD_MASK;
		s->dev += ((s32)(off - s->dev)) >> MPTUN_OWD_DEV_SHIFT;
		if (mptun_owd_range_add(&s->delays, sample, now)) {
			s->packets[1] = s->packets[0];
			s->packets[0] = 0;
		}
	}
	s->packets[0]++;
	s->seen = now;
}

/* Largest lateness of a packet of this path relative to any other path. */
static s32 mptun_owd_behind(const struct mptun_owd *s,
			    const struct mptun_owd *const paths[],
			    unsigned int n, u64 now)
{
	u32 high = mptun_owd_range_high(&s->delays);
	s32 behind = 0;
	unsigned int i;
	u32 low;

	for (i = 0; i < n; i++) {
		if (paths[i] == s || !mptun_owd_used(paths[i], now))
			continue;
		low = mptun_owd_range_low(&paths[i]->delays);
		behind = max(behind, mptun_owd_diff(high, low));
	}
	return behind;
}

/**
 * mptun_owd_bound() - largest delay expected on a path without data so far
 * @srtt_us: smoothed round-trip time of the path in us
 * @var_us: its deviation in us
 *
 * A round trip and four deviations (RFC 6298), these limited to half a round
 * trip: an idle path has few samples, whose deviation stays at half of the
 * first one for long, and one direction is only a part of the round trip.
 *
 * Return: time in us.
 */
u32 mptun_owd_bound(u32 srtt_us, u32 var_us)
{
	return srtt_us + min(4 * var_us, srtt_us / 2);
}

/**
 * mptun_owd_hold() - hold time for a missing packet
 * @paths: delays of all paths
 * @n: number of paths
 * @now: our clock in ns
 * @cap_us: longest hold time in us
 *
 * Return: largest lateness between paths in use, in us, limited to
 * MPTUN_LATE_US for a low-rate path; @cap_us if nothing is known.
 */
u32 mptun_owd_hold(const struct mptun_owd *const paths[], unsigned int n,
		   u64 now, u32 cap_us)
{
	const s64 late = (s64)MPTUN_LATE_US << MPTUN_OWD_FRACTION;
	bool any = false;
	unsigned int i;
	s64 hold = 0;
	u64 all = 0;

	for (i = 0; i < n; i++)
		if (mptun_owd_used(paths[i], now))
			all += (u64)paths[i]->packets[0] + paths[i]->packets[1];
	for (i = 0; i < n; i++) {
		const struct mptun_owd *s = paths[i];
		u64 own = (u64)s->packets[0] + s->packets[1];
		s64 behind;

		if (!mptun_owd_used(s, now))
			continue;
		any = true;
		behind = mptun_owd_behind(s, paths, n, now) + (s64)s->dev;
		/* A low-rate path is not worth a long hold time. */
		if (behind > late && own * MPTUN_OWD_LOW_SHARE < all)
			behind = late;
		hold = max(hold, behind);
	}
	if (!any)
		return cap_us;

	hold >>= MPTUN_OWD_FRACTION;
	hold = max_t(s64, hold, MPTUN_OWD_HOLD_MIN_US);
	return min_t(s64, hold, cap_us);
}

/**
 * mptun_owd_excess() - delay above the lowest-latency path
 * @s: delay of the path
 * @paths: delays of all paths
 * @n: number of paths
 * @now: our clock in ns
 *
 * Return: difference of the mean delays in us; 0 if unknown.
 */
u32 mptun_owd_excess(const struct mptun_owd *s,
		     const struct mptun_owd *const paths[], unsigned int n,
		     u64 now)
{
	s32 excess = 0;
	unsigned int i;

	if (!s->valid)
		return 0;
	for (i = 0; i < n; i++) {
		if (mptun_owd_used(paths[i], now))
			excess = max(excess,
				     mptun_owd_diff(s->mean, paths[i]->mean));
	}
	return excess >> MPTUN_OWD_FRACTION;
}
