/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Printing of records, as text and as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_PRINT_H
#define MPTUN_TOOLS_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "lib/record.h"

/* Longest cell of a table or value in print. */
#define PRINT_MAX 80
/* Columns before settings of a tunnel, and before those of its parts. */
#define PRINT_INDENT 4
#define PRINT_INDENT_PART 8

enum print_color {
	PRINT_PLAIN,
	PRINT_BOLD,
	PRINT_GREEN,
	PRINT_YELLOW,
	PRINT_RED,
};

/**
 * print_init() - decide whether to use colours
 *
 * Colours are used on a terminal that is not dumb, unless NO_COLOR is set.
 */
void print_init(void);

/**
 * print_colored() - print a text in a colour
 * @color: the colour
 * @text: the text
 * @width: pad with blanks on the right to this width, 0 for none
 */
void print_colored(enum print_color color, const char *text, int width);

/**
 * print_state_color() - colour of the state of a path
 * @state: its number
 *
 * Return: the colour.
 */
enum print_color print_state_color(uint64_t state);

/**
 * print_field() - a value as text
 * @rec: the record
 * @name: name of the field in the spec
 * @buf: buffer of PRINT_MAX characters
 *
 * A path that is up has the state "parked" or "detour" if it is one of these.  A
 * tunnel that is closed waits for its peer, or for its administrator.
 *
 * Return: @buf, "-" if the value is not present.
 */
const char *print_field(const struct record *rec, const char *name, char *buf);

/**
 * print_endpoint() - address and port as text
 * @rec: a path
 * @side: "remote" or "local"
 * @buf: buffer of PRINT_MAX characters
 *
 * Return: @buf, for instance "[fe80::1%wan0]:4725", "-" if there is none.
 */
const char *print_endpoint(const struct record *rec, const char *side,
			   char *buf);

/**
 * struct print_flow - settings and figures on lines that fit a width
 * @width: columns of a line
 * @indent: columns before a line
 * @column: columns that are used, 0 at the beginning of a line
 */
struct print_flow {
	int width;
	int indent;
	int column;
};

/**
 * print_flow_pair() - print a name and its value, on a new line if need be
 * @flow: the lines
 * @name: the name
 * @value: its value, NULL for none; a long list is cut at its commas
 */
void print_flow_pair(struct print_flow *flow, const char *name,
		     const char *value);

/**
 * print_flow_end() - end the last line
 * @flow: the lines
 */
void print_flow_end(struct print_flow *flow);

/**
 * print_json() - a record as a JSON object
 * @rec: the record
 *
 * Return: a new object, NULL without memory.
 */
json_t *print_json(const struct record *rec);

/**
 * print_json_some() - some fields of a record as a JSON object
 * @rec: the record
 * @want: selects fields; nests are taken as a whole
 *
 * Return: a new object, NULL without memory.
 */
json_t *print_json_some(const struct record *rec,
			bool (*want)(const struct field *field));

/**
 * print_json_text() - a text as a JSON string
 * @text: the text; names come from users and need not be UTF-8, then all bytes
 *	that are not ASCII become question marks
 *
 * Return: a new string, NULL without memory.
 */
json_t *print_json_text(const char *text);

/**
 * print_time() - the present time
 * @buf: buffer of PRINT_MAX characters
 * @json: as RFC 3339 has it, with T and the offset from UTC
 *
 * Return: @buf, for instance "2026-01-31 12:34:56.123456".
 */
const char *print_time(char *buf, bool json);

/**
 * print_json_write() - write a JSON value on a line of its own and free it
 * @json: the value, or NULL
 * @file: where to
 *
 * Return: 0, or -1 if memory ran out or it cannot be written.
 */
int print_json_write(json_t *json, FILE *file);

/**
 * print_json_print() - print a JSON value on a line of its own and free it
 * @json: the value; NULL means that memory ran out
 *
 * Return: 0, or the exit status of the program.
 */
int print_json_print(json_t *json);

#endif /* MPTUN_TOOLS_PRINT_H */
