// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * One-way delays of paths, compared with each other.
 *
 * The model: one-way delays have an offset that nobody knows and that is the
 * same for all paths of a tunnel (reorder/owd.c), so they are compared and nothing
 * else.  Clocks drift apart by up to some 200 us per second: a path that was
 * not heard for a second or two is not compared (it is not in use anyway) and
 * begins anew when it returns.
 *
 * A smoothed mean and deviation are kept as in RFC 6298, with slower gains as
 * there is a sample for each packet instead of one for each round trip.
 *
 * The hold time follows from the extremes, not from the mean: a packet that is
 * missing when a later one arrived on one path may still come on another.  It
 * was sent no later, so it is here after the difference of the two delays.
 * Both follow the queues on their way, which fill and drain within a few round
 * trips, so the largest delay of one path within the last one or two seconds
 * is held against the smallest of any other, and the deviation is added for a
 * queue that is just growing.  Waiting too long costs little, as losses are
 * mostly proved; waiting too short delivers out of order what was not lost.
 *
 * That is so as long as waits are short.  What waited for half a second comes
 * out in one burst, which is more than sockets and queues behind them take.  A
 * path with a share of the traffic is worth that, one of 20 kbit/s beside three
 * of 2 Mbit/s is not: UDP lost 9 % by its few packets.
 *
 * Several CPUs read the clock before they take the lock, so it may seem to go
 * back a little.
 *
 * Units: 1/16 us inside, us outside, ns for the clock.
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
#include <linux/minmax.h>
#include <linux/time64.h>

#include "base/limits.h"
#include "reorder/owd.h"

#define MPTUN_OWD_PERIOD_NS	(1LL * NSEC_PER_SEC)

#define MPTUN_OWD_MEAN_SHIFT	4	/* gain of the mean: 1/16 */
#define MPTUN_OWD_DEV_SHIFT	3	/* gain of the deviation: 1/8 */

/* Deviation assumed before the second sample, in us. */
#define MPTUN_OWD_DEV_FIRST_US	1000

/* A path is in use if a packet came within this time. */
#define MPTUN_OWD_USED_NS	(1LL * NSEC_PER_SEC)

/* A path brings little if it is less than one packet in so many, of all that
 * arrive.
 */
#define MPTUN_OWD_LOW_SHARE	32U

/* Receivers handle packets in batches and schedulers place them in runs, so
 * equal paths differ by some milliseconds for reasons that have nothing to do
 * with the paths.
 */
#define MPTUN_OWD_HOLD_MIN_US	5000

/**
 * mptun_owd_sample() - a packet arrived
 * @time: the sender's time that it carries
 * @now: our clock in ns
 *
 * Return: its delay.
 */
u32 mptun_owd_sample(u32 time, u64 now)
{
	u32 us = (u32)div_u64(now, NSEC_PER_USEC);

	return ((us - time) << MPTUN_OWD_FRACTION) & MPTUN_OWD_MASK;
}

/**
 * mptun_owd_range_restart() - nothing is known but one delay
 * @d: extremes of the path
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
 * mptun_owd_range_add() - one more delay
 * @d: extremes of the path
 * @sample: the delay
 * @now: our clock in ns
 *
 * Return: true if a period begins with it.
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
 * mptun_owd_range_high() - the largest delay of late
 * @d: extremes of the path
 *
 * Return: the delay.
 */
u32 mptun_owd_range_high(const struct mptun_owd_range *d)
{
	return mptun_owd_diff(d->high[0], d->high[1]) > 0 ? d->high[0] :
							      d->high[1];
}

/**
 * mptun_owd_range_low() - the smallest delay of late
 * @d: extremes of the path
 *
 * Return: the delay.
 */
u32 mptun_owd_range_low(const struct mptun_owd_range *d)
{
	return mptun_owd_diff(d->low[0], d->low[1]) < 0 ? d->low[0] :
							    d->low[1];
}

/**
 * mptun_skew_init() - nothing known of a path
 * @s: the path's figures
 */
void mptun_skew_init(struct mptun_skew *s)
{
	s->mean = 0;
	s->dev = 0;
	s->seen = 0;
	s->valid = false;
}

/**
 * mptun_skew_used() - does a path bring data?
 * @s: the path's figures
 * @now: our clock in ns
 *
 * Return: true if a packet came within a second.
 */
bool mptun_skew_used(const struct mptun_skew *s, u64 now)
{
	return s->valid && (s64)(now - s->seen) <= MPTUN_OWD_USED_NS;
}

static void mptun_owd_restart(struct mptun_skew *s, u32 sample, u64 now)
{
	s->mean = sample;
	s->packets[0] = 0;
	s->packets[1] = 0;
	mptun_owd_range_restart(&s->delays, sample, now);
}

static void mptun_owd_add(struct mptun_skew *s, u32 sample, u64 now)
{
	if (!mptun_owd_range_add(&s->delays, sample, now))
		return;
	s->packets[1] = s->packets[0];
	s->packets[0] = 0;
}

/**
 * mptun_skew_update() - a data packet arrived
 * @s: the path's figures
 * @time: the sender's time that the packet carries
 * @now: our clock in ns
 */
void mptun_skew_update(struct mptun_skew *s, u32 time, u64 now)
{
	u32 sample = mptun_owd_sample(time, now);
	s32 delta;
	u32 off;

	if (!s->valid) {
		s->dev = MPTUN_OWD_DEV_FIRST_US << MPTUN_OWD_FRACTION;
		mptun_owd_restart(s, sample, now);
		s->valid = true;
	} else if ((s64)(now - s->seen) > 2 * MPTUN_OWD_USED_NS) {
		mptun_owd_restart(s, sample, now);
	} else {
		delta = mptun_owd_diff(sample, s->mean);
		off = delta < 0 ? -delta : delta;
		s->mean += delta >> MPTUN_OWD_MEAN_SHIFT;
		s->mean &= MPTUN_OWD_MASK;
		s->dev += ((s32)(off - s->dev)) >> MPTUN_OWD_DEV_SHIFT;
		mptun_owd_add(s, sample, now);
	}
	s->packets[0]++;
	s->seen = now;
}

/* How much later than on any other path a packet of this one may arrive. */
static s32 mptun_owd_behind(const struct mptun_skew *s,
			    const struct mptun_skew *const paths[],
			    unsigned int n, u64 now)
{
	u32 high = mptun_owd_range_high(&s->delays);
	s32 behind = 0;
	unsigned int i;
	u32 low;

	for (i = 0; i < n; i++) {
		if (paths[i] == s || !mptun_skew_used(paths[i], now))
			continue;
		low = mptun_owd_range_low(&paths[i]->delays);
		behind = max(behind, mptun_owd_diff(high, low));
	}
	return behind;
}

static u64 mptun_owd_packets(const struct mptun_skew *s)
{
	return (u64)s->packets[0] + s->packets[1];
}

/* Does a path bring so little that it is not worth a long wait? */
static bool mptun_owd_low_share(const struct mptun_skew *s,
				const struct mptun_skew *const paths[],
				unsigned int n, u64 now)
{
	unsigned int i;
	u64 all = 0;

	for (i = 0; i < n; i++)
		if (mptun_skew_used(paths[i], now))
			all += mptun_owd_packets(paths[i]);
	return mptun_owd_packets(s) * MPTUN_OWD_LOW_SHARE < all;
}

/**
 * mptun_skew_bound() - how late may a packet of a path be that sent none yet?
 * @srtt_us: smoothed round-trip time of the path in us
 * @var_us: its deviation in us
 *
 * A round trip and four deviations (RFC 6298) would do.  Who sends nothing has
 * few samples, and their deviation is half of the first one for long: as the
 * way here is only a part of a round trip, more than half of one is not added.
 *
 * Return: time in us.
 */
u32 mptun_skew_bound(u32 srtt_us, u32 var_us)
{
	return srtt_us + min(4 * var_us, srtt_us / 2);
}

/**
 * mptun_skew_hold() - how long to wait for a missing packet
 * @paths: figures of all paths
 * @n: number of paths
 * @now: our clock in ns
 * @cap_us: longest wait in us
 *
 * Return: hold time in us: what any path in use may lag behind any other, but
 * not more than MPTUN_LATE_US for one that brings little; @cap_us if nothing is
 * known.
 */
u32 mptun_skew_hold(const struct mptun_skew *const paths[], unsigned int n,
		    u64 now, u32 cap_us)
{
	const s64 late = (s64)MPTUN_LATE_US << MPTUN_OWD_FRACTION;
	bool any = false;
	s64 hold = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct mptun_skew *s = paths[i];
		s64 behind;

		if (!mptun_skew_used(s, now))
			continue;
		any = true;
		behind = mptun_owd_behind(s, paths, n, now) + (s64)s->dev;
		if (behind > late && mptun_owd_low_share(s, paths, n, now))
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
 * mptun_skew_excess() - how much slower than the fastest path is this one
 * @s: the path's figures
 * @paths: figures of all paths
 * @n: number of paths
 * @now: our clock in ns
 *
 * Return: one-way delay above that of the fastest path in use, in us; 0 if
 * nothing is known.
 */
u32 mptun_skew_excess(const struct mptun_skew *s,
		      const struct mptun_skew *const paths[], unsigned int n,
		      u64 now)
{
	s32 excess = 0;
	unsigned int i;

	if (!s->valid)
		return 0;
	for (i = 0; i < n; i++) {
		if (mptun_skew_used(paths[i], now))
			excess = max(excess,
				     mptun_owd_diff(s->mean, paths[i]->mean));
	}
	return excess >> MPTUN_OWD_FRACTION;
}
