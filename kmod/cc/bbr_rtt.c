// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": what round-trip times tell
 * (draft-ietf-ccwg-bbr-06, section 5.5).
 *
 * The model: the round-trip time of a path without a queue is the smallest of
 * the last 10 s.  Above it there are queues, of our own and of others.  That a
 * route has become longer, or a link slower, looks like a queue as well, but
 * comes within one round trip and stays.
 *
 * Units: microseconds for round-trip times, ns for points in time.
 */
#include <linux/minmax.h>

#include "cc/bbr.h"

/* How long the smallest round-trip time is remembered (MinRTTFilterLen), and
 * how long it may go unseen (ProbeRTTInterval).
 */
#define MPTUN_BBR_MIN_RTT_NS		(10ULL * NSEC_PER_SEC)
#define MPTUN_BBR_PROBE_RTT_NS		(5ULL * NSEC_PER_SEC)

/* A round-trip time that is above the smallest by less is as good. */
#define MPTUN_BBR_SAME_RTT_SHIFT	5

/* Timers and reports blur round-trip times by as much. */
#define MPTUN_BBR_RTT_NOISE_US		4000U

/* Round trips are about as long as the smallest one up to a quarter more, and
 * clearly longer from a half more on.  So many of these in a row are no burst
 * of others.
 */
#define MPTUN_BBR_RTT_LOW_SHIFT		2
#define MPTUN_BBR_RTT_HIGH_SHIFT		1
#define MPTUN_BBR_RTT_HIGH_ROUNDS		4U

/* What the last round trips were, beside the smallest: each further one that is
 * clearly longer counts one more.
 */
enum mptun_bbr_climb {
	MPTUN_BBR_CLIMB_SLOW,	/* longer, and slowly so */
	MPTUN_BBR_CLIMB_NONE,		/* about as long */
	MPTUN_BBR_CLIMB_BEGUN,	/* about as long, but for the last one */
	MPTUN_BBR_CLIMB_STEP,		/* about as long, and then clearly longer */
};

static bool mptun_bbr_rtt_low(const struct mptun_bbr *b, u32 rtt_us)
{
	return rtt_us <= b->min_rtt_us +
			 (b->min_rtt_us >> MPTUN_BBR_RTT_LOW_SHIFT);
}

static bool mptun_bbr_rtt_high(const struct mptun_bbr *b, u32 rtt_us)
{
	return rtt_us >= b->min_rtt_us +
			 (b->min_rtt_us >> MPTUN_BBR_RTT_HIGH_SHIFT) +
			 MPTUN_BBR_RTT_NOISE_US;
}

/* How did round trips become longer?  A queue of others comes slowly. */
static u8 mptun_bbr_next_climb(const struct mptun_bbr *b, u32 rtt_us)
{
	if (mptun_bbr_rtt_low(b, rtt_us))
		return MPTUN_BBR_CLIMB_NONE;
	if (!mptun_bbr_rtt_high(b, rtt_us))
		return b->climb == MPTUN_BBR_CLIMB_NONE ?
		       MPTUN_BBR_CLIMB_BEGUN : MPTUN_BBR_CLIMB_SLOW;
	if (b->climb == MPTUN_BBR_CLIMB_SLOW)
		return MPTUN_BBR_CLIMB_SLOW;
	return max_t(u8, b->climb + 1, MPTUN_BBR_CLIMB_STEP);
}

/* Has something changed?  Round trips that are longer all of a sudden, and stay
 * so, mean that the route has become longer or the link slower.  With the draft
 * a longer route is known after 10 s, and until then the window is a fraction
 * of what it takes; a slower link is known after two probes, and has a queue
 * until then.  With little in flight it shows which of both it is.
 */
static bool mptun_bbr_update_change(struct mptun_bbr *b,
				    const struct mptun_rate_sample *s,
				    u32 rtt_us)
{
	if (b->round_start && b->round_rtt_us) {
		b->climb = mptun_bbr_next_climb(b, b->round_rtt_us);
		b->round_rtt_us = 0;
	}
	if (rtt_us && (!b->round_rtt_us || rtt_us < b->round_rtt_us))
		b->round_rtt_us = rtt_us;
	/* in the first of them there is something of the time before */
	if (b->climb > MPTUN_BBR_CLIMB_STEP)
		b->step_bw = max(b->step_bw, min(s->rate, MPTUN_BBR_BW_MAX));
	else if (!b->moved)
		b->step_bw = 0;
	if (b->climb < MPTUN_BBR_CLIMB_STEP + MPTUN_BBR_RTT_HIGH_ROUNDS - 1)
		return false;
	b->climb = MPTUN_BBR_CLIMB_SLOW;
	return b->full_reached && b->state != MPTUN_BBR_PROBE_RTT;
}

/**
 * mptun_bbr_update_moved() - what was behind round trips that became longer?
 * @b: private data, little has been in flight for a while
 * @now: time in ns
 */
void mptun_bbr_update_moved(struct mptun_bbr *b, u64 now)
{
	if (!b->moved)
		return;
	b->moved = false;
	if (mptun_bbr_rtt_low(b, b->probe_rtt_min_us) && b->step_bw) {
		b->max_bw[0] = min(b->max_bw[0], b->step_bw);
		b->max_bw[1] = min(b->max_bw[1], b->step_bw);
	}
	b->min_rtt_us = b->probe_rtt_min_us;
	b->min_rtt_ns = now;
}

/**
 * mptun_bbr_update_rtt() - take in what samples of the round-trip time say
 * @b: private data
 * @s: the round trip that the acknowledgment ends
 * @now: time in ns
 *
 * The draft looks for the round-trip time whenever no smaller one was seen for
 * 5 s.  One that is as small shows as well that the queue is empty now and then
 * and saves the search.  It does not become the smallest, so that many small
 * steps up are seen as what they are.
 */
void mptun_bbr_update_rtt(struct mptun_bbr *b,
			  const struct mptun_rate_sample *s, u64 now)
{
	u32 rtt_us = b->rtt_us;
	u32 same;

	b->rtt_us = 0;
	b->rtt_expired = b->probe_rtt_min_us &&
			 now > b->probe_rtt_min_ns + MPTUN_BBR_PROBE_RTT_NS;
	if (mptun_bbr_update_change(b, s, rtt_us)) {
		b->rtt_expired = true;
		b->moved = true;
	}
	if (rtt_us) {
		same = b->probe_rtt_min_us +
		       (b->probe_rtt_min_us >> MPTUN_BBR_SAME_RTT_SHIFT);
		if (!b->probe_rtt_min_us || b->rtt_expired ||
		    rtt_us < b->probe_rtt_min_us) {
			b->probe_rtt_min_us = rtt_us;
			b->probe_rtt_min_ns = now;
		} else if (rtt_us <= same) {
			b->probe_rtt_min_ns = now;
		}
	}
	if (!b->probe_rtt_min_us)
		return;
	if (!b->min_rtt_us || b->probe_rtt_min_us <= b->min_rtt_us ||
	    now > b->min_rtt_ns + MPTUN_BBR_MIN_RTT_NS) {
		b->min_rtt_us = b->probe_rtt_min_us;
		b->min_rtt_ns = b->probe_rtt_min_ns;
	}
}
