// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Bad paths: paths that carry so little that they are not worth using.
 *
 * After PSMC (Cai 2005, section 4.3): a path whose metric is below a tenth of
 * the average of the others (here 1/park, a twentieth by default) gets no new
 * packets. It would cost the flows that use it more, by its losses and its
 * latency, than it adds.
 *
 * The metric is the number of bytes the peer acknowledged on a path in an
 * interval in which the tunnel had more to send than its paths could carry. It
 * includes loss, and the round-trip time as far as the window did not make up
 * for it. A long round-trip time alone is no reason: a high-latency path can
 * have a high rate, and sched/detour.c judges those with too much latency.
 * Each end judges the direction it sends in, by what the other end received.
 *
 * An interval does not count for a path that was idle in part of it, nor for
 * one that delivered clearly more than in the interval before: its window is
 * still growing, as after a start.
 *
 *	    bad in 3 intervals running		    time has passed
 *	used -----------------------> suspended --------------------> tried
 *	  ^				  ^				|  |
 *	  |				  +-----------------------------+  |
 *	  |				    bad again, or timeout	   |
 *	  +----------------------------------------------------------------+
 *			    twice as good as bad, in 2 intervals running
 *
 * User space sees such a path, until it is used again, as parked.
 *
 * A path on trial carries copies of packets that leave on other paths. That is
 * a full load no flow waits for, while pings would only prove that the path
 * works. Each failed trial doubles the time until the next one.
 *
 * The best path is never bad, as it is not below the average of the others.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/trial.h"

/* Growth is more than a quarter above the interval before. */
#define MPTUN_BAD_GROWTH_SHIFT	2

/**
 * mptun_bad_reset() - reset a path
 * @b: the path
 * @acked: bytes it has delivered so far
 * @now: time in ns
 */
void mptun_bad_reset(struct mptun_bad *b, u64 acked, u64 now)
{
	memset(b, 0, sizeof(*b));
	b->acked = acked;
	b->since_ns = now;
}

/**
 * mptun_bad_measure() - take the bytes a path delivered in an interval
 * @b: the path
 * @acked: bytes it has delivered so far
 * @sum: what the paths in use delivered, to which this is added
 */
void mptun_bad_measure(struct mptun_bad *b, u64 acked,
		       struct mptun_bad_sum *sum)
{
	u64 got = acked - b->acked;

	b->growing = got > b->got + (b->got >> MPTUN_BAD_GROWTH_SHIFT);
	b->got = got;
	b->acked = acked;
	if (b->state != MPTUN_BAD_USED)
		return;
	sum->bytes += got;
	sum->paths++;
}

/* Tests for less than 1/@part of the average of the other paths. */
static bool mptun_bad_below(const struct mptun_bad *b,
			    const struct mptun_bad_sum *sum, u32 part)
{
	u64 others = sum->bytes;
	u32 paths = sum->paths;

	if (b->state == MPTUN_BAD_USED) {
		others -= b->got;
		paths--;
	}
	/* Cannot overflow below 2^53 bytes per interval. */
	return paths && b->got * part * paths < others;
}

static void mptun_bad_set(struct mptun_bad *b, enum mptun_bad_state state,
			  u64 now)
{
	b->state = state;
	b->strikes = 0;
	b->good = 0;
	b->rounds = 0;
	b->since_ns = now;
}

/* Tests whether the state is at least @ms old. */
static bool mptun_bad_lasted(const struct mptun_bad *b, u32 ms, u64 now)
{
	return now - b->since_ns >= ms * (u64)NSEC_PER_MSEC;
}

/* Suspends a path and sets the time until its next trial. */
static void mptun_bad_park(struct mptun_bad *b, u64 now)
{
	if (!b->retry_ms ||
	    (b->state == MPTUN_BAD_USED &&
	     mptun_bad_lasted(b, MPTUN_BAD_FORGET_MS, now)))
		b->retry_ms = MPTUN_BAD_RETRY_MIN_MS;
	else
		b->retry_ms = min(2 * b->retry_ms, MPTUN_BAD_RETRY_MAX_MS);
	mptun_bad_set(b, MPTUN_BAD_PARKED, now);
}

/* Applies a margin, or a path that returns would be suspended at once. */
static bool mptun_bad_judge_tried(struct mptun_bad *b,
				  const struct mptun_bad_sum *sum, u32 part,
				  u64 now)
{
	part = max(part / MPTUN_BAD_MARGIN, 1U);
	b->rounds++;
	if (!mptun_bad_below(b, sum, part)) {
		b->strikes = 0;
		if (++b->good < MPTUN_BAD_GOOD)
			return false;
		mptun_bad_set(b, MPTUN_BAD_USED, now);
		return true;
	}
	b->good = 0;
	if (!b->idle && !b->growing)
		b->strikes++;
	if (b->strikes >= MPTUN_BAD_FAILS || b->rounds >= MPTUN_BAD_ROUNDS)
		mptun_bad_park(b, now);
	return false;
}

/**
 * mptun_bad_judge() - update the state of a path after an interval
 * @b: the path, measured
 * @sum: what the paths in use delivered, this one among them
 * @part: the path is bad below 1/@part of the average of the others
 * @now: time in ns
 *
 * For intervals in which the tunnel had more to send than it could.
 *
 * Return: true if the path has just been suspended or is used again.
 */
bool mptun_bad_judge(struct mptun_bad *b, const struct mptun_bad_sum *sum,
		     u32 part, u64 now)
{
	bool changed = false;

	switch (b->state) {
	case MPTUN_BAD_USED:
		if (!mptun_bad_below(b, sum, part)) {
			b->strikes = 0;
		} else if (!b->idle && !b->growing &&
			   ++b->strikes >= MPTUN_BAD_STRIKES) {
			mptun_bad_park(b, now);
			changed = true;
		}
		break;
	case MPTUN_BAD_PARKED:
		/* The next interval is the first of its trial. */
		if (mptun_bad_lasted(b, b->retry_ms, now))
			mptun_bad_set(b, MPTUN_BAD_TRIED, now);
		break;
	case MPTUN_BAD_TRIED:
		changed = mptun_bad_judge_tried(b, sum, part, now);
		break;
	}
	b->idle = false;
	return changed;
}

/**
 * mptun_bad_skip() - skip an interval in which there was too little to send
 * @b: the path, measured
 * @now: time in ns
 *
 * A trial ends, and the next one starts once there is enough to send.
 */
void mptun_bad_skip(struct mptun_bad *b, u64 now)
{
	b->idle = false;
	if (b->state == MPTUN_BAD_TRIED) {
		mptun_bad_set(b, MPTUN_BAD_PARKED, now);
		b->since_ns -= min(now, b->retry_ms * (u64)NSEC_PER_MSEC);
	}
}
