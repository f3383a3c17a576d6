// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl top: rates, windows and losses of paths, live.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/format.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/report.h"
#include "live/screen.h"
#include "live/view.h"
#include "live/watch.h"

/* Default interval between samples, and its range while it runs. */
#define TOP_INTERVAL_US 1000000
#define TOP_INTERVAL_MIN_US 100000
#define TOP_INTERVAL_MAX_US 3600000000u

/**
 * struct top - what is shown
 * @watch: which tunnels
 * @conn: connection to the kernel
 * @board: their paths
 * @view: how they are drawn
 * @interval: interval between samples, in microseconds
 * @next: time of the next sample
 * @paused: no sample is taken
 */
struct top {
	struct watch watch;
	struct conn *conn;
	struct board board;
	struct view view;
	uint64_t interval;
	uint64_t next;
	bool paused;
};

static int top_sample(struct top *top)
{
	struct dump_sample sample;
	int status = watch_sample(&top->watch, top->conn, &sample);

	return status ? status : board_update(&top->board, &sample);
}

static int top_begin(struct top *top)
{
	const char *missing;
	int status = top_sample(top);

	missing = watch_missing(&top->watch, &top->board.sample);
	if (!status && missing)
		status = report_fail("there is no tunnel \"%s\"", missing);
	top->next = top->board.sample.us + top->interval;
	return status;
}

/* A missing tunnel may come back. */
static void top_missing(struct top *top)
{
	const char *missing = watch_missing(&top->watch, &top->board.sample);
	char text[64];

	if (!missing || !top->board.sample.tunnels.count)
		return;
	snprintf(text, sizeof(text), "there is no tunnel \"%s\" now", missing);
	view_line(&top->view, text);
}

/* From the time it was due, so that delays do not add up. */
static void top_schedule(struct top *top)
{
	uint64_t now = watch_now();

	top->next += top->interval;
	if (top->next < now)
		top->next = now + top->interval;
}

static int top_print(struct top *top, uint64_t count)
{
	for (uint64_t i = 0; !count || i < count; i++) {
		char now[PRINT_MAX];
		int status;

		while (watch_now() < top->next)
			if (watch_wait(top->next, -1) == WATCH_ENDED)
				return STATUS_OK;
		status = top_sample(top);
		if (status)
			return status;
		top_schedule(top);
		if (i)
			putchar('\n');
		printf("%.19s\n", print_time(now, false));
		view_draw(&top->view, &top->board);
		top_missing(top);
		if (fflush(stdout))
			return report_fail("the output cannot be written");
	}
	return STATUS_OK;
}

static void top_draw(struct top *top)
{
	struct view *view = &top->view;
	char every[FORMAT_MAX], now[PRINT_MAX], text[120];
	int rows;

	screen_size(&view->columns, &rows);
	view->rows = rows > 2 ? rows - 1 : 1;
	view->left = view->columns;
	view->lines = 0;
	screen_begin();
	view_draw(view, &top->board);
	top_missing(top);
	/* No further than to the last line. */
	if (view->skip >= view->lines)
		view->skip = view->lines - 1;
	format_time(top->interval, every);
	snprintf(text, sizeof(text),
		 "%.8s every %s%s  q quit  space %s  +/- interval  up/down scroll",
		 print_time(now, false) + 11, every,
		 top->paused ? " (paused)" : "",
		 top->paused ? "resume" : "pause");
	/* No newline here, or the screen would scroll. */
	printf("%.*s", view->columns, text);
	screen_end();
}

static uint64_t top_step(uint64_t interval, bool longer)
{
	static const uint64_t steps[] = {
		TOP_INTERVAL_MIN_US, 200000, 500000, 1000000, 2000000, 5000000,
		10000000, 30000000, 60000000, 300000000, 600000000, 1800000000,
		TOP_INTERVAL_MAX_US,
	};
	size_t count = sizeof(steps) / sizeof(steps[0]);

	for (size_t i = 0; i < count && longer; i++)
		if (steps[i] > interval)
			return steps[i];
	for (size_t i = count; i && !longer; i--)
		if (steps[i - 1] < interval)
			return steps[i - 1];
	return interval;
}

/* False if the program is to end. */
static bool top_key(struct top *top, int key)
{
	switch (key) {
	case 'q':
	case 'Q':
	case SCREEN_KEY_END:
		return false;
	case ' ':
		top->paused = !top->paused;
		top->next = watch_now();
		break;
	case '+':
	case '-':
		top->interval = top_step(top->interval, key == '+');
		top->next = top->board.sample.us + top->interval;
		break;
	case 'j':
	case SCREEN_KEY_DOWN:
		top->view.skip++;
		break;
	case 'k':
	case SCREEN_KEY_UP:
		top->view.skip -= top->view.skip > 0;
		break;
	}
	return true;
}

static int top_live(struct top *top)
{
	/* A picture is written as a whole, or it flickers. */
	static char picture[1 << 16];
	int status = STATUS_OK;

	setvbuf(stdout, picture, _IOFBF, sizeof(picture));
	screen_enter();
	while (!status) {
		uint64_t until = top->paused ? UINT64_MAX / 2 : top->next;

		top_draw(top);
		if (ferror(stdout))
			return report_fail("the output cannot be written");
		switch (watch_wait(until, screen_input())) {
		case WATCH_TIME:
			status = top_sample(top);
			top_schedule(top);
			break;
		case WATCH_READY:
			if (!top_key(top, screen_key()))
				return STATUS_OK;
			break;
		case WATCH_STOPPED:
			screen_leave();
			watch_stop();
			screen_enter();
			break;
		case WATCH_RESIZED:
			break;
		case WATCH_ENDED:
			return STATUS_OK;
		}
	}
	return status;
}

static int top_run(struct top *top, uint64_t count)
{
	bool live = !count && screen_usable();
	int status = top_begin(top), rows;

	if (status)
		return status;
	top->view.utf8 = screen_utf8();
	watch_signals(live);
	if (live) {
		top->view.screen = true;
		status = top_live(top);
		screen_leave();
		return status;
	}
	screen_size(&top->view.columns, &rows);
	top->view.left = top->view.columns;
	return top_print(top, count);
}

static int top_command(const struct ctl *ctl, int argc, char **argv)
{
	struct top top = { .interval = TOP_INTERVAL_US };
	struct parse_result res;
	int status;

	if (ctl->json)
		return report_usage("top prints no JSON, use record");
	if (watch_words(&keyword_top, argc, argv, &top.watch, &res))
		return report_usage("%s", res.error);
	if (res.value[KEYWORD_TOP_INTERVAL].set)
		top.interval = res.value[KEYWORD_TOP_INTERVAL].num;
	top.conn = conn_open();
	if (!top.conn)
		return STATUS_KERNEL;
	status = top_run(&top, res.value[KEYWORD_TOP_COUNT].num);
	board_free(&top.board);
	conn_close(top.conn);
	return status;
}

const struct command cmd_top = {
	.name = "top", .args = "[DEV]... [-i SPAN] [-n N]",
	.brief = "show rates, windows and losses of paths, live",
	.details = "Without a terminal, and with -n, it prints text.",
	.words = { CTL_TUNNELS }, .table = &keyword_top, .run = top_command,
};
