// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl set: change settings of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "cmd/command.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/request.h"

static int set_command(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;

	(void)ctl;
	if (!argc)
		return report_usage("set needs the name of a tunnel");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keyword_set, argc - 1, argv + 1, &res))
		return report_usage("%s", res.error);
	if (argc == 1)
		return report_usage("no setting is given, see mptunctl set --help");
	return request_settings(argv[0], &res);
}

const struct command cmd_set = {
	.name = "set", .args = "DEV KEYWORD VALUE...",
	.brief = "change settings of a tunnel, also under traffic",
	.words = { CTL_TUNNEL }, .table = &keyword_set, .run = set_command,
};
