// SPDX-License-Identifier: GPL-2.0
/*
 * Months of a data cap.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>

#include "agent/period.h"

bool period_steady(struct period_clock *clock, int64_t wall, uint64_t now)
{
	int64_t ahead = wall - (int64_t)now;

	if (!clock->begun || llabs(ahead - clock->ahead) > PERIOD_JUMP_MS)
		clock->since = now;
	clock->begun = true;
	/* A clock that is slewed moves slowly. */
	clock->ahead = ahead;
	return now - clock->since >= PERIOD_STEADY_MS;
}

static int period_days(int year, int month)
{
	static const int days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
	};
	bool leap = (year % 4 == 0 && year % 100) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

int period_of(const struct tm *date, int day)
{
	int year = date->tm_year + 1900, month = date->tm_mon + 1;
	int last = period_days(year, month), begin = day < last ? day : last;

	if (date->tm_mday < begin) {
		year -= month == 1;
		month = month == 1 ? 12 : month - 1;
		last = period_days(year, month);
		begin = day < last ? day : last;
	}
	return year * 10000 + month * 100 + begin;
}

enum period_step period_judge(int was, int is, bool synced, bool steady)
{
	if (was == is || !(synced || steady))
		return PERIOD_STAYS;
	if (was && is > was)
		return PERIOD_BEGINS;
	return !was || synced ? PERIOD_IS : PERIOD_STAYS;
}
