// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": the state machine (draft-ietf-ccwg-bbr-06,
 * section 5.3, "State Machine Operation").
 *
 *	STARTUP --full, losses--> DRAIN --drained--> DOWN <--full, losses-.
 *	                                            |  |                  |
 *	                                    drained |  | time, or at      |
 *	                                            v  | once (see        |
 *	                                       CRUISE  | below)           |
 *	                                  time |       v                  |
 *	                                       `----> REFILL --a round--> UP
 *
 *	any --no small round-trip time for 5 s (10 s after PROBE_RTT found
 *		no queue) while the path sent all it may, or for four round
 *		trips after it was seen--> PROBE_RTT
 *	PROBE_RTT --200 ms and a round trip--> CRUISE, STARTUP if not yet full
 *
 * Bandwidth probes start after 2 to 3 s, or after as many round trips as the
 * path holds packets, at most 63: about as often as a loss-based controller
 * would probe.  The interval is random so that several senders do not probe in
 * step.  If the path had too little to send when startup or a probe ended, the
 * next one follows its next full round trip: an inner flow whose window does
 * not grow while the path holds it back cannot show more at that moment.  If
 * startup ended so with a queue that may be jitter, and bursts arrive faster,
 * it has found nothing but what light traffic needs, and begins again with the
 * next full round trip.
 *
 * The rate of a radio link changes from second to second, and nothing but a
 * probe shows that it has grown.  So after a change probes come soon, and less
 * and less often: bandwidth that has stayed the same for a second is expected
 * to do so for another half.
 *
 * After a probe with excessive loss the next one is careful: it ends once that
 * much is in flight again.  If it succeeds, or if a probe found a sixteenth
 * more bandwidth, another one follows at once.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/* Interval of bandwidth probes: minimum and random part, limit in round trips.
 */
#define MPTUN_BBR_WAIT_US		2000000U
#define MPTUN_BBR_WAIT_MORE_US		1000000U
#define MPTUN_BBR_WAIT_ROUNDS		63U

/* In round trip n of a probe the window grows by 2^n packets, up to this n. */
#define MPTUN_BBR_UP_ROUNDS		30U

/* A probe ends with this much in flight, in percent of what was in flight when
 * it began.  This is below the 125 % that it sends, because the mean round-trip
 * time already contains a little queue.
 */
#define MPTUN_BBR_QUEUE_PERCENT		120U

/* A probe that found this part more is followed by the next one at once. */
#define MPTUN_BBR_GROWN_SHIFT		4

/* Bandwidth is expected to stay the same for this part of the time for which it
 * has done so.
 */
#define MPTUN_BBR_SAME_SHIFT		1

/* DRAIN lasts at most this many round trips. */
#define MPTUN_BBR_DRAIN_ROUNDS		3U

/* Reports of losses in a round trip that end startup if the loss is excessive.
 */
#define MPTUN_BBR_STARTUP_LOSSES	6U

/* Duration of PROBE_RTT. */
#define MPTUN_BBR_PROBE_RTT_TIME_NS	(200ULL * NSEC_PER_MSEC)

/* Enters STARTUP: the bandwidth is unknown. */
void mptun_bbr_enter_startup(struct mptun_cc *cc)
{
	mptun_bbr_priv(cc)->state = MPTUN_BBR_STARTUP;
	cc->ssthresh = MPTUN_CC_SSTHRESH_NONE;
}

/* Enters DOWN after a probe, and begins a loss round. */
void mptun_bbr_start_down(struct mptun_cc *cc, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->loss_in_round = false;
	b->loss_reports = 0;
	b->bw_latest = 0;
	b->inflight_latest = 0;
	b->probe_rounds = mptun_cc_random(cc, 2);
	b->wait_ns = (MPTUN_BBR_WAIT_US +
		      mptun_cc_random(cc, MPTUN_BBR_WAIT_MORE_US)) *
		     (u64)NSEC_PER_USEC;
	b->cycle_ns = now;
	b->acks = MPTUN_BBR_ACKS_STOPPING;
	mptun_bbr_begin_round(b, now);
	b->state = MPTUN_BBR_DOWN;
}

/* Enters REFILL before a probe. */
void mptun_bbr_start_refill(struct mptun_cc *cc, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	mptun_bbr_reset_shortterm(b);
	b->probe_bw = mptun_bbr_max_bw(b);
	b->up_rounds = 0;
	b->up_acked = 0;
	b->prev_careful = false;
	b->unsure = false;
	b->acks = MPTUN_BBR_ACKS_REFILLING;
	mptun_bbr_begin_round(b, now);
	b->state = MPTUN_BBR_REFILL;
}

/* Doubles the growth of the long-term bound per round trip. */
static void mptun_bbr_raise_slope(struct mptun_cc *cc)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->up_step = max(cc->cwnd >> b->up_rounds, cc->mss);
	b->up_rounds = min(b->up_rounds + 1, MPTUN_BBR_UP_ROUNDS);
}

/* Enters DRAIN once the path is full. */
static void mptun_bbr_step_startup(struct mptun_cc *cc,
				   const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->loss_round_start && mptun_bbr_too_high(b, s) &&
	    b->loss_reports >= MPTUN_BBR_STARTUP_LOSSES) {
		b->undo_state = MPTUN_BBR_STARTUP;
		b->full_reached = true;
		b->inflight_longterm = max(mptun_bbr_bdp(cc, b->bw, 100),
					   b->inflight_latest);
	}
	if (!b->full_reached)
		return;
	b->state = MPTUN_BBR_DRAIN;
	b->drain_round = b->rounds;
}

/* The last packets of a probe have been acknowledged: drops the older half of
 * the bandwidth filter.  If they were application-limited, the probe does not
 * show the limit: the filter stays, and the path is unsure.  Returns true if
 * the next probe has begun, because a careful one succeeded or the bandwidth
 * has grown.
 */
static bool mptun_bbr_probe_acked(struct mptun_cc *cc, u64 now,
				  const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	b->probe_sample = false;
	b->acks = MPTUN_BBR_ACKS_INIT;
	if (b->state < MPTUN_BBR_DOWN || b->state > MPTUN_BBR_UP)
		return false;
	if (!s->app_limited && b->max_bw[0]) {
		b->max_bw[1] = b->max_bw[0];
		b->max_bw[0] = 0;
	}
	if (b->prev_too_high)
		return false;
	/* It has not found clearly more bandwidth. */
	if (!b->prev_careful && mptun_bbr_max_bw(b) <=
	    b->probe_bw + (b->probe_bw >> MPTUN_BBR_GROWN_SHIFT)) {
		if (s->app_limited)
			b->unsure = true;
		return false;
	}
	if (!b->prev_careful)
		b->changed_ns = now;
	mptun_bbr_start_refill(cc, now);
	return true;
}

/* Tracks the phase of the acknowledged packets.  Returns true if that decided
 * the next state.  A probe raises the long-term bound if the window was filled
 * up to it with little loss.
 */
static bool mptun_bbr_step_longterm(struct mptun_cc *cc,
				    const struct mptun_cc_ack *ack,
				    const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 acked, steps;

	if (b->round_start && b->acks == MPTUN_BBR_ACKS_STARTING) {
		b->acks = MPTUN_BBR_ACKS_FEEDBACK;
	} else if (b->round_start && b->acks == MPTUN_BBR_ACKS_STOPPING) {
		if (mptun_bbr_probe_acked(cc, ack->now, s))
			return true;
	}
	if (mptun_bbr_too_high(b, s) || ack->newest_sent_ns <= b->ce_ns ||
	    b->inflight_longterm == MPTUN_BBR_NO_LIMIT)
		return false;
	b->inflight_longterm = max(b->inflight_longterm, s->tx_in_flight);
	if (b->state != MPTUN_BBR_UP || !ack->window_limited ||
	    cc->cwnd < b->inflight_longterm)
		return false;

	acked = (u64)b->up_acked + ack->bytes;
	steps = div_u64(acked, b->up_step);
	b->up_acked = acked - steps * b->up_step;
	b->inflight_longterm = min_t(u64, b->inflight_longterm +
				     steps * cc->mss, mptun_cc_max_window(cc));
	if (b->round_start)
		mptun_bbr_raise_slope(cc);
	return false;
}

/* A probe ends with a queue, or with full bandwidth unless the long-term bound
 * hides whether there is more.  A careful probe ends when as much was in flight
 * as was too much before.
 *
 * Without more bandwidth a probe must build a queue of a fifth of what was in
 * flight before it; with more, that grows with each report.  It shrinks with
 * the queue that the path had before.  BBR version 2 ended probes so, at a
 * quarter.  Version 3 waits for three round trips without more bandwidth, and
 * so for a queue of three quarters.
 */
static bool mptun_bbr_time_to_go_down(struct mptun_cc *cc,
				      const struct mptun_cc_ack *ack,
				      const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u32 most = mptun_bbr_product(cc, mptun_bbr_max_bw(b), b->up_rtt_us,
				     MPTUN_BBR_QUEUE_PERCENT);

	if (b->prev_too_high &&
	    (u64)ack->prior_in_flight + cc->mss > b->inflight_longterm) {
		b->prev_careful = true;
		return true;
	}
	if (b->acks == MPTUN_BBR_ACKS_FEEDBACK &&
	    ack->in_flight > mptun_bbr_quantized(cc, most))
		return true;
	if (ack->window_limited && cc->cwnd >= b->inflight_longterm) {
		mptun_bbr_reset_full_bw(b, s->rate);
		return false;
	}
	return b->full_now;
}

/* Enters STARTUP again after light traffic ended it, or to find out whether a
 * low-rate path has recovered.  The window begins with twice what is in flight,
 * which startup would have at this rate: flows in slow start send that much.
 */
void mptun_bbr_restart(struct mptun_cc *cc, u32 in_flight)
{
	u32 initial = cc->mss * MPTUN_CC_INITIAL_PACKETS;
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	cc->cwnd = min_t(u64, cc->cwnd, max_t(u64, 2ULL * in_flight, initial));
	b->prior_cwnd = cc->cwnd;
	b->undo_lost = 0;
	b->undo_state = MPTUN_BBR_STATES;
	b->collapsed = false;
	b->inflight_longterm = MPTUN_BBR_NO_LIMIT;
	mptun_bbr_reset_shortterm(b);
	mptun_bbr_reset_full_bw(b, mptun_bbr_max_bw(b));
	b->burst_bw = 0;
	b->full_reached = false;
	b->light = false;
	b->unsure = false;
	b->acks = MPTUN_BBR_ACKS_INIT;
	mptun_bbr_enter_startup(cc);
}

/* The first full round trip after the path had too little to send, or after the
 * bandwidth may have changed again.  Not while losses bound it, nor before the
 * queue of the last probe is gone.
 */
static bool mptun_bbr_try_again(const struct mptun_bbr *b,
				const struct mptun_rate_sample *s, u64 now)
{
	u64 same_ns = b->cycle_ns - b->changed_ns;

	if (b->state != MPTUN_BBR_CRUISE || !b->round_start ||
	    s->app_limited || b->bw_shortterm != MPTUN_BBR_NO_BW)
		return false;
	return b->unsure || b->light ||
	       (b->changed_ns && now >= b->cycle_ns +
				(same_ns >> MPTUN_BBR_SAME_SHIFT));
}

static void mptun_bbr_step_probe_bw(struct mptun_cc *cc,
				    const struct mptun_cc_ack *ack,
				    const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u32 packets;
	u64 bw;

	switch (b->state) {
	case MPTUN_BBR_DOWN:
	case MPTUN_BBR_CRUISE:
		packets = mptun_bbr_target(cc) / cc->mss;
		bw = mptun_bbr_max_bw(b);
		if (b->light && mptun_bbr_try_again(b, s, ack->now))
			mptun_bbr_restart(cc, ack->prior_in_flight);
		else if (ack->now > b->cycle_ns + b->wait_ns ||
			 b->probe_rounds >=
			 min(packets, MPTUN_BBR_WAIT_ROUNDS) ||
			 mptun_bbr_try_again(b, s, ack->now))
			mptun_bbr_start_refill(cc, ack->now);
		else if (ack->in_flight <= mptun_bbr_with_headroom(cc) &&
			 ack->in_flight <= mptun_bbr_inflight(cc, bw))
			b->state = MPTUN_BBR_CRUISE;
		break;
	case MPTUN_BBR_REFILL:
		if (!b->round_start)
			break;
		b->acks = MPTUN_BBR_ACKS_STARTING;
		mptun_bbr_begin_round(b, ack->now);
		mptun_bbr_reset_full_bw(b, s->rate);
		/* The probe starts from the round trip before it if jitter or
		 * the queue of others made that clearly longer than the base.
		 */
		b->up_rtt_us = mptun_bbr_rtt_low(b, b->mean_rtt_us) ?
			       b->base_us : b->mean_rtt_us;
		b->state = MPTUN_BBR_UP;
		b->probe_sample = true;
		mptun_bbr_raise_slope(cc);
		break;
	case MPTUN_BBR_UP:
		/* A queue that was there before the probe may drain first. */
		if (b->round_start)
			b->up_rtt_us = min(b->up_rtt_us,
					   max(b->mean_rtt_us, b->base_us));
		if (mptun_bbr_time_to_go_down(cc, ack, s)) {
			b->prev_too_high = false;
			mptun_bbr_start_down(cc, ack->now);
		}
		break;
	}
}

/* Selects the next state after an acknowledgment.  Once the bandwidth is known,
 * ssthresh shows the BDP that startup found, as that of TCP does.
 */
void mptun_bbr_step(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
		    const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->state == MPTUN_BBR_STARTUP)
		mptun_bbr_step_startup(cc, s);
	if (b->state == MPTUN_BBR_DRAIN &&
	    (ack->in_flight <= mptun_bbr_inflight(cc, b->bw) ||
	     b->rounds > b->drain_round + MPTUN_BBR_DRAIN_ROUNDS)) {
		b->probe_bw = mptun_bbr_max_bw(b);
		mptun_bbr_start_down(cc, ack->now);
	}
	if (!b->full_reached)
		return;
	if (!b->light && !mptun_cc_found(cc))
		cc->ssthresh = mptun_bbr_bdp(cc, mptun_bbr_max_bw(b), 100);
	if (!mptun_bbr_step_longterm(cc, ack, s))
		mptun_bbr_step_probe_bw(cc, ack, s);
}

/* Ends PROBE_RTT if it is time.  Losses meanwhile do not count, as little was
 * in flight; there is no queue to drain.
 */
void mptun_bbr_probe_rtt_done(struct mptun_cc *cc, u64 now)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (!b->probe_rtt_done_ns || now <= b->probe_rtt_done_ns)
		return;
	/* nothing is measured yet (mptun_bbr_update_rtt()) */
	if (b->moved && !b->probe_rtt_min_us)
		return;
	b->probe_rtt_done_ns = now;
	b->probe_rtt_min_ns = now;
	b->was_full = false;
	mptun_bbr_update_no_queue(b);
	mptun_bbr_update_moved(b, now);
	mptun_bbr_restore_cwnd(cc);
	mptun_bbr_reset_shortterm(b);
	cc->held = false;
	if (b->full_reached) {
		b->probe_bw = mptun_bbr_max_bw(b);
		mptun_bbr_start_down(cc, now);
		b->acks = MPTUN_BBR_ACKS_INIT;
		b->state = MPTUN_BBR_CRUISE;
	} else {
		mptun_bbr_enter_startup(cc);
	}
}

/* Enters or continues PROBE_RTT.  A path that was idle has no queue of its own,
 * so its samples suffice.  Where the path had less to send than it could, its
 * flows decide what is in flight and not the window.  PROBE_RTT would only make
 * them lose packets.
 */
void mptun_bbr_step_probe_rtt(struct mptun_cc *cc,
			      const struct mptun_cc_ack *ack)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	if (b->state != MPTUN_BBR_PROBE_RTT && b->rtt_expired &&
	    !b->restarted && (b->was_full || b->moved)) {
		mptun_bbr_save_cwnd(cc);
		b->state = MPTUN_BBR_PROBE_RTT;
		b->probe_rtt_done_ns = 0;
		b->prior_rtt_us = b->mean_rtt_us;
		b->acks = MPTUN_BBR_ACKS_STOPPING;
		mptun_bbr_begin_round(b, ack->now);
		cc->held = true;
	}
	if (ack->bytes)
		b->restarted = false;
	if (b->rtt_expired)
		b->was_full = false;
	if (b->state != MPTUN_BBR_PROBE_RTT)
		return;

	/* a slower link has just been found, for which less is in flight */
	if (b->rtt_expired)
		b->probe_rtt_done_ns = 0;
	if (!b->probe_rtt_done_ns) {
		if (ack->in_flight > mptun_bbr_probe_rtt_cwnd(cc))
			return;
		b->probe_rtt_done_ns = ack->now + MPTUN_BBR_PROBE_RTT_TIME_NS;
		b->rtt_round_done = false;
		mptun_bbr_begin_round(b, ack->now);
		return;
	}
	if (b->round_start)
		b->rtt_round_done = true;
	if (b->rtt_round_done)
		mptun_bbr_probe_rtt_done(cc, ack->now);
}
