/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of a tunnel as a table that fits the terminal.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_TABLE_H
#define MPTUN_TOOLS_TABLE_H

#include "lib/dump.h"

/* Most columns of a table. */
#define TABLE_MAX 20

/**
 * struct table - a table of paths
 * @tunnel: their tunnel
 * @paths: paths of this tunnel and maybe of others
 * @rates: with rates in the place of bytes
 * @all: columns that do not fit follow in further tables
 * @width: columns of the terminal
 * @cell: width of each column
 * @part: table that each column is in, 0 for none
 * @parts: number of tables
 */
struct table {
	const struct record *tunnel;
	const struct dump_list *paths;
	bool rates;
	bool all;
	int width;
	int cell[TABLE_MAX];
	int part[TABLE_MAX];
	int parts;
};

/**
 * table_print() - print the table
 * @table: with tunnel, paths, rates, all and width; the rest is filled in
 */
void table_print(struct table *table);

/**
 * table_shows() - whether a column is in the table
 * @table: the table, printed
 * @field: name of its field
 *
 * Return: true if so.
 */
bool table_shows(const struct table *table, const char *field);

#endif /* MPTUN_TOOLS_TABLE_H */
