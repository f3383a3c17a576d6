// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups of the names of peers, for paths that do not work.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "agent/resolver.h"
#include "agent/state.h"
#include "lib/report.h"

static const char search_none[] = "no resolver is known";

static void search_stop(struct agent_search *search)
{
	lookup_end(search->lookup);
	memset(search, 0, sizeof(*search));
	again_works(&search->again);
}

/* The look-ups for a note; those of a path that had it before are ended. */
static struct agent_search *search_of(struct agent *agent,
				      const struct want_note *note)
{
	struct agent_search *search;

	search = &agent->search[note - agent->notes.note];
	if (strcmp(search->name, note->name)) {
		search_stop(search);
		strcpy(search->name, note->name);
	}
	return search;
}

void search_state(struct agent *agent, const char *name, uint64_t state)
{
	struct want_note *note = want_find(&agent->notes, name);
	struct agent_search *search;

	/* Another path may have the name of one that is draining. */
	if (!note || !note->host || state == MPTUN_PATH_STATE_DRAINING)
		return;
	search = search_of(agent, note);
	search->works = state_works(state) &&
			state != MPTUN_PATH_STATE_SUSPECT;
	if (!search->works)
		again_fails(&search->again, agent_clock(),
			    state == MPTUN_PATH_STATE_DOWN);
	else if (!search->given)
		again_works(&search->again);
}

static const struct plan_path *search_path(const struct plan *plan,
					   const char *name)
{
	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return &plan->path[i];
	return NULL;
}

void search_sync(struct agent *agent, bool all)
{
	for (size_t i = 0; i < WANT_NOTES; i++) {
		struct want_note *note = &agent->notes.note[i];
		struct agent_search *search = search_of(agent, note);

		if (!note->name[0] || !note->host) {
			search_stop(search);
			strcpy(search->name, note->name);
		} else if (!search_path(&agent->now->plan, note->name)) {
			search->works = false;
			again_fails(&search->again, agent_clock(), true);
		} else if (all) {
			search->given = true;
			again_fails(&search->again, agent_clock(), true);
		}
	}
}

static void search_start(struct agent *agent, const struct want_note *note,
			 struct agent_search *search)
{
	const struct parse_value *mark;
	struct lookup_way way;

	memset(&way, 0, sizeof(way));
	mark = plan_value(&agent->file->plan.set, "fwmark");
	way.mark = mark ? (uint32_t)mark->num : 0;
	strcpy(way.dev, note->dev);
	resolver_list(&agent->file->plan, &agent->world, way.dev, way.servers,
		      sizeof(way.servers));
	again_begins(&search->again, agent_clock());
	/* The device has no resolver, nor a way to that of the machine. */
	if (way.dev[0] && !way.servers[0]) {
		if (search->error != search_none)
			report_warn("%s for uplink %s, see Resolver",
				    search_none, way.dev);
		search->error = search_none;
		return;
	}
	search->lookup = lookup_start(note->host, note->ask4, note->ask6,
				      &way);
	if (!search->lookup)
		exit(report_fail("out of memory"));
}

void search_begin(struct agent *agent)
{
	uint64_t now = agent_clock();

	for (size_t i = 0; i < WANT_NOTES; i++)
		if (!agent->search[i].lookup &&
		    agent->search[i].again.at <= now)
			search_start(agent, &agent->notes.note[i],
				     &agent->search[i]);
}

uint64_t search_due(const struct agent *agent)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < WANT_NOTES; i++)
		if (!agent->search[i].lookup && agent->search[i].again.at < due)
			due = agent->search[i].again.at;
	return due;
}

void search_taken(struct agent *agent, struct want_note *note, bool refused)
{
	struct agent_search *search = search_of(agent, note);

	search->refused.set = false;
	if (!refused)
		return;
	if (!search->works) {
		search->refused = note->next;
		again_fails(&search->again, agent_clock(), false);
	}
	note->next.set = false;
}

/* The address that its path has, or is to have. */
static struct parse_value search_have(const struct agent *agent,
				      const struct agent_search *search,
				      const struct want_note *note)
{
	const struct plan_path *path = search_path(agent->have, note->name);
	const struct parse_value *remote;

	if (search->refused.set)
		return search->refused;
	if (note->next.set || !path)
		return note->next;
	remote = plan_value(&path->set, "remote");
	return remote ? *remote : note->next;
}

void search_done(struct agent *agent, size_t index,
		 const struct lookup_answer *answer)
{
	struct agent_search *search = &agent->search[index];
	struct want_note *note = &agent->notes.note[index];
	struct parse_value have = search_have(agent, search, note);
	const struct parse_value *choice;

	if (answer->error && answer->error != search->error)
		report_warn("%s cannot be looked up for path %s: %s",
			    note->host, note->name, answer->error);
	search->error = answer->error;
	choice = again_choose(&search->again, answer->addr, answer->count,
			      &have);
	/* Without another address, the kernel may accept this one now. */
	if (!choice && search->refused.set && answer->count)
		choice = answer->addr;
	if (choice && (!search->works || search->given)) {
		/* A path that begins has its full time to answer. */
		if (!have.set)
			again_works(&search->again);
		note->next = *choice;
		agent_touch(agent);
	}
	search->given = false;
	if (search->works)
		again_works(&search->again);
	lookup_end(search->lookup);
	search->lookup = NULL;
}

void search_end(struct agent *agent)
{
	for (size_t i = 0; i < WANT_NOTES; i++)
		search_stop(&agent->search[i]);
}
