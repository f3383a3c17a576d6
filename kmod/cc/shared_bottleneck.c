// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared bottleneck detection: groups paths whose one-way delays change
 * together.
 *
 * The aim is that of RFC 8382: paths that queue at one bottleneck are a group.
 * The RFC compares statistics of each path (skewness, variability and
 * oscillation of the delay, loss), as its flows may have different clocks.  All
 * paths of a tunnel share two clocks, so the delays themselves are compared.
 * On separate links, with and without other flows, the RFC's statistics joined
 * two paths up to half of the time, and missed most bottlenecks shared with a
 * path that carries only pings.
 *
 * Packets in one queue at the same time wait equally long.  Reports carry the
 * peer's time of an arrival; with the send time this is the one-way delay plus
 * an unknown constant.  For each path the mean delay of intervals of 200 ms is
 * kept as its change from one interval to the next, which contains neither the
 * length of the path nor the offset of the clocks, and at most 40 us of their
 * drift.  For two paths x and y,
 *
 *	sum of (x - y)^2 / sum of (x^2 + y^2)
 *
 * over the last 64 intervals is 0 for equal changes and 1 for independent ones.
 * Unlike a correlation it is small only for changes of equal size, too: paths
 * that one flow fills and drains together have queues of different sizes.  A
 * scheduler that picks the path with the earliest arrival also aligns them
 * where windows are large and queues long: separate links of 8 and 5 Mbit/s had
 * 0.03 to 0.3 (median 0.1), two paths over one of them 0.003 to 0.02.  So paths
 * are alike up to 0.03 and different from 0.12 on; in between, with few
 * intervals or small changes, the result stays as it is.
 *
 * Packets that meet in a queue at the sender were sent at the same time;
 * those that meet at the receiver arrive at the same time.  If one path is 50
 * ms longer or more these differ.  So each path has two series, and the more
 * significant pair counts.
 *
 * Groups are unions of paths that are alike.  A path joins or leaves a group
 * after as long as intervals are kept: the start of a flow, which fills all
 * queues at once, is forgotten by then.  A path without new samples keeps its
 * group for a minute.
 *
 * Limitation: equal links used in lockstep by bursts of seconds look like one.
 *
 * Cost: two additions per report, 64 multiplications per pair and series five
 * times a second.
 *
 * Units: us and 16 us for delays, ns for points in time.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "cc/shared_bottleneck.h"

/* Changes are kept in 16 us, so half a second fits. */
#define MPTUN_SBD_SHIFT		4

/* Intervals that must be known of both paths. */
#define MPTUN_SBD_COMMON		16U

/* Changes below half a millisecond (root mean square) are no relevant queue. */
#define MPTUN_SBD_CHANGE_MIN		(500U >> MPTUN_SBD_SHIFT)

/* Upper limit of the difference if alike, lower limit if different, in
 * hundredths.
 */
#define MPTUN_SBD_ALIKE		3U
#define MPTUN_SBD_UNLIKE	12U

/* Consecutive results that change a group: as many as there are intervals. */
#define MPTUN_SBD_LOOKS		MPTUN_SBD_INTERVALS

/* A group is kept this long without new samples. */
#define MPTUN_SBD_KEEP_NS	(60ULL * NSEC_PER_SEC)

/**
 * mptun_sbd_init() - initialise the paths of a tunnel
 * @all: the paths
 */
void mptun_sbd_init(struct mptun_sbd *all)
{
	memset(all, 0, sizeof(*all));
	INIT_LIST_HEAD(&all->paths);
}

/**
 * mptun_sbd_reset() - discard the samples of a path
 * @all: the paths of its tunnel
 * @b: the path, in their list or not
 *
 * It gets a new number, as other paths may be in a group with the old one.
 */
void mptun_sbd_reset(struct mptun_sbd *all,
		     struct mptun_sbd_path *b)
{
	memset(&b->sent, 0, sizeof(b->sent));
	memset(&b->arrived, 0, sizeof(b->arrived));
	b->number = ++all->numbers;
	b->group = b->number;
	b->streak = 0;
	b->compared = false;
}

/* Ends an interval, stores its change, and begins another one. */
static void mptun_sbd_begin(struct mptun_sbd_series *s,
			    u32 number, u32 delay)
{
	u32 steps = number - s->number;
	s32 change;
	u32 mean;

	if (s->count) {
		mean = s->first + (s32)div_s64(s->sum, s->count);
		change = (s32)(mean - s->mean) >> MPTUN_SBD_SHIFT;
		if (s->follows) {
			s->change[s->number % MPTUN_SBD_INTERVALS] =
				clamp_t(s32, change, S16_MIN, S16_MAX);
			s->known |= 1;
		}
		s->mean = mean;
		s->follows = true;
	}
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

	/* A late sample is added to the next interval. */
	if (!s->count || (s32)(number - s->number) > 0)
		mptun_sbd_begin(s, number, delay);
	s->sum += (s32)(delay - s->first);
	s->count++;
}

/**
 * mptun_sbd_sample() - add the one-way delay of a packet
 * @all: the paths of the tunnel
 * @b: the path of the packet
 * @sent_ns: send time, our clock
 * @arrival_us: arrival time, the peer's clock, low 32 bits
 */
void mptun_sbd_sample(struct mptun_sbd *all,
		      struct mptun_sbd_path *b, u64 sent_ns,
		      u32 arrival_us)
{
	u64 sent_us = div_u64(sent_ns, NSEC_PER_USEC);
	u32 delay = arrival_us - (u32)sent_us;

	if (!all->measured) {
		all->measured = true;
		all->zero = delay;
	}
	mptun_sbd_add(&b->sent, sent_us, delay);
	/* The offset is arbitrary, but equal for all paths and not negative. */
	mptun_sbd_add(&b->arrived, sent_us + BIT_ULL(32) +
		      (s32)(delay - all->zero), delay);
}

/* Compares the intervals known of both, from the newest common one on. */
VISIBLE_IF_KUNIT enum mptun_sbd_verdict
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

static bool mptun_sbd_recent(const struct mptun_sbd_path *b, u64 now)
{
	return b->compared && now < b->compared_ns + MPTUN_SBD_KEEP_NS;
}

/* Returns true if two paths belong to one group. */
static bool mptun_sbd_linked(struct mptun_sbd_path *a,
			     struct mptun_sbd_path *b, u64 now)
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

/* Joins two groups under the lower number. */
static void mptun_sbd_unite(struct mptun_sbd *all, u32 a, u32 b)
{
	struct mptun_sbd_path *p;

	if (a == b)
		return;
	list_for_each_entry(p, &all->paths, list)
		if (p->found == max(a, b))
			p->found = min(a, b);
}

/* Adopts a result that has been stable long enough. */
static bool mptun_sbd_follow(struct mptun_sbd_path *b)
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
 * mptun_sbd_run() - update the groups if it is time
 * @all: the paths of a tunnel
 * @now: time in ns
 *
 * Return: true if a path changed its group.
 */
bool mptun_sbd_run(struct mptun_sbd *all, u64 now)
{
	struct mptun_sbd_path *a, *b;
	bool changed = false;

	if (now < all->next_ns || list_empty(&all->paths))
		return false;
	all->next_ns = now + MPTUN_SBD_INTERVAL_US * NSEC_PER_USEC;
	list_for_each_entry(a, &all->paths, list) {
		a->found = a->number;
		list_for_each_entry(b, &all->paths, list) {
			if (b == a)
				break;
			if (mptun_sbd_linked(a, b, now))
				mptun_sbd_unite(all, a->found, b->found);
		}
	}
	list_for_each_entry(a, &all->paths, list)
		changed |= mptun_sbd_follow(a);
	return changed;
}
