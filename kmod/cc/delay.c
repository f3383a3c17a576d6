// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "delay": the rule of two round-trip times, for links
 * that lose packets for other reasons than congestion.
 *
 * The model is that of the coding proxy TCPeP, a relative of Vegas.  Two
 * averages of the round-trip time are kept, a short one S, into which each
 * acknowledged packet goes with a weight of 1/10, and a long one L, with
 * 1/10000.  If the short one is clearly above the long one, a queue builds up:
 *
 *	1 - L / S < 1/20	grow by 3 packets per window acknowledged
 *	1 - L / S > 1/5		shrink by as much
 *	between			stay
 *
 * Slow start ends at 16 packets, whatever the path holds.  A timeout, which
 * here is persistent congestion, begins it again with 8 packets, and less than
 * these or more than 5000 there never are.  Losses do not matter.
 *
 * How that is meant here, where the source does not say:
 *
 *  - It has one report per packet.  A report of n packets counts as n samples
 *    of its round-trip time; the weights are raised to that power.
 *  - The window grows only while it limits the sender, as with all others.
 *  - A congestion mark is answered like a loss by other controllers (RFC 3168).
 *
 * And one thing is different.  The long average follows a queue that grows
 * slowly, and a buffer that is full makes no more delay: both averages agree,
 * and the published rule goes on growing until most of what is sent is lost
 * (43 to 85 % in simulations of minutes).  So a loss counts if the short
 * average is a quarter above the shortest round trip since the path came up,
 * which says that there is a queue, and the window is cut to what the path
 * holds without it.  Losses without a queue still do not matter.  A route that
 * becomes longer by a quarter makes losses count until the path begins anew.
 *
 * Units: bytes, microseconds, averages of them in 1/65536 us.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/window.h"

/* Windows in packets */
#define MPTUN_DELAY_BASE_PACKETS	8
#define MPTUN_DELAY_START_PACKETS	16
#define MPTUN_DELAY_MAX_PACKETS		5000

/* Growth per window acknowledged, in packets */
#define MPTUN_DELAY_STEP_PACKETS	3

/* What one packet leaves of an average, of 2^32: 9/10 and 9999/10000 */
#define MPTUN_DELAY_SHORT_KEEP		3865470566U
#define MPTUN_DELAY_LONG_KEEP		4294537799U

#define MPTUN_DELAY_SHIFT		16

/* Fractions of the shortest round trip above which there is a queue */
#define MPTUN_DELAY_QUEUE_PART		5
#define MPTUN_DELAY_QUEUE_WHOLE		4

/**
 * struct mptun_delay - private data
 * @window: what the test for a full window needs
 * @short_rtt: short average, 0 if there was no sample
 * @long_rtt: long average
 * @sample_us: sample not yet taken into account, 0 if none
 * @min_us: shortest round trip so far, 0 if unknown
 * @credit: bytes acknowledged that have not changed the window, negative to
 *	shrink it
 * @event: a congestion event has begun and is not answered
 */
struct mptun_delay {
	struct mptun_window window;
	u64 short_rtt;
	u64 long_rtt;
	u32 sample_us;
	u32 min_us;
	s32 credit;
	bool event;
};

static_assert(sizeof(struct mptun_delay) <=
	      sizeof_field(struct mptun_cc, priv));

static struct mptun_delay *mptun_delay_priv(struct mptun_cc *cc)
{
	return (struct mptun_delay *)cc->priv;
}

static void mptun_delay_reset(struct mptun_cc *cc)
{
	mptun_window_reset(cc);
	cc->ssthresh = cc->mss * MPTUN_DELAY_START_PACKETS;
}

static void mptun_delay_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	struct mptun_delay *d = mptun_delay_priv(cc);

	d->sample_us = max(rtt->latest_us, 1U);
	if (!d->min_us || d->sample_us < d->min_us)
		d->min_us = d->sample_us;
	mptun_window_pace(cc, rtt);
}

/* keep^n, of 2^32; n is not 0 */
static u32 mptun_delay_left(u32 keep, u32 n)
{
	u64 left = 1ULL << 32;
	u64 power = keep;

	for (; n; n >>= 1) {
		if (n & 1)
			left = left * power >> 32;
		power = power * power >> 32;
	}
	return left;
}

/* The average after n samples of one value */
static u64 mptun_delay_average(u64 average, u64 sample, u32 keep, u32 n)
{
	u32 left = mptun_delay_left(keep, n);

	if (average > sample)
		return sample + mul_u64_u32_shr(average - sample, left, 32);
	return sample - mul_u64_u32_shr(sample - average, left, 32);
}

static void mptun_delay_update(struct mptun_delay *d, u32 packets)
{
	u64 sample = (u64)d->sample_us << MPTUN_DELAY_SHIFT;

	if (!sample || !packets)
		return;
	if (!d->short_rtt) {
		d->short_rtt = sample;
		d->long_rtt = sample;
	}
	d->short_rtt = mptun_delay_average(d->short_rtt, sample,
					   MPTUN_DELAY_SHORT_KEEP, packets);
	d->long_rtt = mptun_delay_average(d->long_rtt, sample,
					  MPTUN_DELAY_LONG_KEEP, packets);
	d->sample_us = 0;
}

static void mptun_delay_bound(struct mptun_cc *cc, s64 cwnd)
{
	cc->cwnd = clamp_t(s64, cwnd,
			   (s64)cc->mss * MPTUN_DELAY_BASE_PACKETS,
			   (s64)cc->mss * MPTUN_DELAY_MAX_PACKETS);
}

/* Once it is over, the threshold is where the window cannot be below.  It may
 * have been another controller's before.
 */
static bool mptun_delay_starting(struct mptun_cc *cc)
{
	u32 start = cc->mss * MPTUN_DELAY_START_PACKETS;

	if (cc->cwnd >= start)
		cc->ssthresh = cc->mss * MPTUN_DELAY_BASE_PACKETS;
	cc->ssthresh = min(cc->ssthresh, start);
	return cc->cwnd < cc->ssthresh;
}

static void mptun_delay_start(struct mptun_cc *cc, u32 bytes)
{
	cc->cwnd += min(bytes, cc->ssthresh - cc->cwnd);
}

/* By @packets per window acknowledged, a whole packet at a time */
static void mptun_delay_step(struct mptun_cc *cc, u32 bytes, int packets)
{
	struct mptun_delay *d = mptun_delay_priv(cc);
	s64 credit = d->credit + (s64)packets * bytes;
	s64 steps = div_s64(credit, cc->cwnd);

	d->credit = credit - steps * cc->cwnd;
	mptun_delay_bound(cc, cc->cwnd + steps * cc->mss);
}

static void mptun_delay_rule(struct mptun_cc *cc,
			     const struct mptun_cc_ack *ack)
{
	struct mptun_delay *d = mptun_delay_priv(cc);

	if (19 * d->short_rtt < 20 * d->long_rtt) {
		if (mptun_window_filled(cc, ack))
			mptun_delay_step(cc, ack->bytes,
					 MPTUN_DELAY_STEP_PACKETS);
	} else if (4 * d->short_rtt > 5 * d->long_rtt) {
		mptun_delay_step(cc, ack->bytes, -MPTUN_DELAY_STEP_PACKETS);
	}
}

static void mptun_delay_on_ack(struct mptun_cc *cc,
			       const struct mptun_cc_ack *ack)
{
	struct mptun_delay *d = mptun_delay_priv(cc);

	mptun_delay_update(d, ack->packets);
	if (d->event) {
		d->event = false;
		mptun_delay_bound(cc, cc->cwnd / 2);
	} else if (!mptun_delay_starting(cc)) {
		mptun_delay_rule(cc, ack);
	} else if (mptun_window_filled(cc, ack)) {
		mptun_delay_start(cc, ack->bytes);
	}
	mptun_window_pace(cc, ack->rtt);
}

/* Whether it is a mark or losses tells who is called next. */
static void mptun_delay_on_event(struct mptun_cc *cc)
{
	mptun_delay_priv(cc)->event = true;
}

static void mptun_delay_on_loss(struct mptun_cc *cc,
				const struct mptun_cc_loss *loss)
{
	struct mptun_delay *d = mptun_delay_priv(cc);
	u64 least = (u64)d->min_us << MPTUN_DELAY_SHIFT;

	if (d->event && d->short_rtt * MPTUN_DELAY_QUEUE_WHOLE >
			least * MPTUN_DELAY_QUEUE_PART)
		mptun_delay_bound(cc, div64_u64((u64)cc->cwnd * d->min_us,
						d->short_rtt >>
						MPTUN_DELAY_SHIFT));
	d->event = false;
	mptun_window_pace(cc, loss->rtt);
}

static void mptun_delay_on_persistent(struct mptun_cc *cc)
{
	mptun_delay_bound(cc, 0);
	cc->ssthresh = cc->mss * MPTUN_DELAY_START_PACKETS;
	mptun_delay_priv(cc)->credit = 0;
}

const struct mptun_cc_ops mptun_cc_delay = {
	.name		= "delay",
	.reset		= mptun_delay_reset,
	.on_rtt		= mptun_delay_on_rtt,
	.on_ack		= mptun_delay_on_ack,
	.on_event	= mptun_delay_on_event,
	.on_loss	= mptun_delay_on_loss,
	.on_persistent	= mptun_delay_on_persistent,
};
