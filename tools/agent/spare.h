/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When spares join a tunnel, and when they leave.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure.  Times are in milliseconds, of a clock that does not jump.  A spare is
 * a path that is only in the kernel while the others do not meet a bound.
 */
#ifndef MPTUN_TOOLS_SPARE_H
#define MPTUN_TOOLS_SPARE_H

#include <linux/mptun.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse.h"

/* A path that begins counts as working for this long. */
#define SPARE_TRY_MS 3000
/* How long the others meet the bounds without a spare before it leaves. */
#define SPARE_SETTLE_MS 60000
/* Rates are looked at this often, as the kernel does not report changes. */
#define SPARE_LOOK_MS 1000
/* The rate of a path is the highest one of this number of such times. */
#define SPARE_LOOKS 5
/* Those of the kernel, those of the file, and uplinks. */
#define SPARE_PATHS (3 * MPTUN_PATHS_MAX)

enum spare_kind {
	SPARE_GONE,
	SPARE_BEGINS,
	SPARE_WORKS,
	SPARE_FAILS,
};

/**
 * struct spare_path - a path
 * @name: its name
 * @kind: what the kernel says about it; SPARE_GONE if it has no such path
 * @rate: its rates of the last seconds, in bits per second; 0 if not known
 * @sent: bytes that it had sent when that was looked at
 * @sent_at: when that was, 0 for never
 * @filled: it has carried half of its rate or more, so that is measured
 * @offered: it is a spare that can have a path
 * @file: and one of the file, not of an uplink that was found
 * @wanted: this spare is to have a path
 * @since: when it was seen or wanted first
 * @met: the others meet the bounds without it
 * @over: since when they do
 */
struct spare_path {
	char name[PARSE_TEXT_MAX + 1];
	enum spare_kind kind;
	uint64_t rate[SPARE_LOOKS];
	uint64_t sent;
	uint64_t sent_at;
	bool filled;
	bool offered;
	bool file;
	bool wanted;
	uint64_t since;
	bool met;
	uint64_t over;
};

/**
 * struct spare_bounds - the bounds of a tunnel
 * @paths: smallest number of working paths, 0 for none
 * @rate: smallest sum of their rates in bits per second, 0 for none
 */
struct spare_bounds {
	size_t paths;
	uint64_t rate;
};

/**
 * struct spare_sum - what paths carry together
 * @paths: how many work, or have begun to
 * @rate: sum of their rates
 * @open: one of them has a rate that is not known yet
 */
struct spare_sum {
	size_t paths;
	uint64_t rate;
	bool open;
};

/**
 * struct spares - the paths of a tunnel and its spares
 * @path: in the order in which spares join
 * @count: their number
 * @look: which of the rates of a path is the present one
 * @looked: since when it is
 * @now: the time
 * @due: when to look again, UINT64_MAX for when something changes
 * @sum: what all paths carry that are to stay
 */
struct spares {
	struct spare_path path[SPARE_PATHS];
	size_t count;
	size_t look;
	uint64_t looked;
	uint64_t now;
	uint64_t due;
	struct spare_sum sum;
};

/**
 * spare_begin() - begin a look
 * @spares: what is known; its paths count until they are seen or offered
 * @now: the time
 * @before: filled in with what was known
 */
void spare_begin(struct spares *spares, uint64_t now, struct spares *before);

/**
 * spare_add() - a path is in the kernel, or a spare can have one
 * @spares: the paths; spares come in the order in which they join
 * @before: by spare_begin()
 * @name: name of the path
 *
 * Return: the path, NULL if there are too many.
 */
struct spare_path *spare_add(struct spares *spares,
			     const struct spares *before, const char *name);

/* Sets the rate that a path has now. */
void spare_rate(struct spares *spares, struct spare_path *path, uint64_t rate);

/**
 * spare_measure() - set the rate that a path has now, if it is one
 * @spares: the paths
 * @path: the path, which works
 * @rate: what its congestion controller lets it send, in bits per second
 * @sent: bytes that it has sent
 *
 * As long as a path has not carried half of its rate for SPARE_LOOK_MS, the
 * rate is a guess, and not set.
 */
void spare_measure(struct spares *spares, struct spare_path *path,
		   uint64_t rate, uint64_t sent);

/**
 * spare_judge() - decide which spares are to have paths
 * @spares: the paths, with all that is known
 * @bounds: the bounds
 *
 * One that has a path keeps it until the others have met the bounds without it
 * for SPARE_SETTLE_MS.  If all of them do not meet the bounds others join.
 */
void spare_judge(struct spares *spares, const struct spare_bounds *bounds);

/**
 * spare_find() - find a path
 * @spares: the paths
 * @name: its name
 *
 * Return: the path, NULL if it is not known.
 */
const struct spare_path *spare_find(const struct spares *spares,
				    const char *name);

/* Whether a spare is to have a path. */
bool spare_wanted(const struct spares *spares, const char *name);

/* Whether a spare is to have none, though it could. */
bool spare_idle(const struct spares *spares, const char *name);

#endif /* MPTUN_TOOLS_SPARE_H */
