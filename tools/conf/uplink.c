// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that get a path by themselves, as "Uplinks" says.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <fnmatch.h>
#include <string.h>

#include "conf/uplink.h"

/* What is excluded is so wherever it stands in the list. */
static bool uplink_taken(const struct plan *plan, const char *dev)
{
	const struct plan_texts *list = &plan->host.uplink;
	bool taken = false;

	for (size_t i = 0; i < list->count; i++) {
		const char *text = list->list[i].text;
		bool out = *text == '!';

		if (fnmatch(text + out, dev, 0))
			continue;
		if (out)
			return false;
		taken = true;
	}
	return taken;
}

const struct plan_path *uplink_model(const struct plan *plan, const char *dev)
{
	if (!uplink_taken(plan, dev))
		return NULL;
	for (size_t i = 0; i < plan->paths; i++) {
		const struct parse_value *of = plan_value(&plan->path[i].set,
							  "dev");

		if (!strcmp(plan->path[i].name, dev) ||
		    (of && !strcmp(of->text, dev)))
			return NULL;
	}
	for (size_t i = 0; i < plan->models; i++)
		if (!fnmatch(plan->model[i].name, dev, 0))
			return &plan->model[i];
	return NULL;
}

bool uplink_named(const struct plan *plan, const char *dev)
{
	const struct plan_texts *list = &plan->host.uplink;

	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->list[i].text, dev))
			return true;
	return false;
}

bool uplink_owns(const struct plan *plan, const struct plan_path *path)
{
	const struct parse_value *dev = plan_value(&path->set, "dev");

	return dev && !strcmp(dev->text, path->name) &&
	       uplink_model(plan, path->name);
}
