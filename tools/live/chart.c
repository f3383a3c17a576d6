// SPDX-License-Identifier: GPL-2.0
/*
 * Figures as bars and curves of characters.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "live/chart.h"

/* Parts of a character. */
#define CHART_PARTS 8

static const char *const chart_blocks_across[CHART_PARTS + 1] = {
	" ", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a",
	"\u2589", "\u2588",
};

static const char *const chart_ascii_across[CHART_PARTS + 1] = {
	" ", "-", "-", "-", "=", "=", "=", "=", "#",
};

static const char *const chart_blocks_up[CHART_PARTS + 1] = {
	" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586",
	"\u2587", "\u2588",
};

static const char *const chart_ascii_up[CHART_PARTS + 1] = {
	" ", ".", ":", "-", "=", "+", "*", "%", "#",
};

uint64_t chart_scale(uint64_t largest)
{
	static const uint64_t steps[] = { 2, 5, 10 };
	uint64_t power = 1, scale = 1;

	while (scale < largest) {
		for (int i = 0; i < 3 && scale < largest; i++) {
			/* The last power of ten of the type. */
			if (power > UINT64_MAX / steps[i])
				return UINT64_MAX;
			scale = power * steps[i];
		}
		power *= 10;
	}
	return scale;
}

/* Parts of the whole, rounded; 1 for the smallest figure. */
static unsigned int chart_parts(uint64_t num, uint64_t scale,
				unsigned int whole)
{
	unsigned int parts;

	if (!num || !scale)
		return 0;
	if (num >= scale)
		return whole;
	parts = (unsigned int)((double)num / (double)scale * whole + 0.5);
	return parts ? parts : 1;
}

const char *chart_bar(uint64_t num, uint64_t scale, int width, bool utf8,
		      char *buf)
{
	const char *const *glyphs = utf8 ? chart_blocks_across :
					   chart_ascii_across;
	unsigned int parts = chart_parts(num, scale,
					 (unsigned int)width * CHART_PARTS);
	char *p = buf;

	*p = '\0';
	for (int i = 0; i < width; i++) {
		unsigned int here = parts < CHART_PARTS ? parts : CHART_PARTS;

		p = stpcpy(p, glyphs[here]);
		parts -= here;
	}
	return buf;
}

const char *chart_curve(const uint64_t *num, size_t count, uint64_t scale,
			int width, bool utf8, char *buf)
{
	const char *const *glyphs = utf8 ? chart_blocks_up : chart_ascii_up;
	size_t columns = (size_t)width;
	char *p = buf;

	*p = '\0';
	if (count > columns) {
		num += count - columns;
		count = columns;
	}
	for (size_t i = count; i < columns; i++)
		p = stpcpy(p, " ");
	for (size_t i = 0; i < count; i++)
		p = stpcpy(p, glyphs[chart_parts(num[i], scale, CHART_PARTS)]);
	return buf;
}
