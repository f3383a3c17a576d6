// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "none": as much as there is memory to keep track of.
 *
 * For links that are shaped below us, and to measure what control costs.  The
 * window is what the records of a path can hold.  A configured rate still is a
 * limit, as for every controller.
 */
#include "cc/cc.h"

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
