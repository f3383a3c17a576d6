// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lossy paths: paths whose losses cost more than what they carry adds.
 *
 * The model: a flow slows down on all paths when it loses a packet on one of
 * them (RFC 9438: to 0.7 of its window, which takes seconds to grow back). So
 * one flow over a clean and a lossy path can be slower than over the clean one
 * alone, while many flows, each of which slows down for itself, fill both. How
 * flows react is not known here, so the effect is measured and the better
 * choice kept:
 *
 *	while the lossy paths are used	while they are suspended
 *	------------------------------	---------------------------------------
 *	the tunnel is full, or carries	the clean ones are full long enough to
 *	more than the clean ones alone:	know what they carry alone:
 *	keep using them			use the lossy ones again
 *
 *	else: suspend them		else: keep them suspended
 *
 * A tunnel is full when it has more to send than its paths could carry; using
 * fewer paths cannot help then. While the capacity of the clean paths alone is
 * unknown, a tunnel that is not full is reason enough to measure it. Each
 * failed return doubles the time until the next one, as it costs the flows what
 * the losses cost. Many more flows are a reason to return earlier.
 *
 * The balance is what was recently carried above or below the capacity of the
 * clean paths alone. It ends a return soon after the first loss that slows a
 * flow down, and keeps paths whose occasional losses cost less than they add.
 *
 * A path is lossy if it loses clearly more than the cleanest of those used with
 * it. So at least one path is not lossy, and paths that all lose alike are left
 * alone. A loss counts only if it was avoidable: one at the longest queue seen
 * is the end of the buffer, found by a controller. Losses of one round trip
 * count once.
 *
 * Copies of packets that leave on other paths test whether the losses have
 * ended. No flow waits for them. The path is used again as soon as enough of
 * them arrived that it would have been found lossy.
 *
 * A path that is hardly needed carries few packets, and flows slower than the
 * clean paths do not miss it. Clean paths that carry next to nothing have too
 * much latency, or too little rate, for the traffic to use them: no conclusion
 * is drawn then.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/trial.h"

/* A queue counts as the longest from 7/8 of that on. */
#define MPTUN_LOSSY_QUEUE_SHIFT	3

/* A shorter delay is not a queue. */
#define MPTUN_LOSSY_QUEUE_US	5000U

/* Gain of the rate the clean paths carry alone: 1/4 */
#define MPTUN_LOSSY_ALONE_SHIFT	2

/**
 * mptun_lossy_reset() - reset a path
 * @l: the path
 * @acked: bytes it has delivered so far
 */
void mptun_lossy_reset(struct mptun_lossy *l, u64 acked)
{
	memset(l, 0, sizeof(*l));
	l->acked = acked;
}

/**
 * mptun_lossy_update() - account for a report
 * @l: the path
 * @report: what the report says
 */
void mptun_lossy_update(struct mptun_lossy *l,
			const struct mptun_lossy_report *report)
{
	bool overflow;

	l->queue_us = max(l->queue_us, report->queue_us);
	/* With such a queue a loss marks the end of the buffer. */
	overflow = report->queue_us >= MPTUN_LOSSY_QUEUE_US &&
		   report->queue_us >= l->queue_us -
				(l->queue_us >> MPTUN_LOSSY_QUEUE_SHIFT);
	l->packets += report->packets;
	l->events -= min(l->events, report->spurious);
	/* Losses sent before the last event belong to it. */
	if (report->lost_ns > l->event_ns) {
		l->event_ns = report->now;
		l->events += !overflow;
	}
	if (l->packets >= MPTUN_LOSSY_MEMORY) {
		l->packets /= 2;
		l->events /= 2;
	}
}

/**
 * mptun_lossy_compare() - find the cleanest path
 * @l: a path in use
 * @ref: the cleanest one so far, with no packets at first
 *
 * Assumes one loss more than there were: a path that carried little is not
 * known to be clean.
 */
void mptun_lossy_compare(const struct mptun_lossy *l,
			 struct mptun_lossy_ref *ref)
{
	if (l->suspended || (ref->packets &&
			     (u64)(l->events + 1) * ref->packets >=
			     (u64)ref->events * l->packets))
		return;
	ref->packets = l->packets;
	ref->events = l->events + 1;
}

static bool mptun_lossy_worse(const struct mptun_lossy *l,
			      const struct mptun_lossy_ref *ref)
{
	return ref->packets && l->events >= MPTUN_LOSSY_EVENTS &&
	       (u64)l->events * MPTUN_LOSSY_PART >= l->packets &&
	       (u64)l->events * ref->packets >=
	       (u64)ref->events * MPTUN_LOSSY_MORE * l->packets;
}

/**
 * mptun_lossy_measure() - take the bytes a path delivered in an interval
 * @l: the path
 * @acked: bytes it has delivered so far
 * @ref: the cleanest path
 * @sum: sum over all paths, updated
 */
void mptun_lossy_measure(struct mptun_lossy *l, u64 acked,
			 const struct mptun_lossy_ref *ref,
			 struct mptun_lossy_sum *sum)
{
	u64 got = acked - l->acked;

	l->acked = acked;
	sum->suspended |= l->suspended;
	if (!l->tried)
		l->lossy = mptun_lossy_worse(l, ref);
	if (l->suspended)
		return;
	if (l->lossy)
		sum->lossy += got;
	else
		sum->clean += got;
	sum->used |= l->lossy;
}

/**
 * mptun_lossy_suspend() - suspend a path, or use it again
 * @l: the path
 * @suspended: true to suspend it
 * @now: time in ns
 */
void mptun_lossy_suspend(struct mptun_lossy *l, bool suspended, u64 now)
{
	l->suspended = suspended;
	l->tried = false;
	l->check_ms = MPTUN_LOSSY_CHECK_MIN_MS;
	l->check_ns = now + l->check_ms * (u64)NSEC_PER_MSEC;
}

/**
 * mptun_lossy_check() - test whether a suspended path still loses as much
 * @l: the path, measured
 * @ref: the cleanest path
 * @full: the tunnel had more to send than it could
 * @now: time in ns
 *
 * Return: true if it does, as far as known.
 */
bool mptun_lossy_check(struct mptun_lossy *l,
		       const struct mptun_lossy_ref *ref, bool full, u64 now)
{
	if (!l->tried) {
		l->tried = l->lossy && full && now >= l->check_ns;
		if (l->tried) {
			l->packets = 0;
			l->events = 0;
		}
		return l->lossy;
	}
	if (!mptun_lossy_worse(l, ref))
		return l->packets < MPTUN_LOSSY_CHECK_PACKETS;
	l->tried = false;
	l->check_ms = min(2 * l->check_ms, MPTUN_LOSSY_CHECK_MAX_MS);
	l->check_ns = now + l->check_ms * (u64)NSEC_PER_MSEC;
	return true;
}

/**
 * mptun_lossy_group_reset() - reset all paths
 * @g: the paths
 * @now: time in ns
 */
void mptun_lossy_group_reset(struct mptun_lossy_group *g, u64 now)
{
	memset(g, 0, sizeof(*g));
	g->since_ns = now;
	g->full_ns = now;
}

static bool mptun_lossy_lasted(u64 since, u32 ms, u64 now)
{
	return now - since >= ms * (u64)NSEC_PER_MSEC;
}

static enum mptun_lossy_verdict
mptun_lossy_judge_used(struct mptun_lossy_group *g,
		       const struct mptun_lossy_sum *sum, u32 ms, u64 now)
{
	u64 alone, all = sum->clean + sum->lossy;
	s32 gain = 0;

	if (mptun_lossy_lasted(g->since_ns, MPTUN_LOSSY_FORGET_MS, now))
		mptun_lossy_group_reset(g, now);
	if (sum->clean * MPTUN_LOSSY_SHARE < all)
		return MPTUN_LOSSY_KEEP;

	/* Difference to the clean ones alone in this interval, in ms. */
	alone = div_u64(g->alone * ms, MSEC_PER_SEC);
	if (!alone)
		gain = sum->full ? ms : -(s32)ms;
	else if (all >= alone)
		gain = min_t(u64, ms, div64_u64((all - alone) * ms, alone));
	else if (!sum->full)
		gain = -(s32)div64_u64((alone - all) * ms, alone);
	g->balance_ms = clamp(g->balance_ms + gain, -MPTUN_LOSSY_DEBT_MS,
			      MPTUN_LOSSY_CREDIT_MS);
	if (g->balance_ms > -MPTUN_LOSSY_DEBT_MS)
		return MPTUN_LOSSY_KEEP;

	if (!g->alone)
		g->retry_ms = MPTUN_LOSSY_SOON_MS;
	else
		g->retry_ms = clamp(2 * g->retry_ms, MPTUN_LOSSY_RETRY_MIN_MS,
				    MPTUN_LOSSY_RETRY_MAX_MS);
	g->alone = 0;
	g->learnt_ms = 0;
	g->flows = sum->flows;
	g->more_ms = 0;
	g->since_ns = now;
	g->full_ns = now;
	return MPTUN_LOSSY_SUSPEND;
}

static enum mptun_lossy_verdict
mptun_lossy_judge_suspended(struct mptun_lossy_group *g,
			    const struct mptun_lossy_sum *sum, u32 ms, u64 now)
{
	bool more;
	u64 rate;

	if (!sum->full) {
		if (!mptun_lossy_lasted(g->full_ns, MPTUN_LOSSY_IDLE_MS, now))
			return MPTUN_LOSSY_KEEP;
		mptun_lossy_group_reset(g, now);
		return MPTUN_LOSSY_USE;
	}
	g->full_ns = now;

	/* Learn what the clean paths carry alone, while they are full. */
	rate = div_u64(sum->clean * MSEC_PER_SEC, ms);
	if (!g->alone)
		g->alone = rate;
	g->alone -= g->alone >> MPTUN_LOSSY_ALONE_SHIFT;
	g->alone += rate >> MPTUN_LOSSY_ALONE_SHIFT;
	g->learnt_ms += ms;
	if (sum->flows >= 2 * g->flows + MPTUN_LOSSY_FLOWS)
		g->more_ms += ms;
	else
		g->more_ms = 0;
	more = g->more_ms >= MPTUN_LOSSY_LEARN_MS;
	if (g->learnt_ms < MPTUN_LOSSY_LEARN_MS ||
	    !mptun_lossy_lasted(g->since_ns, MPTUN_LOSSY_SOON_MS, now) ||
	    (!more && !mptun_lossy_lasted(g->since_ns, g->retry_ms, now)))
		return MPTUN_LOSSY_KEEP;
	if (more)
		g->retry_ms = 0;
	g->balance_ms = 0;
	g->since_ns = now;
	return MPTUN_LOSSY_USE;
}

/**
 * mptun_lossy_judge() - decide on lossy paths after an interval
 * @g: the paths
 * @sum: what they did
 * @ms: length of the interval
 * @now: time in ns
 *
 * Return: &enum mptun_lossy_verdict.
 */
enum mptun_lossy_verdict
mptun_lossy_judge(struct mptun_lossy_group *g,
		  const struct mptun_lossy_sum *sum, u32 ms, u64 now)
{
	if (sum->used)
		return mptun_lossy_judge_used(g, sum, ms, now);
	if (sum->suspended)
		return mptun_lossy_judge_suspended(g, sum, ms, now);
	return MPTUN_LOSSY_KEEP;
}
