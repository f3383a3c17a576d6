// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Thin paths: they help when the others are busy.
 *
 * The model: a flow that is put in order again is as slow as the slowest path
 * that it uses.  As long as its window does not fill the thick paths, what a
 * thin one adds is little, and what it costs is that all of the window waits
 * for the few packets that are on it: behind the thick ones if it is farther,
 * one behind the other if it is thin.  Pacing keeps a path full for a moment
 * after each packet, so bursts leave some to the thin one, and the next window,
 * which waits for these, is a burst again.  One flow of QUIC over 10, 3.3 and
 * a farther 0.33 Mbit/s was as slow as that: 59 % of what the first alone gave.
 *
 * So a thin path gets nothing before the thick ones have been busy for a while
 * (sched_busy.c): packets wait for them, or they have queues, or as much as
 * their pacers allow.  Then windows are large enough, and it adds what it has,
 * as long as no queue grows on it, for what is lost at the end of that slows
 * the flow down on all.  Once the thick ones get less than they could it was
 * too much: it waits twice as long for the next time, if it has not helped for
 * some seconds.
 *
 * Thin is a path that is given less than a quarter of what the one is that is
 * given most, once its controller has found out what it carries.  The rates of
 * pacing are compared, since they are known without a queue.
 *
 * A thin path that is nearer is used by traffic that fits it, for as long as
 * nothing is on its way on a thick one.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched.h"

/* For how long the thick ones must have been busy, at least and at most. */
#define MPTUN_THIN_WAIT_US	500000U
#define MPTUN_THIN_WAIT_MAX_US	32000000U

/* Help that lasts is good; and after such a pause nothing is known. */
#define MPTUN_THIN_LASTS_NS	(4ULL * NSEC_PER_SEC)
#define MPTUN_THIN_FORGET_NS	(10ULL * NSEC_PER_SEC)

/* A moment at rest counts like so many busy ones, as a power of two: they are
 * busy for 94 % of the time, or it is theirs.
 */
#define MPTUN_THIN_REST_SHIFT	4U

/* Less than this is no queue but noise of the estimate. */
#define MPTUN_THIN_QUEUE_US	10000U

/* The most that one of the paths is given that may be chosen. */
static u64 mptun_thin_most(const struct mptun_sched_cand *cand, unsigned int n)
{
	u64 most = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible)
			most = max(most, cand[i].pacing_rate);
	return most;
}

static bool mptun_thin_is(const struct mptun_sched_cand *c, u64 most)
{
	return c->eligible && c->best && c->found &&
	       mptun_sched_thinner(c->pacing_rate, most);
}

/* Would traffic be better off on the thick ones? */
static bool mptun_thin_worse(const struct mptun_sched_cand *thin,
			     const struct mptun_sched_cand *cand,
			     unsigned int n, u64 most)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible && !mptun_thin_is(&cand[i], most) &&
		    (cand[i].in_flight || !thin->arrival_us ||
		     cand[i].arrival_us <= thin->arrival_us))
			return true;
	return false;
}

/* Is there no queue but for the packet before? */
static bool mptun_thin_short(const struct mptun_sched_cand *c, u32 bytes)
{
	u64 most = MPTUN_THIN_QUEUE_US;

	if (c->rate)
		most += div64_u64((u64)bytes * USEC_PER_SEC, c->rate);
	return c->queue_us <= most;
}

/* Until when are the thick ones busy? U64_MAX for as long as the packet
 * waits.
 */
static u64 mptun_thin_busy(const struct mptun_sched *s,
			   const struct mptun_sched_cand *cand, unsigned int n,
			   u32 bytes)
{
	u64 until_ns = U64_MAX, queue_ns;
	unsigned int i;

	if (s->backlog && mptun_busy_full(cand, n, bytes))
		return until_ns;
	for (i = 0; i < n; i++) {
		if (!cand[i].eligible)
			continue;
		queue_ns = s->now + (u64)cand[i].queue_us * NSEC_PER_USEC;
		until_ns = min(until_ns, max(queue_ns, cand[i].paced_ns));
	}
	return until_ns;
}

/* Does a thin path help? The thick ones are busy until @until_ns. */
static bool mptun_thin_helps(struct mptun_sched *s, struct mptun_thin *t,
			     u64 until_ns)
{
	bool helped = t->busy.on;
	u32 us;

	if (s->now > t->busy.last_ns + MPTUN_THIN_FORGET_NS)
		t->wait_us = 0;
	us = helped ? 0 : t->wait_us;
	us = max(us, MPTUN_THIN_WAIT_US);
	if (mptun_busy_helps(s, &t->busy, us, MPTUN_THIN_REST_SHIFT,
			     until_ns)) {
		if (!helped)
			t->on_ns = s->now;
		return true;
	}
	if (helped && s->now >= t->on_ns + MPTUN_THIN_LASTS_NS)
		t->wait_us = 0;
	else if (helped)
		t->wait_us = clamp(2 * t->wait_us, 2 * MPTUN_THIN_WAIT_US,
				   MPTUN_THIN_WAIT_MAX_US);
	return false;
}

/**
 * mptun_sched_thin() - which thin paths help those that are not?
 * @s: scheduler of the tunnel
 * @cand: paths, those that may be chosen marked
 * @n: number of @cand
 * @bytes: room the next packet needs
 *
 * Unmarks those that do not, and makes mptun_sched.wake_ns earlier if one may
 * help before.
 */
void mptun_sched_thin(struct mptun_sched *s, struct mptun_sched_cand *cand,
		      unsigned int n, u32 bytes)
{
	u64 most = mptun_thin_most(cand, n);
	unsigned int i, thin = 0;
	u64 until_ns;

	for (i = 0; i < n; i++) {
		cand[i].helps = mptun_thin_is(&cand[i], most) &&
				mptun_thin_worse(&cand[i], cand, n, most);
		if (cand[i].helps)
			thin++;
		else if (cand[i].thin->busy.last_ns)
			*cand[i].thin = (struct mptun_thin){};
	}
	if (!thin)
		return;
	for (i = 0; i < n; i++)
		cand[i].eligible &= !cand[i].helps;
	until_ns = mptun_thin_busy(s, cand, n, bytes);
	for (i = 0; i < n; i++)
		if (cand[i].helps)
			cand[i].eligible =
				mptun_thin_helps(s, cand[i].thin, until_ns) &&
				mptun_thin_short(&cand[i], bytes);
}
