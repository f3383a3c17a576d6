// SPDX-License-Identifier: GPL-2.0
/*
 * Spares: what the kernel says about the paths, and sentences about spares.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "lib/dump.h"
#include "lib/format.h"
#include "lib/report.h"

static struct spare_bounds spares_bounds(const struct agent *agent)
{
	const struct plan_host *host = &agent->file->plan.host;

	return (struct spare_bounds) {
		.paths = host->min_paths, .rate = host->min_rate,
	};
}

/* Adds a path of the file or of an uplink.  One that is no spare will be in the
 * kernel soon, if it is not yet.
 */
static void spares_offer(struct agent *agent, const struct spares *before,
			 const char *name, bool file, bool spare)
{
	struct spare_path *path = spare_add(&agent->notes.spares, before, name);

	if (!path)
		return;
	path->offered = spare;
	path->file = file;
	if (!spare)
		path->kind = SPARE_BEGINS;
}

/* Adds the paths of the file, then those of uplinks. */
static void spares_offers(struct agent *agent, const struct spares *before)
{
	const struct plan *plan = &agent->file->plan;
	struct find_uplink uplink[FIND_MAX];
	size_t count = find_uplinks(&agent->world, plan, uplink);

	for (size_t i = 0; i < plan->paths; i++)
		if (!plan_value(&plan->path[i].set, "off"))
			spares_offer(agent, before, plan->path[i].name, true,
				     plan->path[i].spare);
	for (size_t i = 0; i < count; i++)
		spares_offer(agent, before, uplink[i].link->name, false,
			     uplink[i].model->spare);
}

static enum spare_kind spares_kind(uint64_t state)
{
	static const enum spare_kind kinds[] = {
		[STATE_BEGINS] = SPARE_BEGINS, [STATE_UP] = SPARE_WORKS,
		[STATE_DOWN] = SPARE_FAILS,
	};

	return kinds[state_kind(state)];
}

/* Sets the rate of a path: what its controller lets it send, without pacing
 * what the file says.
 */
static void spares_rate(struct spares *spares, struct spare_path *path,
			const struct record *rec)
{
	uint64_t rate = record_num(rec, "pacing-rate");

	if (rate)
		spare_measure(spares, path, rate,
			      record_num(record_nest(rec, "stats"),
					 "tx-bytes"));
	else
		spare_rate(spares, path, record_num(rec, "rate"));
}

static void spares_see(struct agent *agent, const struct spares *before,
		       const struct record *rec)
{
	uint64_t state = record_num(rec, "state");
	struct spare_path *path;

	if (state == MPTUN_PATH_STATE_DRAINING)
		return;
	path = spare_add(&agent->notes.spares, before,
			 record_text(rec, "name"));
	if (!path)
		return;
	path->kind = spares_kind(state);
	if (path->kind == SPARE_WORKS)
		spares_rate(&agent->notes.spares, path, rec);
}

static void spares_say_join(const struct spares *spares,
			    const struct spare_bounds *bounds,
			    const char *name)
{
	char is[FORMAT_MAX], least[FORMAT_MAX];
	size_t paths = spares->sum.paths;

	if (paths < bounds->paths)
		report_note("spare %s joins: %zu %s, MinPaths is %zu", name,
			    paths, paths == 1 ? "path works" : "paths work",
			    bounds->paths);
	else
		report_note("spare %s joins: the paths that work have a rate of %s, MinRate is %s",
			    name, format_rate_short(spares->sum.rate, is),
			    format_rate(bounds->rate, least));
}

static void spares_say_leave(const struct spare_bounds *bounds,
			     const char *name)
{
	report_note("spare %s leaves: the other paths have met %s for %d s",
		    name, !bounds->rate ? "MinPaths" : !bounds->paths ?
		    "MinRate" : "MinPaths and MinRate", SPARE_SETTLE_MS / 1000);
}

/* Reports spares that join and leave; those that have a path when the agent
 * begins were reported before.
 */
static bool spares_say(const struct spares *spares,
		       const struct spares *before,
		       const struct spare_bounds *bounds)
{
	bool changed = false;

	for (size_t i = 0; i < spares->count; i++) {
		const struct spare_path *path = &spares->path[i];
		bool was = spare_wanted(before, path->name);

		if (!path->offered || path->wanted == was)
			continue;
		changed = true;
		if (!path->wanted)
			spares_say_leave(bounds, path->name);
		else if (path->kind == SPARE_GONE)
			spares_say_join(spares, bounds, path->name);
	}
	return changed;
}

static bool spares_judge(struct agent *agent, const struct dump_list *paths)
{
	const struct spare_bounds bounds = spares_bounds(agent);
	struct spares *before = malloc(sizeof(*before));
	bool changed;

	if (!before)
		exit(report_fail("out of memory"));
	spare_begin(&agent->notes.spares, agent_clock(), before);
	spares_offers(agent, before);
	for (size_t i = 0; i < paths->count; i++)
		spares_see(agent, before, paths->rec[i]);
	spare_judge(&agent->notes.spares, &bounds);
	changed = spares_say(&agent->notes.spares, before, &bounds);
	free(before);
	return changed;
}

bool spares_look(struct agent *agent)
{
	struct dump_list paths = { .count = 0 };
	bool changed = false;

	agent->notes.spares.due = UINT64_MAX;
	if (!agent->family || !plan_spare(&agent->file->plan)) {
		agent->notes.spares.count = 0;
		return false;
	}
	if (!dump_paths(agent->family, agent->file->name, NULL, &paths))
		changed = spares_judge(agent, &paths);
	dump_free(&paths);
	return changed;
}

void spares_event(struct agent *agent)
{
	agent->notes.spares.due = 0;
}

void spares_run(struct agent *agent)
{
	if (agent->notes.spares.due <= agent_clock() && spares_look(agent))
		agent_touch(agent);
}
