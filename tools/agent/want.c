// SPDX-License-Identifier: GPL-2.0
/*
 * The paths that a tunnel is to have, and how they come about.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "agent/want.h"
#include "conf/diff.h"
#include "conf/server.h"
#include "conf/uplink.h"
#include "lib/keyword.h"

static struct parse_value *want_value(struct plan_path *path, const char *word)
{
	return &path->set.res.value[parse_find(path->set.table, word)];
}

static const struct plan_path *want_path(const struct plan *plan,
					 const char *name)
{
	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return &plan->path[i];
	return NULL;
}

/* Whether a path is to be moved to the server in use. */
static bool want_led(const struct want_notes *notes, const struct plan *have,
		     const char *name)
{
	const struct plan_path *path = want_path(have, name);

	return path && notes->lead >> (path - have->path) & 1;
}

/* Sets the host of a note, and its address if that was just found. */
static void want_host(const struct want_notes *notes, struct want_note *note,
		      const char *host)
{
	const struct parse_value *found = &notes->found;

	note->host = host;
	if (!host || !found->set || strcmp(host, found->word) ||
	    !(found->family == 6 ? note->ask6 : note->ask4))
		return;
	note->next = *found;
	note->next.word = NULL;
}

struct want_note *want_find(struct want_notes *notes, const char *name)
{
	for (size_t i = 0; i < WANT_NOTES; i++)
		if (!strcmp(notes->note[i].name, name))
			return &notes->note[i];
	return NULL;
}

static bool want_taken(const struct want_notes *notes, uint32_t number)
{
	for (size_t i = 0; i < WANT_NOTES; i++)
		if (notes->note[i].name[0] && notes->note[i].number == number)
			return true;
	return false;
}

/* A free note; there are as many as a tunnel may have paths and tables. */
static struct want_note *want_new(struct want_notes *notes, const char *name,
				  uint32_t number)
{
	struct want_note *note = want_find(notes, "");

	if (!note)
		return NULL;
	memset(note, 0, sizeof(*note));
	snprintf(note->name, sizeof(note->name), "%s", name);
	note->number = number;
	return note;
}

void want_table(struct want_notes *notes, const char *dev, uint32_t number)
{
	if (!want_taken(notes, number) && !want_find(notes, dev))
		want_new(notes, dev, number);
}

static struct want_note *want_note(struct want_notes *notes, const char *name,
				   bool uplink)
{
	struct want_note *note = want_find(notes, name);
	uint32_t number = uplink ? NUMBER_UPLINKS : 0;

	/* The path was added to the file, or removed from it. */
	if (note && uplink == !note->number) {
		memset(note, 0, sizeof(*note));
		note = NULL;
	}
	while (!note && uplink && want_taken(notes, number))
		if (++number == NUMBER_BLOCK)
			return NULL;
	if (!note)
		note = want_new(notes, name, number);
	if (note) {
		note->used = true;
		note->held = false;
		note->gone = 0;
	}
	return note;
}

/* The address of the peer: the next one, the present one, that of the file. */
static struct parse_value want_remote(const struct want_note *note,
				      const struct plan_path *have,
				      const struct parse_value *given, bool all)
{
	const struct parse_value *present;

	if (all && given->family)
		return *given;
	if (note->next.set)
		return note->next;
	present = have ? plan_value(&have->set, "remote") : NULL;
	return present ? *present : *given;
}

/* Collects the addresses of a device, from which packets take its gateway. */
static void want_own(const struct world *world, int index, int version,
		     struct plan_path *path)
{
	for (size_t i = 0; i < world->addrs && path->owns < PLAN_OWN_MAX; i++)
		if (world->addr[i].index == index &&
		    world->addr[i].version == version)
			memcpy(path->own[path->owns++], world->addr[i].addr,
			       16);
}

static void want_gateway(const struct world_route *route,
			 struct plan_path *path)
{
	path->gateway = route->mixed ? 0 : path->line;
	path->direct = !route->via;
	path->onlink = route->onlink;
	path->via.set = true;
	path->via.family = route->via ? route->version : 0;
	memcpy(path->via.addr, route->gateway, sizeof(route->gateway));
}

/* A literal address stays as it is; a name may have one of each version. */
static bool want_address(const struct want_notes *notes,
			 const struct find_uplink *uplink,
			 const struct plan_path *have, struct want_note *note,
			 bool all, struct parse_value *remote)
{
	const struct parse_value *given, *present;

	given = plan_value(&uplink->model->set, "remote");
	note->ask4 = find_route(uplink, 4);
	note->ask6 = find_route(uplink, 6);
	want_host(notes, note, given->word);
	snprintf(note->dev, sizeof(note->dev), "%s", uplink->link->name);
	*remote = want_remote(note, have, given, all);
	if (remote->family && find_route(uplink, remote->family))
		return true;
	/* The new or present address is of the other version of IP. */
	*remote = *given;
	if (remote->family && find_route(uplink, remote->family))
		return true;
	/* An address may be found, or the route may come back. */
	present = have ? plan_value(&have->set, "remote") : NULL;
	if (!present)
		return false;
	*remote = *present;
	note->held = true;
	return true;
}

static void want_uplink(struct plan *want, const struct world *world,
			const struct plan *have, struct want_notes *notes,
			const struct find_uplink *uplink, bool all)
{
	const char *name = uplink->link->name;
	struct parse_value remote, *dev;
	struct want_note *note;
	struct plan_path *path;

	if (want->paths == MPTUN_PATHS_MAX ||
	    (uplink->model->spare && !spare_wanted(&notes->spares, name)))
		return;
	note = want_note(notes, name, true);
	if (!note || !want_address(notes, uplink, want_path(have, name), note,
				   all || want_led(notes, have, name), &remote))
		return;
	path = &want->path[want->paths++];
	*path = *uplink->model;
	snprintf(path->name, sizeof(path->name), "%s", name);
	path->number = note->number;
	*want_value(path, "remote") = remote;
	dev = want_value(path, "dev");
	dev->set = true;
	snprintf(dev->text, sizeof(dev->text), "%s", name);
	path->gateway = 0;
	if (note->held)
		return;
	want_gateway(find_route(uplink, remote.family), path);
	want_own(world, uplink->link->index, remote.family, path);
}

/* The kernel knows the address of a name that the file has. */
static void want_given(struct plan_path *path, const struct plan *have,
		       struct want_notes *notes)
{
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *dev = plan_value(&path->set, "dev");
	struct parse_value *remote = want_value(path, "remote");
	int family = local ? local->family : 0;
	struct want_note *note = NULL;

	if (!family)
		family = path->via.family;
	if (remote->word)
		note = want_note(notes, path->name, false);
	if (note) {
		note->ask4 = family != 6;
		note->ask6 = family != 4;
		want_host(notes, note, remote->word);
		snprintf(note->dev, sizeof(note->dev), "%s",
			 dev ? dev->text : "");
		*remote = want_remote(note, want_path(have, path->name),
				      remote, false);
	}
	/* The path is not there, but its gateway may be. */
	if (!remote->family)
		remote->family = family;
	if (!remote->family)
		path->gateway = 0;
}

/* Frees a note.  That of an uplink is kept as long as its path exists. */
static void want_drop(struct want_note *note, const struct plan *have,
		      uint64_t now, bool idle)
{
	if (!note->number || !want_path(have, note->name)) {
		memset(note, 0, sizeof(*note));
		return;
	}
	note->host = NULL;
	note->next.set = false;
	if (!note->gone)
		note->gone = now + WANT_GONE_MS;
	note->held = !idle && now < note->gone;
}

/* Whether the address of the peer is known, and not only its name. */
static bool want_peer(const struct plan_path *path)
{
	return !plan_value(&path->set, "remote")->word;
}

/* Takes the paths of the file, except spares that are not needed, or whose peer
 * is not known yet.
 */
static void want_file(struct plan *want, const struct plan *have,
		      struct want_notes *notes)
{
	size_t given = want->paths;

	want->paths = 0;
	for (size_t i = 0; i < given; i++) {
		struct plan_path *path = &want->path[want->paths];

		if (i != want->paths)
			*path = want->path[i];
		if (path->spare && !spare_wanted(&notes->spares, path->name))
			continue;
		want_given(path, have, notes);
		want->paths += !path->spare || want_peer(path);
	}
}

void want_make(struct plan *want, const struct world *world,
	       const struct plan *have, struct want_notes *notes, bool all)
{
	struct find_uplink uplink[FIND_MAX];
	size_t count = find_uplinks(world, want, uplink);

	for (size_t i = 0; i < WANT_NOTES; i++)
		notes->note[i].used = false;
	want_file(want, have, notes);
	for (size_t i = 0; i < count; i++)
		want_uplink(want, world, have, notes, &uplink[i], all);
	for (size_t i = 0; i < WANT_NOTES; i++) {
		struct want_note *note = &notes->note[i];

		if (!note->used)
			want_drop(note, have, notes->now,
				  spare_idle(&notes->spares, note->name));
	}
}

/* Sets the address that a path is moved to, and the port of the server. */
static bool want_moved(bool lead, const struct plan_path *want,
		       const struct plan_path *have, struct plan_path *change)
{
	const struct parse_value *to = plan_value(&want->set, "remote");
	const struct parse_value *from = plan_value(&have->set, "remote");
	const struct parse_value *port = plan_value(&want->set, "port");
	const struct parse_value *was = plan_value(&have->set, "port");
	bool ports = lead && was &&
		     was->num != (port ? port->num : MPTUN_PORT_DEFAULT);

	if (!ports && (!to->family ||
		       (from && to->family == from->family &&
			!memcmp(to->addr, from->addr,
				to->family == 4 ? 4 : 16))))
		return false;
	*change = *want;
	memset(&change->set.res, 0, sizeof(change->set.res));
	if (to->family)
		*want_value(change, "remote") = *to;
	if (ports) {
		*want_value(change, "port") = *was;
		want_value(change, "port")->num = port ? port->num :
							 MPTUN_PORT_DEFAULT;
	}
	return true;
}

static size_t want_change(const struct plan_path *want,
			  const struct plan *have, bool all, bool lead,
			  struct want_step *step)
{
	const struct plan_path *path = want_path(have, want->name);

	step->path = *want;
	if (!path) {
		step->cmd = MPTUN_CMD_PATH_NEW;
		return 1;
	}
	step->cmd = MPTUN_CMD_PATH_SET;
	if (all)
		return diff_set(&want->set, &path->set, have, &step->path.set);
	return want_moved(lead, want, path, &step->path);
}

/* Whether a path is to be deleted: never one that was made by hand. */
static bool want_deleted(const struct plan *want, struct want_notes *notes,
			 const struct plan_path *path)
{
	const struct want_note *note = want_find(notes, path->name);

	return note && note->number && !note->used && !note->held &&
	       uplink_owns(want, path);
}

/* Whether a path is a spare of the file that is not needed. */
static bool want_idle(const struct want_notes *notes,
		      const struct plan_path *path)
{
	const struct spare_path *spare = spare_find(&notes->spares,
						    path->name);

	return spare && spare->file && spare_idle(&notes->spares, path->name);
}

uint64_t want_held(const struct want_notes *notes)
{
	uint64_t held = 0;

	for (size_t i = 0; i < WANT_NOTES; i++)
		if (notes->note[i].held)
			held |= 1ull << notes->note[i].number;
	return held;
}

uint64_t want_due(const struct want_notes *notes)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < WANT_NOTES; i++)
		if (notes->note[i].held && notes->note[i].gone &&
		    notes->note[i].gone < due)
			due = notes->note[i].gone;
	return due;
}

void want_done(struct want_note *note, uint8_t cmd)
{
	if (cmd == MPTUN_CMD_PATH_DEL)
		memset(note, 0, sizeof(*note));
	else
		note->next.set = false;
}

size_t want_steps(const struct plan *want, const struct plan *have,
		  struct want_notes *notes, bool all, struct want_step *step)
{
	size_t count = 0;

	for (size_t i = 0; i < have->paths; i++) {
		const struct plan_path *path = &have->path[i];

		if (!want_idle(notes, path) &&
		    !want_deleted(want, notes, path))
			continue;
		step[count].cmd = MPTUN_CMD_PATH_DEL;
		step[count].spare = spare_idle(&notes->spares, path->name);
		step[count++].path = *path;
	}
	for (size_t i = 0; i < want->paths; i++) {
		const struct plan_path *path = &want->path[i];
		struct want_note *note = want_find(notes, path->name);
		bool uplink = note && note->number;
		bool next = note && note->next.set;
		bool led = want_led(notes, have, path->name);
		bool there = want_path(have, path->name);

		step[count].spare = path->spare;
		/* syncconf sets the paths of the file; the agent only moves
		 * them to another server, and adds spares.
		 */
		if (uplink || (path->spare && !there) ||
		    (there && (next || led)))
			count += want_change(path, have, all && uplink,
					     server_moves(want) &&
					     (next || led), &step[count]);
	}
	return count;
}
