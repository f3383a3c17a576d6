// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "bbr": how much loss is too much, and the short-term
 * bounds that follow it (draft-ietf-ccwg-bbr-06, section 5.5).
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/bbr.h"

/* Returns true if a round trip lost too much, so too much was in flight. */
bool mptun_bbr_too_high(const struct mptun_rate_sample *s)
{
	return s->lost_packets > MPTUN_BBR_LOSS_PACKETS &&
	       (u64)s->lost * 100 >
	       (u64)s->tx_in_flight * MPTUN_BBR_LOSS_PERCENT;
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
void mptun_bbr_update_losses(struct mptun_cc *cc,
			     const struct mptun_rate_sample *s)
{
	struct mptun_bbr *b = mptun_bbr_priv(cc);
	bool accelerating = b->state == MPTUN_BBR_STARTUP ||
			    b->state == MPTUN_BBR_REFILL ||
			    b->state == MPTUN_BBR_UP;

	if (!b->loss_round_start)
		return;
	if (b->loss_in_round && mptun_bbr_too_high(s) && !accelerating) {
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
