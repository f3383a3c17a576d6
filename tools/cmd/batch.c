// SPDX-License-Identifier: GPL-2.0
/*
 * Commands from a file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/batch.h"
#include "lib/keyfile.h"
#include "lib/report.h"
#include "lib/signals.h"
#include "lib/words.h"

/* Most words of a command. */
#define BATCH_WORDS 128

/* Joins lines that end with a backslash.  Returns how many were read. */
static int batch_line(FILE *file, char **text, size_t *size)
{
	size_t more_size = 0, len = 0;
	char *more = NULL;
	int lines = 0;

	for (;;) {
		ssize_t got = getline(&more, &more_size, file);

		if (got < 0)
			break;
		lines++;
		if (len + (size_t)got + 1 > *size) {
			*size = len + (size_t)got + 1;
			*text = realloc(*text, *size);
			if (!*text)
				exit(report_fail("out of memory"));
		}
		memcpy(*text + len, more, (size_t)got + 1);
		len += (size_t)got;
		if (got < 2 || strcmp(*text + len - 2, "\\\n"))
			break;
		len -= 2;
		(*text)[len] = '\0';
	}
	free(more);
	return lines;
}

/* Commands handle signals as they need; the next one begins as this one. */
static int batch_command(char *text, int (*run)(int argc, char **argv))
{
	char *argv[BATCH_WORDS + 1];
	struct signals signals;
	const char *error;
	int argc = words_split(text, argv, BATCH_WORDS, &error), status;

	if (argc < 0)
		return report_usage("%s", error);
	if (!argc)
		return STATUS_OK;
	argv[argc] = NULL;
	signals_save(&signals);
	status = run(argc, argv);
	fflush(stdout);
	signals_restore(&signals);
	return status;
}

/* A signal that a command has taken ends the program, unless it is ignored. */
static int batch_signal(int number)
{
	raise(number);
	return 128 + number;
}

int batch_run(const char *name, bool force, int (*run)(int argc, char **argv))
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	int status = STATUS_OK, line = 1, lines, one;
	size_t size = 0;
	char *text = NULL;

	if (!file)
		return report_usage("%s cannot be read: %s", name,
				    strerror(errno));
	if (file == stdin)
		keyfile_take_input();
	while ((lines = batch_line(file, &text, &size))) {
		report_batch(name, line);
		one = batch_command(text, run);
		line += lines;
		if (signals_noted())
			break;
		if (one && !status)
			status = one;
		if (one && !force)
			break;
	}
	report_batch(NULL, 0);
	if (ferror(file) && !status)
		status = report_usage("%s cannot be read", name);
	free(text);
	if (file != stdin)
		fclose(file);
	return signals_noted() ? batch_signal(signals_noted()) : status;
}
