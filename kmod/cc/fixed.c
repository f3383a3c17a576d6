// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controllers "fixed", a configured rate regardless of losses, and
 * "none".
 *
 * fixed: the pacer sends at the configured rate; the window must not limit a
 * healthy path, and must limit one that stalls.  At rate R a packet stays in
 * flight for the round trip and the report delay. 100 ms are added: radio links
 * pause for that long without losing anything, which must not stop the pacer.
 * They also bound the queue if the configured rate exceeds the link's.
 *
 * The round trip is the shortest ever measured, not that of the last seconds:
 * with a rate above the link's the queue never empties, and a windowed minimum
 * would follow it and let window and queue grow without end.  The price: a
 * route that becomes more than 100 ms longer is not filled until the path is
 * reset.  Without a configured rate the window is the initial one, unpaced.
 *
 * none: no control, for links that are shaped elsewhere and for measurements.
 * The window is what the records of a path can hold.  A configured rate limits
 * it like every controller.
 *
 * Units: bytes, bytes per second, microseconds.
 */
#include <linux/build_bug.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "cc/cc.h"

#define MPTUN_FIXED_PAUSE_US		100000U
#define MPTUN_FIXED_MIN_PACKETS		4U

/* Larger rates result in the largest window anyway; keeps the product in 64
 * bits.
 */
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
