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

#include "cmd/command.h"
#include "lib/keyword.h"
#include "lib/print.h"
#include "lib/secret.h"
#include "live/screen.h"

static const struct command ctl_path_verbs[] = {
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

static const struct command ctl_class_verbs[] = {
	{
		.name = "add", .args = "DEV ID KEYWORD VALUE...",
		.brief = "add a class of packets to a tunnel",
		.details = "A packet belongs to a class if all that is given fits; of several the one\n"
			   "with the lowest number, 1 to 15, takes it.",
		.words = { CTL_TUNNEL, CTL_NEW },
		.table = &keys_class, .run = cmd_class_add,
	},
	{
		.name = "set", .args = "DEV ID KEYWORD VALUE...",
		.brief = "change a class, also under traffic",
		.words = { CTL_TUNNEL, CTL_CLASS },
		.table = &keys_class, .run = cmd_class_set,
	},
	{
		.name = "del", .args = "DEV ID",
		.brief = "delete a class",
		.words = { CTL_TUNNEL, CTL_CLASS }, .run = cmd_class_del,
	},
	{
		.name = "show", .args = "[DEV [ID]] [-j]",
		.brief = "show classes and their counters",
		.details = "Class 0 is what no other class takes.",
		.words = { CTL_TUNNEL, CTL_CLASS }, .run = cmd_class_show,
	},
	{ .name = NULL },
};

static const struct command ctl_key_verbs[] = {
	{
		.name = "gen", .args = "", .brief = "write a new key to standard output",
		.details = "Keep it in a file that nobody else can read: (umask 077; mptunctl key gen >FILE).",
		.run = cmd_key_gen,
	},
	{
		.name = "set", .args = "DEV FILE|- [grace SECONDS]",
		.brief = "give a tunnel its key, from a file or standard input",
		.details = "The file holds 44 characters of base64 or 64 hexadecimal digits.\n"
			   "A key is never a word of the command line, where others can see it.",
		.words = { CTL_TUNNEL, CTL_FILE },
		.table = &keys_key, .run = cmd_key_set,
	},
	{
		.name = "show", .args = "[DEV] [-j]",
		.brief = "show whether tunnels have a key, and its fingerprint",
		.details = "Both ends show the same fingerprint if their keys are the same.",
		.words = { CTL_TUNNEL }, .run = cmd_key_show,
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
		.name = "class", .args = "add|set|del|show ...",
		.brief = "add, change, delete or show classes of packets",
		.verbs = ctl_class_verbs,
	},
	{
		.name = "key", .args = "gen|set|show ...",
		.brief = "make, set or show keys",
		.verbs = ctl_key_verbs,
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
		.name = "top", .args = "[DEV]... [-i SPAN] [-n N]",
		.brief = "show rates, windows and losses of paths, live",
		.details = "Without a terminal, and with -n, it prints text again and again.",
		.words = { CTL_TUNNELS }, .table = &keys_top, .run = cmd_top,
	},
	{
		.name = "record", .args = "[DEV]... [-i SPAN] [-t SPAN] [-o FILE]",
		.brief = "write figures and events as lines of JSON",
		.details = "mptun-plot(1) draws what was recorded.",
		.words = { CTL_TUNNELS }, .table = &keys_record,
		.run = cmd_record,
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

	/* Nobody reads what stands on a screen that goes away. */
	screen_leave();
	fputs("mptunctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CTL_KERNEL;
}

void ctl_warn(const char *fmt, ...)
{
	va_list ap;

	fputs("mptunctl: warning: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

const struct command *ctl_find(const struct command *list, const char *name)
{
	for (; list->name; list++)
		if (!strcmp(list->name, name))
			return list;
	return NULL;
}

/* Names for a sentence: "add, set or show". */
static const char *ctl_names(const struct command *list, const char *last,
			     char *buf, size_t size)
{
	size_t len = 0, count = 0;

	for (const struct command *cmd = list; cmd->name; cmd++)
		count += !cmd->hidden;
	buf[0] = '\0';
	for (size_t i = 0; list->name && len < size; list++) {
		if (list->hidden)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					!i ? "" : i + 1 < count ? ", " : last,
					list->name);
		i++;
	}
	return buf;
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
	return ctl_usage("unknown option \"%s\", known are %s-j, -h and -V",
			 word, known);
}

/* Takes the options of all commands out of the words; those of the command that
 * was named before stay, with their values.  Returns how many words are left.
 */
static int ctl_options(int argc, char **argv, struct ctl_options *opt)
{
	const struct parse_table *own = NULL;
	const struct command *cmd;
	int left = 0;

	for (int i = 0; i < argc; i++) {
		cmd = left ? ctl_find(ctl_commands, argv[0]) : NULL;
		own = cmd ? cmd->table : NULL;
		if (!strcmp(argv[i], "-j") || !strcmp(argv[i], "--json")) {
			opt->ctl.json = true;
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
	char names[120];

	verb = argc ? ctl_find(cmd->verbs, argv[0]) : NULL;
	if (opt->help && (!argc || verb)) {
		cmd_help_print(verb ? cmd : NULL, verb ? verb : cmd);
		return CTL_OK;
	}
	if (!argc)
		return ctl_usage("%s needs one of %s after it", cmd->name,
				 ctl_names(cmd->verbs, " or ", names,
					   sizeof(names)));
	if (!verb)
		return ctl_usage("unknown word \"%s\" after %s, known are %s",
				 argv[0], cmd->name,
				 ctl_names(cmd->verbs, " and ", names,
					   sizeof(names)));
	return verb->run(&opt->ctl, argc - 1, argv + 1);
}

static int ctl_run(int argc, char **argv, const struct ctl_options *opt)
{
	static char show[] = "show", *default_words[] = { show };
	const struct command *cmd;
	char names[120];

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
		return ctl_usage("unknown command \"%s\", known are %s",
				 argv[0], ctl_names(ctl_commands, " and ",
						    names, sizeof(names)));
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
	const char *wrong;
	int left, status;

	if (argc > 1 && !strcmp(argv[1], "complete"))
		return cmd_complete(&opt.ctl, argc - 2, argv + 2);
	wrong = secret_refuse(argc - 1, argv + 1);
	if (wrong)
		return ctl_usage("%s", wrong);
	left = ctl_options(argc - 1, argv + 1, &opt);
	if (left < 0)
		return CTL_USAGE;
	out_init();
	status = ctl_run(left, argv + 1, &opt);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		return ctl_fail("the output cannot be written");
	return status;
}
