// SPDX-License-Identifier: GPL-2.0
/*
 * The agent of a tunnel: keeps its paths what the file and the uplinks say.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "agent/alone.h"
#include "agent/machine.h"
#include "agent/state.h"
#include "agent/store.h"
#include "conf/apply.h"
#include "conf/kernel.h"
#include "conf/server.h"
#include "conf/text.h"
#include "lib/dump.h"
#include "lib/event.h"
#include "lib/print.h"
#include "lib/report.h"

/* The first and the longest time after which a failure is tried again. */
#define AGENT_RETRY_MS 1000
#define AGENT_RETRY_MAX_MS 60000

uint64_t agent_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void *agent_room(size_t size)
{
	void *room = calloc(1, size);

	if (!room)
		exit(report_fail("out of memory"));
	return room;
}

static void agent_at(struct agent *agent, uint64_t ms)
{
	uint64_t due = agent_clock() + ms;

	if (due < agent->due)
		agent->due = due;
}

void agent_touch(struct agent *agent)
{
	agent_at(agent, AGENT_SETTLE_MS);
}

static int agent_on_link(struct nlmsghdr *msg, void *arg)
{
	struct agent *agent = arg;

	if (msg && world_moves(msg, agent->file->name))
		agent->moved = true;
	if (!msg || world_concerns(msg))
		agent_touch(agent);
	if (msg && world_loses(msg) && agent->mend == UINT64_MAX)
		agent->mend = agent_clock() + AGENT_SETTLE_MS;
	return 0;
}

static void agent_on_record(struct agent *agent, int cmd,
			    const struct record *path)
{
	if (trial_record(&agent->trial, path, turn_steady(&agent->turn)))
		server_nudge(agent);
	if (strcmp(record_text(path, "ifname"), agent->file->name))
		return;
	cap_event(agent, cmd, path);
	spares_event(agent);
	exchange_event(agent);
	if (cmd == MPTUN_CMD_TUNNEL_NTF)
		exchange_look(agent);
	if (cmd == MPTUN_CMD_PATH_DEL_NTF) {
		state_gone(&agent->jobs, agent->file, &agent->seen, path);
		agent_touch(agent);
	} else if (cmd == MPTUN_CMD_PATH_NTF) {
		state_changed(&agent->jobs, agent->file, &agent->seen, path);
		search_state(agent, record_text(path, "name"),
			     record_num(path, "state"));
		server_look(agent);
		server_event(agent, path);
	}
}

static int agent_on_path(struct nlmsghdr *msg, void *arg)
{
	struct agent *agent = arg;
	struct record *rec;
	int cmd;

	if (!msg) {
		report_warn("some changes of paths were not reported, the machine is too busy");
		agent->cap.count = 0;
		agent_touch(agent);
		return 0;
	}
	if (event_read(msg, &cmd, &rec))
		exit(report_fail("out of memory"));
	if (rec)
		agent_on_record(agent, cmd, rec);
	record_free(rec);
	return 0;
}

static void agent_event(void *arg, const char *text)
{
	struct agent *agent = arg;
	char now[PRINT_MAX];

	events_add(&agent->events, print_time(now, true), text);
}

int agent_open(struct agent *agent)
{
	report_listen(agent_event, agent);
	page_init(&agent->page);
	exchange_init(&agent->exchange);
	agent->mend = UINT64_MAX;
	agent->lock = -1;
	agent->now = agent_room(sizeof(*agent->now));
	agent->have = agent_room(sizeof(*agent->have));
	agent->on_links = (struct conn_listener) {
		.reply = agent_on_link, .arg = agent,
	};
	agent->on_paths = (struct conn_listener) {
		.reply = agent_on_path, .arg = agent,
	};
	agent->host = (struct host) { .file = agent->now, .agent = true };
	for (size_t i = 0; i < WANT_NOTES; i++)
		again_works(&agent->search[i].again);
	trial_init(&agent->trial, agent->file->name);
	agent->store = store_read(agent->file->name);
	if (alone_lock(agent->file->path, &agent->lock))
		return STATUS_USAGE;
	agent->host.route = conn_open_route();
	agent->links = conn_open_route();
	if (!agent->host.route || !agent->links ||
	    machine_subscribe(agent->links, &agent->on_links))
		return STATUS_KERNEL;
	http_open(agent);
	return STATUS_OK;
}

static void agent_lose(struct agent *agent)
{
	conn_close(agent->family);
	conn_close(agent->paths);
	agent->family = NULL;
	agent->paths = NULL;
	agent->served = false;
}

/* Opens new connections: a module that was loaded again has other numbers. */
static int agent_meet(struct agent *agent)
{
	agent->family = conn_open();
	agent->paths = agent->family ? conn_open() : NULL;
	if (!agent->paths || conn_subscribe(agent->paths, &agent->on_paths)) {
		agent_lose(agent);
		return STATUS_KERNEL;
	}
	machine_tables(agent->host.route, agent->file->name, &agent->notes);
	if (!agent->there)
		report_note("%s is there, its uplinks are looked after",
			    agent->file->name);
	agent->there = true;
	return STATUS_OK;
}

/* Tests whether the tunnel was renamed or moved to another network namespace.
 * It still works then, and its packets leave from here.
 */
static bool agent_away(const struct agent *agent)
{
	const struct world_link *link = world_index(&agent->world,
						    agent->index);

	if (agent->moved)
		report_note("%s has left for another network namespace, its rules and routes stay",
			    agent->file->name);
	else if (link && !strcmp(link->kind, "mptun"))
		report_note("%s is called %s now, its rules and routes stay",
			    agent->file->name, link->name);
	else
		return false;
	return true;
}

/* Acts on a tunnel that is gone. "mptunctl down" has removed the rules that it
 * found; those that were added at the same time are removed here.
 */
static int agent_gone(struct agent *agent)
{
	const struct dump_list none = { .count = 0 };
	bool away;

	trial_end(agent);
	if (!agent->there) {
		if (!agent->begun)
			report_note("%s is not there yet", agent->file->name);
		return STATUS_OK;
	}
	away = agent_away(agent);
	if (away)
		memset(&agent->seen, 0, sizeof(agent->seen));
	state_forget(&agent->jobs, agent->file, &agent->seen, &none);
	agent_lose(agent);
	exchange_close(agent);
	cap_end(agent);
	agent->there = false;
	agent->moved = false;
	search_end(agent);
	memset(&agent->notes, 0, sizeof(agent->notes));
	if (away)
		return STATUS_OK;
	report_note("%s is gone, and so are the rules of its uplinks",
		    agent->file->name);
	*agent->now = *agent->file;
	agent->now->plan.paths = 0;
	agent->host.held = 0;
	return host_uplinks_sync(&agent->host);
}

static void agent_tell(const struct want_step *step)
{
	const struct plan_path *path = &step->path;
	int index = parse_find(path->set.table, "remote");
	char addr[64];

	text_value(&path->set.table->keys[index],
		   &path->set.res.value[index], addr, sizeof(addr));
	if (step->spare && step->cmd == MPTUN_CMD_PATH_DEL)
		report_note("spare %s has no path any more", path->name);
	else if (step->spare && step->cmd == MPTUN_CMD_PATH_NEW)
		report_note("spare %s has path %s to %s", path->name,
			    path->name, addr);
	else if (step->cmd == MPTUN_CMD_PATH_DEL)
		report_note("uplink %s is gone, and so is path %s", path->name,
			    path->name);
	else if (step->cmd == MPTUN_CMD_PATH_NEW)
		report_note("uplink %s has path %s to %s", path->name,
			    path->name, addr);
	else if (path->set.res.value[index].set)
		report_note("the peer of path %s is at %s now", path->name,
			    addr);
	else
		report_note("path %s has other settings", path->name);
}

static int agent_step(struct agent *agent, struct want_step *step)
{
	struct want_note *note = want_find(&agent->notes, step->path.name);
	int status = apply_path(agent->family, agent->now, step->cmd,
				&step->path);

	if (note && note->next.set && step->cmd != MPTUN_CMD_PATH_DEL)
		search_taken(agent, note, status);
	if (status)
		return status;
	if (note)
		want_done(note, step->cmd);
	agent_tell(step);
	return STATUS_OK;
}

/* Deletes paths first, as new ones may need their names and devices.  Then sets
 * rules and routes, so that a path finds its gateway when it begins.
 */
static int agent_steps(struct agent *agent)
{
	struct want_step *step = agent_room(WANT_STEPS * sizeof(*step));
	int status = STATUS_OK;
	size_t count, gone = 0;

	count = want_steps(&agent->now->plan, agent->have, &agent->notes,
			   agent->reload, step);
	while (gone < count && step[gone].cmd == MPTUN_CMD_PATH_DEL)
		status |= agent_step(agent, &step[gone++]);
	agent->host.held = want_held(&agent->notes);
	status |= host_uplinks_sync(&agent->host);
	status |= host_rules_mend(&agent->host);
	for (size_t i = gone; i < count; i++)
		status |= agent_step(agent, &step[i]);
	report_at(NULL, 0);
	free(step);
	return status;
}

/* Takes the states of paths that were not notified, as they did not change. */
static int agent_states(struct agent *agent)
{
	struct dump_list paths = { .count = 0 };
	int status = dump_paths(agent->family, agent->file->name, NULL,
				&paths);

	for (size_t i = 0; i < paths.count; i++) {
		const struct record *path = paths.rec[i];

		if (record_num(path, "state") == MPTUN_PATH_STATE_DRAINING)
			continue;
		state_changed(&agent->jobs, agent->file, &agent->seen, path);
		search_state(agent, record_text(path, "name"),
			     record_num(path, "state"));
	}
	if (!status) {
		state_forget(&agent->jobs, agent->file, &agent->seen, &paths);
		server_states(agent, &paths);
		cap_states(agent, &paths);
		exchange_event(agent);
	}
	dump_free(&paths);
	return status;
}

static int agent_there(struct agent *agent)
{
	int status = agent->family ? STATUS_OK : agent_meet(agent);

	if (!status)
		status = kernel_read(agent->family, agent->file->name,
				     agent->have, NULL);
	if (status) {
		agent_lose(agent);
		return status;
	}
	server_find(agent);
	*agent->now = *agent->file;
	if (server_moves(&agent->now->plan))
		server_use(&agent->now->plan, agent->turn.index);
	/* The file cannot be read now, so its own gateways are not known. */
	for (size_t i = 0; agent->stale && i < agent->now->plan.paths; i++)
		agent->now->plan.path[i].gateway = 0;
	spares_look(agent);
	agent->notes.now = agent_clock();
	agent->notes.lead = server_lost(agent);
	want_make(&agent->now->plan, &agent->world, agent->have,
		  &agent->notes, agent->reload);
	agent->notes.found.set = false;
	status = agent_steps(agent);
	search_sync(agent, agent->reload || agent->led);
	/* Only once, even if a step failed: what users set by hand stays. */
	agent->reload = false;
	agent->led = false;
	status |= agent_states(agent);
	exchange_look(agent);
	server_look(agent);
	return status ? STATUS_KERNEL : STATUS_OK;
}

/* Reads the file.  One with an error is reported and not used. */
static bool agent_read(struct agent *agent)
{
	struct conf_file *file = file_named(agent->file->path,
					    agent->file->name);

	agent->stale = !file || file_load(file, false);
	if (agent->stale) {
		report_warn("the file as it was before stays in use");
		/* Report it once for each change of the file. */
		file_changed(agent->file);
		file_free(file);
		return false;
	}
	/* An agent that has begun with the new file serves the tunnel. */
	if (alone_lock(file->path, &agent->lock))
		exit(STATUS_USAGE);
	/* The agent needs no key.  Look-ups point to names in the old file. */
	secret_wipe(file->plan.key, sizeof(file->plan.key));
	search_end(agent);
	server_keep(agent, file);
	for (size_t i = 0; i < WANT_NOTES; i++)
		agent->notes.note[i].host = NULL;
	file_free(agent->file);
	agent->file = file;
	/* The plan still points into the old file. */
	*agent->now = *file;
	http_open(agent);
	return true;
}

static int agent_look(struct agent *agent)
{
	const struct world_link *link;
	int status;

	/* syncconf has set the gateways of the present file. */
	if (file_changed(agent->file))
		agent_read(agent);
	world_free(&agent->world);
	status = machine_world(agent->host.route, &agent->world);
	if (status)
		return status;
	link = world_link(&agent->world, agent->file->name);
	if (!link || strcmp(link->kind, "mptun"))
		return agent_gone(agent);
	agent->moved = false;
	agent->index = link->index;
	return agent_there(agent);
}

void agent_sync(struct agent *agent)
{
	uint64_t wait = AGENT_RETRY_MS;

	agent->due = UINT64_MAX;
	if (!agent_look(agent)) {
		agent->failures = 0;
		agent->begun = true;
		if (want_due(&agent->notes) != UINT64_MAX)
			agent_at(agent, want_due(&agent->notes) -
				 agent->notes.now);
		return;
	}
	for (unsigned int i = 0; i < agent->failures &&
	     wait < AGENT_RETRY_MAX_MS; i++)
		wait *= 2;
	agent->failures++;
	agent_at(agent, wait);
}

/* Does nothing if the agent is about to look at the machine, which includes
 * this.
 */
void agent_mend(struct agent *agent)
{
	struct plan *plan = &agent->now->plan;

	agent->mend = UINT64_MAX;
	if (!agent->family || agent->failures ||
	    agent->due <= agent_clock() + AGENT_SETTLE_MS)
		return;
	/* The file has changed, so its own gateways are not known. */
	if (!file_stays(agent->file))
		for (size_t i = 0; i < plan->paths; i++)
			if (plan->path[i].number < NUMBER_UPLINKS)
				plan->path[i].gateway = 0;
	host_rules_mend(&agent->host);
	host_uplinks_sync(&agent->host);
	report_at(NULL, 0);
}

void agent_reload(struct agent *agent)
{
	if (!agent_read(agent))
		return;
	agent->reload = true;
	agent_touch(agent);
}

void agent_close(struct agent *agent)
{
	report_listen(NULL, NULL);
	http_close(agent);
	exchange_close(agent);
	search_end(agent);
	if (agent->host.route)
		trial_end(agent);
	cap_end(agent);
	save_end(agent);
	json_decref(agent->store);
	job_free(&agent->jobs);
	agent_lose(agent);
	conn_close(agent->links);
	conn_close(agent->host.route);
	world_free(&agent->world);
	free(agent->have);
	free(agent->now);
	file_free(agent->file);
	if (agent->lock >= 0)
		close(agent->lock);
}
