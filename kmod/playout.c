// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Playout: packets that came early are handed on as late as the others.
 *
 * The model: over two paths, one of which is farther, a flow has the round trip
 * of the near one as long as little is sent, and that of the far one when much
 * is.  A sender that takes the smallest round trip it has seen for that of the
 * path (BBR) keeps too little under way to fill the far one.  So each packet
 * waits here, behind the ring, until it is as old as the slowest path in use
 * makes any:
 *
 *	near  --1 ms--> ring ---- waits 25 ms ----> stack
 *	far   --26 ms-> ring ---------------------> stack
 *
 * It is what receivers of speech do about jitter (playout delay, RFC 3550,
 * section 6.4.4), and it costs the same: everybody has the delay of the slowest
 * path, all of the time.  Hence it is up to a class to ask for it.
 *
 * The age of a packet is its one-way delay, with the offset of the clocks,
 * which vanishes in the comparison (delay.c).  That of a path is the largest
 * of late, with queues and jitter, of its data (skew.c) and of control: of
 * these each path has some packets every ten seconds.  So the slowest path is
 * known before it is used, as a flow must not begin with a round trip that it
 * will never have again.
 *
 * All that waits has the delay to come that the first one has, or more, so one
 * queue keeps the order.
 *
 * Units: 1/16 us for delays, ns for the clock, bytes of truesize.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "playout.h"
#include "skb_cb.h"

/* A path counts that was heard of within this time: its keepalive may take 10
 * s, in which clocks drift apart by 2 ms at the worst.
 */
#define MPTUN_PLAYOUT_USED_NS	(15LL * NSEC_PER_SEC)

/* Packets leave early by so much, so that a timer sees to many of them. */
#define MPTUN_PLAYOUT_SLACK_NS	(500ULL * NSEC_PER_USEC)

/**
 * mptun_playout_init() - nothing waits, no class wants it
 * @p: packets that wait
 */
void mptun_playout_init(struct mptun_playout *p)
{
	memset(p, 0, sizeof(*p));
	__skb_queue_head_init(&p->queue);
}

/**
 * mptun_playout_path_init() - nothing known of a path
 * @path: the path
 */
void mptun_playout_path_init(struct mptun_playout_path *path)
{
	memset(path, 0, sizeof(*path));
}

/**
 * mptun_playout_sample() - a packet of control arrived
 * @path: its path
 * @time: the sender's time that it carries
 * @now: our clock in ns
 */
void mptun_playout_sample(struct mptun_playout_path *path, u32 time, u64 now)
{
	u32 sample = mptun_delay_sample(time, now);

	if (path->valid)
		mptun_delays_add(&path->delays, sample, now);
	else
		mptun_delays_restart(&path->delays, sample, now);
	path->seen = now;
	path->valid = true;
}

static bool mptun_playout_used(const struct mptun_playout_path *path, u64 now)
{
	return path->valid && (s64)(now - path->seen) <= MPTUN_PLAYOUT_USED_NS;
}

/* The delay of a path when nothing waits on its way. */
static u32 mptun_playout_low(const struct mptun_playout_path *path,
			     const struct mptun_skew *data, u64 now)
{
	u32 low = mptun_delays_low(&path->delays);
	u32 other;

	if (!mptun_skew_used(data, now))
		return low;
	other = mptun_delays_low(&data->delays);
	return mptun_delay_diff(other, low) < 0 ? other : low;
}

/* The delay of a path with what waited on its way of late, and jitter. */
static u32 mptun_playout_high(const struct mptun_playout_path *path,
			      const struct mptun_skew *data, u64 now)
{
	u32 high = mptun_delays_high(&path->delays);
	u32 other;

	if (!mptun_skew_used(data, now))
		return high;
	other = mptun_delays_high(&data->delays);
	return mptun_delay_diff(other, high) > 0 ? other : high;
}

/**
 * mptun_playout_nearest() - look for the smallest delay
 * @path: a path in use
 * @data: delay of its data
 * @now: our clock in ns
 * @range: what is known of the paths before it
 */
void mptun_playout_nearest(const struct mptun_playout_path *path,
			   const struct mptun_skew *data, u64 now,
			   struct mptun_playout_range *range)
{
	u32 low = mptun_playout_low(path, data, now);

	if (!mptun_playout_used(path, now))
		return;
	if (!range->any || mptun_delay_diff(low, range->low) < 0)
		range->low = low;
	range->high = range->low;
	range->any = true;
}

/**
 * mptun_playout_farthest() - look for the largest delay that is waited for
 * @path: a path in use
 * @data: delay of its data
 * @now: our clock in ns
 * @range: what is known of the paths before it, after all of them have been
 *	looked at for the nearest
 */
void mptun_playout_farthest(const struct mptun_playout_path *path,
			    const struct mptun_skew *data, u64 now,
			    struct mptun_playout_range *range)
{
	u32 low = mptun_playout_low(path, data, now);
	u32 high = mptun_playout_high(path, data, now);

	if (!mptun_playout_used(path, now) ||
	    mptun_delay_diff(low, range->low) > (s32)range->cap)
		return;
	if (mptun_delay_diff(high, range->low) > (s32)range->cap)
		high = (range->low + range->cap) & MPTUN_DELAY_MASK;
	if (mptun_delay_diff(high, range->high) > 0)
		range->high = high;
}

/**
 * mptun_playout_follow() - packets get the delay of the slowest path
 * @p: packets that wait
 * @range: delays of all paths in use
 */
void mptun_playout_follow(struct mptun_playout *p,
			  const struct mptun_playout_range *range)
{
	p->delay = range->high;
	p->spread = range->any ?
		    mptun_delay_diff(range->high, range->low) : 0;
}

/* How long a packet has to wait, in ns.  One that was sent again left later
 * than it should have, and one that lies about its time waits no longer than
 * others.
 */
static u64 mptun_playout_time(const struct mptun_playout *p,
			      const struct sk_buff *skb, u64 now)
{
	const struct mptun_rx_cb *cb = mptun_rx_cb(skb);
	s32 wait;

	if (cb->copy)
		return 0;
	wait = mptun_delay_diff(p->delay, mptun_delay_sample(cb->time, now));
	wait = clamp(wait, 0, (s32)p->spread);
	return (u64)wait * NSEC_PER_USEC >> MPTUN_DELAY_FRACTION;
}

static void mptun_playout_pop(struct mptun_playout *p,
			      struct sk_buff_head *out)
{
	struct sk_buff *skb = __skb_dequeue(&p->queue);

	p->bytes -= skb->truesize;
	__skb_queue_tail(out, skb);
}

/**
 * mptun_playout_wait() - does a packet have to wait?
 * @p: packets that wait
 * @skb: the packet, as the ring released it
 * @now: our clock in ns
 *
 * Nothing of the classes that want it overtakes what waits.
 *
 * Return: true if it is in the queue now.
 */
bool mptun_playout_wait(struct mptun_playout *p, struct sk_buff *skb, u64 now)
{
	const struct sk_buff *last;
	u64 due, time;

	if (!(p->classes & BIT(mptun_rx_cb(skb)->class)))
		return false;
	last = skb_peek_tail(&p->queue);
	time = mptun_playout_time(p, skb, now);
	due = now + time;
	if (last)
		due = max(due, mptun_rx_cb(last)->due);
	else if (time <= MPTUN_PLAYOUT_SLACK_NS)
		return false;
	mptun_rx_cb(skb)->due = due;
	__skb_queue_tail(&p->queue, skb);
	p->bytes += skb->truesize;
	p->waited++;
	return true;
}

/**
 * mptun_playout_release() - what has waited long enough
 * @p: packets that wait
 * @now: our clock in ns
 * @out: where to append the packets; those that memory does not suffice for as
 *	well
 *
 * Return: true if there are any.
 */
bool mptun_playout_release(struct mptun_playout *p, u64 now,
			   struct sk_buff_head *out)
{
	const struct sk_buff *skb;
	bool any = false;

	while ((skb = skb_peek(&p->queue)) &&
	       (mptun_rx_cb(skb)->due <= now + MPTUN_PLAYOUT_SLACK_NS ||
		p->bytes > p->limit)) {
		mptun_playout_pop(p, out);
		any = true;
	}
	return any;
}

/**
 * mptun_playout_flush() - nothing waits any more
 * @p: packets that wait
 * @out: where to append them
 */
void mptun_playout_flush(struct mptun_playout *p, struct sk_buff_head *out)
{
	while (!skb_queue_empty(&p->queue))
		mptun_playout_pop(p, out);
}

/**
 * mptun_playout_deadline() - when a packet has waited long enough
 * @p: packets that wait
 *
 * Return: time in ns, U64_MAX if none waits.
 */
u64 mptun_playout_deadline(const struct mptun_playout *p)
{
	const struct sk_buff *skb = skb_peek(&p->queue);

	return skb ? mptun_rx_cb(skb)->due : U64_MAX;
}
