// SPDX-License-Identifier: GPL-2.0
/*
 * Changing a tunnel that exists into what a file describes.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The kernel takes one change at a time.  So that all of them hold or none, the
 * settings are read before, and set again if one of the changes is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/apply.h"
#include "conf/diff.h"
#include "conf/kernel.h"
#include "conf/server.h"
#include "conf/sync.h"
#include "conf/uplink.h"
#include "lib/keyword.h"
#include "lib/report.h"

/**
 * struct sync - a change from one plan to another
 * @conn: connection to the kernel
 * @file: where the new plan is, for messages
 * @want: the new plan
 * @have: the present one
 * @all: replace paths and classes
 * @way: sets the ways of the paths, or NULL
 * @arg: its argument
 */
struct sync {
	struct conn *conn;
	const struct conf_file *file;
	struct plan *want;
	struct plan *have;
	bool all;
	int (*way)(void *arg);
	void *arg;
};

static struct plan_path *sync_path(struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return &plan->path[i];
	return NULL;
}

static struct plan_class *sync_class(struct plan *plan, uint32_t id)
{
	for (size_t i = 0; i < plan->classes; i++)
		if (plan->class[i].id == id)
			return &plan->class[i];
	return NULL;
}

/* A path of an uplink is made and deleted by the agent, and so is a spare, see
 * mptund(8).
 */
static bool sync_replaced(const struct sync *sync, const struct plan_path *path)
{
	const struct plan_path *want = sync_path(sync->want, path->name);

	if (uplink_owns(sync->want, path) || (want && want->spare))
		return false;
	return sync->all || !want;
}

/* First, as the name or the addresses of a path may be those of another one. */
static int sync_delete(struct sync *sync)
{
	struct plan *have = sync->have;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < have->paths; i++)
		if (sync_replaced(sync, &have->path[i]))
			status = apply_path(sync->conn, sync->file,
					    MPTUN_CMD_PATH_DEL, &have->path[i]);
	for (size_t i = 0; !status && i < have->classes; i++)
		if (have->class[i].id &&
		    (sync->all || !sync_class(sync->want, have->class[i].id)))
			status = apply_class(sync->conn, sync->file,
					     MPTUN_CMD_CLASS_DEL,
					     &have->class[i]);
	return status;
}

static int sync_settings(struct sync *sync)
{
	struct plan_set set;

	if (!diff_set(&sync->want->set, &sync->have->set, sync->have, &set))
		return STATUS_OK;
	return apply_tunnel(sync->conn, sync->file, &set);
}

/* It leads where it has led. */
static void sync_stay(struct plan_path *want, const struct plan_path *have)
{
	static const char *const words[] = { "remote", "port" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		int index = parse_find(want->set.table, words[i]);

		want->set.res.value[index] = have->set.res.value[index];
	}
}

void sync_servers(struct plan *want, const struct plan *have)
{
	if (!server_moves(want))
		return;
	for (size_t i = 0; i < have->paths; i++) {
		struct plan_path *path = sync_path(want, have->path[i].name);

		if (path && plan_value(&have->path[i].set, "remote"))
			sync_stay(path, &have->path[i]);
	}
}

static int sync_one_path(struct sync *sync, struct plan_path *want)
{
	struct plan_path *have = sync_path(sync->have, want->name), change;

	if (!have && want->spare)
		return STATUS_OK;
	if (!have || (sync->all && !want->spare))
		return apply_path(sync->conn, sync->file, MPTUN_CMD_PATH_NEW,
				  want);
	change = *want;
	/* The agent knows which server is in use. */
	if (server_moves(sync->want))
		sync_stay(want, have);
	if (!diff_set(&want->set, &have->set, sync->have, &change.set))
		return STATUS_OK;
	return apply_path(sync->conn, sync->file, MPTUN_CMD_PATH_SET, &change);
}

/* Class 0 is always there. */
static int sync_one_class(struct sync *sync, struct plan_class *want)
{
	struct plan_class *have = sync_class(sync->have, want->id), change;

	if (!have || (sync->all && want->id))
		return apply_class(sync->conn, sync->file, want->id ?
				   MPTUN_CMD_CLASS_NEW : MPTUN_CMD_CLASS_SET,
				   want);
	change = *want;
	if (!diff_set(&want->set, &have->set, sync->have, &change.set))
		return STATUS_OK;
	return apply_class(sync->conn, sync->file, MPTUN_CMD_CLASS_SET,
			   &change);
}

static int sync_add(struct sync *sync)
{
	struct plan *want = sync->want;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < want->paths; i++)
		status = sync_one_path(sync, &want->path[i]);
	for (size_t i = 0; !status && i < want->classes; i++)
		status = sync_one_class(sync, &want->class[i]);
	return status;
}

/* Last, as the kernel does not return the key that it had. */
static int sync_key(struct sync *sync)
{
	struct plan_set *set = calloc(1, sizeof(*set));
	int status = STATUS_OK;

	if (!set)
		exit(report_fail("out of memory"));
	*set = sync->want->set;
	for (size_t i = 0; i < set->table->count; i++)
		set->res.value[i].set &= i == KEYWORD_SET_KEY ||
					 i == KEYWORD_SET_KEY_GRACE;
	if (set->res.value[KEYWORD_SET_KEY].set)
		status = apply_tunnel(sync->conn, sync->file, set);
	free(set);
	return status;
}

static int sync_changes(struct sync *sync)
{
	int status;

	/* Class 0 has its defaults unless the file says otherwise. */
	if (sync_class(sync->have, 0) && !sync_class(sync->want, 0))
		plan_add_class(sync->want);
	status = sync_delete(sync);
	if (!status)
		status = sync_settings(sync);
	/* A path sends as soon as it is added. */
	if (!status && sync->way)
		status = sync->way(sync->arg);
	if (!status)
		status = sync_add(sync);
	return status ? status : sync_key(sync);
}

static void sync_back(struct sync *sync, struct plan *before,
		      int (*way)(void *arg))
{
	struct sync back = *sync;
	struct plan *now = calloc(1, sizeof(*now));
	struct conf_file *none = calloc(1, sizeof(*none));

	if (!now || !none)
		exit(report_fail("out of memory"));
	strcpy(none->name, sync->file->name);
	back.file = none;
	back.want = before;
	back.have = now;
	back.all = false;
	back.way = way;
	if (kernel_read(sync->conn, none->name, now, NULL) ||
	    sync_changes(&back))
		report_warn("%s could not be set back to what it was",
			    none->name);
	free(none);
	free(now);
}

static int sync_fixed(const struct conf_file *file, const struct plan *have)
{
	const struct plan_set *want = &file->plan.link;
	struct plan_set fixed = *want;
	char name[OPTION_NAME_MAX];
	int index;

	/* Those that can change are in the other set. */
	for (size_t i = 0; i < fixed.table->count; i++)
		if (parse_find(&keyword_set, fixed.table->keys[i].word) >= 0)
			fixed.res.value[i].set = false;
	index = diff_fixed(&fixed, &have->link);
	if (index < 0)
		return STATUS_OK;
	file_at(file, want->line[index]);
	report_usage("%s cannot change while %s exists, see mptunctl down and up",
		     option_name(want->table->keys[index].word, name),
		     file->name);
	report_at(NULL, 0);
	return STATUS_USAGE;
}

int sync_run(struct conn *conn, struct conf_file *file, bool all,
	     const struct sync_ways *ways)
{
	struct plan *have = calloc(1, sizeof(*have));
	struct sync sync = {
		.conn = conn, .file = file, .want = &file->plan, .have = have,
		.all = all, .way = ways ? ways->set : NULL,
		.arg = ways ? ways->arg : NULL,
	};
	int status;

	if (!have)
		exit(report_fail("out of memory"));
	status = kernel_read(conn, file->name, have, NULL);
	if (!status)
		status = sync_fixed(file, have);
	if (!status) {
		status = sync_changes(&sync);
		if (status)
			sync_back(&sync, have, ways ? ways->back : NULL);
	}
	free(have);
	return status;
}
