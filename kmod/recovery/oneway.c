// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * How long packets of one path wait on their way there.
 *
 * The model: a report says when its newest packet arrived, by the receiver's
 * clock.  That less the time of sending is the delay in our direction, beside
 * a distance of the two clocks that nobody knows.  What it is above the
 * smallest delay of late is a queue, or jitter.
 *
 * A round-trip time tells of queues in both directions.  Who sends the
 * acknowledgments of a download sees the queue of the download in it, which is
 * on the way back, where none of his packets are.
 *
 * Clocks drift apart by up to some 200 us per second, and routes become longer:
 * the smallest delay is that of the last 5 to 10 seconds, as that of a
 * round-trip time is.
 *
 * Units: us modulo 2^32, ns for points in time.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "recovery/oneway.h"
#include "recovery/rtt.h"

/* Gain of the smoothed queue, as a power of two: that of the round-trip
 * time.
 */
#define MPTUN_ONEWAY_SHIFT	3

static u32 mptun_oneway_smaller(u32 a, u32 b)
{
	return (s32)(a - b) < 0 ? a : b;
}

static u32 mptun_oneway_least(struct mptun_oneway *o, u32 us, u64 now)
{
	if (!o->epoch_ns)
		o->least_us[0] = us;
	if (!o->epoch_ns || now >= o->epoch_ns + MPTUN_RTT_MIN_EPOCH_NS) {
		o->least_us[1] = o->least_us[0];
		o->least_us[0] = us;
		o->epoch_ns = now;
	}
	o->least_us[0] = mptun_oneway_smaller(o->least_us[0], us);
	return mptun_oneway_smaller(o->least_us[0], o->least_us[1]);
}

/**
 * mptun_oneway_sample() - the peer says when a packet arrived
 * @o: delays of the path
 * @sent_ns: when it was sent
 * @arrival_us: receiver's time when it arrived
 * @now: time in ns
 */
void mptun_oneway_sample(struct mptun_oneway *o, u64 sent_ns, u32 arrival_us,
			 u64 now)
{
	u32 us = arrival_us - (u32)div_u64(sent_ns, NSEC_PER_USEC);
	u32 queue_us = us - mptun_oneway_least(o, us, now);

	queue_us = min(queue_us, MPTUN_RTT_MAX_US);
	o->queue8_us += queue_us - (o->queue8_us >> MPTUN_ONEWAY_SHIFT);
}
