// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Fragments: an inner packet in several packets of the tunnel.
 *
 * Each has a &struct mptun_frag in front of its part.  The parts are of equal
 * size, as far as that is possible.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "wire/frag.h"
#include "wire/wire.h"

/**
 * mptun_frag_most() - largest packet that fragments of a size carry
 * @room: size of the largest fragment in bytes, its header included
 *
 * Return: bytes, 0 if there is no room.
 */
u32 mptun_frag_most(u32 room)
{
	if (room <= sizeof(struct mptun_frag))
		return 0;
	room -= sizeof(struct mptun_frag);
	return room < MPTUN_FRAG_INNER_MAX / MPTUN_FRAGS_MAX ?
	       room * MPTUN_FRAGS_MAX : MPTUN_FRAG_INNER_MAX;
}

/**
 * mptun_frag_divide() - plan the fragments of a packet
 * @plan: filled in on success
 * @len: length of the packet, more than @room
 * @room: size of the largest fragment in bytes, its header included
 *
 * Return: false if MPTUN_FRAGS_MAX fragments are not enough.
 */
bool mptun_frag_divide(struct mptun_frag_plan *plan, u32 len, u32 room)
{
	if (len > mptun_frag_most(room))
		return false;
	plan->len = len;
	plan->count = DIV_ROUND_UP(len, room - (u32)sizeof(struct mptun_frag));
	plan->size = DIV_ROUND_UP(len, plan->count);
	/* Each has a part of its own. */
	return plan->count > 1 && plan->count <= MPTUN_FRAGS_MAX &&
	       plan->size * (plan->count - 1) < len;
}

/**
 * mptun_frag_size() - size of the part of a fragment
 * @plan: the plan
 * @index: index of the fragment, below the count
 *
 * Its part begins at @index times the size of the plan.
 *
 * Return: bytes.
 */
u32 mptun_frag_size(const struct mptun_frag_plan *plan, u32 index)
{
	return min(plan->size, plan->len - index * plan->size);
}
