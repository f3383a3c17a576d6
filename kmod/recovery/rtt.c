// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Round-trip time of one path (RFC 9002, section 5).
 *
 * The model: the time from sending a packet to its acknowledgment is the round
 * trip of the path plus the time the receiver held the report, which the report
 * states. Samples are smoothed with the gains of RFC 6298 (1/8 for the mean,
 * 1/4 for the deviation). Both sums are kept scaled by the inverse of their
 * gain, so that no fraction of a microsecond gets lost and the mean converges
 * to a constant sample exactly.
 *
 * The smallest round trip is the base of all queue estimates. It is the minimum
 * of two epochs, the present one and the one before: a longer route is accepted
 * after two epochs at most, at the price of two numbers instead of a list of
 * samples. Where nothing else was in flight, and so no queue of ours, four
 * samples in a row are enough: a path that seems to have a queue gets little to
 * carry, and would stay idle until then.
 *
 * An uplink that stands still for a second delivers everything afterwards.
 * What was sent before that shows how long it stood still, and not what the
 * path takes from then on. So samples of packets sent before a silence ended
 * only serve loss detection, as the latest one.
 *
 * Units: microseconds for round-trip times, nanoseconds for points in time.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "recovery/rtt.h"

/* A route has become longer after this many samples that are longer by half and
 * by more than the noise of timers and reports.
 */
#define MPTUN_RTT_LONGER_SAMPLES	4U
#define MPTUN_RTT_LONGER_SHIFT		1
#define MPTUN_RTT_LONGER_US		4000U

/**
 * mptun_rtt_init() - initialise for an unknown path
 * @rtt: round-trip time
 */
void mptun_rtt_init(struct mptun_rtt *rtt)
{
	*rtt = (struct mptun_rtt){
		.latest_us = MPTUN_RTT_INITIAL_US,
		.min_us = MPTUN_RTT_INITIAL_US,
		.srtt_us = MPTUN_RTT_INITIAL_US,
		.var_us = MPTUN_RTT_INITIAL_US / 2,
		.srtt8 = MPTUN_RTT_INITIAL_US * 8,
		.var4 = MPTUN_RTT_INITIAL_US * 2,
		.epoch_min_us = U32_MAX,
		.last_min_us = U32_MAX,
		.first_ns = U64_MAX,
	};
}

static void mptun_rtt_update_min(struct mptun_rtt *rtt, u32 sample_us, u64 now)
{
	u64 age = now > rtt->epoch_ns ? now - rtt->epoch_ns : 0;

	if (!rtt->valid || age >= 2 * MPTUN_RTT_MIN_EPOCH_NS) {
		rtt->last_min_us = U32_MAX;
		rtt->epoch_min_us = sample_us;
		rtt->epoch_ns = now;
	} else if (age >= MPTUN_RTT_MIN_EPOCH_NS) {
		rtt->last_min_us = rtt->epoch_min_us;
		rtt->epoch_min_us = sample_us;
		rtt->epoch_ns += MPTUN_RTT_MIN_EPOCH_NS;
	}
	rtt->epoch_min_us = min(rtt->epoch_min_us, sample_us);
	rtt->min_us = min(rtt->epoch_min_us, rtt->last_min_us);
}

/**
 * mptun_rtt_sample() - take a sample
 * @rtt: round-trip time
 * @sample_us: time from sending a packet to its acknowledgment
 * @ack_delay_us: how long the peer says it held the acknowledgment
 * @now: time in ns
 *
 * RFC 9002 accepts no more delay than the peer promised. A report may be much
 * later and state it honestly, because the one before it got lost and only the
 * next probe asked for another, so all of the delay is accepted. It never makes
 * the round trip shorter than the smallest one: a peer with wrong timers cannot
 * lower the estimate.
 *
 * Nor does a packet sent before a silence ended change the estimates.
 *
 * The gains of mean and deviation are 1/8 and 1/4. The deviation is from the
 * mean before this sample.
 *
 * Return: true if the estimates have taken the sample.
 */
bool mptun_rtt_sample(struct mptun_rtt *rtt, u32 sample_us, u32 ack_delay_us,
		      u64 now)
{
	u32 mean, dev;

	sample_us = clamp(sample_us, 1U, MPTUN_RTT_MAX_US);
	if (rtt->again_ns && (now < rtt->again_ns || now - rtt->again_ns <
			      (u64)sample_us * NSEC_PER_USEC)) {
		rtt->latest_us = sample_us;
		return false;
	}
	rtt->again_ns = 0;
	mptun_rtt_update_min(rtt, sample_us, now);
	sample_us -= min(ack_delay_us, sample_us - rtt->min_us);
	rtt->latest_us = sample_us;

	if (!rtt->valid) {
		rtt->valid = true;
		rtt->first_ns = now;
		rtt->srtt8 = sample_us * 8;
		rtt->var4 = sample_us * 2;
	} else {
		mean = rtt->srtt8 >> 3;
		dev = sample_us > mean ? sample_us - mean : mean - sample_us;
		rtt->var4 += dev - (rtt->var4 >> 2);
		rtt->srtt8 += sample_us - mean;
	}
	rtt->srtt_us = max(rtt->srtt8 >> 3, 1U);
	rtt->var_us = rtt->var4 >> 2;
	return true;
}

/**
 * mptun_rtt_silence() - a silence of the path begins or ends
 * @rtt: round-trip time
 * @until_ns: U64_MAX if an answer is overdue, time in ns if the path answers
 *
 * If an answer is overdue again before one to a packet sent since the last
 * silence, the path may have become that long, and all samples are taken.
 */
void mptun_rtt_silence(struct mptun_rtt *rtt, u64 until_ns)
{
	if (until_ns == U64_MAX && (rtt->again_ns || !rtt->valid))
		rtt->again_ns = 0;
	else if (until_ns == U64_MAX)
		rtt->again_ns = U64_MAX;
	else
		rtt->again_ns = min(rtt->again_ns, until_ns);
}

/**
 * mptun_rtt_alone() - detect a longer route from packets without a queue
 * @rtt: round-trip time, a sample just taken
 * @alone: nothing else of ours was in flight
 * @now: time in ns
 */
void mptun_rtt_alone(struct mptun_rtt *rtt, bool alone, u64 now)
{
	u32 limit = rtt->min_us + (rtt->min_us >> MPTUN_RTT_LONGER_SHIFT) +
		    MPTUN_RTT_LONGER_US;

	if (!alone || rtt->latest_us < limit) {
		rtt->longer = 0;
		return;
	}
	if (!rtt->longer++ || rtt->latest_us < rtt->longer_us)
		rtt->longer_us = rtt->latest_us;
	if (rtt->longer < MPTUN_RTT_LONGER_SAMPLES)
		return;
	rtt->longer = 0;
	rtt->min_us = rtt->longer_us;
	rtt->epoch_min_us = rtt->longer_us;
	rtt->last_min_us = U32_MAX;
	rtt->epoch_ns = now;
}

/**
 * mptun_rtt_pto_us() - probe timeout (RFC 9002, section 6.2.1)
 * @rtt: round-trip time
 *
 * Return: microseconds until an answer is overdue.
 */
u32 mptun_rtt_pto_us(const struct mptun_rtt *rtt)
{
	return rtt->srtt_us + max(rtt->var4, MPTUN_RTT_GRANULARITY_US) +
	       MPTUN_RTT_REPORT_MAX_US;
}
