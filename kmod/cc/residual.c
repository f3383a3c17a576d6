// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "residual": a loss costs the share of one path.
 *
 * The model is that of PSMC (Cai 2005, section 4.3): of n similar paths under
 * one window, the one that lost a packet has 1/n of the bandwidth.  What
 * remains are the others, so the window becomes (n-1)/n of what it was instead
 * of one half, and all else is "newreno".  In PSMC that window is a TCP flow's
 * over all paths.  Here each path has a window of its own, and it is the window
 * of the path with the loss that is cut to (n-1)/n; with two paths that is
 * newreno.  A path that is alone halves its window, where the published rule
 * leaves nothing.
 *
 * Which paths are counted: those of the same group that are in use, whatever
 * controller they have.
 *
 * The more paths there are, the less random losses cost, and the more is taken
 * from others on a shared bottleneck: a window that is cut to 4/5 has 1.7 times
 * the mean of one that is halved.  "lia" is for paths that share something.
 */
#include <linux/list.h>

#include "cc/window.h"

/* It has just begun. */
static void mptun_residual_on_event(struct mptun_cc *cc)
{
	struct mptun_cc *other;
	u32 paths = 1;

	if (cc->peers)
		list_for_each_entry(other, cc->peers, peer)
			if (other != cc &&
			    mptun_cc_coupled(cc, other, cc->recovery_ns))
				paths++;
	if (paths == 1)
		mptun_window_cut(cc, 1, 2);
	else
		mptun_window_cut(cc, paths - 1, paths);
}

const struct mptun_cc_ops mptun_cc_residual = {
	.name		= "residual",
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_window_on_ack,
	.on_event	= mptun_residual_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};
