// SPDX-License-Identifier: GPL-2.0
/*
 * Rates from two samples, and their charts.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>

#include "lib/meter.h"
#include "live/chart.h"
#include "test/ktap.h"

#define SECOND 1000000u

static void check_num(const char *what, uint64_t got, uint64_t want)
{
	ktap_checkf(got == want, "%s is %" PRIu64 ", not %" PRIu64, what, got,
		    want);
}

/* A sample with these counters, in the order of enum meter_counter. */
#define SAMPLE(us, ...) (&(struct meter_sample) { (us), { __VA_ARGS__ } })

static void test_rates(void)
{
	struct meter meter;

	meter_init(&meter);
	meter_add(&meter, SAMPLE(5 * SECOND, 1000, 50, 10, 1, 0, 3));
	check_num("tx before an interval", meter.tx_rate, METER_UNKNOWN);
	check_num("loss before an interval", meter.loss, METER_UNKNOWN);
	check_num("history", meter.count, 0);
	meter_add(&meter, SAMPLE(7 * SECOND, 251000, 50, 1005, 6, 0, 3));
	check_num("tx", meter.tx_rate, 1000000);
	check_num("rx", meter.rx_rate, 0);
	check_num("loss", meter.loss, 5000);
	/* Half an interval without acknowledgments: no loss. */
	meter_add(&meter, SAMPLE(7 * SECOND + 500000, 251000, 1050, 1005, 6, 0,
				 3));
	check_num("tx", meter.tx_rate, 0);
	check_num("rx", meter.rx_rate, 16000);
	check_num("loss", meter.loss, METER_UNKNOWN);
	check_num("history", meter.count, 2);
	check_num("first", meter.history[0], 1000000);
	check_num("second", meter.history[1], 16000);
}

/* A clock that stands still divides nothing by zero, and forgets nothing. */
static void test_no_time(void)
{
	struct meter meter;

	meter_init(&meter);
	meter_add(&meter, SAMPLE(SECOND, 0, 0));
	meter_add(&meter, SAMPLE(SECOND, 500, 0));
	check_num("tx", meter.tx_rate, METER_UNKNOWN);
	meter_add(&meter, SAMPLE(2 * SECOND, 1000, 0));
	check_num("tx", meter.tx_rate, 8000);
}

/* A counter that decreases marks a path that was added again. */
static void test_added_again(void)
{
	struct meter meter;

	meter_init(&meter);
	meter_add(&meter, SAMPLE(1 * SECOND, 1000, 1000, 100, 10, 0, 9));
	meter_add(&meter, SAMPLE(2 * SECOND, 500, 2000, 20, 5, 0, 2));
	check_num("tx", meter.tx_rate, 4000);
	check_num("rx", meter.rx_rate, 16000);
	check_num("loss", meter.loss, 200000);
	/* All traffic is more than before; the changes of state are not. */
	meter_add(&meter, SAMPLE(3 * SECOND, 600, 3000, 20, 5, 0, 1));
	check_num("tx", meter.tx_rate, 4800);
	check_num("rx", meter.rx_rate, 24000);
}

static void test_loss(void)
{
	check_num("none", meter_loss(0, 0, 0), METER_UNKNOWN);
	check_num("no loss", meter_loss(0, 0, 7), 0);
	check_num("all", meter_loss(3, 0, 0), 1000000);
	check_num("a quarter", meter_loss(1, 0, 3), 250000);
	check_num("all in error", meter_loss(4, 4, 4), 0);
	check_num("errors of before", meter_loss(1, 9, 3), 0);
	check_num("large", meter_loss(UINT64_MAX / 4, 0, UINT64_MAX / 4),
		  500000);
}

static void test_history(void)
{
	struct meter meter;

	meter_init(&meter);
	for (uint64_t i = 0; i <= METER_HISTORY + 2; i++)
		meter_add(&meter, SAMPLE(i * SECOND, i * (i + 1) / 2));
	check_num("history", meter.count, METER_HISTORY);
	check_num("oldest", meter.history[0], 3 * 8);
	check_num("newest", meter.history[METER_HISTORY - 1],
		  (METER_HISTORY + 2) * 8);
}

static void test_scale(void)
{
	check_num("0", chart_scale(0), 1);
	check_num("1", chart_scale(1), 1);
	check_num("2", chart_scale(2), 2);
	check_num("3", chart_scale(3), 5);
	check_num("6", chart_scale(6), 10);
	check_num("10", chart_scale(10), 10);
	check_num("11", chart_scale(11), 20);
	check_num("18200000", chart_scale(18200000), 20000000);
	check_num("20000001", chart_scale(20000001), 50000000);
	check_num("largest power", chart_scale(10000000000000000000u),
		  10000000000000000000u);
	check_num("largest", chart_scale(UINT64_MAX), UINT64_MAX);
}

static void check_bar(uint64_t num, uint64_t scale, bool utf8,
		      const char *want)
{
	char buf[CHART_MAX];

	chart_bar(num, scale, 4, utf8, buf);
	ktap_checkf(!strcmp(buf, want), "%" PRIu64 " of %" PRIu64
		    ": \"%s\", not \"%s\"", num, scale, buf, want);
}

static void test_bar(void)
{
	check_bar(0, 32, true, "    ");
	check_bar(1, 32, true, "▏   ");
	check_bar(8, 32, true, "█   ");
	check_bar(13, 32, true, "█▋  ");
	check_bar(31, 32, true, "███▉");
	check_bar(32, 32, true, "████");
	check_bar(1, UINT64_MAX, true, "▏   ");
	check_bar(UINT64_MAX, 1, true, "████");
	check_bar(5, 0, true, "    ");
	check_bar(0, 32, false, "    ");
	check_bar(1, 32, false, "-   ");
	check_bar(20, 32, false, "##= ");
	check_bar(32, 32, false, "####");
}

static void check_curve(const char *want, size_t count, bool utf8)
{
	static const uint64_t num[] = { 99, 0, 1, 2, 3, 4, 5, 6, 7, 8, 80 };
	char buf[CHART_MAX];

	chart_curve(num, count, 8, 10, utf8, buf);
	ktap_checkf(!strcmp(buf, want), "\"%s\", not \"%s\"", buf, want);
}

static void test_curve(void)
{
	check_curve("          ", 0, true);
	check_curve("        █ ", 2, true);
	check_curve(" ▁▂▃▄▅▆▇██", 11, true);
	check_curve("        # ", 2, false);
	check_curve(" .:-=+*%##", 11, false);
}

/* The widest charts fit into their buffer. */
static void test_widest(void)
{
	static uint64_t num[CHART_WIDTH_MAX];
	char buf[CHART_MAX];

	for (int i = 0; i < CHART_WIDTH_MAX; i++)
		num[i] = 1;
	chart_bar(1, 1, CHART_WIDTH_MAX, true, buf);
	check_num("bar", strlen(buf), 3 * CHART_WIDTH_MAX);
	chart_curve(num, CHART_WIDTH_MAX, 1, CHART_WIDTH_MAX, true, buf);
	check_num("curve", strlen(buf), 3 * CHART_WIDTH_MAX);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "meter: rates and loss of an interval", test_rates },
		{ "meter: no time in between", test_no_time },
		{ "meter: a path that was added again", test_added_again },
		{ "meter: loss", test_loss },
		{ "meter: history", test_history },
		{ "chart: scale", test_scale },
		{ "chart: bar", test_bar },
		{ "chart: curve", test_curve },
		{ "chart: the widest", test_widest },
	};

	return ktap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
