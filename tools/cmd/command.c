// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl: commands by their names.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "cmd/command.h"
#include "lib/guess.h"

const struct command *command_find(const struct command *const *list,
				   const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; list[i]; i++)
		if (!strcmp(list[i]->name, name))
			return list[i];
	for (size_t i = 0; list[i] && len; i++)
		if (!list[i]->hidden && !strncmp(list[i]->name, name, len))
			return list[i];
	for (size_t i = 0; list[i] && len; i++)
		if (list[i]->other && !strncmp(list[i]->other, name, len))
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
