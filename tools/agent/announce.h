/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When an agent announces its summary to the agent of the other end.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Times are in milliseconds, of a clock that does not jump.
 *
 * A summary has a number.  It is sent, and an answer asked for, until the other
 * end has answered that it has seen this number, ANNOUNCE_TRIES times.  After
 * that there is silence until the other end is heard, or is another one, or no
 * path has worked meanwhile.  Only what asks is answered, so an exchange ends.
 *
 * What is sent has to be paid for: ANNOUNCE_RATE bytes per second are free,
 * which is far below the cost of a path at rest, and so is a hundredth of what
 * the tunnel carries.
 */
#ifndef MPTUN_TOOLS_ANNOUNCE_H
#define MPTUN_TOOLS_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often a number is sent that is not answered: after 1, 2, 4, ... s. */
#define ANNOUNCE_TRIES 4
#define ANNOUNCE_PAUSE_MS 1000
/* 173 kB a day. */
#define ANNOUNCE_RATE 2
/* Credit that can be saved, in bytes: about 20 changes at once. */
#define ANNOUNCE_SAVED 16384
/* What the tunnel has to carry for a byte that is sent. */
#define ANNOUNCE_SHARE 100

/**
 * struct announce - what is announced, and what is heard
 * @number: number of the own summary
 * @seen: number of the summary of the other end, 0 for none
 * @heard: the other end was heard
 * @open: the other end has not answered @number
 * @owed: something is to be sent, as the other end has asked or is to be asked
 * @asks: it is to be asked for fresh figures
 * @tries: how often something was sent since the last answer
 * @last: when it was sent last, 0 for never
 * @credit: bytes that may be sent, in thousandths
 * @since: when @credit was that
 * @carried: bytes that the tunnel has carried since the other end was asked
 */
struct announce {
	uint32_t number;
	uint32_t seen;
	bool heard;
	bool open;
	bool owed;
	bool asks;
	unsigned int tries;
	uint64_t last;
	uint64_t credit;
	uint64_t since;
	uint64_t carried;
};

/**
 * announce_begin() - the other end is not known yet, or is another one
 * @state: all is filled in
 * @now: the time
 * @number: number of the summary; an agent begins with one that the agent
 *	before it has not used
 */
void announce_begin(struct announce *state, uint64_t now, uint32_t number);

/* There is another summary. */
void announce_change(struct announce *state);

/* A path works, and none has: the other end is tried again if it was heard. */
void announce_again(struct announce *state);

/* The tunnel has carried a number of bytes since the last call. */
void announce_carry(struct announce *state, uint64_t now, uint64_t bytes);

/**
 * announce_due() - when to send
 * @state: what is announced
 * @size: bytes that this takes
 *
 * Return: the time, UINT64_MAX for never.
 */
uint64_t announce_due(const struct announce *state, size_t size);

/* Whether what is sent asks for an answer. */
bool announce_asks(const struct announce *state);

/**
 * announce_sent() - it was sent
 * @state: what is announced
 * @now: the time
 * @size: bytes that this took
 */
void announce_sent(struct announce *state, uint64_t now, size_t size);

/**
 * announce_hear() - the other end was heard
 * @state: brought up to date
 * @number: its number
 * @seen: the number that it has heard
 * @asks: it wants an answer
 */
void announce_hear(struct announce *state, uint32_t number, uint32_t seen,
		   bool asks);

/* Whether the other end answers. */
bool announce_answers(const struct announce *state);

/**
 * announce_ask() - whether to ask for fresh figures
 * @state: what is announced
 * @size: bytes that this takes
 *
 * Only if the tunnel has carried ANNOUNCE_SHARE times what question and answer
 * take since the last question, so that looking at a tunnel at rest does not
 * wake it.
 *
 * Return: true if so; it counts as a question then.
 */
bool announce_ask(struct announce *state, size_t size);

#endif /* MPTUN_TOOLS_ANNOUNCE_H */
