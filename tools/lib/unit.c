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

/* Most decimals of a fraction; with factors up to 10^9 nothing overflows. */
#define UNIT_DECIMALS 9

const struct unit unit_times[] = {
	{ "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { NULL, 0 },
};

const struct unit unit_spans[] = {
	{ "", 1000000 }, { "us", 1 }, { "ms", 1000 }, { "s", 1000000 },
	{ NULL, 0 },
};

const struct unit unit_seconds[] = {
	{ "", 1 }, { "s", 1 }, { NULL, 0 },
};

const struct unit unit_sizes[] = {
	{ "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 },
	{ NULL, 0 },
};

const struct unit unit_volumes[] = {
	{ "", 1 }, { "kb", 1000 }, { "mb", 1000000 }, { "gb", 1000000000 },
	{ "kib", 1 << 10 }, { "mib", 1 << 20 }, { "gib", 1 << 30 }, { NULL, 0 },
};

const struct unit unit_rates[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", 1000000000 }, { NULL, 0 },
};

const char *unit_parse(const char *word, const struct unit *unit, uint64_t *num)
{
	uint64_t whole = 0, frac = 0, scale = 1, rest;
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
	rest = frac * unit->factor;
	if (rest % scale)
		return "is not a multiple of the smallest unit";
	rest /= scale;
	if (whole > (UINT64_MAX - rest) / unit->factor)
		return "is too large";
	*num = whole * unit->factor + rest;
	return NULL;
}
