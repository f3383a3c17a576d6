// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl complete: candidates for the last word, for shells.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Uses the tables of commands and keywords, so that shells need no list of
 * their own.  Prints all candidates, one per line; the shell drops those that
 * do not match.  A slash, which no other candidate is, stands for file names.
 */
#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "conf/file.h"
#include "lib/dump.h"
#include "lib/netns.h"
#include "lib/report.h"
#include "server/client.h"

/* Class 0 always exists and cannot be deleted. */
static void complete_name(const struct record *rec, enum ctl_word word)
{
	uint64_t id = record_num(rec, "id");

	if (word == CTL_PATH)
		puts(record_text(rec, "name"));
	else if (word != CTL_CLASS)
		puts(record_text(rec, "ifname"));
	else if (id)
		printf("%llu\n", (unsigned long long)id);
}

static void complete_kernel(const char *tunnel, enum ctl_word word)
{
	struct dump_list list;
	struct conn *conn;
	int status;

	conn = conn_open();
	if (!conn)
		return;
	if (word == CTL_PATH)
		status = dump_paths(conn, tunnel, NULL, &list);
	else if (word == CTL_CLASS)
		status = dump_classes(conn, tunnel, NULL, &list);
	else
		status = dump_tunnels(conn, NULL, &list);
	conn_close(conn);
	if (status)
		return;
	for (size_t i = 0; i < list.count; i++)
		complete_name(list.rec[i], word);
	dump_free(&list);
}

static void complete_devices(void)
{
	struct if_nameindex *list = if_nameindex();

	for (size_t i = 0; list && list[i].if_index; i++)
		puts(list[i].if_name);
	if (list)
		if_freenameindex(list);
}

/* Files in the folder for them, by the name of the tunnel. */
static bool complete_conf(const char *word)
{
	DIR *folder = strchr(word, '/') ? NULL : opendir(file_folder());
	struct dirent *entry;
	bool any = false;

	while (folder && (entry = readdir(folder))) {
		const char *end = strstr(entry->d_name, FILE_END);

		if (!end || end == entry->d_name || end[strlen(FILE_END)])
			continue;
		printf("%.*s\n", (int)(end - entry->d_name), entry->d_name);
		any = true;
	}
	if (folder)
		closedir(folder);
	return any;
}

/* Clients of the server, if the user may see them. */
static void complete_clients(void)
{
	struct client_list list;
	struct server *server;

	if (server_open(&server, SERVER_LOOK))
		return;
	client_names(server, &list);
	for (size_t i = 0; i < list.count; i++)
		puts(list.client[i].name);
	client_free(&list);
	server_close(server);
}

void complete_option(const char *word)
{
	DIR *folder = strcmp(word, "NETNS") ? NULL : opendir(NETNS_FOLDER);
	struct dirent *entry;

	if (!folder) {
		puts("/");
		return;
	}
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			puts(entry->d_name);
	closedir(folder);
}

static void complete_values(const struct parse_key *key, const char *tunnel)
{
	const struct names *names = key->names;

	if (key->type == PARSE_FILE)
		puts("/");
	if (key->type == PARSE_BOOL)
		names = &names_switch;
	for (size_t i = 0; names && i < names->count; i++)
		if (names->name[i])
			puts(names->name[i]);
	if (key->none)
		puts(key->none);
	if (key->most)
		puts(key->most);
	if (!strcmp(key->word, "dev"))
		complete_devices();
	if (!strcmp(key->word, "path"))
		complete_kernel(tunnel, CTL_PATH);
}

static void complete_commands(const struct command *const *list)
{
	for (; *list; list++)
		if (!(*list)->hidden)
			puts((*list)->name);
}

/* Candidates after a command in "help". */
static void complete_help(const struct ctl *ctl, int argc, char **argv)
{
	const struct command *cmd = NULL;

	if (argc < 2)
		complete_commands(ctl->commands);
	else
		cmd = command_find(ctl->commands, argv[0]);
	if (cmd && cmd->verbs)
		complete_commands(cmd->verbs);
}

static bool complete_given(const char *word, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], word))
			return true;
	return false;
}

/* The last word is a value if the preceding keyword takes one. */
static void complete_keywords(const struct parse_table *table,
			      const char *tunnel, int argc, char **argv)
{
	int i = 0, index = -1;

	while (i + 1 < argc) {
		index = parse_match(table, argv[i]);
		if (index < 0)
			return;
		i += table->keys[index].type == PARSE_FLAG ? 1 : 2;
	}
	if (i >= argc) {
		complete_values(&table->keys[index], tunnel);
		return;
	}
	for (size_t k = 0; k < table->count; k++)
		if (!complete_given(table->keys[k].word, argc - 1, argv))
			puts(table->keys[k].word);
}

/* Options of this command, and global options. */
static void complete_options(const struct ctl *ctl, int argc, char **argv)
{
	const struct command *cmd = NULL;

	if (argc > 1)
		cmd = command_find(ctl->commands, argv[0]);
	if (argc > 2 && cmd && cmd->verbs)
		cmd = command_find(cmd->verbs, argv[1]);
	for (size_t i = 0; cmd && cmd->table && i < cmd->table->count; i++)
		if (cmd->table->keys[i].word[0] == '-')
			puts(cmd->table->keys[i].word);
	puts("-j\n-json\n-d\n-details\n-a\n-all\n-n\n-netns\n-b\n-batch\n-force\n-h\n-help\n-V\n-version");
}

/* Tunnels may be mixed with options. */
static void complete_mixed(const struct command *cmd, int argc, char **argv)
{
	int index = argc > 1 ? parse_find(cmd->table, argv[argc - 2]) : -1;

	if (index >= 0) {
		complete_values(&cmd->table->keys[index], NULL);
		return;
	}
	complete_kernel(NULL, CTL_TUNNEL);
	for (size_t i = 0; i < cmd->table->count; i++)
		if (!complete_given(cmd->table->keys[i].word, argc - 1, argv))
			puts(cmd->table->keys[i].word);
}

static void complete_words(const struct ctl *ctl, const struct command *cmd,
			   int argc, char **argv)
{
	int words = 0;

	if (cmd->words[0] == CTL_TUNNELS) {
		complete_mixed(cmd, argc, argv);
		return;
	}
	if (cmd->words[0] == CTL_CLIENTS) {
		complete_clients();
		return;
	}
	while (words < 3 && cmd->words[words] != CTL_NONE)
		words++;
	if (argc > words) {
		if (cmd->table)
			complete_keywords(cmd->table, argv[0], argc - words,
					  argv + words);
		return;
	}
	switch (cmd->words[argc - 1]) {
	case CTL_TUNNEL:
		complete_kernel(NULL, CTL_TUNNEL);
		break;
	case CTL_PATH:
	case CTL_CLASS:
		complete_kernel(argv[argc - 2], cmd->words[argc - 1]);
		break;
	case CTL_COMMAND:
		complete_help(ctl, argc, argv);
		break;
	case CTL_FILE:
		puts("/");
		break;
	case CTL_EITHER:
		if (strchr(argv[argc - 1], '/'))
			puts("/");
		else
			complete_kernel(NULL, CTL_TUNNEL);
		complete_conf(argv[argc - 1]);
		break;
	case CTL_CONF:
		if (!complete_conf(argv[argc - 1]))
			puts("/");
		break;
	case CTL_CLIENT:
		complete_clients();
		break;
	case CTL_NEW:
	case CTL_TUNNELS:
	case CTL_CLIENTS:
	case CTL_NONE:
		break;
	}
	/* Arguments in brackets are optional. */
	if (cmd->table && cmd->args[0] == '[')
		complete_keywords(cmd->table, NULL, argc, argv);
}

static int complete_command(const struct ctl *ctl, int argc, char **argv)
{
	const struct command *const *list = ctl->commands;
	const struct command *cmd = NULL;

	if (!argc)
		return report_usage("complete needs the words of the command line");
	if (argv[argc - 1][0] == '-') {
		complete_options(ctl, argc, argv);
		return STATUS_OK;
	}
	while (list && argc > 1) {
		cmd = command_find(list, argv[0]);
		if (!cmd)
			return STATUS_OK;
		list = cmd->verbs;
		argc--;
		argv++;
	}
	if (list)
		complete_commands(list);
	else
		complete_words(ctl, cmd, argc, argv);
	return STATUS_OK;
}

const struct command cmd_complete = {
	.name = "complete", .args = "WORD...",
	.brief = "list the candidates for the last word", .hidden = true,
	.run = complete_command,
};
