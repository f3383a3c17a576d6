// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Leading: a high-latency path that carries more than all faster ones.
 *
 * The model: DSL of 1 Mbit/s and a satellite of 10 Mbit/s. Traffic that fits
 * the low-latency paths is best off there. Other traffic is best off on the
 * high-latency path, which the others can only help: a flow over both has the
 * round trip of the high-latency path and needs a window to match. Using that
 * path now and then would leave the flow with the window of the low-latency
 * paths and the round trip of the other.
 *
 * So it is one or the other. The high-latency path begins to lead when the
 * others have been busy for a while (sched/low_rate.c), and from then on they
 * help it. A flow that moves there has a small window at first, which grows
 * over seconds, and flows pause: the path leads until for some seconds nothing
 * was in flight there that the others could not have carried.  A flow whose
 * window does not grow, as that of BBR with its memory of the shorter round
 * trip, only loses: if nothing needed the path at all, it does not lead again
 * for a time that doubles.
 *
 * It must be known to carry more. A path too late to help has carried nothing.
 * While the others are busy it gets copies of what they carry, each packet
 * several times, as it has room. No flow waits for these. Time in which the
 * others are idle does not count as tried: a flow that lost packets early may
 * need seconds to fill them again. If the path has not shown enough by then,
 * the next trial is not due soon.
 *
 * Units: bytes, bytes per second, microseconds for round-trip times, ns.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* The trial begins when the low-latency paths have been busy for BUSY, and the
 * path leads when they are busy for WAIT more. A flow that has to grow again
 * loses about as much time.
 */
#define MPTUN_LEAD_BUSY_US	500000U
#define MPTUN_LEAD_WAIT_NS	(1500ULL * NSEC_PER_MSEC)

/* Idle time counts 2^n times: the others are busy for 80 % of the time. A
 * single flow after slow start hardly does better.
 */
#define MPTUN_LEAD_IDLE_SHIFT	2U

/* Time it leads after it was last needed */
#define MPTUN_LEAD_LASTS_NS	(10ULL * NSEC_PER_SEC)

/* Time it does not lead after it has never been needed, doubled each time */
#define MPTUN_LEAD_VAIN_NS	(10ULL * NSEC_PER_SEC)

/* It begins to lead with 3/2 of what the low-latency paths carry, and stops
 * below 2/2.
 */
#define MPTUN_LEAD_BEGIN	3U
#define MPTUN_LEAD_END		2U

/* Length of a trial, without the time when the others were not busy */
#define MPTUN_LEAD_TRY_NS	(8ULL * NSEC_PER_SEC)

static bool mptun_lead_may(const struct mptun_sched_cand *c)
{
	return (c->eligible || c->late) && c->best && c->min_rtt_us;
}

/* Capacity of a path: what its controller has found, not the gain at which it
 * paces at the moment.  A path without a queue carries a window per round trip.
 */
static u64 mptun_lead_capacity(const struct mptun_sched_cand *c)
{
	if (!c->found)
		return c->pacing_rate;
	return c->rate ?: min(mptun_sched_rate(c), c->pacing_rate);
}

/**
 * mptun_sched_lead_rate() - rate that a path has shown to carry
 * @c: the path
 *
 * Until controllers have found the capacity of a path they send more than it
 * has shown: those without a model about twice as much per round trip.
 *
 * Return: bytes per second.
 */
u64 mptun_sched_lead_rate(const struct mptun_sched_cand *c)
{
	u64 shown;

	if (c->found || !c->min_rtt_us)
		return mptun_lead_capacity(c);
	shown = c->shown ?: div_u64((u64)c->cwnd * USEC_PER_SEC / 2,
				    c->min_rtt_us);
	return min(c->pacing_rate, shown);
}

/* Rate of the eligible paths of lower latency; 0 if there is none, or one has
 * no limit.
 */
static u64 mptun_lead_others_rate(const struct mptun_sched_cand *lead,
				  const struct mptun_sched_cand *cand,
				  unsigned int n)
{
	u32 lead_us = mptun_sched_latency_us(lead), latency_us;
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < n; i++) {
		latency_us = mptun_sched_latency_us(&cand[i]);
		if (!cand[i].eligible || !mptun_lead_may(&cand[i]) ||
		    !mptun_sched_is_high_latency(lead_us, latency_us))
			continue;
		if (!cand[i].pacing_rate)
			return 0;
		sum += mptun_lead_capacity(&cand[i]);
	}
	return sum;
}

/* Tests for a failed trial not long ago. */
static bool mptun_lead_in_vain(const struct mptun_sched *s,
			       const struct mptun_sched_cand *c)
{
	const struct mptun_low_rate *t = c->low_rate;

	return !t->higher_rate && t->tried_ns &&
	       s->now < t->tried_ns + MPTUN_LEAD_AGAIN_NS;
}

/* Tests whether @a is the better one to lead; @faster if it carries more. */
static bool mptun_lead_better(const struct mptun_sched *s,
			      const struct mptun_sched_cand *a,
			      const struct mptun_sched_cand *b, bool faster)
{
	if (a->low_rate->leads != b->low_rate->leads)
		return a->low_rate->leads;
	if (mptun_lead_in_vain(s, a) != mptun_lead_in_vain(s, b))
		return !mptun_lead_in_vain(s, a);
	return faster;
}

/* Decides whether a path that leads continues to do so.  It is needed while
 * more is in flight than the others carry meanwhile.  Until it is, that may be
 * the copies of its trial, for a round trip.
 */
static void mptun_lead_continue(const struct mptun_sched *s,
				const struct mptun_sched_cand *c, u64 others)
{
	u64 carried = mul_u64_u32_div(others, c->srtt_us, USEC_PER_SEC);
	u64 rtt_ns = c->srtt_us * (u64)NSEC_PER_USEC;
	struct mptun_low_rate *t = c->low_rate;
	bool unused;

	if (c->in_flight > carried &&
	    (!t->vain_ns || s->now >= t->need_ns + rtt_ns)) {
		t->need_ns = s->now;
		t->vain_ns = 0;
	}
	unused = s->now >= t->need_ns + MPTUN_LEAD_LASTS_NS;
	t->leads = t->higher_rate && !unused;
	if (!unused || !t->vain_ns)
		return;
	t->again_ns = s->now + t->vain_ns;
	t->vain_ns = min(2 * t->vain_ns, MPTUN_LEAD_AGAIN_NS);
}

/**
 * mptun_sched_lead() - find the path that leads or may lead the faster ones
 * @s: scheduler of the tunnel
 * @cand: paths, eligible ones marked
 * @n: number of @cand
 *
 * Unmarks all paths of such latency except the one that leads.
 *
 * Return: the path, NULL if there is none; @low_rate says whether it leads.
 */
struct mptun_sched_cand *mptun_sched_lead(const struct mptun_sched *s,
					  struct mptun_sched_cand *cand,
					  unsigned int n)
{
	struct mptun_sched_cand *lead = NULL;
	u32 parts, lowest_us = U32_MAX;
	u64 others, rate, most = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (mptun_lead_may(&cand[i]))
			lowest_us = min(lowest_us,
					mptun_sched_latency_us(&cand[i]));
	for (i = 0; i < n; i++) {
		struct mptun_sched_cand *c = &cand[i];
		struct mptun_low_rate *t = c->low_rate;

		/* late even without the queues of others */
		if (!mptun_lead_may(c) || !c->pacing_rate ||
		    mptun_sched_latency_us(c) - lowest_us <= 2 * MPTUN_LATE_US)
			continue;
		others = mptun_lead_others_rate(c, cand, n);
		if (!others)
			continue;
		parts = t->leads ? MPTUN_LEAD_END : MPTUN_LEAD_BEGIN;
		rate = mptun_sched_lead_rate(c);
		t->higher_rate = rate * 2 > others * parts;
		if (t->leads)
			mptun_lead_continue(s, c, others);
		c->eligible = false;
		c->late = true;
		if (lead && !mptun_lead_better(s, c, lead, rate > most))
			continue;
		lead = c;
		most = rate;
	}
	if (lead)
		lead->eligible = lead->low_rate->leads;
	return lead;
}

/* Sends copies on a late path while the others are busy, to see whether it
 * carries more.
 */
static void mptun_lead_try(struct mptun_sched *s, struct mptun_sched_cand *c)
{
	struct mptun_low_rate *t = c->low_rate;
	u64 since = max(t->try_last_ns, t->on_ns);

	if (s->now > t->try_last_ns + MPTUN_LEAD_AGAIN_NS)
		t->try_ns = 0;
	t->try_last_ns = s->now;
	if (mptun_lead_in_vain(s, c))
		return;
	t->try_ns += s->now - since;
	if (t->try_ns < MPTUN_LEAD_TRY_NS) {
		c->tried = MPTUN_LEAD_COPIES;
		s->tries = true;
	} else {
		t->tried_ns = s->now;
		t->try_ns = 0;
	}
}

/**
 * mptun_sched_lead_begins() - test whether a path begins to lead
 * @s: scheduler of the tunnel
 * @c: the path, which has not led so far
 * @until_ns: end of the busy period of the others, U64_MAX while the packet
 *	waits
 *
 * Return: true if it leads from now on.
 */
bool mptun_sched_lead_begins(struct mptun_sched *s, struct mptun_sched_cand *c,
			     u64 until_ns)
{
	struct mptun_low_rate *t = c->low_rate;
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
	if (s->now < max(t->on_ns + MPTUN_LEAD_WAIT_NS, t->again_ns))
		return false;
	t->leads = true;
	t->need_ns = s->now;
	t->vain_ns = t->vain_ns ?: MPTUN_LEAD_VAIN_NS;
	t->try_ns = 0;
	t->tried_ns = 0;
	return true;
}
