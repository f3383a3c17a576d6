/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mptunctl: description of a command.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_COMMAND_H
#define MPTUN_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/parse.h"

struct command;

/**
 * struct ctl - options of a run
 * @json: print JSON
 * @details: print more
 * @all: print what is zero, too
 * @netns: network namespace of the run, NULL for that of the caller
 * @commands: all commands, ended by NULL
 */
struct ctl {
	bool json;
	bool details;
	bool all;
	const char *netns;
	const struct command *const *commands;
};

/**
 * enum ctl_word - kind of a positional argument
 * @CTL_NONE: no further argument
 * @CTL_NEW: a name that does not exist yet
 * @CTL_TUNNEL: an existing tunnel
 * @CTL_TUNNELS: any number of tunnels, mixed with the options
 * @CTL_PATH: an existing path of the preceding tunnel
 * @CTL_CLASS: number of an existing class of the preceding tunnel
 * @CTL_FILE: name of a file
 * @CTL_CONF: a tunnel with a configuration file, or the name of a file
 * @CTL_EITHER: an existing tunnel, or as CTL_CONF
 * @CTL_CLIENT: a client of the server
 * @CTL_CLIENTS: any number of them
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
	CTL_CONF,
	CTL_EITHER,
	CTL_CLIENT,
	CTL_CLIENTS,
	CTL_COMMAND,
};

/**
 * struct command - a command, or a verb of a command
 * @name: its name
 * @other: another name that users of ip-link expect, or NULL
 * @args: its arguments, for the usage line
 * @brief: what it does, in one line
 * @details: more about it, or NULL
 * @words: its positional arguments
 * @table: its keywords and options, or NULL
 * @verbs: its verbs, ended by NULL, or NULL
 * @least: least letters of an abbreviation
 * @hidden: not listed
 * @run: runs it; @argv starts after the name of the command
 */
struct command {
	const char *name;
	const char *other;
	const char *args;
	const char *brief;
	const char *details;
	enum ctl_word words[3];
	const struct parse_table *table;
	const struct command *const *verbs;
	size_t least;
	bool hidden;
	int (*run)(const struct ctl *ctl, int argc, char **argv);
};

/**
 * command_find() - find a command or a verb
 * @list: commands, ended by NULL
 * @name: its name, or its other one, or how one of them begins
 *
 * Return: the command, of several the first one; NULL if there is none.  What
 * deletes needs more than one letter.
 */
const struct command *command_find(const struct command *const *list,
				   const char *name);

/**
 * command_guess() - find the command that may have been meant
 * @list: commands, ended by NULL
 * @name: an unknown name
 *
 * Return: the name of the command, or NULL.
 */
const char *command_guess(const struct command *const *list, const char *name);

/**
 * command_names() - names for a sentence: "add, set or show"
 * @list: commands, ended by NULL
 * @last: what is between the last two
 * @buf: buffer for the names
 * @size: its size
 *
 * Return: @buf.
 */
const char *command_names(const struct command *const *list,
			  const char *last, char *buf, size_t size);

/**
 * command_unknown() - report an unknown command or verb
 * @what: "command" or "verb"
 * @after: the command that the verb follows, or NULL
 * @list: those that are known, ended by NULL
 * @word: the word
 *
 * Return: STATUS_USAGE.
 */
int command_unknown(const char *what, const char *after,
		    const struct command *const *list, const char *word);

/**
 * command_unexpected() - report a word that a command does not take
 * @word: the word, which may be a part of a key
 *
 * Return: STATUS_USAGE.
 */
int command_unexpected(const char *word);

extern const struct command cmd_show;
extern const struct command cmd_path;
extern const struct command cmd_class;
extern const struct command cmd_key;
extern const struct command cmd_set;
extern const struct command cmd_add;
extern const struct command cmd_del;
extern const struct command cmd_check;
extern const struct command cmd_monitor;
extern const struct command cmd_stats;
extern const struct command cmd_top;
extern const struct command cmd_record;
extern const struct command cmd_test;
extern const struct command cmd_up;
extern const struct command cmd_down;
extern const struct command cmd_showconf;
extern const struct command cmd_setconf;
extern const struct command cmd_syncconf;
extern const struct command cmd_server;
extern const struct command cmd_bugreport;
extern const struct command cmd_help;
extern const struct command cmd_complete;

/**
 * help_print() - print the help of a command
 * @ctl: options of the run
 * @parent: the command it is a verb of, or NULL
 * @cmd: the command, NULL for the help of the program
 */
void help_print(const struct ctl *ctl, const struct command *parent,
		const struct command *cmd);

/**
 * complete_option() - list the candidates for the value of a global option
 * @word: what the help calls the value
 */
void complete_option(const char *word);

#endif /* MPTUN_TOOLS_COMMAND_H */
