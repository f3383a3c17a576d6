// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Loss proofs: derives gaps in the dsns of a path from its arrivals.
 *
 * A path numbers its packets (pn) and counts the first transmissions among them
 * (fseq, modulo 256); copies of packets sent elsewhere before take a number but
 * are not counted.  First transmissions have increasing dsns.  So if the
 * numbers p < q arrived and none between them, then
 *
 *	lost = fseq(q) - fseq(p), less one if q itself is counted
 *
 * first transmissions were lost, with dsns between that of the last first
 * transmission up to p and that of the first one from q on.  The buffer
 * combines such gaps of all paths (reorder/gap.c).
 *
 * A path may reorder a little, so numbers between p and q may still arrive.
 * Arrivals are kept as runs of consecutive numbers:
 *
 *	run 0: decided  | missing |  run 1  | missing |  run 2  ...  up to top
 *
 * The lowest missing numbers are declared lost when enough packets followed and
 * enough time passed, or, with few packets behind them, after a longer time.
 * Both tolerances grow when a packet arrives later than they allow, half way to
 * a quarter more than seen, so that one straggler does not stop detection for
 * long, and shrink by an eighth of the excess per epoch (RFC 8985 and RFC 9002
 * adapt alike).  Without reordering the third packet after a loss proves it.
 *
 * Units: packets and us.  Numbers are kept modulo 2^16: a path that is as much
 * ahead of its lowest missing number restarts without a proof.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "reorder/loss_proof.h"

/* Largest distance of numbers compared modulo 2^16. */
#define MPTUN_LOSS_PROOF_SPAN		16384

/* Packets without a copy after which missing numbers are assumed to contain
 * none.
 */
#define MPTUN_LOSS_PROOF_CLEAN		1024

/**
 * mptun_loss_proof_init() - initialise the state of a path
 * @e: state of the path
 */
void mptun_loss_proof_init(struct mptun_loss_proof *e)
{
	memset(e, 0, sizeof(*e));
	e->packets = MPTUN_LOSS_PROOF_PACKETS;
	e->clean = MPTUN_LOSS_PROOF_CLEAN;
}

static u32 mptun_loss_proof_us(u64 now)
{
	return (u32)div_u64(now, NSEC_PER_USEC);
}

/* CPUs read the clock before they take the lock, so it may go back a little. */
static u32 mptun_loss_proof_age(u32 us, u32 since)
{
	return max_t(s32, us - since, 0);
}

/* Distance from the end of the first run, in the range of s16. */
static s16 mptun_loss_proof_offset(const struct mptun_loss_proof *e, u16 pn)
{
	return (s16)(pn - e->run[0].last);
}

/* Earliest arrival in the runs from @i on. */
static u32 mptun_loss_proof_since(const struct mptun_loss_proof *e, u32 i)
{
	u32 time = e->run[i].time;

	for (i++; i < e->runs; i++) {
		if ((s32)(e->run[i].time - time) < 0)
			time = e->run[i].time;
	}
	return time;
}

static void mptun_loss_proof_remove(struct mptun_loss_proof *e, u32 i)
{
	e->runs--;
	memmove(&e->run[i], &e->run[i + 1],
		(e->runs - i) * sizeof(e->run[0]));
}

static u32 mptun_loss_proof_grow(u32 tolerance, u32 seen, u32 max)
{
	u32 want = min(seen + seen / 4 + 1, max);

	if (want > tolerance)
		tolerance += (want - tolerance + 1) / 2;
	return tolerance;
}

static u32 mptun_loss_proof_shrink(u32 tolerance, u32 seen, u32 min)
{
	u32 want = max(seen ? seen + seen / 4 + 1 : 0, min);

	if (want < tolerance)
		tolerance -= (tolerance - want + 7) / 8;
	return tolerance;
}

/* A packet arrived @packets and @us after one with a higher number. */
static void mptun_loss_proof_learn(struct mptun_loss_proof *e, u32 packets,
				   u32 us)
{
	packets = min_t(u32, packets, MPTUN_LOSS_PROOF_PACKETS_MAX);
	us = min_t(u32, us, MPTUN_LOSS_PROOF_US_MAX);

	e->worst_packets = max(e->worst_packets, packets);
	e->worst_us = max(e->worst_us, us);
	e->packets = mptun_loss_proof_grow(e->packets, packets,
					   MPTUN_LOSS_PROOF_PACKETS_MAX);
	e->us = mptun_loss_proof_grow(e->us, us, MPTUN_LOSS_PROOF_US_MAX);
}

static void mptun_loss_proof_epoch(struct mptun_loss_proof *e)
{
	if (++e->epoch < MPTUN_LOSS_PROOF_EPOCH)
		return;
	e->epoch = 0;
	e->packets = mptun_loss_proof_shrink(e->packets, e->worst_packets,
					     MPTUN_LOSS_PROOF_PACKETS);
	e->us = mptun_loss_proof_shrink(e->us, e->worst_us, 0);
	e->worst_packets = 0;
	e->worst_us = 0;
}

/* The number is below all that is undecided. */
static void mptun_loss_proof_late(struct mptun_loss_proof *e, u64 pn, u32 us)
{
	u32 age, i;

	if (e->top - pn >= MPTUN_LOSS_PROOF_SPAN)
		return;
	for (i = 0; i < e->proved_gaps; i++) {
		const struct mptun_loss_proof_gap *gap = &e->proved[i];

		if ((u16)((u16)pn - gap->first) <=
		    (u16)(gap->last - gap->first)) {
			age = mptun_loss_proof_age(us, gap->time);
			mptun_loss_proof_learn(e, e->top - pn, age);
			return;
		}
	}
	mptun_loss_proof_learn(e, e->top - pn, 0);
}

/* Counts the first transmissions lost between the first two runs; false if the
 * counters are ambiguous.
 */
static bool mptun_loss_proof_count(const struct mptun_loss_proof *e, u32 *lost)
{
	u16 missing = e->run[1].first - e->run[0].last - 1;

	*lost = (u8)(e->run[1].fseq_low - e->run[0].fseq_high);
	if (missing < 256)
		return *lost <= missing;
	if (*lost != (u8)missing || e->clean < MPTUN_LOSS_PROOF_CLEAN)
		return false;
	*lost = missing;
	return true;
}

/* Extends the first run to the end of the second one, with @lost first
 * transmissions missing between them.
 */
static unsigned int mptun_loss_proof_join(struct mptun_loss_proof *e, u32 lost,
					  struct mptun_gap *out)
{
	struct mptun_loss_proof_run *base = &e->run[0], *run = &e->run[1];
	unsigned int n = 0;

	e->lost += lost;
	if (run->firsts) {
		u32 room = run->dsn_low - base->dsn_high - 1;

		if (base->firsts && e->lost && room < S32_MAX &&
		    e->lost <= room) {
			out->after = base->dsn_high;
			out->before = run->dsn_low;
			out->lost = e->lost;
			n = 1;
		}
		e->lost = 0;
		base->dsn_high = run->dsn_high;
		base->firsts = true;
	}
	base->last = run->last;
	base->fseq_high = run->fseq_high;
	mptun_loss_proof_remove(e, 1);
	return n;
}

/* Drops the first run; nothing is proved across it. */
static void mptun_loss_proof_cut(struct mptun_loss_proof *e)
{
	mptun_loss_proof_remove(e, 0);
	e->lost = 0;
}

/* Time in us that the lowest missing numbers have to be missing. */
static u32 mptun_loss_proof_wait(const struct mptun_loss_proof *e)
{
	u32 packets = 0, i;

	for (i = 1; i < e->runs; i++)
		packets += (u16)(e->run[i].last - e->run[i].first + 1);
	if (packets >= e->packets)
		return e->us;
	return max_t(u32, 2 * e->us, MPTUN_LOSS_PROOF_FLUSH_US);
}

/* Decides all missing numbers that are old enough, and remembers them. */
static unsigned int mptun_loss_proof_decide(struct mptun_loss_proof *e, u32 us,
					    struct mptun_gap *out,
					    unsigned int max)
{
	struct mptun_loss_proof_gap *gap;
	unsigned int n = 0;
	u32 since, lost;

	while (e->runs > 1 && n < max) {
		since = mptun_loss_proof_since(e, 1);
		if (mptun_loss_proof_age(us, since) < mptun_loss_proof_wait(e))
			break;
		gap = &e->proved[e->oldest];
		gap->first = e->run[0].last + 1;
		gap->last = e->run[1].first - 1;
		gap->time = since;
		e->oldest = (e->oldest + 1) % MPTUN_LOSS_PROOF_PROVED;
		e->proved_gaps = min(e->proved_gaps + 1,
				     MPTUN_LOSS_PROOF_PROVED);
		if (mptun_loss_proof_count(e, &lost))
			n += mptun_loss_proof_join(e, lost, &out[n]);
		else
			mptun_loss_proof_cut(e);
	}
	return n;
}

static void mptun_loss_proof_fill_run(struct mptun_loss_proof_run *run,
				      const struct mptun_arrival *a, u32 us)
{
	run->first = a->pn;
	run->last = a->pn;
	run->dsn_low = a->dsn;
	run->dsn_high = a->dsn;
	run->time = us;
	run->fseq_low = a->copy ? a->fseq : a->fseq - 1;
	run->fseq_high = a->fseq;
	run->firsts = !a->copy;
}

/* Joins two consecutive runs. */
static void mptun_loss_proof_merge(struct mptun_loss_proof *e, u32 i)
{
	struct mptun_loss_proof_run *low = &e->run[i], *high = &e->run[i + 1];

	if (high->firsts) {
		if (!low->firsts)
			low->dsn_low = high->dsn_low;
		low->dsn_high = high->dsn_high;
		low->firsts = true;
	}
	low->last = high->last;
	low->fseq_high = high->fseq_high;
	if ((s32)(high->time - low->time) < 0)
		low->time = high->time;
	mptun_loss_proof_remove(e, i + 1);
}

/* Inserts an arrival behind run @i and joins consecutive runs. */
static unsigned int mptun_loss_proof_insert(struct mptun_loss_proof *e, u32 i,
					    const struct mptun_arrival *a,
					    u32 us, struct mptun_gap *out)
{
	unsigned int n = 0;

	memmove(&e->run[i + 2], &e->run[i + 1],
		(e->runs - i - 1) * sizeof(e->run[0]));
	mptun_loss_proof_fill_run(&e->run[i + 1], a, us);
	e->runs++;

	if (i + 2 < e->runs &&
	    (u16)(e->run[i + 1].last + 1) == e->run[i + 2].first)
		mptun_loss_proof_merge(e, i + 1);
	if ((u16)(e->run[i].last + 1) != e->run[i + 1].first)
		return 0;
	if (i)
		mptun_loss_proof_merge(e, i);
	else
		n = mptun_loss_proof_join(e, 0, out);
	return n;
}

/* Fast path: the next number, and nothing is missing. */
static bool mptun_loss_proof_next(struct mptun_loss_proof *e,
				  const struct mptun_arrival *a)
{
	struct mptun_loss_proof_run *base = &e->run[0];

	if (e->runs != 1 || e->lost || a->pn != e->top + 1)
		return false;
	if (!a->copy) {
		base->dsn_high = a->dsn;
		base->firsts = true;
	}
	base->last = a->pn;
	base->fseq_high = a->fseq;
	e->top = a->pn;
	return true;
}

/* A number below the highest one: it was missing, or is late. */
static unsigned int mptun_loss_proof_fill(struct mptun_loss_proof *e,
					  const struct mptun_arrival *a, u32 us,
					  struct mptun_gap *out)
{
	s16 offset = mptun_loss_proof_offset(e, a->pn);
	u32 i = e->runs - 1, age;

	if (e->top - a->pn >= MPTUN_LOSS_PROOF_SPAN || offset <= 0) {
		mptun_loss_proof_late(e, a->pn, us);
		return 0;
	}
	/* The first run has no lower end, so it exceeds the range of s16. */
	while (i && mptun_loss_proof_offset(e, e->run[i].first) > offset)
		i--;
	if (mptun_loss_proof_offset(e, e->run[i].last) >= offset)
		return 0;

	age = mptun_loss_proof_age(us, mptun_loss_proof_since(e, i + 1));
	mptun_loss_proof_learn(e, e->top - a->pn, age);
	return mptun_loss_proof_insert(e, i, a, us, out);
}

/**
 * mptun_loss_proof_receive() - process a data packet
 * @e: state of the path
 * @a: the packet
 * @now: our clock in ns
 * @out: filled with the gaps that it proves
 * @max: room in @out, at least 2; more gaps follow with the next arrival or
 *	mptun_loss_proof_expire()
 *
 * Return: number of gaps.
 */
unsigned int mptun_loss_proof_receive(struct mptun_loss_proof *e,
				      const struct mptun_arrival *a, u64 now,
				      struct mptun_gap *out,
				      unsigned int max)
{
	u32 us = mptun_loss_proof_us(now);
	unsigned int n = 0;
	u64 ahead;

	if (a->copy)
		e->clean = 0;
	else if (e->clean < MPTUN_LOSS_PROOF_CLEAN)
		e->clean++;
	mptun_loss_proof_epoch(e);

	if (mptun_loss_proof_next(e, a))
		return 0;
	if (!e->runs || (a->pn > e->top &&
			 a->pn - e->top >= MPTUN_LOSS_PROOF_SPAN)) {
		mptun_loss_proof_fill_run(&e->run[0], a, us);
		e->runs = 1;
		e->lost = 0;
		e->top = a->pn;
		return 0;
	}
	/* Keep room for one more run, and numbers comparable. */
	if (e->runs == MPTUN_LOSS_PROOF_RUNS)
		mptun_loss_proof_cut(e);
	ahead = max(a->pn, e->top) - e->top;
	while (e->runs > 1 && (u16)((u16)e->top - e->run[0].last) + ahead >=
			      MPTUN_LOSS_PROOF_SPAN)
		mptun_loss_proof_cut(e);
	if (a->pn > e->top) {
		n = mptun_loss_proof_insert(e, e->runs - 1, a, us, out);
		e->top = a->pn;
	} else if (a->pn < e->top) {
		n = mptun_loss_proof_fill(e, a, us, out);
	}
	return n + mptun_loss_proof_decide(e, us, out + n, max - n);
}

/**
 * mptun_loss_proof_deadline() - time of the next possible proof
 * @e: state of the path
 * @now: our clock in ns
 *
 * Return: time in ns, not before @now; U64_MAX if nothing is missing.
 */
u64 mptun_loss_proof_deadline(const struct mptun_loss_proof *e, u64 now)
{
	u32 age, wait;

	if (e->runs < 2)
		return U64_MAX;
	age = mptun_loss_proof_age(mptun_loss_proof_us(now),
				   mptun_loss_proof_since(e, 1));
	wait = mptun_loss_proof_wait(e);
	if (age >= wait)
		return now;
	return now + (u64)(wait - age) * NSEC_PER_USEC;
}

/**
 * mptun_loss_proof_expire() - prove losses that have become old enough
 * @e: state of the path
 * @now: our clock in ns
 * @out: filled with the gaps
 * @max: room in @out
 *
 * Return: number of gaps; if it equals @max there may be more.
 */
unsigned int mptun_loss_proof_expire(struct mptun_loss_proof *e, u64 now,
				     struct mptun_gap *out,
				     unsigned int max)
{
	return mptun_loss_proof_decide(e, mptun_loss_proof_us(now), out, max);
}
