// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of a tunnel as a table that fits the terminal.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Columns are chosen by their rank as long as there is room.  Those without an
 * address fit into 80 columns, however long the names are.
 */
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/table.h"
#include "lib/print.h"

#define TABLE_GAP 2

/**
 * enum table_when - when a column is of interest
 * @TABLE_ALWAYS: always
 * @TABLE_BYTES: if no rates are measured
 * @TABLE_RATES: if rates are measured
 * @TABLE_NOT_UP: if a path is not up
 * @TABLE_SET: if a path has it
 */
enum table_when {
	TABLE_ALWAYS,
	TABLE_BYTES,
	TABLE_RATES,
	TABLE_NOT_UP,
	TABLE_SET,
};

/**
 * struct column - a column of the table
 * @title: its title
 * @field: name of the field in the spec; "remote" for address and port
 * @nest: name of the nest the field is in, or NULL
 * @rank: the smaller, the more important
 * @when: when it is of interest
 * @left: aligned to the left
 */
struct column {
	const char *title;
	const char *field;
	const char *nest;
	int rank;
	enum table_when when;
	bool left;
};

static const struct column table_columns[] = {
	{ "PATH", "name", NULL, 0, TABLE_ALWAYS, true },
	{ "STATE", "state", NULL, 1, TABLE_ALWAYS, true },
	{ "WHY", "reason", NULL, 2, TABLE_NOT_UP, true },
	{ "FOR", "state-age", NULL, 9, TABLE_ALWAYS, false },
	{ "REMOTE", "remote", NULL, 7, TABLE_ALWAYS, true },
	{ "DEV", "dev", NULL, 8, TABLE_SET, true },
	{ "GROUP", "group-now", NULL, 10, TABLE_SET, false },
	{ "RTT", "srtt", NULL, 3, TABLE_ALWAYS, false },
	{ "SKEW", "skew", NULL, 11, TABLE_ALWAYS, false },
	{ "LOSS", "recent-loss", NULL, 4, TABLE_ALWAYS, false },
	{ "LOST", "loss", NULL, 16, TABLE_ALWAYS, false },
	{ "CWND", "cwnd", NULL, 12, TABLE_ALWAYS, false },
	{ "FLIGHT", "in-flight", NULL, 14, TABLE_ALWAYS, false },
	{ "PACING", "pacing-rate", NULL, 13, TABLE_ALWAYS, false },
	{ "PMTU", "pmtu", NULL, 15, TABLE_ALWAYS, false },
	{ "SENT", "tx-bytes", "stats", 5, TABLE_BYTES, false },
	{ "RECEIVED", "rx-bytes", "stats", 6, TABLE_BYTES, false },
	{ "TX", "tx-rate", NULL, 5, TABLE_RATES, false },
	{ "RX", "rx-rate", NULL, 6, TABLE_RATES, false },
};

#define COLUMNS ((int)(sizeof(table_columns) / sizeof(table_columns[0])))
#define TABLE_RANKS 17

_Static_assert(COLUMNS <= TABLE_MAX, "TABLE_MAX");

static const char *table_cell(const struct column *col,
			      const struct record *path, char *buf)
{
	if (!strcmp(col->field, "remote"))
		return print_endpoint(path, "remote", buf);
	if (col->nest)
		path = record_nest(path, col->nest);
	return print_field(path, col->field, buf);
}

static bool table_set(const struct column *col, const struct record *path)
{
	const struct value *val = record_value(path, col->field);

	return val && (val->text[0] || val->num);
}

/* Whether a path makes a column worth its room. */
static bool table_wants(const struct table *table, const struct column *col,
			const struct record *path)
{
	switch (col->when) {
	case TABLE_BYTES:
		return !table->rates;
	case TABLE_RATES:
		return table->rates;
	case TABLE_NOT_UP:
		return table->all ||
		       record_num(path, "state") != MPTUN_PATH_STATE_UP;
	case TABLE_SET:
		return table_set(col, path);
	case TABLE_ALWAYS:
		break;
	}
	return true;
}

/* Width of a column, 0 if it is of no interest. */
static int table_measure(const struct table *table, const struct column *col)
{
	int width = (int)strlen(col->title);
	bool any = false;

	for (size_t i = 0; i < table->paths->count; i++) {
		const struct record *path = table->paths->rec[i];
		char buf[PRINT_MAX];
		int len;

		if (!dump_of(path, table->tunnel))
			continue;
		any |= table_wants(table, col, path);
		len = (int)strlen(table_cell(col, path, buf));
		if (len > width)
			width = len;
	}
	return any ? width : 0;
}

/* Takes the most important columns into the first table. */
static void table_choose(struct table *table)
{
	int room = table->width - PRINT_INDENT + TABLE_GAP;

	for (int rank = 0; rank < TABLE_RANKS; rank++) {
		for (int i = 0; i < COLUMNS; i++) {
			int cost = table->cell[i] + TABLE_GAP;

			if (table_columns[i].rank != rank || !table->cell[i] ||
			    (rank && cost > room))
				continue;
			table->part[i] = 1;
			room -= cost;
		}
	}
	table->parts = 1;
}

/* Each table begins with the names of the paths. */
static void table_rest(struct table *table)
{
	int room = 0;

	for (int i = 0; i < COLUMNS; i++) {
		int cost = table->cell[i] + TABLE_GAP;

		if (!table->cell[i] || table->part[i])
			continue;
		if (table->parts == 1 || cost > room) {
			table->parts++;
			room = table->width - PRINT_INDENT - table->cell[0];
		}
		table->part[i] = table->parts;
		room -= cost;
	}
}

/* One line of a table, the titles if there is no path. */
static void table_row(const struct table *table, int part,
		      const struct record *path)
{
	for (int i = 0; i < COLUMNS; i++) {
		const struct column *col = &table_columns[i];
		char buf[PRINT_MAX];
		const char *text;

		if (i && table->part[i] != part)
			continue;
		text = path ? table_cell(col, path, buf) : col->title;
		printf("%*s", i ? TABLE_GAP : PRINT_INDENT, "");
		if (path && !strcmp(col->field, "state"))
			print_colored(print_state_color(
					      record_num(path, "state")),
				      text, table->cell[i]);
		else
			printf("%*s", col->left ? -table->cell[i] :
						   table->cell[i], text);
	}
	putchar('\n');
}

void table_print(struct table *table)
{
	for (int i = 0; i < COLUMNS; i++) {
		table->cell[i] = table_measure(table, &table_columns[i]);
		table->part[i] = 0;
	}
	table->parts = 0;
	if (!table->cell[0])
		return;
	table_choose(table);
	if (table->all)
		table_rest(table);
	for (int part = 1; part <= table->parts; part++) {
		table_row(table, part, NULL);
		for (size_t i = 0; i < table->paths->count; i++)
			if (dump_of(table->paths->rec[i], table->tunnel))
				table_row(table, part, table->paths->rec[i]);
	}
}

bool table_shows(const struct table *table, const char *field)
{
	for (int i = 0; i < COLUMNS; i++)
		if (table->part[i] && !strcmp(table_columns[i].field, field))
			return true;
	return false;
}
