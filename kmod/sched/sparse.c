// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Sparse flows: those that send so little that nothing has to wait for them.
 *
 * The model is that of fq_codel (RFC 8290): a flow is sparse while it builds no
 * queue of its own, and its packets leave before those of flows that do. There
 * a flow builds a queue if it sends more than a quantum in the round that all
 * flows share a link in. Here several paths take packets, and a sparse one
 * takes the path on which it arrives first, without waiting for room in its
 * window or pacer. So the measure is the time of that path: a flow is sparse
 * while it takes at most an eighth of it, and all sparse flows together take at
 * most a quarter. Each may be a round ahead, which bounds what they add to the
 * queue of the path and to the delay of each other.
 *
 * That is the generic cell rate algorithm, as in recovery/pacing.c: one number
 * for each lane, the time by which what it sent is paid for. A flow that
 * exceeds its share is a bulk flow until it pauses. So a download does not
 * become sparse whenever its window is empty, and the pause between two
 * requests is enough.
 *
 * Nothing moves when a flow changes its kind. All packets of a flow stand in
 * one queue of the device and are numbered in one lane, so the receiver puts
 * them in order whatever paths they took.
 *
 * A flow that shares its lane with a bulk flow counts as one.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/sparse.h"

/* Parts of the time of the path: one flow, all of them */
#define MPTUN_SPARSE_FLOW	8U
#define MPTUN_SPARSE_ALL	4U

#define MPTUN_SPARSE_MS(ms)	\
	((u32)((ms) * NSEC_PER_MSEC >> MPTUN_SPARSE_SHIFT))

/* A flow that exceeded its share is sparse again after this pause. */
#define MPTUN_SPARSE_PAUSE	MPTUN_SPARSE_MS(100)

/* Limit of what a flow owes: a full packet on a path of 100 kbit/s */
#define MPTUN_SPARSE_MOST	MPTUN_SPARSE_MS(1000)

/* How far ahead of its share a flow may be: a frame of a video call of 1 Mbit/s
 * on a path of 16 Mbit/s
 */
#define MPTUN_SPARSE_ROUND	MPTUN_SPARSE_MS(20)

static u32 mptun_sparse_time(u64 now)
{
	return (u32)(now >> MPTUN_SPARSE_SHIFT);
}

/* What is still to be paid. More than the limit is a value of an hour ago. */
static u32 mptun_sparse_debt(u32 paid, u32 time)
{
	u32 debt = paid - time;

	return debt <= MPTUN_SPARSE_MOST ? debt : 0;
}

static u32 mptun_sparse_add(u32 paid, u32 time, u64 cost)
{
	u64 debt = mptun_sparse_debt(paid, time) + cost;

	return time + (u32)min_t(u64, debt, MPTUN_SPARSE_MOST);
}

/**
 * mptun_sparse_may() - test whether a flow has been sparse so far
 * @s: shares of the flows
 * @lane: lane of the flow
 * @now: time in ns
 *
 * Needs no lock.
 *
 * Return: true if the next packet may be one of a sparse flow.
 */
bool mptun_sparse_may(const struct mptun_sparse *s, u16 lane, u64 now)
{
	return mptun_sparse_debt(READ_ONCE(s->lanes[lane]),
				 mptun_sparse_time(now)) <= MPTUN_SPARSE_ROUND;
}

/**
 * mptun_sparse_bulk() - account for a packet of a bulk flow
 * @s: shares of the flows
 * @lane: lane of the flow
 * @now: time in ns
 */
void mptun_sparse_bulk(struct mptun_sparse *s, u16 lane, u64 now)
{
	u32 time = mptun_sparse_time(now);
	u32 debt = mptun_sparse_debt(s->lanes[lane], time);

	WRITE_ONCE(s->lanes[lane], time + max(debt, MPTUN_SPARSE_PAUSE));
}

/**
 * mptun_sparse_charge() - account for a packet of a flow that has been sparse
 * @s: shares of the flows
 * @lane: lane of the flow, for which mptun_sparse_may() is true
 * @bytes: size of the packet on the path
 * @rate: rate of the path on which it arrives first, in bytes per second, not 0
 * @now: time in ns
 *
 * Return: true if the packet need not wait, false if the sparse flows together
 * have used up their share.
 */
bool mptun_sparse_charge(struct mptun_sparse *s, u16 lane, u32 bytes, u64 rate,
			 u64 now)
{
	u64 unit = NSEC_PER_SEC >> MPTUN_SPARSE_SHIFT;
	u32 time = mptun_sparse_time(now);
	u64 cost;

	cost = div64_u64(bytes * unit * MPTUN_SPARSE_FLOW, rate);
	WRITE_ONCE(s->lanes[lane],
		   mptun_sparse_add(s->lanes[lane], time, cost));
	if (mptun_sparse_debt(s->all, time) > MPTUN_SPARSE_ROUND)
		return false;
	cost = div_u64(cost * MPTUN_SPARSE_ALL, MPTUN_SPARSE_FLOW);
	s->all = mptun_sparse_add(s->all, time, cost);
	return true;
}

/**
 * mptun_sparse_pick() - choose a path for a packet of a sparse flow
 * @cand: paths as mptun_sched_filter() left them
 * @n: number of @cand
 *
 * The path with the earliest arrival, whatever room it has.
 *
 * Return: index into @cand, -EAGAIN if no arrival is known.
 */
int mptun_sparse_pick(const struct mptun_sched_cand *cand, unsigned int n)
{
	int best = mptun_sched_earliest(cand, n, 0);

	return best < 0 || !cand[best].arrival_us ? -EAGAIN : best;
}

/**
 * mptun_sparse_fits() - test whether a path takes a packet of a sparse flow
 * @c: the path
 * @bytes: size of the packet on the path
 *
 * It does while not more than twice its window, or twice what it holds without
 * a queue, is in flight.  So it takes the packet when the window is full, and
 * when it has just been halved, as PROBE_RTT of bbr does although the path
 * works as before.
 *
 * Return: true if it does.
 */
bool mptun_sparse_fits(const struct mptun_sched_cand *c, u32 bytes)
{
	u64 holds = div_u64(c->rate * c->min_rtt_us, USEC_PER_SEC);

	if (c->room >= bytes)
		return true;
	return c->in_flight / 2 <= max_t(u64, holds, c->cwnd);
}
