// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Budget of one path: what it has carried of what it may carry.
 *
 * The model: whoever sells a line by volume counts IP packets in both
 * directions, so that is what is counted, from the outer IP header on: data,
 * copies of it, reports and probes.  Counters that are there anyway are looked
 * at now and then, and what they grew by is added up.
 *
 * Against a cap that makes one of four states: no cap, open, near (four fifths
 * are used up) and reached.  When a new period begins is for user space to
 * say, by setting what has been used: months are a matter of the calendar,
 * and what was used has to outlive a reboot.
 *
 * Units: bytes.
 */
#include <linux/math64.h>

#include "sched/budget.h"

/* From this share of the cap on it is near: 1 - 1/5. */
#define MPTUN_BUDGET_NEAR_PART	5

/**
 * mptun_budget_used() - what counts against the cap by now
 * @b: the budget
 * @count: what has been carried
 * @header: size of the outer IP header of packets carried of late
 *
 * Return: bytes.
 */
u64 mptun_budget_used(const struct mptun_budget *b,
		      const struct mptun_budget_count *count, u32 header)
{
	return b->used + (count->bytes - b->seen.bytes) +
	       (count->packets - b->seen.packets) * header;
}

/**
 * mptun_budget_update() - look at the counters
 * @b: the budget
 * @count: what has been carried
 * @header: size of the outer IP header of packets carried since the last look
 */
void mptun_budget_update(struct mptun_budget *b,
			 const struct mptun_budget_count *count, u32 header)
{
	b->used = mptun_budget_used(b, count, header);
	b->seen = *count;
}

/**
 * mptun_budget_set() - say what has been used, for a new period, say
 * @b: the budget
 * @count: what has been carried
 * @used: bytes that count against the cap from now on
 */
void mptun_budget_set(struct mptun_budget *b,
		      const struct mptun_budget_count *count, u64 used)
{
	b->used = used;
	b->seen = *count;
}

/**
 * mptun_budget_judge() - compare with the cap
 * @b: the budget
 * @cap: what the path may carry, 0 for no cap
 *
 * Return: true if the state is another one than before.
 */
bool mptun_budget_judge(struct mptun_budget *b, u64 cap)
{
	u8 old = b->state;

	if (!cap)
		b->state = MPTUN_CAP_STATE_NONE;
	else if (b->used >= cap)
		b->state = MPTUN_CAP_STATE_REACHED;
	else if (cap - b->used <= div_u64(cap, MPTUN_BUDGET_NEAR_PART))
		b->state = MPTUN_CAP_STATE_NEAR;
	else
		b->state = MPTUN_CAP_STATE_OPEN;
	return b->state != old;
}
