// SPDX-License-Identifier: GPL-2.0
/*
 * When spares join a tunnel, and when they leave.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "agent/spare.h"

void spare_begin(struct spares *spares, uint64_t now, struct spares *before)
{
	*before = *spares;
	spares->count = 0;
	spares->now = now;
	if (now - spares->looked < SPARE_LOOK_MS)
		return;
	spares->look = (spares->look + 1) % SPARE_LOOKS;
	spares->looked = now;
}

static struct spare_path *spare_entry(const struct spares *spares,
				      const char *name)
{
	for (size_t i = 0; i < spares->count; i++)
		if (!strcmp(spares->path[i].name, name))
			return (struct spare_path *)&spares->path[i];
	return NULL;
}

const struct spare_path *spare_find(const struct spares *spares,
				    const char *name)
{
	return spare_entry(spares, name);
}

struct spare_path *spare_add(struct spares *spares,
			     const struct spares *before, const char *name)
{
	const struct spare_path *was = spare_find(before, name);
	struct spare_path *path = spare_entry(spares, name);

	if (path || spares->count == SPARE_PATHS)
		return path;
	path = &spares->path[spares->count++];
	memset(path, 0, sizeof(*path));
	snprintf(path->name, sizeof(path->name), "%s", name);
	path->since = spares->now;
	/* A path that existed or was wanted keeps what is known of it. */
	if (was && (was->kind != SPARE_GONE || was->wanted)) {
		*path = *was;
		path->kind = SPARE_GONE;
		path->offered = false;
		if (spares->looked == spares->now)
			path->rate[spares->look] = 0;
	}
	return path;
}

void spare_rate(struct spares *spares, struct spare_path *path, uint64_t rate)
{
	uint64_t *now = &path->rate[spares->look];

	if (rate > *now)
		*now = rate;
}

void spare_measure(struct spares *spares, struct spare_path *path,
		   uint64_t rate, uint64_t sent)
{
	uint64_t ms = spares->now - path->sent_at;

	/* The counters of another path of that name begin again. */
	if (!path->sent_at || sent < path->sent) {
		path->filled = false;
		path->sent = sent;
		path->sent_at = spares->now;
	} else if (ms >= SPARE_LOOK_MS) {
		path->filled |= (sent - path->sent) * 8 * 1000 / ms >=
				rate / 2;
		path->sent = sent;
		path->sent_at = spares->now;
	}
	if (path->filled)
		spare_rate(spares, path, rate);
}

static uint64_t spare_highest(const struct spare_path *path)
{
	uint64_t rate = 0;

	for (size_t i = 0; i < SPARE_LOOKS; i++)
		if (path->rate[i] > rate)
			rate = path->rate[i];
	return rate;
}

/* Whether a path is new, and has time left to show that it works. */
static bool spare_tried(const struct spares *spares,
			const struct spare_path *path)
{
	bool begins = path->kind == SPARE_BEGINS ||
		      (path->wanted && path->kind == SPARE_GONE);

	return begins && spares->now - path->since < SPARE_TRY_MS;
}

static void spare_count(const struct spares *spares,
			const struct spare_path *path, struct spare_sum *sum)
{
	uint64_t rate = spare_highest(path);

	if (path->kind == SPARE_WORKS) {
		sum->paths++;
		sum->rate += rate;
		sum->open |= !rate;
	} else if (spare_tried(spares, path)) {
		sum->paths++;
		sum->open = true;
	}
}

static bool spare_meets(const struct spare_sum *sum,
			const struct spare_bounds *bounds)
{
	return sum->paths >= bounds->paths &&
	       (sum->rate >= bounds->rate || sum->open);
}

/* What other paths carry, without spares that are not needed beside them. */
static struct spare_sum spare_others(const struct spares *spares,
				     const struct spare_path *but)
{
	struct spare_sum sum = { .paths = 0 };

	for (size_t i = 0; i < spares->count; i++) {
		const struct spare_path *path = &spares->path[i];

		if (path != but && !(path->offered && path->met))
			spare_count(spares, path, &sum);
	}
	return sum;
}

static void spare_later(struct spares *spares, uint64_t when)
{
	if (when < spares->due)
		spares->due = when;
}

/* Judges a spare that has a path, or is to have one. */
static void spare_stay(struct spares *spares, struct spare_path *path,
		       const struct spare_bounds *bounds, bool was)
{
	const struct spare_sum others = spare_others(spares, path);

	path->met = spare_meets(&others, bounds);
	if (path->met && !was)
		path->over = spares->now;
	path->wanted = !path->met ||
		       spares->now - path->over < SPARE_SETTLE_MS;
	if (path->met && path->wanted)
		spare_later(spares, path->over + SPARE_SETTLE_MS);
}

static void spare_join(struct spares *spares, struct spare_path *path)
{
	path->wanted = true;
	path->met = false;
	path->since = spares->now;
	path->sent_at = 0;
	memset(path->rate, 0, sizeof(path->rate));
}

/* Lets spares leave, the last one of the order first. */
static void spare_leave(struct spares *spares,
			const struct spare_bounds *bounds)
{
	bool met[SPARE_PATHS];

	for (size_t i = 0; i < spares->count; i++) {
		struct spare_path *path = &spares->path[i];

		met[i] = path->met;
		path->met = false;
		path->wanted &= path->offered;
	}
	for (size_t i = spares->count; i-- > 0;) {
		struct spare_path *path = &spares->path[i];

		if (path->offered &&
		    (path->wanted || path->kind != SPARE_GONE))
			spare_stay(spares, path, bounds, met[i]);
	}
}

void spare_judge(struct spares *spares, const struct spare_bounds *bounds)
{
	spares->due = UINT64_MAX;
	spare_leave(spares, bounds);
	spares->sum = spare_others(spares, NULL);
	for (size_t i = 0; i < spares->count; i++) {
		struct spare_path *path = &spares->path[i];
		struct spare_sum sum = spare_others(spares, NULL);

		if (path->offered && !path->wanted &&
		    path->kind == SPARE_GONE && !spare_meets(&sum, bounds))
			spare_join(spares, path);
	}
	for (size_t i = 0; i < spares->count; i++)
		if (spare_tried(spares, &spares->path[i]))
			spare_later(spares,
				    spares->path[i].since + SPARE_TRY_MS);
	if (bounds->rate)
		spare_later(spares, spares->now + SPARE_LOOK_MS);
}

bool spare_wanted(const struct spares *spares, const char *name)
{
	const struct spare_path *path = spare_find(spares, name);

	return path && path->wanted;
}

bool spare_idle(const struct spares *spares, const char *name)
{
	const struct spare_path *path = spare_find(spares, name);

	return path && path->offered && !path->wanted;
}
