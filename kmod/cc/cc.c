// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Congestion control of one path: the core shared by all controllers.
 *
 * A window limits the bytes in flight, a pacing rate the speed at which they
 * leave (RFC 9002, section 7).  A controller sets both; the core detects
 * congestion events.  A reduction begins a recovery period.  Losses and marks
 * of packets sent before it belong to the same event, so there is at most one
 * reduction per round trip.
 *
 * After each call the core bounds the window to [2 packets, maximum] and the
 * pacing rate to the configured one; controllers need not.
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

/* Smallest packet size: the smallest IPv4 MTU. */
#define MPTUN_CC_MSS_MIN	68U
#define MPTUN_CC_MSS_MAX	65535U

/* A window without acknowledgments for this long and two round trips is unused.
 */
#define MPTUN_CC_IDLE_NS	NSEC_PER_SEC

/**
 * mptun_cc_min_window() - smallest window
 * @cc: congestion state
 *
 * Return: bytes.
 */
u32 mptun_cc_min_window(const struct mptun_cc *cc)
{
	return cc->mss * MPTUN_CC_MIN_PACKETS;
}

/**
 * mptun_cc_max_window() - largest window
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
 * mptun_cc_window_rate() - pacing rate of a window per round trip
 * @cc: congestion state
 * @rtt: round-trip time of the path
 * @percent: percentage of the window
 *
 * Return: bytes per second; 0 (unpaced, RFC 6928) before there is a round-trip
 * time.
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
 * mptun_cc_random() - pseudo-random number, reproducible from @cc->chance
 * @cc: congestion state
 * @below: number of values, not 0
 *
 * A linear congruential generator: good enough to keep paths out of step, not
 * for secrets.
 *
 * Return: a number from 0 to @below - 1.
 */
u32 mptun_cc_random(struct mptun_cc *cc, u32 below)
{
	cc->chance = cc->chance * 1664525U + 1013904223U;
	return (u64)cc->chance * below >> 32;
}

/**
 * mptun_cc_coupled() - check whether two paths share a bottleneck now
 * @cc: congestion state
 * @other: one of the same list, or the same
 * @now: time in ns
 *
 * Unused paths take no share.
 *
 * Return: true if they are in one group and @other is in use.
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

/* Bounds what the controller set. */
static void mptun_cc_bound(struct mptun_cc *cc)
{
	cc->cwnd = clamp(cc->cwnd, mptun_cc_min_window(cc),
			 mptun_cc_max_window(cc));
	if (cc->rate && (!cc->pacing_rate || cc->pacing_rate > cc->rate))
		cc->pacing_rate = cc->rate;
}

/**
 * mptun_cc_assign() - select a controller
 * @cc: congestion state, all zero or in use
 * @name: name of the controller
 *
 * A path in use keeps its window if both controllers follow acknowledgments,
 * and its slow start threshold if the new one sets it after congestion.  "bbr"
 * has to find the path first.
 *
 * Selecting the same controller again changes nothing.
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
		if (cc->ops->on_event)
			cc->ssthresh = ssthresh;
	}
	mptun_cc_bound(cc);
	return 0;
}

/**
 * mptun_cc_join() - add a window to those of the tunnel
 * @cc: congestion state
 * @peers: list of them
 *
 * The lock under which controllers are called protects the list and its
 * windows.
 */
void mptun_cc_join(struct mptun_cc *cc, struct list_head *peers)
{
	cc->peers = peers;
	list_add_tail(&cc->peer, peers);
}

/**
 * mptun_cc_leave() - remove a window from those of the tunnel
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
 * mptun_cc_reset() - restart with an unknown path
 * @cc: congestion state with a controller
 * @mss: size of a full packet in bytes
 */
void mptun_cc_reset(struct mptun_cc *cc, u32 mss)
{
	cc->mss = mptun_cc_mss(mss);
	cc->cwnd = cc->mss * MPTUN_CC_INITIAL_PACKETS;
	cc->ssthresh = MPTUN_CC_SSTHRESH_NONE;
	cc->flows = 0;
	cc->pacing_rate = 0;
	cc->bw = 0;
	cc->shown = 0;
	cc->recovery_ns = 0;
	cc->acked_ns = 0;
	cc->held = false;
	memset(cc->priv, 0, sizeof(cc->priv));
	cc->ops->reset(cc);
	mptun_cc_bound(cc);
}

/**
 * mptun_cc_flow() - a flow begins
 * @cc: congestion state with a controller
 *
 * Each flow begins with an initial window of its own (RFC 6928).  Without a
 * tunnel those of all flows may be in flight, so a path that is not known yet
 * gets one for each.
 */
void mptun_cc_flow(struct mptun_cc *cc)
{
	if (cc->flows == MPTUN_CC_INITIAL_FLOWS || mptun_cc_found(cc))
		return;
	/* the window of a path that starts is that of the first flow */
	if (cc->flows++)
		cc->cwnd += cc->mss * MPTUN_CC_INITIAL_PACKETS;
}

/**
 * mptun_cc_set_mss() - change the packet size
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
 * mptun_cc_set_rate() - change the configured rate
 * @cc: congestion state
 * @rate: bytes per second, 0 for none
 *
 * Takes effect at once.  If the limit rises, the controller sets its own rate
 * with the next round-trip sample.
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
 * mptun_cc_on_rtt() - process a round-trip sample
 * @cc: congestion state
 * @rtt: round-trip time of the path, the sample included
 *
 * Called before mptun_cc_on_ack() for the same report.
 */
void mptun_cc_on_rtt(struct mptun_cc *cc, const struct mptun_rtt *rtt)
{
	if (cc->ops->on_rtt)
		cc->ops->on_rtt(cc, rtt);
	mptun_cc_bound(cc);
}

/* Begins a recovery period unless the packet was sent before the current one
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
 * mptun_cc_on_ack() - process acknowledged packets
 * @cc: congestion state
 * @ack: the packets
 *
 * Return: true if marks on them are a new congestion event.
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
 * mptun_cc_on_loss() - process lost packets
 * @cc: congestion state
 * @loss: the packets
 *
 * Return: true if they are a new congestion event.
 */
bool mptun_cc_on_loss(struct mptun_cc *cc, const struct mptun_cc_loss *loss)
{
	bool event;

	event = mptun_cc_event(cc, loss->newest_sent_ns, loss->now);
	if (cc->ops->on_loss)
		cc->ops->on_loss(cc, loss);
	if (loss->persistent && cc->ops->on_persistent) {
		/* RFC 9002 ends the recovery period here.  We begin one, so
		 * further losses of the same blackout are no new event.
		 */
		cc->recovery_ns = max(cc->recovery_ns, loss->now);
		cc->ops->on_persistent(cc);
	}
	mptun_cc_bound(cc);
	return event;
}

/**
 * mptun_cc_on_restart() - a packet is about to be sent after an idle time
 * @cc: congestion state
 * @now: time in ns
 *
 * Nothing was queued or in flight, and the window had room.
 */
void mptun_cc_on_restart(struct mptun_cc *cc, u64 now)
{
	if (cc->ops->on_restart)
		cc->ops->on_restart(cc, now);
	mptun_cc_bound(cc);
}

/**
 * mptun_cc_on_neglect() - the path has had a low rate beside busy ones for long
 * @cc: congestion state
 *
 * Its capacity may have grown since it was found.
 */
void mptun_cc_on_neglect(struct mptun_cc *cc)
{
	if (cc->ops->on_neglect)
		cc->ops->on_neglect(cc);
}
