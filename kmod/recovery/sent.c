// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets in flight on one path, and their acknowledgment.
 *
 * The model: each data packet of a path takes the next number of the path and
 * leaves a record. Reports say which numbers arrived, recovery/loss.c which
 * were lost.
 *
 *	start ... first ... oldest ........... largest ... next
 *	 forgotten | settled | outstanding and settled       | not yet sent
 *
 * Below @oldest all is settled: acknowledged or lost. Records of losses stay
 * for a while, to recognise packets that arrive after all. Those of
 * acknowledged packets store how far the numbers after them are acknowledged
 * too, so that repeated ranges of a report are not walked packet by packet: a
 * report costs its ranges and what is new in it, not the size of the window.
 *
 * Numbers and times are 64 bits wide and do not wrap. Times are in ns.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "base/seq.h"
#include "recovery/sent.h"

/* The bytes of all packets outstanding at once must not overflow. */
static_assert((u64)MPTUN_SENT_MAX * U16_MAX <= U32_MAX);

/**
 * mptun_sent_init() - prepare the records of a path
 * @s: the path's packets
 *
 * The number space begins at 0 until mptun_sent_reset().
 *
 * Return: 0, or -ENOMEM.
 */
int mptun_sent_init(struct mptun_sent *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	err = mptun_ring_init(&s->ring, MPTUN_SENT_SLOT_SHIFT,
			      MPTUN_SENT_CHUNK_SHIFT, GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	__skb_queue_head_init(&s->arrived);
	__skb_queue_head_init(&s->lost);
	mptun_sent_reset(s, 0);
	return 0;
}

/**
 * mptun_sent_limit() - charge to a pool what the records grow by
 * @s: the path's packets, just initialised
 * @pool: the pool
 */
void mptun_sent_limit(struct mptun_sent *s, struct mptun_pool *pool)
{
	mptun_ring_limit(&s->ring, pool);
}

/**
 * mptun_sent_destroy() - free the records of a path
 * @s: the path's packets, of which nothing is kept
 */
void mptun_sent_destroy(struct mptun_sent *s)
{
	mptun_ring_destroy(&s->ring);
	mptun_ring_destroy(&s->kept);
	memset(s, 0, sizeof(*s));
}

/**
 * mptun_sent_reset() - begin a new number space
 * @s: the path's packets, of which nothing is kept; outstanding ones are
 *	dropped
 * @first: number of the first packet; reports of older ones are refused
 */
void mptun_sent_reset(struct mptun_sent *s, u64 first)
{
	struct mptun_ring ring = s->ring;
	mptun_sent_part_t part = s->part;

	mptun_ring_destroy(&s->kept);
	memset(s, 0, sizeof(*s));
	s->ring = ring;
	s->part = part;
	__skb_queue_head_init(&s->arrived);
	__skb_queue_head_init(&s->lost);
	s->start = first;
	s->first = first;
	s->oldest = first;
	s->next = first;
	s->limited = first;
	s->round_end = first;
	s->loss_ns = U64_MAX;
	s->threshold = MPTUN_SENT_PACKETS_MIN;
	s->eighths = MPTUN_SENT_EIGHTHS_MIN;
	mptun_sent_idle(s);
}

/**
 * mptun_sent_idle() - free memory if nothing is outstanding
 * @s: the path's packets
 *
 * Drops the records of losses, so the path should have been idle for a while.
 */
void mptun_sent_idle(struct mptun_sent *s)
{
	if (s->packets)
		return;
	s->first = s->next;
	s->oldest = s->next;
	mptun_ring_shrink(&s->ring, GFP_ATOMIC);
	mptun_ring_destroy(&s->kept);
}

/* Numbers of a ring size apart share a slot, so [first, next) must not be
 * larger than the ring.
 */
static bool mptun_sent_fits(const struct mptun_sent *s)
{
	return s->next - s->first < mptun_ring_size(&s->ring);
}

/**
 * mptun_sent_can_add() - make room for one more record
 * @s: the path's packets
 *
 * Grows the ring, and the one for what is kept before it; if that is not
 * possible, drops records of losses, which only serve to recognise spurious
 * ones.
 *
 * Return: true if mptun_sent_add() finds room for one.
 */
bool mptun_sent_can_add(struct mptun_sent *s)
{
	struct mptun_ring *kept = &s->kept;

	if (mptun_sent_fits(s))
		return true;

	if (mptun_ring_size(&s->ring) < MPTUN_SENT_MAX &&
	    (!kept->chunks ||
	     mptun_ring_size(kept) > mptun_ring_size(&s->ring) ||
	     !mptun_ring_grow(kept, s->first, GFP_ATOMIC)) &&
	    !mptun_ring_grow(&s->ring, s->first, GFP_ATOMIC))
		return true;

	s->first = s->oldest;
	return mptun_sent_fits(s);
}

/**
 * mptun_sent_add() - record a packet being sent
 * @s: the path's packets
 * @dsn: its data sequence number
 * @bytes: its size, at most 65535
 * @now: time in ns
 *
 * Numbers are nonces: whatever happens, no call returns one that was returned
 * before.  If there is no room (mptun_sent_can_add()), all that is outstanding
 * becomes lost.
 *
 * Return: number of the packet.
 */
u64 mptun_sent_add(struct mptun_sent *s, u32 dsn, u32 bytes, u64 now)
{
	struct mptun_sent_result lost;
	struct mptun_sent_slot *slot;

	if (!mptun_sent_can_add(s)) {
		mptun_sent_abandon(s, &lost);
		s->first = s->oldest;
	}

	/* The caller may have read the clock before it took the lock. */
	s->last_ns = max(s->last_ns, now);
	bytes = min_t(u32, bytes, U16_MAX);

	slot = mptun_sent_slot(s, s->next);
	slot->sent_ns = s->last_ns;
	slot->dsn = dsn;
	slot->bytes = bytes;
	slot->state = MPTUN_SENT_OUT;

	s->in_flight += bytes;
	s->packets++;
	return s->next++;
}

/**
 * struct mptun_sent_report - a report being processed
 * @now: time in ns
 * @top: largest number it acknowledges
 * @prior: largest number acknowledged before, the first number if none
 * @rtt: round-trip time before the report
 * @from: where it comes from
 * @res: its result
 */
struct mptun_sent_report {
	u64 now;
	u64 top;
	u64 prior;
	const struct mptun_rtt *rtt;
	const struct mptun_sent_origin *from;
	struct mptun_sent_result *res;
};

static void mptun_sent_arrived(struct mptun_sent *s,
			       const struct mptun_sent_report *rep, u64 number,
			       struct mptun_sent_slot *slot)
{
	struct mptun_sent_result *res = rep->res;
	u64 age = mptun_sent_age(slot, rep->now);

	mptun_sent_unkeep(s, number, false);
	if (slot->state == MPTUN_SENT_OUT) {
		s->in_flight -= slot->bytes;
		s->packets--;
		res->acked_packets++;
		res->acked_bytes += slot->bytes;
	} else {
		res->spurious++;
		res->spurious_bytes += slot->bytes;
		res->retracted += number >= s->outage;
		/* It ends the run of losses it was part of. */
		if (slot->sent_ns >= s->run_ns)
			s->run = false;
	}
	if (number < rep->prior && slot->state != MPTUN_SENT_ABANDONED) {
		mptun_sent_overtaken(s, number, age, rep->prior, rep->rtt,
				     slot->state == MPTUN_SENT_LOST);
		if (number != rep->top) {
			res->overtaken++;
			res->overtaken_ns += age;
		}
	}

	if (s->doubt && slot->bytes >= s->doubt && slot->sent_ns >= s->doubt_ns)
		s->doubt = 0;
	if (number < s->limited)
		res->window_limited = true;
	if (number == rep->top) {
		res->rtt_valid = true;
		res->rtt_us = min_t(u64, div_u64(age, NSEC_PER_USEC),
				    MPTUN_RTT_MAX_US);
	}
	res->newest_acked_ns = max(res->newest_acked_ns, slot->sent_ns);
	slot->state = MPTUN_SENT_ACKED;
	slot->run = 1;
}

static void mptun_sent_ack_span(struct mptun_sent *s,
				const struct mptun_sent_report *rep,
				u64 first, u64 last)
{
	struct mptun_sent_slot *slot;
	u64 number = first;

	while (number <= last) {
		slot = mptun_sent_slot(s, number);
		if (slot->state == MPTUN_SENT_ACKED) {
			number += slot->run;
			continue;
		}
		mptun_sent_arrived(s, rep, number, slot);
		number++;
	}
	slot = mptun_sent_slot(s, first);
	slot->run = max_t(u32, slot->run, last - first + 1);
}

/* Keeps the age of a number that a report of another path acknowledges first,
 * until a report of the path itself does.
 */
static void mptun_sent_other(struct mptun_sent *s,
			     const struct mptun_sent_report *rep)
{
	const struct mptun_sent_result *res = rep->res;

	if (!res->rtt_valid || s->other_first)
		return;
	s->other_acked = rep->top;
	s->other_ns = rep->now - res->rtt_us * (u64)NSEC_PER_USEC;
	s->other_us = rep->from->arrival_us;
	s->other_in_flight = res->prior_in_flight;
	s->other_first = true;
}

/* Tests whether a report measures the round-trip time of the path, and fills in
 * for how long the receiver held it.  Only its own reports do.  They may come
 * after those of paths that are busier, or have a shorter queue on the way
 * back.  If the receiver held the kept number for longer than any report, it
 * has sent reports since that are lost, and nothing is measured.
 */
static bool mptun_sent_timed(struct mptun_sent *s,
			     const struct mptun_sent_report *rep, u32 *held_us)
{
	const struct mptun_sent_origin *from = rep->from;
	struct mptun_sent_result *res = rep->res;
	bool first;

	if (!from->same_path) {
		mptun_sent_other(s, rep);
		return false;
	}
	first = s->other_first && rep->top >= s->other_acked;
	if (first)
		s->other_first = false;
	*held_us = from->delay_us;
	res->rtt_in_flight = res->prior_in_flight;
	if (res->rtt_valid)
		return true;
	*held_us = from->arrival_us + from->delay_us - s->other_us;
	if (!first || rep->top >= s->next || rep->now < s->other_ns ||
	    *held_us > MPTUN_RTT_REPORT_LITTLE_US)
		return false;
	res->rtt_in_flight = s->other_in_flight;
	res->rtt_us = min_t(u64, div_u64(rep->now - s->other_ns, NSEC_PER_USEC),
			    MPTUN_RTT_MAX_US);
	return true;
}

/* Takes a sample of the round-trip time.  Where a path changes the order of
 * packets, the largest number of a report is the fastest of many, and alone it
 * would show a fraction of the round-trip time.  So the sample is the mean of
 * it and of the packets that were overtaken.  These waited for the report as
 * well, for a time that is not known.
 */
static void mptun_sent_sample(struct mptun_sent *s,
			      const struct mptun_sent_report *rep,
			      struct mptun_rtt *rtt)
{
	struct mptun_sent_result *res = rep->res;
	u32 held_us = 0, n;
	u64 us;

	res->timed = mptun_sent_timed(s, rep, &held_us);
	n = res->overtaken + res->timed;
	if (!rep->from->same_path || !n)
		return;
	us = div_u64(res->overtaken_ns, NSEC_PER_USEC);
	if (res->timed)
		us += res->rtt_us;
	else
		held_us = 0;
	us = min_t(u64, div_u64(us, n), MPTUN_RTT_MAX_US);
	res->timed = mptun_rtt_sample(rtt, us, held_us / n, rep->now);
}

/* Rejects a report that claims the impossible, with one exception: a receiver
 * of forged packets acknowledges numbers never sent, and may do so for a long
 * time.
 */
static bool mptun_sent_plausible(const struct mptun_sent *s,
				 const struct mptun_ack_span *spans,
				 unsigned int n)
{
	u64 above = U64_MAX;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (spans[i].first > spans[i].last ||
		    spans[i].first < s->start || spans[i].last >= above)
			return false;
		/* Two spans without a gap would be one. */
		above = spans[i].first ? spans[i].first - 1 : 0;
	}
	return n && spans[n - 1].first < s->next;
}

/**
 * mptun_sent_ack() - process what a report says about this path
 * @s: the path's packets
 * @spans: numbers that arrived, newest first
 * @n: number of @spans, at least 1
 * @now: time in ns
 * @rtt: round-trip time of the path, takes a sample
 * @from: where the report comes from
 * @res: result of the report
 *
 * Numbers never sent are skipped; if @spans begin with one, the age in the
 * report is not ours, and only packets that were overtaken give a round-trip
 * time.
 *
 * Return: 0, or -EINVAL if the report contains only numbers never sent or is
 * malformed; then only @res changes, to all zero.
 */
int mptun_sent_ack(struct mptun_sent *s, const struct mptun_ack_span *spans,
		   unsigned int n, u64 now, struct mptun_rtt *rtt,
		   const struct mptun_sent_origin *from,
		   struct mptun_sent_result *res)
{
	struct mptun_sent_report rep = {
		.now = now,
		.rtt = rtt,
		.from = from,
		.res = res,
	};
	u64 largest, newest;
	unsigned int i;

	mptun_sent_begin(s, res);
	if (!mptun_sent_plausible(s, spans, n)) {
		memset(res, 0, sizeof(*res));
		return -EINVAL;
	}

	rep.top = spans[0].last;
	rep.prior = s->any ? s->largest : s->start;
	newest = s->next - 1;
	for (i = 0; spans[i].first > newest; i++)
		;
	largest = min(spans[i].last, newest);
	for (; i < n && spans[i].last >= s->first; i++)
		mptun_sent_ack_span(s, &rep, max(spans[i].first, s->first),
				    min(spans[i].last, newest));

	if (!s->any || largest > s->largest)
		s->largest = largest;
	s->any = true;
	if (res->acked_packets || res->spurious) {
		s->progress_ns = max(s->progress_ns, now);
		mptun_sent_calm(s);
	}
	mptun_sent_sample(s, &rep, rtt);
	mptun_sent_find_lost(s, rtt, now, res);
	mptun_sent_forget(s, rtt, now);
	return 0;
}

/**
 * mptun_sent_pto_deadline() - time at which an answer is overdue
 * @s: the path's packets
 * @rtt: round-trip time of the path
 *
 * One probe timeout after the oldest outstanding packet was sent, and half of
 * one after the last answer. RFC 9002 counts from the newest packet; on a path
 * that died under steady traffic each new packet would delay the timeout.
 * Answers that still arrive mean that a queue has grown, not that the path has
 * died, but the last ones before a death arrive a round trip after it, and a
 * whole timeout from there would lose the packets of another half.
 *
 * Return: time in ns, U64_MAX if nothing is outstanding.
 */
u64 mptun_sent_pto_deadline(const struct mptun_sent *s,
			    const struct mptun_rtt *rtt)
{
	u32 pto_us, silence_us;

	if (!s->packets)
		return U64_MAX;
	pto_us = mptun_rtt_pto_us(rtt) + mptun_sent_report_delay_us(s);
	silence_us = max(pto_us / 2, 2 * MPTUN_RTT_REPORT_MAX_US +
			 MPTUN_RTT_GRANULARITY_US);
	return max(s->progress_ns + (u64)silence_us * NSEC_PER_USEC,
		   mptun_sent_slot(s, s->oldest)->sent_ns +
		   (u64)pto_us * NSEC_PER_USEC);
}

/**
 * mptun_sent_silent() - the oldest packet outstanding has timed out
 * @s: the path's packets
 */
void mptun_sent_silent(struct mptun_sent *s)
{
	if (s->packets)
		mptun_sent_doubt(s, mptun_sent_slot(s, s->oldest));
}
