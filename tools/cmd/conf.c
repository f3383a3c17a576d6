// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl showconf, setconf, syncconf: configuration of a tunnel that exists.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "conf/diff.h"
#include "conf/kernel.h"
#include "conf/sync.h"
#include "conf/text.h"
#include "host/before.h"
#include "host/host.h"
#include "host/run.h"
#include "lib/report.h"

static void conf_prune(struct plan *plan)
{
	size_t kept = 0;

	diff_prune(&plan->link, plan);
	for (size_t i = 0; i < plan->paths; i++)
		diff_prune(&plan->path[i].set, plan);
	for (size_t i = 0; i < plan->classes; i++) {
		struct plan_class *class = &plan->class[i];
		bool any = class->id;

		diff_prune(&class->set, plan);
		for (size_t k = 0; k < class->set.table->count; k++)
			any |= class->set.res.value[k].set;
		if (any)
			plan->class[kept++] = *class;
	}
	plan->classes = kept;
	diff_prune(&plan->set, plan);
}

static int conf_show(const char *name, struct plan *plan)
{
	struct conn *conn = conn_open();
	uint64_t fingerprint = 0;
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = kernel_read(conn, name, plan, &fingerprint);
	conn_close(conn);
	if (status)
		return status;
	conf_prune(plan);
	if (fingerprint)
		printf("# The key has the fingerprint %016" PRIx64 ".\n",
		       fingerprint);
	text_print(plan, stdout);
	return STATUS_OK;
}

static int conf_show_run(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct plan *plan;
	int status;

	(void)ctl;
	if (argc != 1)
		return report_usage("showconf needs the name of a tunnel");
	if (parse_dev_name(argv[0], error))
		return report_usage("%s", error);
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return report_fail("out of memory");
	status = conf_show(argv[0], plan);
	free(plan);
	return status;
}

static bool conf_gateways(const struct plan *plan)
{
	for (size_t i = 0; i < plan->paths; i++)
		if (plan->path[i].gateway)
			return true;
	return false;
}

/**
 * struct conf_ways - rules and routes of uplinks, and the firewall
 * @host: the tunnel on its machine
 * @uplinks: rules and routes change
 * @walled: the firewall does
 * @set: it has changed
 * @before: how rules and routes were
 * @wall: how the firewall was, NULL if there was none
 */
struct conf_ways {
	const struct host *host;
	bool uplinks;
	bool walled;
	bool set;
	struct host_before before;
	char *wall;
};

static int conf_ways_set(void *arg)
{
	struct conf_ways *ways = arg;
	int status = STATUS_OK;

	if (ways->uplinks)
		status = host_uplinks_add(ways->host);
	if (!status && ways->walled) {
		status = host_firewall_sync(ways->host);
		ways->set = !status;
	}
	report_at(NULL, 0);
	return status;
}

static int conf_ways_back(void *arg)
{
	struct conf_ways *ways = arg;
	const struct conf_file *file = ways->host->file;

	if (ways->uplinks)
		host_before_set(ways->host, &ways->before);
	if (ways->set &&
	    (ways->wall || host_firewall_wanted(&file->plan.host)))
		host_firewall_back(file->name, ways->wall);
	return STATUS_OK;
}

/* Paths with their rules, routes and firewall: these are there before a new
 * path is, and rules and routes as long as an old one is.  All or none.
 */
static int conf_paths(struct conf_ways *ways, struct conn *conn,
		      struct conf_file *file, bool all)
{
	const struct sync_ways calls = {
		.set = conf_ways_set, .back = conf_ways_back, .arg = ways,
	};
	int status;

	if (ways->uplinks)
		host_before_take(ways->host, &ways->before);
	if (ways->walled)
		ways->wall = host_firewall_read(file->name);
	status = sync_run(conn, file, all, &calls);
	if (ways->uplinks)
		host_before_free(&ways->before);
	free(ways->wall);
	if (!status && ways->uplinks)
		host_uplinks_drop(ways->host);
	return status;
}

/* A file of showconf has neither gateways nor a firewall, so setconf leaves
 * alone what is not in its file.
 */
static int conf_machine(const struct host *host, struct conn *conn,
			struct conf_file *file, bool given)
{
	const int *line = file->plan.host.line;
	struct conf_ways ways = {
		.host = host, .uplinks = !given || conf_gateways(&file->plan),
		.walled = !given || line[OPTION_MASQUERADE] ||
			  line[OPTION_KILL_SWITCH],
	};
	int status = conf_paths(&ways, conn, file, given);

	report_at(NULL, 0);
	return status;
}

/* Names are looked up before signals are caught, as that takes its time. */
static int conf_resolve(struct conn *conn, struct conf_file *file, bool all)
{
	struct plan *have = calloc(1, sizeof(*have));
	int status;

	if (!have)
		return report_fail("out of memory");
	status = kernel_read(conn, file->name, have, NULL);
	/* Where paths lead that stay is the concern of the agent. */
	if (!status && !all)
		sync_servers(&file->plan, have);
	if (!status)
		status = file_resolve(file, have);
	report_at(NULL, 0);
	free(have);
	return status;
}

static int conf_apply(const struct host *host, struct conf_file *file, bool all)
{
	struct conn *conn = conn_open();
	int status;

	if (!conn)
		return STATUS_KERNEL;
	/* The rules of a path are those of the family of its peer. */
	status = conf_resolve(conn, file, all);
	if (!status)
		status = host_rules_mend(host);
	if (!status)
		status = host_rules_fixed(host);
	report_at(NULL, 0);
	if (!status) {
		/* Half of the change is worse than all of it. */
		run_catch();
		status = conf_machine(host, conn, file, all);
	}
	conn_close(conn);
	return status;
}

static int conf_change(struct conf_file *file, bool all)
{
	struct host host = { .file = file };
	int status;

	run_prepare();
	status = file_load(file, false);
	if (!status)
		status = file_key(file);
	report_at(NULL, 0);
	if (status)
		return status;
	host.route = conn_open_route();
	if (!host.route)
		return STATUS_KERNEL;
	status = conf_apply(&host, file, all);
	conn_close(host.route);
	return status;
}

/* "NAME", "FILE" or "NAME FILE" */
static int conf_run(const char *what, int argc, char **argv, bool all)
{
	struct conf_file *file;
	int status;

	if (argc != 1 && argc != 2)
		return report_usage("%s needs the name of a tunnel, its file, or both",
				    what);
	file = file_named(argv[argc - 1], argc == 2 ? argv[0] : NULL);
	if (!file)
		return STATUS_USAGE;
	status = conf_change(file, all);
	file_free(file);
	return status;
}

static int conf_set_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return conf_run("setconf", argc, argv, true);
}

static int conf_sync_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)ctl;
	return conf_run("syncconf", argc, argv, false);
}

const struct command cmd_showconf = {
	.name = "showconf", .args = "DEV",
	.brief = "print the settings of a tunnel as a configuration file",
	.details = "Those that are not the default, with paths and classes.  The kernel does not\n"
		   "return the key.",
	.words = { CTL_TUNNEL }, .run = conf_show_run,
};

const struct command cmd_setconf = {
	.name = "setconf", .args = "[DEV] NAME|FILE",
	.brief = "replace settings, paths and classes of a tunnel by those of a file",
	.details = "All or none.  Paths and classes are deleted and added again.",
	.words = { CTL_TUNNEL, CTL_CONF }, .run = conf_set_run,
};

const struct command cmd_syncconf = {
	.name = "syncconf", .args = "[DEV] NAME|FILE",
	.brief = "change what differs between a tunnel and a file, under traffic",
	.details = "All or none.  What does not differ is left alone.",
	.words = { CTL_TUNNEL, CTL_CONF }, .run = conf_sync_run,
};
