/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules as the kernel lists them.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_RULE_H
#define MPTUN_TOOLS_RULE_H

#include <stdbool.h>

#include "host/host.h"
#include "host/message.h"

/**
 * rule_dump() - read all rules
 * @conn: connection by conn_open_route()
 * @version: 4 or 6
 * @list: filled in
 */
void rule_dump(struct conn *conn, int version, struct message_list *list);

/* A number of a rule, 0 if it is not there. */
uint32_t rule_u32(struct nlmsghdr *msg, int attr);

/**
 * rule_ours() - whether a rule has a table of a tunnel
 * @msg: the rule
 * @block: first table of the tunnel
 *
 * Return: true if mptunctl or the agent has set it.
 */
bool rule_ours(struct nlmsghdr *msg, uint32_t block);

/* Whether rules are for the same packets. */
bool rule_alike(struct nlmsghdr *a, struct nlmsghdr *b);

/**
 * rule_delete() - delete a rule
 * @conn: connection by conn_open_route()
 * @list: all rules of its version of IP
 * @index: which one, NULL there afterwards
 *
 * A rule that looks up the main table for the same packets goes with the last
 * one of them.
 */
void rule_delete(struct conn *conn, struct message_list *list, size_t index);

/**
 * rule_routes() - count the routes of a table
 * @conn: connection by conn_open_route()
 * @version: 4 or 6
 * @table: the table
 * @flush: delete them
 *
 * Return: how many there are, or were.
 */
size_t rule_routes(struct conn *conn, int version, uint32_t table, bool flush);

/**
 * rule_by_device() - whether packets of a path are known by their device
 * @plan: the plan
 * @path: one of its paths with a gateway
 *
 * A device has one gateway, unless paths that share it have addresses
 * by which packets are known.
 *
 * Return: true if so.
 */
bool rule_by_device(const struct plan *plan, const struct plan_path *path);

/* Adds the rules of all uplinks; returns 0, or the exit status. */
int rule_uplinks(const struct host *host);

#endif /* MPTUN_TOOLS_RULE_H */
