// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Playout: delays packets to the latency of the slowest path.
 *
 * Over two paths of different latency, a flow has the round trip of the
 * low-latency path while it sends little, and that of the other one when it
 * sends much.  A sender that models the path by its smallest round trip (BBR)
 * then keeps too little in flight to fill the high-latency path.  So each
 * packet waits behind the reorder buffer until it has the one-way delay of the
 * slowest path in use:
 *
 *	low latency   --1 ms--> reorder -- waits 25 ms --> stack
 *	high latency  --26 ms-> reorder -----------------> stack
 *
 * De-jitter buffers of speech do the same (RFC 7005) at the same price: all
 * packets have the latency of the slowest path.  Hence it is an option of a
 * class.
 *
 * Delays contain the offset of the clocks, which vanishes in the comparison
 * (reorder/owd.c).  The delay of a path is the recent maximum of its data and
 * control packets; a path that works has control packets at least every half
 * minute.  So a path counts before it is used, and a flow does not start with a
 * round trip that it will never have again.
 *
 * Each packet has its own due time, so none waits for flows on another path.
 * If the delay shrinks, or a packet was retransmitted, the order within a flow
 * is kept: no packet is due before its predecessor.
 *
 * Units: 1/16 us for delays, ns for the clock, bytes of truesize.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "reorder/playout.h"

/* A path counts if it carries data, or sent control packets within this time;
 * its keepalive interval may be 25 s, and is an eighth longer at one end.
 * Together with the previous period samples are at most 50 s old, in which
 * clocks drift by at most 10 ms.
 */
#define MPTUN_PLAYOUT_HEARD_NS	(40LL * NSEC_PER_SEC)

/* Packets leave early by up to this, so one timer serves many. */
#define MPTUN_PLAYOUT_SLACK_NS	(500ULL * NSEC_PER_USEC)

/**
 * mptun_playout_init() - initialise an empty queue
 * @p: the queue
 */
void mptun_playout_init(struct mptun_playout *p)
{
	memset(p, 0, sizeof(*p));
	p->queue = RB_ROOT_CACHED;
}

/**
 * mptun_playout_path_init() - initialise the delay of a path
 * @path: the delay
 */
void mptun_playout_path_init(struct mptun_playout_path *path)
{
	memset(path, 0, sizeof(*path));
}

static bool mptun_playout_heard(const struct mptun_playout_path *path, u64 now)
{
	return path->valid && (s64)(now - path->seen) <= MPTUN_PLAYOUT_HEARD_NS;
}

/**
 * mptun_playout_sample() - add the delay of a control packet
 * @path: delay of its path
 * @time: the sender's time in the packet
 * @now: our clock in ns
 */
void mptun_playout_sample(struct mptun_playout_path *path, u32 time, u64 now)
{
	u32 sample = mptun_owd_sample(time, now);

	if (mptun_playout_heard(path, now))
		mptun_owd_range_add(&path->delays, sample, now);
	else
		mptun_owd_range_restart(&path->delays, sample, now);
	path->seen = now;
	path->valid = true;
}

/* Minimum and maximum of a path by control and data.  Returns false if it is
 * not in use.
 */
static bool mptun_playout_path_range(const struct mptun_playout_path *path,
				     const struct mptun_owd *data, u64 now,
				     u32 *low, u32 *high)
{
	bool heard = mptun_playout_heard(path, now);
	u32 other;

	*low = mptun_owd_range_low(&path->delays);
	*high = mptun_owd_range_high(&path->delays);
	if (!mptun_owd_used(data, now))
		return heard;
	other = mptun_owd_range_low(&data->delays);
	if (!heard || mptun_owd_diff(other, *low) < 0)
		*low = other;
	other = mptun_owd_range_high(&data->delays);
	if (!heard || mptun_owd_diff(other, *high) > 0)
		*high = other;
	return true;
}

/**
 * mptun_playout_add_low() - include a path in the smallest delay
 * @path: its delay by control packets
 * @data: its delay by data packets
 * @now: our clock in ns
 * @range: range of the paths so far
 */
void mptun_playout_add_low(const struct mptun_playout_path *path,
			   const struct mptun_owd *data, u64 now,
			   struct mptun_playout_range *range)
{
	u32 low, high;

	if (!mptun_playout_path_range(path, data, now, &low, &high))
		return;
	if (!range->any || mptun_owd_diff(low, range->low) < 0)
		range->low = low;
	range->high = range->low;
	range->any = true;
}

/**
 * mptun_playout_add_high() - include a path in the largest delay
 * @path: its delay by control packets
 * @data: its delay by data packets
 * @now: our clock in ns
 * @range: range of the paths so far; its minimum is final
 */
void mptun_playout_add_high(const struct mptun_playout_path *path,
			    const struct mptun_owd *data, u64 now,
			    struct mptun_playout_range *range)
{
	u32 low, high;

	if (!mptun_playout_path_range(path, data, now, &low, &high) ||
	    mptun_owd_diff(low, range->low) > (s32)range->cap)
		return;
	if (mptun_owd_diff(high, range->low) > (s32)range->cap)
		high = (range->low + range->cap) & MPTUN_OWD_MASK;
	if (mptun_owd_diff(high, range->high) > 0)
		range->high = high;
}

/**
 * mptun_playout_follow() - set the target delay
 * @p: the queue
 * @range: range of all paths in use
 */
void mptun_playout_follow(struct mptun_playout *p,
			  const struct mptun_playout_range *range)
{
	p->delay = range->high;
	p->spread = range->any ?
		    mptun_owd_diff(range->high, range->low) : 0;
}

static struct sk_buff *mptun_playout_first(const struct mptun_playout *p)
{
	struct rb_node *node = rb_first_cached(&p->queue);

	return node ? rb_to_skb(node) : NULL;
}

static bool mptun_playout_before(struct rb_node *a, const struct rb_node *b)
{
	return mptun_rxcb(rb_to_skb(a))->due < mptun_rxcb(rb_to_skb(b))->due;
}

static void mptun_playout_pop(struct mptun_playout *p, struct sk_buff *skb,
			      struct sk_buff_head *out)
{
	rb_erase_cached(&skb->rbnode, &p->queue);
	skb->dev = p->dev;
	p->packets--;
	p->bytes -= skb->truesize;
	__skb_queue_tail(out, skb);
}

/**
 * mptun_playout_wait() - queue a packet unless it is due
 * @p: the queue
 * @skb: the packet, of a class with playout
 * @flow: number of its flow
 * @now: our clock in ns
 *
 * Keeps the order within a flow.  Retransmissions do not wait, as they are
 * late; the spread bounds the wait of packets with a wrong time.
 *
 * Return: true if it was queued.
 */
bool mptun_playout_wait(struct mptun_playout *p, struct sk_buff *skb, u32 flow,
			u64 now)
{
	u64 *lane = &p->lanes[flow % MPTUN_PLAYOUT_LANES];
	struct mptun_rx_cb *cb = mptun_rxcb(skb);
	s32 wait = 0;
	u64 due;

	if (!cb->copy)
		wait = mptun_owd_diff(p->delay,
				      mptun_owd_sample(cb->time, now));
	wait = clamp(wait, 0, (s32)p->spread);
	due = max(now + ((u64)wait * NSEC_PER_USEC >> MPTUN_OWD_FRACTION),
		  *lane);
	if (due <= p->until_ns)
		return false;
	*lane = due;
	cb->due = due;
	p->dev = skb->dev;
	rb_add_cached(&skb->rbnode, &p->queue, mptun_playout_before);
	p->packets++;
	p->bytes += skb->truesize;
	p->waited += due > now + MPTUN_PLAYOUT_SLACK_NS;
	return true;
}

/**
 * mptun_playout_release() - dequeue packets that are due
 * @p: the queue
 * @now: our clock in ns
 * @out: the packets are appended, also those above the limits
 *
 * Return: true if there are any.
 */
bool mptun_playout_release(struct mptun_playout *p, u64 now,
			   struct sk_buff_head *out)
{
	struct sk_buff *skb;
	bool any = false;

	p->until_ns = now + MPTUN_PLAYOUT_SLACK_NS;
	while ((skb = mptun_playout_first(p))) {
		if (mptun_rxcb(skb)->due > p->until_ns) {
			if (p->bytes <= p->limit &&
			    p->packets <= MPTUN_PLAYOUT_MAX)
				break;
			p->early++;
		}
		mptun_playout_pop(p, skb, out);
		any = true;
	}
	return any;
}

/**
 * mptun_playout_flush() - dequeue all packets
 * @p: the queue
 * @out: the packets are appended
 */
void mptun_playout_flush(struct mptun_playout *p, struct sk_buff_head *out)
{
	struct sk_buff *skb;

	while ((skb = mptun_playout_first(p)))
		mptun_playout_pop(p, skb, out);
	memset(p->lanes, 0, sizeof(p->lanes));
}

/**
 * mptun_playout_deadline() - time at which the next packet is due
 * @p: the queue
 *
 * Return: time in ns, U64_MAX if the queue is empty.
 */
u64 mptun_playout_deadline(const struct mptun_playout *p)
{
	const struct sk_buff *skb = mptun_playout_first(p);

	return skb ? mptun_rxcb(skb)->due : U64_MAX;
}
