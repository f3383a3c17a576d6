/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink attributes from parsed keywords.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_BUILD_H
#define MPTUN_TOOLS_BUILD_H

#include "lib/parse.h"

/**
 * typedef build_put - append an attribute to a message
 * @ctx: argument of build_attrs()
 * @attr: type of the attribute
 * @data: its payload
 * @len: length of @data
 *
 * Return: 0, or negative if the message is full.
 */
typedef int (*build_put)(void *ctx, uint16_t attr, const void *data,
			 size_t len);

/**
 * build_attrs() - append the attributes of all keywords given
 * @table: the keywords
 * @res: their values; @res->error is set on failure
 * @put: how to append
 * @ctx: for @put
 *
 * Return: 0, or -1 with a sentence in @res->error.
 */
int build_attrs(const struct parse_table *table, struct parse_result *res,
		build_put put, void *ctx);

#endif /* MPTUN_TOOLS_BUILD_H */
