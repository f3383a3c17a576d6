// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Busy paths: how long they have been full before another path helps them.
 *
 * The model: a clock runs forward while all of them are busy, and backward,
 * several times as fast, while one is idle. The other path helps from the time
 * the clock has reached its limit until it is back at zero. A single burst
 * changes nothing, and bursty load does only if it keeps the paths busy most of
 * the time. The sawtooth of an inner flow, after whose losses nothing waits for
 * a moment, does not switch the other path on and off: counting only the time
 * packets wait left that path idle most of the time, though the paths before it
 * always had a queue.
 *
 * Units: bytes, microseconds, ns.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "sched/sched.h"

/* Runs the clock up to now. */
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
 * mptun_busy_helps() - test whether a path helps the busy ones
 * @s: scheduler of the tunnel; its wake_ns is brought forward if the answer may
 *	change earlier
 * @b: clock of the path
 * @us: how long they must have been busy
 * @idle_shift: idle time counts 2^n times
 * @until_ns: end of the busy period, U64_MAX while the packet waits
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
 * mptun_busy_full() - test whether no eligible path has room
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
 * mptun_busy_until() - end of the busy period of the eligible paths
 * @s: scheduler of the tunnel
 * @cand: paths as schedulers see them
 * @n: number of @cand
 * @full: none of them has room for the packet (mptun_busy_full())
 *
 * A path is busy while it has a queue, or until its pacer has paid for what was
 * sent: a controller that builds no queue keeps a path busy all the same.
 *
 * Return: time in ns, U64_MAX while the packet waits.
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
