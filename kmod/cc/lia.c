// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controllers that know the other paths: "lia" (RFC 6356) and
 * "residual".
 *
 * lia couples the growth of the windows of a group. n paths with "newreno" each
 * take n times the share of one connection at a shared bottleneck.  So the
 * windows of a group together grow no faster than one window on the best path:
 * a window grows by a packet not per window acknowledged, but per
 *
 *	cwnd_total     ( sum of cwnd_i / rtt_i ) ^ 2
 *	----------  =  -----------------------------
 *	  alpha        max of  cwnd_i / rtt_i ^ 2
 *
 * bytes (sections 3 and 4.1), and never faster than newreno.  With x_i = cwnd_i
 * / rtt_i, their sum X and the path b of the maximum, that is X * (X * rtt_b /
 * x_b); the term in brackets is the time in which path b carries what all carry
 * in one of its round trips.  As each window is divided by its own size,
 * traffic moves to paths that lose less.  Slow start and the reaction to losses
 * are newreno's.
 *
 * The group are the paths of the tunnel with the same group number that use
 * this controller and are active.  Without configured numbers all are one
 * group, as in the RFC; paths without a shared bottleneck need numbers.
 *
 * Cost: the sum over at most 32 paths is computed once per round trip of a path
 * and cached, as section 4.1 allows.
 *
 * Arithmetic: windows are at most 2^30, round-trip times at most 6 * 10^7 us.
 * A rate is in bytes per 2^16 us and at most 2^33 (a terabit per second).  The
 * sum is at most 2^38, times a round-trip time less than 2^64.  The time in
 * brackets is at most the sum of all round-trip times, less than 2^31, as b is
 * the maximum.
 *
 * residual is newreno whose window loses the share of one path only.  In PSMC
 * (Cai 2005, section 4.3) n similar paths share one window; a loss means that
 * the path with 1/n of the bandwidth lost a packet, so the window becomes
 * (n-1)/n of its size.  Here each path has its own window, and the window of
 * the path with the loss becomes (n-1)/n; with two paths that is newreno.  A
 * single path halves its window, where the published rule leaves nothing.  It
 * counts the active paths of the group, whatever their controller.  The more
 * paths there are, the less random losses cost and the more is taken from
 * others at a shared bottleneck: a window cut to 4/5 has 1.7 times the mean of
 * one that is halved.
 *
 * Units: bytes, microseconds for round-trip times, ns for points in time.
 */
#include <kunit/visibility.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/lia.h"

#define MPTUN_LIA_RATE_SHIFT	16
#define MPTUN_LIA_RATE_MAX	0x200000000ULL

/**
 * struct mptun_lia_sum - state of a group
 * @rate: rate of all its paths
 * @best_rate: rate of the path with the largest rate per round-trip time
 * @best_rtt: round-trip time of that path
 */
struct mptun_lia_sum {
	u64 rate;
	u64 best_rate;
	u32 best_rtt;
};

static void mptun_lia_add(struct mptun_lia_sum *sum, const struct mptun_cc *cc)
{
	u32 rtt = clamp(cc->srtt_us, 1U, MPTUN_RTT_MAX_US);
	u64 rate = div_u64((u64)cc->cwnd << MPTUN_LIA_RATE_SHIFT, rtt);

	rate = clamp_t(u64, rate, 1, MPTUN_LIA_RATE_MAX);
	sum->rate += rate;
	if (rate * sum->best_rtt < sum->best_rate * rtt)
		return;
	sum->best_rate = rate;
	sum->best_rtt = rtt;
}

VISIBLE_IF_KUNIT void mptun_lia_couple(struct mptun_cc *cc, u64 now)
{
	struct mptun_lia_sum sum = {};
	struct mptun_cc *other;
	u32 time_us;

	mptun_lia_add(&sum, cc);
	if (cc->peers)
		list_for_each_entry(other, cc->peers, peer)
			if (other != cc && other->ops == cc->ops &&
			    mptun_cc_coupled(cc, other, now))
				mptun_lia_add(&sum, other);

	time_us = div64_u64(sum.rate * sum.best_rtt, sum.best_rate);
	mptun_lia_priv(cc)->per_packet = mul_u64_u32_shr(sum.rate, time_us,
							 MPTUN_LIA_RATE_SHIFT);
}

static void mptun_lia_on_ack(struct mptun_cc *cc,
			     const struct mptun_cc_ack *ack)
{
	struct mptun_lia *lia = mptun_lia_priv(cc);
	u32 bytes;

	mptun_window_undo(cc, ack);
	bytes = mptun_window_start(cc, ack);
	if (bytes) {
		if (!lia->per_packet || ack->newest_sent_ns >= lia->round_ns) {
			mptun_lia_couple(cc, ack->now);
			lia->round_ns = ack->now;
		}
		mptun_window_avoid(cc, bytes,
				   max_t(u64, lia->per_packet, cc->cwnd));
	}
	mptun_window_pace(cc, ack->rtt);
}

static void mptun_lia_on_event(struct mptun_cc *cc)
{
	mptun_lia_priv(cc)->per_packet = 0;
	mptun_window_cut(cc, 1, 2);
}

const struct mptun_cc_ops mptun_cc_lia = {
	.name		= "lia",
	.couples	= true,
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_lia_on_ack,
	.on_event	= mptun_lia_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};

/* A congestion event has just begun. */
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
	.couples	= true,
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_window_on_ack,
	.on_event	= mptun_residual_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};
