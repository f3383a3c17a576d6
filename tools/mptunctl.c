// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl: control of multipath tunnels.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/print.h"
#include "lib/report.h"
#include "lib/secret.h"
#include "live/screen.h"

static const struct command *const ctl_commands[] = {
	&cmd_show, &cmd_path, &cmd_class, &cmd_key, &cmd_set, &cmd_up,
	&cmd_down, &cmd_showconf, &cmd_setconf, &cmd_syncconf, &cmd_add,
	&cmd_del, &cmd_monitor, &cmd_stats, &cmd_top, &cmd_record, &cmd_help,
	&cmd_complete, NULL
};

/* Names for a sentence: "add, set or show". */
static const char *ctl_names(const struct command *const *list,
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

/**
 * struct ctl_options - global options
 * @ctl: options of the run
 * @help: --help was given
 * @version: --version was given
 */
struct ctl_options {
	struct ctl ctl;
	bool help;
	bool version;
};

/* The options of a command are the keywords that begin with a dash. */
static int ctl_unknown(const struct parse_table *own, const char *word)
{
	char known[64];
	size_t len = 0;

	known[0] = '\0';
	for (size_t i = 0; own && i < own->count && len < sizeof(known); i++)
		if (own->keys[i].word[0] == '-')
			len += (size_t)snprintf(known + len,
						sizeof(known) - len, "%s, ",
						own->keys[i].word);
	return report_usage("unknown option \"%s\", known are %s-j, -d, -h and -V",
			    word, known);
}

/* Removes the global options from the arguments; options of the command before
 * them stay, with their values.  Returns how many arguments are left.
 */
static int ctl_take_options(int argc, char **argv, struct ctl_options *opt)
{
	const struct parse_table *own = NULL;
	const struct command *cmd;
	int left = 0;

	for (int i = 0; i < argc; i++) {
		cmd = left ? command_find(ctl_commands, argv[0]) : NULL;
		own = cmd ? cmd->table : NULL;
		if (!strcmp(argv[i], "-j") || !strcmp(argv[i], "--json")) {
			opt->ctl.json = true;
		} else if (!strcmp(argv[i], "-d") ||
			   !strcmp(argv[i], "--details")) {
			opt->ctl.details = true;
		} else if (!strcmp(argv[i], "-h") ||
			   !strcmp(argv[i], "--help")) {
			opt->help = true;
		} else if (!strcmp(argv[i], "-V") ||
			   !strcmp(argv[i], "--version")) {
			opt->version = true;
		} else if (argv[i][0] == '-' && own &&
			   parse_find(own, argv[i]) >= 0) {
			argv[left++] = argv[i];
			if (i + 1 < argc)
				argv[left++] = argv[++i];
		} else if (argv[i][0] == '-' && argv[i][1]) {
			ctl_unknown(own, argv[i]);
			return -1;
		} else {
			argv[left++] = argv[i];
		}
	}
	return left;
}

static int ctl_verb(const struct command *cmd, int argc, char **argv,
		    const struct ctl_options *opt)
{
	const struct command *verb;
	char names[160];

	verb = argc ? command_find(cmd->verbs, argv[0]) : NULL;
	if (opt->help && (!argc || verb)) {
		help_print(&opt->ctl, verb ? cmd : NULL, verb ? verb : cmd);
		return STATUS_OK;
	}
	if (!argc)
		return report_usage("%s needs a verb: %s", cmd->name,
				    ctl_names(cmd->verbs, " or ", names,
					      sizeof(names)));
	if (!verb)
		return report_usage("unknown verb \"%s\" after %s, known are %s",
				    argv[0], cmd->name,
				    ctl_names(cmd->verbs, " and ", names,
					      sizeof(names)));
	return verb->run(&opt->ctl, argc - 1, argv + 1);
}

static int ctl_run(int argc, char **argv, const struct ctl_options *opt)
{
	static char show[] = "show", *default_words[] = { show };
	const struct command *cmd;
	char names[160];

	if (opt->version) {
		puts("mptunctl " MPTUN_VERSION);
		return STATUS_OK;
	}
	if (!argc && opt->help) {
		help_print(&opt->ctl, NULL, NULL);
		return STATUS_OK;
	}
	if (!argc) {
		argc = 1;
		argv = default_words;
	}
	cmd = command_find(ctl_commands, argv[0]);
	if (!cmd)
		return report_usage("unknown command \"%s\", known are %s",
				    argv[0], ctl_names(ctl_commands, " and ",
						       names, sizeof(names)));
	argc--;
	argv++;
	if (cmd->verbs)
		return ctl_verb(cmd, argc, argv, opt);
	if (opt->help) {
		help_print(&opt->ctl, NULL, cmd);
		return STATUS_OK;
	}
	return cmd->run(&opt->ctl, argc, argv);
}

int main(int argc, char **argv)
{
	struct ctl_options opt = { .ctl = { .commands = ctl_commands } };
	const char *wrong;
	int left, status;

	report_before(screen_leave);
	if (argc > 1 && !strcmp(argv[1], "complete"))
		return cmd_complete.run(&opt.ctl, argc - 2, argv + 2);
	wrong = secret_refuse(argc - 1, argv + 1);
	if (wrong)
		return report_usage("%s", wrong);
	left = ctl_take_options(argc - 1, argv + 1, &opt);
	if (left < 0)
		return STATUS_USAGE;
	print_init();
	status = ctl_run(left, argv + 1, &opt);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		return report_fail("the output cannot be written");
	return status;
}
