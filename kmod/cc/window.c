// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parts shared by controllers whose window grows until packets are lost (RFC
 * 5681 and 6582 as restated in RFC 9002), and "newreno", which adds nothing but
 * halving.
 *
 *	slow start ---- delay rises ----> conservative slow start
 *	    |  ^                               |       |
 *	    |  `------- delay falls -----------'  5 rounds
 *	    |                                          v
 *	    `------------ loss, mark --------> congestion avoidance
 *
 * Slow start adds what is acknowledged and so doubles per round trip.
 * Controllers differ in the growth in congestion avoidance (newreno: a packet
 * per window) and in the reduction after a congestion event.  Packets sent
 * before the reduction add nothing.  Persistent congestion restarts with two
 * packets.
 *
 * HyStart++ (RFC 9406) leaves the first slow start when a queue builds up
 * instead of when it overflows: if the round-trip time is an eighth (4 to 16
 * ms) above the smallest of the previous round, the window grows at a quarter
 * of the speed, and linearly after five such rounds.  Two differences:
 *
 *  - The RFC takes the minimum of at least 8 samples of a round.  Our peer
 *    sends at most 8 reports per round trip: by then the round is over and the
 *    window has doubled again.  The minimum of the last three samples follows
 *    the queue while it grows.
 *  - Five rounds of conservative slow start still triple the window.  It also
 *    ends after a whole round that much above its start: that queue is
 *    persistent.
 *
 * Simulated with a buffer of 100 ms and a path of 40 ms at 20 Mbit/s, the RFC
 * overshoots the capacity of both by 27 % and loses some 60 packets at the
 * start, this 3 % and 2 packets (test/cc/sim_test.c).
 *
 * The window grows only while it limits the sender (as in RFC 7661): a window
 * never filled was never tested.  With as few as eight reports per round trip,
 * a window counts as filled a few packets below its size, in slow start from
 * half of it.
 *
 * A reduction whose losses all prove spurious was caused by reordering and is
 * undone, as Linux TCP does with DSACK.
 *
 * Pacing spreads the window over the round trip: at twice its rate in slow
 * start, so that it can double, then at 5/4, so that the window is the limit
 * and not the pacer.
 *
 * Units: bytes, microseconds for round-trip times, ns for points in time.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/window.h"

/* Pacing in percent of a window per round-trip time. */
#define MPTUN_WINDOW_PACE_START		200
#define MPTUN_WINDOW_PACE_AVOID		125

/* A window with less room than this many packets is full. */
#define MPTUN_WINDOW_SLACK_PACKETS	3

/* HyStart++: values of RFC 9406, section 4.3, except for the samples. */
#define MPTUN_WINDOW_RTT_THRESH_MIN_US	4000U
#define MPTUN_WINDOW_RTT_THRESH_MAX_US	16000U
#define MPTUN_WINDOW_RTT_DIVISOR	8
#define MPTUN_WINDOW_CSS_DIVISOR	4
#define MPTUN_WINDOW_CSS_ROUNDS		5

static_assert(sizeof(struct mptun_window) <=
	      sizeof_field(struct mptun_cc, priv));

static bool mptun_window_slow_start(const struct mptun_cc *cc)
{
	return cc->cwnd < cc->ssthresh;
}

/**
 * mptun_window_pace() - spread the window over the round trip
 * @cc: congestion state
 * @rtt: round-trip time of the path
 */
void mptun_window_pace(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	cc->pacing_rate =
		mptun_cc_window_rate(cc, rtt, mptun_window_slow_start(cc) ?
				     MPTUN_WINDOW_PACE_START :
				     MPTUN_WINDOW_PACE_AVOID);
}

/**
 * mptun_window_reset() - restart with an unknown path
 * @cc: congestion state
 */
void mptun_window_reset(struct mptun_cc *cc)
{
	cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
}

/**
 * mptun_window_on_rtt() - process a round-trip sample
 * @cc: congestion state
 * @rtt: round-trip time of the path
 */
void mptun_window_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	mptun_window_priv(cc)->sample_us = rtt->latest_us;
	mptun_window_pace(cc, rtt);
}

/* Round-trip time that is clearly above @rtt_us. */
static u32 mptun_window_limit(u32 rtt_us)
{
	return rtt_us + clamp(rtt_us / MPTUN_WINDOW_RTT_DIVISOR,
			      MPTUN_WINDOW_RTT_THRESH_MIN_US,
			      MPTUN_WINDOW_RTT_THRESH_MAX_US);
}

/* Returns the smallest of the last samples, 0 if there are too few. */
static u32 mptun_window_recent(struct mptun_window *w)
{
	u32 least = U32_MAX;
	int i;

	for (i = MPTUN_WINDOW_RTT_SAMPLES - 1; i > 0; i--) {
		w->recent_us[i] = w->recent_us[i - 1];
		least = min(least, w->recent_us[i]);
	}
	w->recent_us[0] = w->sample_us;
	if (!w->round_min_us || w->sample_us < w->round_min_us)
		w->round_min_us = w->sample_us;
	least = min(least, w->sample_us);
	w->sample_us = 0;
	return least;
}

/* HyStart++ (RFC 9406).  A round ends when a packet sent after its start is
 * acknowledged.
 */
static void mptun_window_hystart(struct mptun_cc *cc,
				 const struct mptun_cc_ack *ack)
{
	struct mptun_window *w = mptun_window_priv(cc);
	u32 recent;

	if (ack->newest_sent_ns >= w->round_ns) {
		w->round_ns = ack->now;
		w->last_min_us = w->round_min_us;
		w->round_min_us = 0;
		if (w->css &&
		    (++w->css_rounds >= MPTUN_WINDOW_CSS_ROUNDS ||
		     w->last_min_us >= mptun_window_limit(w->css_min_us)))
			cc->ssthresh = cc->cwnd;
	}
	if (!w->sample_us)
		return;
	recent = mptun_window_recent(w);
	if (w->css) {
		if (recent < w->css_min_us)
			w->css = false;
		return;
	}
	if (w->last_min_us &&
	    recent >= mptun_window_limit(w->last_min_us)) {
		w->css = true;
		w->css_rounds = 0;
		w->css_min_us = recent;
	}
}

/**
 * mptun_window_undo() - undo a reduction whose losses were spurious
 * @cc: congestion state
 * @ack: packets acknowledged
 *
 * Return: true if the last reduction was undone now.
 */
bool mptun_window_undo(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
{
	struct mptun_window *w = mptun_window_priv(cc);

	if (ack->ce) {
		w->undo_cwnd = 0;
		w->undo_lost = 0;
	}
	if (!ack->spurious || !w->undo_lost)
		return false;

	w->undo_lost -= min(w->undo_lost, ack->spurious);
	if (w->undo_lost)
		return false;
	cc->cwnd = max(cc->cwnd, w->undo_cwnd);
	cc->ssthresh = max(cc->ssthresh, w->undo_ssthresh);
	return true;
}

/**
 * mptun_window_filled() - check whether the window limited the sender
 * @cc: congestion state
 * @ack: packets acknowledged
 *
 * Return: true if it did, so the window may grow.
 */
bool mptun_window_filled(const struct mptun_cc *cc,
			 const struct mptun_cc_ack *ack)
{
	u64 slack = (u64)cc->mss * MPTUN_WINDOW_SLACK_PACKETS;

	if (ack->window_limited || ack->prior_in_flight + slack >= cc->cwnd)
		return true;
	return mptun_window_slow_start(cc) &&
	       ack->prior_in_flight > cc->cwnd / 2;
}

/**
 * mptun_window_start() - slow start
 * @cc: congestion state
 * @ack: packets acknowledged
 *
 * Return: bytes for congestion avoidance; 0 in slow start, in recovery, and
 * while the window is not filled.
 */
u32 mptun_window_start(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
{
	u32 divisor = 1;
	u32 step;

	if (cc->ssthresh == MPTUN_CC_SSTHRESH_NONE)
		mptun_window_hystart(cc, ack);

	if (ack->newest_sent_ns <= cc->recovery_ns ||
	    !mptun_window_filled(cc, ack))
		return 0;
	if (!mptun_window_slow_start(cc))
		return ack->bytes;
	if (mptun_window_priv(cc)->css)
		divisor = MPTUN_WINDOW_CSS_DIVISOR;
	step = min(ack->bytes / divisor, cc->ssthresh - cc->cwnd);
	cc->cwnd += step;
	return mptun_window_slow_start(cc) ? 0 : ack->bytes - step * divisor;
}

/**
 * mptun_window_avoid() - grow by a packet per @per_packet bytes acknowledged
 * @cc: congestion state
 * @bytes: bytes acknowledged
 * @per_packet: bytes per packet of growth, not 0
 */
void mptun_window_avoid(struct mptun_cc *cc, u32 bytes, u64 per_packet)
{
	struct mptun_window *w = mptun_window_priv(cc);
	u64 credit = w->credit + (u64)bytes;
	u64 packets = div64_u64(credit, per_packet);

	w->credit = min_t(u64, credit - packets * per_packet, U32_MAX);
	cc->cwnd = min_t(u64, cc->cwnd + packets * cc->mss,
			 mptun_cc_max_window(cc));
}

/**
 * mptun_window_on_ack() - grow by a packet per window acknowledged
 * @cc: congestion state
 * @ack: packets acknowledged
 *
 * Counts bytes (RFC 3465).
 */
void mptun_window_on_ack(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
{
	u32 bytes;

	mptun_window_undo(cc, ack);
	bytes = mptun_window_start(cc, ack);
	if (bytes)
		mptun_window_avoid(cc, bytes, cc->cwnd);
	mptun_window_pace(cc, ack->rtt);
}

/**
 * mptun_window_cut() - reduce the window after a congestion event
 * @cc: congestion state
 * @part: numerator of the part kept
 * @whole: denominator
 */
void mptun_window_cut(struct mptun_cc *cc, u32 part, u32 whole)
{
	struct mptun_window *w = mptun_window_priv(cc);
	u32 rest = div_u64((u64)cc->cwnd * part, whole);

	w->undo_cwnd = cc->cwnd;
	w->undo_ssthresh = cc->ssthresh;
	w->undo_lost = 0;
	w->credit = 0;
	w->css = false;
	cc->ssthresh = max(rest, mptun_cc_min_window(cc));
	cc->cwnd = cc->ssthresh;
}

/**
 * mptun_window_on_loss() - count losses for a possible undo
 * @cc: congestion state
 * @loss: packets lost
 */
void mptun_window_on_loss(struct mptun_cc *cc,
			  const struct mptun_cc_loss *loss)
{
	struct mptun_window *w = mptun_window_priv(cc);

	if (w->undo_cwnd)
		w->undo_lost += loss->packets;
	mptun_window_pace(cc, loss->rtt);
}

/**
 * mptun_window_on_persistent() - restart after persistent congestion
 * @cc: congestion state
 */
void mptun_window_on_persistent(struct mptun_cc *cc)
{
	struct mptun_window *w = mptun_window_priv(cc);

	cc->cwnd = mptun_cc_min_window(cc);
	w->undo_cwnd = 0;
	w->undo_lost = 0;
	w->credit = 0;
}

static void mptun_newreno_on_event(struct mptun_cc *cc)
{
	mptun_window_cut(cc, 1, 2);
}

const struct mptun_cc_ops mptun_cc_newreno = {
	.name		= "newreno",
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_window_on_ack,
	.on_event	= mptun_newreno_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};
