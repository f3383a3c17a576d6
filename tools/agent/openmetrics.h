/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of tunnels and paths in the format OpenMetrics.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_OPENMETRICS_H
#define MPTUN_TOOLS_OPENMETRICS_H

#include <stdio.h>

#include "agent/summary.h"
#include "lib/dump.h"

#define OPENMETRICS_TYPE \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/**
 * openmetrics_write() - write all figures
 * @to: where to
 * @sample: tunnels and their paths
 * @view: the summary of the other end of a tunnel
 */
void openmetrics_write(FILE *to, const struct dump_sample *sample,
		       const struct summary_view *view);

/**
 * openmetrics_host() - whether a request is meant for this machine
 * @host: what it has as Host, or NULL
 * @name: name of the machine
 *
 * A page of a browser that was given another address for its own name has that
 * name there.
 *
 * Return: true if it is an address, "localhost" or the name of the machine.
 */
bool openmetrics_host(const char *host, const char *name);

#endif /* MPTUN_TOOLS_OPENMETRICS_H */
