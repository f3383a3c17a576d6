// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr" (BBR version 3, draft-ietf-ccwg-bbr-06).
 *
 * A path has a bandwidth and a round-trip time; their product, the BDP, is the
 * data it holds.  A sender at that bandwidth with a BDP in flight uses the path
 * fully and builds no queue.  As neither can be measured while the other is,
 * the controller alternates: it sends a little faster to probe for bandwidth, a
 * little slower to drain the queue that made, and very little for a moment if
 * the round-trip time was not measured for long.  Losses are no signal unless a
 * round trip loses 2 % more than is usual. cc/bbr_model.c, cc/bbr_loss.c and
 * cc/bbr_rtt.c keep the model, cc/bbr_state.c is the state machine, and this
 * file derives pacing rate and window (section 5.6 of the draft, "Updating
 * Control Parameters").
 *
 * Differences in a tunnel:
 *
 *  - Many flows share one controller.  Each has its own, which sees the queue
 *    of the tunnel device and not the path's.  There is no retransmission that
 *    could end a recovery episode, so a window cut for persistent congestion is
 *    restored with the first packet sent after that.
 *  - Tunnels are often application-limited, and so are paths that the scheduler
 *    does not fill.  The model stays valid then; such samples only count if
 *    they show more.  Startup also ends if such a path shows no more bandwidth
 *    although its packets queued.
 *  - Reports arrive at most eight times per round trip or once per millisecond.
 *    They carry the receiver's clock, so rates are exact, but the window must
 *    last until the next one, and pacing works in bursts: there is always room
 *    for both ("offload_budget" in the draft).
 *  - Losses are counted per report.  Excessive loss is found with the next
 *    sample instead of per packet, and the bytes in flight are known to a
 *    sixteenth of a round trip.
 *  - Inner flows want a short queue, and few controllers compete on a path.  A
 *    probe ends as soon as it has built a queue.  One that found a sixteenth
 *    more bandwidth is followed by the next at once.
 *  - Latency of radio links varies, and rises with load where packets keep
 *    their order.  The BDP is that of the mean round-trip time under load, not
 *    of the smallest sample, which only an idle path shows.
 *  - Radio links lose packets whatever their load.  Loss bounds only react to
 *    excessive loss, beyond what is usual on the path.
 *  - A sample as small as the smallest round-trip time, not only a smaller one,
 *    postpones PROBE_RTT: inner flows pause often enough.
 *  - Radio handovers make routes longer and links slower under load.  PROBE_RTT
 *    starts at once when round trips become clearly longer or the path delivers
 *    clearly less, and its result is trusted.
 *  - The draft does not cover classic ECN. A mark counts as excessive loss (RFC
 *    3168), once per round trip.
 *
 * Units: bytes, bytes per second, microseconds for round-trip times, ns for
 * points in time.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/**
 * struct mptun_bbr_gains - gains of a state
 * @pacing: pacing rate in percent of the bandwidth
 * @cwnd: window in percent of the BDP
 */
struct mptun_bbr_gains {
	u16 pacing;
	u16 cwnd;
};

static const struct mptun_bbr_gains mptun_bbr_gains[MPTUN_BBR_STATES] = {
	[MPTUN_BBR_STARTUP]	= { 277, 200 },
	[MPTUN_BBR_DRAIN]	= { 50, 200 },
	[MPTUN_BBR_DOWN]	= { 90, 200 },
	[MPTUN_BBR_CRUISE]	= { 100, 200 },
	[MPTUN_BBR_REFILL]	= { 100, 200 },
	[MPTUN_BBR_UP]		= { 125, 225 },
	[MPTUN_BBR_PROBE_RTT]	= { 100, 50 },
};

/* Startup sends a window within a quarter of the round trip, and this time. */
#define MPTUN_BBR_WINDOW_SHIFT		2
#define MPTUN_BBR_WINDOW_US		50000U

/* Stands for a sample that does not exist. */
static const struct mptun_rate_sample mptun_bbr_no_sample = {
	.app_limited = true,
};

static void mptun_bbr_reset(struct mptun_cc *cc)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->inflight_longterm = MPTUN_BBR_NO_LIMIT;
	b->undo_state = MPTUN_BBR_STATES;
	b->up_step = U32_MAX;
	mptun_bbr_reset_shortterm(b);
	mptun_bbr_enter_startup(cc);
	cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
}

static void mptun_bbr_on_rate(struct mptun_cc *cc)
{
	cc->pacing_rate = mptun_bbr_priv(cc)->pacing_rate;
}

/* Before there is a bandwidth, paces a window per round trip. */
static void mptun_bbr_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	u32 percent = mptun_bbr_gains[MPTUN_BBR_STARTUP].pacing;
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (!b->rtt_us || rtt->latest_us < b->rtt_us)
		b->rtt_us = rtt->latest_us;
	b->rtt_sum_us += rtt->latest_us;
	b->rtt_samples++;
	if (!b->pacing_rate)
		b->pacing_rate = mptun_cc_window_rate(cc, rtt, percent);
	cc->pacing_rate = b->pacing_rate;
}

/* Startup only lowers the rate after losses: its samples may be
 * application-limited.  The minimum is a packet per second, as 0 means unpaced.
 *
 * Flows that begin together with the path are in slow start themselves: they
 * double per round trip, in bursts, which pacing at the rate known so far would
 * stretch to two thirds of a round trip.  From half of one on, HyStart takes
 * the acknowledgments of a burst for those of a full link and ends the slow
 * start: over 200 Mbit/s with a round trip of 100 ms at 240 packets, a sixth of
 * what fits.  And the fq_codel in front of the device drops packets that wait
 * for 100 ms: with a round trip of 200 ms slow starts ended at 20 packets.
 */
static void mptun_bbr_pace(struct mptun_cc *cc, u32 percent)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 rate = b->bw * percent * (100 - MPTUN_BBR_MARGIN_PERCENT);
	u32 us;

	rate = max_t(u64, div_u64(rate, 100 * 100), cc->mss);
	if (b->state == MPTUN_BBR_STARTUP && !b->slowed && b->min_rtt_us) {
		us = b->min_rtt_us >> MPTUN_BBR_WINDOW_SHIFT;
		us = clamp(us, 1U, MPTUN_BBR_WINDOW_US);
		rate = max(rate, div_u64((u64)cc->cwnd * USEC_PER_SEC, us));
	}
	if (b->full_reached || b->slowed || rate > b->pacing_rate)
		b->pacing_rate = rate;
	cc->pacing_rate = b->pacing_rate;
}

/* Pacing gain in percent.
 *
 * A startup that loses too much has sent more than the path takes.  The flows
 * inside wait for what was lost, and send a window at once when it arrives.  At
 * the rate of startup that would overflow the queue again.
 *
 * If startup ended with light traffic, the bandwidth is what that needs on
 * average, not what the path carries.  Paced at it, flows could not begin: the
 * fq_codel in front of the device drops what waits for 100 ms.  So a burst
 * leaves as fast as one has arrived, at most as fast as in startup.
 */
static u32 mptun_bbr_pacing_gain(const struct mptun_bbr *b)
{
	u32 percent = mptun_bbr_gains[b->state].pacing;
	u32 most = mptun_bbr_gains[MPTUN_BBR_STARTUP].pacing;

	if (b->slowed)
		return 100;
	if (!b->light || b->state == MPTUN_BBR_PROBE_RTT)
		return percent;
	return clamp_t(u64, div64_u64(100 * b->burst_bw, mptun_bbr_max_bw(b)),
		       percent, most);
}

/* Saves the window before a temporary cut. */
void mptun_bbr_save_cwnd(struct mptun_cc *cc)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->collapsed || b->state == MPTUN_BBR_PROBE_RTT)
		b->prior_cwnd = max(b->prior_cwnd, cc->cwnd);
	else
		b->prior_cwnd = cc->cwnd;
}

/* Restores the saved window. */
void mptun_bbr_restore_cwnd(struct mptun_cc *cc)
{
	cc->cwnd = max(cc->cwnd, mptun_bbr_priv(cc)->prior_cwnd);
}

/* Window of PROBE_RTT.  It leaves no queue, also if the link has become as slow
 * as it seems.
 */
u32 mptun_bbr_probe_rtt_cwnd(const struct mptun_cc *cc)
{
	u32 percent = mptun_bbr_gains[MPTUN_BBR_PROBE_RTT].cwnd;
	const struct mptun_bbr *b = mptun_bbr_const(cc);
	u64 bw = b->bw;

	if (b->moved && b->step_bw)
		bw = min(bw, b->step_bw);
	return max(mptun_bbr_bdp(cc, bw, percent),
		   cc->mss * MPTUN_BBR_MIN_PACKETS);
}

/* Upper bound of the window by the loss bounds. */
static u32 mptun_bbr_cap(const struct mptun_cc *cc)
{
	const struct mptun_bbr *b = mptun_bbr_const(cc);
	u32 cap = MPTUN_BBR_NO_LIMIT;

	switch (b->state) {
	case MPTUN_BBR_DOWN:
	case MPTUN_BBR_REFILL:
	case MPTUN_BBR_UP:
		cap = b->inflight_longterm;
		break;
	case MPTUN_BBR_CRUISE:
	case MPTUN_BBR_PROBE_RTT:
		cap = mptun_bbr_with_headroom(cc);
		break;
	}
	cap = min(cap, b->inflight_shortterm);
	return max(cap, cc->mss * MPTUN_BBR_MIN_PACKETS);
}

/* The window grows by the acknowledged bytes up to the target of the state.  In
 * startup the target is not reliable enough to shrink to it.
 */
static void mptun_bbr_set_cwnd(struct mptun_cc *cc, u32 acked)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u32 initial = cc->mss * MPTUN_CC_INITIAL_PACKETS;
	u64 cwnd = (u64)cc->cwnd + acked;
	u64 most;

	most = mptun_bbr_bdp(cc, b->bw, mptun_bbr_gains[b->state].cwnd);
	most += max(b->extra[0], b->extra[1]);
	most = mptun_bbr_quantized(cc, most);
	if (b->full_reached)
		cwnd = min(cwnd, most);
	else if (cc->cwnd >= most && b->start_acked >= initial)
		cwnd = cc->cwnd;
	b->start_acked = min_t(u64, (u64)b->start_acked + acked, initial);

	cwnd = max_t(u64, cwnd, cc->mss * MPTUN_BBR_MIN_PACKETS);
	if (b->state == MPTUN_BBR_PROBE_RTT)
		cwnd = min_t(u64, cwnd, mptun_bbr_probe_rtt_cwnd(cc));
	cwnd = min_t(u64, cwnd, mptun_bbr_cap(cc));
	cc->cwnd = min_t(u64, cwnd, mptun_cc_max_window(cc));
}

static void mptun_bbr_on_ack(struct mptun_cc *cc,
			     const struct mptun_cc_ack *ack)
{
	const struct mptun_rate_sample *s = ack->sample ?: &mptun_bbr_no_sample;
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->collapsed && ack->newest_sent_ns > cc->recovery_ns) {
		b->collapsed = false;
		mptun_bbr_restore_cwnd(cc);
	}
	mptun_bbr_undo(cc, ack);
	mptun_bbr_check_loss(cc, ack, s);
	mptun_bbr_check_ce(cc, ack);
	mptun_bbr_update_model(cc, ack, s);
	mptun_bbr_step(cc, ack, s);
	mptun_bbr_update_rtt(cc, ack, s);
	mptun_bbr_step_probe_rtt(cc, ack);
	if (b->loss_round_start) {
		b->bw_latest = min(s->rate, MPTUN_BBR_BW_MAX);
		b->inflight_latest = s->delivered;
		b->loss_reports = 0;
	}
	if (ack->sample || b->state != MPTUN_BBR_STARTUP)
		b->slowed = b->state == MPTUN_BBR_STARTUP &&
			    mptun_bbr_too_high(b, s);
	b->bw = min(mptun_bbr_max_bw(b), b->bw_shortterm);
	cc->bw = b->state == MPTUN_BBR_STARTUP ? 0 : b->bw;
	cc->shown = mptun_bbr_max_bw(b);

	if (b->bw)
		mptun_bbr_pace(cc, mptun_bbr_pacing_gain(b));
	mptun_bbr_set_cwnd(cc, ack->bytes);
}

/* Persistent congestion corresponds to a retransmission timeout of TCP: one
 * packet at a time until one is acknowledged.
 */
static void mptun_bbr_on_loss(struct mptun_cc *cc,
			      const struct mptun_cc_loss *loss)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	mptun_bbr_note_loss(cc, loss->newest_sent_ns, loss->now);
	b->undo_lost += loss->packets;
	b->loss_reports++;
	if (!loss->persistent)
		return;
	mptun_bbr_save_cwnd(cc);
	b->collapsed = true;
	cc->cwnd = loss->in_flight + cc->mss;
}

/* Refills an idle path at its bandwidth, if that is known, not as a probe. */
static void mptun_bbr_on_restart(struct mptun_cc *cc, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->restarted = true;
	b->slower_ns = 0;
	b->rtt_sum_us = 0;
	b->rtt_samples = 0;
	b->extra_ns = now;
	b->extra_acked = 0;
	if (b->state == MPTUN_BBR_PROBE_RTT)
		mptun_bbr_probe_rtt_done(cc, now);
	else if (b->state >= MPTUN_BBR_DOWN && b->bw)
		mptun_bbr_pace(cc, b->light ? mptun_bbr_pacing_gain(b) : 100);
}

/* Nothing asks a path of low rate for more, so only a startup shows that it has
 * recovered.
 */
static void mptun_bbr_on_neglect(struct mptun_cc *cc)
{
	const struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->full_reached && b->state != MPTUN_BBR_PROBE_RTT)
		mptun_bbr_restart(cc, 0);
}

const struct mptun_cc_ops mptun_cc_bbr = {
	.name		= "bbr",
	.reset		= mptun_bbr_reset,
	.on_rtt		= mptun_bbr_on_rtt,
	.on_ack		= mptun_bbr_on_ack,
	.on_loss	= mptun_bbr_on_loss,
	.on_restart	= mptun_bbr_on_restart,
	.on_neglect	= mptun_bbr_on_neglect,
	.on_rate	= mptun_bbr_on_rate,
};
