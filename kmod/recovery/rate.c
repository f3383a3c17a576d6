// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Delivery rate of one path.
 *
 * The model: a report says how many bytes had arrived when its newest packet
 * did, by the receiver's clock.  The difference of two reports is what the
 * path delivered in that time, and neither lost reports nor the way back
 * distort it.  A sample spans half a round trip at least, so that it is more
 * than a burst.
 *
 * It says what the path can carry only if the path had enough to carry, which
 * a queue shows: the round-trip time is above the smallest of late.  Without
 * one nothing is known, and nothing needs to be, for what is sent arrives at
 * once.  (A rate taken from the few packets of an idle path would make it look
 * slow and keep it idle.)  So a sample without a queue, or one so long that the
 * path was idle in it, ends what was known.  Queues come and go within a
 * sample, so the largest of the last samples counts, as in the bandwidth filter
 * of BBR; it is forgotten after one to two epochs.
 *
 * Units: bytes, microseconds, bytes per second.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "recovery/rate.h"

/* Shortest time of a sample: timers and batches of a receiver blur less. */
#define MPTUN_RATE_MIN_US	10000U

/* A round-trip time shows a queue if it is above the smallest by an eighth,
 * and by more than timers and reports blur.
 */
#define MPTUN_RATE_QUEUE_SHIFT	3
#define MPTUN_RATE_QUEUE_US	2000U

/* Samples of an epoch. */
#define MPTUN_RATE_EPOCH	16U

/**
 * mptun_rate_init() - nothing known of a path
 * @r: the path's figures
 */
void mptun_rate_init(struct mptun_rate *r)
{
	memset(r, 0, sizeof(*r));
}

static bool mptun_rate_queued(const struct mptun_rtt *rtt)
{
	u32 least = max(rtt->min_us >> MPTUN_RATE_QUEUE_SHIFT,
			MPTUN_RATE_QUEUE_US);

	return rtt->valid && rtt->latest_us >= rtt->min_us &&
	       rtt->latest_us - rtt->min_us >= least;
}

static void mptun_rate_sample(struct mptun_rate *r, u64 rate)
{
	if (++r->samples > MPTUN_RATE_EPOCH) {
		r->best[1] = r->best[0];
		r->best[0] = 0;
		r->samples = 1;
	}
	r->best[0] = max(r->best[0], rate);
}

/**
 * mptun_rate_report() - the peer says what arrived
 * @r: the path's figures
 * @bytes: bytes received so far
 * @arrival_us: receiver's time when the newest of them arrived
 * @rtt: round-trip time of the path
 */
void mptun_rate_report(struct mptun_rate *r, u64 bytes, u32 arrival_us,
		       const struct mptun_rtt *rtt)
{
	u32 span = arrival_us - r->arrival_us;
	u64 amount = bytes - r->bytes;

	/* Reports may overtake each other. */
	if (r->valid && ((s32)span < 0 || (s64)amount < 0))
		return;
	if (r->valid && span < max(rtt->srtt_us / 2, MPTUN_RATE_MIN_US))
		return;
	if (span >= MPTUN_RATE_MAX_US || amount > U32_MAX ||
	    !mptun_rate_queued(rtt))
		mptun_rate_init(r);
	else if (r->valid)
		mptun_rate_sample(r, div_u64(amount * USEC_PER_SEC, span));
	r->bytes = bytes;
	r->arrival_us = arrival_us;
	r->valid = true;
}

/**
 * mptun_rate_get() - what does the path carry?
 * @r: the path's figures
 *
 * Return: bytes per second, 0 if unknown.
 */
u64 mptun_rate_get(const struct mptun_rate *r)
{
	return max(r->best[0], r->best[1]);
}
