// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Reports: acknowledge the packets of the peer.
 *
 * Each path reports on itself, so that a report measures the round-trip time of
 * its path.  It does so eight times per round trip, but at most every
 * millisecond and at least every eight; after eight, if less than two full
 * packets have arrived, or if reports would take more than an eighth of the
 * path; and at once on a new gap.  Less than one full packet waits longer:
 * those are acknowledgments of flows in the other direction, and reports on
 * them would cost these flows more than they help.  Arriving packets of any
 * path trigger reports; a timer does if there are none (rx/timer.c).
 *
 * Less often a report also covers the other paths, in case their reverse
 * direction is dead: an acknowledgment over any path keeps a path alive.  It
 * carries the floors of our own sending side too, which saves extra packets.
 *
 * mptun_rx.lock protects what is reported; mptun_tx.lock is taken after it has
 * been released, for the floors and the packet number.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "rx/rx.h"
#include "tx/tx.h"

/**
 * mptun_report_interval() - time between reports of a path
 * @path: the path
 *
 * Return: time in ns.
 */
u64 mptun_report_interval(const struct mptun_path *path)
{
	u32 us = max(READ_ONCE(path->tx.rtt.srtt_us) >> MPTUN_REPORT_RTT_SHIFT,
		     READ_ONCE(path->tx.report_us));

	return clamp_t(u64, us * (u64)NSEC_PER_USEC, MPTUN_REPORT_MIN_NS,
		       MPTUN_REPORT_MAX_NS);
}

/**
 * mptun_report_at() - when a path sends its next report
 * @path: the path
 * @interval: time between reports in ns
 *
 * Sooner after gaps, later if little has arrived.
 *
 * Return: time in ns, U64_MAX if there is nothing to report.
 */
u64 mptun_report_at(const struct mptun_path *path, u64 interval)
{
	const struct mptun_path_rx *prx = &path->rx;
	u64 bytes = prx->bytes - prx->reported_bytes;

	lockdep_assert_held(&path->tunnel->rx.lock);
	if (!prx->unreported)
		return U64_MAX;
	if (prx->urgent)
		interval = MPTUN_REPORT_GAP_NS;
	else if (bytes < MPTUN_RTT_REPORT_LITTLE_BYTES)
		interval = MPTUN_REPORT_LITTLE_NS;
	else if (bytes < MPTUN_REPORT_BYTES)
		interval = MPTUN_REPORT_MAX_NS;
	return prx->report_ns + interval;
}

/* Returns how many ranges are reported.  What lies below one that is longer
 * than its field has been settled long ago.
 */
static u32 mptun_report_ranges(const struct mptun_ranges *ranges)
{
	const struct mptun_range *range;
	u32 n = 0;

	while (n < ranges->count) {
		range = mptun_ranges_get(ranges, n++);
		if (range->last - range->first >= U32_MAX)
			break;
	}
	return n;
}

/* Appends the ACK of a path; returns false if it does not fit. */
static bool mptun_report_ack(struct sk_buff *skb, struct mptun_path *path,
			     u64 now)
{
	struct mptun_path_rx *prx = &path->rx;
	const struct mptun_range *range, *above = NULL;
	struct mptun_ack_range *wire;
	u64 largest, arrival_ns;
	struct mptun_ack *ack;
	u32 i, n;

	if (!mptun_ranges_largest(&prx->ranges, &largest))
		return true;
	n = mptun_report_ranges(&prx->ranges);
	ack = mptun_control_block(skb, MPTUN_BLOCK_ACK, sizeof(*ack) +
				  n * sizeof(*wire));
	if (!ack)
		return false;
	ack->path = cpu_to_be16(prx->wire_id);
	ack->ranges = n;
	/* The CPU that received may have read the clock later. */
	arrival_ns = atomic64_read(&prx->arrival_ns);
	if (now > arrival_ns)
		ack->delay = cpu_to_be32(mptun_now_us(now - arrival_ns));
	ack->largest = cpu_to_be64(largest);
	ack->arrival = cpu_to_be32(mptun_now_us(arrival_ns));
	ack->packets = cpu_to_be32((u32)prx->packets);
	ack->bytes = cpu_to_be64(prx->bytes);
	ack->ce = cpu_to_be32(prx->marks.ce);
	ack->ce_l4s = cpu_to_be32(prx->marks.l4s);

	wire = (void *)(ack + 1);
	for (i = 0; i < n; i++, wire++) {
		range = mptun_ranges_get(&prx->ranges, i);
		if (above)
			wire->gap = cpu_to_be32((u32)(above->first -
						      range->last - 1));
		wire->len = cpu_to_be32(min_t(u64, U32_MAX, range->last -
					      range->first + 1));
		above = range;
	}
	return true;
}

static void mptun_report_room(struct sk_buff *skb, struct mptun_tunnel *tunnel)
{
	struct mptun_reorder *reorder = &tunnel->rx.reorder;
	struct mptun_room *room;
	u64 given_up = 0;
	unsigned int i;

	room = mptun_control_block(skb, MPTUN_BLOCK_ROOM, sizeof(*room));
	if (!room)
		return;
	for (i = 0; i < MPTUN_GIVE_UP_REASONS; i++)
		given_up += reorder->stats.given_up[i];
	room->highest = cpu_to_be32(reorder->next - 1);
	room->room = cpu_to_be32(mptun_reorder_room(reorder));
	room->given_up = cpu_to_be32((u32)given_up);
}

/* Appends the ACKs of paths whose own reports may not get through. */
static void mptun_report_cross(struct sk_buff *skb, struct mptun_path *self,
			       u64 now)
{
	struct mptun_path *path;
	u64 srtt, interval;

	list_for_each_entry_rcu(path, &self->tunnel->paths, list) {
		srtt = (u64)READ_ONCE(path->tx.rtt.srtt_us) * NSEC_PER_USEC;
		interval = max_t(u64, srtt >> MPTUN_REPORT_CROSS_SHIFT,
				 MPTUN_REPORT_CROSS_NS);
		if (path == self || !path->rx.cross_unreported ||
		    now < path->rx.cross_ns + interval)
			continue;
		if (!mptun_report_ack(skb, path, now))
			return;
		path->rx.cross_ns = now;
		path->rx.cross_unreported = 0;
	}
}

/* Sends the report of a path, on another one if the path is down. */
static void mptun_report_send(struct mptun_path *path, u64 now)
{
	struct mptun_tunnel *tunnel = path->tunnel;
	struct mptun_rx *rx = &tunnel->rx;
	struct mptun_path *way;
	struct sk_buff *skb;

	way = mptun_control_path(tunnel, path);
	skb = mptun_control_alloc(MPTUN_CONTROL_MAX);
	if (!skb)
		return;

	spin_lock(&rx->lock);
	if (!path->rx.report_due) {
		/* Another CPU has just sent it. */
		spin_unlock(&rx->lock);
		kfree_skb(skb);
		return;
	}
	path->rx.unreported = 0;
	path->rx.reported_bytes = path->rx.bytes;
	path->rx.urgent = false;
	WRITE_ONCE(path->rx.report_due, false);
	path->rx.report_ns = now;
	mptun_report_ack(skb, path, now);
	mptun_report_room(skb, tunnel);
	mptun_report_cross(skb, path, now);
	trace_mptun_report(path);
	spin_unlock(&rx->lock);

	/* The floors of our own sending side */
	spin_lock(&tunnel->tx.lock);
	mptun_notify_settled(skb, tunnel, now);
	mptun_notify_floor(skb, path);
	mptun_control_finish(way, way->wire_id, skb, MPTUN_KIND_REPORT);
	mptun_path_cap_check(path, now);
}

/**
 * mptun_report_due() - send all reports that are due
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_report_due(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_path *path;

	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (READ_ONCE(path->rx.report_due))
			mptun_report_send(path, now);
}
