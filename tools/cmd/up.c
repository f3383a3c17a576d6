// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl up: create a tunnel from its configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The file is checked before the first step.  If a step fails, those that were
 * begun are undone in reverse order, so that nothing is left.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/up.h"
#include "conf/apply.h"
#include "host/host.h"
#include "host/run.h"
#include "lib/link.h"
#include "lib/report.h"
#include "lib/signals.h"

/**
 * struct up - a tunnel that is being set up
 * @file: its configuration
 * @conn: connection to the family of mptun
 * @host: the tunnel on its machine
 * @walled: its firewall is set
 * @foreign: the name is that of a link that others have created meanwhile
 */
struct up {
	struct conf_file *file;
	struct conn *conn;
	struct host host;
	bool walled;
	bool foreign;
};

static int up_pre(struct up *up)
{
	return host_hooks(up->file, OPTION_PRE_UP);
}

/* They undo what a tunnel needs, which would be the one of others. */
static void up_undo_pre(struct up *up)
{
	if (!up->foreign)
		host_hooks(up->file, OPTION_POST_DOWN);
}

/* After PreUp, which may set up what it takes.  A tunnel that was deleted by
 * hand has left its kill switch, which is to hold.
 */
static int up_resolve(struct up *up)
{
	int status = file_resolve(up->file, NULL);
	char *wall = status ? host_firewall_read(up->file->name) : NULL;

	report_at(NULL, 0);
	if (wall && strstr(wall, "chain guard"))
		report_warn("the kill switch of an earlier %s drops look-ups, \"mptunctl down %s\" ends it",
			    up->file->name, up->file->name);
	free(wall);
	return status;
}

/* A link of the same name may not be ours to delete.  Its rules are of others
 * until there is one that is, as another run may have set them meanwhile.
 */
static int up_link(struct up *up)
{
	struct plan *plan = &up->file->plan;
	const struct conn_place place = file_place(up->file, plan->line,
						   &plan->link);

	conn_at(up->host.route, &place);
	if (link_create(up->host.route, up->file->name, &plan->link.res)) {
		up->foreign = up->host.route->errnum == EEXIST;
		conn_at(up->host.route, NULL);
		return up->foreign ? STATUS_THERE : STATUS_KERNEL;
	}
	conn_at(up->host.route, NULL);
	up->host.index = (int)if_nametoindex(up->file->name);
	/* What is left of a tunnel that was deleted by hand. */
	host_rules_remove(up->host.route, up->file->name);
	if (!up->conn)
		up->conn = conn_open();
	return up->conn ? STATUS_OK : STATUS_KERNEL;
}

/* An agent adds rules again as long as the tunnel is there. */
static void up_undo_link(struct up *up)
{
	if (!up->host.index)
		return;
	link_delete(up->host.route, up->file->name, up->host.index);
	host_rules_remove(up->host.route, up->file->name);
}

static int up_settings(struct up *up)
{
	struct plan *plan = &up->file->plan;
	int status = apply_tunnel(up->conn, up->file, &plan->set);

	/* The agent adds spares when they are needed. */
	for (size_t i = 0; !status && i < plan->paths; i++)
		if (!plan->path[i].spare)
			status = apply_path(up->conn, up->file,
					    MPTUN_CMD_PATH_NEW,
					    &plan->path[i]);
	for (size_t i = 0; !status && i < plan->classes; i++)
		status = apply_class(up->conn, up->file, plan->class[i].id ?
				     MPTUN_CMD_CLASS_NEW : MPTUN_CMD_CLASS_SET,
				     &plan->class[i]);
	return status;
}

static int up_addresses(struct up *up)
{
	return host_addresses_add(&up->host);
}

static int up_firewall(struct up *up)
{
	int status = host_firewall_add(&up->host);

	up->walled = !status &&
		     host_firewall_wanted(&up->file->plan.host);
	return status;
}

static void up_undo_firewall(struct up *up)
{
	bool any;

	if (host_firewall_wanted(&up->file->plan.host))
		host_firewall_remove(up->file->name, up->walled, &any);
}

static void up_undo_rules(struct up *up)
{
	host_rules_remove(up->host.route, up->file->name);
}

/* From the link on the agent may have set some, too. */
static int up_rules(struct up *up)
{
	return host_rules_add(&up->host);
}

static int up_uplinks(struct up *up)
{
	host_uplinks_set(&up->host);
	host_filter_warn(&up->host);
	return STATUS_OK;
}

/* From here on paths send, so that what says by which uplink comes before. */
static int up_start(struct up *up)
{
	int status;

	file_at(up->file, up->file->plan.line);
	status = link_up(up->host.route, up->file->name, up->host.index);
	/* It has its queueing disciplines now. */
	if (!status)
		host_queues_set(&up->host);
	return status;
}

static int up_routes(struct up *up)
{
	return host_routes_add(&up->host);
}

static int up_dns(struct up *up)
{
	return host_dns_add(&up->host);
}

static void up_undo_dns(struct up *up)
{
	if (up->file->plan.host.dns.count)
		host_dns_remove(up->file->name);
}

static int up_post(struct up *up)
{
	return host_hooks(up->file, OPTION_POST_UP);
}

static void up_undo_post(struct up *up)
{
	host_hooks(up->file, OPTION_PRE_DOWN);
}

/* Steps, and what undoes them even if they were not completed.  Addresses, and
 * routes into the tunnel, are gone with its link; routes of uplinks with their
 * rules.
 */
static const struct {
	int (*run)(struct up *up);
	void (*undo)(struct up *up);
} up_steps[] = {
	{ up_pre, up_undo_pre },
	{ up_resolve, NULL },
	{ up_link, up_undo_link },
	{ up_settings, NULL },
	{ up_addresses, NULL },
	{ up_firewall, up_undo_firewall },
	{ up_rules, up_undo_rules },
	{ up_uplinks, NULL },
	{ up_start, NULL },
	{ up_routes, NULL },
	{ up_dns, up_undo_dns },
	{ up_post, up_undo_post },
};

static int up_run_steps(struct up *up)
{
	size_t count = sizeof(up_steps) / sizeof(*up_steps);
	int status = STATUS_OK;

	for (size_t i = 0; i < count; i++) {
		status = up_steps[i].run(up);
		report_at(NULL, 0);
		if (!status && signals_noted())
			status = report_fail("interrupted by a signal");
		if (!status)
			continue;
		for (size_t j = i + 1; j-- > 0;)
			if (up_steps[j].undo)
				up_steps[j].undo(up);
		break;
	}
	report_at(NULL, 0);
	return status;
}

int up_file(struct conf_file *file)
{
	struct up up = { .file = file };
	int status;

	up.host.file = file;
	up.host.route = conn_open_route();
	if (!up.host.route)
		return STATUS_KERNEL;
	if (if_nametoindex(file->name)) {
		report_fail("%s exists already, see mptunctl down and syncconf",
			    file->name);
		status = STATUS_THERE;
	} else {
		run_prepare();
		run_catch();
		status = up_run_steps(&up);
	}
	conn_close(up.host.route);
	conn_close(up.conn);
	return status;
}

/* Resolvers belong to the machine, not to a network namespace. */
static int up_machine(const struct ctl *ctl, const struct conf_file *file)
{
	const struct plan_texts *dns = &file->plan.host.dns;

	if (!ctl->netns || !dns->count)
		return STATUS_OK;
	file_at(file, dns->list[0].line);
	return report_usage("DNS is that of the machine, so it cannot be set with -n");
}

static int up_run(const struct ctl *ctl, int argc, char **argv)
{
	struct conf_file *file;
	int status;

	if (argc != 1)
		return report_usage("up needs the name of a tunnel or of its file");
	file = file_named(argv[0], NULL);
	if (!file)
		return STATUS_USAGE;
	status = file_load(file, true);
	if (!status)
		status = up_machine(ctl, file);
	if (!status)
		status = file_key(file);
	if (!status)
		status = up_file(file);
	report_at(NULL, 0);
	file_free(file);
	return status;
}

const struct command cmd_up = {
	.name = "up", .args = "NAME|FILE",
	.brief = "create a tunnel from its configuration file",
	.details = "NAME stands for /etc/mptun/NAME.conf, see mptun.conf(5).  If a step fails, all\n"
		   "others are undone.",
	.words = { CTL_CONF }, .run = up_run,
};
