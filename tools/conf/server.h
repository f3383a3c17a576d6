/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Servers of a tunnel, of which one is in use.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_CONF_SERVER_H
#define MPTUN_TOOLS_CONF_SERVER_H

#include "conf/plan.h"

/**
 * server_read() - take a list of servers
 * @plan: the plan
 * @line: where it is
 * @list: the list, HOST[:PORT] with commas in between
 *
 * Return: 0, or -1 with @plan->error set.
 */
int server_read(struct plan *plan, int line, char *list);

/**
 * server_metrics() - take where metrics are served
 * @plan: the plan
 * @line: where it is
 * @value: the path of a socket, or [ADDRESS:]PORT
 *
 * Return: 0, or -1 with @plan->error set.
 */
int server_metrics(struct plan *plan, int line, char *value);

/**
 * server_lead() - lead a path to a server
 * @path: the path
 * @plan: the plan
 * @index: which one; a path that has a peer keeps it with the first one
 */
void server_lead(struct plan_path *path, const struct plan *plan, size_t index);

/**
 * server_use() - lead all paths to a server
 * @plan: the plan
 * @index: which one; with the first one paths that have a peer keep that
 */
void server_use(struct plan *plan, size_t index);

/**
 * server_moves() - whether paths are moved from one server to another
 * @plan: the plan
 *
 * Return: true if so; where they lead to is the concern of the agent then.
 */
bool server_moves(const struct plan *plan);

#endif /* MPTUN_TOOLS_CONF_SERVER_H */
