// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "delay": compares two averages of the round-trip time,
 * for links with losses that are not congestion.
 *
 * The rule is that of the coding proxy TCPeP, a relative of Vegas.  It has two
 * averages of the round-trip time: a short one S weighs each acknowledged
 * packet with 1/10, a long one L with 1/10000.  A short average clearly above
 * the long one means a growing queue:
 *
 *	1 - L / S < 1/20	grow by 3 packets per window acknowledged
 *	1 - L / S > 1/5		shrink by 3 packets
 *	otherwise		keep
 *
 * Slow start ends at 16 packets, whatever the path holds.  A timeout, here
 * persistent congestion, restarts it with 8 packets.  The window is at least 8
 * and at most 5000 packets.  Losses are ignored.
 *
 * Choices where the source is silent:
 *
 *  - It has one report per packet.  A report of n packets counts as n samples:
 *    the weights are raised to that power.
 *  - The window grows only while it limits the sender, as for all controllers.
 *  - A congestion mark halves the window, as RFC 3168 demands.
 *
 * One deviation: the long average follows a slowly growing queue, and a full
 * buffer adds no more delay.  Both averages then agree, and the published rule
 * grows until most packets are lost (43 to 85 % in simulations of minutes).  So
 * a loss counts if the short average is a quarter above the shortest round trip
 * since the path came up, which proves a queue; the window is then cut to what
 * the path holds without it.  Losses without a queue stay ignored.  After the
 * route becomes longer by a quarter, losses count until the path restarts.
 *
 * Units: bytes, microseconds, averages of them in 1/65536 us.
 */
#include <kunit/visibility.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/delay.h"

/* Windows in packets. */
#define MPTUN_DELAY_BASE_PACKETS	8
#define MPTUN_DELAY_START_PACKETS	16
#define MPTUN_DELAY_MAX_PACKETS		5000

/* Growth per window acknowledged, in packets. */
#define MPTUN_DELAY_STEP_PACKETS	3

/* Ratio to the shortest round trip that proves a queue. */
#define MPTUN_DELAY_QUEUE_PART		5
#define MPTUN_DELAY_QUEUE_WHOLE		4

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

/* Average after n samples of one value, of which keep^n of 2^32 is left; n is
 * not 0.
 */
VISIBLE_IF_KUNIT u64
mptun_delay_average(u64 average, u64 sample, u32 keep, u32 n)
{
	u64 left = 1ULL << 32;
	u64 power = keep;

	for (; n; n >>= 1) {
		if (n & 1)
			left = left * power >> 32;
		power = power * power >> 32;
	}
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

/* Grows or shrinks in whole packets. */
static void mptun_delay_rule(struct mptun_cc *cc,
			     const struct mptun_cc_ack *ack)
{
	s64 credit = MPTUN_DELAY_STEP_PACKETS * (s64)ack->bytes;
	struct mptun_delay *d = mptun_delay_priv(cc);
	s64 steps;

	if (19 * d->short_rtt < 20 * d->long_rtt) {
		if (!mptun_window_filled(cc, ack))
			return;
	} else if (4 * d->short_rtt > 5 * d->long_rtt) {
		credit = -credit;
	} else {
		return;
	}
	credit += d->credit;
	steps = div_s64(credit, cc->cwnd);
	d->credit = credit - steps * cc->cwnd;
	mptun_delay_bound(cc, cc->cwnd + steps * cc->mss);
}

static void mptun_delay_on_ack(struct mptun_cc *cc,
			       const struct mptun_cc_ack *ack)
{
	u32 start = cc->mss * MPTUN_DELAY_START_PACKETS;
	struct mptun_delay *d = mptun_delay_priv(cc);

	mptun_delay_update(d, ack->packets);
	if (d->event) {
		d->event = false;
		mptun_delay_bound(cc, cc->cwnd / 2);
	} else {
		/* After slow start the threshold is a value below which the
		 * window never is; it may stem from another controller.
		 */
		if (cc->cwnd >= start)
			cc->ssthresh = cc->mss * MPTUN_DELAY_BASE_PACKETS;
		cc->ssthresh = min(cc->ssthresh, start);
		if (cc->cwnd >= cc->ssthresh)
			mptun_delay_rule(cc, ack);
		else if (mptun_window_filled(cc, ack))
			cc->cwnd += min(ack->bytes, cc->ssthresh - cc->cwnd);
	}
	mptun_window_pace(cc, ack->rtt);
}

/* The next call shows whether the event is a mark or a loss. */
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
