// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Scheduling: choice of the path that takes the next packets.
 *
 * The model: candidates are the paths that are up or suspect, or the one that
 * packets wait for, which has no room. They pass these filters before any
 * scheduler sees them:
 *
 *  1. Suspect paths only if none is up; then backup paths only if no other is
 *	left; then only those with the lowest priority number; of these,
 *	suspended ones (sched/bad.c, sched/detour.c) only if no other is left.
 *  2. Of these, the ones that carry a packet of this size.
 *  3. Of these, the ones on which the packet is later than on the fastest by
 *	at most the time for which the receiver holds packets. Others would
 *	deliver out of order (principle: never worse than the best path). A path
 *	left idle here is probed, and returns when its round-trip time falls
 *	below that, or its one-way delay has not been measured for a minute.
 *	Where the scheduler goes by arrival, a path that is 200 ms later is left
 *	idle as well, as it does not help.
 *  4. If all of these are full, paths of a higher priority number that take the
 *	excess (sched/spill.c).
 *  5. Of these, low-rate ones only if the others are busy (sched/low_rate.c),
 *	where the scheduler goes by arrival; high-latency ones too, where it
 *	does not weigh latency itself. But one that carries more than those of
 *	lower latency leads them (sched/lead.c).
 *
 * The scheduler then chooses among the paths left, of which some may be full.
 *
 * Expected arrival: the recent smallest one-way delay plus the queue. Where the
 * rate of the path is known, from the model of the controller or from an
 * earlier queue, the queue is what is in flight, less what the path has
 * delivered since the newest packet that is acknowledged left the queue. That
 * is known now, while a delay shows the queue of a round trip ago, and
 * schedulers that follow it oscillate. Else the queue is the smoothed delay
 * less the smallest. With nothing in flight there is no queue of ours.
 *
 * Delays are those in our direction (struct mptun_oneway): acknowledgments may
 * wait behind a download, which delays none of our packets. Clocks of two hosts
 * differ, so these delays have an error, which is the same for all paths. Where
 * they are not known, the delay is half of the round-trip time, and the queue
 * is assumed to be all in our direction.
 *
 * Units: bytes, bytes per second, microseconds.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "sched/sched.h"

/**
 * mptun_sched_assign() - choose a scheduler
 * @s: scheduler of a tunnel
 * @name: name of the scheduler
 *
 * The caller clears the memory of all paths.
 *
 * Return: 0, or -ENOENT if there is none of this name, with nothing changed.
 */
int mptun_sched_assign(struct mptun_sched *s, const char *name)
{
	const struct mptun_sched_ops *ops = mptun_sched_find(name);

	if (!ops)
		return -ENOENT;

	s->ops = ops;
	memset(&s->mem, 0, sizeof(s->mem));
	return 0;
}

/**
 * mptun_sched_clock_offset() - take the offset of the clocks off the delays
 * @cand: paths; those with a known @oneway_us have it with the offset
 * @n: number of @cand
 *
 * The offset is estimated as NTP does: the two ways of the path with the
 * smallest round-trip time are taken to be equal (RFC 5905, section 10).  If a
 * delay were negative then, as that path has not been used for a while, the
 * offset is smaller.
 */
void mptun_sched_clock_offset(struct mptun_sched_cand *cand, unsigned int n)
{
	const struct mptun_sched_cand *nearest = NULL;
	struct mptun_sched_cand *c;
	u32 offset_us;

	for (c = cand; c < cand + n; c++)
		if (c->oneway_us &&
		    (!nearest || c->min_rtt_us < nearest->min_rtt_us))
			nearest = c;
	if (!nearest)
		return;
	offset_us = nearest->oneway_us - nearest->min_rtt_us / 2;
	for (c = cand; c < cand + n; c++)
		if (c->oneway_us && (s32)(c->oneway_us - offset_us) < 1)
			offset_us = c->oneway_us - 1;
	for (c = cand; c < cand + n; c++)
		if (c->oneway_us)
			c->oneway_us = min(c->oneway_us - offset_us,
					   c->min_rtt_us);
}

/* State of a path in its rank; the rest is by its settings */
#define MPTUN_SCHED_NOT_UP	BIT_ULL(34)
#define MPTUN_SCHED_SUSPENDED	BIT_ULL(0)
#define MPTUN_SCHED_STATE	(MPTUN_SCHED_NOT_UP | MPTUN_SCHED_SUSPENDED)

/* Lower ranks are used first, equal ranks together. */
static u64 mptun_sched_rank(const struct mptun_sched_cand *c)
{
	return (c->up ? 0 : MPTUN_SCHED_NOT_UP) |
	       (u64)c->backup << 33 | (u64)c->priority << 1 |
	       (c->parked || c->suspended ? MPTUN_SCHED_SUSPENDED : 0);
}

/* Fills in the smallest one-way delay of a path, its smoothed queue, and for
 * how long it has delivered of what is in flight.  A report comes up to 1/8 of
 * a round trip late.  If none has come by then the path stands still, and does
 * not deliver.  It is at least a round trip and an eighth, even if another path
 * has brought the report sooner: a controller that looks for more bandwidth
 * makes a queue, and other paths need not take more because of that.
 */
static void mptun_sched_delays(const struct mptun_sched_cand *c, u32 *least_us,
			       u32 *queue_us, u32 *since_us)
{
	u32 base = min(c->min_rtt_us ?: c->srtt_us, c->srtt_us), most;

	*least_us = base / 2;
	*queue_us = c->srtt_us - base;
	*since_us = base + base / 8;
	if (!c->oneway_us)
		return;
	*least_us = c->oneway_us;
	*queue_us = c->oneway_queue_us;
	most = max(c->srtt_us - min(c->srtt_us, *queue_us), base);
	*since_us = clamp(c->since_us, *since_us, most + most / 8);
}

static u32 mptun_sched_arrival(struct mptun_sched_cand *c, u32 bytes)
{
	u32 least_us, queue_us, since_us;
	u64 queue;

	c->queue_us = 0;
	if (!c->srtt_us)
		return 0;
	mptun_sched_delays(c, &least_us, &queue_us, &since_us);
	queue = queue_us;
	if (!c->in_flight) {
		queue = 0;
	} else if (c->rate) {
		queue = div64_u64(((u64)c->in_flight + bytes) * USEC_PER_SEC,
				  c->rate);
		queue = queue > since_us ? queue - since_us : 0;
	}
	c->queue_us = min_t(u64, queue, U32_MAX);
	return min_t(u64, max(least_us + queue, 1ULL), U32_MAX);
}

/* Marks the paths of the best rank that carry the packet.  If none does, a
 * suspect or suspended one that is equal by its settings takes it: otherwise
 * the sender would get a limit that holds for a while only.
 *
 * What one of them takes the others may take in fragments: that costs a few per
 * cent of their rate, and without it they would be left out.  What none takes
 * is not cut, as its sender gets to know the size.
 */
static int mptun_sched_fitting(struct mptun_sched_cand *cand, unsigned int n,
			       u32 packet_mtu)
{
	u64 best = U64_MAX, fits = U64_MAX, rank;
	unsigned int i;

	for (i = 0; i < n; i++)
		best = min(best, mptun_sched_rank(&cand[i]));
	for (i = 0; i < n; i++) {
		rank = mptun_sched_rank(&cand[i]);
		if (cand[i].mtu >= packet_mtu &&
		    !((rank ^ best) & ~MPTUN_SCHED_STATE))
			fits = min(fits, rank);
	}
	if (fits != U64_MAX)
		best = fits;
	for (i = 0; i < n; i++) {
		rank = mptun_sched_rank(&cand[i]);
		cand[i].best = rank == best;
		cand[i].eligible = cand[i].best && fits != U64_MAX &&
				   max(cand[i].mtu, cand[i].cut) >= packet_mtu;
	}
	return fits == U64_MAX ? -EMSGSIZE : 0;
}

/* Unmarks paths on which packets would arrive too late to be put in order, or
 * to help others. Paths with an unknown arrival stay.
 */
static void mptun_sched_timely(const struct mptun_sched *s,
			       struct mptun_sched_cand *cand, unsigned int n,
			       u32 bytes)
{
	u32 late_us = s->ops->low_latency_first ? MPTUN_LATE_US : U32_MAX;
	u64 latest = U64_MAX;
	unsigned int i;

	for (i = 0; i < n; i++) {
		cand[i].late = false;
		cand[i].arrival_us = mptun_sched_arrival(&cand[i], bytes);
		if (cand[i].eligible && cand[i].arrival_us)
			latest = min_t(u64, latest, cand[i].arrival_us);
	}
	if (!s->hold_us || latest == U64_MAX)
		return;
	for (i = 0; i < n; i++) {
		if (cand[i].arrival_us <= latest + min(s->hold_us, late_us))
			continue;
		cand[i].late = cand[i].eligible &&
			       cand[i].arrival_us <= latest + s->hold_us;
		cand[i].eligible = false;
	}
}

/**
 * mptun_sched_filter() - mark the paths that may take the next packet
 * @s: scheduler of the tunnel
 * @cand: paths that are up or suspect
 * @n: number of @cand
 * @bytes: room the packet needs
 * @packet_mtu: its size as an inner packet
 *
 * Return: 0, -ENETDOWN or -EMSGSIZE as for mptun_sched_pick().
 */
int mptun_sched_filter(struct mptun_sched *s, struct mptun_sched_cand *cand,
		       unsigned int n, u32 bytes, u32 packet_mtu)
{
	int err;

	s->wake_ns = U64_MAX;
	s->tries = false;
	if (!n)
		return -ENETDOWN;
	err = mptun_sched_fitting(cand, n, packet_mtu);
	if (err)
		return err;
	mptun_sched_timely(s, cand, n, bytes);
	if (s->spills)
		mptun_sched_spill(s, cand, n, bytes, packet_mtu);
	return 0;
}

/**
 * mptun_sched_pick() - choose a path
 * @s: scheduler of the tunnel
 * @cand: paths that are up or suspect
 * @n: number of @cand
 * @bytes: room the next packet needs
 * @packet_mtu: its size as an inner packet
 *
 * Return: index into @cand; -EAGAIN to wait for room; -ENETDOWN if there is no
 * path; -EMSGSIZE if no path to be used carries the packet: of those with @best
 * set, the largest MTU is the limit.
 */
int mptun_sched_pick(struct mptun_sched *s, struct mptun_sched_cand *cand,
		     unsigned int n, u32 bytes, u32 packet_mtu)
{
	int err = mptun_sched_filter(s, cand, n, bytes, packet_mtu);

	if (err)
		return err;
	if (s->ops->high_rate_first)
		mptun_sched_low_rate(s, cand, n, bytes);
	return s->ops->pick(s, cand, n, bytes);
}

/**
 * mptun_sched_sent() - account for packets placed on a path
 * @s: scheduler of the tunnel
 * @cand: paths as mptun_sched_pick() left them
 * @n: number of @cand
 * @chosen: index of the path
 * @bytes: size of the packets
 */
void mptun_sched_sent(struct mptun_sched *s,
		      const struct mptun_sched_cand *cand, unsigned int n,
		      unsigned int chosen, u32 bytes)
{
	if (s->ops->sent)
		s->ops->sent(s, cand, n, chosen, bytes);
}

/**
 * mptun_sched_earlier() - compare expected arrivals
 * @a: a path as schedulers see it
 * @b: another one
 *
 * Return: true if the packet would arrive earlier on @a.
 */
bool mptun_sched_earlier(const struct mptun_sched_cand *a,
			 const struct mptun_sched_cand *b)
{
	u32 arrival_a = a->arrival_us ?: U32_MAX;
	u32 arrival_b = b->arrival_us ?: U32_MAX;

	if (arrival_a != arrival_b)
		return arrival_a < arrival_b;
	return a->room > b->room;
}

/**
 * mptun_sched_earliest() - find the path with the earliest arrival
 * @cand: paths as schedulers see them
 * @n: number of @cand
 * @bytes: room the packet needs
 *
 * If two are equal the one with more room is taken, so that they fill up
 * evenly. A path with an unknown arrival comes last.
 *
 * Return: index of an eligible path with room, -EAGAIN if there is none.
 */
int mptun_sched_earliest(const struct mptun_sched_cand *cand, unsigned int n,
			 u32 bytes)
{
	int best = -EAGAIN;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!cand[i].eligible || cand[i].room < bytes)
			continue;
		if (best < 0 || mptun_sched_earlier(&cand[i], &cand[best]))
			best = i;
	}
	return best;
}

/**
 * mptun_sched_run_length() - number of segments to place on a path at once
 * @rate: capacity of the path in bytes per second, 0 if unknown
 * @mss: size of a segment in bytes
 *
 * Long runs are cheap, but a whole super-packet on a path of 16 Mbit/s blocks
 * the others for 33 ms.
 *
 * Return: number of segments.
 */
u32 mptun_sched_run_length(u64 rate, u32 mss)
{
	u64 run;

	if (!rate || !mss)
		return MPTUN_SCHED_RUN_MAX;
	run = div_u64(rate, USEC_PER_SEC / MPTUN_SCHED_RUN_US);
	return clamp_t(u64, div_u64(run, mss), MPTUN_SCHED_RUN_MIN,
		       MPTUN_SCHED_RUN_MAX);
}
