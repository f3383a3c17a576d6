// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration files: lines into sections and keys.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The format is that of wg-quick: "#" begins a comment, ";" is part of a
 * command.  No library reads it and wipes the keys in it: libinih, as packaged,
 * ends values at " ;" and lines after 200 characters, and libini_config does
 * not know the lines of sections.  Both leave copies of the key in memory.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/reader.h"
#include "lib/secret.h"

int conf_fail(struct conf_error *error, int line, const char *fmt, ...)
{
	va_list ap;

	error->line = line;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -1;
}

const char *conf_quote(const char *word, char *buf, size_t size)
{
	return secret_quote(word, buf, size);
}

/* Removes white space at both ends. */
static char *conf_trim(char *word)
{
	size_t len;

	while (isspace((unsigned char)*word))
		word++;
	len = strlen(word);
	while (len && isspace((unsigned char)word[len - 1]))
		len--;
	word[len] = '\0';
	return word;
}

char *conf_next(char **list)
{
	char *item = *list, *comma = strchr(item, ',');

	*list = comma ? comma + 1 : NULL;
	if (comma)
		*comma = '\0';
	return conf_trim(item);
}

static int conf_section(char *text, int line,
			const struct conf_handler *handler,
			struct conf_error *error)
{
	char *end = strchr(text, ']'), *name;

	if (!end)
		return conf_fail(error, line,
				 "the head of a section lacks \"]\"");
	if (end[1])
		return conf_fail(error, line,
				 "there is text after the head of a section");
	*end = '\0';
	text = conf_trim(text + 1);
	name = text + strcspn(text, " \t");
	if (*name)
		*name++ = '\0';
	return handler->section(handler->arg, line, text, conf_trim(name));
}

static int conf_key(char *text, int line, const struct conf_handler *handler,
		    struct conf_error *error)
{
	char *value = strchr(text, '='), quoted[24];

	if (!value)
		return conf_fail(error, line,
				 "a line has to be [SECTION] or KEY = VALUE");
	*value++ = '\0';
	text = conf_trim(text);
	value = conf_trim(value);
	if (!*text)
		return conf_fail(error, line, "there is no key before \"=\"");
	if (!*value)
		return conf_fail(error, line, "%s has no value",
				 conf_quote(text, quoted, sizeof(quoted)));
	return handler->key(handler->arg, line, text, value);
}

int conf_read(char *text, size_t len, const struct conf_handler *handler,
	      struct conf_error *error)
{
	char *end = text + len, *next;

	*end = '\0';
	for (int line = 1; text < end; line++, text = next) {
		int err = 0;

		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next + 1 : end;
		if (memchr(text, '\0', (size_t)(next - text)))
			return conf_fail(error, line, "there is a zero byte");
		if (next[-1] == '\n')
			next[-1] = '\0';
		text[strcspn(text, "#")] = '\0';
		text = conf_trim(text);
		if (*text == '[')
			err = conf_section(text, line, handler, error);
		else if (*text)
			err = conf_key(text, line, handler, error);
		if (err)
			return -1;
	}
	return 0;
}
