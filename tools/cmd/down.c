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
#include "host/host.h"
#include "host/run.h"
#include "lib/dump.h"
#include "lib/link.h"
#include "lib/report.h"

/* Marks of the tunnel and its paths, which the file may not have any more. */
static int down_tunnel(const char *name, struct host_marks *marks, int *index)
{
	struct dump_sample sample;
	struct conn *conn;
	int status;

	if (!if_nametoindex(name))
		return STATUS_OK;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_all(conn, name, &sample);
	conn_close(conn);
	if (status)
		return status;
	*index = (int)record_num(sample.tunnels.rec[0], "ifindex");
	host_marks_add(marks, (uint32_t)record_num(sample.tunnels.rec[0],
						   "fwmark"));
	for (size_t i = 0; i < sample.paths.count; i++)
		host_marks_add(marks, (uint32_t)record_num(sample.paths.rec[i],
							   "fwmark"));
	dump_sample_free(&sample);
	return STATUS_OK;
}

/* In the reverse order of up.  What fails does not keep the rest. */
static int down_file(struct conf_file *file, bool loaded)
{
	struct host_marks marks = { .count = 0 };
	bool any = false;
	struct conn *conn;
	int index = 0, status;

	if (loaded)
		host_marks_plan(&marks, &file->plan);
	status = down_tunnel(file->name, &marks, &index);
	if (status)
		return status;
	conn = conn_open_route();
	if (!conn)
		return STATUS_KERNEL;
	if (index && loaded && host_hooks(file, OPTION_PRE_DOWN))
		status = STATUS_KERNEL;
	report_at(NULL, 0);
	if (!loaded || file->plan.host.dns.count)
		host_dns_remove(file->name);
	any |= host_rules_remove(conn, file->name, &marks) > 0;
	any |= host_firewall_remove(file->name);
	if (index && link_delete(conn, file->name, index))
		status = STATUS_KERNEL;
	conn_close(conn);
	if (!index && !any)
		return report_fail("%s is not up", file->name);
	if (loaded && host_hooks(file, OPTION_POST_DOWN))
		status = STATUS_KERNEL;
	return status;
}

static int down_run(const struct ctl *ctl, int argc, char **argv)
{
	struct conf_file *file;
	int status;

	(void)ctl;
	if (argc != 1)
		return report_usage("down needs the name of a tunnel or of its file");
	file = file_named(argv[0], NULL);
	if (!file)
		return STATUS_USAGE;
	run_catch();
	/* Without the commands of the file, if it cannot be read. */
	status = down_file(file, file_exists(file) && !file_load(file, false));
	report_at(NULL, 0);
	file_free(file);
	return status;
}

const struct command cmd_down = {
	.name = "down", .args = "NAME|FILE",
	.brief = "delete a tunnel and undo what up has done",
	.details = "Also what is left of an interrupted up.",
	.words = { CTL_CONF }, .run = down_run,
};
