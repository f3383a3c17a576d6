// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "newreno" (RFC 5681 and 6582 in the words of RFC 9002).
 *
 * The model:
 *
 *	slow start ---- delay rises ----> conservative slow start
 *	    |  ^                               |       |
 *	    |  `----- it was a blip -----------'  5 rounds
 *	    |                                          v
 *	    `------------ loss, mark --------> congestion avoidance
 *
 * Slow start adds what is acknowledged, so it doubles per round trip;
 * congestion avoidance adds a packet per window acknowledged (bytes are
 * counted, as in RFC 3465).  A new congestion event halves the window, which
 * is never below two packets.  What is acknowledged of packets sent before the
 * reduction adds nothing.  Persistent congestion begins again with two packets.
 *
 * HyStart++ (RFC 9406) leaves the first slow start when a queue builds up
 * instead of when it overflows: if the round-trip time is an eighth (4 to
 * 16 ms) above the least of the round before, the window grows at a quarter of
 * the speed, and linearly after five rounds of that.  Two details differ:
 *
 *  - The RFC takes the least of at least 8 samples of a round.  Our peer sends
 *    at most 8 reports per round trip, so that by then the round is over and
 *    the window has doubled once more.  The least of the last three samples
 *    sees the queue while it grows.
 *  - Five rounds of conservative slow start still triple the window.  It also
 *    ends when a whole round was as far again above its beginning: a blip
 *    would have passed, a queue that grows that long stays.
 *
 * Simulated with a buffer of 100 ms and a path of 40 ms at 20 Mbit/s, the RFC
 * overshoots what both hold by 27 % and loses some 60 packets at the start,
 * this 3 % and 2 packets; cc_sim_test.c has more of that.
 *
 * The window grows only while it limits the sender (the spirit of RFC 7661):
 * what was never filled has never been tested.  Reports may come as seldom as
 * eight times per round trip, so a window counts as filled a few packets below
 * its size, in slow start from half of it.
 *
 * A reduction whose losses all arrived after all was caused by reordering and
 * is taken back, as Linux TCP does with DSACK.
 *
 * Pacing spreads the window: at twice its rate in slow start, so that it can
 * double, and at 5/4 of it after, so that the window and not the pacer limits.
 *
 * Units: bytes, microseconds for round-trip times, ns for points in time.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc.h"

/* Pacing in percent of a window per round-trip time. */
#define MPTUN_NEWRENO_PACE_START	200
#define MPTUN_NEWRENO_PACE_AVOID	125

/* A window with less than so many packets of room is full. */
#define MPTUN_NEWRENO_SLACK_PACKETS	3

/* HyStart++: values of RFC 9406, section 4.3, but for the samples */
#define MPTUN_NEWRENO_RTT_THRESH_MIN_US	4000U
#define MPTUN_NEWRENO_RTT_THRESH_MAX_US	16000U
#define MPTUN_NEWRENO_RTT_DIVISOR	8
#define MPTUN_NEWRENO_RTT_SAMPLES	3
#define MPTUN_NEWRENO_CSS_DIVISOR	4
#define MPTUN_NEWRENO_CSS_ROUNDS	5

/**
 * struct mptun_newreno - private data
 * @round_ns: packets sent later belong to the next round
 * @last_min_us: smallest round-trip time of the last round, 0 if unknown
 * @round_min_us: smallest of this round, 0 if none yet
 * @css_min_us: round-trip time at which conservative slow start began
 * @sample_us: sample not yet taken into account, 0 if none
 * @recent_us: samples before that, newest first
 * @credit: bytes acknowledged in congestion avoidance, less than a window
 * @undo_cwnd: window before the last reduction, 0 if that had other reasons
 *	than losses and stays
 * @undo_ssthresh: slow start threshold before the last reduction
 * @undo_lost: packets lost since that have not arrived after all
 * @css_rounds: rounds of conservative slow start
 * @css: in conservative slow start
 */
struct mptun_newreno {
	u64 round_ns;
	u32 last_min_us;
	u32 round_min_us;
	u32 css_min_us;
	u32 sample_us;
	u32 recent_us[MPTUN_NEWRENO_RTT_SAMPLES];
	u32 credit;
	u32 undo_cwnd;
	u32 undo_ssthresh;
	u32 undo_lost;
	u8 css_rounds;
	bool css;
};

static_assert(sizeof(struct mptun_newreno) <=
	      sizeof_field(struct mptun_cc, priv));

static struct mptun_newreno *mptun_newreno(struct mptun_cc *cc)
{
	return (struct mptun_newreno *)cc->priv;
}

static bool mptun_newreno_slow_start(const struct mptun_cc *cc)
{
	return cc->cwnd < cc->ssthresh;
}

static void mptun_newreno_pace(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	cc->pacing_rate =
		mptun_cc_window_rate(cc, rtt, mptun_newreno_slow_start(cc) ?
				     MPTUN_NEWRENO_PACE_START :
				     MPTUN_NEWRENO_PACE_AVOID);
}

static void mptun_newreno_reset(struct mptun_cc *cc)
{
	cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
}

static void mptun_newreno_on_rtt(struct mptun_cc *cc,
				 const struct mptun_rtt *rtt)
{
	mptun_newreno(cc)->sample_us = rtt->latest_us;
	mptun_newreno_pace(cc, rtt);
}

/* From where on is a round-trip time clearly above this one? */
static u32 mptun_newreno_limit(u32 rtt_us)
{
	return rtt_us + clamp(rtt_us / MPTUN_NEWRENO_RTT_DIVISOR,
			      MPTUN_NEWRENO_RTT_THRESH_MIN_US,
			      MPTUN_NEWRENO_RTT_THRESH_MAX_US);
}

/* The round is over when a packet sent after its beginning is acknowledged. */
static void mptun_newreno_round(struct mptun_cc *cc,
				const struct mptun_cc_ack *ack)
{
	struct mptun_newreno *nr = mptun_newreno(cc);

	if (ack->newest_sent_ns < nr->round_ns)
		return;
	nr->round_ns = ack->now;
	nr->last_min_us = nr->round_min_us;
	nr->round_min_us = 0;
	if (!nr->css)
		return;
	if (++nr->css_rounds >= MPTUN_NEWRENO_CSS_ROUNDS ||
	    nr->last_min_us >= mptun_newreno_limit(nr->css_min_us))
		cc->ssthresh = cc->cwnd;
}

/* Returns the smallest of the last samples, 0 if there are too few. */
static u32 mptun_newreno_recent(struct mptun_newreno *nr)
{
	u32 least = U32_MAX;
	int i;

	for (i = MPTUN_NEWRENO_RTT_SAMPLES - 1; i > 0; i--) {
		nr->recent_us[i] = nr->recent_us[i - 1];
		least = min(least, nr->recent_us[i]);
	}
	nr->recent_us[0] = nr->sample_us;
	if (!nr->round_min_us || nr->sample_us < nr->round_min_us)
		nr->round_min_us = nr->sample_us;
	least = min(least, nr->sample_us);
	nr->sample_us = 0;
	return least;
}

/* HyStart++ */
static void mptun_newreno_hystart(struct mptun_cc *cc,
				  const struct mptun_cc_ack *ack)
{
	struct mptun_newreno *nr = mptun_newreno(cc);
	u32 recent;

	mptun_newreno_round(cc, ack);
	if (!nr->sample_us)
		return;
	recent = mptun_newreno_recent(nr);
	if (nr->css) {
		if (recent < nr->css_min_us)
			nr->css = false;
		return;
	}
	if (nr->last_min_us &&
	    recent >= mptun_newreno_limit(nr->last_min_us)) {
		nr->css = true;
		nr->css_rounds = 0;
		nr->css_min_us = recent;
	}
}

static void mptun_newreno_undo(struct mptun_cc *cc,
			       const struct mptun_cc_ack *ack)
{
	struct mptun_newreno *nr = mptun_newreno(cc);

	if (ack->ce) {
		nr->undo_cwnd = 0;
		nr->undo_lost = 0;
	}
	if (!ack->spurious || !nr->undo_lost)
		return;

	nr->undo_lost -= min(nr->undo_lost, ack->spurious);
	if (nr->undo_lost)
		return;
	cc->cwnd = max(cc->cwnd, nr->undo_cwnd);
	cc->ssthresh = max(cc->ssthresh, nr->undo_ssthresh);
}

static bool mptun_newreno_filled(const struct mptun_cc *cc,
				 const struct mptun_cc_ack *ack)
{
	u64 slack = (u64)cc->mss * MPTUN_NEWRENO_SLACK_PACKETS;

	if (ack->window_limited || ack->prior_in_flight + slack >= cc->cwnd)
		return true;
	return mptun_newreno_slow_start(cc) &&
	       ack->prior_in_flight > cc->cwnd / 2;
}

/* Returns the bytes that slow start left to congestion avoidance. */
static u32 mptun_newreno_start(struct mptun_cc *cc, u32 bytes)
{
	u32 divisor = 1;
	u32 step;

	if (mptun_newreno(cc)->css)
		divisor = MPTUN_NEWRENO_CSS_DIVISOR;
	step = min(bytes / divisor, cc->ssthresh - cc->cwnd);
	cc->cwnd += step;
	return cc->cwnd < cc->ssthresh ? 0 : bytes - step * divisor;
}

static void mptun_newreno_avoid(struct mptun_cc *cc, u32 bytes)
{
	struct mptun_newreno *nr = mptun_newreno(cc);
	u64 credit = (u64)nr->credit + bytes;
	u64 packets = div_u64(credit, cc->cwnd);

	nr->credit = credit - packets * cc->cwnd;
	cc->cwnd = min_t(u64, cc->cwnd + packets * cc->mss,
			 mptun_cc_max_window(cc));
}

static void mptun_newreno_on_ack(struct mptun_cc *cc,
				 const struct mptun_cc_ack *ack)
{
	u32 bytes = ack->bytes;

	mptun_newreno_undo(cc, ack);
	if (cc->ssthresh == MPTUN_CC_SSTHRESH_NONE)
		mptun_newreno_hystart(cc, ack);

	if (ack->newest_sent_ns > cc->recovery_ns &&
	    mptun_newreno_filled(cc, ack)) {
		if (mptun_newreno_slow_start(cc))
			bytes = mptun_newreno_start(cc, bytes);
		if (bytes)
			mptun_newreno_avoid(cc, bytes);
	}
	mptun_newreno_pace(cc, ack->rtt);
}

static void mptun_newreno_on_event(struct mptun_cc *cc)
{
	struct mptun_newreno *nr = mptun_newreno(cc);

	nr->undo_cwnd = cc->cwnd;
	nr->undo_ssthresh = cc->ssthresh;
	nr->undo_lost = 0;
	nr->credit = 0;
	nr->css = false;
	cc->ssthresh = max(cc->cwnd / 2, mptun_cc_min_window(cc));
	cc->cwnd = cc->ssthresh;
}

static void mptun_newreno_on_loss(struct mptun_cc *cc,
				  const struct mptun_cc_loss *loss)
{
	struct mptun_newreno *nr = mptun_newreno(cc);

	if (nr->undo_cwnd)
		nr->undo_lost += loss->packets;
	mptun_newreno_pace(cc, loss->rtt);
}

static void mptun_newreno_on_persistent(struct mptun_cc *cc)
{
	struct mptun_newreno *nr = mptun_newreno(cc);

	cc->cwnd = mptun_cc_min_window(cc);
	nr->undo_cwnd = 0;
	nr->undo_lost = 0;
	nr->credit = 0;
}

struct mptun_cc_ops mptun_cc_newreno = {
	.algo.name	= "newreno",
	.reset		= mptun_newreno_reset,
	.on_rtt		= mptun_newreno_on_rtt,
	.on_ack		= mptun_newreno_on_ack,
	.on_event	= mptun_newreno_on_event,
	.on_loss	= mptun_newreno_on_loss,
	.on_persistent	= mptun_newreno_on_persistent,
};
