/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Creation and deletion of tunnels, as links.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_LINK_H
#define MPTUN_TOOLS_LINK_H

#include "lib/conn.h"

/**
 * link_create() - create a tunnel
 * @conn: connection by conn_open_route()
 * @dev: its name
 * @res: values of keyword_link
 *
 * Return: 0, or the exit status after a message.
 */
int link_create(struct conn *conn, const char *dev, struct parse_result *res);

/**
 * link_delete() - delete a link
 * @conn: connection by conn_open_route()
 * @dev: its name
 * @index: its index, 0 for the one with the name
 *
 * Return: 0, or the exit status after a message.
 */
int link_delete(struct conn *conn, const char *dev, int index);

/**
 * link_up() - set a link up
 * @conn: connection by conn_open_route()
 * @dev: its name, for the message
 * @index: its index
 *
 * Return: 0, or the exit status after a message.
 */
int link_up(struct conn *conn, const char *dev, int index);

#endif /* MPTUN_TOOLS_LINK_H */
