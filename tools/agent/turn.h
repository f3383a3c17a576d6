/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the paths of a tunnel are moved to another server.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Times are in milliseconds, of a clock that does not jump.
 */
#ifndef MPTUN_TOOLS_TURN_H
#define MPTUN_TOOLS_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/again.h"

/* A server that answers on no path for this long is left: three times what a
 * new path has to come up, so that one whose address has changed can be found.
 */
#define TURN_MS (3 * AGAIN_MIN_MS)

/**
 * struct turn - the server in use
 * @index: which one; the preferred one is 0
 * @at: when the next one has its turn, AGAIN_NEVER while this one answers
 * @moves: how often the paths were moved since one answered
 */
struct turn {
	size_t index;
	uint64_t at;
	unsigned int moves;
};

/* A path works, or none leads anywhere: another server would not help. */
void turn_works(struct turn *turn, bool answers);

/**
 * turn_fails() - no path works, and some lead to the server
 * @turn: the server in use
 * @now: the time
 * @servers: number of servers
 *
 * If none has answered each gets twice the time in the next round.
 */
void turn_fails(struct turn *turn, uint64_t now, size_t servers);

/**
 * turn_next() - the next server has its turn
 * @turn: the server in use
 * @servers: number of servers
 */
void turn_next(struct turn *turn, size_t servers);

#endif /* MPTUN_TOOLS_TURN_H */
