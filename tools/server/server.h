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
 * enum server_use - what a server is opened for
 * @SERVER_LOOK: its names, at once
 * @SERVER_READ: its clients; waits while their files change
 * @SERVER_CHANGE: a change of clients; waits for the end of another one
 * @SERVER_END: the same for what ends them, and does not need what its file
 *	says: a mistake there is a warning
 */
enum server_use {
	SERVER_LOOK,
	SERVER_READ,
	SERVER_CHANGE,
	SERVER_END,
};

/**
 * struct server - the server
 * @file: its file
 * @error: what is wrong with it
 * @head: line of [Server], 0 if there is none
 * @res: values of keyword_server
 * @line: where each of them is
 * @pool: its addresses
 * @folder: folder of the files; locked while they change, or are read
 * @clients: folder of the clients' files, -1 if there is none; locked by who
 *	changes clients
 * @change: it is opened for that
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
	bool change;
};

/**
 * server_open() - read the file of the server
 * @server: set to the server, NULL on failure
 * @use: what for
 *
 * Return: 0, or the exit status of the program after a message.
 */
int server_open(struct server **server, enum server_use use);

/**
 * server_unlock() - let others read the clients
 * @server: the server, opened for changes
 *
 * Commands of files do so.  Others that want to change clients still wait.
 */
void server_unlock(struct server *server);

/**
 * server_lock() - let nobody read them, after server_unlock()
 * @server: the server
 *
 * Return: 0, or the exit status of the program after a message.
 */
int server_lock(struct server *server);

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
