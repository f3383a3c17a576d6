// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Spill-over: a path takes what paths of better priority have no room for.
 *
 * The model: without it a path is idle while one with a lower priority number
 * is up. With it, the spill time says how long those must have been full before
 * the path helps, as water runs into the next basin when the one before is
 * full; hence the common name "waterfall".
 *
 * A path helps when the better paths have been busy for its spill time
 * (sched/busy.c), and takes what finds no room there. With a spill time of zero
 * there is no clock: what finds no room goes there at once.
 *
 * Levels fill up one after another: while a path has to wait, none of a higher
 * number is considered. All are of one class, for example up and not backup:
 * paths that are down, suspect or backup are not full, and have rules of their
 * own.
 *
 * A path whose arrival differs from that of the better ones by more than the
 * receiver holds packets gets nothing: one of both would deliver late.
 *
 * Units: bytes, microseconds, ns.
 */
#include <linux/limits.h>
#include <linux/mptun.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* Idle time counts 2^n times. */
#define MPTUN_SPILL_IDLE_SHIFT	2U

/* Above all priorities */
#define MPTUN_SPILL_END		U32_MAX

/* Tests whether packets of a path can be put in order with those that arrive
 * at @first, U32_MAX if that is unknown.
 */
static bool mptun_spill_in_order(const struct mptun_sched *s,
				 const struct mptun_sched_cand *c, u32 first)
{
	if (!s->hold_us || first == U32_MAX || !c->arrival_us)
		return true;
	return (u64)c->arrival_us <= (u64)first + s->hold_us &&
	       (u64)first <= (u64)c->arrival_us + s->hold_us;
}

/* Tests whether a path takes anything from the best ones at all. */
static bool mptun_spill_takes(const struct mptun_sched_cand *c,
			      const struct mptun_sched_cand *best)
{
	return c->spill_us != MPTUN_SPILL_OFF && c->up == best->up &&
	       !c->parked && !c->suspended && c->backup == best->backup &&
	       c->priority > best->priority;
}

/* Marks the paths of a level that may help. Returns false if one of them has to
 * wait, and with it the levels after it.
 */
static bool mptun_spill_level(struct mptun_sched *s,
			      struct mptun_sched_cand *cand, unsigned int n,
			      const struct mptun_sched_cand *best, u32 level,
			      u32 bytes, u32 packet_mtu)
{
	bool full = mptun_busy_full(cand, n, bytes);
	u64 busy_ns = mptun_busy_until(s, cand, n, full);
	bool helps, waits = false;
	u32 first = U32_MAX;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible && cand[i].arrival_us)
			first = min(first, cand[i].arrival_us);
	for (i = 0; i < n; i++) {
		struct mptun_sched_cand *c = &cand[i];

		if (c->priority != level || max(c->mtu, c->cut) < packet_mtu ||
		    !mptun_spill_takes(c, best) ||
		    !mptun_spill_in_order(s, c, first))
			continue;
		helps = !c->spill_us ||
			mptun_busy_helps(s, c->spill, c->spill_us,
					 MPTUN_SPILL_IDLE_SHIFT, busy_ns);
		c->eligible = full && helps;
		waits |= full && !helps;
	}
	return !waits;
}

/**
 * mptun_sched_spill() - mark paths that help those of the best rank
 * @s: scheduler of the tunnel
 * @cand: paths, those of the best rank and the eligible ones marked
 * @n: number of @cand
 * @bytes: room the next packet needs
 * @packet_mtu: its size as an inner packet
 *
 * Brings mptun_sched.wake_ns forward if one may help earlier. Resets the clocks
 * of paths of the best rank.
 */
void mptun_sched_spill(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu)
{
	const struct mptun_sched_cand *best = NULL;
	u32 level, next;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!cand[i].best)
			continue;
		best = &cand[i];
		*cand[i].spill = (struct mptun_busy){};
	}
	if (!best)
		return;
	next = best->priority;
	do {
		level = next;
		next = MPTUN_SPILL_END;
		for (i = 0; i < n; i++)
			if (mptun_spill_takes(&cand[i], best) &&
			    cand[i].priority > level)
				next = min(next, cand[i].priority);
	} while (next != MPTUN_SPILL_END &&
		 mptun_spill_level(s, cand, n, best, next, bytes, packet_mtu));
}
