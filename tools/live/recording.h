/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording: all figures at intervals, and events, as lines of JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_RECORDING_H
#define MPTUN_TOOLS_RECORDING_H

#include <jansson.h>
#include <stdio.h>

#include "lib/conn.h"
#include "live/watch.h"

/**
 * struct recorder - a recording
 * @watch: which tunnels
 * @conn: connection for samples
 * @events: connection for notifications
 * @listener: takes them
 * @file: where to
 * @name: its name, in messages once it is open; NULL for standard output
 * @interval: interval between samples, in microseconds
 * @duration: when to end after the beginning, 0 for never
 * @settings: the settings written last, by name of the tunnel
 * @samples: number of samples written
 */
struct recorder {
	struct watch watch;
	struct conn *conn;
	struct conn *events;
	struct conn_listener listener;
	FILE *file;
	const char *name;
	uint64_t interval;
	uint64_t duration;
	json_t *settings;
	uint64_t samples;
};

/**
 * recording_run() - record until the duration is over or a signal arrives
 * @rec: with @watch, @name, @interval and @duration filled in
 *
 * Return: exit status of the program, after a message if it is not 0.
 */
int recording_run(struct recorder *rec);

#endif /* MPTUN_TOOLS_RECORDING_H */
