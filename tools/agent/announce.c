// SPDX-License-Identifier: GPL-2.0
/*
 * When an agent announces its summary to the agent of the other end.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "agent/announce.h"

/* Credit is kept in thousandths, as the time is. */
#define ANNOUNCE_PART 1000

void announce_begin(struct announce *state, uint64_t now, uint32_t number)
{
	/* The credit remains: an end that restarts often gets no more of it. */
	uint64_t credit = (uint64_t)ANNOUNCE_SAVED * ANNOUNCE_PART;

	*state = (struct announce) {
		.number = number, .open = true, .last = state->last,
		.credit = state->since ? state->credit : credit,
		.since = state->since ? state->since : now,
	};
}

/* The count of tries remains, so an end whose paths flap does not send forever
 * to one that has no agent.
 */
void announce_change(struct announce *state)
{
	state->number++;
	if (!state->number)
		state->number++;
	if (!state->open)
		state->tries = 0;
	state->open = true;
}

void announce_again(struct announce *state)
{
	if (state->heard && state->open)
		state->tries = 0;
}

static uint64_t announce_credit(const struct announce *state, uint64_t now)
{
	uint64_t most = (uint64_t)ANNOUNCE_SAVED * ANNOUNCE_PART;
	uint64_t sum = state->credit;

	if (now > state->since)
		sum += (now - state->since) * ANNOUNCE_RATE;
	return sum < most ? sum : most;
}

void announce_carry(struct announce *state, uint64_t now, uint64_t bytes)
{
	state->carried += bytes;
	state->credit = announce_credit(state, now) +
			bytes * ANNOUNCE_PART / ANNOUNCE_SHARE;
	state->since = now;
	state->credit = announce_credit(state, now);
}

uint64_t announce_due(const struct announce *state, size_t size)
{
	uint64_t cost = (uint64_t)size * ANNOUNCE_PART;
	uint64_t wait = ANNOUNCE_PAUSE_MS, due;

	if (!state->owed && (!state->open || state->tries >= ANNOUNCE_TRIES))
		return UINT64_MAX;
	if (!state->owed && state->tries)
		wait <<= state->tries - 1;
	due = state->last ? state->last + wait : 0;
	if (state->credit < cost &&
	    due < state->since + (cost - state->credit) / ANNOUNCE_RATE)
		due = state->since + (cost - state->credit) / ANNOUNCE_RATE + 1;
	return due;
}

bool announce_asks(const struct announce *state)
{
	return state->open || state->asks;
}

void announce_sent(struct announce *state, uint64_t now, size_t size)
{
	uint64_t cost = (uint64_t)size * ANNOUNCE_PART;

	state->credit = announce_credit(state, now);
	state->credit -= cost < state->credit ? cost : state->credit;
	state->since = now;
	state->last = now;
	state->owed = false;
	state->asks = false;
	if (state->open && state->tries < ANNOUNCE_TRIES)
		state->tries++;
}

void announce_hear(struct announce *state, uint32_t number, uint32_t seen,
		   bool asks)
{
	state->owed |= asks;
	state->seen = number;
	state->heard = true;
	if (seen == state->number)
		state->open = false;
	else if (state->tries >= ANNOUNCE_TRIES)
		state->tries = 1;
}

bool announce_answers(const struct announce *state)
{
	return state->heard && !(state->open && state->tries >= ANNOUNCE_TRIES);
}

bool announce_ask(struct announce *state, size_t size)
{
	if (!announce_answers(state) ||
	    state->carried < (uint64_t)size * 2 * ANNOUNCE_SHARE)
		return false;
	state->carried = 0;
	state->owed = true;
	state->asks = true;
	return true;
}
