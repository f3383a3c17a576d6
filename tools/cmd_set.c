// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl set: change settings of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/mptun.h>

#include "change.h"
#include "ctl.h"
#include "keys.h"

int cmd_set(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	struct change change = {
		.cmd = MPTUN_CMD_TUNNEL_SET,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME,
		.table = &keys_set, .res = &res, .what = "cannot be changed",
	};

	(void)ctl;
	if (!argc)
		return ctl_usage("set needs the name of a tunnel");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keys_set, argc - 1, argv + 1, &res))
		return ctl_usage("%s", res.error);
	if (argc == 1)
		return ctl_usage("there is nothing to set, see mptunctl set --help");
	change.dev = argv[0];
	return change_run(&change);
}
