// SPDX-License-Identifier: GPL-2.0
/*
 * Months of a data cap, by a clock that may be wrong.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "agent/period.h"
#include "test/ktap.h"

static int begun(int year, int month, int mday, int day)
{
	const struct tm date = {
		.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = mday,
	};

	return period_of(&date, day);
}

/* A month that is shorter begins on its last day. */
static void test_months(void)
{
	ktap_check(begun(2026, 11, 28, 1) == 20261101);
	ktap_check(begun(2026, 11, 28, 28) == 20261128);
	ktap_check(begun(2026, 11, 28, 29) == 20261029);
	ktap_check(begun(2026, 1, 5, 6) == 20251206);
	ktap_check(begun(2026, 1, 1, 1) == 20260101);
	ktap_check(begun(2026, 2, 27, 31) == 20260131);
	ktap_check(begun(2026, 2, 28, 31) == 20260228);
	ktap_check(begun(2028, 2, 28, 31) == 20280131);
	ktap_check(begun(2028, 2, 29, 30) == 20280229);
	ktap_check(begun(2026, 3, 30, 31) == 20260228);
	ktap_check(begun(2100, 3, 1, 29) == 21000228);
	ktap_check(begun(2026, 4, 30, 31) == 20260430);
	ktap_check(begun(2026, 5, 1, 31) == 20260430);
}

/* What begins when, by a clock that may be wrong. */
static void test_clock(void)
{
	struct period_clock clock = { 0 };
	const uint64_t long_ms = PERIOD_STEADY_MS;

	/* synchronized: it is believed at once, both ways */
	ktap_check(period_judge(20261101, 20261201, true, false) ==
		   PERIOD_BEGINS);
	ktap_check(period_judge(20261101, 20261001, true, false) == PERIOD_IS);
	ktap_check(period_judge(0, 20261001, true, false) == PERIOD_IS);
	ktap_check(period_judge(20261101, 20261101, true, true) ==
		   PERIOD_STAYS);
	/* else after a while, and never backwards */
	ktap_check(period_judge(20261101, 20261201, false, false) ==
		   PERIOD_STAYS);
	ktap_check(period_judge(20261101, 20261201, false, true) ==
		   PERIOD_BEGINS);
	ktap_check(period_judge(20261101, 19700101, false, true) ==
		   PERIOD_STAYS);
	ktap_check(period_judge(0, 19700101, false, false) == PERIOD_STAYS);
	ktap_check(period_judge(0, 20261101, false, true) == PERIOD_IS);
	/* it goes well, it is slewed, it jumps */
	ktap_check(!period_steady(&clock, 5000, 1000));
	ktap_check(!period_steady(&clock, 4000 + long_ms, long_ms));
	ktap_check(period_steady(&clock, 9000 + long_ms, 1000 + long_ms));
	ktap_check(!period_steady(&clock, 99000 + long_ms, 2000 + long_ms));
	ktap_check(!period_steady(&clock, 99000 + 2 * long_ms - 1,
				  2000 + 2 * long_ms - 1));
	ktap_check(period_steady(&clock, 99000 + 2 * long_ms,
				 2000 + 2 * long_ms));
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "period: months of a cap", test_months },
		{ "period: a clock that is wrong", test_clock },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(*tests));
}
