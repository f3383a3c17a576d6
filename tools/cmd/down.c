// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl down: delete a tunnel, and what up has set up for it.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Finds by itself what is there, also after a crash in the middle of up, and
 * without the file if that is gone.
 */
#include <net/if.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/up.h"
#include "host/host.h"
#include "host/run.h"
#include "lib/dump.h"
#include "lib/link.h"
#include "lib/report.h"

/* A link of the same name may not be ours to delete. */
static int down_find(const char *name, int *index)
{
	struct dump_list tunnels = { .count = 0 };
	struct conn *conn;
	int status;

	if (!if_nametoindex(name))
		return STATUS_OK;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, name, &tunnels);
	conn_close(conn);
	if (!status && tunnels.count)
		*index = (int)record_num(tunnels.rec[0], "ifindex");
	dump_free(&tunnels);
	return status;
}

/* In the reverse order of up, except the tunnel: an agent adds rules again as
 * long as it is there.  What fails does not keep the rest.
 */
int down_file(const struct ctl *ctl, struct conf_file *file, bool loaded)
{
	bool wanted = loaded && host_firewall_wanted(&file->plan.host);
	bool any = false, table;
	struct conn *conn;
	int index = 0, status;

	status = down_find(file->name, &index);
	if (status)
		return status;
	conn = conn_open_route();
	if (!conn)
		return STATUS_KERNEL;
	if (index && loaded && host_hooks(file, OPTION_PRE_DOWN))
		status = STATUS_KERNEL;
	report_at(NULL, 0);
	/* The file may have had some before, but up sets none with -n. */
	if (!ctl->netns)
		host_dns_remove(file->name);
	if (index && link_delete(conn, file->name, index))
		status = STATUS_KERNEL;
	any |= host_rules_remove(conn, file->name) > 0;
	if (host_firewall_remove(file->name, wanted, &table))
		status = STATUS_KERNEL;
	any |= table;
	conn_close(conn);
	if (!index && !any && !status)
		return report_fail("%s is not up", file->name);
	if (loaded && host_hooks(file, OPTION_POST_DOWN))
		status = STATUS_KERNEL;
	return status;
}

static int down_run(const struct ctl *ctl, int argc, char **argv)
{
	struct conf_file *file;
	int status;

	if (argc != 1)
		return report_usage("down needs the name of a tunnel or of its file");
	file = file_named(argv[0], NULL);
	if (!file)
		return STATUS_USAGE;
	run_prepare();
	run_catch();
	/* Without the commands of the file, if it cannot be read. */
	status = down_file(ctl, file,
			   file_exists(file) && !file_load(file, false));
	report_at(NULL, 0);
	file_free(file);
	return status;
}

const struct command cmd_down = {
	.name = "down", .least = 2, .args = "NAME|FILE",
	.brief = "delete a tunnel and undo what up has done",
	.details = "Also what is left of an interrupted up.",
	.words = { CTL_CONF }, .run = down_run,
};
