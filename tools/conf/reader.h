/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration files: lines into sections and keys.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.
 */
#ifndef MPTUN_TOOLS_READER_H
#define MPTUN_TOOLS_READER_H

#include <stddef.h>

#include "lib/parse.h"

/**
 * struct conf_error - what is wrong with a file
 * @line: the line, 0 if the file as a whole is wrong
 * @text: one sentence
 */
struct conf_error {
	int line;
	char text[PARSE_ERROR_MAX];
};

/**
 * struct conf_handler - takes what is in a file; a return of -1 ends reading
 * @section: takes the head of a section: [KIND] or [KIND NAME]; @name is ""
 *	if there is none
 * @key: takes a line KEY = VALUE; neither is empty
 * @arg: first argument of both
 *
 * Strings are parts of the text that is read, and may be changed.
 */
struct conf_handler {
	int (*section)(void *arg, int line, char *kind, char *name);
	int (*key)(void *arg, int line, char *key, char *value);
	void *arg;
};

/**
 * conf_fail() - set an error
 * @error: filled in
 * @line: the line, or 0
 * @fmt: one sentence
 *
 * Return: -1.
 */
__attribute__((format(printf, 3, 4)))
int conf_fail(struct conf_error *error, int line, const char *fmt, ...);

/**
 * conf_quote() - a word in a form fit for a message: printable and short
 * @word: the word
 * @buf: buffer for it
 * @size: size of @buf
 *
 * Return: @buf.
 */
const char *conf_quote(const char *word, char *buf, size_t size);

/**
 * conf_next() - take the next item of a list with commas
 * @list: the rest of the list, NULL at its end
 *
 * Return: the item without blanks around it, maybe empty.
 */
char *conf_next(char **list);

/**
 * conf_read() - read a file
 * @text: the file, with a byte after its end that may be changed, too
 * @len: its length
 * @handler: takes what is in it
 * @error: filled in
 *
 * Return: 0, or -1 with @error set by this function or by the handler.
 */
int conf_read(char *text, size_t len, const struct conf_handler *handler,
	      struct conf_error *error);

#endif /* MPTUN_TOOLS_READER_H */
