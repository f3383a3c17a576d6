// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Bad paths: which paths carry so little that they are better left alone.
 *
 * After PSMC (Cai 2005, section 4.3): a path whose metric is under a tenth of
 * the average of the other ones is not used for new packets.  What it could add
 * is less than what its losses and its delay cost the flows that use it.
 *
 * The metric: bytes that a path delivered, as the peer acknowledged them, in an
 * interval in which the tunnel had more to send than its paths could carry.
 * So loss is in it, and the round-trip time as far as the window did not make
 * up for it.  A round-trip time alone parks nothing: a far path can be a thick
 * one, and one that is too far is left out by the scheduler.  Each end judges
 * the direction in which it sends, by what the other end received.
 *
 * Nothing is concluded from an interval in which a path had not always
 * something to carry, and none from one that delivered clearly more than the
 * interval before: its window is still growing, as after a start.
 *
 *	    bad in 3 intervals running		    time has passed
 *	used -------------------------> parked ---------------------> tried
 *	  ^				  ^				|  |
 *	  |				  +-----------------------------+  |
 *	  |				    bad again, or late		   |
 *	  +----------------------------------------------------------------+
 *			    twice as good as bad, in 2 intervals running
 *
 * A path that is tried carries copies of what leaves on other paths: a full
 * load, and no flow waits for it.  Pings would only tell that it is there.
 * Each trial that fails doubles the time until the next one.
 *
 * The best path is never bad: it is not under the average of the others.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/trial.h"

/* More than a quarter above the interval before is growth. */
#define MPTUN_BAD_GROWTH_SHIFT	2

/**
 * mptun_bad_reset() - nothing is known of a path
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
 * mptun_bad_measure() - an interval is over: what did a path deliver?
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

/* Did it deliver less than one part in @part of the average of the others? */
static bool mptun_bad_below(const struct mptun_bad *b,
			    const struct mptun_bad_sum *sum, u32 part)
{
	u64 others = sum->bytes;
	u32 paths = sum->paths;

	if (b->state == MPTUN_BAD_USED) {
		others -= b->got;
		paths--;
	}
	/* Below 2^53 bytes in an interval this cannot overflow. */
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

/* Has its state lasted for so long? */
static bool mptun_bad_lasted(const struct mptun_bad *b, u32 ms, u64 now)
{
	return now - b->since_ns >= ms * (u64)NSEC_PER_MSEC;
}

/* How long is it to be left alone? */
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

static bool mptun_bad_judge_used(struct mptun_bad *b,
				 const struct mptun_bad_sum *sum, u32 part,
				 u64 now)
{
	if (!mptun_bad_below(b, sum, part)) {
		b->strikes = 0;
		return false;
	}
	if (b->idle || b->growing || ++b->strikes < MPTUN_BAD_STRIKES)
		return false;
	mptun_bad_park(b, now);
	return true;
}

/* With a margin: what returns is not to be parked at once. */
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
 * mptun_bad_judge() - what is to become of a path after an interval?
 * @b: the path, measured
 * @sum: what the paths in use delivered, this one among them
 * @part: it is bad if it delivered less than one part in so many of the
 *	average of the others
 * @now: time in ns
 *
 * Of an interval in which the tunnel had more to send than it could.
 *
 * Return: true if the path is used no longer, or again.
 */
bool mptun_bad_judge(struct mptun_bad *b, const struct mptun_bad_sum *sum,
		     u32 part, u64 now)
{
	bool changed = false;

	switch (b->state) {
	case MPTUN_BAD_USED:
		changed = mptun_bad_judge_used(b, sum, part, now);
		break;
	case MPTUN_BAD_PARKED:
		/* The next interval is its first one. */
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
 * mptun_bad_rest() - an interval says nothing of a path
 * @b: the path, measured
 * @now: time in ns
 *
 * There was too little to send.  A trial ends, and the next one is due as soon
 * as there is more.
 */
void mptun_bad_rest(struct mptun_bad *b, u64 now)
{
	b->idle = false;
	if (b->state == MPTUN_BAD_TRIED) {
		mptun_bad_set(b, MPTUN_BAD_PARKED, now);
		b->since_ns -= min(now, b->retry_ms * (u64)NSEC_PER_MSEC);
	}
}
