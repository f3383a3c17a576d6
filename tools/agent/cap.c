// SPDX-License-Identifier: GPL-2.0
/*
 * Data caps: what the kernel counts outlives a path, and a month ends.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The kernel counts while a path exists.  What a path of a name has used is in
 * the store, and given to the next path of that name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "conf/apply.h"
#include "conf/uplink.h"
#include "lib/print.h"
#include "lib/report.h"

/* How often the counters are read, and at most written down. */
#define CAP_EVERY_MS 60000

/* What the file says about a path, also while and after its uplink is gone. */
static const struct plan_path *cap_section(const struct agent *agent,
					   const struct record *path)
{
	const struct plan *plan = &agent->file->plan;
	const char *name = record_text(path, "name");

	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return &plan->path[i];
	if (strcmp(record_text(path, "dev"), name))
		return NULL;
	return uplink_model(plan, name);
}

/* What is remembered of a path. */
static json_t *cap_note(struct agent *agent, const char *name)
{
	json_t *paths = json_object_get(agent->store, "paths"), *note;

	if (!json_is_object(paths)) {
		paths = json_object();
		json_object_set_new(agent->store, "paths", paths);
	}
	note = json_object_get(paths, name);
	if (!json_is_object(note)) {
		note = json_object();
		json_object_set_new(paths, name, note);
	}
	if (!note)
		exit(report_fail("out of memory"));
	return note;
}

static json_int_t cap_num(const json_t *note, const char *word)
{
	return json_integer_value(json_object_get(note, word));
}

static void cap_put(struct agent *agent, json_t *note, const char *word,
		    json_int_t num)
{
	if (json_object_get(note, word) && cap_num(note, word) == num)
		return;
	json_object_set_new(note, word, json_integer(num));
	agent->save.changed = true;
}

static bool cap_synced(void)
{
	struct timex state = { .modes = 0 };
	int is = adjtimex(&state);

	return is >= 0 && is != TIME_ERROR && !(state.status & STA_UNSYNC);
}

static struct plan_path *cap_used(const struct plan_path *path,
				  const char *name, uint64_t used)
{
	struct plan_path *change = calloc(1, sizeof(*change));
	int index = parse_find(path->set.table, "used");

	if (!change)
		exit(report_fail("out of memory"));
	snprintf(change->name, sizeof(change->name), "%s", name);
	change->line = path->line;
	change->set.table = path->set.table;
	change->set.res.value[index].set = true;
	change->set.res.value[index].num = used;
	return change;
}

static int cap_set(struct agent *agent, const struct plan_path *path,
		   const char *name, uint64_t used)
{
	struct plan_path *change = cap_used(path, name, used);
	int status = apply_path(agent->family, agent->now, MPTUN_CMD_PATH_SET,
				change);

	report_at(NULL, 0);
	free(change);
	return status;
}

static void cap_forget(struct agent_cap *cap, const char *name)
{
	for (size_t i = 0; i < cap->count; i++)
		if (!strcmp(cap->known[i], name))
			memmove(cap->known[i], cap->known[--cap->count],
				sizeof(cap->known[i]));
}

static bool cap_knows(const struct agent_cap *cap, const char *name)
{
	for (size_t i = 0; i < cap->count; i++)
		if (!strcmp(cap->known[i], name))
			return true;
	return false;
}

/* The kernel continues to count, from 0 for a new path.  If it refuses the sum,
 * the stored count stays for the next look.
 */
static uint64_t cap_count(struct agent *agent, const struct plan_path *path,
			  const char *name, json_t *note, uint64_t kernel,
			  bool fresh)
{
	json_int_t noted = cap_num(note, "used");
	uint64_t before = noted > 0 ? (uint64_t)noted : 0;
	uint64_t used = kernel;

	if (fresh && kernel < before) {
		used = before + kernel;
		if (cap_set(agent, path, name, used)) {
			cap_forget(&agent->cap, name);
			return used;
		}
	}
	cap_put(agent, note, "used", (json_int_t)used);
	return used;
}

static void cap_month(struct agent *agent, const struct plan_path *path,
		      const char *name, json_t *note, bool steady)
{
	time_t wall = time(NULL);
	struct tm date;
	int is;

	/* The time zone of the machine may have changed. */
	tzset();
	if (!localtime_r(&wall, &date))
		return;
	is = period_of(&date, path->reset);
	switch (period_judge((int)cap_num(note, "since"), is,
			     cap_synced(), steady)) {
	case PERIOD_BEGINS:
		if (cap_set(agent, path, name, 0))
			return;
		report_note("a new month of path %s begins, its cap counts from 0",
			    name);
		cap_put(agent, note, "used", 0);
		cap_put(agent, note, "since", is);
		break;
	case PERIOD_IS:
		cap_put(agent, note, "since", is);
		break;
	case PERIOD_STAYS:
		break;
	}
}

static void cap_job(struct agent *agent, const struct record *path,
		    uint64_t used)
{
	char text[5][sizeof("MPTUN_TUNNEL=") + PRINT_MAX];
	const char *const var[] = {
		"MPTUN_EVENT=cap", text[0], text[1], text[2], text[3], text[4],
		NULL,
	};

	snprintf(text[0], sizeof(text[0]), "MPTUN_TUNNEL=%s",
		 agent->file->name);
	snprintf(text[1], sizeof(text[1]), "MPTUN_PATH=%s",
		 record_text(path, "name"));
	snprintf(text[2], sizeof(text[2]), "MPTUN_DEV=%s",
		 record_text(path, "dev"));
	snprintf(text[3], sizeof(text[3]), "MPTUN_CAP=%" PRIu64,
		 record_num(path, "cap"));
	snprintf(text[4], sizeof(text[4]), "MPTUN_USED=%" PRIu64, used);
	state_job(&agent->jobs, agent->file, OPTION_ON_CAP, var);
}

/* Reports a cap that is reached once, also if the path is made again. */
static void cap_reached(struct agent *agent, const struct record *path,
			json_t *note)
{
	uint64_t used = record_num(path, "used");
	bool is = record_num(path, "cap-state") == MPTUN_CAP_STATE_REACHED;
	bool was = cap_num(note, "reached");
	char buf[PRINT_MAX];

	cap_put(agent, note, "reached", is);
	if (!is || was)
		return;
	report_note("path %s has reached its cap of %s",
		    record_text(path, "name"), print_field(path, "cap", buf));
	cap_job(agent, path, used);
}

/* The last count of a path that is deleted. */
static void cap_last(struct agent *agent, const struct record *path)
{
	const char *name = record_text(path, "name");
	const struct plan_path *plan = cap_section(agent, path);
	json_int_t used = (json_int_t)record_num(path, "used");
	json_t *note;

	if (plan && plan->reset && cap_knows(&agent->cap, name)) {
		note = cap_note(agent, name);
		if (used > cap_num(note, "used"))
			cap_put(agent, note, "used", used);
	}
	cap_forget(&agent->cap, name);
}

/* An event may be out of date, so it only causes a look.  A path that was
 * draining has given its last count, and another path may have its name.
 */
void cap_event(struct agent *agent, int cmd, const struct record *path)
{
	bool draining = record_num(path, "state") == MPTUN_PATH_STATE_DRAINING;
	bool deleted = cmd == MPTUN_CMD_PATH_DEL_NTF;

	if (draining && deleted)
		return;
	if (draining || deleted)
		cap_last(agent, path);
	else if (cmd == MPTUN_CMD_PATH_CAP_NTF ||
		 (record_num(path, "cap") &&
		  !cap_knows(&agent->cap, record_text(path, "name"))))
		agent->cap.due = 0;
}

static bool cap_fresh(struct agent *agent, const char *name)
{
	struct agent_cap *cap = &agent->cap;

	if (cap_knows(cap, name))
		return false;
	if (cap->count < MPTUN_PATHS_MAX)
		strcpy(cap->known[cap->count++], name);
	return true;
}

static void cap_record(struct agent *agent, const struct record *path,
		       bool steady)
{
	const struct plan_path *plan = cap_section(agent, path);
	const char *name = record_text(path, "name");
	uint64_t kernel = record_num(path, "used");
	json_t *note;
	bool fresh;

	if (!plan || record_num(path, "state") == MPTUN_PATH_STATE_DRAINING)
		return;
	note = cap_note(agent, name);
	fresh = record_num(path, "cap") && cap_fresh(agent, name);
	/* After a new count the kernel reports the state of the cap itself. */
	if (record_num(path, "cap") &&
	    (!plan->reset || cap_count(agent, plan, name, note, kernel,
				       fresh) == kernel))
		cap_reached(agent, path, note);
	if (plan->reset)
		cap_month(agent, plan, name, note, steady);
}

static bool cap_wanted(const struct agent *agent)
{
	const struct plan *plan = &agent->file->plan;

	for (size_t i = 0; i < plan->paths; i++)
		if (plan->path[i].reset)
			return true;
	for (size_t i = 0; i < plan->models; i++)
		if (plan->model[i].reset)
			return true;
	return false;
}

void cap_states(struct agent *agent, const struct dump_list *paths)
{
	struct agent_cap *cap = &agent->cap;
	uint64_t now = agent_clock();
	bool steady = period_steady(&cap->clock, (int64_t)time(NULL) * 1000,
				    now);

	cap->due = UINT64_MAX;
	for (size_t i = 0; i < paths->count; i++)
		cap_record(agent, paths->rec[i], steady);
	if (!agent->save.written ||
	    now - agent->save.written >= CAP_EVERY_MS)
		save_begin(agent);
	if (agent->save.changed || cap_wanted(agent))
		cap_later(agent);
}

void cap_later(struct agent *agent)
{
	uint64_t due = agent_clock() + CAP_EVERY_MS;

	if (agent->cap.due > due)
		agent->cap.due = due;
}

void cap_run(struct agent *agent)
{
	struct dump_list paths = { .count = 0 };

	if (agent->cap.due > agent_clock())
		return;
	agent->cap.due = UINT64_MAX;
	/* Without the module, only write what could not be written before. */
	if (!agent->family) {
		save_begin(agent);
		return;
	}
	if (!dump_paths(agent->family, agent->file->name, NULL, &paths))
		cap_states(agent, &paths);
	dump_free(&paths);
}

void cap_end(struct agent *agent)
{
	/* Count what was sent since the last look. */
	agent->cap.due = 0;
	cap_run(agent);
	save_begin(agent);
	agent->cap.count = 0;
	agent->cap.due = UINT64_MAX;
}
