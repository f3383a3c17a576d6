// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": the round-trip time of the path
 * (draft-ietf-ccwg-bbr-06, section 5.5).
 *
 * Samples above the smallest contain queues, our own and others', or jitter.
 * Queues add to a whole round trip, and are drained sometimes.  Jitter differs
 * from packet to packet, and stays.  So there are two figures: the smallest
 * sample of the last 10 s shows when the queue was empty, and the smallest mean
 * of a round trip is what the path takes under load without a queue.  The BDP
 * is derived from the mean.
 *
 * A longer route or a slower link looks like a queue as well, but appears
 * within one round trip and stays.
 *
 * PROBE_RTT costs throughput where half of the BDP does not fill the path, and
 * most where jitter keeps the order of packets.  After one that found no queue
 * the next one comes after twice the time, and the mean is kept twice as long.
 *
 * Units: microseconds for round-trip times, ns for points in time.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/* Memory of the smallest round-trip time (MinRTTFilterLen), and time after
 * which PROBE_RTT measures it (ProbeRTTInterval).
 */
#define MPTUN_BBR_MIN_RTT_NS		(10ULL * NSEC_PER_SEC)
#define MPTUN_BBR_PROBE_RTT_NS		(5ULL * NSEC_PER_SEC)

/* Epoch of the smallest mean; it counts for two of them. */
#define MPTUN_BBR_EPOCH_NS		(5ULL * NSEC_PER_SEC)

/* A round trip with less than this part of the bandwidth is light. */
#define MPTUN_BBR_LIGHT_SHIFT		2

/* A sample within 1/32 of the smallest round-trip time confirms it. */
#define MPTUN_BBR_SAME_RTT_SHIFT	5

/* Noise of timers and reports. */
#define MPTUN_BBR_RTT_NOISE_US		4000U

/* Round trips are low up to a quarter above the base, and high from a half
 * above it.  This many high ones in a row are no burst of other flows.
 */
#define MPTUN_BBR_RTT_LOW_SHIFT		2
#define MPTUN_BBR_RTT_HIGH_SHIFT	1
#define MPTUN_BBR_RTT_HIGH_ROUNDS	4U

/* How the last round trips compare with the base; each further high one
 * counts one more.
 */
enum mptun_bbr_climb {
	MPTUN_BBR_CLIMB_SLOW,	/* above it, risen slowly */
	MPTUN_BBR_CLIMB_NONE,	/* low */
	MPTUN_BBR_CLIMB_BEGUN,	/* low except for the last one */
	MPTUN_BBR_CLIMB_STEP,	/* low, then high at once */
};

/* Returns true if a round trip took about as long as one without a queue. */
bool mptun_bbr_rtt_low(const struct mptun_bbr *b, u32 rtt_us)
{
	return rtt_us <= b->base_us + (b->base_us >> MPTUN_BBR_RTT_LOW_SHIFT);
}

/* The interval and the epoch double after PROBE_RTT found no queue. */
static u64 mptun_bbr_span(const struct mptun_bbr *b, u64 ns)
{
	return b->no_queue ? 2 * ns : ns;
}

/* Compares the round trips before PROBE_RTT with the last one of it: a queue
 * that stood for longer than a round trip is gone by now.
 */
void mptun_bbr_update_no_queue(struct mptun_bbr *b)
{
	u32 rtt_us = b->mean_rtt_us;

	b->no_queue = !b->moved && b->prior_rtt_us <=
		      rtt_us + (rtt_us >> MPTUN_BBR_RTT_LOW_SHIFT);
}

/* Round trips from here on are clearly longer. */
static u32 mptun_bbr_high_us(const struct mptun_bbr *b)
{
	return b->base_us + (b->base_us >> MPTUN_BBR_RTT_HIGH_SHIFT) +
	       MPTUN_BBR_RTT_NOISE_US;
}

/* Next &enum mptun_bbr_climb.  The queue of another flow grows slowly. */
static u8 mptun_bbr_next_climb(const struct mptun_bbr *b, u32 rtt_us)
{
	if (mptun_bbr_rtt_low(b, rtt_us))
		return MPTUN_BBR_CLIMB_NONE;
	if (rtt_us < mptun_bbr_high_us(b))
		return b->climb == MPTUN_BBR_CLIMB_NONE ?
		       MPTUN_BBR_CLIMB_BEGUN : MPTUN_BBR_CLIMB_SLOW;
	if (b->climb == MPTUN_BBR_CLIMB_SLOW)
		return MPTUN_BBR_CLIMB_SLOW;
	return max_t(u8, b->climb + 1, MPTUN_BBR_CLIMB_STEP);
}

/* The round-trip time by the delay of the forward direction, 0 if that is not
 * clearly longer.  What has arrived late is first reported by the other paths.
 * Such reports measure no round trip, and the path's own come later.
 */
static u32 mptun_bbr_queue_rtt(const struct mptun_bbr *b,
			       const struct mptun_cc_ack *ack)
{
	u32 rtt_us = b->base_us + ack->queue_us;

	return b->base_us && rtt_us >= mptun_bbr_high_us(b) ? rtt_us : 0;
}

/* Returns true while the link seems to be slower: round trips are clearly
 * longer, and all that the path holds is in flight.
 *
 * Flows that wait for this path have no more to send than it delivers, so the
 * path is application-limited.  It is busy all the same while there is a queue
 * in the forward direction, and half of what it holds is enough then.
 * PROBE_RTT makes a path application-limited as well, and says nothing of the
 * link.
 */
static bool mptun_bbr_seems_slower(struct mptun_cc *cc,
				   const struct mptun_rate_sample *s,
				   const struct mptun_cc_ack *ack, u32 rtt_us)
{
	const struct mptun_bbr *b = mptun_bbr_const(cc);
	u64 bw = mptun_bbr_max_bw(b);

	if (!b->full_reached || rtt_us < mptun_bbr_high_us(b))
		return false;
	if (!s->app_limited)
		return s->tx_in_flight >= mptun_bbr_bdp(cc, bw, 100);
	return b->state != MPTUN_BBR_PROBE_RTT &&
	       ack->newest_sent_ns > b->probe_rtt_done_ns &&
	       mptun_bbr_queue_rtt(b, ack) &&
	       s->tx_in_flight >= mptun_bbr_bdp(cc, bw, 50);
}

/* Detects a change of the path: round trips that become high at once and stay
 * so mean a longer route or a slower link.  With the draft a longer route is
 * noticed after 10 s, with a fraction of the window needed until then, and a
 * slower link after two probes, with a queue until then.  PROBE_RTT shows which
 * of both it is.
 *
 * A queue on the way back looks the same, but says nothing of this direction:
 * only reports of a busy path show how much slower the link is.
 */
static bool mptun_bbr_update_change(struct mptun_cc *cc,
				    const struct mptun_rate_sample *s,
				    const struct mptun_cc_ack *ack, u32 rtt_us)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->round_start && b->round_rtt_us) {
		b->climb = mptun_bbr_next_climb(b, b->round_rtt_us);
		b->round_rtt_us = 0;
	}
	if (rtt_us && (!b->round_rtt_us || rtt_us < b->round_rtt_us))
		b->round_rtt_us = rtt_us;
	/* the first high round trip has samples from before the change */
	if (b->climb <= MPTUN_BBR_CLIMB_STEP && !b->moved)
		b->step_bw = 0;
	else if (b->climb > MPTUN_BBR_CLIMB_STEP &&
		 mptun_bbr_seems_slower(cc, s, ack, rtt_us))
		b->step_bw = max(b->step_bw, min(s->rate, MPTUN_BBR_BW_MAX));
	if (b->climb < MPTUN_BBR_CLIMB_STEP + MPTUN_BBR_RTT_HIGH_ROUNDS - 1)
		return false;
	b->climb = MPTUN_BBR_CLIMB_SLOW;
	return b->full_reached;
}

/* Detects a link that delivers less than half of the bandwidth, over the time
 * of four round trips without a queue: one through a full buffer may take
 * seconds.  All bytes of that time count.  After a pause of the link all
 * packets are late, but arrive at the full rate.
 */
static bool mptun_bbr_update_slower(struct mptun_cc *cc,
				    const struct mptun_rate_sample *s,
				    const struct mptun_cc_ack *ack, u32 rtt_us)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 us, bw;

	if (b->slower_ns)
		b->slower_bytes += ack->bytes;
	if (!s->rate)
		return false;
	if (!rtt_us)
		rtt_us = mptun_bbr_queue_rtt(b, ack);
	if (!mptun_bbr_seems_slower(cc, s, ack, rtt_us)) {
		b->slower_ns = 0;
		return false;
	}
	if (!b->slower_ns) {
		b->slower_ns = ack->now;
		b->slower_bytes = 0;
	}
	us = div_u64(ack->now - b->slower_ns, NSEC_PER_USEC);
	if (!us || us < MPTUN_BBR_RTT_HIGH_ROUNDS * (u64)b->base_us)
		return false;
	bw = div64_u64(b->slower_bytes * USEC_PER_SEC, us);
	if (2 * bw > mptun_bbr_max_bw(b)) {
		b->slower_ns = 0;
		return false;
	}
	b->step_bw = max(bw, 1ULL);
	return true;
}

/* Updates the round-trip time under load at the end of a round trip, and the
 * largest queueing delay that jitter makes: the smallest peak of a round trip.
 *
 * Where packets keep their order, jitter adds more to it under load, as each
 * packet waits for the latest before it.  So a light round trip says little
 * about a full one: only those with a quarter of the bandwidth or more count.
 * The filter starts again when the bandwidth is four times that of its first
 * round trip, or when none has counted for one to two epochs (5 to 10 s).
 */
void mptun_bbr_update_base(struct mptun_bbr *b,
			   const struct mptun_rate_sample *s, u64 now)
{
	u64 rate = min(s->rate, MPTUN_BBR_BW_MAX);
	u64 least_bw = max(rate, mptun_bbr_max_bw(b)) >> MPTUN_BBR_LIGHT_SHIFT;
	u64 epoch_ns = mptun_bbr_span(b, MPTUN_BBR_EPOCH_NS);
	bool expired = !b->base_ns || now >= b->base_ns + 2 * epoch_ns;
	bool light = rate < least_bw;
	u32 peak_us = b->peak_us;

	b->peak_us = 0;
	b->excess_us = peak_us - min(peak_us, min(b->least_peak_us[0],
						  b->least_peak_us[1]));
	if (!b->rtt_samples)
		return;
	b->mean_rtt_us = div_u64(b->rtt_sum_us, b->rtt_samples);
	b->rtt_sum_us = 0;
	b->rtt_samples = 0;
	if (light && !expired)
		return;
	if (!b->base_bw)
		b->base_bw = rate;
	if (expired || b->base_bw < least_bw) {
		b->least_us[0] = U32_MAX;
		b->least_us[1] = U32_MAX;
		b->least_peak_us[0] = U32_MAX;
		b->least_peak_us[1] = U32_MAX;
		b->base_bw = rate;
		b->base_ns = now;
	} else if (now >= b->base_ns + epoch_ns) {
		b->least_us[1] = b->least_us[0];
		b->least_us[0] = U32_MAX;
		b->least_peak_us[1] = b->least_peak_us[0];
		b->least_peak_us[0] = U32_MAX;
		b->base_ns = now;
	}
	b->least_us[0] = min(b->least_us[0], b->mean_rtt_us);
	b->least_peak_us[0] = min(b->least_peak_us[0], peak_us);
	b->base_us = min(b->least_us[0], b->least_us[1]);
}

/* Ends a suspected change after a time with little in flight. */
void mptun_bbr_update_moved(struct mptun_bbr *b, u64 now)
{
	u32 low_us = b->min_rtt_us +
		     (b->min_rtt_us >> MPTUN_BBR_RTT_LOW_SHIFT);

	if (!b->moved)
		return;
	b->moved = false;
	if (b->probe_rtt_min_us <= low_us && b->step_bw) {
		/* a busy path has shown its bandwidth */
		b->light = false;
		b->changed_ns = now;
		b->max_bw[0] = min(b->max_bw[0], b->step_bw);
		b->max_bw[1] = min(b->max_bw[1], b->step_bw);
	}
	b->min_rtt_us = b->probe_rtt_min_us;
	b->min_rtt_ns = now;
	b->base_us = max(b->mean_rtt_us, b->min_rtt_us);
	b->base_ns = 0;
}

/* Updates the round-trip time.  The draft starts PROBE_RTT if no smaller sample
 * was seen for 5 s.  Here a sample that is as small proves an empty queue as
 * well and postpones it, but does not become the smallest: small increases
 * add up to a visible one.
 */
void mptun_bbr_update_rtt(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			  const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u32 rtt_us = b->rtt_us, same;
	u64 now = ack->now, long_us;
	bool changed;

	b->rtt_us = 0;
	b->was_full |= !s->app_limited;
	b->rtt_expired = b->probe_rtt_min_us &&
			 now > b->probe_rtt_min_ns +
			       mptun_bbr_span(b, MPTUN_BBR_PROBE_RTT_NS);
	changed = mptun_bbr_update_change(cc, s, ack, rtt_us);
	if (mptun_bbr_update_slower(cc, s, ack, rtt_us) || changed) {
		b->rtt_expired = true;
		b->moved = true;
		b->probe_rtt_min_us = 0;
	}
	if (rtt_us)
		b->measured_ns = now;
	/* While nothing is measured, PROBE_RTT goes by the one-way delay.  With
	 * a queue on the way back, samples are up to one and a half round trips
	 * apart, and the smoothed round-trip time follows slowly.
	 */
	long_us = 2 * (u64)max(ack->rtt->srtt_us, ack->rtt->latest_us);
	if (b->moved && now > b->measured_ns + long_us * NSEC_PER_USEC)
		rtt_us = b->min_rtt_us + ack->queue_us;
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
