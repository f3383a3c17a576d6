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
 * It is what de-jitter buffers do for speech (RFC 7005), and it costs the same:
 * everybody has the delay of the slowest path, all of the time.  Hence it is up
 * to a class to ask for it.
 *
 * The age of a packet is its one-way delay, with the offset of the clocks,
 * which vanishes in the comparison (reorder/owd.c).  That of a path is the largest
 * of late, with queues and jitter, of its data (reorder/owd.c) and of control: of
 * these each path has some packets every ten seconds.  So the slowest path is
 * known before it is used, as a flow must not begin with a round trip that it
 * will never have again.
 *
 * Each has a time of its own when it is due, so that nobody waits for flows
 * that came on another path.  The order of a flow is kept nevertheless when the
 * delay becomes smaller, or when something was sent again: nothing of it is due
 * before what is ahead of it.
 *
 * Units: 1/16 us for delays, ns for the clock, bytes of truesize.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "reorder/playout.h"

/* A path counts that brings data, or of which was heard within this time, as
 * its keepalive may take 10 s.  With the period before, extremes are at most
 * 25 s old, in which clocks drift apart by 5 ms at the worst.
 */
#define MPTUN_PLAYOUT_HEARD_NS	(15LL * NSEC_PER_SEC)

/* Packets leave early by so much, so that a timer sees to many of them. */
#define MPTUN_PLAYOUT_SLACK_NS	(500ULL * NSEC_PER_USEC)

/**
 * mptun_playout_init() - nothing waits, no class wants it
 * @p: packets that wait
 */
void mptun_playout_init(struct mptun_playout *p)
{
	memset(p, 0, sizeof(*p));
	p->queue = RB_ROOT_CACHED;
}

/**
 * mptun_playout_path_init() - nothing known of a path
 * @path: the path
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
 * mptun_playout_sample() - a packet of control arrived
 * @path: its path
 * @time: the sender's time that it carries
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

/* Extremes of the delay of a path, of control and data. Returns false if it is
 * not in use.
 */
static bool mptun_playout_path_range(const struct mptun_playout_path *path,
				     const struct mptun_skew *data, u64 now,
				     u32 *low, u32 *high)
{
	bool heard = mptun_playout_heard(path, now);
	u32 other;

	*low = mptun_owd_range_low(&path->delays);
	*high = mptun_owd_range_high(&path->delays);
	if (!mptun_skew_used(data, now))
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
 * mptun_playout_nearest() - look for the smallest delay
 * @path: a path in use, as to its control
 * @data: the same as to its data
 * @now: our clock in ns
 * @range: what is known of the paths before it
 */
void mptun_playout_nearest(const struct mptun_playout_path *path,
			   const struct mptun_skew *data, u64 now,
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
 * mptun_playout_farthest() - look for the largest delay that is waited for
 * @path: a path in use, as to its control
 * @data: the same as to its data
 * @now: our clock in ns
 * @range: what is known of the paths before it, after all of them have been
 *	looked at for the nearest
 */
void mptun_playout_farthest(const struct mptun_playout_path *path,
			    const struct mptun_skew *data, u64 now,
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
 * mptun_playout_follow() - packets get the delay of the slowest path
 * @p: packets that wait
 * @range: delays of all paths in use
 */
void mptun_playout_follow(struct mptun_playout *p,
			  const struct mptun_playout_range *range)
{
	p->delay = range->high;
	p->spread = range->any ?
		    mptun_owd_diff(range->high, range->low) : 0;
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
	wait = mptun_owd_diff(p->delay, mptun_owd_sample(cb->time, now));
	wait = clamp(wait, 0, (s32)p->spread);
	return (u64)wait * NSEC_PER_USEC >> MPTUN_OWD_FRACTION;
}

static struct sk_buff *mptun_playout_first(const struct mptun_playout *p)
{
	struct rb_node *node = rb_first_cached(&p->queue);

	return node ? rb_to_skb(node) : NULL;
}

static bool mptun_playout_before(struct rb_node *a, const struct rb_node *b)
{
	return mptun_rx_cb(rb_to_skb(a))->due < mptun_rx_cb(rb_to_skb(b))->due;
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
 * mptun_playout_wait() - does a packet have to wait?
 * @p: packets that wait
 * @skb: the packet, of a class that wants it
 * @flow: a number that its flow has
 * @now: our clock in ns
 *
 * Nothing overtakes what waits of the same flow.
 *
 * Return: true if it is in the queue now.
 */
bool mptun_playout_wait(struct mptun_playout *p, struct sk_buff *skb, u32 flow,
			u64 now)
{
	u64 *lane = &p->lanes[flow % MPTUN_PLAYOUT_LANES];
	u64 time = mptun_playout_time(p, skb, now);
	u64 due = max(now + time, *lane);

	if (due <= p->until_ns)
		return false;
	*lane = due;
	mptun_rx_cb(skb)->due = due;
	p->dev = skb->dev;
	rb_add_cached(&skb->rbnode, &p->queue, mptun_playout_before);
	p->packets++;
	p->bytes += skb->truesize;
	p->waited += due > now + MPTUN_PLAYOUT_SLACK_NS;
	return true;
}

static bool mptun_playout_over_limit(const struct mptun_playout *p)
{
	return p->bytes > p->limit || p->packets > MPTUN_PLAYOUT_MAX;
}

/**
 * mptun_playout_release() - what has waited long enough
 * @p: packets that wait
 * @now: our clock in ns
 * @out: where to append the packets; those that are too many as well
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
		if (mptun_rx_cb(skb)->due > p->until_ns) {
			if (!mptun_playout_over_limit(p))
				break;
			p->early++;
		}
		mptun_playout_pop(p, skb, out);
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
	struct sk_buff *skb;

	while ((skb = mptun_playout_first(p)))
		mptun_playout_pop(p, skb, out);
	memset(p->lanes, 0, sizeof(p->lanes));
}

/**
 * mptun_playout_deadline() - when a packet has waited long enough
 * @p: packets that wait
 *
 * Return: time in ns, U64_MAX if none waits.
 */
u64 mptun_playout_deadline(const struct mptun_playout *p)
{
	const struct sk_buff *skb = mptun_playout_first(p);

	return skb ? mptun_rx_cb(skb)->due : U64_MAX;
}
