/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of metrics, for one client or a few.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_METRICS_H
#define MPTUN_TOOLS_METRICS_H

#include "conf/plan.h"

struct metrics;
struct agent;

/**
 * metrics_open() - begin to serve
 * @agent: the agent, whose file says where
 *
 * Without a key Metrics there is no server.  One that is there already is
 * closed before.  After a failure, which is reported, it is tried again.
 */
void metrics_open(struct agent *agent);

/* The file to wait for, or -1. */
int metrics_file(const struct agent *agent);

/* When metrics_run() is due, UINT64_MAX for never. */
uint64_t metrics_due(const struct agent *agent);

/* Answer requests, without waiting, or try to serve again. */
void metrics_run(struct agent *agent);

void metrics_close(struct agent *agent);

#endif /* MPTUN_TOOLS_METRICS_H */
