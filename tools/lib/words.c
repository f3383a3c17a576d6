// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a file as words of a command.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "lib/words.h"

static const char words_blank[] = " \t\r\n";

int words_split(char *line, char **argv, int max, const char **error)
{
	int count = 0;

	for (;;) {
		char *end, quote;

		line += strspn(line, words_blank);
		if (!*line || *line == '#')
			return count;
		if (count == max) {
			*error = "the line has too many words";
			return -1;
		}
		quote = *line == '"' || *line == '\'' ? *line++ : '\0';
		end = quote ? strchr(line, quote) :
			      line + strcspn(line, words_blank);
		if (!end) {
			*error = "a quote has no end";
			return -1;
		}
		argv[count++] = line;
		line = end + !!*end;
		*end = '\0';
	}
}
