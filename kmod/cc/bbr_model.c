// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": the model of the path (draft-ietf-ccwg-bbr-06,
 * section 5.5, "Updating Network Path Model Parameters").
 *
 * Two numbers describe a path: its bandwidth and its round-trip time under load
 * without a queue (cc/bbr_rtt.c).  Their product, the BDP, is what it holds.
 *
 *  - The bandwidth is the largest delivery rate of the last two probe cycles: a
 *    sample may be too low for many reasons, but never too high.
 *  - Losses bound both.  The long-term bound of the bytes in flight is the
 *    level at which a probe lost too much (cc/bbr_loss.c); it lasts until a
 *    probe finds more room.  Short-term bounds follow the delivered data while
 *    other flows take their share, and last until the next probe.
 *
 * A round trip ends when a packet sent after its start is acknowledged.
 *
 * Units: bytes, bytes per second, microseconds for round-trip times, ns for
 * points in time.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"
#include "recovery/pacing.h"

/* The path is full after this many round trips without a quarter more
 * bandwidth.
 */
#define MPTUN_BBR_FULL_ROUNDS		3U
#define MPTUN_BBR_FULL_PERCENT		125U

/* Queueing delay of a queue: an eighth of the smallest round-trip time, and
 * more than the noise of timers and reports.  Startup sends twice what the path
 * holds, so the queue of a full path grows to a round trip, unless the buffer
 * is smaller.  Where jitter keeps the order of packets, load alone adds a
 * quarter.  So only every fourth round trip with a queue counts if it does not
 * exceed that of others by half of the round-trip time.
 */
#define MPTUN_BBR_QUEUE_SHIFT		3
#define MPTUN_BBR_FULL_SHIFT		1
#define MPTUN_BBR_SHORT_ROUNDS		4U
#define MPTUN_BBR_QUEUE_US		4000U

/* Rounds of an aggregation filter; it keeps two of them. */
#define MPTUN_BBR_EXTRA_ROUNDS		5U

/* Bandwidth regardless of losses in bytes per second, 0 if unknown. */
u64 mptun_bbr_max_bw(const struct mptun_bbr *b)
{
	return max(b->max_bw[0], b->max_bw[1]);
}

/* @percent of the product of @bw and @rtt_us, in bytes; an initial window
 * before there is a round-trip time.
 */
u32 mptun_bbr_product(const struct mptun_cc *cc, u64 bw, u32 rtt_us,
		      u32 percent)
{
	u64 bdp;

	if (!rtt_us)
		return cc->mss * MPTUN_CC_INITIAL_PACKETS;
	bdp = div_u64(bw * rtt_us, USEC_PER_SEC);
	return min_t(u64, div_u64(bdp * percent, 100), mptun_cc_max_window(cc));
}

/* @percent of the BDP for bandwidth @bw, in bytes. */
u32 mptun_bbr_bdp(const struct mptun_cc *cc, u64 bw, u32 percent)
{
	const struct mptun_bbr *b = mptun_bbr_const(cc);

	return mptun_bbr_product(cc, bw, b->base_us ?: b->min_rtt_us, percent);
}

/* @bytes, but at least the smallest window, and what the implementation needs
 * in flight ("offload_budget"): pacing bursts in both directions, and arrivals
 * until the next report.
 */
u32 mptun_bbr_quantized(const struct mptun_cc *cc, u64 bytes)
{
	const struct mptun_bbr *b = mptun_bbr_const(cc);
	u32 pause_us = clamp(b->min_rtt_us >> MPTUN_RTT_REPORT_SHIFT,
			     MPTUN_RTT_REPORT_MIN_US, MPTUN_RTT_REPORT_MAX_US);
	u64 budget = 2ULL * mptun_pacer_burst(b->pacing_rate, cc->mss,
					      cc->tick_ns) +
		     div_u64(b->bw * pause_us, USEC_PER_SEC);

	bytes = max3(bytes, budget, (u64)cc->mss * MPTUN_BBR_MIN_PACKETS);
	if (b->state == MPTUN_BBR_UP)
		bytes += 2 * cc->mss;
	return min_t(u64, bytes, mptun_cc_max_window(cc));
}

/* Bytes in flight without a queue. */
u32 mptun_bbr_inflight(const struct mptun_cc *cc, u64 bw)
{
	return mptun_bbr_quantized(cc, mptun_bbr_bdp(cc, bw, 100));
}

/* Bytes that should be in flight. */
u32 mptun_bbr_target(const struct mptun_cc *cc)
{
	return min(mptun_bbr_bdp(cc, mptun_bbr_const(cc)->bw, 100), cc->cwnd);
}

/* The long-term bound less headroom for other flows; MPTUN_BBR_NO_LIMIT if
 * there is none.
 */
u32 mptun_bbr_with_headroom(const struct mptun_cc *cc)
{
	u32 limit = mptun_bbr_const(cc)->inflight_longterm;
	u32 headroom;

	if (limit == MPTUN_BBR_NO_LIMIT)
		return limit;
	headroom = div_u64((u64)limit * MPTUN_BBR_HEADROOM_PERCENT, 100);
	headroom = max(headroom, cc->mss);
	return max(limit - min(limit, headroom),
		   cc->mss * MPTUN_BBR_MIN_PACKETS);
}

void mptun_bbr_begin_round(struct mptun_bbr *b, u64 now)
{
	b->round_ns = now;
}

/* Starts the search for full bandwidth, from a delivery rate on. */
void mptun_bbr_reset_full_bw(struct mptun_bbr *b, u64 rate)
{
	b->full_bw = min(rate, MPTUN_BBR_BW_MAX);
	b->full_rounds = 0;
	b->short_rounds = 0;
	b->full_now = false;
}

/* Where packets are delivered in batches (aggregation), more than a BDP must be
 * in flight while the next batch is pending.  Startup sends in bursts itself:
 * only what is faster than the pacer comes from the path.
 */
static void mptun_bbr_update_extra(struct mptun_cc *cc,
				   const struct mptun_cc_ack *ack)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 us = div_u64(ack->now - b->extra_ns, NSEC_PER_USEC);
	u64 rate = b->full_reached ? b->bw : max(b->bw, b->pacing_rate);
	u64 expected = div_u64(rate * min_t(u64, us, MPTUN_RTT_MAX_US),
			       USEC_PER_SEC);

	if (b->extra_acked <= expected) {
		b->extra_acked = 0;
		b->extra_ns = ack->now;
		expected = 0;
	}
	b->extra_acked = min_t(u64, (u64)b->extra_acked + ack->bytes, U32_MAX);

	if (b->round_start &&
	    (!b->full_reached || ++b->extra_rounds >= MPTUN_BBR_EXTRA_ROUNDS)) {
		b->extra[1] = b->full_reached ? b->extra[0] : 0;
		b->extra[0] = 0;
		b->extra_rounds = 0;
	}
	if (b->extra_acked > expected)
		b->extra[0] = max_t(u32, b->extra[0],
				    min_t(u64, b->extra_acked - expected,
					  cc->cwnd));
}

/* Counts the round trips without more bandwidth: the path is full.
 *
 * The draft ignores application-limited ones.  But a path that carries only the
 * overflow of others never has a full round trip to send and would stay in
 * startup forever, sending bursts at more than twice its rate.  A queue shows
 * that the path was full, if only briefly.  It must be in the forward
 * direction: the round-trip times of a download's acknowledgments include the
 * queue of the download.
 *
 * Jitter looks like a queue: the queueing delay must reach the deviation of the
 * round-trip time.  It shows a full path if it exceeds that of other round
 * trips by half of what the path takes on average without the queue; the
 * smallest round-trip time may be that of one lucky packet.  A shorter one
 * counts in some round trips only.  A packet or two make no queue: if the path
 * holds only that much, or packets are small, the delay must also reach the
 * smallest round-trip time.
 */
static void mptun_bbr_update_full(struct mptun_cc *cc,
				  const struct mptun_cc_ack *ack,
				  const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u32 least = max3(b->min_rtt_us >> MPTUN_BBR_QUEUE_SHIFT,
			 ack->rtt->var_us, MPTUN_BBR_QUEUE_US);
	u32 empty_us = max_t(s64, b->min_rtt_us,
			     (s64)ack->rtt->srtt_us - ack->queue_us);
	bool filled, queued;

	if (ack->prior_in_flight < cc->mss * MPTUN_BBR_MIN_PACKETS)
		least = max(least, b->min_rtt_us);
	if (ack->prior_in_flight > cc->mss && ack->queue_us >= least)
		b->queued = true;
	if (!b->round_start)
		return;
	queued = b->queued;
	filled = !s->app_limited ||
		 b->excess_us >= empty_us >> MPTUN_BBR_FULL_SHIFT;
	b->queued = false;
	b->had_queue = queued || !mptun_bbr_rtt_low(b, b->mean_rtt_us);
	if (b->full_now || (s->app_limited && (!queued || b->full_reached)))
		return;

	if (s->rate * 100 >= b->full_bw * MPTUN_BBR_FULL_PERCENT) {
		mptun_bbr_reset_full_bw(b, s->rate);
		return;
	}
	if (!filled && ++b->short_rounds % MPTUN_BBR_SHORT_ROUNDS)
		return;
	if (++b->full_rounds < MPTUN_BBR_FULL_ROUNDS)
		return;
	b->full_now = true;
	if (!b->full_reached) {
		b->unsure = s->app_limited;
		b->light = !filled;
	}
	b->full_reached = true;
}

/* Updates the model from an acknowledgment. */
void mptun_bbr_update_model(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			    const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 rate = min(s->rate, MPTUN_BBR_BW_MAX);

	b->peak_us = max(b->peak_us, ack->queue_us);
	b->round_start = ack->newest_sent_ns >= b->round_ns;
	if (b->round_start) {
		mptun_bbr_begin_round(b, ack->now);
		mptun_bbr_update_base(b, s, ack->now);
		b->rounds++;
		b->probe_rounds++;
	}
	b->loss_round_start = ack->newest_sent_ns >= b->loss_round_ns;
	if (b->loss_round_start)
		b->loss_round_ns = ack->now;

	/* an application-limited sample counts if it exceeds the estimate */
	b->bw_latest = max(b->bw_latest, rate);
	b->inflight_latest = max(b->inflight_latest, s->delivered);
	if (rate >= mptun_bbr_max_bw(b) || !s->app_limited)
		b->max_bw[0] = max(b->max_bw[0], rate);

	if (!b->full_reached || b->light)
		b->burst_bw = max(b->burst_bw,
				  min(s->burst_rate, MPTUN_BBR_BW_MAX));
	mptun_bbr_update_shortterm(cc, s);
	mptun_bbr_update_extra(cc, ack);
	mptun_bbr_update_full(cc, ack, s);
	/* If bursts arrive no faster, the light traffic has shown all. */
	if (b->round_start)
		b->light &= b->burst_bw * 100 >
			    mptun_bbr_max_bw(b) * MPTUN_BBR_FULL_PERCENT;
	mptun_bbr_update_usual(cc, s);
}
