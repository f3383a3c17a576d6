// SPDX-License-Identifier: GPL-2.0
/*
 * When the paths of a tunnel are moved to another server.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "agent/turn.h"

void turn_to(struct turn *turn, size_t index)
{
	turn->index = index;
	turn->next = index;
	turn->fails = false;
	turn->at = AGAIN_NEVER;
}

void turn_move(struct turn *turn, size_t index, uint64_t now)
{
	uint64_t back = turn->back ? turn->back : TURN_BACK_MS;

	if (!turn->index && turn->returned &&
	    now - turn->returned < AGAIN_MAX_MS)
		turn->back = 2 * back < AGAIN_MAX_MS ? 2 * back : AGAIN_MAX_MS;
	else if (!turn->index)
		turn->back = 0;
	if (!index)
		turn->returned = now;
	turn_to(turn, index);
}

uint64_t turn_steady(const struct turn *turn)
{
	if (turn->fails)
		return TURN_STEADY_MS;
	return turn->back ? turn->back : TURN_BACK_MS;
}

void turn_works(struct turn *turn, bool answers)
{
	turn_to(turn, turn->index);
	if (answers)
		turn->tries = 0;
}

void turn_fails(struct turn *turn, uint64_t now)
{
	if (turn->fails)
		return;
	turn->fails = true;
	turn->at = now + (turn->tries ? TURN_TRY_MS : TURN_MS);
}

uint64_t turn_next(struct turn *turn, size_t servers, size_t ways,
		   bool *again)
{
	size_t round = (servers - 1) * (ways ? ways : 1);
	uint64_t wait = TURN_TRY_MS;

	*again = turn->next != turn->index;
	turn->next = (turn->next + 1) % servers;
	if (turn->next == turn->index) {
		turn->next = (turn->next + 1) % servers;
		*again = false;
	}
	for (size_t i = round; i <= turn->tries && wait < AGAIN_MAX_MS;
	     i += round)
		wait *= 2;
	turn->tries++;
	turn->at = AGAIN_NEVER;
	return wait < AGAIN_MAX_MS ? wait : AGAIN_MAX_MS;
}
