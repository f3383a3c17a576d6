// SPDX-License-Identifier: GPL-2.0
/*
 * mptund: the agent of a tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/agent.h"
#include "conf/server.h"
#include "host/run.h"
#include "lib/report.h"

static int mptund_help(void)
{
	printf("Usage: mptund NAME|FILE      look after the paths of a tunnel\n"
	       "       mptund -c NAME|FILE   whether its file needs that, or is wrong (status 0)\n"
	       "       mptund -h             this help\n"
	       "       mptund -V             the version\n"
	       "\n"
	       "NAME stands for /etc/mptun/NAME.conf, see mptund(8) and mptun.conf(5).\n");
	return STATUS_OK;
}

/* Whether a file asks for what only the agent does. */
static bool mptund_needed(const struct plan *plan)
{
	const struct plan_texts *hook = plan->host.hook;
	bool needed = plan->host.uplink.count || server_moves(plan) ||
		      plan->host.metrics.text[0] ||
		      hook[OPTION_ON_PATH_UP - OPTION_PRE_UP].count ||
		      hook[OPTION_ON_PATH_DOWN - OPTION_PRE_UP].count ||
		      hook[OPTION_ON_CAP - OPTION_PRE_UP].count;

	for (size_t i = 0; i < plan->paths; i++)
		needed |= plan->path[i].gateway || plan->path[i].reset ||
			  plan->path[i].spare ||
			  plan_value(&plan->path[i].set, "remote")->word;
	return needed;
}

static int mptund_run(struct conf_file *file)
{
	struct agent *agent = calloc(1, sizeof(*agent));
	int status;

	if (!agent)
		return report_fail("out of memory");
	agent->file = file;
	run_prepare();
	status = agent_open(agent);
	if (!status)
		status = agent_loop(agent);
	agent_close(agent);
	free(agent);
	return status;
}

static int mptund_file(const char *name, bool check)
{
	struct conf_file *file = file_named(name, NULL);
	int status;

	if (!file)
		return STATUS_USAGE;
	status = file_load(file, false);
	/* The key is of no use here. */
	secret_wipe(file->plan.key, sizeof(file->plan.key));
	if (!status && !check)
		return mptund_run(file);
	/* A file that is wrong is for the agent to refuse, as its unit fails
	 * then, which a condition that is not met does not.
	 */
	if (check)
		status = status || mptund_needed(&file->plan) ? STATUS_OK :
								STATUS_KERNEL;
	file_free(file);
	return status;
}

int main(int argc, char **argv)
{
	bool check = false;
	int option;

	report_daemon("mptund");
	while ((option = getopt(argc, argv, "chV")) != -1) {
		switch (option) {
		case 'c':
			check = true;
			break;
		case 'h':
			return mptund_help();
		case 'V':
			printf("mptund %s\n", MPTUN_VERSION);
			return STATUS_OK;
		default:
			return STATUS_USAGE;
		}
	}
	if (optind + 1 != argc)
		return report_usage("mptund needs the name of a tunnel or of its file");
	return mptund_file(argv[optind], check);
}
