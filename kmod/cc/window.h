/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Parts shared by controllers whose window grows until packets are lost.
 */
#ifndef _MPTUN_CC_WINDOW_H
#define _MPTUN_CC_WINDOW_H

#include <linux/types.h>

#include "cc/cc.h"

/* Round-trip samples of which HyStart++ takes the minimum. */
#define MPTUN_WINDOW_RTT_SAMPLES	3

/**
 * struct mptun_window - first member of the private data of such a controller
 * @round_ns: packets sent later belong to the next round
 * @last_min_us: smallest round-trip time of the last round, 0 if unknown
 * @round_min_us: smallest of this round, 0 if none yet
 * @css_min_us: round-trip time at the start of conservative slow start
 * @sample_us: sample not processed yet, 0 if none
 * @recent_us: previous samples, newest first
 * @credit: bytes acknowledged in congestion avoidance that have not raised the
 *	window yet
 * @undo_cwnd: window before the last reduction, 0 if that was not caused by
 *	losses
 * @undo_ssthresh: slow start threshold before the last reduction
 * @undo_lost: packets lost since then and not found spurious
 * @css_rounds: rounds of conservative slow start
 * @css: in conservative slow start
 */
struct mptun_window {
	u64 round_ns;
	u32 last_min_us;
	u32 round_min_us;
	u32 css_min_us;
	u32 sample_us;
	u32 recent_us[MPTUN_WINDOW_RTT_SAMPLES];
	u32 credit;
	u32 undo_cwnd;
	u32 undo_ssthresh;
	u32 undo_lost;
	u8 css_rounds;
	bool css;
};

static inline struct mptun_window *mptun_window_priv(struct mptun_cc *cc)
{
	return (struct mptun_window *)cc->priv;
}

void mptun_window_reset(struct mptun_cc *cc);
void mptun_window_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt);
bool mptun_window_undo(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
bool mptun_window_filled(const struct mptun_cc *cc,
			 const struct mptun_cc_ack *ack);
u32 mptun_window_start(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
void mptun_window_avoid(struct mptun_cc *cc, u32 bytes, u64 per_packet);
void mptun_window_on_ack(struct mptun_cc *cc, const struct mptun_cc_ack *ack);
void mptun_window_pace(struct mptun_cc *cc, const struct mptun_rtt *rtt);
void mptun_window_cut(struct mptun_cc *cc, u32 part, u32 whole);
void mptun_window_on_loss(struct mptun_cc *cc,
			  const struct mptun_cc_loss *loss);
void mptun_window_on_persistent(struct mptun_cc *cc);

#endif /* _MPTUN_CC_WINDOW_H */
