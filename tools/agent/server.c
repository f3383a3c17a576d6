// SPDX-License-Identifier: GPL-2.0
/*
 * Servers: which one is in use, and moves from one to another.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "conf/apply.h"
#include "conf/server.h"
#include "host/message.h"
#include "lib/report.h"

static bool server_moved(const struct agent *agent)
{
	return server_moves(&agent->file->plan);
}

static const struct plan_server *server_of(const struct agent *agent,
					   size_t index)
{
	return &agent->file->plan.host.server[index];
}

static bool server_at(const struct plan_path *path,
		      const struct parse_value *addr)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");

	return remote && remote->family == addr->family &&
	       !memcmp(remote->addr, addr->addr, message_length(addr->family));
}

/* Whether a path leads to the address that the file has. */
static bool server_has(const struct plan_path *path,
		       const struct plan_server *server)
{
	const struct parse_value *port = plan_value(&path->set, "port");

	return server->remote.family && port &&
	       port->num == server->port.num &&
	       server_at(path, &server->remote);
}

/* Whether a path leads to an address that was stored for a server: one with a
 * host name, or one that a NAT or a user has moved.
 */
static bool server_noted(const struct agent *agent, size_t index,
			 const struct plan_path *path)
{
	json_t *list = json_object_get(agent->store, "addresses"), *item;
	const char *text = json_string_value(json_object_get(agent->store,
							     "server"));
	struct parse_value addr = { .set = true };
	size_t i;

	if (!text || strcmp(text, server_of(agent, index)->text))
		return false;
	json_array_foreach(list, i, item) {
		const char *is = json_string_value(item);

		if (!is)
			continue;
		addr.family = strchr(is, ':') ? 6 : 4;
		if (inet_pton(message_family(addr.family), is,
			      addr.addr) == 1 && server_at(path, &addr))
			return true;
	}
	return false;
}

/* The server that the paths lead to; the preferred one if that is not known. */
static size_t server_index(const struct agent *agent)
{
	const struct plan *have = agent->have;
	size_t servers = agent->file->plan.host.servers;

	for (size_t i = 0; i < servers; i++)
		for (size_t j = 0; j < have->paths; j++)
			if (server_has(&have->path[j], server_of(agent, i)))
				return i;
	for (size_t i = 0; i < servers; i++)
		for (size_t j = 0; j < have->paths; j++)
			if (server_noted(agent, i, &have->path[j]))
				return i;
	return 0;
}

/* Also deletes a trial that another agent has left. */
void server_find(struct agent *agent)
{
	if (agent->served)
		return;
	agent->served = true;
	trial_end(agent);
	agent->turn = (struct turn) { .at = AGAIN_NEVER };
	if (!server_moved(agent))
		return;
	turn_to(&agent->turn, server_index(agent));
	if (agent->turn.index)
		report_note("the paths lead to server %s",
			    server_of(agent, agent->turn.index)->text);
}

/* Whether a path leads to another server of the file: a user has added it, or
 * the agent before this one could not move it.
 */
static bool server_strays(const struct agent *agent,
			  const struct plan_path *path)
{
	const struct plan *plan = &agent->file->plan;
	size_t index = agent->turn.index;

	if (server_has(path, server_of(agent, index)))
		return false;
	for (size_t i = 0; i < plan->host.servers; i++)
		if (i != index && server_has(path, server_of(agent, i)))
			return true;
	for (size_t i = 0; index && i < plan->paths; i++) {
		const struct parse_value *own;

		own = plan_value(&plan->path[i].set, "remote");
		if (!strcmp(plan->path[i].name, path->name) && own->family &&
		    server_at(path, own))
			return true;
	}
	return false;
}

/* Paths that lead elsewhere stay: the peer, or a user, may have moved them. */
uint64_t server_lost(const struct agent *agent)
{
	uint64_t lead = 0;

	if (!server_moved(agent))
		return 0;
	if (agent->led || agent->reload)
		return UINT64_MAX;
	for (size_t i = 0; i < agent->have->paths; i++)
		if (server_strays(agent, &agent->have->path[i]))
			lead |= 1ull << i;
	return lead;
}

void server_keep(struct agent *agent, const struct conf_file *file)
{
	const char *text = server_of(agent, agent->turn.index)->text;

	agent->notes.found.set = false;
	/* Before, it did not matter where the paths lead. */
	if (!server_moved(agent)) {
		agent->served = false;
		return;
	}
	trial_end(agent);
	for (size_t i = 0; i < file->plan.host.servers; i++) {
		if (strcmp(file->plan.host.server[i].text, text))
			continue;
		turn_to(&agent->turn, i);
		return;
	}
	agent->turn = (struct turn) { .at = AGAIN_NEVER };
	agent->led = true;
}

/* The address that a path leads to; not set for a path without a peer. */
static struct parse_value server_remote(const struct record *path)
{
	struct parse_value addr = { .family = 4 };
	const char *text = record_text(path, "remote4");

	if (!*text) {
		text = record_text(path, "remote6");
		addr.family = 6;
	}
	addr.set = inet_pton(message_family(addr.family), text,
			     addr.addr) == 1;
	return addr;
}

void server_event(struct agent *agent, const struct record *path)
{
	const struct parse_value addr = server_remote(path);
	bool known = record_num(path, "learned");

	for (size_t i = 0; i < agent->have->paths && !known; i++)
		known = !strcmp(agent->have->path[i].name,
				record_text(path, "name")) &&
			(!addr.set || server_at(&agent->have->path[i], &addr));
	if (server_moved(agent) && !known)
		agent_touch(agent);
}

/* Stores the addresses, from which the next agent knows the server in use. */
static void server_note(struct agent *agent, const struct dump_list *paths)
{
	const struct plan_server *server = server_of(agent, agent->turn.index);
	json_t *list = json_array();

	for (size_t i = 0; i < paths->count; i++) {
		const char *addr = record_text(paths->rec[i], "remote4");

		if (!*addr)
			addr = record_text(paths->rec[i], "remote6");
		if (*addr)
			json_array_append_new(list, json_string(addr));
	}
	if (!agent->turn.index) {
		json_object_del(agent->store, "server");
		json_object_del(agent->store, "addresses");
	} else {
		json_object_set_new(agent->store, "server",
				    json_string(server->text));
		json_object_set(agent->store, "addresses", list);
	}
	json_decref(list);
}

void server_states(struct agent *agent, const struct dump_list *paths)
{
	json_t *before;

	if (!server_moved(agent))
		return;
	before = json_deep_copy(agent->store);
	server_note(agent, paths);
	if (!json_equal(before, agent->store)) {
		agent->save.changed = true;
		save_begin(agent);
	}
	json_decref(before);
}

bool server_unknown(const struct agent *agent, const struct want_note *note)
{
	if (!note->name[0] || !note->host)
		return false;
	for (size_t i = 0; i < agent->now->plan.paths; i++)
		if (!strcmp(agent->now->plan.path[i].name, note->name))
			return false;
	return true;
}

static bool server_waits(const struct agent *agent)
{
	for (size_t i = 0; i < WANT_NOTES; i++)
		if (server_unknown(agent, &agent->notes.note[i]))
			return true;
	return state_asks(&agent->seen, NULL);
}

void server_look(struct agent *agent)
{
	bool up = state_up(&agent->seen, NULL);

	if (!server_moved(agent) || !agent->served)
		return;
	if (!up && server_waits(agent)) {
		turn_fails(&agent->turn, agent_clock());
		return;
	}
	if (agent->turn.fails)
		trial_end(agent);
	turn_works(&agent->turn, up);
	if (up && agent->turn.index && agent->trial.due == AGAIN_NEVER)
		trial_begin(agent, 0, false, TRIAL_MOST_MS);
}

/* Another server answers, so the uplinks may be back: the kernel probes paths
 * that were down for long again when they are changed.
 */
void server_nudge(struct agent *agent)
{
	for (size_t i = 0; i < agent->have->paths; i++) {
		struct plan_path *path = &agent->have->path[i];
		struct plan_path *same;

		if (!agent->turn.fails ||
		    !state_asks(&agent->seen, path->name))
			continue;
		same = calloc(1, sizeof(*same));
		if (!same)
			exit(report_fail("out of memory"));
		strcpy(same->name, path->name);
		same->set.table = path->set.table;
		apply_path(agent->family, agent->now, MPTUN_CMD_PATH_SET,
			   same);
		free(same);
	}
	report_at(NULL, 0);
}

static void server_job(struct agent *agent, const char *reason)
{
	const struct plan_server *server = server_of(agent, agent->turn.index);
	char name[64], which[PLAN_SERVER_MAX + 16], why[32];
	const char *const var[] = {
		"MPTUN_EVENT=server", name, which, why, NULL,
	};

	snprintf(name, sizeof(name), "MPTUN_TUNNEL=%s", agent->file->name);
	snprintf(which, sizeof(which), "MPTUN_SERVER=%s", server->text);
	snprintf(why, sizeof(why), "MPTUN_REASON=%s", reason);
	state_job(&agent->jobs, agent->file, OPTION_ON_SERVER, var);
}

/* Moves all paths at once to the server whose address the trial has found.
 * Look-ups that run are about the server before.
 */
static void server_go(struct agent *agent, size_t index)
{
	search_end(agent);
	for (size_t i = 0; i < WANT_NOTES; i++)
		agent->notes.note[i].next.set = false;
	agent->notes.found = *plan_value(&agent->trial.path.set, "remote");
	agent->notes.found.set = agent->notes.found.word;
	trial_end(agent);
	turn_move(&agent->turn, index, agent_clock());
	agent->led = true;
	agent_touch(agent);
}

static void server_move(struct agent *agent)
{
	const char *from = server_of(agent, agent->turn.index)->text;
	const char *to = server_of(agent, agent->trial.server)->text;
	bool fails = agent->turn.fails;

	if (fails)
		report_note("server %s does not answer, the paths move to %s",
			    from, to);
	else
		report_note("server %s answers again, the paths return to it",
			    to);
	server_go(agent, agent->trial.server);
	server_job(agent, fails ? "timeout" : "preferred");
}

/* Tries all other servers over the first uplink, then over the next one. */
static void server_try(struct agent *agent)
{
	struct turn *turn = &agent->turn;
	uint64_t ms;
	bool same;

	ms = turn_next(turn, agent->file->plan.host.servers,
		       trial_count(agent), &same);
	trial_begin(agent, turn->next, same, ms);
	/* No uplink is known yet. */
	if (agent->trial.due == AGAIN_NEVER)
		agent->trial.due = agent_clock() + ms;
}

uint64_t server_due(const struct agent *agent)
{
	if (!server_moved(agent) || !agent->served)
		return UINT64_MAX;
	return agent->turn.at < agent->trial.due ? agent->turn.at :
						    agent->trial.due;
}

/* Tries the preferred server, and stores the address of one that has moved. */
static void server_again(struct agent *agent)
{
	trial_begin(agent, 0, false, TRIAL_MOST_MS);
	agent_touch(agent);
}

void server_run(struct agent *agent)
{
	struct trial *trial = &agent->trial;
	uint64_t now = agent_clock();

	if (!server_moved(agent) || !agent->served)
		return;
	/* The preferred server may have been up in a trial before. */
	if (agent->turn.at <= now && trial->up)
		agent->turn.at = AGAIN_NEVER;
	else if (agent->turn.at <= now)
		server_try(agent);
	else if (trial->due > now)
		return;
	else if (trial->up && trial_there(trial))
		server_move(agent);
	else if (agent->turn.fails)
		server_try(agent);
	else
		server_again(agent);
}
