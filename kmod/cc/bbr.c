// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr" (BBR version 3, draft-ietf-ccwg-bbr-06).
 *
 * The model: a path has a bandwidth and a round-trip time, and their product is
 * what it holds.  Who sends at the bandwidth and has so much in flight uses all
 * of it and makes no queue.  Neither can be seen while the other is, so the
 * controller does one thing after the other: sends a little faster now and then
 * to see whether there is more bandwidth, a little slower to drain the queue
 * that made, and very little for a moment if the round-trip time has not been
 * seen for long.  Losses are no signal by themselves, only more than 2 % of a
 * round trip are.  cc/bbr_model.c and cc/bbr_rtt.c keep what is
 * known of the path, cc/bbr_state.c decides what to find out next, and this
 * file makes pacing rate and window of it (section 5.6 of the draft, "Updating
 * Control Parameters").
 *
 * What is different in a tunnel:
 *
 *  - Many flows share one controller.  They have a controller each, which sees
 *    the queue of the device in front of the tunnel and not that of the path.
 *    None of them is responsible for a loss, and none repairs it here, so there
 *    is no recovery whose end could be waited for; a window that was cut for
 *    persistent congestion comes back with the first packet sent after that.
 *  - Tunnels often have less to send than they could.  All that is known stays
 *    valid then: samples of such round trips only count if they show more.
 *    What a scheduler does not give to a path looks the same.  Startup also
 *    ends if such a path shows no more bandwidth, though its packets waited.
 *  - Reports come up to eight times per round trip, or only every millisecond.
 *    They carry the receiver's clock, so rates are right nevertheless, but the
 *    window has to last until the next one, and a run of packets leaves at
 *    once: what the pacer and a report make up has always room (as
 *    "offload_budget" has in the draft).
 *  - Losses are counted per report.  Too much loss is found with the next
 *    sample instead of packet by packet, and what was in flight is known to a
 *    sixteenth of a round trip.
 *  - The inner flows want a short queue, and there are few controllers on a
 *    path to fight with.  A probe ends as soon as it has made a queue.
 *  - Radio links lose single packets.  Bounds that follow losses only do so if
 *    too much was lost.
 *  - A round-trip time as small as the smallest, not only a smaller one, saves
 *    the search for it: the inner flows pause often enough.
 *  - Routes become longer and links slower under traffic, where radio links
 *    hand over.  Which it is, is looked for at once when round trips are longer
 *    all of a sudden, and what is found is believed.
 *  - The draft has no answer to marks of classic ECN.  One counts as a loss
 *    that was too much (RFC 3168), once per round trip.
 *
 * Units: bytes, bytes per second, microseconds for round-trip times, ns for
 * points in time.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/**
 * struct mptun_bbr_gains - how fast and how much to send in a state
 * @pacing: pacing rate in percent of the bandwidth
 * @cwnd: window in percent of what the path holds
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

/* Startup sends a window within so many us, however long the round trip is. */
#define MPTUN_BBR_WINDOW_US		50000U

/* Of a round trip that is not known nothing is learnt. */
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

/* Before there is a bandwidth, a window per round trip is sent. */
static void mptun_bbr_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	u32 percent = mptun_bbr_gains[MPTUN_BBR_STARTUP].pacing;
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (!b->rtt_us || rtt->latest_us < b->rtt_us)
		b->rtt_us = rtt->latest_us;
	if (!b->pacing_rate)
		b->pacing_rate = mptun_cc_window_rate(cc, rtt, percent);
	cc->pacing_rate = b->pacing_rate;
}

/* Startup never goes slower: its samples may be of a path that had too little
 * to send.  A packet per second is the least, for 0 would be no limit.
 *
 * Flows that begin while nothing is known of the path start slowly themselves.
 * Each round trip they send twice as much as in the one before, in bursts, and
 * what is known by then would spread these over two thirds of a round trip.  In
 * front of the device waits fq_codel, which drops what has had to wait for
 * 100 ms: with a round trip of 200 ms slow starts ended at 20 packets.
 */
static void mptun_bbr_pace(struct mptun_cc *cc, u32 percent)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 rate = b->bw * percent * (100 - MPTUN_BBR_MARGIN_PERCENT);

	rate = max_t(u64, div_u64(rate, 100 * 100), cc->mss);
	if (b->state == MPTUN_BBR_STARTUP)
		rate = max(rate, cc->cwnd * (u64)(USEC_PER_SEC /
						  MPTUN_BBR_WINDOW_US));
	if (b->full_reached || rate > b->pacing_rate)
		b->pacing_rate = rate;
	cc->pacing_rate = b->pacing_rate;
}

/**
 * mptun_bbr_save_cwnd() - remember the window before it is cut for a while
 * @cc: congestion state
 */
void mptun_bbr_save_cwnd(struct mptun_cc *cc)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->collapsed || b->state == MPTUN_BBR_PROBE_RTT)
		b->prior_cwnd = max(b->prior_cwnd, cc->cwnd);
	else
		b->prior_cwnd = cc->cwnd;
}

/**
 * mptun_bbr_restore_cwnd() - go back to that window
 * @cc: congestion state
 */
void mptun_bbr_restore_cwnd(struct mptun_cc *cc)
{
	cc->cwnd = max(cc->cwnd, mptun_bbr_priv(cc)->prior_cwnd);
}

/**
 * mptun_bbr_probe_rtt_cwnd() - window that leaves no queue
 * @cc: congestion state
 *
 * Return: bytes.
 */
u32 mptun_bbr_probe_rtt_cwnd(const struct mptun_cc *cc)
{
	u32 percent = mptun_bbr_gains[MPTUN_BBR_PROBE_RTT].cwnd;

	return max(mptun_bbr_bdp(cc, mptun_bbr_const(cc)->bw, percent),
		   cc->mss * MPTUN_BBR_MIN_PACKETS);
}

/* What losses allow. */
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

/* The window grows with what is acknowledged, up to what the state makes of the
 * path.  In startup that is not known well enough to go back to it.
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

static void mptun_bbr_begin_losses(struct mptun_bbr *b, u64 now)
{
	if (b->loss_in_round)
		return;
	b->loss_in_round = true;
	b->loss_round_ns = now;
}

/* Losses may turn out to be none: what do they change?  Those of one round trip
 * are one case.
 */
static void mptun_bbr_note_loss(struct mptun_cc *cc, u64 sent_ns, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	mptun_bbr_begin_losses(b, now);
	if (sent_ns <= b->undo_ns)
		return;
	b->undo_ns = now;
	mptun_bbr_save_cwnd(cc);
	b->undo_state = MPTUN_BBR_STATES;
	b->undo_bw_shortterm = b->bw_shortterm;
	b->undo_inflight_shortterm = b->inflight_shortterm;
	b->undo_inflight_longterm = b->inflight_longterm;
	b->undo_lost = 0;
}

/* Takes back what losses did that all were none. */
static void mptun_bbr_undo(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u8 state = b->undo_state;

	if (!ack->spurious || !b->undo_lost)
		return;
	b->undo_lost -= min(b->undo_lost, ack->spurious);
	if (b->undo_lost)
		return;

	mptun_bbr_restore_cwnd(cc);
	b->loss_in_round = false;
	mptun_bbr_reset_full_bw(b);
	b->bw_shortterm = max(b->bw_shortterm, b->undo_bw_shortterm);
	b->inflight_shortterm = max(b->inflight_shortterm,
				    b->undo_inflight_shortterm);
	b->inflight_longterm = max(b->inflight_longterm,
				   b->undo_inflight_longterm);
	b->undo_state = MPTUN_BBR_STATES;
	if (state == MPTUN_BBR_STARTUP)
		b->full_reached = false;
	if (b->state == MPTUN_BBR_PROBE_RTT || b->state == state)
		return;
	if (state == MPTUN_BBR_STARTUP)
		mptun_bbr_enter_startup(cc);
	else if (state == MPTUN_BBR_UP)
		mptun_bbr_start_refill(cc, ack->now);
}

/* A probe has found how much in flight is too much.  One answer per probe. */
static void mptun_bbr_check_loss(struct mptun_cc *cc,
				 const struct mptun_cc_ack *ack,
				 const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 least = (u64)mptun_bbr_target(cc) * MPTUN_BBR_BETA_PERCENT;

	if (!b->probe_sample || !mptun_bbr_too_high(cc, s))
		return;
	mptun_bbr_note_loss(cc, ack->newest_sent_ns, ack->now);
	b->prev_too_high = true;
	b->probe_sample = false;
	if (!s->app_limited)
		b->inflight_longterm = max_t(u64, s->tx_in_flight,
					     div_u64(least, 100));
	if (b->state == MPTUN_BBR_UP) {
		b->undo_state = MPTUN_BBR_UP;
		mptun_bbr_start_down(cc, ack->now);
	}
}

/* A mark is a loss that was too much and is none that may turn out to be one
 * that was not.
 */
static void mptun_bbr_check_ce(struct mptun_cc *cc,
			       const struct mptun_cc_ack *ack)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 limit = min(b->inflight_longterm, ack->prior_in_flight);

	if (!ack->ce || ack->newest_sent_ns <= b->ce_ns)
		return;
	b->ce_ns = ack->now;
	mptun_bbr_begin_losses(b, ack->now);
	b->undo_lost = 0;
	b->prev_too_high = true;
	b->probe_sample = false;
	limit = div_u64(limit * MPTUN_BBR_BETA_PERCENT, 100);
	b->inflight_longterm = max_t(u64, limit,
				     cc->mss * MPTUN_BBR_MIN_PACKETS);
	b->full_reached = true;
	if (b->state == MPTUN_BBR_UP)
		mptun_bbr_start_down(cc, ack->now);
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
	mptun_bbr_update_rtt(b, s, ack->now);
	mptun_bbr_step_probe_rtt(cc, ack);
	mptun_bbr_advance_model(b, s);
	cc->bw = b->state == MPTUN_BBR_STARTUP ? 0 : b->bw;

	if (b->bw)
		mptun_bbr_pace(cc, mptun_bbr_gains[b->state].pacing);
	mptun_bbr_set_cwnd(cc, ack->bytes);
}

/* Packets lost in a row over several timeouts are what a timeout of
 * retransmissions is to TCP: a packet at a time until one arrives.
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

/* The path is empty: it is filled again at its bandwidth, not with a burst. */
static void mptun_bbr_on_restart(struct mptun_cc *cc, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->restarted = true;
	b->extra_ns = now;
	b->extra_acked = 0;
	if (b->state == MPTUN_BBR_PROBE_RTT)
		mptun_bbr_probe_rtt_done(cc, now);
	else if (b->state >= MPTUN_BBR_DOWN && b->bw)
		mptun_bbr_pace(cc, 100);
}

const struct mptun_cc_ops mptun_cc_bbr = {
	.name		= "bbr",
	.reset		= mptun_bbr_reset,
	.on_rtt		= mptun_bbr_on_rtt,
	.on_ack		= mptun_bbr_on_ack,
	.on_loss	= mptun_bbr_on_loss,
	.on_restart	= mptun_bbr_on_restart,
	.on_rate	= mptun_bbr_on_rate,
};
