// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Detours: which paths are so much farther that flows are better off without.
 *
 * The model: a flow that is put in order again has the round trip of the
 * farthest path that it uses.  One whose window grows until something is lost
 * fills near and far paths nevertheless.  One whose window follows the smallest
 * round trip that it has seen does not: BBR has twice what its bandwidth makes
 * in that, waits for what is on the far path while the near one is idle, and
 * sees even less bandwidth.  Over two paths of 10 Mbit/s, of 2 and of 102 ms,
 * it had 2.9 Mbit/s, and 9 over the near one alone.
 *
 * How a flow answers is not known here; what comes of it is measured, as it is
 * for losses (sched/lossy.c):
 *
 *	while far paths are used	while they rest
 *	------------------------------	---------------------------------------
 *	the tunnel is full, or carries	the near ones get busy, and had not
 *	about what the near ones do by	been: that was right; the far ones are
 *	themselves, or grows:		used again after a while, to see
 *	they go on to be used
 *					else: there was no more to carry, so
 *	else, for a while: they rest	they are used again
 *
 * Near ones carry what their controllers have found out.  What fits them they
 * carry as well by themselves, and sooner, so nothing is lost while far ones
 * rest in vain.  A flow that grows is not disturbed: one that has lost early
 * takes seconds to fill a far path.
 *
 * Far is a path whose smallest round-trip time is clearly longer than that of
 * the nearest one as it is, with its jitter and its queue, since a flow would
 * wait for these as well.  While it rests there are none on account of it, and
 * the smallest ones are compared.  One that is farther by 200 ms is none of
 * these: it does not help before it is needed (sched/low_rate.c, sched/lead.c).
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"
#include "sched/trial.h"

/* Longer by more than half, and by MPTUN_DETOUR_EXCESS_US. */
#define MPTUN_DETOUR_EXCESS_SHIFT	1

/* A flow grows that gets an eighth more than ever since it is slow. */
#define MPTUN_DETOUR_GROWS_SHIFT	3

/**
 * mptun_detour_reset() - nothing is known of a path
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
 * mptun_detour_compare() - find the nearest path
 * @path: a path
 * @sum: the nearest ones so far, U32_MAX at first
 */
void mptun_detour_compare(const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum)
{
	if (!path->min_rtt_us)
		return;
	sum->least_us = min(sum->least_us, path->min_rtt_us);
	sum->nearest_us = min(sum->nearest_us, path->srtt_us);
}

static bool mptun_detour_is_high_latency(const struct mptun_detour *d,
					 const struct mptun_detour_path *path,
					 const struct mptun_detour_sum *sum)
{
	u32 rtt_us = d->rests ? sum->least_us : sum->nearest_us;
	u64 most = (u64)rtt_us + (rtt_us >> MPTUN_DETOUR_EXCESS_SHIFT) +
		   MPTUN_DETOUR_EXCESS_US;

	return path->min_rtt_us > most &&
	       !mptun_sched_farther(path->min_rtt_us, sum->least_us);
}

/**
 * mptun_detour_measure() - an interval is over: what did a path deliver?
 * @d: the path
 * @path: what is known of it
 * @sum: what all of them did, compared before, to which this is added
 */
void mptun_detour_measure(struct mptun_detour *d,
			  const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum)
{
	u64 got = path->acked - d->acked;

	d->acked = path->acked;
	d->far = mptun_detour_is_high_latency(d, path, sum);
	if (d->far) {
		sum->any_high = true;
		sum->high += got;
		return;
	}
	sum->low += got;
	sum->rate += path->rate;
	sum->unknown |= !path->rate;
}

/**
 * mptun_detour_group_reset() - nothing is known of any path
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

static void mptun_detour_use(struct mptun_detour_group *g, u64 now)
{
	g->rests = false;
	g->since_ns = now;
	g->peak = 0;
	g->balance_ms = 0;
}

static void mptun_detour_suspend(struct mptun_detour_group *g, u32 flows,
				 u64 now)
{
	g->rests = true;
	g->proven = false;
	g->since_ns = now;
	g->busy_ns = now;
	g->busy_ms = 0;
	g->flows = flows;
	g->retry_ms = clamp(2 * g->retry_ms, MPTUN_DETOUR_RETRY_MIN_MS,
			    MPTUN_DETOUR_RETRY_MAX_MS);
}

/* Is as much carried as the near ones do by themselves, but for a part? */
static bool mptun_detour_within(const struct mptun_detour_sum *sum, u64 rate,
				unsigned int shift)
{
	return sum->full || rate >= sum->rate - (sum->rate >> shift);
}

/* A quarter less is how far flows fall that have lost something. */
static bool mptun_detour_busy(const struct mptun_detour_sum *sum, u64 rate)
{
	return mptun_detour_within(sum, rate, 2);
}

/* So little less says nothing. */
static bool mptun_detour_worth(const struct mptun_detour_sum *sum, u64 rate)
{
	return mptun_detour_within(sum, rate, 5);
}

static void mptun_detour_judge_used(struct mptun_detour_group *g,
				    const struct mptun_detour_sum *sum,
				    u64 rate, u32 ms, u64 now)
{
	if (now < g->quiet_ns ||
	    sum->high * MPTUN_DETOUR_SHARE < sum->low + sum->high ||
	    rate * MPTUN_DETOUR_LOAD_PART < sum->rate)
		return;
	if (mptun_detour_worth(sum, rate)) {
		g->peak = 0;
		g->balance_ms = min_t(s32, g->balance_ms + (s32)ms,
				      MPTUN_DETOUR_CREDIT_MS);
		if (mptun_detour_lasted(g->since_ns, MPTUN_DETOUR_LASTS_MS,
					now))
			g->retry_ms = 0;
		return;
	}
	if (rate > g->peak + (g->peak >> MPTUN_DETOUR_GROWS_SHIFT)) {
		g->peak = rate;
		g->balance_ms = max(g->balance_ms, 0);
		return;
	}
	/* Who is a little slower may be so for longer. */
	if (mptun_detour_busy(sum, rate))
		ms /= MPTUN_DETOUR_PATIENCE;
	g->balance_ms -= ms;
	if (g->balance_ms <= -MPTUN_DETOUR_DEBT_MS)
		mptun_detour_suspend(g, sum->flows, now);
}

static void mptun_detour_judge_suspended(struct mptun_detour_group *g,
					 const struct mptun_detour_sum *sum,
					 u64 rate, u32 ms, u64 now)
{
	bool busy = mptun_detour_busy(sum, rate);

	if (busy) {
		g->busy_ms += ms;
		g->busy_ns = now;
	}
	if (!mptun_detour_lasted(g->since_ns, MPTUN_DETOUR_TEST_MS, now))
		return;
	if (!g->proven && g->busy_ms < MPTUN_DETOUR_BUSY_MS) {
		g->quiet_ns = now + MPTUN_DETOUR_QUIET_MS * (u64)NSEC_PER_MSEC;
		g->retry_ms = 0;
		mptun_detour_use(g, now);
		return;
	}
	g->proven = true;
	if (mptun_detour_lasted(g->busy_ns, MPTUN_DETOUR_IDLE_MS, now) ||
	    sum->flows >= 2 * g->flows + MPTUN_DETOUR_FLOWS) {
		g->retry_ms = 0;
		mptun_detour_use(g, now);
	} else if (busy && mptun_detour_lasted(g->since_ns, g->retry_ms, now)) {
		mptun_detour_use(g, now);
	}
}

/**
 * mptun_detour_judge() - are far paths to rest after an interval?
 * @g: the paths
 * @sum: what they did
 * @ms: how long the interval was
 * @now: time in ns
 *
 * Return: true if they are.
 */
bool mptun_detour_judge(struct mptun_detour_group *g,
			const struct mptun_detour_sum *sum, u32 ms, u64 now)
{
	u64 rate = div_u64((sum->low + sum->high) * MSEC_PER_SEC, ms);

	if (!sum->any_high || sum->unknown) {
		mptun_detour_group_reset(g, now);
		return false;
	}
	if (g->rests)
		mptun_detour_judge_suspended(g, sum, rate, ms, now);
	else
		mptun_detour_judge_used(g, sum, rate, ms, now);
	return g->rests;
}
