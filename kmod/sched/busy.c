// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Busy: have some paths been full for so long that another one helps them?
 *
 * The model: a clock runs forward while all of them are busy, and backward,
 * several times as fast, while one is at rest.  The other path helps from when
 * the clock has reached a time of its own until it is back at zero.  So a
 * single burst changes nothing, load that comes in bursts does only if it keeps
 * the paths busy most of the time, and the sawtooth of an inner flow, after
 * whose losses nothing waits for a moment, does not make the other one come and
 * go: to count only the time in which packets wait left it to rest nearly
 * always, though the paths before it were never without a queue.
 *
 * Units: bytes, microseconds, ns.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "sched/sched.h"

/* Lets the clock run up to now. */
static void mptun_busy_clock(struct mptun_busy *b, u64 most, u32 idle_shift,
			     u64 now)
{
	u64 until = clamp(b->until_ns, b->last_ns, now);
	u64 busy = until - b->last_ns, rest = now - until;

	b->level_ns = min(most, b->level_ns + min(most, busy));
	if (b->level_ns == most)
		b->on = true;
	if (rest < b->level_ns >> idle_shift)
		b->level_ns -= rest << idle_shift;
	else if (rest)
		b->level_ns = 0;
	if (!b->level_ns)
		b->on = false;
	b->last_ns = now;
}

/**
 * mptun_busy_helps() - does a path help those that are busy?
 * @s: scheduler of the tunnel; its wake_ns is made earlier if that is to be
 *	asked again before
 * @b: clock of the path
 * @us: for how long they must have been busy
 * @idle_shift: a moment at rest counts like 2^n busy ones
 * @until_ns: until when they are, U64_MAX for as long as the packet waits
 *
 * Return: true if it does.
 */
bool mptun_busy_helps(struct mptun_sched *s, struct mptun_busy *b, u32 us,
		      u32 idle_shift, u64 until_ns)
{
	u64 most = (u64)us * NSEC_PER_USEC;

	mptun_busy_clock(b, most, idle_shift, s->now);
	b->until_ns = until_ns;
	if (until_ns == U64_MAX && !b->on)
		s->wake_ns = min(s->wake_ns, s->now + most - b->level_ns);
	return b->on;
}

/**
 * mptun_busy_full() - has none of the paths room that may be chosen so far?
 * @cand: paths as schedulers see them
 * @n: number of @cand
 * @bytes: room the packet needs
 *
 * Return: true if none has.
 */
bool mptun_busy_full(const struct mptun_sched_cand *cand, unsigned int n,
		     u32 bytes)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible && cand[i].room >= bytes)
			return false;
	return true;
}

/**
 * mptun_busy_until() - until when are the paths busy that may be chosen so far?
 * @s: scheduler of the tunnel
 * @cand: paths as schedulers see them
 * @n: number of @cand
 * @full: none of them has room for the packet (mptun_busy_full())
 *
 * One is as long as its queue lasts, or as its pacer has not paid for what was
 * sent: a controller that makes no queue keeps a path busy all the same.
 *
 * Return: time in ns, U64_MAX for as long as the packet waits.
 */
u64 mptun_busy_until(const struct mptun_sched *s,
		     const struct mptun_sched_cand *cand, unsigned int n,
		     bool full)
{
	u64 until_ns = U64_MAX, queue_ns;
	unsigned int i;

	if (full && s->backlog)
		return until_ns;
	for (i = 0; i < n; i++) {
		if (!cand[i].eligible)
			continue;
		queue_ns = s->now + (u64)cand[i].queue_us * NSEC_PER_USEC;
		until_ns = min(until_ns, max(queue_ns, cand[i].paced_ns));
	}
	return until_ns;
}
