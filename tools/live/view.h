/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tunnels and their paths as lines of text that fit the terminal.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_VIEW_H
#define MPTUN_TOOLS_VIEW_H

#include "lib/board.h"

/* Columns of text in the table of paths. */
#define VIEW_COLUMNS 9

/**
 * struct view - how it is drawn
 * @columns: width of a line
 * @rows: lines that fit, 0 for any number
 * @skip: lines that are left out at the top
 * @utf8: characters other than ASCII are shown
 * @screen: on a screen, else plain text
 * @width: widths of the columns, which only grow, so that nothing jumps
 * @lines: lines that have been drawn, with those that were not shown
 * @left: room left in the present line
 */
struct view {
	int columns;
	int rows;
	int skip;
	bool utf8;
	bool screen;
	int width[VIEW_COLUMNS];
	int lines;
	int left;
};

/**
 * view_draw() - draw all tunnels
 * @view: how
 * @board: what
 */
void view_draw(struct view *view, const struct board *board);

/**
 * view_line() - draw a line of text
 * @view: how
 * @text: the text
 */
void view_line(struct view *view, const char *text);

#endif /* MPTUN_TOOLS_VIEW_H */
