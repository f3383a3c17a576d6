// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared bottlenecks: which paths have their delays in common.
 *
 * The aim is that of RFC 8382: paths that wait in one queue are a group.  The
 * RFC compares statistics of each path (skewness, variability, oscillation of
 * the delay, and loss), since its flows may have clocks of their own.  All
 * paths of a tunnel have the same two clocks, so the delays themselves are
 * compared here.  Measured over links of their own, with and without flows
 * beside, the statistics of the RFC made one group of two paths in up to half
 * of the time, and missed most of what a path shares that carries pings.
 *
 * The model: who waits in the same queue at the same time waits for the same
 * time.  Reports tell when a packet arrived, by the peer's clock, and it is
 * known when it was sent, by ours: a one-way delay, beyond an unknown constant.
 * Of each path the mean delay of intervals of 200 ms is taken, and how it
 * changes from one to the next.  What is constant is not in these changes,
 * neither the length of a path nor the distance of the clocks, and of their
 * drift 40 us at most.  Of two paths x and y,
 *
 *	sum of (x - y)^2 / sum of (x^2 + y^2)
 *
 * over the last 64 intervals is 0 if the changes are the same, 1 if they have
 * nothing to do with each other.  Unlike a correlation it is small only if they
 * are equally large, too: paths that fill and drain together as one flow uses
 * them have queues of their own size.  A scheduler that sends where a packet
 * arrives first keeps these alike, too, where windows are large and queues
 * long: two links of 8 and 5 Mbit/s then had 0.03 to 0.3, 0.1 in the middle,
 * and two paths over one of them 0.003 to 0.02.  So they are alike up to 0.04
 * and unlike from 0.12 on; between, and with few intervals or hardly any
 * changes, all stays as it is.
 *
 * Which time counts?  Packets that meet in a queue near the sender were sent at
 * the same time, those that meet near the receiver arrive at the same time,
 * and if one path is longer by 50 ms or more these differ.  So there are two
 * series of each path, and the pair that says more counts.
 *
 * Paths that are alike are one group, and so are those that are alike to one
 * of these (a union).  To join a group, and to leave it, it has to be so for as
 * long as intervals are remembered: the moment in which a flow begins and fills
 * all queues at once is forgotten by then.  A path of which nothing new is
 * known stays where it is, for a minute.
 *
 * What this cannot tell: equal links that are used and left alone in lockstep,
 * by bursts of seconds, look like one.
 *
 * Cost: two sums per report, 64 multiplications per pair and series five times
 * a second.
 *
 * Units: us and 16 us for delays, ns for points in time.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "cc/sbd.h"

/* Changes are kept in 16 us, so that half a second fits. */
#define MPTUN_SBD_SHIFT		4

/* So many intervals must be known of both paths. */
#define MPTUN_SBD_COMMON		16U

/* Changes of less than half a millisecond (root of the mean square) are no
 * queue that matters.
 */
#define MPTUN_SBD_CHANGE_MIN		(500U >> MPTUN_SBD_SHIFT)

/* In hundredths: most of the difference if alike, least if unlike. */
#define MPTUN_SBD_ALIKE		4U
#define MPTUN_SBD_UNLIKE		12U

/* So many looks in a row, as many as there are intervals, change a group. */
#define MPTUN_SBD_LOOKS		MPTUN_SBD_INTERVALS

/* A group is kept for so long without news. */
#define MPTUN_SBD_KEEP_NS	(60ULL * NSEC_PER_SEC)

/**
 * enum mptun_sbd_verdict - what two paths are to each other
 * @MPTUN_SBD_UNKNOWN: not known
 * @MPTUN_SBD_SEPARATE: they have queues of their own
 * @MPTUN_SBD_UNCLEAR: between the two others
 * @MPTUN_SBD_SHARED: they share one
 */
enum mptun_sbd_verdict {
	MPTUN_SBD_UNKNOWN,
	MPTUN_SBD_SEPARATE,
	MPTUN_SBD_UNCLEAR,
	MPTUN_SBD_SHARED,
};

/**
 * mptun_bottleneck_init() - no paths yet
 * @all: the paths of a tunnel
 */
void mptun_bottleneck_init(struct mptun_bottlenecks *all)
{
	memset(all, 0, sizeof(*all));
	INIT_LIST_HEAD(&all->paths);
}

/**
 * mptun_bottleneck_reset() - nothing is known of a path
 * @all: the paths of its tunnel
 * @b: the path, in their list or not
 *
 * It gets another number: others may be in a group that has the one before.
 */
void mptun_bottleneck_reset(struct mptun_bottlenecks *all,
			    struct mptun_bottleneck *b)
{
	memset(&b->sent, 0, sizeof(b->sent));
	memset(&b->arrived, 0, sizeof(b->arrived));
	b->number = ++all->numbers;
	b->group = b->number;
	b->streak = 0;
	b->compared = false;
}

/* The interval is over, and what it says is kept in its place. */
static void mptun_sbd_close(struct mptun_sbd_series *s)
{
	u32 mean = s->first + (s32)div_s64(s->sum, s->count);
	s32 change = (s32)(mean - s->mean) >> MPTUN_SBD_SHIFT;

	if (s->follows) {
		s->change[s->number % MPTUN_SBD_INTERVALS] =
			clamp_t(s32, change, S16_MIN, S16_MAX);
		s->known |= 1;
	}
	s->mean = mean;
	s->follows = true;
}

static void mptun_sbd_begin(struct mptun_sbd_series *s,
			    u32 number, u32 delay)
{
	u32 steps = number - s->number;

	if (s->count)
		mptun_sbd_close(s);
	s->known = steps < MPTUN_SBD_INTERVALS ? s->known << steps : 0;
	s->follows = s->follows && steps == 1;
	s->number = number;
	s->first = delay;
	s->count = 0;
	s->sum = 0;
}

static void mptun_sbd_add(struct mptun_sbd_series *s,
			  u64 time_us, u32 delay)
{
	u32 number = div_u64(time_us, MPTUN_SBD_INTERVAL_US);

	/* What comes a little late is added to the next interval. */
	if (!s->count || (s32)(number - s->number) > 0)
		mptun_sbd_begin(s, number, delay);
	s->sum += (s32)(delay - s->first);
	s->count++;
}

/**
 * mptun_bottleneck_sample() - a report tells how long a packet was under way
 * @all: the paths of the tunnel
 * @b: the path of the packet
 * @sent_ns: when it was sent, by our clock
 * @arrival_us: when it arrived, by the clock of the peer, low 32 bits
 */
void mptun_bottleneck_sample(struct mptun_bottlenecks *all,
			     struct mptun_bottleneck *b, u64 sent_ns,
			     u32 arrival_us)
{
	u64 sent_us = div_u64(sent_ns, NSEC_PER_USEC);
	u32 delay = arrival_us - (u32)sent_us;

	if (!all->measured) {
		all->measured = true;
		all->zero = delay;
	}
	mptun_sbd_add(&b->sent, sent_us, delay);
	/* It has not to be right, but to be the same for all paths, and to be
	 * no less than zero.
	 */
	mptun_sbd_add(&b->arrived, sent_us + BIT_ULL(32) +
		      (s32)(delay - all->zero), delay);
}

/* Compares from the newest interval on that both may know. */
static enum mptun_sbd_verdict
mptun_sbd_compare(const struct mptun_sbd_series *x,
		  const struct mptun_sbd_series *y)
{
	u32 ahead = x->number - y->number;
	u64 known, differ = 0, total = 0;
	u32 n = 0, at;
	s32 dx, dy;

	if ((s32)ahead < 0) {
		swap(x, y);
		ahead = -ahead;
	}
	if (ahead >= MPTUN_SBD_INTERVALS)
		return MPTUN_SBD_UNKNOWN;
	known = x->known & (y->known << ahead);
	for (; known; known &= known - 1) {
		at = (x->number - __ffs64(known)) % MPTUN_SBD_INTERVALS;
		dx = x->change[at];
		dy = y->change[at];
		differ += (s64)(dx - dy) * (dx - dy);
		total += (s64)dx * dx + (s64)dy * dy;
		n++;
	}
	if (n < MPTUN_SBD_COMMON ||
	    total < 2 * n * MPTUN_SBD_CHANGE_MIN * MPTUN_SBD_CHANGE_MIN)
		return MPTUN_SBD_UNKNOWN;
	if (100 * differ <= MPTUN_SBD_ALIKE * total)
		return MPTUN_SBD_SHARED;
	return 100 * differ < MPTUN_SBD_UNLIKE * total ?
	       MPTUN_SBD_UNCLEAR : MPTUN_SBD_SEPARATE;
}

static bool mptun_sbd_recent(const struct mptun_bottleneck *b, u64 now)
{
	return b->compared && now < b->compared_ns + MPTUN_SBD_KEEP_NS;
}

/* Do two paths belong together, as far as is known? */
static bool mptun_sbd_linked(struct mptun_bottleneck *a,
			     struct mptun_bottleneck *b, u64 now)
{
	enum mptun_sbd_verdict verdict;

	verdict = max(mptun_sbd_compare(&a->sent, &b->sent),
		      mptun_sbd_compare(&a->arrived, &b->arrived));
	if (verdict == MPTUN_SBD_UNKNOWN)
		return a->group == b->group &&
		       mptun_sbd_recent(a, now) &&
		       mptun_sbd_recent(b, now);
	a->compared = true;
	a->compared_ns = now;
	b->compared = true;
	b->compared_ns = now;
	return verdict == MPTUN_SBD_SHARED ||
	       (verdict == MPTUN_SBD_UNCLEAR && a->group == b->group);
}

/* What was found of two paths becomes one, with the lower of their numbers. */
static void mptun_sbd_unite(struct mptun_bottlenecks *all, u32 a, u32 b)
{
	struct mptun_bottleneck *p;

	if (a == b)
		return;
	list_for_each_entry(p, &all->paths, list)
		if (p->found == max(a, b))
			p->found = min(a, b);
}

static void mptun_sbd_find(struct mptun_bottlenecks *all, u64 now)
{
	struct mptun_bottleneck *a, *b;

	list_for_each_entry(a, &all->paths, list) {
		a->found = a->number;
		list_for_each_entry(b, &all->paths, list) {
			if (b == a)
				break;
			if (mptun_sbd_linked(a, b, now))
				mptun_sbd_unite(all, a->found, b->found);
		}
	}
}

/* Lets a group follow what was found, if it has been found for long. */
static bool mptun_sbd_follow(struct mptun_bottleneck *b)
{
	if (b->found == b->group) {
		b->streak = 0;
		return false;
	}
	if (!b->streak || b->found != b->wanted) {
		b->wanted = b->found;
		b->streak = 0;
	}
	if (++b->streak < MPTUN_SBD_LOOKS)
		return false;
	b->group = b->found;
	b->streak = 0;
	return true;
}

/**
 * mptun_bottleneck_run() - look which paths share one, if it is time
 * @all: the paths of a tunnel
 * @now: time in ns
 *
 * Return: true if a path is in another group than before.
 */
bool mptun_bottleneck_run(struct mptun_bottlenecks *all, u64 now)
{
	struct mptun_bottleneck *b;
	bool changed = false;

	if (now < all->next_ns || list_empty(&all->paths))
		return false;
	all->next_ns = now + MPTUN_SBD_INTERVAL_US * NSEC_PER_USEC;
	mptun_sbd_find(all, now);
	list_for_each_entry(b, &all->paths, list)
		changed |= mptun_sbd_follow(b);
	return changed;
}
