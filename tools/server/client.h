/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clients of a server, and their files.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * A client has two files: clients/NAME.conf, which the operator copies to it,
 * and NAME.conf, its tunnel at the server.  Both have its key.
 */
#ifndef MPTUN_TOOLS_CLIENT_H
#define MPTUN_TOOLS_CLIENT_H

#include "server/server.h"

/**
 * struct client - a client
 * @name: its name, which is that of its tunnel
 * @pair: its addresses
 */
struct client {
	char name[PARSE_TEXT_MAX + 1];
	struct pool_pair pair;
};

/**
 * struct client_list - clients
 * @client: the clients, by name
 * @count: their number
 */
struct client_list {
	struct client *client;
	size_t count;
};

/**
 * client_names() - read which clients there are, without their addresses
 * @server: the server
 * @list: filled in, to be freed by client_free()
 *
 * Their files are not opened.
 */
void client_names(const struct server *server, struct client_list *list);

/**
 * client_read() - read which clients there are, and their addresses
 * @server: the server
 * @list: filled in, to be freed by client_free(); also on failure
 *
 * Clients whose files are wrong have no addresses.
 *
 * Return: 0, or the exit status of the program after a message about each file
 *	that is wrong.
 */
int client_read(const struct server *server, struct client_list *list);

/**
 * client_look() - the same, without messages
 * @server: the server
 * @list: filled in, to be freed by client_free()
 */
void client_look(const struct server *server, struct client_list *list);

/**
 * client_free() - free a list
 * @list: the list, empty afterwards
 */
void client_free(struct client_list *list);

/**
 * client_find() - find a client
 * @list: the list
 * @name: its name
 *
 * Return: the client, or NULL.
 */
const struct client *client_find(const struct client_list *list,
				 const char *name);

/**
 * client_new() - check whether a client of this name can be added
 * @server: the server
 * @list: the clients that there are
 * @name: the name
 *
 * Return: 0, or the exit status of the program after a message.
 */
int client_new(const struct server *server, const struct client_list *list,
	       const char *name);

/**
 * client_add() - draw keys and write files, for all clients or for none
 * @server: the server, opened for changes
 * @more: the clients, with names and addresses
 *
 * A signal that is noted before the first file has its name ends it.  Also
 * after a crash there is no client with one file: see client_recover().
 *
 * Return: 0, or the exit status of the program after a message.
 */
int client_add(const struct server *server, const struct client_list *more);

/**
 * client_remove() - delete the files of a client
 * @server: the server, opened for changes
 * @name: its name
 *
 * No signal interrupts it.
 *
 * Return: 0, or the exit status of the program after a message.
 */
int client_remove(const struct server *server, const char *name);

/**
 * client_recover() - end or undo what was interrupted
 * @server: the server, opened for changes
 */
void client_recover(const struct server *server);

/**
 * client_file() - the file of a client that is copied to it
 * @name: name of the client
 *
 * Return: the file without its contents, or NULL after a message.
 */
struct conf_file *client_file(const char *name);

#endif /* MPTUN_TOOLS_CLIENT_H */
