// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Leading: a path that is far, and carries more than all that are nearer.
 *
 * The model: DSL of 1 Mbit/s and a satellite of 10 Mbit/s.  Traffic that fits
 * the near paths is best off there.  Traffic that does not is best off on the
 * far one, which the near ones can only help: a flow over both has the round
 * trip of the far one, and its window has to fill that.  To use the far one now
 * and then would leave it with a window for the near ones and the round trip of
 * the far one.
 *
 * So it is one or the other.  The far path begins to lead when the near ones
 * have been busy for a while (sched/low_rate.c), and then these are the ones that
 * help.  A flow that comes from the near paths has a small window at first,
 * which grows over seconds, and flows pause: the far path leads until for some
 * seconds nothing was under way there that would not have fitted the near ones.
 *
 * It has to be known that it carries more.  A path that is so late that it does
 * not help otherwise has carried nothing.  It gets copies of what the near ones
 * carry while they are busy, each packet several times, as it has room.  No
 * flow waits for these.  If it has not shown enough by then, that is not tried
 * again soon.
 *
 * Units: bytes, bytes per second, microseconds for round-trip times, ns.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* The near ones are busy when they have been for so long; it is tried then, and
 * leads when they are busy for so long again.  A flow that has to grow anew
 * loses as much time by that.
 */
#define MPTUN_LEAD_BUSY_US	500000U
#define MPTUN_LEAD_WAIT_NS	(1500ULL * NSEC_PER_MSEC)

/* A moment at rest counts like so many busy ones, as a power of two: they are
 * busy for 80 % of the time.  One flow after its slow start hardly does better.
 */
#define MPTUN_LEAD_IDLE_SHIFT	2U

/* It leads for so long after it was needed last. */
#define MPTUN_LEAD_LASTS_NS	(10ULL * NSEC_PER_SEC)

/* It carries 3 / 2 of what the near ones do when it begins to lead, and as
 * much as long as it does.
 */
#define MPTUN_LEAD_BEGIN	3U
#define MPTUN_LEAD_END		2U

/* For how long it is tried. */
#define MPTUN_LEAD_TRY_NS	(8ULL * NSEC_PER_SEC)

static bool mptun_lead_may(const struct mptun_sched_cand *c)
{
	return (c->eligible || c->late) && c->best && c->min_rtt_us;
}

/* Is a path so far that it is late, but for the queues of others? */
static bool mptun_lead_is_late(const struct mptun_sched_cand *c, u32 nearest_us)
{
	return c->min_rtt_us > nearest_us &&
	       c->min_rtt_us - nearest_us > 2 * MPTUN_LATE_US;
}

/**
 * mptun_sched_lead_rate() - what does a path carry, as far as it has shown?
 * @c: the path
 *
 * Controllers give a path about twice what it has shown until they have found
 * what it carries.
 *
 * Return: bytes per second.
 */
u64 mptun_sched_lead_rate(const struct mptun_sched_cand *c)
{
	u64 shown;

	if (c->found || !c->min_rtt_us)
		return c->pacing_rate;
	shown = div_u64((u64)c->cwnd * USEC_PER_SEC / 2, c->min_rtt_us);
	return min(c->pacing_rate, shown);
}

/* What those carry that are nearer and may be chosen; 0 if there is none, or
 * one has no limit.
 */
static u64 mptun_lead_others_rate(const struct mptun_sched_cand *lead,
				  const struct mptun_sched_cand *cand,
				  unsigned int n)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible || !mptun_lead_may(&cand[i]) ||
		    !mptun_sched_farther(lead->min_rtt_us, cand[i].min_rtt_us))
			continue;
		if (!cand[i].pacing_rate)
			return 0;
		sum += cand[i].pacing_rate;
	}
	return sum;
}

/* Is more on its way there than the near ones would carry meanwhile? */
static bool mptun_lead_needed(const struct mptun_sched_cand *lead, u64 others)
{
	return lead->in_flight >
	       mul_u64_u32_div(others, lead->srtt_us, USEC_PER_SEC);
}

/* Looks at a path that near ones carry so much beside. */
static void mptun_lead_look(const struct mptun_sched *s,
			    const struct mptun_sched_cand *c, u64 others)
{
	struct mptun_thin *t = c->thin;
	u32 parts = t->leads ? MPTUN_LEAD_END : MPTUN_LEAD_BEGIN;

	t->higher_rate = mptun_sched_lead_rate(c) * 2 > others * parts;
	if (!t->leads)
		return;
	if (mptun_lead_needed(c, others))
		t->need_ns = s->now;
	t->leads = t->higher_rate && s->now < t->need_ns + MPTUN_LEAD_LASTS_NS;
}

/* Has it been tried in vain of late? */
static bool mptun_lead_in_vain(const struct mptun_sched *s,
			       const struct mptun_sched_cand *c)
{
	const struct mptun_thin *t = c->thin;

	return !t->higher_rate && t->tried_ns &&
	       s->now < t->tried_ns + MPTUN_LEAD_AGAIN_NS;
}

/* Is one of both the better one to lead? */
static bool mptun_lead_better(const struct mptun_sched *s,
			      const struct mptun_sched_cand *a,
			      const struct mptun_sched_cand *b)
{
	if (a->thin->leads != b->thin->leads)
		return a->thin->leads;
	if (mptun_lead_in_vain(s, a) != mptun_lead_in_vain(s, b))
		return !mptun_lead_in_vain(s, a);
	return mptun_sched_lead_rate(a) > mptun_sched_lead_rate(b);
}

/**
 * mptun_sched_lead() - which path leads those that are nearer, or might?
 * @s: scheduler of the tunnel
 * @cand: paths, those that may be chosen marked
 * @n: number of @cand
 *
 * No path may be chosen any more that is so far, but for the one that leads.
 *
 * Return: the path, NULL if there is none; whether it leads is in its @thin.
 */
struct mptun_sched_cand *mptun_sched_lead(const struct mptun_sched *s,
					  struct mptun_sched_cand *cand,
					  unsigned int n)
{
	struct mptun_sched_cand *lead = NULL;
	u32 nearest_us = U32_MAX;
	unsigned int i;
	u64 others;

	for (i = 0; i < n; i++)
		if (mptun_lead_may(&cand[i]))
			nearest_us = min(nearest_us, cand[i].min_rtt_us);
	for (i = 0; i < n; i++) {
		if (!mptun_lead_may(&cand[i]) || !cand[i].pacing_rate ||
		    !mptun_lead_is_late(&cand[i], nearest_us))
			continue;
		others = mptun_lead_others_rate(&cand[i], cand, n);
		if (!others)
			continue;
		mptun_lead_look(s, &cand[i], others);
		cand[i].eligible = false;
		cand[i].late = true;
		if (!lead || mptun_lead_better(s, &cand[i], lead))
			lead = &cand[i];
	}
	if (lead)
		lead->eligible = lead->thin->leads;
	return lead;
}

/* The near ones are busy: it is tried whether a late path carries more. */
static void mptun_lead_try(struct mptun_sched *s, struct mptun_sched_cand *c)
{
	struct mptun_thin *t = c->thin;

	if (mptun_lead_in_vain(s, c))
		return;
	if (!t->try_ns)
		t->try_ns = s->now;
	if (s->now < t->try_ns + MPTUN_LEAD_TRY_NS) {
		c->tried = MPTUN_LEAD_COPIES;
		s->tries = true;
	} else {
		t->tried_ns = s->now;
		t->try_ns = 0;
	}
}

/**
 * mptun_sched_lead_begins() - does a path lead that has waited so far?
 * @s: scheduler of the tunnel
 * @c: the path
 * @until_ns: until when those are busy that are nearer, U64_MAX for as long as
 *	the packet waits
 *
 * Return: true if it leads from now on.
 */
bool mptun_sched_lead_begins(struct mptun_sched *s, struct mptun_sched_cand *c,
			     u64 until_ns)
{
	struct mptun_thin *t = c->thin;
	bool was = t->busy.on;

	if (!mptun_busy_helps(s, &t->busy, MPTUN_LEAD_BUSY_US,
			      MPTUN_LEAD_IDLE_SHIFT, until_ns))
		return false;
	if (!was)
		t->on_ns = s->now;
	if (!t->higher_rate) {
		mptun_lead_try(s, c);
		return false;
	}
	if (s->now < t->on_ns + MPTUN_LEAD_WAIT_NS)
		return false;
	t->leads = true;
	t->need_ns = s->now;
	t->try_ns = 0;
	t->tried_ns = 0;
	return true;
}
