/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Months of a data cap.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Times are in milliseconds.
 */
#ifndef MPTUN_TOOLS_PERIOD_H
#define MPTUN_TOOLS_PERIOD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A clock that nothing synchronizes counts when it has not jumped for this
 * long.
 */
#define PERIOD_STEADY_MS 600000
/* A larger change against a clock that does not jump is a jump. */
#define PERIOD_JUMP_MS 10000

/**
 * struct period_clock - whether the clock of the machine can be right
 * @begun: it was looked at before
 * @ahead: how far it is ahead of a clock that does not jump
 * @since: when it has jumped last, or was first looked at
 */
struct period_clock {
	bool begun;
	int64_t ahead;
	uint64_t since;
};

/**
 * period_steady() - look at the clock
 * @clock: what is remembered of it
 * @wall: the time that it shows
 * @now: the time of a clock that does not jump
 *
 * Return: true if it has not jumped for long enough.
 */
bool period_steady(struct period_clock *clock, int64_t wall, uint64_t now);

/**
 * period_of() - the day on which the present month of a cap has begun
 * @date: the local date
 * @day: day of the month on which it begins, in shorter months the last one
 *
 * Return: the day, as the number YYYYMMDD.
 */
int period_of(const struct tm *date, int day);

/**
 * enum period_step - what is to be done about a month
 * @PERIOD_STAYS: nothing
 * @PERIOD_BEGINS: a new month has begun, so what was used counts from 0
 * @PERIOD_IS: it was not known, or the clock was wrong before: what was used
 *	remains, in the month that it is
 */
enum period_step {
	PERIOD_STAYS,
	PERIOD_BEGINS,
	PERIOD_IS,
};

/**
 * period_judge() - compare the month with the one before
 * @was: day on which that has begun, 0 if it is not known
 * @is: day on which the month has begun, by the clock
 * @synced: the clock is synchronized
 * @steady: it has not jumped for long
 *
 * A clock that is not synchronized may be behind after a boot without battery,
 * so it is never believed when it goes back.
 *
 * Return: what is to be done.
 */
enum period_step period_judge(int was, int is, bool synced, bool steady);

#endif /* MPTUN_TOOLS_PERIOD_H */
