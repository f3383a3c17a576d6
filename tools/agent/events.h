/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last events that an agent has seen.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure, and of a fixed size.
 */
#ifndef MPTUN_TOOLS_EVENTS_H
#define MPTUN_TOOLS_EVENTS_H

#include <jansson.h>
#include <stddef.h>

#include "lib/report.h"

/* Events that are kept. */
#define EVENTS_MAX 50
/* Longest time, as RFC 3339 has it. */
#define EVENTS_TIME_MAX 39

/**
 * struct events - the last events
 * @list: the events, a ring
 * @time: time of one
 * @text: its sentence
 * @count: number of events so far
 */
struct events {
	struct {
		char time[EVENTS_TIME_MAX + 1];
		char text[REPORT_TEXT_MAX + 1];
	} list[EVENTS_MAX];
	size_t count;
};

/**
 * events_add() - add an event, instead of the oldest one if there are many
 * @events: the events
 * @time: its time
 * @text: its sentence
 */
void events_add(struct events *events, const char *time, const char *text);

/**
 * events_json() - the events as a JSON array, the latest one first
 * @events: the events
 *
 * Return: a new array, NULL without memory.
 */
json_t *events_json(const struct events *events);

#endif /* MPTUN_TOOLS_EVENTS_H */
