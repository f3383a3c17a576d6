// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets of one path that were lost in the last minute.
 *
 * The model: a ring of steps of 5 s, each with the packets whose outcome became
 * known in it. The oldest step is emptied when a new one begins, so all steps
 * together cover the last 55 to 60 s, with a fixed amount of memory. There is
 * no timer: steps that have passed are found when a result or a reader comes.
 *
 * A loss that proves spurious is taken from the newest step that has a loss. It
 * was declared there or shortly before, as a packet that is late by more than
 * some round trips is forgotten (recovery/loss.c).
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "recovery/recent.h"

/* Makes the step of @now the present one, and empties those in between. */
static void mptun_recent_advance(struct mptun_recent *r, u64 now)
{
	u64 steps;

	if (now < r->begin_ns + MPTUN_RECENT_STEP_NS)
		return;
	steps = div64_u64(now - r->begin_ns, MPTUN_RECENT_STEP_NS);
	r->begin_ns += steps * MPTUN_RECENT_STEP_NS;
	for (steps = min_t(u64, steps, MPTUN_RECENT_STEPS); steps; steps--) {
		r->now = (r->now + 1) % MPTUN_RECENT_STEPS;
		r->steps[r->now] = (struct mptun_recent_count){};
	}
}

/**
 * mptun_recent_add() - count the packets of a result
 * @r: the last minute of the path
 * @res: the result
 * @now: time in ns
 */
void mptun_recent_add(struct mptun_recent *r,
		      const struct mptun_sent_result *res, u64 now)
{
	struct mptun_recent_count *step;
	u32 spurious = res->spurious;
	u32 i, n;

	mptun_recent_advance(r, now);
	step = &r->steps[r->now];
	step->packets += res->acked_packets + res->lost_packets;
	step->lost += res->lost_packets;
	for (i = MPTUN_RECENT_STEPS; spurious && i; i--) {
		step = &r->steps[(r->now + i) % MPTUN_RECENT_STEPS];
		n = min(step->lost, spurious);
		step->lost -= n;
		spurious -= n;
	}
}

/**
 * mptun_recent_sum() - packets of the last minute
 * @r: the last minute of the path
 * @now: time in ns
 *
 * Return: their sum.
 */
struct mptun_recent_count mptun_recent_sum(const struct mptun_recent *r,
					   u64 now)
{
	struct mptun_recent copy = *r;
	struct mptun_recent_count sum = {};
	u32 i;

	mptun_recent_advance(&copy, now);
	for (i = 0; i < MPTUN_RECENT_STEPS; i++) {
		sum.packets += copy.steps[i].packets;
		sum.lost += copy.steps[i].lost;
	}
	return sum;
}
