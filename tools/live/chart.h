/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures as bars and curves of characters.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Where the terminal shows UTF-8 the block elements of Unicode are
 * used, which divide a character into eighths, elsewhere ASCII.
 */
#ifndef MPTUN_TOOLS_CHART_H
#define MPTUN_TOOLS_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Widest chart, in characters. */
#define CHART_WIDTH_MAX 128
/* Size of the buffer of a chart: a block takes three bytes. */
#define CHART_MAX (3 * CHART_WIDTH_MAX + 1)

/**
 * chart_scale() - a round number to draw a figure against
 * @largest: the largest figure that is drawn
 *
 * Return: the smallest of 1, 2, 5, 10, 20, 50... that is not below @largest.
 */
uint64_t chart_scale(uint64_t largest);

/**
 * chart_bar() - draw a figure as a bar, padded with blanks
 * @num: the figure
 * @scale: figure of a bar of full width; larger ones are cut
 * @width: full width in characters, at most CHART_WIDTH_MAX
 * @utf8: with block elements
 * @buf: buffer of CHART_MAX bytes
 *
 * A figure other than zero is visible, however small.
 *
 * Return: @buf.
 */
const char *chart_bar(uint64_t num, uint64_t scale, int width, bool utf8,
		      char *buf);

/**
 * chart_curve() - draw the last of many figures, one per character
 * @num: the figures, the oldest first
 * @count: their number
 * @scale: figure of full height; larger ones are cut
 * @width: width in characters, at most CHART_WIDTH_MAX; padded with blanks on
 *	the left
 * @utf8: with block elements
 * @buf: buffer of CHART_MAX bytes
 *
 * Zero is a blank as well.
 *
 * Return: @buf.
 */
const char *chart_curve(const uint64_t *num, size_t count, uint64_t scale,
			int width, bool utf8, char *buf);

#endif /* MPTUN_TOOLS_CHART_H */
