/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check of the file of a server.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_CHECK_H
#define MPTUN_TOOLS_CHECK_H

#include "server/server.h"

/**
 * server_check() - check the values of a server, and make its pool
 * @server: the server, with its values and their lines
 *
 * What it accepts is good for the files of clients.
 *
 * Return: 0, or -1 with @server->error set.
 */
int server_check(struct server *server);

#endif /* MPTUN_TOOLS_CHECK_H */
