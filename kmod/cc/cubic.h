/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Private data of controller "cubic".
 */
#ifndef _MPTUN_CUBIC_H
#define _MPTUN_CUBIC_H

#include <linux/build_bug.h>

#include "cc/window.h"

/**
 * struct mptun_cubic_curve - growth of the window
 * @w_max: plateau in bytes, 0 if unknown
 * @w_prior: window before the last reduction
 * @w_est: estimated window of newreno
 * @k_ms: time from the start to @w_max
 * @running: it has started
 * @t_ns: time it has been running
 */
struct mptun_cubic_curve {
	u32 w_max;
	u32 w_prior;
	u32 w_est;
	u32 k_ms;
	bool running;
	u64 t_ns;
};

/**
 * struct mptun_cubic - private data
 * @window: shared part
 * @curve: growth of the window
 * @undo: the curve before the last reduction
 * @last_ns: time of the last acknowledgment
 * @est_credit: acknowledged bytes that have not raised @curve.w_est yet, in
 *	bytes of growth times the window
 */
struct mptun_cubic {
	struct mptun_window window;
	struct mptun_cubic_curve curve;
	struct mptun_cubic_curve undo;
	u64 last_ns;
	u64 est_credit;
};

static_assert(sizeof(struct mptun_cubic) <=
	      sizeof_field(struct mptun_cc, priv));

static inline struct mptun_cubic *mptun_cubic_priv(struct mptun_cc *cc)
{
	return (struct mptun_cubic *)cc->priv;
}

#if IS_ENABLED(CONFIG_KUNIT)
u32 mptun_cubic_root(u64 x);
#endif

#endif /* _MPTUN_CUBIC_H */
