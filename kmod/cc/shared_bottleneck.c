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
 * a constant, which is the same for all paths.  For each path the mean delay of
 * intervals of 100 ms is kept.  For two paths x and y, with X and Y the
 * deviations of these delays from their mean over the last 128 intervals,
 *
 *	sum of (X - Y)^2 / sum of (X^2 + Y^2)
 *
 * is 0 for equal queues and 1 for independent ones.  Drift of the clocks has no
 * part in X - Y.  A trend of X^2 and Y^2 is removed by linear regression, as it
 * may be drift.
 *
 * Unlike a correlation the quotient is small only for deviations of equal size,
 * too: paths that one flow fills and drains together have queues of different
 * sizes.  A scheduler that picks the path with the earliest arrival also aligns
 * them where windows are large and queues long.  Separate links of 8 and 5
 * Mbit/s had 0.025 to 1.4 (5th percentile 0.06), two paths over one of them
 * 0.001 to 0.02, of 1500 each.  So paths are alike up to 0.03 and different
 * from 0.06 on; in between, with few intervals or small deviations, the result
 * stays as it is.  Changes from one interval to the next instead of deviations
 * do not separate these (0.02 to 0.6, 0.001 to 0.16): they double the error of
 * a mean of few packets, and suppress what lasts longer than an interval.
 *
 * Packets that meet in a queue at the sender were sent at the same time;
 * those that meet at the receiver arrive at the same time.  If one path is 50
 * ms longer or more these differ.  So each path has two series, and the more
 * significant pair counts.
 *
 * Groups are unions of paths that are alike.  A path joins or leaves a group
 * after as long as intervals are kept: the start of a flow, which fills all
 * queues at once, or a step in the length of one path is forgotten by then.  A
 * path without new samples keeps its group for a minute.
 *
 * Limitation: equal links used in lockstep by bursts of seconds look like one.
 *
 * Cost: two additions per report; per pair and series 128 times 6
 * multiplications a second.
 *
 * Units: us and 16 us for delays, ns for points in time.
 */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "cc/shared_bottleneck.h"

/* Delays are compared in 16 us, up to 16 s from one of them. */
#define MPTUN_SBD_SHIFT		4
#define MPTUN_SBD_DELAY_MAX	((s32)BIT(20) - 1)

/* No packet in an interval; a mean delay of 0 is kept as 1 us. */
#define MPTUN_SBD_NONE		0U

/* Intervals that must be known of both paths. */
#define MPTUN_SBD_COMMON	32U

/* Deviations below half a millisecond (root mean square) are no relevant
 * queue.
 */
#define MPTUN_SBD_DEVIATION_MIN	(500U >> MPTUN_SBD_SHIFT)

/* Upper limit of the quotient if alike, lower limit if different, in
 * hundredths.
 */
#define MPTUN_SBD_ALIKE		3U
#define MPTUN_SBD_UNLIKE	6U

/* Time between comparisons, and how many in succession change a group: these
 * take as long as intervals are kept.
 */
#define MPTUN_SBD_LOOK_NS	NSEC_PER_SEC
#define MPTUN_SBD_LOOKS		(1 + MPTUN_SBD_INTERVALS * \
				 MPTUN_SBD_INTERVAL_US / USEC_PER_SEC)

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

static void mptun_sbd_store(struct mptun_sbd_series *s, u32 number, u32 delay)
{
	s->delay[number % MPTUN_SBD_INTERVALS] = delay;
}

static u32 mptun_sbd_mean(const struct mptun_sbd_series *s)
{
	if (!s->count)
		return MPTUN_SBD_NONE;
	return max(s->first + (u32)div_s64(s->sum, s->count), 1U);
}

/* Ends an interval and begins another one. */
static void mptun_sbd_begin(struct mptun_sbd_series *s, u32 number, u32 delay)
{
	u32 at = s->number;

	if (number - at > MPTUN_SBD_INTERVALS) {
		memset(s->delay, 0, sizeof(s->delay));
	} else {
		mptun_sbd_store(s, at++, mptun_sbd_mean(s));
		for (; (s32)(number - at) > 0; at++)
			mptun_sbd_store(s, at, MPTUN_SBD_NONE);
	}
	s->number = number;
	s->first = delay;
	s->count = 0;
	s->sum = 0;
}

static void mptun_sbd_add(struct mptun_sbd_series *s, u64 time_us, u32 delay)
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

/* Sums over the intervals that are known of two series. */
struct mptun_sbd_sums {
	s64 n;
	s64 at;
	s64 at_at;
	s64 x;
	s64 x_at;
	s64 x_x;
	s64 y;
	s64 y_at;
	s64 y_y;
	s64 differ_differ;
};

/* Clocks may differ by any time, and by more each day: only the distance from
 * another delay of both paths means anything.
 */
static s64 mptun_sbd_distance(u32 delay, u32 other)
{
	return clamp((s32)(delay - other) >> MPTUN_SBD_SHIFT,
		     -MPTUN_SBD_DELAY_MAX, MPTUN_SBD_DELAY_MAX);
}

static void mptun_sbd_sum(struct mptun_sbd_sums *sums,
			  const struct mptun_sbd_series *x,
			  const struct mptun_sbd_series *y)
{
	u32 ahead = x->number - y->number, at, dx, dy, base = 0;
	s64 a, b;

	memset(sums, 0, sizeof(*sums));
	/* from the oldest interval kept of x, the newer one, to y's newest */
	for (at = ahead; at < MPTUN_SBD_INTERVALS; at++) {
		dx = x->delay[(y->number + at) % MPTUN_SBD_INTERVALS];
		dy = y->delay[(y->number + at) % MPTUN_SBD_INTERVALS];
		if (dx == MPTUN_SBD_NONE || dy == MPTUN_SBD_NONE)
			continue;
		if (!sums->n)
			base = dx;
		a = mptun_sbd_distance(dx, base);
		b = mptun_sbd_distance(dy, base);
		sums->n++;
		sums->at += at;
		sums->at_at += at * at;
		sums->x += a;
		sums->x_at += a * at;
		sums->x_x += a * a;
		sums->y += b;
		sums->y_at += b * at;
		sums->y_y += b * b;
		sums->differ_differ += (a - b) * (a - b);
	}
}

/* Sum of the products of the deviations of two values, which are at most 2^21,
 * from the sums of each and of their products.
 */
static s64 mptun_sbd_products(s64 ab, s64 a, s64 b, s64 n)
{
	return ab - div64_s64(a * b, n);
}

/* The sum of squares @aa without its trend over time. */
static u64 mptun_sbd_steady(u64 aa, s64 a_at, u64 at_at)
{
	u64 trend = abs(a_at);

	/* at most @aa (Cauchy and Schwarz), so 2^47, times 2^7 for precision */
	trend = trend * div64_u64(trend << 7, at_at) >> 7;
	return aa - min(aa, trend);
}

/* Compares the delays of the intervals that are known of both. */
VISIBLE_IF_KUNIT enum mptun_sbd_verdict
mptun_sbd_compare(const struct mptun_sbd_series *x,
		  const struct mptun_sbd_series *y)
{
	struct mptun_sbd_sums s;
	u64 differ, total, at_at;

	if ((s32)(x->number - y->number) < 0)
		swap(x, y);
	mptun_sbd_sum(&s, x, y);
	if (s.n < MPTUN_SBD_COMMON)
		return MPTUN_SBD_UNKNOWN;
	at_at = mptun_sbd_products(s.at_at, s.at, s.at, s.n);
	differ = mptun_sbd_products(s.differ_differ, s.x - s.y, s.x - s.y, s.n);
	total = mptun_sbd_steady(mptun_sbd_products(s.x_x, s.x, s.x, s.n),
				 mptun_sbd_products(s.x_at, s.x, s.at, s.n),
				 at_at) +
		mptun_sbd_steady(mptun_sbd_products(s.y_y, s.y, s.y, s.n),
				 mptun_sbd_products(s.y_at, s.y, s.at, s.n),
				 at_at);
	if (total < 2 * s.n * MPTUN_SBD_DEVIATION_MIN * MPTUN_SBD_DEVIATION_MIN)
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
	all->next_ns = now + MPTUN_SBD_LOOK_NS;
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
