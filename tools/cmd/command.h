/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mptunctl: commands, messages, exit status.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_CTL_H
#define MPTUN_TOOLS_CTL_H

#include <stdbool.h>

#include "lib/parse.h"

/* Exit status. */
enum {
	CTL_OK = 0,
	CTL_USAGE = 1,
	CTL_KERNEL = 2,
};

/**
 * struct ctl - options of a run
 * @json: print JSON
 */
struct ctl {
	bool json;
};

/**
 * enum ctl_word - what a positional word of a command is
 * @CTL_NONE: there is no further one
 * @CTL_NEW: a name that does not exist yet
 * @CTL_TUNNEL: an existing tunnel
 * @CTL_TUNNELS: any number of them, anywhere among the options
 * @CTL_PATH: an existing path of the tunnel before it
 * @CTL_CLASS: number of an existing class of the tunnel before it
 * @CTL_FILE: name of a file
 * @CTL_COMMAND: name of a command
 */
enum ctl_word {
	CTL_NONE,
	CTL_NEW,
	CTL_TUNNEL,
	CTL_TUNNELS,
	CTL_PATH,
	CTL_CLASS,
	CTL_FILE,
	CTL_COMMAND,
};

/**
 * struct command - a command, or a verb of a command
 * @name: its name
 * @args: the words after it, for the usage line
 * @brief: what it does, in one line
 * @details: more about it, or NULL
 * @words: its positional words
 * @table: its keywords and options, or NULL
 * @verbs: its verbs, ended by one without name, or NULL
 * @hidden: not for people
 * @run: does it; @argv starts after the name of the command
 */
struct command {
	const char *name;
	const char *args;
	const char *brief;
	const char *details;
	enum ctl_word words[3];
	const struct parse_table *table;
	const struct command *verbs;
	bool hidden;
	int (*run)(const struct ctl *ctl, int argc, char **argv);
};

/* All commands, ended by one without name. */
extern const struct command ctl_commands[];

/**
 * ctl_find() - find a command or a verb
 * @list: where to look
 * @name: its name
 *
 * Return: the command, or NULL.
 */
const struct command *ctl_find(const struct command *list, const char *name);

/**
 * ctl_usage() - say what is wrong with the words given
 * @fmt: one sentence
 *
 * Return: CTL_USAGE.
 */
__attribute__((format(printf, 1, 2)))
int ctl_usage(const char *fmt, ...);

/**
 * ctl_fail() - say what went wrong outside this program
 * @fmt: one sentence
 *
 * Return: CTL_KERNEL.
 */
__attribute__((format(printf, 1, 2)))
int ctl_fail(const char *fmt, ...);

/**
 * ctl_warn() - say what somebody may want to change
 * @fmt: one sentence
 */
__attribute__((format(printf, 1, 2)))
void ctl_warn(const char *fmt, ...);

int cmd_show(const struct ctl *ctl, int argc, char **argv);
int cmd_path_add(const struct ctl *ctl, int argc, char **argv);
int cmd_path_set(const struct ctl *ctl, int argc, char **argv);
int cmd_path_del(const struct ctl *ctl, int argc, char **argv);
int cmd_path_show(const struct ctl *ctl, int argc, char **argv);
int cmd_class_add(const struct ctl *ctl, int argc, char **argv);
int cmd_class_set(const struct ctl *ctl, int argc, char **argv);
int cmd_class_del(const struct ctl *ctl, int argc, char **argv);
int cmd_class_show(const struct ctl *ctl, int argc, char **argv);
int cmd_key_gen(const struct ctl *ctl, int argc, char **argv);
int cmd_key_set(const struct ctl *ctl, int argc, char **argv);
int cmd_key_show(const struct ctl *ctl, int argc, char **argv);
int cmd_set(const struct ctl *ctl, int argc, char **argv);
int cmd_add(const struct ctl *ctl, int argc, char **argv);
int cmd_del(const struct ctl *ctl, int argc, char **argv);
int cmd_monitor(const struct ctl *ctl, int argc, char **argv);
int cmd_stats(const struct ctl *ctl, int argc, char **argv);
int cmd_top(const struct ctl *ctl, int argc, char **argv);
int cmd_record(const struct ctl *ctl, int argc, char **argv);
int cmd_help(const struct ctl *ctl, int argc, char **argv);
int cmd_complete(const struct ctl *ctl, int argc, char **argv);

/**
 * cmd_set_run() - change settings of a tunnel
 * @dev: its name
 * @res: values of keys_set; the key is read from its file here
 *
 * Return: exit status of the program.
 */
int cmd_set_run(const char *dev, struct parse_result *res);

/**
 * cmd_help_print() - print the help of a command
 * @parent: the command it is a verb of, or NULL
 * @cmd: the command, NULL for the help of the program
 */
void cmd_help_print(const struct command *parent, const struct command *cmd);

#endif /* MPTUN_TOOLS_CTL_H */
