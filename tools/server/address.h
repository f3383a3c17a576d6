/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses for clients that are added.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_ADDRESS_H
#define MPTUN_TOOLS_ADDRESS_H

#include "server/client.h"

/**
 * address_take() - take addresses that nobody has
 * @server: the server, opened for changes
 * @have: the clients that there are
 * @more: the clients to be added, which get addresses
 * @given: text of the addresses of the first one, or NULL
 *
 * Nobody is a client, or a tunnel with a file in the folder of the server.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int address_take(const struct server *server, const struct client_list *have,
		 struct client_list *more, const char *given);

#endif /* MPTUN_TOOLS_ADDRESS_H */
