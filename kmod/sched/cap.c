// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Data cap of one path: the volume that counts against it, and its state.
 *
 * The model: lines sold by volume count IP packets in both directions, so that
 * is what is counted, from the outer IP header on: data, copies, reports and
 * probes. Existing counters are read now and then, and their growth is added
 * up.
 *
 * There are four states: no cap, open, nearly reached (four fifths are used)
 * and reached. User space starts a new period by setting the volume used:
 * months are a matter of the calendar, and the volume has to outlive a reboot.
 *
 * Units: bytes.
 */
#include <linux/math64.h>

#include "sched/cap.h"

/* The cap is nearly reached with 1/5 of it left. */
#define MPTUN_CAP_NEAR_PART	5

/**
 * mptun_cap_used() - volume that counts against the cap
 * @c: use of the cap
 * @count: counters of the path
 * @header: size of the outer IP header of recent packets
 *
 * Return: bytes.
 */
u64 mptun_cap_used(const struct mptun_cap *c,
		   const struct mptun_cap_count *count, u32 header)
{
	return c->used + (count->bytes - c->seen.bytes) +
	       (count->packets - c->seen.packets) * header;
}

/**
 * mptun_cap_update() - add up the counters
 * @c: use of the cap
 * @count: counters of the path
 * @header: size of the outer IP header of packets since the last update
 */
void mptun_cap_update(struct mptun_cap *c,
		      const struct mptun_cap_count *count, u32 header)
{
	c->used = mptun_cap_used(c, count, header);
	c->seen = *count;
}

/**
 * mptun_cap_set() - set the volume used, for example for a new period
 * @c: use of the cap
 * @count: counters of the path
 * @used: bytes that count against the cap from now on
 */
void mptun_cap_set(struct mptun_cap *c, const struct mptun_cap_count *count,
		   u64 used)
{
	c->used = used;
	c->seen = *count;
}

/**
 * mptun_cap_judge() - compare with the cap
 * @c: use of the cap
 * @cap: bytes, 0 for none
 *
 * Return: true if the state has changed.
 */
bool mptun_cap_judge(struct mptun_cap *c, u64 cap)
{
	u8 old = c->state;

	if (!cap)
		c->state = MPTUN_CAP_STATE_NONE;
	else if (c->used >= cap)
		c->state = MPTUN_CAP_STATE_REACHED;
	else if (cap - c->used <= div_u64(cap, MPTUN_CAP_NEAR_PART))
		c->state = MPTUN_CAP_STATE_NEAR;
	else
		c->state = MPTUN_CAP_STATE_OPEN;
	return c->state != old;
}
