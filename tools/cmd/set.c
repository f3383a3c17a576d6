// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl set: change settings of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/request.h"
#include "lib/secret.h"

int cmd_set_run(const char *dev, struct parse_result *res)
{
	struct parse_value *file = &res->value[KEYS_SET_KEY];
	unsigned char key[SECRET_LEN];
	struct change change = {
		.cmd = MPTUN_CMD_TUNNEL_SET,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME, .dev = dev,
		.table = &keys_set, .res = res, .what = "cannot be changed",
	};
	int status = CTL_OK;

	if (file->set) {
		status = keyfile_read(file->word, key);
		file->data = key;
	}
	if (!status)
		status = change_run(&change);
	file->data = NULL;
	secret_wipe(key, sizeof(key));
	return status;
}

int cmd_set(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;

	(void)ctl;
	if (!argc)
		return ctl_usage("set needs the name of a tunnel");
	if (parse_dev_name(argv[0], res.error) ||
	    parse_words(&keys_set, argc - 1, argv + 1, &res))
		return ctl_usage("%s", res.error);
	if (argc == 1)
		return ctl_usage("there is nothing to set, see mptunctl set --help");
	return cmd_set_run(argv[0], &res);
}
