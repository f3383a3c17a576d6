/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of many clients: its file, /etc/mptun/server.conf.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Each client has a tunnel of its own, with a key of its own.  All of them
 * share one UDP port.
 */
#ifndef MPTUN_TOOLS_SERVER_H
#define MPTUN_TOOLS_SERVER_H

#include "conf/file.h"
#include "server/pool.h"
#include "server/store.h"

/* What no client is called: the file of the server has this name. */
#define SERVER_NAME "server"
#define SERVER_FILE (SERVER_NAME FILE_END)
/* Folder of the clients' files, in that of the server. */
#define SERVER_CLIENTS "clients"
/* Most bytes of networks that clients send into the tunnel. */
#define SERVER_ROUTES (64 * PARSE_PREFIX_LEN)

/**
 * struct server - the server
 * @file: its file
 * @error: what is wrong with it
 * @head: line of [Server], 0 if there is none
 * @res: values of keyword_server
 * @line: where each of them is
 * @pool: its addresses
 * @folder: folder of the files; locked
 * @clients: folder of the clients' files, -1 if there is none
 */
struct server {
	struct conf_file file;
	struct conf_error error;
	int head;
	struct parse_result res;
	int line[PARSE_KEYS_MAX];
	struct pool pool;
	int folder;
	int clients;
};

/**
 * server_open() - read the file of the server
 * @server: set to the server, NULL on failure
 * @change: clients will change; others wait meanwhile
 *
 * Return: 0, or the exit status of the program after a message.
 */
int server_open(struct server **server, bool change);

/**
 * server_close() - end the work with a server
 * @server: the server, or NULL
 */
void server_close(struct server *server);

/**
 * server_init() - write the file of a new server
 * @res: values of keyword_server; endpoint is set
 *
 * Return: 0, or the exit status of the program after a message.
 */
int server_init(struct parse_result *res);

/**
 * server_port() - its UDP port
 * @server: the server
 *
 * Return: the port.
 */
unsigned int server_port(const struct server *server);

/**
 * server_masquerade() - whether clients get the address of the server
 * @server: the server
 *
 * Return: true if so.
 */
bool server_masquerade(const struct server *server);

#endif /* MPTUN_TOOLS_SERVER_H */
