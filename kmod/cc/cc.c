// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion control of one path: what all controllers have in common.
 *
 * The model (RFC 9002, section 7): a window limits the bytes in flight, and a
 * pacing rate how fast they leave.  A controller sets both; the core decides
 * what a new congestion event is.  Losses and marks of packets that were sent
 * before the last reduction are consequences of what has been answered
 * already, so a reduction begins a recovery period, and only packets sent in
 * it can end it or begin the next one.  Hence at most one reduction per round
 * trip.
 *
 * After each call the core brings the window within [2 packets, maximum] and
 * the pacing rate under the configured one, so that no controller needs to
 * care.
 *
 * Units: bytes, bytes per second, ns.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "cc/cc.h"

/* Smallest packet size believed: 68 bytes are the smallest IPv4 MTU. */
#define MPTUN_CC_MSS_MIN	68U
#define MPTUN_CC_MSS_MAX	65535U

/* A window from which nothing has been acknowledged for so long, and for two
 * round trips, is not in use.
 */
#define MPTUN_CC_IDLE_NS	NSEC_PER_SEC

/**
 * mptun_cc_min_window() - the smallest window
 * @cc: congestion state
 *
 * Return: bytes.
 */
u32 mptun_cc_min_window(const struct mptun_cc *cc)
{
	return cc->mss * MPTUN_CC_MIN_PACKETS;
}

/**
 * mptun_cc_max_window() - the largest window
 * @cc: congestion state
 *
 * Return: bytes.
 */
u32 mptun_cc_max_window(const struct mptun_cc *cc)
{
	return min_t(u64, (u64)cc->mss * MPTUN_CC_MAX_PACKETS,
		     MPTUN_CC_MAX_BYTES);
}

/**
 * mptun_cc_window_rate() - rate that sends a window per round trip
 * @cc: congestion state
 * @rtt: round-trip time of the path
 * @percent: how much of it, 100 for all
 *
 * Return: bytes per second; 0 before the round-trip time is known, when an
 * initial window is sent without pacing (RFC 6928).
 */
u64 mptun_cc_window_rate(const struct mptun_cc *cc,
			 const struct mptun_rtt *rtt, u32 percent)
{
	u64 rate = (u64)cc->cwnd * percent * (USEC_PER_SEC / 100);

	if (!rtt->valid || !rtt->srtt_us)
		return 0;
	return max_t(u64, div_u64(rate, rtt->srtt_us), 1);
}

/**
 * mptun_cc_random() - chance, the same again after the same @cc->chance
 * @cc: congestion state
 * @below: how many values there are, not 0
 *
 * A linear congruential generator: enough to keep paths from doing the same
 * at the same time, and nothing that has to be a secret.
 *
 * Return: a number from 0 to @below - 1.
 */
u32 mptun_cc_random(struct mptun_cc *cc, u32 below)
{
	cc->chance = cc->chance * 1664525U + 1013904223U;
	return (u64)cc->chance * below >> 32;
}

/**
 * mptun_cc_coupled() - do both share a bottleneck now?
 * @cc: congestion state
 * @other: one of the same list, or the same
 * @now: time in ns
 *
 * Paths that are down, or that the scheduler does not use, have no share in
 * anything.
 *
 * Return: true if they are of one group and @other is in use.
 */
bool mptun_cc_coupled(const struct mptun_cc *cc, const struct mptun_cc *other,
		      u64 now)
{
	u64 idle = max_t(u64, MPTUN_CC_IDLE_NS,
			 2ULL * other->srtt_us * NSEC_PER_USEC);

	return other == cc ||
	       (other->group == cc->group &&
		other->group_found == cc->group_found &&
		other->acked_ns && other->acked_ns + idle > now);
}

/* Whatever the controller did, within bounds. */
static void mptun_cc_bound(struct mptun_cc *cc)
{
	cc->cwnd = clamp(cc->cwnd, mptun_cc_min_window(cc),
			 mptun_cc_max_window(cc));
	if (cc->rate && (!cc->pacing_rate || cc->pacing_rate > cc->rate))
		cc->pacing_rate = cc->rate;
}

/**
 * mptun_cc_assign() - choose a controller
 * @cc: congestion state, all zero or in use
 * @name: name of the controller
 *
 * A path in use keeps its window if both controllers measure it; the new one
 * goes on from there.  One that follows no acknowledgments has learnt nothing
 * about the path.  One that is chosen again goes on as it was.
 *
 * Return: 0, or -ENOENT if there is none of this name, with nothing changed.
 */
int mptun_cc_assign(struct mptun_cc *cc, const char *name)
{
	const struct mptun_cc_ops *ops = mptun_cc_find(name);
	const struct mptun_cc_ops *old = cc->ops;
	u32 ssthresh = cc->ssthresh;
	u32 cwnd = cc->cwnd;

	if (!ops)
		return -ENOENT;

	cc->ops = ops;
	if (!cwnd || cc->ops == old)
		return 0;

	mptun_cc_reset(cc, cc->mss);
	if (old && old->on_ack && cc->ops->on_ack) {
		cc->cwnd = cwnd;
		cc->ssthresh = ssthresh;
	}
	mptun_cc_bound(cc);
	return 0;
}

/**
 * mptun_cc_join() - there are other windows in this tunnel
 * @cc: congestion state
 * @peers: list of them
 *
 * The list, and the windows in it, are protected by the lock under which all
 * controllers are called.
 */
void mptun_cc_join(struct mptun_cc *cc, struct list_head *peers)
{
	cc->peers = peers;
	list_add_tail(&cc->peer, peers);
}

/**
 * mptun_cc_leave() - the window is no longer one of the tunnel
 * @cc: congestion state that has joined
 */
void mptun_cc_leave(struct mptun_cc *cc)
{
	list_del(&cc->peer);
	cc->peers = NULL;
}

static u32 mptun_cc_mss(u32 mss)
{
	return clamp(mss, MPTUN_CC_MSS_MIN, MPTUN_CC_MSS_MAX);
}

/**
 * mptun_cc_reset() - begin with an unknown path
 * @cc: congestion state with a controller
 * @mss: size of a full packet in bytes
 */
void mptun_cc_reset(struct mptun_cc *cc, u32 mss)
{
	cc->mss = mptun_cc_mss(mss);
	cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
	cc->ssthresh = MPTUN_CC_SSTHRESH_NONE;
	cc->pacing_rate = 0;
	cc->bw = 0;
	cc->recovery_ns = 0;
	cc->acked_ns = 0;
	cc->held = false;
	memset(cc->priv, 0, sizeof(cc->priv));
	cc->ops->reset(cc);
	mptun_cc_bound(cc);
}

/**
 * mptun_cc_set_mss() - the packet size has changed
 * @cc: congestion state
 * @mss: size of a full packet in bytes
 */
void mptun_cc_set_mss(struct mptun_cc *cc, u32 mss)
{
	cc->mss = mptun_cc_mss(mss);
	if (cc->ops->on_rate)
		cc->ops->on_rate(cc);
	mptun_cc_bound(cc);
}

/**
 * mptun_cc_set_rate() - the configured rate has changed
 * @cc: congestion state
 * @rate: bytes per second, 0 for none
 *
 * It counts at once.  What the controller itself wants to pace by, which may be
 * less than a limit that was raised, it says with the next sample of the
 * round-trip time.
 */
void mptun_cc_set_rate(struct mptun_cc *cc, u64 rate)
{
	if (rate != cc->rate)
		cc->pacing_rate = 0;
	cc->rate = rate;
	if (cc->ops->on_rate)
		cc->ops->on_rate(cc);
	mptun_cc_bound(cc);
}

/**
 * mptun_cc_on_rtt() - there is a new sample of the round-trip time
 * @cc: congestion state
 * @rtt: round-trip time of the path, the sample included
 *
 * To be called before mptun_cc_on_ack() for the same report.
 */
void mptun_cc_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	if (cc->ops->on_rtt)
		cc->ops->on_rtt(cc, rtt);
	mptun_cc_bound(cc);
}

/* Begins a recovery period, unless the packet was sent before the present one
 * began.
 */
static bool mptun_cc_event(struct mptun_cc *cc, u64 sent_ns, u64 now)
{
	if (sent_ns <= cc->recovery_ns)
		return false;

	cc->recovery_ns = now;
	if (cc->ops->on_event) {
		cc->events++;
		cc->ops->on_event(cc);
	}
	return true;
}

/**
 * mptun_cc_on_ack() - packets were acknowledged
 * @cc: congestion state
 * @ack: which
 *
 * Return: true if marks on them were a new congestion event.
 */
bool mptun_cc_on_ack(struct mptun_cc *cc, const struct mptun_cc_ack *ack)
{
	bool event = false;

	cc->acked_ns = ack->now;
	cc->srtt_us = ack->rtt->srtt_us;
	if (ack->ce)
		event = mptun_cc_event(cc, ack->newest_sent_ns, ack->now);
	if (cc->ops->on_ack)
		cc->ops->on_ack(cc, ack);
	mptun_cc_bound(cc);
	return event;
}

/**
 * mptun_cc_on_loss() - packets were declared lost
 * @cc: congestion state
 * @loss: which
 *
 * Return: true if this was a new congestion event.
 */
bool mptun_cc_on_loss(struct mptun_cc *cc, const struct mptun_cc_loss *loss)
{
	bool event;

	event = mptun_cc_event(cc, loss->newest_sent_ns, loss->now);
	if (cc->ops->on_loss)
		cc->ops->on_loss(cc, loss);
	if (loss->persistent && cc->ops->on_persistent) {
		/* RFC 9002 ends the recovery period here.  We begin one: the
		 * rest of the same blackout, found later, is no new event.
		 */
		cc->recovery_ns = max(cc->recovery_ns, loss->now);
		cc->ops->on_persistent(cc);
	}
	mptun_cc_bound(cc);
	return event;
}

/**
 * mptun_cc_on_restart() - a packet is about to be sent after a rest
 * @cc: congestion state
 * @now: time in ns
 *
 * The path had nothing to send, room to send it, and has nothing in flight.
 */
void mptun_cc_on_restart(struct mptun_cc *cc, u64 now)
{
	if (cc->ops->on_restart)
		cc->ops->on_restart(cc, now);
	mptun_cc_bound(cc);
}
