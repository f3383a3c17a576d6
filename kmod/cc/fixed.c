// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "fixed": a rate set by hand, whatever gets lost.
 *
 * The model: the pacer sends at exactly the configured rate; the window must
 * not be the limit while the path behaves, and must be one when it does not.
 * At rate R a packet stays in flight for the round trip and as long as the
 * peer may keep its report back.  100 ms are added on top: radio links pause
 * for that long without having lost anything, and the pacer should not be
 * starved by it.  It is also what a queue may hold if the rate was set higher
 * than the link's: the window then turns the excess away.
 *
 * The round trip is the shortest ever seen, not that of the last seconds: a
 * rate above the link's keeps a queue that never empties, and a minimum that
 * follows it would let the window and thus the queue grow without end.  The
 * price is that a route which becomes more than 100 ms longer is not filled
 * until the path is reset.  Without a configured rate the window is that of a
 * path's start, unpaced: slow, but harmless.
 *
 * Units: bytes, bytes per second, microseconds.
 *
 * Congestion controller "none": as much as there is memory to keep track of.
 *
 * For links that are shaped below us, and to measure what control costs.  The
 * window is what the records of a path can hold.  A configured rate still is a
 * limit, as for every controller.
 */
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "cc/cc.h"

#define MPTUN_FIXED_PAUSE_US		100000U
#define MPTUN_FIXED_MIN_PACKETS		4U

/* Larger rates make the largest window anyway; keeps the product in 64 bit. */
#define MPTUN_FIXED_RATE_MAX		0x1000000000ULL
static_assert(MPTUN_RTT_MAX_US * 2 + MPTUN_FIXED_PAUSE_US < 1U << 27);

/**
 * struct mptun_fixed - private data
 * @min_us: shortest round-trip time since the last reset
 * @known: there has been a sample
 */
struct mptun_fixed {
	u32 min_us;
	bool known;
};

static_assert(sizeof(struct mptun_fixed) <=
	      sizeof_field(struct mptun_cc, priv));

static void mptun_fixed_window(struct mptun_cc *cc)
{
	struct mptun_fixed *f = (struct mptun_fixed *)cc->priv;
	u32 time_us = f->min_us + MPTUN_FIXED_PAUSE_US;
	u64 window;

	time_us += max(f->min_us >> MPTUN_RTT_REPORT_SHIFT,
		       MPTUN_RTT_REPORT_MIN_US);
	cc->pacing_rate = cc->rate;
	if (!cc->rate) {
		cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
		return;
	}
	window = min(cc->rate, MPTUN_FIXED_RATE_MAX) * time_us;
	window = div_u64(window, USEC_PER_SEC);
	window = max_t(u64, window, cc->mss * MPTUN_FIXED_MIN_PACKETS);
	cc->cwnd = min_t(u64, window, mptun_cc_max_window(cc));
}

static void mptun_fixed_reset(struct mptun_cc *cc)
{
	struct mptun_fixed *f = (struct mptun_fixed *)cc->priv;

	f->min_us = MPTUN_RTT_INITIAL_US;
	mptun_fixed_window(cc);
}

static void mptun_fixed_on_rtt(struct mptun_cc *cc,
			       const struct mptun_rtt *rtt)
{
	struct mptun_fixed *f = (struct mptun_fixed *)cc->priv;

	if (!f->known || rtt->min_us < f->min_us)
		f->min_us = rtt->min_us;
	f->known = true;
	mptun_fixed_window(cc);
}

const struct mptun_cc_ops mptun_cc_fixed = {
	.name		= "fixed",
	.reset		= mptun_fixed_reset,
	.on_rtt		= mptun_fixed_on_rtt,
	.on_rate	= mptun_fixed_window,
};

static void mptun_none_set(struct mptun_cc *cc)
{
	cc->cwnd = mptun_cc_max_window(cc);
	cc->pacing_rate = 0;
}

const struct mptun_cc_ops mptun_cc_none = {
	.name		= "none",
	.reset		= mptun_none_set,
	.on_rate	= mptun_none_set,
};
