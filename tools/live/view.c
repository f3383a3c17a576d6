// SPDX-License-Identifier: GPL-2.0
/*
 * Tunnels and their paths as lines of text that fit the terminal.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Figures take the width they need; charts (two bars and a curve) take the
 * rest.
 */
#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "lib/print.h"
#include "live/chart.h"
#include "live/screen.h"
#include "live/view.h"

/* Minimum width of lines with wide gaps. */
#define VIEW_WIDE 110
/* Width of a bar, at least and at most, and of a curve, in characters. */
#define VIEW_BAR_MIN 3
#define VIEW_BAR_MAX 16
#define VIEW_CURVE_MIN 5
/* Smallest rate of a full bar, in bits per second. */
#define VIEW_SCALE_MIN 1000

/**
 * struct view_column - a column of text
 * @title: its title
 * @field: name of the field in the spec, NULL for the loss of an interval
 * @least: narrowest it may be, as it would change its width often
 * @left: aligned to the left
 * @bar: a bar of the figure stands behind it
 */
struct view_column {
	const char *title;
	const char *field;
	int least;
	bool left;
	bool bar;
};

static const struct view_column view_column[VIEW_COLUMNS] = {
	{ .title = "PATH", .field = "name", .left = true },
	{ .title = "STATE", .field = "state", .left = true },
	{ .title = "UP", .field = "tx-rate", .least = 8, .bar = true },
	{ .title = "DOWN", .field = "rx-rate", .least = 8, .bar = true },
	{ .title = "CWND", .field = "cwnd", .least = 5 },
	{ .title = "FLIGHT", .field = "in-flight" },
	{ .title = "RTT", .field = "srtt", .least = 6 },
	{ .title = "MIN", .field = "min-rtt", .least = 6 },
	{ .title = "LOSS", .least = 5 },
};

/**
 * struct view_charts - room for charts in a line
 * @gap: blanks between columns
 * @bar: width of a bar, 0 for none
 * @curve: width of the curve, 0 for none
 * @scale: bits per second of a full bar
 */
struct view_charts {
	int gap;
	int bar;
	int curve;
	uint64_t scale;
};

static bool view_shown(const struct view *view)
{
	int row = view->lines - view->skip;

	return row >= 0 && (!view->rows || row < view->rows);
}

/* Cut at the end of the line; @width may be larger than the text. */
static void view_put(struct view *view, enum print_color color,
		     const char *text, int width)
{
	int len = (int)strlen(text);
	char cut[512];

	if (width < len)
		width = len;
	if (width > view->left)
		width = view->left;
	if (!width)
		return;
	snprintf(cut, sizeof(cut), "%.*s", width, text);
	if (view_shown(view))
		print_colored(color, cut, width);
	view->left -= width;
}

/* The last column is not padded. */
static void view_trim(char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
}

/* A chart, whose bytes are not its width. */
static void view_chart(struct view *view, const char *chart, int width)
{
	if (width > view->left)
		return;
	if (view_shown(view))
		fputs(chart, stdout);
	view->left -= width;
}

static void view_end(struct view *view)
{
	if (view_shown(view)) {
		if (view->screen)
			screen_line();
		else
			putchar('\n');
	}
	view->lines++;
	view->left = view->columns;
}

void view_line(struct view *view, const char *text)
{
	view_put(view, PRINT_PLAIN, text, 0);
	view_end(view);
}

static const char *view_cell(const struct view_column *col,
			     const struct board_path *row, char *buf)
{
	if (col->field)
		return print_field(row->path, col->field, buf);
	if (row->meter.loss == METER_UNKNOWN)
		return strcpy(buf, "-");
	return format_ppm(row->meter.loss, buf);
}

static void view_widths(struct view *view, const struct board *board)
{
	for (size_t i = 0; i < VIEW_COLUMNS; i++) {
		const struct view_column *col = &view_column[i];
		int *width = &view->width[i];

		if (*width < col->least)
			*width = col->least;
		if (*width < (int)strlen(col->title))
			*width = (int)strlen(col->title);
		for (size_t j = 0; j < board->sample.paths.count; j++) {
			char buf[PRINT_MAX];
			int len = (int)strlen(view_cell(col, &board->path[j],
							buf));

			if (*width < len)
				*width = len;
		}
	}
}

/* The curve gets half of the rest, and what the bars do not take. */
static void view_share(const struct view *view, struct view_charts *charts)
{
	int room = view->columns;

	charts->gap = room >= VIEW_WIDE ? 2 : 1;
	charts->bar = 0;
	charts->curve = 0;
	for (size_t i = 0; i < VIEW_COLUMNS; i++)
		room -= view->width[i] + charts->gap;
	room -= charts->gap;
	if (room >= 2 * (1 + VIEW_BAR_MIN) + VIEW_CURVE_MIN) {
		charts->bar = room / 4 - 1;
		if (charts->bar < VIEW_BAR_MIN)
			charts->bar = VIEW_BAR_MIN;
		if (charts->bar > VIEW_BAR_MAX)
			charts->bar = VIEW_BAR_MAX;
		room -= 2 * (1 + charts->bar);
	}
	if (room >= VIEW_CURVE_MIN)
		charts->curve = room < CHART_WIDTH_MAX ? room :
							 CHART_WIDTH_MAX;
}

static void view_titles(struct view *view, const struct view_charts *charts)
{
	for (size_t i = 0; i < VIEW_COLUMNS; i++) {
		const struct view_column *col = &view_column[i];
		int pad = view->width[i] - (int)strlen(col->title);

		view_put(view, PRINT_PLAIN, "", charts->gap +
			 (col->left ? 0 : pad));
		view_put(view, PRINT_BOLD, col->title,
			 col->left ? view->width[i] : 0);
		if (col->bar && charts->bar)
			view_put(view, PRINT_PLAIN, "", 1 + charts->bar);
	}
	if (charts->curve) {
		view_put(view, PRINT_PLAIN, "", charts->gap + charts->curve - 5);
		view_put(view, PRINT_BOLD, "TREND", 0);
	}
	view_end(view);
}

static enum print_color view_color(const struct view_column *col,
				   const struct board_path *row)
{
	if (!col->field)
		return row->meter.loss && row->meter.loss != METER_UNKNOWN ?
		       PRINT_YELLOW : PRINT_PLAIN;
	if (!strcmp(col->field, "state"))
		return print_state_color(record_num(row->path, "state"));
	return PRINT_PLAIN;
}

static void view_path(struct view *view, const struct board_path *row,
		      const struct view_charts *charts)
{
	char buf[PRINT_MAX], chart[CHART_MAX];

	for (size_t i = 0; i < VIEW_COLUMNS; i++) {
		const struct view_column *col = &view_column[i];
		const char *text = view_cell(col, row, buf);
		int pad = view->width[i] - (int)strlen(text);

		view_put(view, PRINT_PLAIN, "", charts->gap +
			 (col->left ? 0 : pad));
		view_put(view, view_color(col, row), text,
			 col->left ? view->width[i] : 0);
		if (!col->bar || !charts->bar)
			continue;
		view_put(view, PRINT_PLAIN, " ", 1);
		view_chart(view, chart_bar(record_num(row->path, col->field),
					   charts->scale, charts->bar,
					   view->utf8, chart), charts->bar);
	}
	if (charts->curve) {
		chart_curve(row->meter.history, row->meter.count,
			    charts->scale, charts->curve, view->utf8, chart);
		view_trim(chart);
		view_put(view, PRINT_PLAIN, "", *chart ? charts->gap : 0);
		view_chart(view, chart, charts->curve);
	}
	view_end(view);
}

/* An address of the peer, and the number of paths to other addresses. */
static void view_peer(struct view *view, const struct board *board,
		      const struct record *tunnel)
{
	char first[PRINT_MAX] = "", other[PRINT_MAX], text[16];
	unsigned int more = 0;

	for (size_t i = 0; i < board->sample.paths.count; i++) {
		const struct record *path = board->path[i].path;

		if (!dump_of(path, tunnel))
			continue;
		print_endpoint(path, "remote", other);
		if (!*first)
			strcpy(first, other);
		else if (strcmp(first, other))
			more++;
	}
	if (!*first)
		return;
	view_put(view, PRINT_PLAIN, ", peer ", 0);
	view_put(view, PRINT_PLAIN, first, 0);
	snprintf(text, sizeof(text), " +%u", more);
	if (more)
		view_put(view, PRINT_PLAIN, text, 0);
}

static void view_rate(struct view *view, const char *what, uint64_t rate)
{
	char buf[FORMAT_MAX];

	view_put(view, PRINT_PLAIN, what, 0);
	view_put(view, PRINT_BOLD, rate == METER_UNKNOWN ? "-" :
		 format_rate_short(rate, buf), 8);
}

static void view_head(struct view *view, const struct board *board,
		      const struct record *tunnel, uint64_t scale)
{
	char buf[PRINT_MAX], text[2 * PRINT_MAX];

	view_put(view, PRINT_BOLD, record_text(tunnel, "ifname"), 0);
	snprintf(text, sizeof(text), ": %s, %llu of %llu paths up, ",
		 print_field(tunnel, "state", buf),
		 (unsigned long long)record_num(tunnel, "paths-up"),
		 (unsigned long long)record_num(tunnel, "paths"));
	view_put(view, PRINT_PLAIN, text, 0);
	view_put(view, PRINT_PLAIN, print_field(tunnel, "cipher", buf), 0);
	view_peer(view, board, tunnel);
	view_end(view);
	view_rate(view, " up ", board_sum(board, tunnel, false));
	view_rate(view, "  down ", board_sum(board, tunnel, true));
	view_put(view, PRINT_PLAIN, "  full bar ", 0);
	view_put(view, PRINT_PLAIN, format_rate(scale, buf), 0);
	view_end(view);
}

static void view_tunnel(struct view *view, const struct board *board,
			const struct record *tunnel)
{
	uint64_t peak = board_peak(board, tunnel);
	struct view_charts charts;
	bool any = false;

	charts.scale = chart_scale(peak > VIEW_SCALE_MIN ? peak :
							   VIEW_SCALE_MIN);
	view_share(view, &charts);
	view_head(view, board, tunnel, charts.scale);
	for (size_t i = 0; i < board->sample.paths.count; i++) {
		if (!dump_of(board->path[i].path, tunnel))
			continue;
		if (!any)
			view_titles(view, &charts);
		any = true;
		view_path(view, &board->path[i], &charts);
	}
}

void view_draw(struct view *view, const struct board *board)
{
	view_widths(view, board);
	for (size_t i = 0; i < board->sample.tunnels.count; i++) {
		if (i)
			view_line(view, "");
		view_tunnel(view, board, board->sample.tunnels.rec[i]);
	}
	if (!board->sample.tunnels.count)
		view_line(view, "no tunnels");
}
