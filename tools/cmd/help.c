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

/* Column at which explanations begin, and where they end. */
#define HELP_COLUMN 22
#define HELP_WIDTH 80

/* A word and its explanation, wrapped. */
static void help_line(const char *left, const char *text)
{
	int column = HELP_COLUMN + 2;

	printf("  %-*s", HELP_COLUMN, left);
	if (strlen(left) >= HELP_COLUMN)
		printf("\n%*s", HELP_COLUMN + 2, "");
	while (*text) {
		int len = (int)strcspn(text, " ");
		bool first = column == HELP_COLUMN + 2;

		if (!first && column + 1 + len > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN + 2, "");
			column = HELP_COLUMN + 2;
			first = true;
		}
		column += printf("%s%.*s", first ? "" : " ", len, text);
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void help_keywords(const struct parse_table *table)
{
	printf("\n%s:\n", table->keys[0].word[0] == '-' ? "Options" :
							  "Keywords");
	for (size_t i = 0; i < table->count; i++) {
		const struct parse_key *key = &table->keys[i];
		char left[64], about[400];

		snprintf(left, sizeof(left), "%s %s", key->word,
			 key->value ? key->value : "");
		help_line(left, parse_about(key, about, sizeof(about)));
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
	bool size = help_uses(table, PARSE_SIZE) ||
		    help_uses(table, PARSE_VOLUME);
	bool rate = help_uses(table, PARSE_RATE);

	if (!time && !span && !seconds && !size && !rate)
		return;
	printf("\nUnits:\n");
	if (time)
		help_line("TIME", "us, ms, s, m, h or d: 50ms, 1.5s, 10m");
	if (span)
		help_line("SPAN", "seconds, or with us, ms, m, h or d: 2, 500ms, 10m");
	if (seconds)
		help_line("SECONDS", "whole seconds, or with m, h or d: 120, 30s, 10m");
	if (size)
		help_line("SIZE", "bytes, or k, m, g, t in powers of 1024, or kb, mb, gb, tb in powers of 1000: 16m, 50gb");
	if (rate)
		help_line("RATE", "bit, kbit, mbit, gbit or tbit per second, in powers of 1000: 20mbit");
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
	printf("\nCommands and keywords may be abbreviated.\n"
	       "\nOptions, anywhere on the line:\n");
	help_line("-j, -json", "print JSON");
	help_line("-d, -details", "show more");
	help_line("-a, -all", "stats: show counters that are zero, too");
	help_line("-n, -netns NETNS", "work in a network namespace, as ip -n");
	help_line("-b, -batch FILE", "run the commands of a file, - for standard input");
	help_line("-force", "with -batch: continue after a command that fails");
	help_line("-h, -help", "show help, also after a command");
	help_line("-V, -version", "show the version");
	printf("\nExit status: 0 success, 1 wrong arguments, 2 refused by the kernel,\n3 check has found a fault, 4 server up has failed in part,\n5 up has found a device of this name.\n");
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
		if (!list)
			return command_unexpected(argv[i]);
		cmd = command_find(list, argv[i]);
		if (!cmd)
			return command_unknown(parent ? "verb" : "command",
					       parent ? parent->name : NULL,
					       list, argv[i]);
		list = cmd->verbs;
	}
	help_print(ctl, parent, cmd);
	return STATUS_OK;
}

const struct command cmd_help = {
	.name = "help", .args = "[COMMAND [VERB]]",
	.brief = "show this help or the help of a command",
	.words = { CTL_COMMAND, CTL_COMMAND }, .run = help_command,
};
