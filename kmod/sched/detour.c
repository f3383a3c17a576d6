// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Detours: high-latency paths that make flows slower than they are without
 * them.
 *
 * The model: a flow that is put back in order has the round-trip time of its
 * slowest path. A flow whose window grows until it loses a packet fills paths
 * of any latency. A flow whose window follows the smallest round-trip time does
 * not: BBR keeps twice its bandwidth-delay product in flight at that time,
 * waits for packets on the high-latency path while the other is idle, and
 * measures even less bandwidth. Over two paths of 10 Mbit/s, of 2 and 102 ms,
 * it got 2.9 Mbit/s, and 9 over the first alone.
 *
 * How flows react is not known here, so the effect is measured, and what is
 * better is kept:
 *
 *	while detours are used		while they are suspended
 *	------------------------------	---------------------------------------
 *	the tunnel is full, or carries	the others become busy, and were not
 *	about what the others do alone,	before: the suspension was right; use
 *	or grows: keep using them	the detours again later, to test it
 *
 *	else, for a while: suspend them	else: there was no more to carry; use
 *					the detours again
 *
 * The capacity of low-latency paths is what their controllers found. They carry
 * what fits them alone, and sooner, so a wrong suspension loses nothing. A
 * growing flow is left alone: after an early loss it takes seconds to fill a
 * high-latency path.
 *
 * A detour has a smallest round-trip time clearly above the smoothed one of the
 * fastest path, with its jitter and its queue, as a flow would wait for these
 * as well. During a suspension it causes no jitter there, so the smallest times
 * are compared. Paths slower by 200 ms are not detours: they help only when
 * needed (sched/low_rate.c, sched/lead.c).
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"
#include "sched/trial.h"

/* More than half longer, and by more than MPTUN_DETOUR_EXCESS_US */
#define MPTUN_DETOUR_EXCESS_SHIFT	1

/* A flow grows if it gets 1/8 more than its lowest rate since it is slow, and
 * then 1/8 more than its highest.  What it got in slow start, before its
 * packets took detours, is no measure: its round trip was shorter then.
 */
#define MPTUN_DETOUR_GROWS_SHIFT	3

/**
 * mptun_detour_reset() - reset a path
 * @d: the path
 * @acked: bytes it has delivered so far
 */
void mptun_detour_reset(struct mptun_detour *d, u64 acked)
{
	*d = (struct mptun_detour){
		.acked = acked,
	};
}

/**
 * mptun_detour_compare() - find the path with the lowest latency
 * @path: a path
 * @sum: lowest latencies so far, U32_MAX at first
 */
void mptun_detour_compare(const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum)
{
	if (!path->min_rtt_us)
		return;
	sum->min_rtt_us = min(sum->min_rtt_us, path->min_rtt_us);
	sum->srtt_us = min(sum->srtt_us, path->srtt_us);
}

/**
 * mptun_detour_measure() - take the bytes a path delivered in an interval
 * @d: the path
 * @path: its figures
 * @sum: sum over all paths, compared before, updated
 */
void mptun_detour_measure(struct mptun_detour *d,
			  const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum)
{
	u32 rtt_us = d->suspended ? sum->min_rtt_us : sum->srtt_us;
	u64 most = (u64)rtt_us + (rtt_us >> MPTUN_DETOUR_EXCESS_SHIFT) +
		   MPTUN_DETOUR_EXCESS_US;
	u64 got = path->acked - d->acked;

	d->acked = path->acked;
	d->high_latency = path->min_rtt_us > most &&
			  !mptun_sched_is_high_latency(path->min_rtt_us,
						       sum->min_rtt_us);
	if (d->high_latency) {
		sum->any_high = true;
		sum->high += got;
		return;
	}
	sum->low += got;
	sum->rate += path->rate;
	sum->unknown |= !path->rate;
}

/**
 * mptun_detour_group_reset() - reset all paths
 * @g: the paths
 * @now: time in ns
 */
void mptun_detour_group_reset(struct mptun_detour_group *g, u64 now)
{
	*g = (struct mptun_detour_group){
		.since_ns = now,
	};
}

static bool mptun_detour_lasted(u64 since, u32 ms, u64 now)
{
	return now - since >= ms * (u64)NSEC_PER_MSEC;
}

/* Tests for what the low-latency paths carry alone, less 1/2^@shift. */
static bool mptun_detour_within(const struct mptun_detour_sum *sum, u64 rate,
				unsigned int shift)
{
	return sum->full || rate >= sum->rate - (sum->rate >> shift);
}

/* Flows fall by up to a quarter after a loss. */
static bool mptun_detour_busy(const struct mptun_detour_sum *sum, u64 rate)
{
	return mptun_detour_within(sum, rate, 2);
}

static void mptun_detour_judge_used(struct mptun_detour_group *g,
				    const struct mptun_detour_sum *sum,
				    u64 rate, u32 ms, u64 now)
{
	if (now < g->quiet_ns ||
	    sum->high * MPTUN_DETOUR_SHARE < sum->low + sum->high ||
	    rate * MPTUN_DETOUR_LOAD_PART < sum->rate)
		return;
	/* Differences below 1/32 are noise. */
	if (mptun_detour_within(sum, rate, 5)) {
		g->base = 0;
		g->grown = false;
		g->balance_ms = min_t(s32, g->balance_ms + (s32)ms,
				      MPTUN_DETOUR_CREDIT_MS);
		if (mptun_detour_lasted(g->since_ns, MPTUN_DETOUR_LASTS_MS,
					now))
			g->retry_ms = 0;
		return;
	}
	if (rate > g->base + (g->base >> MPTUN_DETOUR_GROWS_SHIFT)) {
		g->grown = g->base;
		g->base = rate;
		g->balance_ms = max(g->balance_ms, 0);
		return;
	}
	if (!g->grown)
		g->base = min(g->base, rate);
	/* Slightly slower flows get more time. */
	if (mptun_detour_busy(sum, rate))
		ms /= MPTUN_DETOUR_PATIENCE;
	g->balance_ms -= ms;
	if (g->balance_ms > -MPTUN_DETOUR_DEBT_MS)
		return;
	g->suspended = true;
	g->proven = false;
	g->since_ns = now;
	g->busy_ns = now;
	g->busy_ms = 0;
	g->flows = sum->flows;
	g->retry_ms = clamp(2 * g->retry_ms, MPTUN_DETOUR_RETRY_MIN_MS,
			    MPTUN_DETOUR_RETRY_MAX_MS);
}

static void mptun_detour_judge_suspended(struct mptun_detour_group *g,
					 const struct mptun_detour_sum *sum,
					 u64 rate, u32 ms, u64 now)
{
	bool busy = !sum->unknown && mptun_detour_busy(sum, rate);

	if (busy) {
		g->busy_ms += ms;
		g->busy_ns = now;
	}
	if (!mptun_detour_lasted(g->since_ns, MPTUN_DETOUR_TEST_MS, now))
		return;
	if (!g->proven && g->busy_ms < MPTUN_DETOUR_BUSY_MS) {
		g->quiet_ns = now + MPTUN_DETOUR_QUIET_MS * (u64)NSEC_PER_MSEC;
		g->retry_ms = 0;
	} else {
		g->proven = true;
		if (mptun_detour_lasted(g->busy_ns, MPTUN_DETOUR_IDLE_MS,
					now) ||
		    sum->flows >= 2 * g->flows + MPTUN_DETOUR_FLOWS)
			g->retry_ms = 0;
		else if (!busy || !mptun_detour_lasted(g->since_ns,
						       g->retry_ms, now))
			return;
	}
	g->suspended = false;
	g->since_ns = now;
	g->base = 0;
	g->grown = false;
	g->balance_ms = 0;
}

/**
 * mptun_detour_judge() - decide on detours after an interval
 * @g: the paths
 * @sum: what they did
 * @ms: length of the interval
 * @now: time in ns
 *
 * Return: true if they are to be suspended.
 */
bool mptun_detour_judge(struct mptun_detour_group *g,
			const struct mptun_detour_sum *sum, u32 ms, u64 now)
{
	u64 rate = div_u64((sum->low + sum->high) * MSEC_PER_SEC, ms);

	if (!sum->any_high) {
		mptun_detour_group_reset(g, now);
		return false;
	}
	/* Nothing is known of this interval. */
	if (sum->unknown && !g->suspended)
		return false;
	if (g->suspended)
		mptun_detour_judge_suspended(g, sum, rate, ms, now);
	else
		mptun_detour_judge_used(g, sum, rate, ms, now);
	return g->suspended;
}
