/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that change a tunnel, a path or a class: one builder for all.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_REQUEST_H
#define MPTUN_TOOLS_REQUEST_H

#include <stdint.h>

#include "lib/conn.h"

/**
 * struct request - a change of a tunnel, a path or a class
 * @cmd: command, MPTUN_CMD_*
 * @attr_dev: attribute of the tunnel's name
 * @dev: name of the tunnel
 * @attr_name: attribute of the path's name, 0 if it has none
 * @name: name of the path, or number of the class; NULL for a tunnel
 * @attr_id: attribute of the number of the class, 0 if it has none
 * @id: number of the class
 * @table: keywords that may follow, or NULL
 * @res: their values
 * @what: what happens if the kernel refuses, for the message
 */
struct request {
	uint8_t cmd;
	uint16_t attr_dev;
	const char *dev;
	uint16_t attr_name;
	const char *name;
	uint16_t attr_id;
	uint32_t id;
	const struct parse_table *table;
	struct parse_result *res;
	const char *what;
};

/**
 * request_send() - carry out a change over a connection
 * @conn: the connection
 * @request: the change
 *
 * Return: exit status of the program, after a message if it is not 0.
 */
int request_send(struct conn *conn, const struct request *request);

/**
 * request_run() - carry out a change, in one request
 * @request: the change
 *
 * Return: exit status of the program, after a message if it is not 0.
 */
int request_run(const struct request *request);

/**
 * request_set() - change settings of a tunnel, with a key that has been read
 * @dev: name of the tunnel
 * @res: the settings, keywords of "mptunctl set"
 *
 * Return: 0, or the exit status after a message.
 */
int request_set(const char *dev, struct parse_result *res);

/**
 * request_settings() - change settings of a tunnel
 * @dev: its name
 * @res: values of keyword_set; the key is read from its file here
 *
 * Return: exit status of the program, after a message if it is not 0.
 */
int request_settings(const char *dev, struct parse_result *res);

#endif /* MPTUN_TOOLS_REQUEST_H */
