// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl: control of multipath tunnels.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/batch.h"
#include "cmd/command.h"
#include "lib/netns.h"
#include "lib/print.h"
#include "lib/report.h"
#include "lib/secret.h"
#include "live/screen.h"

/* Of commands that begin alike an abbreviation is the first one. */
static const struct command *const ctl_commands[] = {
	&cmd_show, &cmd_path, &cmd_class, &cmd_key, &cmd_set, &cmd_add,
	&cmd_del, &cmd_up, &cmd_down, &cmd_showconf, &cmd_setconf,
	&cmd_syncconf, &cmd_server, &cmd_check, &cmd_monitor, &cmd_stats,
	&cmd_top, &cmd_record, &cmd_test, &cmd_bugreport, &cmd_help,
	&cmd_complete, NULL
};

/**
 * struct ctl_options - global options
 * @ctl: options of the run
 * @help: --help was given
 * @version: --version was given
 * @force: --force was given
 * @batch: file of commands, or NULL
 */
struct ctl_options {
	struct ctl ctl;
	bool help;
	bool version;
	bool force;
	const char *batch;
};

/**
 * struct ctl_option - a global option
 * @name: its name, after one or two dashes; may be abbreviated
 * @letter: its letter, 0 if it has none
 * @value: offset of its value in struct ctl_options
 * @word: what the help calls the value, NULL for a switch
 */
struct ctl_option {
	const char *name;
	char letter;
	size_t value;
	const char *word;
};

static const struct ctl_option ctl_known[] = {
	{ "json", 'j', offsetof(struct ctl_options, ctl.json), NULL },
	{ "details", 'd', offsetof(struct ctl_options, ctl.details), NULL },
	{ "all", 'a', offsetof(struct ctl_options, ctl.all), NULL },
	{ "netns", 'n', offsetof(struct ctl_options, ctl.netns), "NETNS" },
	{ "batch", 'b', offsetof(struct ctl_options, batch), "FILE" },
	{ "force", 0, offsetof(struct ctl_options, force), NULL },
	{ "help", 'h', offsetof(struct ctl_options, help), NULL },
	{ "version", 'V', offsetof(struct ctl_options, version), NULL },
};

static struct ctl_options ctl_given;	/* those of the command line */

static const struct ctl_option *ctl_find(const char *word)
{
	const char *name = word + (word[1] == '-' ? 2 : 1);
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ctl_known) / sizeof(*ctl_known); i++) {
		const struct ctl_option *opt = &ctl_known[i];

		if (len == 1 ? word[1] != '-' && *name == opt->letter :
			       len && !strncmp(opt->name, name, len))
			return opt;
	}
	return NULL;
}

/* The options of a command are the keywords that begin with a dash. */
static int ctl_unknown(const struct parse_table *own, const char *word)
{
	char known[64], quoted[40];
	size_t len = 0;

	known[0] = '\0';
	for (size_t i = 0; own && i < own->count && len < sizeof(known); i++)
		if (own->keys[i].word[0] == '-')
			len += (size_t)snprintf(known + len,
						sizeof(known) - len, "%s, ",
						own->keys[i].word);
	return report_usage("unknown option \"%s\", known are %s-j, -d, -a, -n, -b, -force, -h and -V",
			    secret_quote(word, quoted, sizeof(quoted)), known);
}

/* Takes an option, and its value.  Returns how many arguments they are, or -1. */
static int ctl_take(const struct parse_table *own, int argc, char **argv,
		    struct ctl_options *opt)
{
	const struct ctl_option *known = ctl_find(argv[0]);

	if (!known) {
		ctl_unknown(own, argv[0]);
		return -1;
	}
	if (!known->word) {
		*(bool *)((char *)opt + known->value) = true;
		return 1;
	}
	if (argc < 2) {
		report_usage("\"%s\" needs a value (%s)", argv[0],
			     known->word);
		return -1;
	}
	*(const char **)((char *)opt + known->value) = argv[1];
	return 2;
}

/* Options of the command, or of its verb. */
static const struct parse_table *ctl_own(int argc, char **argv)
{
	const struct command *cmd;

	cmd = argc ? command_find(ctl_commands, argv[0]) : NULL;
	if (cmd && cmd->verbs && argc > 1)
		cmd = command_find(cmd->verbs, argv[1]);
	return cmd ? cmd->table : NULL;
}

/* After one or two dashes, as options of all commands. */
static int ctl_own_find(const struct parse_table *own, const char *word)
{
	return parse_find(own, word + !strncmp(word, "--", 2));
}

/* Removes the global options from the arguments; options of the command before
 * them stay, with their values.  Returns how many arguments are left.
 */
static int ctl_take_options(int argc, char **argv, struct ctl_options *opt)
{
	const struct parse_table *own = NULL;
	int left = 0, taken, index;

	for (int i = 0; i < argc; i += taken) {
		taken = 1;
		own = ctl_own(left, argv);
		index = own ? ctl_own_find(own, argv[i]) : -1;
		if (argv[i][0] != '-' || !argv[i][1]) {
			argv[left++] = argv[i];
		} else if (index >= 0) {
			argv[left++] = (char *)own->keys[index].word;
			if (own->keys[index].type != PARSE_FLAG &&
			    i + 1 < argc) {
				argv[left++] = argv[i + 1];
				taken = 2;
			}
		} else {
			taken = ctl_take(own, argc - i, argv + i, opt);
			if (taken < 0)
				return -1;
		}
	}
	return left;
}

/* As with ip(8), whatever follows: a mistake must not make a tunnel "help". */
static bool ctl_is_help(int argc, char **argv)
{
	return argc && !strcmp(argv[0], "help");
}

static int ctl_verb(const struct command *cmd, int argc, char **argv,
		    const struct ctl_options *opt)
{
	const struct command *verb;
	char names[160];

	if (argc ? ctl_is_help(argc, argv) : opt->help) {
		help_print(&opt->ctl, NULL, cmd);
		return STATUS_OK;
	}
	verb = argc ? command_find(cmd->verbs, argv[0]) : NULL;
	if (verb && (opt->help || ctl_is_help(argc - 1, argv + 1))) {
		help_print(&opt->ctl, cmd, verb);
		return STATUS_OK;
	}
	if (!argc)
		return report_usage("%s needs a verb: %s", cmd->name,
				    command_names(cmd->verbs, " or ", names,
						  sizeof(names)));
	if (!verb)
		return command_unknown("verb", cmd->name, cmd->verbs, argv[0]);
	return verb->run(&opt->ctl, argc - 1, argv + 1);
}

static int ctl_run(int argc, char **argv, const struct ctl_options *opt)
{
	static char show[] = "show", *default_words[] = { show };
	const struct command *cmd;

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
		return command_unknown("command", NULL, ctl_commands, argv[0]);
	argc--;
	argv++;
	if (cmd->verbs)
		return ctl_verb(cmd, argc, argv, opt);
	if (opt->help || ctl_is_help(argc, argv)) {
		help_print(&opt->ctl, NULL, cmd);
		return STATUS_OK;
	}
	return cmd->run(&opt->ctl, argc, argv);
}

/* A command of a file: its options add to those of the command line. */
static int ctl_batch_line(int argc, char **argv)
{
	struct ctl_options opt = ctl_given;
	const char *wrong = secret_refuse(argc, argv);
	int left;

	if (wrong)
		return report_usage("%s", wrong);
	opt.force = false;
	left = ctl_take_options(argc, argv, &opt);
	if (left < 0)
		return STATUS_USAGE;
	if (opt.batch != ctl_given.batch || opt.force ||
	    opt.ctl.netns != ctl_given.ctl.netns)
		return report_usage("-n, -b and -force belong on the command line, not in a file of commands");
	return ctl_run(left, argv, &opt);
}

static int ctl_main(int argc, char **argv)
{
	struct ctl_options *opt = &ctl_given;
	int left = ctl_take_options(argc, argv, opt), status;
	char quoted[40];

	if (left < 0)
		return STATUS_USAGE;
	if (opt->force && !opt->batch)
		return report_usage("-force needs -batch FILE");
	if (opt->batch && left)
		return report_usage("with -batch FILE there is no command, not \"%s\"",
				    secret_quote(argv[0], quoted,
						 sizeof(quoted)));
	print_init();
	status = opt->ctl.netns ? netns_enter(opt->ctl.netns) : STATUS_OK;
	if (status)
		return status;
	if (opt->batch && !opt->help && !opt->version)
		return batch_run(opt->batch, opt->force, ctl_batch_line);
	return ctl_run(left, argv, opt);
}

/* Candidates for the last word; what precedes it may have options. */
static int ctl_complete(int argc, char **argv)
{
	struct ctl_options opt = ctl_given;
	char *before = argc > 1 ? argv[argc - 2] : NULL, *last;
	const struct ctl_option *known;
	int left;

	if (!argc)
		return cmd_complete.run(&opt.ctl, argc, argv);
	/* Candidates are a convenience: errors are not reported. */
	if (!freopen("/dev/null", "w", stderr))
		return STATUS_USAGE;
	last = argv[argc - 1];
	known = before && *before == '-' ? ctl_find(before) : NULL;
	left = ctl_take_options(argc - 1, argv, &opt);
	if (left < 0 && known && known->word)
		complete_option(known->word);
	if (left < 0)
		return STATUS_OK;
	/* Commands are the same in each network namespace, names are not. */
	if (left && opt.ctl.netns && netns_enter(opt.ctl.netns))
		return STATUS_OK;
	argv[left] = last;
	return cmd_complete.run(&opt.ctl, left + 1, argv);
}

int main(int argc, char **argv)
{
	const char *wrong;
	int status;

	ctl_given.ctl.commands = ctl_commands;
	report_before(screen_leave);
	if (argc > 1 && !strcmp(argv[1], "complete"))
		return ctl_complete(argc - 2, argv + 2);
	wrong = secret_refuse(argc - 1, argv + 1);
	if (wrong)
		return report_usage("%s", wrong);
	status = ctl_main(argc - 1, argv + 1);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		return report_fail("the output cannot be written");
	return status;
}
