// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion controller "cubic" (RFC 9438).
 *
 * The window at which packets were last lost, w_max, estimates the capacity of
 * the path.  After a reduction to 7/10 the window follows a cubic function of
 * time: fast at first, flat around w_max, then fast again to probe for more:
 *
 *	W(t) = C * (t - K)^3 + w_max	C = 0.4 packets per cubic second
 *
 * K is the time to reach w_max.  As t is time and not round trips, paths with
 * different round-trip times grow alike, and a path that holds thousands of
 * packets is full again within seconds.  Where "newreno" would grow faster, the
 * window follows an estimate of its window (Reno-friendly region, section 4.3).
 *
 * Fast convergence (section 4.7): a window that did not return to w_max shares
 * the path with more flows than before, and leaves room by aiming lower.
 *
 * Slow start with HyStart++, undo and pacing are shared with the other
 * window-based controllers (cc/window.c).  An undo also restores the curve
 * (section 4.9).
 *
 * t advances only while the window limits the sender (section 5.8): a path with
 * too little to send probes nothing.
 *
 * Arithmetic: time in ms, windows in bytes.  The cube of 100 seconds in ms is
 * 10^15, so all products fit into 64 bits; K is accurate to a millisecond.
 *
 * Units: bytes, ms for the curve, ns for points in time.
 */
#include <kunit/visibility.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "cc/cubic.h"

/* beta, the part of the window kept: 7/10. */
#define MPTUN_CUBIC_BETA_PART		7
#define MPTUN_CUBIC_BETA_WHOLE		10

/* Fast convergence aims at (1 + beta) / 2 of the window: 17/20. */
#define MPTUN_CUBIC_CONVERGE_PART	17
#define MPTUN_CUBIC_CONVERGE_WHOLE	20

/* Growth of the newreno estimate: 3 * (1 - beta) / (1 + beta) packets per
 * window: 9/17.
 */
#define MPTUN_CUBIC_ALPHA_PART		9
#define MPTUN_CUBIC_ALPHA_WHOLE		17

/* C: 2/5 packets per cubic second, i.e. 2 thousandths of a packet per 5000000
 * cubic ms.
 */
#define MPTUN_CUBIC_C_PART		2
#define MPTUN_CUBIC_C_WHOLE		5000000U

/* Range of the curve around K: 400000 packets, more than any window. */
#define MPTUN_CUBIC_MS_MAX		100000U

/* Largest number whose cube does not exceed @x, bit by bit. */
VISIBLE_IF_KUNIT u32 mptun_cubic_root(u64 x)
{
	u64 root = 0;
	int bit;

	for (bit = 20; bit >= 0; bit--) {
		u64 next = root | (1ULL << bit);

		if (next * next * next <= x)
			root = next;
	}
	return root;
}

/* Window at a time of the curve: C * |t - K|^3 above or below w_max. */
static u64 mptun_cubic_at(const struct mptun_cc *cc,
			  const struct mptun_cubic_curve *curve, u64 t_ms)
{
	bool above = t_ms >= curve->k_ms;
	u64 ms = above ? t_ms - curve->k_ms : curve->k_ms - t_ms;
	u64 bytes;

	ms = min_t(u64, ms, MPTUN_CUBIC_MS_MAX);
	bytes = div_u64(div_u64(ms * ms * ms * MPTUN_CUBIC_C_PART,
				MPTUN_CUBIC_C_WHOLE) * cc->mss, 1000);
	if (above)
		return curve->w_max + bytes;
	return curve->w_max > bytes ? curve->w_max - bytes : 0;
}

/* Congestion avoidance begins.  After slow start ended by itself, and after
 * persistent congestion, only the current window is known.
 *
 * K = cbrt((w_max - w) / C).  For the largest window, 2^30 bytes, the product
 * is 2.7 * 10^18.
 */
static void mptun_cubic_begin(struct mptun_cc *cc)
{
	struct mptun_cubic *cu = mptun_cubic_priv(cc);
	struct mptun_cubic_curve *curve = &cu->curve;
	u64 cube;

	curve->running = true;
	curve->t_ns = 0;
	curve->w_est = cc->cwnd;
	cu->est_credit = 0;
	if (!curve->w_max)
		curve->w_prior = cc->cwnd;
	curve->w_max = max(curve->w_max, cc->cwnd);
	cube = (u64)(curve->w_max - cc->cwnd) * (5ULL * NSEC_PER_SEC / 2);
	curve->k_ms = mptun_cubic_root(div_u64(cube, cc->mss));
}

/* Updates the estimate of newreno's window, which grows by a packet per window
 * once the cut is regained.
 */
static void mptun_cubic_estimate(struct mptun_cc *cc, u32 bytes)
{
	struct mptun_cubic *cu = mptun_cubic_priv(cc);
	struct mptun_cubic_curve *curve = &cu->curve;
	u64 window = (u64)cc->cwnd * MPTUN_CUBIC_ALPHA_WHOLE;
	u32 alpha = MPTUN_CUBIC_ALPHA_WHOLE;
	u64 steps;

	if (curve->w_est < curve->w_prior)
		alpha = MPTUN_CUBIC_ALPHA_PART;
	cu->est_credit += (u64)bytes * cc->mss * alpha;
	steps = div64_u64(cu->est_credit, window);
	cu->est_credit -= steps * window;
	curve->w_est = min_t(u64, curve->w_est + steps,
			     mptun_cc_max_window(cc));
}

static void mptun_cubic_avoid(struct mptun_cc *cc,
			      const struct mptun_cc_ack *ack, u32 bytes)
{
	struct mptun_window *w = mptun_window_priv(cc);
	struct mptun_cubic *cu = mptun_cubic_priv(cc);
	struct mptun_cubic_curve *curve = &cu->curve;
	u64 t_ms, target, growth, step;

	if (!curve->running)
		mptun_cubic_begin(cc);
	else if (ack->now > cu->last_ns)
		curve->t_ns += ack->now - cu->last_ns;

	t_ms = div_u64(curve->t_ns, NSEC_PER_MSEC);
	mptun_cubic_estimate(cc, bytes);
	if (mptun_cubic_at(cc, curve, t_ms) < curve->w_est) {
		cc->cwnd = max(cc->cwnd, curve->w_est);
	} else {
		/* Approaches the window of the curve one round trip ahead, by
		 * at most half a window per round trip.
		 */
		t_ms += ack->rtt->srtt_us / USEC_PER_MSEC;
		target = mptun_cubic_at(cc, curve, t_ms);
		target = clamp_t(u64, target, cc->cwnd,
				 cc->cwnd + cc->cwnd / 2);
		growth = (target - cc->cwnd) * bytes + w->credit;
		step = div_u64(growth, cc->cwnd);
		w->credit = growth - step * cc->cwnd;
		cc->cwnd += min_t(u64, step, target - cc->cwnd);
	}
	cc->cwnd = min(cc->cwnd, mptun_cc_max_window(cc));
}

static void mptun_cubic_on_ack(struct mptun_cc *cc,
			       const struct mptun_cc_ack *ack)
{
	struct mptun_cubic *cu = mptun_cubic_priv(cc);
	u32 bytes;

	if (mptun_window_undo(cc, ack))
		cu->curve = cu->undo;
	bytes = mptun_window_start(cc, ack);
	if (bytes)
		mptun_cubic_avoid(cc, ack, bytes);
	cu->last_ns = ack->now;
	mptun_window_pace(cc, ack->rtt);
}

static void mptun_cubic_on_event(struct mptun_cc *cc)
{
	struct mptun_cubic *cu = mptun_cubic_priv(cc);
	struct mptun_cubic_curve *curve = &cu->curve;
	u64 less = (u64)cc->cwnd * MPTUN_CUBIC_CONVERGE_PART;
	bool fewer = cc->cwnd < curve->w_max;

	cu->undo = *curve;
	curve->running = false;
	curve->w_prior = cc->cwnd;
	curve->w_max = fewer ? div_u64(less, MPTUN_CUBIC_CONVERGE_WHOLE) :
			       cc->cwnd;
	mptun_window_cut(cc, MPTUN_CUBIC_BETA_PART, MPTUN_CUBIC_BETA_WHOLE);
}

/* Section 4.8: the curve restarts after slow start. */
static void mptun_cubic_on_persistent(struct mptun_cc *cc)
{
	struct mptun_cubic *cu = mptun_cubic_priv(cc);

	mptun_window_on_persistent(cc);
	cu->curve.w_max = 0;
	cu->curve.running = false;
}

static void mptun_cubic_on_restart(struct mptun_cc *cc, u64 now)
{
	mptun_cubic_priv(cc)->last_ns = now;
}

const struct mptun_cc_ops mptun_cc_cubic = {
	.name		= "cubic",
	.reset		= mptun_window_reset,
	.on_rtt		= mptun_window_on_rtt,
	.on_ack		= mptun_cubic_on_ack,
	.on_event	= mptun_cubic_on_event,
	.on_loss	= mptun_window_on_loss,
	.on_persistent	= mptun_cubic_on_persistent,
	.on_restart	= mptun_cubic_on_restart,
};
