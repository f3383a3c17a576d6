// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A naive model of the reorder buffer, to compare the real one with.
 *
 * It follows the same rules without the techniques of the real one: no ring,
 * bits, cursors, lists, or wrap.  Only when and how far the ring moves up is
 * taken from the real one; the model checks that nothing needed was dropped.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "test/reorder/naive.h"

#define MPTUN_NAIVE_MEMORY_NS	(5LL * NSEC_PER_SEC / 4)

static bool mptun_naive_settled(const struct mptun_naive *m, u32 dsn)
{
	return m->slot[dsn].state == MPTUN_NAIVE_DELIVERED ||
	       m->slot[dsn].state == MPTUN_NAIVE_GIVEN_UP;
}

static u64 mptun_naive_repair_ns(const struct mptun_naive *m)
{
	if (m->config.mode != MPTUN_REORDER_MODE_ADAPTIVE)
		return m->hold_ns;
	return max_t(u64, m->hold_ns, 150000000ULL);
}

static void mptun_naive_unhold(struct mptun_naive *m, u32 dsn, u64 now)
{
	struct mptun_naive_slot *s = &m->slot[dsn];
	u64 us = now > s->arrival ? div_u64(now - s->arrival, 1000) : 0;
	u32 i, bin = 0;

	for (i = 0; m->held[i] != dsn; i++)
		;
	m->n_held--;
	memmove(&m->held[i], &m->held[i + 1],
		(m->n_held - i) * sizeof(m->held[0]));
	m->bytes -= s->bytes;
	s->state = MPTUN_NAIVE_DELIVERED;
	m->slot[dsn - s->prev].waiter = 0;
	m->out[m->n_out++] = dsn;
	while (bin < MPTUN_HISTOGRAM_SLOTS - 1 && us >= 64ULL << bin)
		bin++;
	m->stats.histogram[bin]++;
}

static u32 mptun_naive_release(struct mptun_naive *m, u32 dsn, u64 now)
{
	u32 n = 0;

	while (m->slot[dsn].waiter) {
		dsn = m->slot[dsn].waiter;
		mptun_naive_unhold(m, dsn, now);
		n++;
	}
	return n;
}

/**
 * mptun_naive_give_up() - as mptun_reorder_give_up()
 * @m: the model
 * @dsn: the hole
 * @why: the reason
 * @now: the clock in ns
 */
void mptun_naive_give_up(struct mptun_naive *m, u32 dsn,
			 enum mptun_give_up why, u64 now)
{
	m->slot[dsn].state = MPTUN_NAIVE_GIVEN_UP;
	m->stats.given_up[why]++;
	mptun_naive_release(m, dsn, now);
}

static void mptun_naive_give_up_range(struct mptun_naive *m, u32 from, u32 to,
				      enum mptun_give_up why, u64 now)
{
	for (; from < to; from++)
		if (m->slot[from].state == MPTUN_NAIVE_EMPTY)
			mptun_naive_give_up(m, from, why, now);
}

static void mptun_naive_release_all(struct mptun_naive *m, u64 now)
{
	u32 i, lowest;

	while (m->n_held) {
		lowest = m->held[0];
		for (i = 1; i < m->n_held; i++)
			lowest = min(lowest, m->held[i]);
		mptun_naive_unhold(m, lowest, now);
	}
}

static void mptun_naive_apply_floor(struct mptun_naive *m, u64 now)
{
	u32 to = min(m->floor, m->next);

	if (mptun_naive_mode(m, MPTUN_REORDER_MODE_PSMC) || to <= m->floored)
		return;
	mptun_naive_give_up_range(m, max(m->floored, m->first), to,
				  MPTUN_GIVE_UP_FLOOR, now);
	m->floored = to;
}

static u32 mptun_naive_root(const struct mptun_naive *m, u32 dsn)
{
	while (m->slot[dsn - m->slot[dsn].prev].state ==
	       MPTUN_NAIVE_HELD_STATE)
		dsn -= m->slot[dsn].prev;
	return dsn;
}

static void mptun_naive_force(struct mptun_naive *m, u32 dsn,
			      enum mptun_give_up why, u64 now)
{
	dsn = mptun_naive_root(m, dsn);
	mptun_naive_give_up(m, dsn - m->slot[dsn].prev, why, now);
}

/* The earliest arrival in a list, 0 if it is empty. */
static u32 mptun_naive_oldest(const struct mptun_naive *m,
			      enum mptun_reorder_list list)
{
	u32 i;

	for (i = 0; i < m->n_held; i++)
		if (m->slot[m->held[i]].list == list)
			return m->held[i];
	return 0;
}

static void mptun_naive_limit(struct mptun_naive *m, u64 now)
{
	u32 a, b;

	while (m->n_held && m->bytes > m->config.limit_bytes) {
		a = mptun_naive_oldest(m, MPTUN_REORDER_LIST_HOLD);
		b = mptun_naive_oldest(m, MPTUN_REORDER_LIST_REPAIR);
		if (!a || (b && m->slot[b].arrival < m->slot[a].arrival))
			a = b;
		mptun_naive_force(m, a, MPTUN_GIVE_UP_SIZE, now);
	}
}

static void mptun_naive_psmc_full(struct mptun_naive *m, u64 now)
{
	u32 i, lowest, before;

	if (!mptun_naive_mode(m, MPTUN_REORDER_MODE_PSMC))
		return;
	while (m->n_held && m->n_held >= m->psmc.target) {
		before = m->n_held;
		while (m->n_held && before - m->n_held < 3) {
			lowest = m->held[0];
			for (i = 1; i < m->n_held; i++)
				lowest = min(lowest, m->held[i]);
			mptun_naive_give_up(m, lowest - m->slot[lowest].prev,
					    MPTUN_GIVE_UP_PSMC, now);
		}
		if (m->psmc.target > m->psmc.low)
			m->psmc.target--;
		m->psmc.run = 0;
	}
}

static void mptun_naive_update_hold(struct mptun_naive *m)
{
	u32 us = m->config.hold_us;

	if (mptun_naive_mode(m, MPTUN_REORDER_MODE_ADAPTIVE))
		us = min(us, m->measured_us);
	m->hold_ns = us * 1000ULL;
}

/**
 * mptun_naive_set_hold() - as mptun_reorder_set_hold()
 * @m: the model
 * @us: hold time in us
 */
void mptun_naive_set_hold(struct mptun_naive *m, u32 us)
{
	m->measured_us = us;
	mptun_naive_update_hold(m);
}

/**
 * mptun_naive_start() - as mptun_reorder_start()
 * @m: the model
 * @first: first dsn
 */
void mptun_naive_start(struct mptun_naive *m, u32 first)
{
	u32 i;

	/* these waits are not counted */
	for (i = 0; i < m->n_held; i++)
		m->slot[m->held[i]].arrival = U64_MAX;
	mptun_naive_release_all(m, 0);
	m->first = first & ~63U;
	m->next = first;
	m->floor = first;
	m->floored = first;
	m->known = first;
	m->gaps = 0;
	m->psmc.run = 0;
	for (i = m->first; i < first; i++) {
		m->slot[i].state = MPTUN_NAIVE_DELIVERED;
		m->slot[i].first = true;
	}
}

/* All that waits behind @dsn's root, which waits for a retransmission. */
static void mptun_naive_park(struct mptun_naive *m, u32 dsn, u32 root)
{
	for (; dsn != root; dsn -= m->slot[dsn].prev)
		if (m->slot[dsn].list == MPTUN_REORDER_LIST_HOLD)
			m->slot[dsn].list = MPTUN_REORDER_LIST_BEHIND;
}

/**
 * mptun_naive_expire() - as mptun_reorder_expire()
 * @m: the model
 * @now: the clock in ns
 */
void mptun_naive_expire(struct mptun_naive *m, u64 now)
{
	const struct mptun_naive_slot *s;
	u32 dsn, root;

	while ((dsn = mptun_naive_oldest(m, MPTUN_REORDER_LIST_REPAIR)) &&
	       m->slot[dsn].arrival + mptun_naive_repair_ns(m) <= now)
		mptun_naive_force(m, dsn, MPTUN_GIVE_UP_TIME, now);
	while ((dsn = mptun_naive_oldest(m, MPTUN_REORDER_LIST_HOLD)) &&
	       m->slot[dsn].arrival + m->hold_ns <= now) {
		root = mptun_naive_root(m, dsn);
		s = &m->slot[root];
		if (s->list == MPTUN_REORDER_LIST_REPAIR &&
		    s->arrival + mptun_naive_repair_ns(m) > now)
			mptun_naive_park(m, dsn, root);
		else
			mptun_naive_force(m, dsn, MPTUN_GIVE_UP_TIME, now);
	}
}

/**
 * mptun_naive_deadline() - as mptun_reorder_deadline()
 * @m: the model
 *
 * Return: time in ns.
 */
u64 mptun_naive_deadline(const struct mptun_naive *m)
{
	u32 a = mptun_naive_oldest(m, MPTUN_REORDER_LIST_HOLD);
	u32 b = mptun_naive_oldest(m, MPTUN_REORDER_LIST_REPAIR);
	u64 at = U64_MAX;

	if (a)
		at = m->slot[a].arrival + m->hold_ns;
	if (b)
		at = min(at, m->slot[b].arrival + mptun_naive_repair_ns(m));
	return at;
}

/**
 * mptun_naive_configure() - as mptun_reorder_configure()
 * @m: the model
 * @c: the new settings
 * @now: the clock in ns
 */
void mptun_naive_configure(struct mptun_naive *m,
			   const struct mptun_reorder_config *c, u64 now)
{
	m->config = *c;
	mptun_naive_update_hold(m);
	if (mptun_naive_mode(m, MPTUN_REORDER_MODE_OFF))
		mptun_naive_release_all(m, now);
	if (mptun_naive_mode(m, MPTUN_REORDER_MODE_OFF) ||
	    mptun_naive_mode(m, MPTUN_REORDER_MODE_PSMC))
		m->gaps = 0;
	mptun_naive_apply_floor(m, now);
	mptun_naive_limit(m, now);
	mptun_naive_expire(m, now);
	mptun_naive_psmc_full(m, now);
}

/**
 * mptun_naive_floor() - as mptun_reorder_floor()
 * @m: the model
 * @dsn: the floor
 * @now: the clock in ns
 */
void mptun_naive_floor(struct mptun_naive *m, u32 dsn, u64 now)
{
	if (dsn <= m->floor || dsn > m->next + MPTUN_REORDER_SLOTS_MAX)
		return;
	m->floor = dsn;
	mptun_naive_apply_floor(m, now);
}

static void mptun_naive_slide(struct mptun_naive *m, u32 to, u64 now)
{
	const struct mptun_naive_slot *s;
	u32 i;

	for (; m->first < to; m->first += 64) {
		for (i = m->first; i < m->first + 64; i++) {
			s = &m->slot[i];
			if (s->state == MPTUN_NAIVE_DELIVERED ||
			    (s->state == MPTUN_NAIVE_GIVEN_UP &&
			     i < m->floored))
				continue;
			if (s->state == MPTUN_NAIVE_HELD_STATE ||
			    i >= m->next ||
			    now - s->birth < MPTUN_NAIVE_MEMORY_NS)
				m->young++;
		}
		mptun_naive_give_up_range(m, m->first, m->first + 64,
					  MPTUN_GIVE_UP_TIME, now);
		if (mptun_naive_unknown(m, m->first, m->first + 64))
			m->known = m->first + 64;
	}
	m->next = max(m->next, m->first);
	m->floored = max(m->floored, m->first);
}

/* Everything below is given up without being counted. */
static void mptun_naive_reset(struct mptun_naive *m, u32 dsn, u32 first,
			      u64 now)
{
	u32 i;

	mptun_naive_release_all(m, now);
	for (i = first; i < dsn; i++) {
		m->slot[i].state = MPTUN_NAIVE_GIVEN_UP;
		m->slot[i].first = false;
		m->slot[i].proved = false;
	}
	m->first = first;
	m->next = dsn;
	m->floored = dsn;
	m->known = dsn;
	m->gaps = 0;
	m->stats.resets++;
}

static void mptun_naive_advance(struct mptun_naive *m, u32 dsn, u32 slide_to,
				bool reset, u64 now)
{
	u32 i;

	if (reset)
		mptun_naive_reset(m, dsn, slide_to, now);
	mptun_naive_slide(m, slide_to, now);
	for (i = m->next; i <= dsn; i++)
		m->slot[i].birth = now;
	m->next = dsn;
	mptun_naive_apply_floor(m, now);
	m->next = dsn + 1;
}

static bool mptun_naive_must_wait(struct mptun_naive *m, u32 pred,
				  bool repairable)
{
	struct mptun_naive_slot *s = &m->slot[pred];

	if (pred < m->first || s->state == MPTUN_NAIVE_DELIVERED)
		return false;
	if (s->state != MPTUN_NAIVE_GIVEN_UP)
		return true;
	if (!repairable || !s->proved || pred < m->floored)
		return false;
	s->state = MPTUN_NAIVE_EMPTY;
	return true;
}

/* As mptun_reorder_rejoin(). */
static bool mptun_naive_rejoin(struct mptun_naive *m,
			       const struct mptun_reorder_pkt *p)
{
	struct mptun_naive_slot *s = &m->slot[p->dsn];

	if (!p->copy || !p->repairable || !p->prev ||
	    mptun_naive_mode(m, MPTUN_REORDER_MODE_OFF) ||
	    !s->proved || p->dsn < m->floored ||
	    !mptun_naive_must_wait(m, p->dsn - p->prev, p->repairable))
		return false;
	s->state = MPTUN_NAIVE_EMPTY;
	return true;
}

static void mptun_naive_deliver(struct mptun_naive *m, u32 dsn, u64 now)
{
	u32 n;

	m->slot[dsn].state = MPTUN_NAIVE_DELIVERED;
	m->out[m->n_out++] = dsn;
	n = mptun_naive_release(m, dsn, now);
	m->stats.released += n;
	if (!mptun_naive_mode(m, MPTUN_REORDER_MODE_PSMC))
		return;
	m->psmc.run += n + 1;
	if (m->psmc.run > m->psmc.target && m->psmc.target < m->psmc.up) {
		m->psmc.target++;
		m->psmc.run = 0;
	}
}

static enum mptun_verdict mptun_naive_hold(struct mptun_naive *m,
					   const struct mptun_reorder_pkt *p,
					   u32 bytes, u64 now)
{
	struct mptun_naive_slot *s = &m->slot[p->dsn];

	s->state = MPTUN_NAIVE_HELD_STATE;
	s->arrival = now;
	s->prev = p->prev;
	s->bytes = bytes;
	s->list = p->repairable ? MPTUN_REORDER_LIST_REPAIR :
				  MPTUN_REORDER_LIST_HOLD;
	m->slot[p->dsn - p->prev].waiter = p->dsn;
	m->held[m->n_held++] = p->dsn;
	m->bytes += bytes;
	m->stats.held++;
	mptun_naive_limit(m, now);
	mptun_naive_psmc_full(m, now);
	return s->state == MPTUN_NAIVE_HELD_STATE ? MPTUN_VERDICT_HELD :
						    MPTUN_VERDICT_DELIVERED;
}

/**
 * mptun_naive_insert() - as mptun_reorder_insert()
 * @m: the model
 * @p: content of the header
 * @bytes: memory of the packet
 * @slide_to: start of the real ring afterwards
 * @reset: the real ring was restarted
 * @now: the clock in ns
 *
 * Return: expected verdict.
 */
enum mptun_verdict mptun_naive_insert(struct mptun_naive *m,
				      const struct mptun_reorder_pkt *p,
				      u32 bytes, u32 slide_to, bool reset,
				      u64 now)
{
	struct mptun_naive_slot *s = &m->slot[p->dsn];
	u32 pred = p->dsn - p->prev;

	if (p->dsn < m->first) {
		if (p->copy)
			m->stats.duplicates++;
		else
			m->stats.too_old++;
		return MPTUN_VERDICT_TOO_OLD;
	}
	if (p->dsn >= m->next)
		mptun_naive_advance(m, p->dsn, slide_to, reset, now);
	if (!p->copy) {
		s->first = true;
		mptun_naive_evaluate(m, now);
	}
	if (s->state == MPTUN_NAIVE_HELD_STATE ||
	    s->state == MPTUN_NAIVE_DELIVERED) {
		m->stats.duplicates++;
		return MPTUN_VERDICT_DUPLICATE;
	}
	if (s->state == MPTUN_NAIVE_GIVEN_UP && !mptun_naive_rejoin(m, p)) {
		s->state = MPTUN_NAIVE_DELIVERED;
		m->out[m->n_out++] = p->dsn;
		m->stats.late++;
		return MPTUN_VERDICT_DELIVERED;
	}
	if (!p->prev || mptun_naive_mode(m, MPTUN_REORDER_MODE_OFF) ||
	    !mptun_naive_must_wait(m, pred, p->repairable))
		m->stats.in_order++;
	else if (m->slot[pred].waiter)
		m->stats.through++;
	else
		return mptun_naive_hold(m, p, bytes, now);
	mptun_naive_deliver(m, p->dsn, now);
	return MPTUN_VERDICT_DELIVERED;
}

/**
 * mptun_naive_idle() - as mptun_reorder_idle() if that shrank the ring
 * @m: the model
 */
void mptun_naive_idle(struct mptun_naive *m)
{
	m->first = m->next & ~63U;
	m->floored = max(m->floored, m->first);
	m->known = m->first;
	m->gaps = 0;
}

/**
 * mptun_naive_unsettled() - find the lowest unsettled dsn
 * @m: the model
 *
 * Return: lowest dsn that is not settled, or the next one.
 */
u32 mptun_naive_unsettled(const struct mptun_naive *m)
{
	u32 dsn = m->first;

	while (dsn < m->next && mptun_naive_settled(m, dsn))
		dsn++;
	return dsn;
}
