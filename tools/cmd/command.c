// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl: commands by their names.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/guess.h"
#include "lib/report.h"
#include "lib/secret.h"

const struct command *command_find(const struct command *const *list,
				   const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; list[i]; i++)
		if (!strcmp(list[i]->name, name))
			return list[i];
	for (size_t i = 0; list[i] && len; i++)
		if (!list[i]->hidden && len >= list[i]->least &&
		    !strncmp(list[i]->name, name, len))
			return list[i];
	for (size_t i = 0; list[i] && len; i++)
		if (list[i]->other && len >= list[i]->least &&
		    !strncmp(list[i]->other, name, len))
			return list[i];
	return NULL;
}

const char *command_guess(const struct command *const *list, const char *name)
{
	struct guess guess = { .word = name };

	for (; *list; list++)
		if (!(*list)->hidden)
			guess_try(&guess, (*list)->name);
	return guess.best;
}

const char *command_names(const struct command *const *list,
			  const char *last, char *buf, size_t size)
{
	size_t len = 0, count = 0;

	for (size_t i = 0; list[i]; i++)
		count += !list[i]->hidden;
	buf[0] = '\0';
	for (size_t i = 0; *list && len < size; list++) {
		if ((*list)->hidden)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					!i ? "" : i + 1 < count ? ", " : last,
					(*list)->name);
		i++;
	}
	return buf;
}

int command_unknown(const char *what, const char *after,
		    const struct command *const *list, const char *word)
{
	const char *guess = command_guess(list, word);
	char names[200], quoted[40];

	secret_quote(word, quoted, sizeof(quoted));
	if (guess)
		return report_usage("unknown %s \"%s\"%s%s, did you mean \"%s\"?",
				    what, quoted, after ? " after " : "",
				    after ? after : "", guess);
	return report_usage("unknown %s \"%s\"%s%s, known are %s", what, quoted,
			    after ? " after " : "", after ? after : "",
			    command_names(list, " and ", names, sizeof(names)));
}

int command_unexpected(const char *word)
{
	char quoted[40];

	return report_usage("unexpected word \"%s\"",
			    secret_quote(word, quoted, sizeof(quoted)));
}
