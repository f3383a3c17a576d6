// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl record: all figures at intervals, and events, as lines of JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "cmd/command.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "live/recording.h"

/* Default interval between samples. */
#define RECORD_INTERVAL_US 1000000

static int record_command(const struct ctl *ctl, int argc, char **argv)
{
	struct recorder rec = { .interval = RECORD_INTERVAL_US };
	struct parse_result res;

	/* The output is always JSON. */
	(void)ctl;
	if (watch_words(&keyword_record, argc, argv, &rec.watch, &res))
		return report_usage("%s", res.error);
	if (res.value[KEYWORD_RECORD_INTERVAL].set)
		rec.interval = res.value[KEYWORD_RECORD_INTERVAL].num;
	rec.duration = res.value[KEYWORD_RECORD_TIME].num;
	rec.name = res.value[KEYWORD_RECORD_FILE].word;
	return recording_run(&rec);
}

const struct command cmd_record = {
	.name = "record", .args = "[DEV]... [-i SPAN] [-t SPAN] [-o FILE]",
	.brief = "write figures and events as lines of JSON",
	.details = "mptun-plot(1) draws the result.",
	.words = { CTL_TUNNELS }, .table = &keyword_record,
	.run = record_command,
};
