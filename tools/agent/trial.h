/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trial whether another server answers.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Only a server with the key answers, and packets of a tunnel are for one
 * server at a time.  So a tunnel of its own, with the same key and one path,
 * asks another one, while the real tunnel carries its traffic, or waits for the
 * server in use.
 */
#ifndef MPTUN_TOOLS_TRIAL_H
#define MPTUN_TOOLS_TRIAL_H

#include <net/if.h>

#include "agent/lookup.h"
#include "agent/want.h"
#include "conf/file.h"
#include "lib/record.h"

/* After this time the next path of the tunnel is tried. */
#define TRIAL_MOST_MS 60000
/* Most paths whose uplinks a trial may take. */
#define TRIAL_WAYS (MPTUN_PATHS_MAX + WANT_NOTES)

/**
 * struct trial - a trial
 * @dev: name of its tunnel
 * @made: there is this tunnel
 * @failed: it could not be made, which was reported
 * @server: the server that it asks
 * @most: time in ms that its path has to come up
 * @of: the path of the real tunnel whose uplink it takes, "" for none yet
 * @path: its path
 * @lookup: look-up of the name of the server, or NULL
 * @up: its path is up
 * @due: when to look again, AGAIN_NEVER for never
 */
struct trial {
	char dev[IF_NAMESIZE];
	bool made;
	bool failed;
	size_t server;
	uint64_t most;
	char of[PARSE_TEXT_MAX + 1];
	struct plan_path path;
	struct lookup *lookup;
	bool up;
	uint64_t due;
};

struct agent;

/* Name its tunnel after the real one. */
void trial_init(struct trial *trial, const char *name);

/* Whether there is its tunnel; others may have deleted it. */
bool trial_there(struct trial *trial);

/* Number of paths whose uplinks it may take. */
size_t trial_count(const struct agent *agent);

/**
 * trial_begin() - try a server
 * @agent: the agent, whose paths lead to another one
 * @server: the server
 * @same: take the uplink of the trial before, else that of the next path
 * @ms: time that it has
 */
void trial_begin(struct agent *agent, size_t server, bool same, uint64_t ms);

/**
 * trial_answer() - take the address of the server
 * @agent: the agent
 * @answer: what was found
 */
void trial_answer(struct agent *agent, const struct lookup_answer *answer);

/**
 * trial_record() - the path of a trial may have changed its state
 * @trial: the trial
 * @path: a path of any tunnel
 * @ms: time that it has to be up, until the trial is due
 *
 * Return: true if it has come up.
 */
bool trial_record(struct trial *trial, const struct record *path, uint64_t ms);

/* Delete its tunnel, also one that an agent before has left. */
void trial_end(struct agent *agent);

#endif /* MPTUN_TOOLS_TRIAL_H */
