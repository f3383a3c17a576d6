// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as text: times, sizes, rates, ages, percentages.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/format.h"

struct format_unit {
	const char *name;
	uint64_t factor;
};

static const struct format_unit format_times[] = {
	{ "s", 1000000 }, { "ms", 1000 }, { "us", 1 },
};

static const struct format_unit format_sizes[] = {
	{ "g", 1 << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 }, { "", 1 },
};

static const struct format_unit format_volumes[] = {
	{ "gb", 1000000000 }, { "mb", 1000000 }, { "kb", 1000 }, { "", 1 },
};

static const struct format_unit format_rates[] = {
	{ "gbit", 1000000000 }, { "mbit", 1000000 }, { "kbit", 1000 },
	{ "bit", 1 },
};

/* Decimal units: the largest that fits, with all the decimals needed. */
static const char *format_decimal(uint64_t v, const struct format_unit *unit,
				  char *buf)
{
	uint64_t rest;
	int len;

	while (unit->factor > 1 && v < unit->factor)
		unit++;
	len = snprintf(buf, FORMAT_MAX, "%" PRIu64, v / unit->factor);
	rest = v % unit->factor;
	if (rest) {
		buf[len++] = '.';
		for (uint64_t f = unit->factor / 10; rest; f /= 10) {
			buf[len++] = (char)('0' + rest / f);
			rest %= f;
		}
	}
	snprintf(buf + len, (size_t)(FORMAT_MAX - len), "%s", unit->name);
	return buf;
}

/* Three digits, rounded down: 1.23, 12.3, 123. */
static const char *format_short(uint64_t v, const struct format_unit *unit,
				char *buf)
{
	uint64_t whole, frac;

	while (unit->factor > 1 && v < unit->factor)
		unit++;
	whole = v / unit->factor;
	frac = v % unit->factor * 100 / unit->factor;
	if (unit->factor == 1 || whole >= 100)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "%s", whole, unit->name);
	else if (whole >= 10)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%" PRIu64 "%s", whole,
			 frac / 10, unit->name);
	else
		snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%02" PRIu64 "%s", whole,
			 frac, unit->name);
	return buf;
}

const char *format_time(uint64_t us, char *buf)
{
	if (!us)
		return strcpy(buf, "0");
	return format_decimal(us, format_times, buf);
}

const char *format_seconds(uint64_t s, char *buf)
{
	snprintf(buf, FORMAT_MAX, "%" PRIu64 "s", s);
	return buf;
}

/* Powers of two have no short decimals: the largest unit without a rest. */
const char *format_size(uint64_t bytes, char *buf)
{
	const struct format_unit *unit = format_sizes;

	while (unit->factor > 1 && (!bytes || bytes % unit->factor))
		unit++;
	snprintf(buf, FORMAT_MAX, "%" PRIu64 "%s", bytes / unit->factor,
		 unit->name);
	return buf;
}

const char *format_volume(uint64_t bytes, char *buf)
{
	return format_decimal(bytes, format_volumes, buf);
}

const char *format_rate(uint64_t bps, char *buf)
{
	return format_decimal(bps, format_rates, buf);
}

const char *format_time_short(uint64_t us, char *buf)
{
	return format_short(us, format_times, buf);
}

const char *format_size_short(uint64_t bytes, char *buf)
{
	return format_short(bytes, format_sizes, buf);
}

const char *format_rate_short(uint64_t bps, char *buf)
{
	return format_short(bps, format_rates, buf);
}

const char *format_age(uint64_t ms, char *buf)
{
	uint64_t s = ms / 1000;

	if (s < 60)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%" PRIu64 "s", s,
			 ms % 1000 / 100);
	else if (s < 3600)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "m%02" PRIu64 "s",
			 s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "h%02" PRIu64 "m",
			 s / 3600, s / 60 % 60);
	else
		snprintf(buf, FORMAT_MAX, "%" PRIu64 "d%02" PRIu64 "h",
			 s / 86400, s / 3600 % 24);
	return buf;
}

const char *format_ppm(uint64_t ppm, char *buf)
{
	uint64_t rounded = (ppm + 50) / 100;

	snprintf(buf, FORMAT_MAX, "%" PRIu64 ".%02" PRIu64 "%%", rounded / 100,
		 rounded % 100);
	return buf;
}
