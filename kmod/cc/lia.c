// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "lia": windows that grow together (RFC 6356).
 *
 * The model: n paths that share a bottleneck and have a "newreno" each take n
 * times what one connection would.  So the windows of a group grow no faster
 * together than one would on the best of its paths: a window grows by a packet
 * not per window acknowledged, but per
 *
 *	cwnd_total     ( sum of cwnd_i / rtt_i ) ^ 2
 *	----------  =  -----------------------------
 *	  alpha        max of  cwnd_i / rtt_i ^ 2
 *
 * bytes (sections 3 and 4.1 of the RFC, solved for what is needed here), and
 * never faster than newreno.  With x_i = cwnd_i / rtt_i, X their sum and b the
 * path of the maximum that is X * (X * rtt_b / x_b), where the term in brackets
 * is the time in which path b would carry what all carry in a round trip of it.
 * As all paths are multiplied by the same, and each is divided by its own
 * window, more of the traffic goes to paths that lose less.  Slow start, the
 * answer to losses and all else are newreno's; what is coupled is congestion
 * avoidance.
 *
 * The group are the paths of this tunnel with the same group number, that have
 * this controller and are in use.  Without a number given they are one group,
 * as the RFC has it: who knows that paths share nothing says so.
 *
 * Cost: the sum is made once per round trip of a path, over 32 paths at most,
 * and kept; section 4.1 allows that.  Nothing is shared between the paths but
 * the list they are in.
 *
 * Arithmetic: windows are 2^30 at most and round-trip times 6 * 10^7 us.  A
 * rate is in bytes per 2^16 us and no larger than 2^33, which is a terabit per
 * second.  The sum then is at most 2^38, times a round-trip time less than
 * 2^64.
 * The time in brackets is at most the sum of all round-trip times, less than
 * 2^31, for b is the maximum.
 *
 * Units: bytes, microseconds for round-trip times, ns for points in time.
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
#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cc/window.h"

#define MPTUN_LIA_RATE_SHIFT	16
#define MPTUN_LIA_RATE_MAX	0x200000000ULL

/**
 * struct mptun_lia - private data
 * @window: what all such controllers have
 * @round_ns: packets sent later end the round trip for which @per_packet is
 *	good
 * @per_packet: bytes to be acknowledged until the window grows by a packet, 0
 *	if that has to be computed
 */
struct mptun_lia {
	struct mptun_window window;
	u64 round_ns;
	u64 per_packet;
};

static_assert(sizeof(struct mptun_lia) <=
	      sizeof_field(struct mptun_cc, priv));

static struct mptun_lia *mptun_lia_priv(struct mptun_cc *cc)
{
	return (struct mptun_lia *)cc->priv;
}

static u32 mptun_lia_rtt(const struct mptun_cc *cc)
{
	return clamp(cc->srtt_us, 1U, MPTUN_RTT_MAX_US);
}

static u64 mptun_lia_rate(const struct mptun_cc *cc)
{
	u64 rate = div_u64((u64)cc->cwnd << MPTUN_LIA_RATE_SHIFT,
			   mptun_lia_rtt(cc));

	return clamp_t(u64, rate, 1, MPTUN_LIA_RATE_MAX);
}

/**
 * struct mptun_lia_sum - what is known of a group
 * @rate: what all its paths carry
 * @best_rate: what the path carries for which a rate per round-trip time is the
 *	largest
 * @best_rtt: round-trip time of that path
 */
struct mptun_lia_sum {
	u64 rate;
	u64 best_rate;
	u32 best_rtt;
};

static void mptun_lia_add(struct mptun_lia_sum *sum, const struct mptun_cc *cc)
{
	u64 rate = mptun_lia_rate(cc);
	u32 rtt = mptun_lia_rtt(cc);

	sum->rate += rate;
	if (rate * sum->best_rtt < sum->best_rate * rtt)
		return;
	sum->best_rate = rate;
	sum->best_rtt = rtt;
}

static void mptun_lia_couple(struct mptun_cc *cc, u64 now)
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
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_lia_on_ack,
	.on_event	= mptun_lia_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_window_on_persistent,
};

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
