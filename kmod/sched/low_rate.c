// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Thin and far paths: they help when the others are busy.
 *
 * The model: a flow that is put in order again is as slow as the slowest path
 * that it uses.  As long as its window does not fill the thick paths, what a
 * thin one adds is little, and what it costs is that all of the window waits
 * for the few packets that are on it: behind the thick ones if it is farther,
 * one behind the other if it is thin.  Pacing keeps a path full for a moment
 * after each packet, so bursts leave some to the thin one, and the next window,
 * which waits for these, is a burst again.  One flow of QUIC over 10, 3.3 and
 * a farther 0.33 Mbit/s was as slow as that: 59 % of what the first alone gave.
 * A path that is very far does the same, however thick it is: over three of 10
 * Mbit/s each, of which one was farther by 290 ms, it was 54 %.
 *
 * So such a path gets nothing before the others have been busy for a while
 * (sched/busy.c): packets wait for them, or they have queues, or as much as
 * their pacers allow.  Then windows are large enough, and it adds what it has,
 * as long as no queue grows on it, for what is lost at the end of that slows
 * the flow down on all.  Once the others get less than they could it was too
 * much: it waits twice as long for the next time, if it has not helped for some
 * seconds.
 *
 * A packet on a thin path comes later than what is sent on the others next: by
 * the time that the path takes for it, and by as much as it is farther.  All of
 * its flow waits meanwhile, and the others have less to carry once nothing is
 * left that waits here for them.  Four packets over 1 Mbit/s that were late by
 * 60 ms cost a flow of QUIC over 10 Mbit/s half of 150 ms, each time it was
 * tried.  So a thin path does not begin to help before so much waits that it
 * could not have left by the others when the packet arrives.  If several flows
 * are under way only one of them waits, and the others use what it leaves.
 *
 * Thin is a path that is given less than a seventh of what the one is that is
 * given most, once its controller has found out what it carries, and until that
 * is a quarter.  With a fifth it adds more than it costs: over 5 and 1 Mbit/s
 * one flow got 5.2 Mbit/s, and 4.4 when the thin one had to wait.  The rates of
 * pacing are compared, since they are known without a queue.  Far is one whose
 * smallest round-trip time is longer by 200 ms than that of one that is not
 * thin.
 *
 * A thin path that is nearer is used by traffic that fits it, for as long as
 * nothing is on its way on a thick one.
 *
 * A path that is so far that it would not help leads the others if it carries
 * more than they do (sched/lead.c).  They help it then.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sched.h"

/* A path becomes thin with less than one part in so many. */
#define MPTUN_LOW_RATE_BEGIN_PART	7U

/* For how long the others must have been busy, at least and at most. */
#define MPTUN_LOW_RATE_WAIT_US	500000U
#define MPTUN_LOW_RATE_WAIT_MAX_US	32000000U

/* Help that lasts is good; and after such a pause nothing is known. */
#define MPTUN_LOW_RATE_LASTS_NS	(4ULL * NSEC_PER_SEC)
#define MPTUN_LOW_RATE_FORGET_NS	(10ULL * NSEC_PER_SEC)

/* A moment at rest counts like so many busy ones, as a power of two: they are
 * busy for 94 % of the time, or it is theirs.
 */
#define MPTUN_LOW_RATE_IDLE_SHIFT	4U

/* Less than this is no queue but noise of the estimate. */
#define MPTUN_LOW_RATE_QUEUE_US	10000U

/**
 * struct mptun_low_rate_env - the paths that thin and far ones might help
 * @lead: a far one that leads, or might, NULL if there is none
 * @until_ns: until when they are busy, U64_MAX for as long as the packet waits
 * @drained_us: all that waits is there by them alone, from now
 */
struct mptun_low_rate_env {
	struct mptun_sched_cand *lead;
	u64 until_ns;
	u64 drained_us;
};

/* Controllers pace somewhat faster and slower all the time, which is not to
 * make a path thin and not thin in turn.
 */
static void mptun_low_rate_classify(const struct mptun_sched_cand *c, u64 begin,
				    u64 most)
{
	c->thin->is = c->found && c->pacing_rate &&
		      (c->pacing_rate < begin ||
		       (c->thin->is &&
			mptun_sched_thinner(c->pacing_rate, most)));
}

/* Is a path nearer than one that leads? */
static bool mptun_low_rate_led(const struct mptun_sched_cand *c,
			       const struct mptun_sched_cand *lead)
{
	return lead && lead->thin->leads &&
	       mptun_sched_farther(lead->min_rtt_us, c->min_rtt_us);
}

/* Which of those are thin that may be chosen? Returns the smallest round-trip
 * time of the others, U32_MAX if that does not matter.
 */
static u32 mptun_low_rate_find(const struct mptun_sched *s,
			       const struct mptun_sched_cand *cand,
			       unsigned int n,
			       const struct mptun_sched_cand *lead)
{
	u32 nearest_us = U32_MAX;
	u64 begin, most = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].eligible)
			most = max(most, &cand[i] == lead ?
				   mptun_sched_lead_rate(lead) :
				   cand[i].pacing_rate);
	begin = div_u64(most, MPTUN_LOW_RATE_BEGIN_PART);
	for (i = 0; i < n; i++) {
		mptun_low_rate_classify(&cand[i], begin, most);
		if (s->ops->near_first && cand[i].eligible &&
		    cand[i].min_rtt_us && !cand[i].thin->is &&
		    !mptun_low_rate_led(&cand[i], lead))
			nearest_us = min(nearest_us, cand[i].min_rtt_us);
	}
	return nearest_us;
}

static bool mptun_low_rate_secondary(const struct mptun_sched_cand *c,
				     const struct mptun_sched_cand *lead,
				     u32 nearest_us)
{
	return c->eligible && c->best &&
	       (c->thin->is || mptun_low_rate_led(c, lead) ||
		mptun_sched_farther(c->min_rtt_us, nearest_us));
}

/* Would traffic be better off on the others? */
static bool mptun_low_rate_worse(const struct mptun_sched_cand *c,
				 const struct mptun_sched_cand *cand,
				 unsigned int n,
				 const struct mptun_sched_cand *lead,
				 u32 nearest_us)
{
	unsigned int i;

	if (mptun_low_rate_led(c, lead))
		return true;
	for (i = 0; i < n; i++)
		if (cand[i].eligible &&
		    !mptun_low_rate_secondary(&cand[i], lead, nearest_us) &&
		    (cand[i].in_flight || !c->arrival_us ||
		     cand[i].arrival_us <= c->arrival_us))
			return true;
	return false;
}

/* Is there no queue but for the packet before? */
static bool mptun_low_rate_short_queue(const struct mptun_sched_cand *c,
				       u32 bytes)
{
	u64 most = MPTUN_LOW_RATE_QUEUE_US;

	if (c->rate)
		most += div64_u64((u64)bytes * USEC_PER_SEC, c->rate);
	return c->queue_us <= most;
}

/* When is all that waits there by the others alone, in us from now? */
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

/* Would a packet be there as soon? */
static bool mptun_low_rate_worth(const struct mptun_sched *s,
				 const struct mptun_sched_cand *c,
				 const struct mptun_low_rate_env *env,
				 u32 bytes)
{
	u64 us;

	if (!c->thin->is || !s->hold_us)
		return true;
	us = div64_u64((u64)bytes * USEC_PER_SEC, c->pacing_rate);
	return c->arrival_us + us <= env->drained_us;
}

/* Does a path help the others? */
static bool mptun_low_rate_helps(struct mptun_sched *s,
				 const struct mptun_sched_cand *c,
				 const struct mptun_low_rate_env *env,
				 u32 bytes)
{
	struct mptun_thin *t = c->thin;
	bool helped = t->helps;
	u32 us;

	if (s->now > t->busy.last_ns + MPTUN_LOW_RATE_FORGET_NS)
		t->wait_us = 0;
	us = helped ? 0 : t->wait_us;
	us = max(us, MPTUN_LOW_RATE_WAIT_US);
	t->helps = mptun_busy_helps(s, &t->busy, us, MPTUN_LOW_RATE_IDLE_SHIFT,
				    env->until_ns) &&
		   (helped || mptun_low_rate_worth(s, c, env, bytes));
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

/* What was counted of a path that does not have to wait is forgotten. */
static void mptun_low_rate_reset(struct mptun_thin *t)
{
	if (!t->busy.last_ns)
		return;
	t->busy = (struct mptun_busy){};
	t->helps = false;
	t->on_ns = 0;
	t->wait_us = 0;
}

/* May a path be chosen that has to wait for the others?  What a thin one adds
 * to one that leads is less than what its delay costs.
 */
static bool mptun_low_rate_chosen(struct mptun_sched *s,
				  struct mptun_sched_cand *c,
				  const struct mptun_low_rate_env *env,
				  u32 bytes)
{
	if (mptun_low_rate_led(c, env->lead) && c->thin->is)
		return false;
	if (c == env->lead)
		return mptun_sched_lead_begins(s, c, env->until_ns);
	return mptun_low_rate_helps(s, c, env, bytes) &&
	       mptun_low_rate_short_queue(c, bytes);
}

/**
 * mptun_sched_low_rate() - which thin and far paths help those that are not?
 * @s: scheduler of the tunnel
 * @cand: paths, those that may be chosen marked
 * @n: number of @cand
 * @bytes: room the next packet needs
 *
 * Unmarks those that do not, and makes mptun_sched.wake_ns earlier if one may
 * help before.
 */
void mptun_sched_low_rate(struct mptun_sched *s, struct mptun_sched_cand *cand,
			  unsigned int n, u32 bytes)
{
	struct mptun_low_rate_env env = {};
	unsigned int i, waiting = 0, idle = 0;
	u32 nearest_us;

	if (s->ops->near_first)
		env.lead = mptun_sched_lead(s, cand, n);
	nearest_us = mptun_low_rate_find(s, cand, n, env.lead);
	for (i = 0; i < n; i++) {
		cand[i].helps = (mptun_low_rate_secondary(&cand[i], env.lead,
							  nearest_us) &&
				 mptun_low_rate_worse(&cand[i], cand, n,
						      env.lead, nearest_us)) ||
				(&cand[i] == env.lead && !cand[i].eligible);
		if (!cand[i].helps) {
			mptun_low_rate_reset(cand[i].thin);
			continue;
		}
		waiting++;
		idle += !cand[i].thin->helps;
	}
	if (!waiting)
		return;
	for (i = 0; i < n; i++)
		cand[i].eligible &= !cand[i].helps;
	env.until_ns = mptun_busy_until(s, cand, n,
					mptun_busy_full(cand, n, bytes));
	/* asked only of those that may begin to help */
	if (idle)
		env.drained_us = mptun_low_rate_drained_us(s, cand, n);
	for (i = 0; i < n; i++)
		if (cand[i].helps)
			cand[i].eligible = mptun_low_rate_chosen(s, &cand[i],
								 &env, bytes);
}
