// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The reorder buffer of a tunnel.
 *
 * The sender numbers all packets of the tunnel (dsn) and assigns inner flows to
 * lanes.  A packet contains the distance to the previous one of its lane
 * (prev).  It is delivered once that one is settled: delivered or given up.  So
 * each flow stays in order, a hole in one flow holds up no other, and the
 * receiver needs no table of flows:
 *
 *	dsn     10    11    12    13    14
 *	state   del.  hole  held  del.  held
 *	               |     ^ |         ^
 *	               +-----+ +---------+	11 <- 12 <- 14, one lane
 *
 * One link leads from a missing dsn to the packet that waits for it, from that
 * to the next, and so on.  Settling the hole releases the chain, in a loop.  A
 * slot has one link, as a packet has one successor in its lane; a second
 * waiter, which only a broken sender produces, is delivered.
 *
 * A hole is given up for one of these reasons, in order of preference:
 *
 *  - proof: its path proved the loss (reorder/gap.c);
 *  - floor: the sender expects nothing older to arrive;
 *  - time: the first waiter has waited for the hold time.  Packets sent before
 *    it should have arrived by then, so its time counts for the whole chain
 *    that leads to it;
 *  - size: ring or memory are full;
 *  - psmc: the rule of that mode (reorder/psmc.c), which ignores proofs and
 *    floor.
 *
 * A REPAIRABLE packet waits for a retransmission, which may arrive a round trip
 * after the proof: only floor, size and time end its wait; in mode adaptive
 * that time is longer.  Packets behind it in its lane whose time expires wait
 * with it, without a time of their own.
 *
 * A packet that arrives after it was given up is delivered at once, except for
 * a retransmission of a proved loss behind another loss of its lane.
 *
 * All operations are O(1) per packet, amortised.  Units: dsns, bytes of
 * truesize, ns for the clock, us for settings.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "reorder/reorder.h"

static u64 mptun_reorder_repair_ns(const struct mptun_reorder *r)
{
	if (r->config.mode != MPTUN_REORDER_MODE_ADAPTIVE)
		return r->hold_ns;
	return max(r->hold_ns, r->repair_ns);
}

/* Updates the hold time after a change of settings or measurement. */
static void mptun_reorder_update_hold(struct mptun_reorder *r)
{
	u32 us = r->config.hold_us;

	if (r->config.mode == MPTUN_REORDER_MODE_ADAPTIVE)
		us = min(us, r->measured_us);
	r->hold_ns = (u64)us * NSEC_PER_USEC;
}

/**
 * mptun_reorder_init() - initialise a ring
 * @r: the ring
 *
 * It starts with dsn 0, mode adaptive and the longest hold time; see
 * mptun_reorder_start() and mptun_reorder_configure().
 *
 * Return: 0, or -ENOMEM.
 */
int mptun_reorder_init(struct mptun_reorder *r)
{
	int err, i;

	memset(r, 0, sizeof(*r));
	err = mptun_reorder_window_init(r);
	if (err)
		return err;

	for (i = 0; i < MPTUN_REORDER_LISTS; i++)
		__skb_queue_head_init(&r->list[i]);
	r->config.mode = MPTUN_REORDER_MODE_ADAPTIVE;
	r->config.hold_us = MPTUN_HOLD_MAX_US;
	r->config.limit_bytes = U32_MAX;
	r->most = U32_MAX;
	r->measured_us = U32_MAX;
	mptun_reorder_update_hold(r);
	mptun_reorder_set_repair(r, 0);
	mptun_reorder_psmc_init(r);
	return 0;
}

/**
 * mptun_reorder_destroy() - free a ring and its packets
 * @r: the ring
 */
void mptun_reorder_destroy(struct mptun_reorder *r)
{
	int i;

	for (i = 0; i < MPTUN_REORDER_LISTS; i++)
		__skb_queue_purge(&r->list[i]);
	mptun_reorder_window_destroy(r);
}

/* Ends the wait of a packet.  CPUs read the clock before they take the lock, so
 * it may go back a little.
 */
static void mptun_reorder_unhold(struct mptun_reorder *r, u32 dsn, u64 now,
				 struct sk_buff_head *out)
{
	struct sk_buff **slot = mptun_reorder_skb(r, dsn);
	struct sk_buff *skb = *slot;
	struct mptun_rx_cb *cb = mptun_rxcb(skb);
	u64 us = 0;

	*slot = NULL;
	*mptun_reorder_wait(r, dsn - cb->prev) = 0;
	mptun_reorder_group_of(r, dsn)->settled |= mptun_reorder_bit(dsn);
	__skb_unlink(skb, &r->list[cb->list]);
	r->held--;
	r->bytes -= skb->truesize;
	if (now > cb->arrival)
		us = div_u64(now - cb->arrival, NSEC_PER_USEC);
	r->stats.histogram[min(fls64(us >> 6), MPTUN_HISTOGRAM_SLOTS - 1)]++;
	__skb_queue_tail(out, skb);
}

/* @dsn was settled: releases the chain behind it.  Returns the number of
 * packets.
 */
u32 mptun_reorder_release(struct mptun_reorder *r, u32 dsn, u64 now,
			  struct sk_buff_head *out)
{
	u32 n = 0;
	u16 wait;

	while ((wait = *mptun_reorder_wait(r, dsn)) != 0) {
		dsn += wait;
		mptun_reorder_unhold(r, dsn, now, out);
		n++;
	}
	return n;
}

/* Releases all packets in the order of their dsns.  Holes remain. */
void mptun_reorder_release_all(struct mptun_reorder *r, u64 now,
			       struct sk_buff_head *out)
{
	while (r->held)
		mptun_reorder_unhold(r, mptun_reorder_lowest_held(r), now,
				     out);
}

/* Settles a hole. */
void mptun_reorder_give_up(struct mptun_reorder *r, u32 dsn,
			   enum mptun_give_up why, u64 now,
			   struct sk_buff_head *out)
{
	mptun_reorder_group_of(r, dsn)->settled |= mptun_reorder_bit(dsn);
	r->stats.given_up[why]++;
	mptun_reorder_release(r, dsn, now, out);
}

/* Settles all holes in [from, to). */
void mptun_reorder_give_up_range(struct mptun_reorder *r, u32 from, u32 to,
				 enum mptun_give_up why, u64 now,
				 struct sk_buff_head *out)
{
	u32 group = mptun_reorder_group_start(from);
	u64 holes;

	for (; mptun_seq_before(group, to); group += MPTUN_REORDER_GROUP) {
		const struct mptun_reorder_group *g;

		g = mptun_reorder_group_of(r, group);
		holes = ~(g->arrived | g->settled) &
			mptun_reorder_mask(group, from, to);
		for (; holes; holes &= holes - 1)
			mptun_reorder_give_up(r, group + __ffs64(holes), why,
					      now, out);
	}
}

/* Settles the holes below the sender's floor. */
void mptun_reorder_apply_floor(struct mptun_reorder *r, u64 now,
			       struct sk_buff_head *out)
{
	u32 to = r->floor;

	if (r->config.mode == MPTUN_REORDER_MODE_PSMC)
		return;
	if (mptun_seq_after(to, r->next))
		to = r->next;
	if (!mptun_seq_after(to, r->floored))
		return;
	mptun_reorder_give_up_range(r, r->floored, to, MPTUN_GIVE_UP_FLOOR,
				    now, out);
	r->floored = to;
}

/**
 * mptun_reorder_start() - start a new association
 * @r: the ring
 * @first_dsn: first dsn of the sender
 * @out: all held packets are appended in the order of their dsns
 */
void mptun_reorder_start(struct mptun_reorder *r, u32 first_dsn,
			 struct sk_buff_head *out)
{
	struct sk_buff *skb;

	/* Without a clock these waits are not counted. */
	while (r->held) {
		u32 dsn = mptun_reorder_lowest_held(r);

		skb = *mptun_reorder_skb(r, dsn);
		mptun_reorder_unhold(r, dsn, mptun_rxcb(skb)->arrival, out);
	}
	mptun_reorder_window_start(r, first_dsn);
	r->psmc.run = 0;
}

/* Settles the hole at the start of the chain of @skb. */
static void mptun_reorder_force(struct mptun_reorder *r, struct sk_buff *skb,
				enum mptun_give_up why, u64 now,
				struct sk_buff_head *out)
{
	const struct mptun_rx_cb *cb = mptun_rxcb(skb);

	while (mptun_reorder_is_held(r, cb->dsn - cb->prev)) {
		skb = *mptun_reorder_skb(r, cb->dsn - cb->prev);
		cb = mptun_rxcb(skb);
	}
	mptun_reorder_give_up(r, cb->dsn - cb->prev, why, now, out);
}

/* The hold time of @skb has expired.  Its root, the packet at the start of its
 * chain, waits for a hole.  If that waits for a retransmission, everything in
 * the chain up to the root does, without a time.  Packets with a longer time of
 * their own keep it.
 */
static void mptun_reorder_expire_hold(struct mptun_reorder *r,
				      struct sk_buff *skb, u64 now,
				      struct sk_buff_head *out)
{
	struct mptun_rx_cb *cb = mptun_rxcb(skb);
	struct sk_buff *root = skb;

	while (cb->list != MPTUN_REORDER_LIST_BEHIND &&
	       mptun_reorder_is_held(r, cb->dsn - cb->prev)) {
		root = *mptun_reorder_skb(r, cb->dsn - cb->prev);
		cb = mptun_rxcb(root);
	}
	if (cb->list == MPTUN_REORDER_LIST_HOLD ||
	    (cb->list == MPTUN_REORDER_LIST_REPAIR &&
	     cb->arrival + mptun_reorder_repair_ns(r) <= now)) {
		mptun_reorder_force(r, root, MPTUN_GIVE_UP_TIME, now, out);
		return;
	}
	while (skb != root) {
		cb = mptun_rxcb(skb);
		if (cb->list == MPTUN_REORDER_LIST_HOLD) {
			__skb_unlink(skb, &r->list[cb->list]);
			cb->list = MPTUN_REORDER_LIST_BEHIND;
			__skb_queue_tail(&r->list[cb->list], skb);
		}
		skb = *mptun_reorder_skb(r, cb->dsn - cb->prev);
	}
}

/**
 * mptun_reorder_deadline() - time of the next mptun_reorder_expire()
 * @r: the ring
 *
 * Return: time in ns, U64_MAX for never.
 */
u64 mptun_reorder_deadline(const struct mptun_reorder *r)
{
	const struct sk_buff *skb;
	u64 deadline = U64_MAX;

	skb = skb_peek(&r->list[MPTUN_REORDER_LIST_HOLD]);
	if (skb)
		deadline = mptun_rxcb(skb)->arrival + r->hold_ns;
	skb = skb_peek(&r->list[MPTUN_REORDER_LIST_REPAIR]);
	if (skb)
		deadline = min(deadline, mptun_rxcb(skb)->arrival +
			       mptun_reorder_repair_ns(r));
	return deadline;
}

/**
 * mptun_reorder_expire() - give up holes whose time has expired
 * @r: the ring
 * @now: our clock in ns
 * @out: released packets are appended
 */
void mptun_reorder_expire(struct mptun_reorder *r, u64 now,
			  struct sk_buff_head *out)
{
	struct sk_buff *skb;

	while ((skb = skb_peek(&r->list[MPTUN_REORDER_LIST_REPAIR])) &&
	       mptun_rxcb(skb)->arrival + mptun_reorder_repair_ns(r) <= now)
		mptun_reorder_force(r, skb, MPTUN_GIVE_UP_TIME, now, out);

	while ((skb = skb_peek(&r->list[MPTUN_REORDER_LIST_HOLD])) &&
	       mptun_rxcb(skb)->arrival + r->hold_ns <= now)
		mptun_reorder_expire_hold(r, skb, now, out);
}

/* Ends the longest waits while memory is full.  Packets that wait behind
 * another one follow it.
 */
static void mptun_reorder_limit(struct mptun_reorder *r, u64 now,
				struct sk_buff_head *out)
{
	struct sk_buff *a, *b;

	while (r->held && r->bytes > mptun_reorder_most(r)) {
		a = skb_peek(&r->list[MPTUN_REORDER_LIST_HOLD]);
		b = skb_peek(&r->list[MPTUN_REORDER_LIST_REPAIR]);
		if (!a ||
		    (b && mptun_rxcb(b)->arrival < mptun_rxcb(a)->arrival))
			a = b;
		mptun_reorder_force(r, a, MPTUN_GIVE_UP_SIZE, now, out);
	}
}

/**
 * mptun_reorder_configure() - change the settings
 * @r: the ring
 * @c: the new settings
 * @now: our clock in ns
 * @out: released packets are appended
 */
void mptun_reorder_configure(struct mptun_reorder *r,
			     const struct mptun_reorder_config *c, u64 now,
			     struct sk_buff_head *out)
{
	r->config = *c;
	mptun_reorder_update_hold(r);

	if (c->mode == MPTUN_REORDER_MODE_OFF)
		mptun_reorder_release_all(r, now, out);
	if (c->mode == MPTUN_REORDER_MODE_OFF ||
	    c->mode == MPTUN_REORDER_MODE_PSMC)
		r->gaps = 0;
	mptun_reorder_apply_floor(r, now, out);
	mptun_reorder_limit(r, now, out);
	mptun_reorder_expire(r, now, out);
	mptun_reorder_psmc_full(r, now, out);
}

/**
 * mptun_reorder_set_hold() - set the hold time of mode adaptive
 * @r: the ring
 * @hold_us: hold time in us, limited by the settings
 *
 * mptun_reorder_deadline() may be sooner afterwards.
 */
void mptun_reorder_set_hold(struct mptun_reorder *r, u32 hold_us)
{
	r->measured_us = hold_us;
	mptun_reorder_update_hold(r);
}

/**
 * mptun_reorder_set_repair() - set how long a retransmission may take
 * @r: the ring
 * @rtt_us: round-trip time of the slowest path in us
 *
 * mptun_reorder_deadline() may be sooner afterwards.
 */
void mptun_reorder_set_repair(struct mptun_reorder *r, u32 rtt_us)
{
	r->repair_ns = (u64)mptun_reorder_repair_us(rtt_us) * NSEC_PER_USEC;
}

/**
 * mptun_reorder_floor() - set the sender's floor
 * @r: the ring
 * @dsn: lowest dsn that may still arrive
 * @now: our clock in ns
 * @out: released packets are appended
 *
 * Ignores a floor beyond the largest ring: the packet that justifies it will
 * restart the ring.
 */
void mptun_reorder_floor(struct mptun_reorder *r, u32 dsn, u64 now,
			 struct sk_buff_head *out)
{
	if (!mptun_seq_after(dsn, r->floor) ||
	    mptun_seq_after(dsn, r->next + MPTUN_REORDER_SLOTS_MAX))
		return;
	r->floor = dsn;
	mptun_reorder_apply_floor(r, now, out);
}

/* Returns true if a dsn that was given up may wait again: its loss was proved,
 * and the sender has not given it up.
 */
static bool mptun_reorder_may_reopen(struct mptun_reorder *r, u32 dsn)
{
	u64 proved = mptun_reorder_group_of(r, dsn)->proved;

	return (proved & mptun_reorder_bit(dsn)) &&
	       !mptun_seq_before(dsn, r->floored);
}

static void mptun_reorder_reopen(struct mptun_reorder *r, u32 dsn)
{
	mptun_reorder_group_of(r, dsn)->settled &= ~mptun_reorder_bit(dsn);
	if (mptun_seq_before(dsn, r->settled))
		r->settled = dsn;
}

/* Returns true if a packet must wait for @pred.  A proved loss that may be
 * retransmitted becomes a hole again.
 */
static bool mptun_reorder_must_wait(struct mptun_reorder *r, u32 pred,
				    bool repairable)
{
	struct mptun_reorder_group *g;
	u64 bit = mptun_reorder_bit(pred);

	if (mptun_seq_before(pred, r->first))
		return false;
	g = mptun_reorder_group_of(r, pred);
	if (!(g->settled & bit))
		return true;
	if (!repairable || (g->arrived & bit) ||
	    !mptun_reorder_may_reopen(r, pred))
		return false;
	mptun_reorder_reopen(r, pred);
	return true;
}

/* A packet arrived that had been given up.  If it is a retransmission, its loss
 * was proved while none waited for it.  Returns true if it has to wait itself,
 * which keeps it behind earlier losses of its lane.
 */
static bool mptun_reorder_rejoin(struct mptun_reorder *r,
				 const struct mptun_reorder_pkt *p)
{
	if (!p->copy || !p->repairable || !p->prev ||
	    r->config.mode == MPTUN_REORDER_MODE_OFF ||
	    !mptun_reorder_may_reopen(r, p->dsn) ||
	    !mptun_reorder_must_wait(r, p->dsn - p->prev, p->repairable))
		return false;
	mptun_reorder_reopen(r, p->dsn);
	return true;
}

/* Holds a packet whose predecessor is missing or held. */
static enum mptun_verdict mptun_reorder_hold(struct mptun_reorder *r,
					     struct sk_buff *skb,
					     const struct mptun_reorder_pkt *p,
					     u64 now, struct sk_buff_head *out)
{
	struct mptun_rx_cb *cb = mptun_rxcb(skb);
	u32 dsn = p->dsn;

	cb->arrival = now;
	cb->dsn = dsn;
	cb->prev = p->prev;
	cb->list = p->repairable ? MPTUN_REORDER_LIST_REPAIR :
				   MPTUN_REORDER_LIST_HOLD;
	*mptun_reorder_wait(r, dsn - p->prev) = p->prev;
	*mptun_reorder_skb(r, dsn) = skb;
	if (mptun_seq_before(dsn, r->lowest))
		r->lowest = dsn;
	__skb_queue_tail(&r->list[cb->list], skb);
	r->held++;
	r->bytes += skb->truesize;
	r->stats.held++;

	/* Last, as the packet itself may have to leave. */
	mptun_reorder_limit(r, now, out);
	mptun_reorder_psmc_full(r, now, out);
	return mptun_reorder_is_held(r, dsn) ? MPTUN_VERDICT_HELD :
					       MPTUN_VERDICT_DELIVERED;
}

/* Delivers or holds a packet that is neither a duplicate nor late. */
static enum mptun_verdict mptun_reorder_place(struct mptun_reorder *r,
					      struct sk_buff *skb,
					      const struct mptun_reorder_pkt *p,
					      u64 now,
					      struct sk_buff_head *out)
{
	u32 pred = p->dsn - p->prev;
	u32 n;

	if (!p->prev || r->config.mode == MPTUN_REORDER_MODE_OFF ||
	    !mptun_reorder_must_wait(r, pred, p->repairable))
		r->stats.in_order++;
	else if (*mptun_reorder_wait(r, pred))
		r->stats.through++;
	else
		return mptun_reorder_hold(r, skb, p, now, out);

	mptun_reorder_group_of(r, p->dsn)->settled |= mptun_reorder_bit(p->dsn);
	__skb_queue_tail(out, skb);
	n = mptun_reorder_release(r, p->dsn, now, out);
	r->stats.released += n;
	mptun_reorder_psmc_run(r, n + 1);
	return MPTUN_VERDICT_DELIVERED;
}

/**
 * mptun_reorder_insert() - insert a data packet
 * @r: the ring
 * @skb: the packet, in no list; its control block is overwritten if it is held
 * @p: content of its header
 * @now: our clock in ns
 * @out: released packets are appended, @skb included
 *
 * Return: &enum mptun_verdict.
 */
enum mptun_verdict mptun_reorder_insert(struct mptun_reorder *r,
					struct sk_buff *skb,
					const struct mptun_reorder_pkt *p,
					u64 now, struct sk_buff_head *out)
{
	u64 bit = mptun_reorder_bit(p->dsn);
	struct mptun_reorder_group *g;

	if (mptun_seq_before(p->dsn, r->first)) {
		/* A late copy of a dsn that the ring no longer knows. */
		if (p->copy)
			r->stats.duplicates++;
		else
			r->stats.too_old++;
		return MPTUN_VERDICT_TOO_OLD;
	}
	if (!mptun_seq_before(p->dsn, r->next))
		mptun_reorder_advance(r, p->dsn, now, out);
	if (!p->copy)
		mptun_reorder_first_arrived(r, p->dsn, now, out);

	g = mptun_reorder_group_of(r, p->dsn);
	if (g->arrived & bit) {
		r->stats.duplicates++;
		return MPTUN_VERDICT_DUPLICATE;
	}
	g->arrived |= bit;
	if ((g->settled & bit) && !mptun_reorder_rejoin(r, p)) {
		r->stats.late++;
		__skb_queue_tail(out, skb);
		return MPTUN_VERDICT_DELIVERED;
	}
	return mptun_reorder_place(r, skb, p, now, out);
}
