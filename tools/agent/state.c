// SPDX-License-Identifier: GPL-2.0
/*
 * Paths that come up and go down: sentences and commands about it.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/state.h"
#include "host/run.h"
#include "lib/print.h"
#include "lib/report.h"

/* What a state means for those who use the tunnel. */
enum state_kind {
	STATE_BEGINS,
	STATE_UP,
	STATE_DOWN,
};

static const char *const state_why[] = {
	[MPTUN_PATH_REASON_TIMEOUT] = "its peer does not answer",
	[MPTUN_PATH_REASON_CARRIER] = "its device is down",
	[MPTUN_PATH_REASON_DEVICE] = "its device does not exist",
	[MPTUN_PATH_REASON_ADDRESS] = "its local address does not exist",
	[MPTUN_PATH_REASON_ROUTE] = "there is no route to its peer",
	[MPTUN_PATH_REASON_LOOP] = "its route leads into the tunnel",
	[MPTUN_PATH_REASON_ADMIN] = "it was switched off",
	[MPTUN_PATH_REASON_PEER] = "its peer has asked for that",
};

static enum state_kind state_kind(uint64_t state)
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

__attribute__((format(printf, 2, 3)))
static void state_var(struct job *job, const char *fmt, ...)
{
	size_t count = 0;
	va_list ap;

	while (job->var[count])
		count++;
	va_start(ap, fmt);
	if (vasprintf(&job->var[count], fmt, ap) < 0)
		exit(report_fail("out of memory"));
	va_end(ap);
}

static void state_job(struct job_queue *queue, const struct conf_file *file,
		      const char *command, bool up, const struct record *path)
{
	struct job job = { .command = run_expand(command, file->name) };
	char buf[PRINT_MAX];

	state_var(&job, "MPTUN_EVENT=path-%s", up ? "up" : "down");
	state_var(&job, "MPTUN_TUNNEL=%s", file->name);
	state_var(&job, "MPTUN_PATH=%s", record_text(path, "name"));
	state_var(&job, "MPTUN_DEV=%s", record_text(path, "dev"));
	state_var(&job, "MPTUN_REMOTE=%s", print_endpoint(path, "remote", buf));
	state_var(&job, "MPTUN_STATE=%s", print_field(path, "state", buf));
	state_var(&job, "MPTUN_REASON=%s", print_field(path, "reason", buf));
	job_add(queue, &job);
}

static void state_jobs(struct job_queue *queue, const struct conf_file *file,
		       bool up, const struct record *path)
{
	enum conf_option option = up ? OPTION_ON_PATH_UP : OPTION_ON_PATH_DOWN;
	const struct plan_texts *list;

	list = &file->plan.host.hook[option - OPTION_PRE_UP];
	for (size_t i = 0; i < list->count; i++)
		state_job(queue, file, list->list[i].text, up, path);
}

static const char *state_reason(const struct record *path)
{
	uint64_t reason = record_num(path, "reason");

	if (record_num(path, "state") == MPTUN_PATH_STATE_DRAINING)
		return "it is deleted";
	if (reason < sizeof(state_why) / sizeof(*state_why) &&
	    state_why[reason])
		return state_why[reason];
	return "the reason is not known";
}

static int state_index(const struct state_seen *seen, const char *name)
{
	for (int i = 0; i < MPTUN_PATHS_MAX; i++)
		if (!strcmp(seen->path[i].name, name))
			return i;
	return -1;
}

/* Return: the state before; the kernel knows that of a path not seen yet. */
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
		snprintf(seen->path[index].name, PARSE_TEXT_MAX + 1, "%s",
			 name);
		seen->path[index].kind = is;
	}
	return was;
}

void state_changed(struct job_queue *queue, const struct conf_file *file,
		   struct state_seen *seen, const struct record *path)
{
	enum state_kind is = state_kind(record_num(path, "state"));
	enum state_kind was = state_swap(seen, path, is);
	const char *name = record_text(path, "name");
	char buf[PRINT_MAX];

	if (was == is || is == STATE_BEGINS)
		return;
	if (is == STATE_UP)
		report_note("path %s is up, its peer is %s", name,
			    print_endpoint(path, "remote", buf));
	else
		report_note("path %s %s, %s", name, was == STATE_UP ?
			    "is down" : "does not come up",
			    state_reason(path));
	if (is == STATE_UP || was == STATE_UP)
		state_jobs(queue, file, is == STATE_UP, path);
}

void state_forget(struct state_seen *seen, const struct dump_list *paths)
{
	for (size_t i = 0; i < MPTUN_PATHS_MAX; i++) {
		bool there = false;

		for (size_t j = 0; !there && j < paths->count; j++)
			there = !strcmp(record_text(paths->rec[j], "name"),
					seen->path[i].name);
		if (!there)
			seen->path[i].name[0] = '\0';
	}
}
