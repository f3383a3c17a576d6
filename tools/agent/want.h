/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths that a tunnel is to have, and how they come about.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  What the agent remembers is one note for each path that is its
 * concern: one of an uplink, or one of the file whose peer has a name.  All
 * else follows from the file, the machine and the tunnel, so that it begins
 * where another one ended.
 */
#ifndef MPTUN_TOOLS_WANT_H
#define MPTUN_TOOLS_WANT_H

#include "agent/find.h"
#include "agent/spare.h"
#include "conf/number.h"

/* Most paths that are found: each has a table. */
#define WANT_UPLINKS (NUMBER_BLOCK - NUMBER_UPLINKS)
/* Most notes: those of the file have one each. */
#define WANT_NOTES (MPTUN_PATHS_MAX + WANT_UPLINKS)

/* A route that is lost and comes back within this time costs no path. */
#define WANT_GONE_MS 5000

/**
 * struct want_note - what is remembered of a path
 * @name: its name; "" if the note is free
 * @number: of the table of its uplink; 0 for a path of the file
 * @host: name of its peer, NULL if that has none
 * @ask4: the path may have an IPv4 address of it
 * @ask6: the path may have an IPv6 address of it
 * @dev: device that the path is bound to, or ""
 * @next: address that its peer is to have; not set if that stays
 * @used: the path is wanted; set by want_make()
 * @held: it stays although its uplink does not lead to its peer, and so does
 *	what is in its table
 * @gone: when it is deleted, as its uplink is gone; 0 if that is there
 */
struct want_note {
	char name[PARSE_TEXT_MAX + 1];
	uint32_t number;
	const char *host;
	bool ask4;
	bool ask6;
	char dev[PARSE_TEXT_MAX + 1];
	struct parse_value next;
	bool used;
	bool held;
	uint64_t gone;
};

/**
 * struct want_notes - what is remembered
 * @note: the notes
 * @now: the time in ms, of a clock that does not jump
 * @lead: paths of the tunnel that are led to the server in use, one bit each
 * @found: address of the host that its @word names, for all paths to it; not
 *	set if that is not known
 * @spares: which spares are needed
 */
struct want_notes {
	struct want_note note[WANT_NOTES];
	uint64_t now;
	uint64_t lead;
	struct parse_value found;
	struct spares spares;
};

/**
 * struct want_step - a change of a path
 * @cmd: MPTUN_CMD_PATH_NEW, _SET or _DEL
 * @spare: it is a spare that joins or leaves
 * @path: the path; of those of _SET what changes
 */
struct want_step {
	uint8_t cmd;
	bool spare;
	struct plan_path path;
};

/* Most steps. */
#define WANT_STEPS (2 * MPTUN_PATHS_MAX)

/**
 * want_find() - find the note of a path
 * @notes: the notes
 * @name: name of the path
 *
 * Return: the note, or NULL.
 */
struct want_note *want_find(struct want_notes *notes, const char *name);

/**
 * want_table() - remember the table of an uplink, as it is in a rule
 * @notes: the notes
 * @dev: the uplink
 * @number: its table
 */
void want_table(struct want_notes *notes, const char *dev, uint32_t number);

/**
 * want_make() - make the plan of a tunnel with the paths of its uplinks
 * @want: the plan of the file, which gets these paths
 * @world: the machine
 * @have: the tunnel as it is
 * @notes: what is remembered, with the time and what is to be led, brought up
 *	to date
 * @all: an address that the file gives counts more than the present one
 *
 * A path whose peer has a name that is not known yet is left out, and so is a
 * spare that is not needed.
 */
void want_make(struct plan *want, const struct world *world,
	       const struct plan *have, struct want_notes *notes, bool all);

/**
 * want_steps() - how a tunnel gets the paths that it is to have
 * @want: by want_make()
 * @have: the tunnel as it is
 * @notes: what is remembered
 * @all: change all settings of uplinks that differ, not only addresses
 * @step: filled in with at most WANT_STEPS changes
 *
 * Return: their number.
 */
size_t want_steps(const struct plan *want, const struct plan *have,
		  struct want_notes *notes, bool all, struct want_step *step);

/**
 * want_held() - tables of the tunnel that stay as they are
 * @notes: what is remembered, after want_make()
 *
 * Return: one bit for each.
 */
uint64_t want_held(const struct want_notes *notes);

/**
 * want_due() - when the next path is to be deleted
 * @notes: what is remembered, after want_make()
 *
 * Return: the time, UINT64_MAX for never.
 */
uint64_t want_due(const struct want_notes *notes);

/**
 * want_done() - a step has succeeded
 * @note: the note of its path
 * @cmd: what was done
 */
void want_done(struct want_note *note, uint8_t cmd);

#endif /* MPTUN_TOOLS_WANT_H */
