// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers with units.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A number is taken exactly or refused: no rounding, no saturation, no sign,
 * nothing after the unit.  Fractions are allowed where the unit makes them
 * whole (1.5mbit is 1500000 bit, 1.5us is refused).
 */
#include <ctype.h>
#include <stddef.h>
#include <strings.h>

#include "lib/unit.h"

/* Most decimals of a fraction. */
#define UNIT_DECIMALS 9

#define UNIT_DAY 86400000000u

/* Microseconds */
#define UNIT_TIMES \
	{ "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { "m", 60000000 }, \
	{ "h", 3600000000u }, { "d", UNIT_DAY }

const struct unit unit_times[] = { UNIT_TIMES, { NULL, 0 } };

const struct unit unit_spans[] = { { "", 1000000 }, UNIT_TIMES, { NULL, 0 } };

/* Powers of 1024, but 1000 with b alone */
const struct unit unit_sizes[] = {
	{ "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 },
	{ "t", 1ull << 40 },
	{ "kib", 1 << 10 }, { "mib", 1 << 20 }, { "gib", 1 << 30 },
	{ "tib", 1ull << 40 },
	{ "kb", 1000 }, { "mb", 1000000 }, { "gb", 1000000000 },
	{ "tb", 1000000000000 }, { NULL, 0 },
};

const struct unit unit_rates[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", 1000000000 }, { "tbit", 1000000000000 }, { NULL, 0 },
};

/* Greatest common divisor */
static uint64_t unit_common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

const char *unit_parse(const char *word, const struct unit *unit, uint64_t *num)
{
	uint64_t whole = 0, frac = 0, scale = 1, common, rest;
	int decimals = 0;

	if (!isdigit((unsigned char)*word))
		return "is not a number";
	for (; isdigit((unsigned char)*word); word++) {
		uint64_t digit = (uint64_t)(*word - '0');

		if (whole > (UINT64_MAX - digit) / 10)
			return "is too large";
		whole = whole * 10 + digit;
	}
	if (*word == '.') {
		for (word++; isdigit((unsigned char)*word); word++) {
			if (++decimals > UNIT_DECIMALS)
				return "has too many decimals";
			frac = frac * 10 + (uint64_t)(*word - '0');
			scale *= 10;
		}
		if (!decimals)
			return "is not a number";
	}
	while (unit->name && strcasecmp(word, unit->name))
		unit++;
	/* Zero is zero in every unit. */
	if (!unit->name && !*word && !whole && !frac) {
		*num = 0;
		return NULL;
	}
	if (!unit->name)
		return *word ? "has an unknown unit" : "lacks a unit";
	/* Without the common part the product cannot overflow. */
	common = unit_common(scale, unit->factor);
	scale /= common;
	if (frac % scale)
		return "is not a multiple of the smallest unit";
	rest = frac / scale * (unit->factor / common);
	if (whole > (UINT64_MAX - rest) / unit->factor)
		return "is too large";
	*num = whole * unit->factor + rest;
	return NULL;
}
