// SPDX-License-Identifier: GPL-2.0
/*
 * The last events that an agent has seen.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>

#include "agent/events.h"
#include "lib/print.h"

void events_add(struct events *events, const char *time, const char *text)
{
	size_t index = events->count++ % EVENTS_MAX;

	snprintf(events->list[index].time, EVENTS_TIME_MAX + 1, "%s", time);
	snprintf(events->list[index].text, REPORT_TEXT_MAX + 1, "%s", text);
}

json_t *events_json(const struct events *events)
{
	size_t left = events->count < EVENTS_MAX ? events->count : EVENTS_MAX;
	json_t *list = json_array();

	for (size_t i = events->count; left; left--) {
		size_t index = --i % EVENTS_MAX;
		json_t *event = json_object();

		json_object_set_new(event, "time",
				    json_string(events->list[index].time));
		json_object_set_new(event, "text",
				    print_json_text(events->list[index].text));
		json_array_append_new(list, event);
	}
	return list;
}
