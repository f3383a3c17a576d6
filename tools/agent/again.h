/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a name is looked up again, and which of its addresses is taken.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Times are in milliseconds, of a clock that does not jump.
 */
#ifndef MPTUN_TOOLS_AGAIN_H
#define MPTUN_TOOLS_AGAIN_H

#include <stdbool.h>

#include "lib/parse.h"

/* The longest time between two look-ups. */
#define AGAIN_MAX_MS 60000
/* The shortest one, and the time that a new path has to come up. */
#define AGAIN_MIN_MS 1000
/* Most addresses of a name. */
#define AGAIN_ADDRS 16
/* No look-up is due. */
#define AGAIN_NEVER UINT64_MAX

/**
 * struct again - look-ups for a path
 * @at: when the next one is due, AGAIN_NEVER for none
 * @last: when the last one began
 * @tries: how many there were since the path did not work
 */
struct again {
	uint64_t at;
	uint64_t last;
	unsigned int tries;
};

/* Whether a peer can be at an address that a resolver gives. */
bool again_useful(const struct parse_value *addr);

/* The path works, or is switched off. */
void again_works(struct again *again);

/**
 * again_fails() - the path does not work
 * @again: its look-ups
 * @now: the time
 * @down: it has worked before, so a look-up is due at once; otherwise it has
 *	AGAIN_MIN_MS to answer
 */
void again_fails(struct again *again, uint64_t now, bool down);

/**
 * again_begins() - a look-up begins; the next one is due after twice the time
 * @again: look-ups of the path
 * @now: the time
 */
void again_begins(struct again *again, uint64_t now);

/**
 * again_choose() - choose an address for a path that does not work
 * @again: its look-ups
 * @list: what the last one has found
 * @count: number of addresses in @list
 * @have: the present address; not set if there is none
 *
 * The present one gets another chance after the first look-up, if it is still
 * in the list.  After that all have their turn.
 *
 * Return: the address, NULL if the present one stays.
 */
const struct parse_value *again_choose(const struct again *again,
				       const struct parse_value *list,
				       size_t count,
				       const struct parse_value *have);

#endif /* MPTUN_TOOLS_AGAIN_H */
