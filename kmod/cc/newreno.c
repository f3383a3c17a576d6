// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "newreno" (RFC 5681 and 6582 in the words of RFC 9002).
 *
 * The model: congestion avoidance adds a packet per window acknowledged, and a
 * congestion event halves the window, which is never below two packets.  All
 * but that half is in cc/window.c.
 */
#include "cc/window.h"

static void mptun_newreno_on_event(struct mptun_cc *cc)
{
	mptun_window_cut(cc, 1, 2);
}

const struct mptun_cc_ops mptun_cc_newreno = {
	.name		= "newreno",
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_window_on_ack,
	.on_event	= mptun_newreno_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};
