/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mptunctl server: what its verbs share.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_CMD_SERVER_H
#define MPTUN_TOOLS_CMD_SERVER_H

#include "cmd/command.h"
#include "lib/dump.h"
#include "server/client.h"

/**
 * struct server_words - words of a verb, without its options
 * @word: the words
 * @count: their number
 * @res: values of the options
 */
struct server_words {
	char **word;
	int count;
	struct parse_result res;
};

/**
 * server_words() - sort out the options of a verb
 * @table: the options
 * @argc: number of words
 * @argv: the words; those that are no options are moved to its beginning
 * @words: filled in
 *
 * Return: 0, or the exit status after a message.
 */
int server_words(const struct parse_table *table, int argc, char **argv,
		 struct server_words *words);

/**
 * server_firewall() - set the firewall of the server
 * @server: the server
 * @list: the clients, whose addresses need not be of its pool
 *
 * Return: 0, or the exit status after a message.
 */
int server_firewall(const struct server *server,
		    const struct client_list *list);

/**
 * server_up() - create the tunnel of a client
 * @name: its name
 *
 * Return: 0, or the exit status after a message.
 */
int server_up(const char *name);

/**
 * server_up_each() - create the tunnels of clients that have none
 * @tunnels: the tunnels that there are
 * @list: the clients
 * @up: set to the number of clients with a tunnel
 *
 * Return: 0, or the exit status after a message.
 */
int server_up_each(const struct dump_list *tunnels,
		   const struct client_list *list, size_t *up);

/**
 * server_tunnels() - read which tunnels there are
 * @list: the clients
 * @tunnels: filled in, to be freed by dump_free()
 *
 * Return: 0, or the exit status after a message.
 */
int server_tunnels(const struct client_list *list, struct dump_list *tunnels);

/**
 * server_running() - whether the clients' tunnels are to be up
 * @tunnels: the tunnels that there are
 * @list: the clients
 *
 * Return: true after "server up", or if there is one of the tunnels.
 */
bool server_running(const struct dump_list *tunnels,
		    const struct client_list *list);

/**
 * server_down() - delete the tunnel of a client, if there is one
 * @ctl: options of the run
 * @tunnels: the tunnels that there are
 * @name: its name
 *
 * Return: 0, or the exit status after a message.
 */
int server_down(const struct ctl *ctl, const struct dump_list *tunnels,
		const char *name);

extern const struct command server_add_verb;
extern const struct command server_remove_verb;
extern const struct command server_export_verb;
extern const struct command server_list_verb;

#endif /* MPTUN_TOOLS_CMD_SERVER_H */
