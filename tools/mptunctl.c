// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl: control of multipath tunnels.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "keys.h"
#include "out.h"

const struct command ctl_path_verbs[] = {
	{
		.name = "add", .args = "DEV NAME remote ADDR [KEYWORD VALUE]...",
		.brief = "add a path to a tunnel",
		.details = "The path is probed at once and carries data as soon as the peer answers.",
		.words = { CTL_TUNNEL, CTL_NEW },
		.table = &keys_path, .run = cmd_path_add,
	},
	{
		.name = "set", .args = "DEV NAME KEYWORD VALUE...",
		.brief = "change settings of a path, also under traffic",
		.details = "New addresses, ports or devices take effect at once and the path is probed anew.",
		.words = { CTL_TUNNEL, CTL_PATH },
		.table = &keys_path, .run = cmd_path_set,
	},
	{
		.name = "del", .args = "DEV NAME",
		.brief = "delete a path",
		.details = "Its name is free at once; what is in flight is still acknowledged.",
		.words = { CTL_TUNNEL, CTL_PATH }, .run = cmd_path_del,
	},
	{
		.name = "show", .args = "[DEV [NAME]] [-j]",
		.brief = "show everything about paths",
		.words = { CTL_TUNNEL, CTL_PATH }, .run = cmd_path_show,
	},
	{ .name = NULL },
};

const struct command ctl_commands[] = {
	{
		.name = "show", .args = "[DEV] [every TIME [count N]] [-j]",
		.brief = "show tunnels and their paths (default)",
		.words = { CTL_TUNNEL }, .table = &keys_show, .run = cmd_show,
	},
	{
		.name = "path", .args = "add|set|del|show ...",
		.brief = "add, change, delete or show paths",
		.verbs = ctl_path_verbs,
	},
	{
		.name = "set", .args = "DEV KEYWORD VALUE...",
		.brief = "change settings of a tunnel, also under traffic",
		.words = { CTL_TUNNEL }, .table = &keys_set, .run = cmd_set,
	},
	{
		.name = "add", .args = "DEV [KEYWORD VALUE]...",
		.brief = "make a tunnel, as \"ip link add DEV type mptun\" does",
		.words = { CTL_NEW }, .table = &keys_link, .run = cmd_add,
	},
	{
		.name = "del", .args = "DEV",
		.brief = "delete a tunnel, as \"ip link del DEV\" does",
		.words = { CTL_TUNNEL }, .run = cmd_del,
	},
	{
		.name = "monitor", .args = "[DEV] [-j]",
		.brief = "show changes of tunnels and paths as they happen",
		.words = { CTL_TUNNEL }, .run = cmd_monitor,
	},
	{
		.name = "stats", .args = "[DEV] [-j]",
		.brief = "show every counter with its meaning",
		.words = { CTL_TUNNEL }, .run = cmd_stats,
	},
	{
		.name = "help", .args = "[COMMAND [VERB]]",
		.brief = "show this help, or that of a command",
		.words = { CTL_COMMAND, CTL_COMMAND }, .run = cmd_help,
	},
	{
		.name = "complete", .args = "WORD...",
		.brief = "list what may stand for the last word", .hidden = true,
		.run = cmd_complete,
	},
	{ .name = NULL },
};

int ctl_usage(const char *fmt, ...)
{
	va_list ap;

	fputs("mptunctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CTL_USAGE;
}

int ctl_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("mptunctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CTL_KERNEL;
}

const struct command *ctl_find(const struct command *list, const char *name)
{
	for (; list->name; list++)
		if (!strcmp(list->name, name))
			return list;
	return NULL;
}

/**
 * struct ctl_options - options among the words
 * @ctl: options of the run
 * @help: --help was given
 * @version: --version was given
 */
struct ctl_options {
	struct ctl ctl;
	bool help;
	bool version;
};

/* Takes the options out of the words; returns how many words are left. */
static int ctl_options(int argc, char **argv, struct ctl_options *opt)
{
	int left = 0;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "-j") || !strcmp(argv[i], "--json")) {
			opt->ctl.json = true;
		} else if (!strcmp(argv[i], "-h") ||
			   !strcmp(argv[i], "--help")) {
			opt->help = true;
		} else if (!strcmp(argv[i], "-V") ||
			   !strcmp(argv[i], "--version")) {
			opt->version = true;
		} else if (argv[i][0] == '-') {
			ctl_usage("unknown option \"%s\", known are -j, -h and -V",
				  argv[i]);
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

	verb = argc ? ctl_find(cmd->verbs, argv[0]) : NULL;
	if (opt->help && (!argc || verb)) {
		cmd_help_print(verb ? cmd : NULL, verb ? verb : cmd);
		return CTL_OK;
	}
	if (!argc)
		return ctl_usage("%s needs one of add, set, del or show after it",
				 cmd->name);
	if (!verb)
		return ctl_usage("unknown word \"%s\" after %s, known are add, set, del and show",
				 argv[0], cmd->name);
	return verb->run(&opt->ctl, argc - 1, argv + 1);
}

static int ctl_run(int argc, char **argv, const struct ctl_options *opt)
{
	static char show[] = "show", *default_words[] = { show };
	const struct command *cmd;

	if (opt->version) {
		puts("mptunctl " MPTUN_VERSION);
		return CTL_OK;
	}
	if (!argc && opt->help) {
		cmd_help_print(NULL, NULL);
		return CTL_OK;
	}
	if (!argc) {
		argc = 1;
		argv = default_words;
	}
	cmd = ctl_find(ctl_commands, argv[0]);
	if (!cmd)
		return ctl_usage("unknown command \"%s\", known are show, path, set, add, del, monitor, stats and help",
				 argv[0]);
	argc--;
	argv++;
	if (cmd->verbs)
		return ctl_verb(cmd, argc, argv, opt);
	if (opt->help) {
		cmd_help_print(NULL, cmd);
		return CTL_OK;
	}
	return cmd->run(&opt->ctl, argc, argv);
}

int main(int argc, char **argv)
{
	struct ctl_options opt = { .help = false };
	int left, status;

	if (argc > 1 && !strcmp(argv[1], "complete"))
		return cmd_complete(&opt.ctl, argc - 2, argv + 2);
	left = ctl_options(argc - 1, argv + 1, &opt);
	if (left < 0)
		return CTL_USAGE;
	out_init();
	status = ctl_run(left, argv + 1, &opt);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		return ctl_fail("the output cannot be written");
	return status;
}
