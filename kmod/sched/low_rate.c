// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Low-rate and high-latency paths: they help when the others are busy.
 *
 * The model: a flow that is put back in order is as slow as the slowest path it
 * uses. While its window does not fill the high-rate paths, a low-rate one adds
 * little, and makes the whole window wait for the few packets on it: because it
 * has more latency, or because they leave one after another. Pacing keeps a
 * path full for a moment after each packet, so bursts leave some packets to the
 * low-rate path, and the next window, which waits for these, is a burst again.
 * That slowed a QUIC flow over 10, 3.3 and a slower 0.33 Mbit/s to 59 % of what
 * the first path alone gave. A path with very high latency does the same at any
 * rate: over three of 10 Mbit/s each, one of them slower by 290 ms, it was 54
 * %.
 *
 * So such a path gets nothing until the others have been busy for a while
 * (sched/busy.c): packets wait for them, or they have queues, or send as much
 * as their pacers allow. Windows are large enough then, and the path adds its
 * rate. It helps only as long as no queue grows on it, since a loss at the end
 * of a queue slows the flow down on all paths. If the others are no longer busy
 * within some seconds, the help did harm: the path waits twice as long the next
 * time.
 *
 * A packet on a low-rate path is late by its transmission time and the
 * difference in latency. Its flow waits meanwhile, and the other paths have
 * less to carry once the backlog here is gone. Four packets over 1 Mbit/s that
 * were late by 60 ms cost a QUIC flow over 10 Mbit/s half of 150 ms, at each
 * attempt. So a low-rate path begins to help only with a backlog that the
 * others could not deliver before the packet arrives. With several flows only
 * one waits, and the other flows use what it leaves.
 *
 * A path is low-rate if its pacing rate is below 1/7 of the highest, once its
 * controller has found its capacity, and stays so up to 1/4. At 1/5 it adds
 * more than it costs: over 5 and 1 Mbit/s one flow got 5.2 Mbit/s, and 4.4 when
 * the low-rate path had to wait. Pacing rates are compared, as they are known
 * without a queue. A path is high-latency if its latency is longer by 200 ms
 * than that of a path that is not low-rate.
 *
 * A low-rate path that helps has no queue, and so does not show that its link
 * has recovered. After the others have been busy for 2 s its capacity counts as
 * unknown: it is used as in a new tunnel, until the controller has found what
 * it carries. If that still is little, the next trial comes after twice the
 * time. So if the others stay busy, a link that recovers is used again after
 * about as long as it was slow.
 *
 * A low-rate path of lower latency is used by traffic that fits it, while
 * nothing is in flight on a high-rate one.
 *
 * A path with too much latency to help leads the others if it carries more than
 * they do (sched/lead.c). They help it then.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* A path becomes low-rate below 1/7 of the highest rate. */
#define MPTUN_LOW_RATE_BEGIN_PART	7U

/* Time the others must have been busy, at least and at most */
#define MPTUN_LOW_RATE_WAIT_US	500000U
#define MPTUN_LOW_RATE_WAIT_MAX_US	32000000U

/* Help that lasts this long was right, and state this old is dropped. */
#define MPTUN_LOW_RATE_LASTS_NS	(4ULL * NSEC_PER_SEC)
#define MPTUN_LOW_RATE_FORGET_NS	(10ULL * NSEC_PER_SEC)

/* Idle time counts 2^n times: the others are busy for 94 % of the time, or the
 * load is theirs.
 */
#define MPTUN_LOW_RATE_IDLE_SHIFT	4U

/* A shorter delay is not a queue but noise of the estimate. */
#define MPTUN_LOW_RATE_QUEUE_US	10000U

/* What was found of a low-rate path is forgotten after the others have been
 * busy for this time; each time doubles that, up to the second value.  Longer
 * gaps between choices are pauses.
 */
#define MPTUN_LOW_RATE_LEFT_NS		(2ULL * NSEC_PER_SEC)
#define MPTUN_LOW_RATE_LEFT_MAX_NS	(128ULL * NSEC_PER_SEC)
#define MPTUN_LOW_RATE_GAP_NS		(100ULL * NSEC_PER_MSEC)

/**
 * struct mptun_low_rate_env - the paths that others might help
 * @lead: a high-latency path that leads or may lead, NULL if there is none
 * @lowest_us: lowest latency of them, U32_MAX if it does not matter
 * @until_ns: end of their busy period, U64_MAX while the packet waits
 * @drained_us: time until they alone have delivered the backlog
 */
struct mptun_low_rate_env {
	struct mptun_sched_cand *lead;
	u32 lowest_us;
	u64 until_ns;
	u64 drained_us;
};

/* Tests whether a path has lower latency than one that leads. */
static bool mptun_low_rate_led(const struct mptun_sched_cand *c,
			       const struct mptun_sched_cand *lead)
{
	return lead && lead->low_rate->leads &&
	       mptun_sched_is_high_latency(mptun_sched_latency_us(lead),
					   mptun_sched_latency_us(c));
}

/* Finds low-rate paths among the eligible ones, with hysteresis, as pacing
 * rates vary all the time. While a controller searches for the capacity of a
 * path its pacer only spreads bursts, so what the path has shown counts.
 *
 * Returns the lowest latency of the others, U32_MAX if that does not matter.
 */
static u32 mptun_low_rate_find(const struct mptun_sched *s,
			       const struct mptun_sched_cand *cand,
			       unsigned int n,
			       const struct mptun_sched_cand *lead)
{
	u32 lowest_us = U32_MAX;
	u64 begin, most = 0;
	unsigned int i, fit = 0;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible)
			continue;
		fit++;
		most = max(most, &cand[i] == lead || !cand[i].found ?
			   mptun_sched_lead_rate(&cand[i]) :
			   cand[i].pacing_rate);
	}
	begin = div_u64(most, MPTUN_LOW_RATE_BEGIN_PART);
	for (i = 0; i < n; i++) {
		const struct mptun_sched_cand *c = &cand[i];

		c->low_rate->is = c->found && c->pacing_rate &&
				  (c->pacing_rate < begin ||
				   (c->low_rate->is &&
				    mptun_sched_is_low_rate(c->pacing_rate,
							    most)));
		if (!c->low_rate->is)
			c->low_rate->left_ns = 0;
		if (c->found && !c->low_rate->is && c->eligible && fit > 1)
			c->low_rate->left_most_ns = 0;
		if (s->ops->low_latency_first && c->eligible &&
		    c->min_rtt_us && !c->low_rate->is &&
		    !mptun_low_rate_led(c, lead))
			lowest_us = min(lowest_us, mptun_sched_latency_us(c));
	}
	return lowest_us;
}

static bool mptun_low_rate_secondary(const struct mptun_sched_cand *c,
				     const struct mptun_sched_cand *lead,
				     u32 lowest_us)
{
	return c->eligible && c->best &&
	       (c->low_rate->is || mptun_low_rate_led(c, lead) ||
		mptun_sched_is_high_latency(mptun_sched_latency_us(c),
					    lowest_us));
}

/* Tests whether traffic is better off on the other paths. */
static bool mptun_low_rate_worse(const struct mptun_sched_cand *c,
				 const struct mptun_sched_cand *cand,
				 unsigned int n,
				 const struct mptun_sched_cand *lead,
				 u32 lowest_us)
{
	unsigned int i;

	if (mptun_low_rate_led(c, lead))
		return true;
	for (i = 0; i < n; i++)
		if (cand[i].eligible &&
		    !mptun_low_rate_secondary(&cand[i], lead, lowest_us) &&
		    (cand[i].in_flight || !c->arrival_us ||
		     cand[i].arrival_us <= c->arrival_us))
			return true;
	return false;
}

/* Time in us until the others alone have delivered the backlog. */
static u64 mptun_low_rate_drained_us(const struct mptun_sched *s,
				     const struct mptun_sched_cand *cand,
				     unsigned int n)
{
	u64 waits = min_t(u64, s->backlog, U32_MAX) * max(s->flows, 1U);
	u64 rates = 0, area = waits * USEC_PER_SEC;
	unsigned int i;

	for (i = 0; i < n; i++) {
		u64 rate = min_t(u64, cand[i].pacing_rate, U32_MAX);

		if (!cand[i].eligible || !rate)
			continue;
		rates += rate;
		area += rate * min(cand[i].arrival_us, MPTUN_LATE_US);
	}
	return rates ? div64_u64(area, rates) : U64_MAX;
}

/* Measures for how long a low-rate path has been beside busy ones, and begins a
 * trial if its link may have recovered.
 */
static void mptun_low_rate_left(const struct mptun_sched *s,
				struct mptun_low_rate *t)
{
	u64 wait_ns = t->left_most_ns ?: MPTUN_LOW_RATE_LEFT_NS;
	u64 gap_ns = s->now - t->left_last_ns;

	t->left_last_ns = s->now;
	if (t->is && t->busy.on && gap_ns < MPTUN_LOW_RATE_GAP_NS)
		t->left_ns += gap_ns;
	if (t->left_ns < wait_ns)
		return;
	t->left_ns = 0;
	t->left_most_ns = min(2 * wait_ns, MPTUN_LOW_RATE_LEFT_MAX_NS);
	t->neglected = true;
}

/* Tests whether a path helps the others. */
static bool mptun_low_rate_helps(struct mptun_sched *s,
				 const struct mptun_sched_cand *c,
				 const struct mptun_low_rate_env *env,
				 u32 bytes)
{
	struct mptun_low_rate *t = c->low_rate;
	bool helped = t->helps;
	u64 takes_us;
	u32 us;

	if (s->now > t->busy.last_ns + MPTUN_LOW_RATE_FORGET_NS)
		t->wait_us = 0;
	us = helped ? 0 : t->wait_us;
	us = max(us, MPTUN_LOW_RATE_WAIT_US);
	t->helps = mptun_busy_helps(s, &t->busy, us, MPTUN_LOW_RATE_IDLE_SHIFT,
				    env->until_ns);
	/* To begin, it has to deliver a packet as early as the others do. */
	if (t->helps && !helped && t->is && s->hold_us) {
		takes_us = div64_u64((u64)bytes * USEC_PER_SEC, c->pacing_rate);
		t->helps = c->arrival_us + takes_us <= env->drained_us;
	}
	mptun_low_rate_left(s, t);
	if (t->helps && !helped)
		t->on_ns = s->now;
	if (t->helps || !helped)
		return t->helps;
	if (s->now >= t->on_ns + MPTUN_LOW_RATE_LASTS_NS)
		t->wait_us = 0;
	else
		t->wait_us = clamp(2 * t->wait_us, 2 * MPTUN_LOW_RATE_WAIT_US,
				   MPTUN_LOW_RATE_WAIT_MAX_US);
	return false;
}

/* Decides on a path that has to wait for the others. A low-rate path adds less
 * to one that leads than its latency costs, and so does a suspended one. For a
 * retransmission of what a high-latency path lost, the flow would wait even
 * longer than for the path. One that helps has no queue except the packet
 * before.
 */
static bool mptun_low_rate_chosen(struct mptun_sched *s,
				  struct mptun_sched_cand *c,
				  const struct mptun_low_rate_env *env,
				  u32 bytes)
{
	u64 queue_us = MPTUN_LOW_RATE_QUEUE_US;

	if (mptun_low_rate_led(c, env->lead) &&
	    (c->low_rate->is || c->suspended))
		return false;
	if (c == env->lead)
		return mptun_sched_lead_begins(s, c, env->until_ns);
	if (c->loses &&
	    mptun_sched_is_high_latency(mptun_sched_latency_us(c),
					env->lowest_us)) {
		c->low_rate->busy = (struct mptun_busy){};
		c->low_rate->helps = false;
		return false;
	}
	if (c->rate)
		queue_us += div64_u64((u64)bytes * USEC_PER_SEC, c->rate);
	return mptun_low_rate_helps(s, c, env, bytes) &&
	       c->queue_us <= queue_us;
}

/**
 * mptun_sched_low_rate() - decide which low-rate and high-latency paths help
 * @s: scheduler of the tunnel
 * @cand: paths, eligible ones marked
 * @n: number of @cand
 * @bytes: room the next packet needs
 *
 * Unmarks those that do not, and brings mptun_sched.wake_ns forward if one may
 * help earlier.
 */
void mptun_sched_low_rate(struct mptun_sched *s, struct mptun_sched_cand *cand,
			  unsigned int n, u32 bytes)
{
	struct mptun_low_rate_env env = {};
	unsigned int i, waiting = 0, idle = 0;
	struct mptun_low_rate *t;

	if (s->ops->low_latency_first)
		env.lead = mptun_sched_lead(s, cand, n);
	env.lowest_us = mptun_low_rate_find(s, cand, n, env.lead);
	for (i = 0; i < n; i++) {
		cand[i].helps = (mptun_low_rate_secondary(&cand[i], env.lead,
							  env.lowest_us) &&
				 mptun_low_rate_worse(&cand[i], cand, n,
						      env.lead,
						      env.lowest_us)) ||
				(&cand[i] == env.lead && !cand[i].eligible);
		t = cand[i].low_rate;
		if (cand[i].helps) {
			waiting++;
			idle += !t->helps;
		} else if (t->busy.last_ns) {
			t->busy = (struct mptun_busy){};
			t->helps = false;
			t->on_ns = 0;
			t->wait_us = 0;
		}
	}
	if (!waiting)
		return;
	for (i = 0; i < n; i++)
		cand[i].eligible &= !cand[i].helps;
	env.until_ns = mptun_busy_until(s, cand, n,
					mptun_busy_full(cand, n, bytes));
	/* needed only for those that may begin to help */
	if (idle)
		env.drained_us = mptun_low_rate_drained_us(s, cand, n);
	for (i = 0; i < n; i++)
		if (cand[i].helps)
			cand[i].eligible = mptun_low_rate_chosen(s, &cand[i],
								 &env, bytes);
}
