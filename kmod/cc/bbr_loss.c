// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": what losses mean (draft-ietf-ccwg-bbr-06,
 * section 5.5): how much is too much, the bounds that follow, and how they are
 * undone.
 *
 * The draft takes 2 % of a round trip for congestion.  Radio links lose that
 * much by themselves, whatever their load: at 2 % of random loss every second
 * round trip would be excessive, and the bandwidth falls to a third.  Here the
 * 2 % add to the loss that is usual on the path: what it loses without a queue
 * and without a probe.  Mean and mean deviation estimate it, as RFC 6298
 * estimates round-trip times, so bursts raise the bound as well.  Policers and
 * short queues lose more when the path sends more, so probes still find them.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/* Tolerated loss of a round trip beyond what is usual, in percent (LossThresh),
 * and in packets, as a few packets are no percentage: at 1 % random loss and
 * 100 packets in flight every fourth round trip loses two or more, every
 * twelfth three or more.
 */
#define MPTUN_BBR_LOSS_PERCENT		2U
#define MPTUN_BBR_LOSS_PACKETS		2U

/* Most that counts as usual.  A policer drops 19 % of a probe: what exceeds its
 * rate of 125 percent, less the margin.
 */
#define MPTUN_BBR_USUAL_PERCENT		15U

/* Gains of mean and deviation, and weight of the deviation (RFC 6298) */
#define MPTUN_BBR_MEAN_SHIFT		3
#define MPTUN_BBR_DEV_SHIFT		2
#define MPTUN_BBR_DEVS			4U

/* Packets that make a share: several round trips if the path holds fewer */
#define MPTUN_BBR_SHARE_PACKETS		50U

/* Shares of the bytes in flight are in 1/65536. */
#define MPTUN_BBR_SHARE_SHIFT		16
#define MPTUN_BBR_SHARE_PERCENT(n) \
	DIV_ROUND_UP((n) << MPTUN_BBR_SHARE_SHIFT, 100)

/* Tolerated loss of a round trip, as a share. */
static u32 mptun_bbr_tolerated(const struct mptun_bbr *b)
{
	u32 usual = b->loss_mean + MPTUN_BBR_DEVS * b->loss_dev;

	return min(usual, MPTUN_BBR_SHARE_PERCENT(MPTUN_BBR_USUAL_PERCENT)) +
	       MPTUN_BBR_SHARE_PERCENT(MPTUN_BBR_LOSS_PERCENT);
}

/* Returns true if a round trip lost too much, so too much was in flight. */
bool mptun_bbr_too_high(const struct mptun_bbr *b,
			const struct mptun_rate_sample *s)
{
	return s->lost_packets > MPTUN_BBR_LOSS_PACKETS &&
	       ((u64)s->lost << MPTUN_BBR_SHARE_SHIFT) >
	       (u64)s->tx_in_flight * mptun_bbr_tolerated(b);
}

/* Loss beyond what is tolerated does not change the deviation, and none counts
 * as more than 2 % above the mean.  So one bad round trip raises the bound by a
 * quarter of a percent, and a path that always loses more is known after some
 * seconds.
 */
static void mptun_bbr_update_shares(struct mptun_bbr *b, u32 share)
{
	u32 mean = b->loss_mean, tolerated = mptun_bbr_tolerated(b);
	u32 most = mean + MPTUN_BBR_SHARE_PERCENT(MPTUN_BBR_LOSS_PERCENT);

	if (share <= tolerated) {
		b->loss_dev -= b->loss_dev >> MPTUN_BBR_DEV_SHIFT;
		b->loss_dev += (max(share, mean) - min(share, mean)) >>
			       MPTUN_BBR_DEV_SHIFT;
	}
	share = min(share, most);
	b->loss_mean -= mean >> MPTUN_BBR_MEAN_SHIFT;
	b->loss_mean += share >> MPTUN_BBR_MEAN_SHIFT;
}

/* At the end of a round trip: adds its loss to what is usual. */
void mptun_bbr_update_usual(struct mptun_cc *cc,
			    const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);

	/* One shows it if it had no queue and was no probe.  DOWN does not
	 * count either, as losses of the probe before it may be found late.
	 */
	if (!b->round_start || !s->tx_in_flight || b->had_queue ||
	    b->acks != MPTUN_BBR_ACKS_INIT ||
	    (b->state != MPTUN_BBR_STARTUP && b->state != MPTUN_BBR_CRUISE))
		return;
	b->share_lost += min(s->lost, s->tx_in_flight);
	b->share_sent += s->tx_in_flight;
	if (b->share_sent < (u64)cc->mss * MPTUN_BBR_SHARE_PACKETS)
		return;
	mptun_bbr_update_shares(b, div64_u64(b->share_lost <<
					     MPTUN_BBR_SHARE_SHIFT,
					     b->share_sent));
	b->share_lost = 0;
	b->share_sent = 0;
}

/* Removes the short-term bounds. */
void mptun_bbr_reset_shortterm(struct mptun_bbr *b)
{
	b->bw_shortterm = MPTUN_BBR_NO_BW;
	b->inflight_shortterm = MPTUN_BBR_NO_LIMIT;
}

/* Once per round trip with excessive loss: lowers the bounds to what was
 * delivered.  The draft does so for any loss, which by its own analysis halves
 * the throughput at 1 % random loss, as on radio links.
 */
void mptun_bbr_update_shortterm(struct mptun_cc *cc,
				const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	bool accelerating = b->state == MPTUN_BBR_STARTUP ||
			    b->state == MPTUN_BBR_REFILL ||
			    b->state == MPTUN_BBR_UP;

	if (!b->loss_round_start)
		return;
	if (b->loss_in_round && mptun_bbr_too_high(b, s) && !accelerating) {
		if (b->bw_shortterm == MPTUN_BBR_NO_BW)
			b->bw_shortterm = mptun_bbr_max_bw(b);
		if (b->inflight_shortterm == MPTUN_BBR_NO_LIMIT)
			b->inflight_shortterm = cc->cwnd;
		b->bw_shortterm = max(b->bw_latest,
				      mptun_bbr_beta(b->bw_shortterm));
		b->inflight_shortterm =
			max_t(u32, b->inflight_latest,
			      mptun_bbr_beta(b->inflight_shortterm));
	}
	b->loss_in_round = false;
}

static void mptun_bbr_begin_losses(struct mptun_bbr *b, u64 now)
{
	if (b->loss_in_round)
		return;
	b->loss_in_round = true;
	b->loss_round_ns = now;
}

/* Saves what losses change, in case they prove spurious.  Losses of one round
 * trip are one episode.
 */
void mptun_bbr_note_loss(struct mptun_cc *cc, u64 sent_ns, u64 now)
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

/* Undoes a loss episode whose packets all arrived. */
void mptun_bbr_undo(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
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
	mptun_bbr_reset_full_bw(b, 0);
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

/* Excessive loss in a probe sets the long-term bound, once per probe. */
void mptun_bbr_check_loss(struct mptun_cc *cc, const struct mptun_cc_ack *ack,
			  const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	u64 least = mptun_bbr_beta(mptun_bbr_target(cc));

	if (!b->probe_sample || !mptun_bbr_too_high(b, s))
		return;
	mptun_bbr_note_loss(cc, ack->newest_sent_ns, ack->now);
	b->prev_too_high = true;
	b->probe_sample = false;
	if (!s->app_limited)
		b->inflight_longterm = max_t(u64, s->tx_in_flight, least);
	if (b->state == MPTUN_BBR_UP) {
		b->undo_state = MPTUN_BBR_UP;
		mptun_bbr_start_down(cc, ack->now);
	}
}

/* Treats CE as excessive loss; unlike a loss it can never prove spurious. */
void mptun_bbr_check_ce(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
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
	b->inflight_longterm = max_t(u64, mptun_bbr_beta(limit),
				     cc->mss * MPTUN_BBR_MIN_PACKETS);
	b->full_reached = true;
	if (b->state == MPTUN_BBR_UP)
		mptun_bbr_start_down(cc, ack->now);
}
