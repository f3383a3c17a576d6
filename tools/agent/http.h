/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The server of metrics and of the status page, for a few clients.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_HTTP_H
#define MPTUN_TOOLS_HTTP_H

#include "conf/plan.h"

struct agent;
struct http;

/**
 * http_open() - begin to serve
 * @agent: the agent, whose file says where
 *
 * Without a key Metrics there is no server.  One that is there already is
 * closed before.  After a failure, which is reported, it is tried again.
 */
void http_open(struct agent *agent);

/* The file to wait for, or -1. */
int http_file(const struct agent *agent);

/* When http_run() is due, UINT64_MAX for never. */
uint64_t http_due(const struct agent *agent);

/* Answer requests, without waiting, or try to serve again. */
void http_run(struct agent *agent);

void http_close(struct agent *agent);

#endif /* MPTUN_TOOLS_HTTP_H */
