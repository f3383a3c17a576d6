/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Private data of controller "delay".
 */
#ifndef _MPTUN_DELAY_H
#define _MPTUN_DELAY_H

#include <linux/build_bug.h>

#include "cc/window.h"

/* Weight that one packet leaves to an average, of 2^32: 9/10 and 9999/10000. */
#define MPTUN_DELAY_SHORT_KEEP		3865470566U
#define MPTUN_DELAY_LONG_KEEP		4294537799U

#define MPTUN_DELAY_SHIFT		16

/**
 * struct mptun_delay - private data
 * @window: shared part, for the test whether the window was filled
 * @short_rtt: short average, 0 without a sample
 * @long_rtt: long average
 * @sample_us: sample not processed yet, 0 if none
 * @min_us: shortest round trip so far, 0 if unknown
 * @credit: acknowledged bytes that have not changed the window yet, negative to
 *	shrink it
 * @event: a congestion event is pending
 */
struct mptun_delay {
	struct mptun_window window;
	u64 short_rtt;
	u64 long_rtt;
	u32 sample_us;
	u32 min_us;
	s32 credit;
	bool event;
};

static_assert(sizeof(struct mptun_delay) <=
	      sizeof_field(struct mptun_cc, priv));

static inline struct mptun_delay *mptun_delay_priv(struct mptun_cc *cc)
{
	return (struct mptun_delay *)cc->priv;
}

#if IS_ENABLED(CONFIG_KUNIT)
u64 mptun_delay_average(u64 average, u64 sample, u32 keep, u32 n);
#endif

#endif /* _MPTUN_DELAY_H */
