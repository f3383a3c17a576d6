/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses that files of tunnels have.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_TAKEN_H
#define MPTUN_TOOLS_TAKEN_H

#include "server/client.h"

/**
 * struct taken - an address, or a prefix of addresses
 * @name: the tunnel
 * @own: it is an address of this machine
 * @entry: the address
 */
struct taken {
	char name[PARSE_TEXT_MAX + 1];
	bool own;
	unsigned char entry[PARSE_PREFIX_LEN];
};

/**
 * struct taken_list - addresses of the pool that tunnels of this machine have
 * @list: the addresses
 * @count: their number
 */
struct taken_list {
	struct taken *list;
	size_t count;
};

/**
 * taken_read() - read the addresses of all tunnels in the folder of the server
 * @server: the server
 * @taken: filled in, to be freed by taken_free(); also on failure
 *
 * They are in Address, Routes and AllowedIPs.  A tunnel may be that of a client
 * whose own file was deleted, or be made by hand.
 *
 * Return: 0, or the exit status of the program after a message about each file
 *	that is wrong.
 */
int taken_read(const struct server *server, struct taken_list *taken);

/**
 * taken_find() - find the tunnel that has an address
 * @taken: the addresses
 * @entry: the address
 *
 * Return: what has it in it, or NULL.
 */
const struct taken *taken_find(const struct taken_list *taken,
			       const unsigned char *entry);

/**
 * taken_free() - free a list
 * @taken: the list
 */
void taken_free(struct taken_list *taken);

#endif /* MPTUN_TOOLS_TAKEN_H */
