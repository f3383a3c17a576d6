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

/* When a server has answered on no path for this long others are tried. */
#define TURN_MS AGAIN_MIN_MS
/* Time for which each server is tried in the first round. */
#define TURN_TRY_MS (3 * AGAIN_MIN_MS)
/* When another server answers, the one in use still has this time to answer, as
 * an uplink may have come back.
 */
#define TURN_STEADY_MS (2 * AGAIN_MIN_MS)
/* The preferred server answers a trial for this long before the paths return to
 * it, and for twice as long each time that it fails within AGAIN_MAX_MS.
 */
#define TURN_BACK_MS (5 * AGAIN_MIN_MS)

/**
 * struct turn - the server in use
 * @index: which one; the preferred one is 0
 * @fails: no path works, and some lead to it
 * @at: when others are to be tried, AGAIN_NEVER if it answers, or they are
 * @next: the one that is tried
 * @tries: how often one was tried since a path has worked
 * @returned: when the paths have returned to the preferred server
 * @back: how long that has to answer before they do, 0 for TURN_BACK_MS
 */
struct turn {
	size_t index;
	bool fails;
	uint64_t at;
	size_t next;
	unsigned int tries;
	uint64_t returned;
	uint64_t back;
};

/**
 * turn_to() - a server is in use
 * @turn: filled in; what was tried still counts
 * @index: which one
 */
void turn_to(struct turn *turn, size_t index);

/**
 * turn_move() - the paths move to another server
 * @turn: changed
 * @index: the server
 * @now: the time
 */
void turn_move(struct turn *turn, size_t index, uint64_t now);

/* How long another server has to answer a trial before the paths move, in ms. */
uint64_t turn_steady(const struct turn *turn);

/* A path works, or none leads anywhere: another server would not help. */
void turn_works(struct turn *turn, bool answers);

/* No path works, and some lead to the server.  One that has answered a trial
 * only has its full time.
 */
void turn_fails(struct turn *turn, uint64_t now);

/**
 * turn_next() - another server has its turn
 * @turn: the server in use
 * @servers: number of servers
 * @ways: number of ways to each
 * @again: set to false if all were tried on the same way
 *
 * If none has answered each gets twice the time in the next round.
 *
 * Return: the time in ms that it has.
 */
uint64_t turn_next(struct turn *turn, size_t servers, size_t ways,
		   bool *again);

#endif /* MPTUN_TOOLS_TURN_H */
