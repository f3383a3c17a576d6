/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Printing of records: for people and as JSON.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_OUT_H
#define MPTUN_TOOLS_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "lib/message.h"

/* Longest cell of a table or value in print. */
#define OUT_MAX 80

enum out_color {
	OUT_PLAIN,
	OUT_BOLD,
	OUT_GREEN,
	OUT_YELLOW,
	OUT_RED,
};

/**
 * out_init() - decide whether to use colours
 *
 * Colours are used on a terminal that is not dumb, unless NO_COLOR is set.
 */
void out_init(void);

/**
 * out_color() - print a text in a colour
 * @color: the colour
 * @text: the text
 * @width: pad with blanks on the right to this width, 0 for none
 */
void out_color(enum out_color color, const char *text, int width);

/**
 * out_state_color() - colour of the state of a path
 * @state: its number
 *
 * Return: the colour.
 */
enum out_color out_state_color(uint64_t state);

/**
 * out_field() - a value as people read it
 * @rec: the record
 * @name: name of the field in the spec
 * @buf: buffer of OUT_MAX characters
 *
 * A path that is up has the state "parked", "lossy" or "detour" if it is one of
 * these.
 *
 * Return: @buf, "-" if the value is not present.
 */
const char *out_field(const struct record *rec, const char *name, char *buf);

/**
 * out_endpoint() - address and port as people read them
 * @rec: a path
 * @side: "remote" or "local"
 * @buf: buffer of OUT_MAX characters
 *
 * Return: @buf, for instance "[fe80::1%wan0]:4725", "-" if there is none.
 */
const char *out_endpoint(const struct record *rec, const char *side,
			 char *buf);

/**
 * out_json() - a record as a JSON object
 * @rec: the record
 *
 * Return: a new object, NULL without memory.
 */
json_t *out_json(const struct record *rec);

/**
 * out_json_some() - some fields of a record as a JSON object
 * @rec: the record
 * @want: says which fields; nests are taken as a whole
 *
 * Return: a new object, NULL without memory.
 */
json_t *out_json_some(const struct record *rec,
		      bool (*want)(const struct field *field));

/**
 * out_time() - the present time
 * @buf: buffer of OUT_MAX characters
 * @json: with T and the offset from UTC
 *
 * Return: @buf, for instance "2026-01-31 12:34:56.123456".
 */
const char *out_time(char *buf, bool json);

/**
 * out_json_write() - write a JSON value on a line of its own and free it
 * @json: the value, or NULL
 * @file: where to
 *
 * Return: 0, or -1 if memory ran out or it cannot be written.
 */
int out_json_write(json_t *json, FILE *file);

/**
 * out_json_print() - print a JSON value on a line of its own and free it
 * @json: the value; NULL means that memory ran out
 *
 * Return: 0, or the exit status of the program.
 */
int out_json_print(json_t *json);

#endif /* MPTUN_TOOLS_OUT_H */
