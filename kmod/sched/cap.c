// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Budget of one path: the volume it has carried of its cap.
 *
 * The model: lines sold by volume count IP packets in both directions, so that
 * is what is counted, from the outer IP header on: data, copies, reports and
 * probes. Existing counters are read now and then, and their growth is added
 * up.
 *
 * Compared with a cap that gives one of four states: none, open, nearly reached
 * (four fifths are used) and reached. User space starts a new period by setting
 * the volume used: months are a matter of the calendar, and the volume has to
 * outlive a reboot.
 *
 * Units: bytes.
 */
#include <linux/math64.h>

#include "sched/cap.h"

/* The cap is nearly reached with 1/5 of it left. */
#define MPTUN_BUDGET_NEAR_PART	5

/**
 * mptun_budget_used() - volume that counts against the cap
 * @b: the budget
 * @count: counters of the path
 * @header: size of the outer IP header of recent packets
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
 * mptun_budget_update() - add up the counters
 * @b: the budget
 * @count: counters of the path
 * @header: size of the outer IP header of packets since the last update
 */
void mptun_budget_update(struct mptun_budget *b,
			 const struct mptun_budget_count *count, u32 header)
{
	b->used = mptun_budget_used(b, count, header);
	b->seen = *count;
}

/**
 * mptun_budget_set() - set the volume used, for example for a new period
 * @b: the budget
 * @count: counters of the path
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
 * @cap: cap in bytes, 0 for none
 *
 * Return: true if the state has changed.
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
