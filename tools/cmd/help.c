// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl help: usage, from the tables of commands and keywords.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/report.h"

/* Column at which explanations begin. */
#define HELP_COLUMN 22

static void help_keywords(const struct parse_table *table)
{
	printf("\n%s:\n", table->keys[0].word[0] == '-' ? "Options" :
							  "Keywords");
	for (size_t i = 0; i < table->count; i++) {
		const struct parse_key *key = &table->keys[i];
		char left[64], range[120];

		snprintf(left, sizeof(left), "%s %s", key->word,
			 key->value ? key->value : "");
		printf("  %-*s%s", HELP_COLUMN, left, key->help);
		parse_range(key, range, sizeof(range));
		if (*range && key->type != PARSE_NAME &&
		    key->type != PARSE_BOOL)
			printf(" (%s)", range);
		putchar('\n');
	}
}

static bool help_uses(const struct parse_table *table, enum parse_type type)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->keys[i].type == type)
			return true;
	return false;
}

static void help_units(const struct parse_table *table)
{
	bool time = help_uses(table, PARSE_TIME);
	bool seconds = help_uses(table, PARSE_SECONDS);
	bool span = help_uses(table, PARSE_SPAN);
	bool size = help_uses(table, PARSE_SIZE);
	bool rate = help_uses(table, PARSE_RATE);

	if (!time && !span && !seconds && !size && !rate)
		return;
	printf("\nUnits:\n");
	if (time)
		printf("  %-*sus, ms or s: 50ms, 1.5s\n", HELP_COLUMN, "TIME");
	if (span)
		printf("  %-*sseconds, or with us, ms or s: 2, 0.5, 500ms\n",
		       HELP_COLUMN, "SPAN");
	if (seconds)
		printf("  %-*swhole seconds, with or without s: 120, 30s\n",
		       HELP_COLUMN, "SECONDS");
	if (size)
		printf("  %-*sbytes, or k, m, g in powers of 1024: 65536, 16m\n",
		       HELP_COLUMN, "SIZE");
	if (rate)
		printf("  %-*sbit, kbit, mbit or gbit per second, in powers of 1000: 20mbit\n",
		       HELP_COLUMN, "RATE");
}

static void help_list(const struct command *const *list)
{
	for (; *list; list++)
		if (!(*list)->hidden)
			printf("  %-*s%s\n", HELP_COLUMN, (*list)->name,
			       (*list)->brief);
}

static void help_program(const struct ctl *ctl)
{
	printf("Usage: mptunctl [COMMAND] ...\n\n"
	       "Control of multipath tunnels (link kind mptun).\n\n"
	       "Commands:\n");
	help_list(ctl->commands);
	printf("\nOptions, anywhere on the line:\n"
	       "  %-*sprint JSON\n"
	       "  %-*sshow help, also after a command\n"
	       "  %-*sshow the version\n",
	       HELP_COLUMN, "-j, --json", HELP_COLUMN, "-h, --help",
	       HELP_COLUMN, "-V, --version");
	printf("\nExit status: 0 done, 1 wrong words, 2 refused by the kernel.\n");
}

void help_print(const struct ctl *ctl, const struct command *parent,
		const struct command *cmd)
{
	if (!cmd) {
		help_program(ctl);
		return;
	}
	printf("Usage: mptunctl %s%s%s %s\n\n%c%s.\n",
	       parent ? parent->name : "", parent ? " " : "", cmd->name,
	       cmd->args, cmd->brief[0] - 'a' + 'A', cmd->brief + 1);
	if (cmd->details)
		printf("%s\n", cmd->details);
	if (cmd->verbs) {
		printf("\nVerbs:\n");
		help_list(cmd->verbs);
	}
	if (cmd->table) {
		help_keywords(cmd->table);
		help_units(cmd->table);
	}
}

static int help_command(const struct ctl *ctl, int argc, char **argv)
{
	const struct command *cmd = NULL, *parent = NULL;
	const struct command *const *list = ctl->commands;

	for (int i = 0; i < argc; i++) {
		parent = cmd;
		cmd = list ? command_find(list, argv[i]) : NULL;
		if (!cmd)
			return report_usage("there is no command \"%s\"", argv[i]);
		list = cmd->verbs;
	}
	help_print(ctl, parent, cmd);
	return STATUS_OK;
}

const struct command cmd_help = {
	.name = "help", .args = "[COMMAND [VERB]]",
	.brief = "show this help, or that of a command",
	.words = { CTL_COMMAND, CTL_COMMAND }, .run = help_command,
};
