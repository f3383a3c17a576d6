// SPDX-License-Identifier: GPL-2.0
/*
 * Paths that come up and go down: sentences and commands about it.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/reason.h"
#include "agent/state.h"
#include "host/run.h"
#include "lib/print.h"
#include "lib/report.h"

/* Variables of a path. */
#define STATE_VARS 7

enum state_kind state_kind(uint64_t state)
{
	switch (state) {
	case MPTUN_PATH_STATE_UP:
	case MPTUN_PATH_STATE_SUSPECT:
		return STATE_UP;
	case MPTUN_PATH_STATE_DOWN:
	case MPTUN_PATH_STATE_NOROUTE:
	case MPTUN_PATH_STATE_OFF:
	case MPTUN_PATH_STATE_DRAINING:
		return STATE_DOWN;
	default:
		return STATE_BEGINS;
	}
}

bool state_works(uint64_t state)
{
	return state_kind(state) == STATE_UP || state == MPTUN_PATH_STATE_OFF;
}

static char *state_copy(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		exit(report_fail("out of memory"));
	return copy;
}

void state_job(struct job_queue *queue, const struct conf_file *file,
	       enum conf_option option, const char *const *var)
{
	const struct plan_texts *list;

	list = &file->plan.host.hook[option - OPTION_PRE_UP];
	for (size_t i = 0; i < list->count; i++) {
		struct job job = {
			.command = run_expand(list->list[i].text, file->name),
		};

		for (size_t j = 0; j < JOB_VARS && var[j]; j++)
			job.var[j] = state_copy(var[j]);
		job_add(queue, &job);
	}
}

/* @path is NULL for a path whose deletion was not notified. */
static void state_jobs(struct job_queue *queue, const struct conf_file *file,
		       bool up, const char *name, const struct record *path)
{
	enum conf_option option = up ? OPTION_ON_PATH_UP : OPTION_ON_PATH_DOWN;
	char text[STATE_VARS][sizeof("MPTUN_REMOTE=") + PRINT_MAX];
	const char *var[STATE_VARS + 1] = { NULL };
	char buf[PRINT_MAX];

	for (size_t i = 0; i < STATE_VARS; i++)
		var[i] = text[i];
	snprintf(text[0], sizeof(text[0]), "MPTUN_EVENT=path-%s",
		 up ? "up" : "down");
	snprintf(text[1], sizeof(text[1]), "MPTUN_TUNNEL=%s", file->name);
	snprintf(text[2], sizeof(text[2]), "MPTUN_PATH=%s", name);
	snprintf(text[3], sizeof(text[3]), "MPTUN_DEV=%s",
		 record_text(path, "dev"));
	snprintf(text[4], sizeof(text[4]), "MPTUN_REMOTE=%s",
		 print_endpoint(path, "remote", buf));
	snprintf(text[5], sizeof(text[5]), "MPTUN_STATE=%s",
		 print_field(path, "state", buf));
	snprintf(text[6], sizeof(text[6]), "MPTUN_REASON=%s",
		 print_field(path, "reason", buf));
	state_job(queue, file, option, var);
}

/* A suspect path does not answer now, and may be down soon. */
static bool state_waits(uint64_t state)
{
	return state == MPTUN_PATH_STATE_NEW ||
	       state == MPTUN_PATH_STATE_PROBING ||
	       state == MPTUN_PATH_STATE_SUSPECT ||
	       state == MPTUN_PATH_STATE_DOWN;
}

bool state_up(const struct state_seen *seen, const char *name)
{
	for (int i = 0; i < MPTUN_PATHS_MAX; i++)
		if (seen->path[i].name[0] && seen->path[i].kind == STATE_UP &&
		    !seen->path[i].asks &&
		    (!name || !strcmp(seen->path[i].name, name)))
			return true;
	return false;
}

bool state_asks(const struct state_seen *seen, const char *name)
{
	for (int i = 0; i < MPTUN_PATHS_MAX; i++)
		if (seen->path[i].name[0] && seen->path[i].asks &&
		    (!name || !strcmp(seen->path[i].name, name)))
			return true;
	return false;
}

static int state_index(const struct state_seen *seen, const char *name)
{
	for (int i = 0; i < MPTUN_PATHS_MAX; i++)
		if (!strcmp(seen->path[i].name, name))
			return i;
	return -1;
}

/* Return: the state before; for a path not seen before that of the record. */
static enum state_kind state_swap(struct state_seen *seen,
				  const struct record *path,
				  enum state_kind is)
{
	const char *name = record_text(path, "name");
	enum state_kind was = STATE_BEGINS;
	int index = state_index(seen, name);

	if (index >= 0)
		was = (enum state_kind)seen->path[index].kind;
	else if (record_value(path, "old-state"))
		was = state_kind(record_num(path, "old-state"));
	if (index < 0)
		index = state_index(seen, "");
	if (index >= 0) {
		if (!seen->path[index].name[0])
			seen->path[index].said = was == STATE_UP;
		snprintf(seen->path[index].name, PARSE_TEXT_MAX + 1, "%s",
			 name);
		seen->path[index].kind = is;
		seen->path[index].asks = state_waits(record_num(path,
								"state"));
	}
	return was;
}

/* Paths of a new association begin again, which is not reported until they are
 * up or down.  Return: whether the path was reported as up.
 */
static bool state_tell(struct state_seen *seen, const char *name,
		       enum state_kind is)
{
	int index = state_index(seen, name);
	bool said = index >= 0 && seen->path[index].said;

	if (index >= 0 && is != STATE_BEGINS)
		seen->path[index].said = is == STATE_UP;
	return said;
}

void state_changed(struct job_queue *queue, const struct conf_file *file,
		   struct state_seen *seen, const struct record *path)
{
	enum state_kind is = state_kind(record_num(path, "state"));
	enum state_kind was = state_swap(seen, path, is);
	const char *name = record_text(path, "name");
	bool said = state_tell(seen, name, is);
	char buf[PRINT_MAX];

	if (was == is || is == STATE_BEGINS)
		return;
	if (is == STATE_UP)
		report_note("path %s is up, its peer is %s", name,
			    print_endpoint(path, "remote", buf));
	else
		report_note("path %s %s, %s", name, said ? "is down" :
			    "does not come up", reason_text(path));
	if (is == STATE_UP || said)
		state_jobs(queue, file, is == STATE_UP, name, path);
}

static void state_end(struct job_queue *queue, const struct conf_file *file,
		      struct state_seen *seen, int index,
		      const struct record *path)
{
	char name[PARSE_TEXT_MAX + 1];

	strcpy(name, seen->path[index].name);
	seen->path[index].name[0] = '\0';
	if (!name[0] || !seen->path[index].said)
		return;
	report_note("path %s is down, it was deleted", name);
	state_jobs(queue, file, false, name, path);
}

/* A path that was draining counted as down, and another may have its name. */
void state_gone(struct job_queue *queue, const struct conf_file *file,
		struct state_seen *seen, const struct record *path)
{
	int index = state_index(seen, record_text(path, "name"));

	if (index >= 0 &&
	    record_num(path, "state") != MPTUN_PATH_STATE_DRAINING)
		state_end(queue, file, seen, index, path);
}

void state_forget(struct job_queue *queue, const struct conf_file *file,
		  struct state_seen *seen, const struct dump_list *paths)
{
	for (int i = 0; i < MPTUN_PATHS_MAX; i++) {
		bool there = false;

		for (size_t j = 0; !there && j < paths->count; j++)
			there = !strcmp(record_text(paths->rec[j], "name"),
					seen->path[i].name);
		if (!there)
			state_end(queue, file, seen, i, NULL);
	}
}
