// SPDX-License-Identifier: GPL-2.0
/*
 * When the paths of a tunnel are moved to another server.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "agent/turn.h"

void turn_works(struct turn *turn, bool answers)
{
	turn->at = AGAIN_NEVER;
	if (answers)
		turn->moves = 0;
}

void turn_fails(struct turn *turn, uint64_t now, size_t servers)
{
	uint64_t wait = TURN_MS;

	if (turn->at != AGAIN_NEVER)
		return;
	for (size_t i = servers; i <= turn->moves && wait < AGAIN_MAX_MS;
	     i += servers)
		wait *= 2;
	turn->at = now + (wait < AGAIN_MAX_MS ? wait : AGAIN_MAX_MS);
}

void turn_next(struct turn *turn, size_t servers)
{
	turn->index = (turn->index + 1) % servers;
	turn->at = AGAIN_NEVER;
	turn->moves++;
}
