/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that change a tunnel or a path: one builder for all.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_CHANGE_H
#define MPTUN_TOOLS_CHANGE_H

#include <stdint.h>

#include "parse.h"

/**
 * struct change - a change of a tunnel or a path
 * @cmd: command, MPTUN_CMD_*
 * @attr_dev: attribute of the tunnel's name
 * @dev: name of the tunnel
 * @attr_name: attribute of the path's name
 * @name: name of the path, or NULL
 * @table: keywords that may follow, or NULL
 * @res: their values
 * @what: what happens if the kernel refuses, for the message
 */
struct change {
	uint8_t cmd;
	uint16_t attr_dev;
	const char *dev;
	uint16_t attr_name;
	const char *name;
	const struct parse_table *table;
	struct parse_result *res;
	const char *what;
};

/**
 * change_run() - carry out a change, in one request
 * @change: the change
 *
 * Return: exit status of the program, after a message if it is not 0.
 */
int change_run(const struct change *change);

#endif /* MPTUN_TOOLS_CHANGE_H */
