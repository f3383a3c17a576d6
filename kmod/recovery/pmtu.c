// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Path MTU: the largest outer packet of one path, found without ICMP messages
 * (DPLPMTUD, RFC 8899).
 *
 *	BASE ------> SEARCH <-----> COMPLETE
 *	  \    base size    raise timer
 *	   \   proved       or a larger link
 *	    `-> ERROR: packets of the base size get lost
 *
 * A path begins with the base size, and is usable with it at once.  Meanwhile
 * rounds of probes look for the largest size: first the one of the link, which
 * most paths carry, then those that links usually have, and then equal parts of
 * the interval that is left.  Each answer raises the size in use.  A round ends
 * with a small probe.  When that is answered, larger ones that are not were
 * lost; but one loss proves nothing, so a size counts as too large after
 * several of them, in as many rounds.
 *
 * Packets of a size that was proved may stop passing.  Two things cast doubt on
 * the size: lost packets without a later one as large that arrives, and ICMP
 * messages.  Either only starts an examination by probes of that size.  An
 * answer to one of them, or an acknowledgment of data as large, refutes the
 * doubt.  So neither random loss nor congestion reduces the size, even if
 * congestion drops large packets more often: both let some large ones through.
 * If all of them are lost in several rounds, while small ones arrive, the path
 * falls back to the base size at once, or to the size that a message claimed if
 * that was answered, and the search begins again.
 *
 * The caller sends the probes, and holds a lock.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "recovery/pmtu.h"

/* PPPoE and tunnels in it and each other.  No interval between two of them is
 * larger than MPTUN_PMTU_INSIDE steps, so that the next round is exact.
 */
static const u16 mptun_pmtu_usual[MPTUN_PMTU_INSIDE] = {
	1492, 1472, 1452, 1430, 1400, 1372, 1340, 1310
};

static u32 mptun_pmtu_base(const struct mptun_pmtu *p)
{
	return min(MPTUN_PMTU_BASE, p->link);
}

/* Forgets the probes of the round. */
static void mptun_pmtu_stop(struct mptun_pmtu *p)
{
	p->n = 0;
	p->answered = 0;
	p->heard = false;
	p->due_ns = U64_MAX;
}

/**
 * mptun_pmtu_init() - initialize the MTU of a path
 * @p: the MTU
 * @link: largest size that the link allows
 */
void mptun_pmtu_init(struct mptun_pmtu *p, u32 link)
{
	*p = (struct mptun_pmtu){
		.link = link,
		.above = link + 1,
		.due_ns = U64_MAX,
		.raise_ns = U64_MAX,
		.doubt_ns = U64_MAX,
	};
	p->size = mptun_pmtu_base(p);
}

/* Begins a round of the search for sizes above the one in use. */
static void mptun_pmtu_search(struct mptun_pmtu *p, u32 above, u64 now)
{
	mptun_pmtu_stop(p);
	p->above = above;
	p->fails = 0;
	p->silent = 0;
	p->rounds = 0;
	p->examined = false;
	p->searching = true;
	p->due_ns = now;
	if (p->size < mptun_pmtu_base(p))
		p->state = MPTUN_PMTU_STATE_ERROR;
	else
		p->state = p->based ? MPTUN_PMTU_STATE_SEARCH :
				      MPTUN_PMTU_STATE_BASE;
}

/* Falls back to a size and searches again below one that gets lost. */
static void mptun_pmtu_fall(struct mptun_pmtu *p, u32 size, u32 above, u64 now)
{
	WRITE_ONCE(p->size, size);
	p->base_fails = 0;
	p->doubt_ns = U64_MAX;
	mptun_pmtu_search(p, above, now);
}

/**
 * mptun_pmtu_start() - begin with the base size
 * @p: the MTU
 * @now: time in ns
 *
 * To be called for a path that is new, has moved or works again.
 */
void mptun_pmtu_start(struct mptun_pmtu *p, u64 now)
{
	p->based = false;
	WRITE_ONCE(p->searched, false);
	p->began_ns = now;
	p->again_ns = now;
	p->calm_ns = now;
	p->claim = 0;
	mptun_pmtu_fall(p, mptun_pmtu_base(p), p->link + 1, now);
}

/* The largest size is known.  An examination does not delay the next search. */
static void mptun_pmtu_complete(struct mptun_pmtu *p, u64 now)
{
	mptun_pmtu_stop(p);
	if (p->size >= p->link)
		p->raise_ns = U64_MAX;
	else if (p->searching)
		p->raise_ns = now + MPTUN_PMTU_RAISE_NS;
	p->due_ns = p->raise_ns;
	p->examined = false;
	p->searching = false;
	WRITE_ONCE(p->searched, true);
	p->state = p->size < mptun_pmtu_base(p) ? MPTUN_PMTU_STATE_ERROR :
						  MPTUN_PMTU_STATE_COMPLETE;
}

/**
 * mptun_pmtu_route() - follow the MTU of the route
 * @p: the MTU
 * @link: largest size that the link allows
 * @now: time in ns
 *
 * A smaller link counts at once, a larger one is a reason to search.
 *
 * Return: true if anything has changed.
 */
bool mptun_pmtu_route(struct mptun_pmtu *p, u32 link, u64 now)
{
	bool larger = link > p->link;

	if (link == p->link)
		return false;
	WRITE_ONCE(p->link, link);
	if (p->state == MPTUN_PMTU_STATE_BASE || p->size > link)
		WRITE_ONCE(p->size, p->based ? link : mptun_pmtu_base(p));
	if (p->based && p->size == link)
		mptun_pmtu_complete(p, now);
	else if (p->began_ns && (larger || !p->based))
		mptun_pmtu_search(p, link + 1, now);
	else
		p->above = min(p->above, link + 1);
	return true;
}

/* Begins to examine the size in use. */
static void mptun_pmtu_examine(struct mptun_pmtu *p, u32 claim, u64 now)
{
	mptun_pmtu_stop(p);
	p->examined = true;
	p->claim = claim;
	p->passes = 0;
	p->fails = 0;
	p->silent = 0;
	p->due_ns = now;
}

/**
 * mptun_pmtu_claim() - an ICMP message claims a size
 * @p: the MTU
 * @claim: the size, which may be forged
 * @now: time in ns
 *
 * A search probes it, if it is between the bounds.
 */
void mptun_pmtu_claim(struct mptun_pmtu *p, u32 claim, u64 now)
{
	claim = max(claim, MPTUN_PMTU_BASE);
	if (p->searching) {
		p->claim = claim;
		return;
	}
	if (claim >= p->size || p->examined || now < p->again_ns)
		return;
	p->again_ns = now + MPTUN_PMTU_AGAIN_NS;
	mptun_pmtu_examine(p, claim, now);
}

/* The size in use passes. */
static void mptun_pmtu_refuted(struct mptun_pmtu *p, u64 now)
{
	p->doubt_ns = U64_MAX;
	p->again_ns = now + MPTUN_PMTU_AGAIN_NS;
	p->calm_ns = now + MPTUN_PMTU_CALM_NS;
	mptun_pmtu_complete(p, now);
}

/**
 * mptun_pmtu_doubt() - consider lost packets of data
 * @p: the MTU
 * @lost: size of a lost packet; no later packet of at least that size has
 *	arrived; 0 if there is none any more
 * @at: when that casts doubt on the size in use, unless it changes
 */
void mptun_pmtu_doubt(struct mptun_pmtu *p, u32 lost, u64 at)
{
	if (lost > MPTUN_PMTU_MIN && lost <= p->size)
		p->doubt_ns = min(p->doubt_ns, max(at, p->calm_ns));
	else
		p->doubt_ns = U64_MAX;
}

/**
 * mptun_pmtu_passes() - data as large as any that was lost has arrived
 * @p: the MTU
 * @now: time in ns
 */
void mptun_pmtu_passes(struct mptun_pmtu *p, u64 now)
{
	p->doubt_ns = U64_MAX;
	if (p->examined && !p->claim)
		mptun_pmtu_refuted(p, now);
}

/**
 * mptun_pmtu_deadline() - time to call mptun_pmtu_expire()
 * @p: the MTU
 *
 * Return: time in ns, U64_MAX for never.
 */
u64 mptun_pmtu_deadline(const struct mptun_pmtu *p)
{
	if (p->examined || p->searching)
		return p->due_ns;
	return min(p->due_ns, p->doubt_ns);
}

/* Returns the smallest size of the round above the one that passes which was
 * lost while a smaller one arrived, 0 if there is none.
 */
static u32 mptun_pmtu_lost(const struct mptun_pmtu *p, u32 passes)
{
	bool arrived = p->heard;
	unsigned int i = p->n;

	while (i--) {
		if (p->answered & BIT(i))
			arrived = true;
		else if (arrived && p->probe[i] > passes)
			return p->probe[i];
	}
	return 0;
}

/* Evaluates a round of an examination. */
static void mptun_pmtu_judge(struct mptun_pmtu *p, u64 now)
{
	u32 tries = p->claim ? MPTUN_PMTU_PROBES : MPTUN_PMTU_PROVED;
	u32 size = mptun_pmtu_base(p), above = p->size;

	p->fails += !!mptun_pmtu_lost(p, p->size - 1);
	if (p->fails < tries) {
		if (p->silent >= MPTUN_PMTU_SILENT)
			mptun_pmtu_refuted(p, now);
		return;
	}
	/* The size in use does not pass any more, but what was answered does.
	 * Do not report to senders a limit that lasts only two round trips.
	 */
	WRITE_ONCE(p->searched, false);
	p->began_ns = now;
	p->based = p->passes >= size;
	if (p->based)
		size = p->passes;
	else if (above <= size)
		size = min(MPTUN_PMTU_MIN, p->link);
	mptun_pmtu_fall(p, size, above, now);
}

/* Evaluates a round of a search. */
static void mptun_pmtu_learn(struct mptun_pmtu *p, u64 now)
{
	u32 base = mptun_pmtu_base(p), lost;

	lost = mptun_pmtu_lost(p, p->size);
	if (lost && lost < p->above) {
		p->above = lost;
		p->fails = 0;
	}
	p->fails += lost && lost == p->above;
	if (!p->based)
		p->base_fails += mptun_pmtu_lost(p, base - 1) == base;
	if (!p->silent && ++p->rounds >= MPTUN_PMTU_FIRST)
		WRITE_ONCE(p->searched, true);
	if (now >= p->began_ns + MPTUN_PMTU_FIRST_NS)
		WRITE_ONCE(p->searched, true);
	/* Fall back below the base size, or complete the search. */
	if (p->base_fails >= MPTUN_PMTU_PROBES && p->size > MPTUN_PMTU_MIN)
		mptun_pmtu_fall(p, MPTUN_PMTU_MIN, base, now);
	else if (p->base_fails >= MPTUN_PMTU_PROBES ||
		 p->silent >= MPTUN_PMTU_SILENT ||
		 (p->fails >= MPTUN_PMTU_PROBES &&
		  p->above - p->size <= MPTUN_PMTU_STEP))
		mptun_pmtu_complete(p, now);
}

/* Adds a size to the round, each smaller than the one before. */
static void mptun_pmtu_add(struct mptun_pmtu *p, u32 size)
{
	if (p->n < MPTUN_PMTU_ROUND && (!p->n || size < p->probe[p->n - 1]))
		p->probe[p->n++] = size;
}

/* Chooses sizes of the interval: the usual ones in it, or equal parts. */
static void mptun_pmtu_inside(struct mptun_pmtu *p, u32 top)
{
	u32 size = p->size, part;
	unsigned int i, n = p->n;

	if (top > size && top - size <= MPTUN_PMTU_STEP)
		return;
	for (i = 0; i < ARRAY_SIZE(mptun_pmtu_usual); i++) {
		u32 usual = mptun_pmtu_usual[i];

		if (p->claim > usual && p->claim < top && p->claim > size)
			mptun_pmtu_add(p, p->claim);
		if (usual < top && usual > size)
			mptun_pmtu_add(p, usual);
	}
	if (p->n > n)
		return;
	part = max(DIV_ROUND_UP(top - size, MPTUN_PMTU_INSIDE + 1),
		   MPTUN_PMTU_STEP);
	for (i = MPTUN_PMTU_INSIDE; i; i--)
		if (size + i * part < top)
			mptun_pmtu_add(p, size + i * part);
}

/* Chooses the sizes of a round. */
static void mptun_pmtu_round(struct mptun_pmtu *p)
{
	u32 base = mptun_pmtu_base(p), top = min(p->above, p->link);

	if (p->examined) {
		mptun_pmtu_add(p, p->size);
		mptun_pmtu_add(p, p->claim ?: base);
		return;
	}
	if (top > p->size)
		mptun_pmtu_add(p, top);
	/* Most links carry the top size: ask for others only if it gets lost,
	 * as a full round takes a link of low rate much time.
	 */
	if (p->above <= p->link || p->claim)
		mptun_pmtu_inside(p, top);
	if (!p->based && p->state == MPTUN_PMTU_STATE_BASE)
		mptun_pmtu_add(p, base);
}

/**
 * mptun_pmtu_expire() - end a round, and begin the next one
 * @p: the MTU
 * @token: token for the first probe of the next round, random
 * @pto_ns: how long an answer may take
 * @used: the path has carried data lately
 * @now: time in ns
 *
 * Return: true if the caller has to send the probes of a round: mptun_pmtu.n
 * sizes, and finally a small one.
 */
bool mptun_pmtu_expire(struct mptun_pmtu *p, u64 token, u64 pto_ns, bool used,
		       u64 now)
{
	if (now < mptun_pmtu_deadline(p))
		return false;
	if (p->n) {
		if (p->answered || p->heard)
			p->silent = 0;
		else
			p->silent++;
		if (p->examined)
			mptun_pmtu_judge(p, now);
		else
			mptun_pmtu_learn(p, now);
		p->n = 0;
	}
	if (!p->examined && !p->searching) {
		if (now >= p->doubt_ns) {
			p->doubt_ns = U64_MAX;
			mptun_pmtu_examine(p, 0, now);
		} else if (now >= p->due_ns && used) {
			mptun_pmtu_search(p, p->link + 1, now);
		} else if (now >= p->due_ns) {
			p->raise_ns = now + MPTUN_PMTU_RAISE_NS;
			p->due_ns = p->raise_ns;
		}
	}
	if (now < p->due_ns)
		return false;
	mptun_pmtu_stop(p);
	mptun_pmtu_round(p);
	p->token = token;
	p->sent_ns = now;
	p->due_ns = now + (pto_ns << min_t(u8, p->silent, 4));
	return true;
}

/* A probe of a size was answered. */
static void mptun_pmtu_proved(struct mptun_pmtu *p, u32 size, u64 now)
{
	if (size > p->link)
		return;
	if (size >= mptun_pmtu_base(p))
		p->based = true;
	if (p->examined) {
		if (size >= p->size)
			mptun_pmtu_refuted(p, now);
		else
			p->passes = max(p->passes, size);
		return;
	}
	if (size > p->size)
		WRITE_ONCE(p->size, size);
	if (p->size >= p->above) {
		p->above = p->link + 1;
		p->fails = 0;
	}
	if (p->based && p->size == p->link)
		mptun_pmtu_complete(p, now);
	else if (p->based)
		p->state = MPTUN_PMTU_STATE_SEARCH;
}

/**
 * mptun_pmtu_answered() - a probe was answered
 * @p: the MTU
 * @token: token of the answer
 * @now: time in ns
 *
 * The small probe was sent last, so the others are late when its answer comes.
 *
 * Return: true if the answer belongs to the round.
 */
bool mptun_pmtu_answered(struct mptun_pmtu *p, u64 token, u64 now)
{
	u64 i = token - p->token, least = MPTUN_PMTU_LATE_NS;

	if (!p->n || i > p->n)
		return false;
	if (i < p->n) {
		p->answered |= BIT(i);
		mptun_pmtu_proved(p, p->probe[i], now);
		return true;
	}
	p->heard = true;
	least = max(least, (now - p->sent_ns) / 4) + now;
	if (p->examined)
		least = max(least, p->sent_ns + MPTUN_PMTU_PAUSE_NS);
	p->due_ns = min(p->due_ns, least);
	return true;
}
