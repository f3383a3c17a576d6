// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * A naive model of the reorder buffer: loss proofs.
 */
#include <linux/limits.h>

#include "test/reorder/naive.h"

/**
 * mptun_naive_unknown() - count unknown dsns
 * @m: the model
 * @from: lowest dsn
 * @to: one above the highest
 *
 * Return: number of them.
 */
u32 mptun_naive_unknown(const struct mptun_naive *m, u32 from, u32 to)
{
	u32 n = 0;

	for (; from < to; from++)
		n += !m->slot[from].first && !m->slot[from].proved;
	return n;
}

static void mptun_naive_lost(struct mptun_naive *m, u32 from, u32 to, u64 now)
{
	struct mptun_naive_slot *s;

	for (; from < to; from++) {
		s = &m->slot[from];
		if (s->first || s->proved)
			continue;
		s->proved = true;
		if (s->state != MPTUN_NAIVE_EMPTY)
			continue;
		if (s->waiter &&
		    m->slot[s->waiter].list == MPTUN_REORDER_LIST_REPAIR)
			continue;
		mptun_naive_give_up(m, from, MPTUN_GIVE_UP_PROOF, now);
	}
}

static void mptun_naive_remove(struct mptun_naive *m, u32 i)
{
	m->gap[i] = m->gap[--m->gaps];
}

static u32 mptun_naive_low(const struct mptun_naive *m, u32 i)
{
	return max(m->gap[i].after + 1, m->first);
}

/* The least slack of any interval that begins and ends with a gap; of equal
 * ones the smallest, of those the lowest.
 */
static s32 mptun_naive_slack(const struct mptun_naive *m, u32 *from, u32 *to)
{
	s32 best = S32_MAX, slack;
	u32 i, k, j, low, high;

	for (i = 0; i < m->gaps; i++) {
		for (k = 0; k < m->gaps; k++) {
			low = mptun_naive_low(m, i);
			high = m->gap[k].before;
			if (mptun_naive_low(m, k) < low ||
			    m->gap[i].before > high)
				continue;
			slack = mptun_naive_unknown(m, low, high);
			for (j = 0; j < m->gaps; j++)
				if (mptun_naive_low(m, j) >= low &&
				    m->gap[j].before <= high)
					slack -= m->gap[j].lost;
			if (slack > best ||
			    (slack == best && high - low > *to - *from) ||
			    (slack == best && high - low == *to - *from &&
			     low >= *from))
				continue;
			best = slack;
			*from = low;
			*to = high;
		}
	}
	return best;
}

/**
 * mptun_naive_evaluate() - decide the gaps that can be decided
 * @m: the model
 * @now: the clock in ns
 */
void mptun_naive_evaluate(struct mptun_naive *m, u64 now)
{
	u32 from, to, i;
	s32 slack;

	for (i = m->gaps; i--;)
		if (m->gap[i].after + 1 < m->known ||
		    m->gap[i].before <= m->first)
			mptun_naive_remove(m, i);
	while ((slack = mptun_naive_slack(m, &from, &to)) <= 0) {
		for (i = m->gaps; i--;)
			if (mptun_naive_low(m, i) >= from &&
			    m->gap[i].before <= to)
				mptun_naive_remove(m, i);
		if (!slack)
			mptun_naive_lost(m, from, to, now);
	}
}

/**
 * mptun_naive_prove() - as mptun_reorder_prove()
 * @m: the model
 * @b: the proof; there must be room for it
 * @now: the clock in ns
 */
void mptun_naive_prove(struct mptun_naive *m, const struct mptun_gap *b,
		       u64 now)
{
	if (mptun_naive_mode(m, MPTUN_REORDER_MODE_OFF) ||
	    mptun_naive_mode(m, MPTUN_REORDER_MODE_PSMC) || !b->lost ||
	    b->after >= b->before || b->before >= m->next ||
	    b->before <= m->first || b->after + 1 < m->known)
		return;
	m->gap[m->gaps++] = *b;
	mptun_naive_evaluate(m, now);
}
