// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Spill-over: a path takes what those of better priority have no room for.
 *
 * The model: without it a path rests as long as one with a lower priority
 * number is up.  With it, its spill time says how long those must have been
 * full before it helps; water runs into the next basin when the one before is
 * full, hence the usual name "waterfall".
 *
 * What finds no room on the better paths goes on the path, once it helps.  It
 * helps when they have been busy for its spill time (sched/busy.c).  A spill
 * time of zero knows no clock: what finds no room goes on at once.
 *
 * Levels fill up one after the other: while a path has to wait, none of a
 * higher number is asked.  All are of one class, up and not backup, say: those
 * that are down, suspect or backup are not full, and rules of their own hold.
 *
 * A path that is nearer or farther than the better ones by more than the
 * receiver holds packets back gets nothing: one of both would deliver late.
 *
 * Units: bytes, microseconds, ns.
 */
#include <linux/limits.h>
#include <linux/mptun.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* A moment at rest counts like so many busy ones, as a power of two. */
#define MPTUN_SPILL_IDLE_SHIFT	2U

/* No priority is as high. */
#define MPTUN_SPILL_END		U32_MAX

/* Looks whether a path helps.  The better ones are busy until @busy_ns. */
static bool mptun_spill_helps(struct mptun_sched *s,
			      const struct mptun_sched_cand *c, bool full,
			      u64 busy_ns)
{
	if (!c->spill_us)
		return full;
	return mptun_busy_helps(s, c->spill, c->spill_us,
				MPTUN_SPILL_IDLE_SHIFT, busy_ns) && full;
}

/* The earliest that packets arrive which go out now, 0 if unknown. */
static u32 mptun_spill_first(const struct mptun_sched_cand *cand,
			     unsigned int n)
{
	u32 first = U32_MAX;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible && cand[i].arrival_us)
			first = min(first, cand[i].arrival_us);
	return first == U32_MAX ? 0 : first;
}

/* Do packets of both get in order? */
static bool mptun_spill_in_order(const struct mptun_sched *s,
				 const struct mptun_sched_cand *c, u32 first)
{
	if (!s->hold_us || !first || !c->arrival_us)
		return true;
	return (u64)c->arrival_us <= (u64)first + s->hold_us &&
	       (u64)first <= (u64)c->arrival_us + s->hold_us;
}

/* Does a path take anything from the best ones at all? */
static bool mptun_spill_takes(const struct mptun_sched_cand *c,
			      const struct mptun_sched_cand *best)
{
	return c->spill_us != MPTUN_SPILL_OFF && c->up == best->up &&
	       !c->parked && !c->rests && c->backup == best->backup &&
	       c->priority > best->priority;
}

/* The next level, MPTUN_SPILL_END if there is none. */
static u32 mptun_spill_next(const struct mptun_sched_cand *cand,
			    unsigned int n, const struct mptun_sched_cand *best,
			    u32 level)
{
	u32 next = MPTUN_SPILL_END;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (mptun_spill_takes(&cand[i], best) &&
		    cand[i].priority > level)
			next = min(next, cand[i].priority);
	return next;
}

/* Adds the paths of a level that may help.  Returns false if one of them has
 * to wait, and the ones behind it with it.
 */
static bool mptun_spill_level(struct mptun_sched *s,
			      struct mptun_sched_cand *cand, unsigned int n,
			      const struct mptun_sched_cand *best, u32 level,
			      u32 bytes, u32 packet_mtu)
{
	bool full = mptun_busy_full(cand, n, bytes);
	u64 busy_ns = mptun_busy_until(s, cand, n, full);
	u32 first = mptun_spill_first(cand, n);
	bool waits = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct mptun_sched_cand *c = &cand[i];

		if (c->priority != level || c->mtu < packet_mtu ||
		    !mptun_spill_takes(c, best) ||
		    !mptun_spill_in_order(s, c, first))
			continue;
		c->eligible = mptun_spill_helps(s, c, full, busy_ns);
		waits |= full && !c->eligible;
	}
	return !waits;
}

/**
 * mptun_sched_spill() - which paths may help those of the best rank?
 * @s: scheduler of the tunnel
 * @cand: paths, those of the best rank marked, and those that are eligible
 * @n: number of @cand
 * @bytes: room the next packet needs
 * @packet_mtu: its size as an inner packet
 *
 * Marks them as eligible as well, and makes mptun_sched.wake_ns earlier if one
 * may help before.  Paths that have no business here forget what they counted.
 */
void mptun_sched_spill(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu)
{
	const struct mptun_sched_cand *best = NULL;
	unsigned int i;
	u32 level;

	for (i = 0; i < n; i++) {
		if (!cand[i].best)
			continue;
		best = &cand[i];
		*cand[i].spill = (struct mptun_busy){};
	}
	if (!best)
		return;
	level = best->priority;
	do {
		level = mptun_spill_next(cand, n, best, level);
	} while (level != MPTUN_SPILL_END &&
		 mptun_spill_level(s, cand, n, best, level, bytes,
				   packet_mtu));
}
