/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the status page shows, as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_STATUS_H
#define MPTUN_TOOLS_STATUS_H

#include <jansson.h>

#include "agent/events.h"
#include "agent/summary.h"
#include "lib/board.h"

/**
 * status_json() - tunnels, their paths, and events
 * @board: the tunnels
 * @events: the events
 * @time: the time, as RFC 3339 has it
 * @view: the summary of the other end of a tunnel
 *
 * Fields of tunnels and paths are those of "mptunctl show -j".  Besides, "why"
 * is the reason in words, and a rate is null as long as it is not known.
 * "peer" of a tunnel is the summary of its other end, or null.
 *
 * Return: a new object, NULL without memory.
 */
json_t *status_json(const struct board *board, const struct events *events,
		    const char *time, const struct summary_view *view);

#endif /* MPTUN_TOOLS_STATUS_H */
