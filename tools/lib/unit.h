/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with units.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_UNIT_H
#define MPTUN_TOOLS_UNIT_H

#include <stdint.h>

struct unit {
	const char *name;
	uint64_t factor;
};

/* Each list ends with an entry without name. */
extern const struct unit unit_times[];
extern const struct unit unit_spans[];
extern const struct unit unit_sizes[];
extern const struct unit unit_rates[];

/**
 * unit_parse() - read a number with decimals and a unit
 * @word: the number
 * @unit: the units that it may have
 * @num: filled in
 *
 * Return: NULL, or what is wrong with it.
 */
const char *unit_parse(const char *word, const struct unit *unit,
		       uint64_t *num);

#endif /* MPTUN_TOOLS_UNIT_H */
