// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl server add-client, remove, export: clients of a server.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/server.h"
#include "host/run.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/qr.h"
#include "lib/report.h"
#include "lib/secret.h"
#include "lib/signals.h"
#include "server/address.h"
#include "server/draft.h"

/* Most characters of a name that may be one. */
#define NAME_ROOM 64

/**
 * struct server_names - names of clients, and where they are
 * @name: the names
 * @line: their lines, 0 for arguments
 * @count: their number
 * @input: the names are from standard input
 */
struct server_names {
	char (*name)[NAME_ROOM];
	int *line;
	size_t count;
	bool input;
};

static void names_add(struct server_names *names, const char *word, int line)
{
	size_t count = names->count + 1;

	names->name = realloc(names->name, count * sizeof(*names->name));
	names->line = realloc(names->line, count * sizeof(*names->line));
	if (!names->name || !names->line)
		exit(report_fail("out of memory"));
	snprintf(names->name[names->count], NAME_ROOM, "%s", word);
	names->line[names->count++] = line;
}

static void names_free(struct server_names *names)
{
	free(names->name);
	free(names->line);
}

/* Names have white space around them, "#" begins a comment. */
static int names_input(struct server_names *names)
{
	char *text = NULL, *rest, *word;
	size_t size = 0;

	if (keyfile_input_taken())
		return report_usage("the names cannot be read from standard input, which holds the commands");
	names->input = true;
	for (int line = 1; getline(&text, &size, stdin) > 0; line++) {
		text[strcspn(text, "#\n")] = '\0';
		rest = text;
		while ((word = strtok_r(rest, " \t\r,", &rest)))
			names_add(names, word, line);
	}
	free(text);
	return STATUS_OK;
}

static int names_read(struct server_names *names,
		      const struct server_words *words)
{
	int status = STATUS_OK;

	for (int i = 0; !status && i < words->count; i++) {
		if (!strcmp(words->word[i], "-"))
			status = names_input(names);
		else
			names_add(names, words->word[i], 0);
	}
	if (!status && !names->count)
		return names->input ?
		       report_usage("there is no name on standard input") :
		       report_usage("server add-client needs names of clients, or - for standard input");
	return status;
}

static void names_at(const struct server_names *names, size_t index)
{
	if (names->line[index])
		report_at("standard input", names->line[index]);
}

static int names_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The same name twice. */
static int names_twice(const struct server_names *names)
{
	char **sorted = calloc(names->count, sizeof(*sorted));
	int status = STATUS_OK;

	if (!sorted)
		return report_fail("out of memory");
	for (size_t i = 0; i < names->count; i++)
		sorted[i] = names->name[i];
	qsort(sorted, names->count, sizeof(*sorted), names_order);
	for (size_t i = 1; !status && i < names->count; i++) {
		size_t at = (size_t)(sorted[i] - names->name[0]) / NAME_ROOM;

		if (strcmp(sorted[i - 1], sorted[i]))
			continue;
		names_at(names, at);
		status = report_usage("%s is given twice", sorted[i]);
		report_at(NULL, 0);
	}
	free(sorted);
	return status;
}

static int names_check(const struct server *server,
		       const struct client_list *have,
		       const struct server_names *names)
{
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < names->count; i++) {
		names_at(names, i);
		status = client_new(server, have, names->name[i]);
		report_at(NULL, 0);
	}
	return status ? status : names_twice(names);
}

static int add_plan(const struct server *server, const struct client_list *have,
		    const struct server_names *names,
		    const struct server_words *words, struct client_list *more)
{
	const struct parse_value *given =
		&words->res.value[KEYWORD_CLIENT_ADDRESS];
	int status;

	if (given->set && names->count != 1)
		return report_usage("-address is for one client, not for %zu",
				    names->count);
	status = names_check(server, have, names);
	if (status)
		return status;
	more->client = calloc(names->count, sizeof(*more->client));
	if (!more->client)
		return report_fail("out of memory");
	more->count = names->count;
	for (size_t i = 0; i < names->count; i++)
		strcpy(more->client[i].name, names->name[i]);
	return address_take(server, have, more,
			    given->set ? given->word : NULL);
}

/* Before anything is written. */
static int add_check(const struct server *server,
		     const struct client_list *more, bool qr)
{
	struct conf_error error;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < more->count; i++) {
		int len = draft_check(server, &more->client[i], &error);

		if (len < 0)
			return report_usage("the file of client %s would be wrong: %s",
					    more->client[i].name, error.text);
		status = qr ? qr_check((size_t)len) : STATUS_OK;
	}
	return status;
}

static int add_print(const struct client *client, bool qr)
{
	struct conf_file *file = client_file(client->name);
	struct stat st;
	int status;
	size_t len;

	if (!file)
		return STATUS_USAGE;
	puts(file->path);
	status = qr ? file_text(file, &len, &st) : STATUS_OK;
	if (qr && !status)
		status = qr_print(file->text, len);
	file_free(file);
	return status;
}

/* The files are there, so whatever fails now can be done again. */
static int add_live(const struct server *server,
		    const struct client_list *have,
		    const struct client_list *more)
{
	struct dump_list tunnels;
	int status, firewall;
	size_t up;

	status = server_tunnels(have, &tunnels);
	if (status)
		return status;
	if (!server_running(&tunnels, have)) {
		dump_free(&tunnels);
		report_note("the server is not running, start it with \"systemctl enable --now mptun-server\" or \"mptunctl server up\"");
		return STATUS_OK;
	}
	/* The pool may have changed. */
	firewall = server_firewall(server, have);
	status = server_up_each(&tunnels, more, &up);
	dump_free(&tunnels);
	return status ? status : firewall;
}

static int add_all(struct server *server,
		   const struct server_names *names,
		   const struct server_words *words)
{
	bool qr = words->res.value[KEYWORD_CLIENT_QR].set;
	struct client_list have, more = { .count = 0 };
	int status, shown = STATUS_OK;

	/* An address that is not known could be given a second time. */
	status = client_read(server, &have);
	if (!status)
		status = add_plan(server, &have, names, words, &more);
	if (!status)
		status = add_check(server, &more, qr);
	if (!status)
		status = client_add(server, &more);
	/* Commands of files may read them now. */
	server_unlock(server);
	if (!status) {
		for (size_t i = 0; i < more.count; i++)
			if (add_print(&more.client[i], qr))
				shown = STATUS_KERNEL;
		status = add_live(server, &have, &more);
	}
	client_free(&have);
	client_free(&more);
	return status ? status : shown;
}

static int add_run(const struct ctl *ctl, int argc, char **argv)
{
	struct server_names names = { .count = 0 };
	struct server *server = NULL;
	struct server_words words;
	int status;

	(void)ctl;
	status = server_words(&keyword_client, argc, argv, &words);
	if (!status)
		status = names_read(&names, &words);
	if (!status)
		status = server_open(&server, SERVER_CHANGE);
	if (!status) {
		run_prepare();
		run_catch();
		client_recover(server);
		status = add_all(server, &names, &words);
	}
	server_close(server);
	names_free(&names);
	return status;
}

static int client_missing(const char *name)
{
	char quoted[40];

	return report_usage("there is no client %s",
			    secret_quote(name, quoted, sizeof(quoted)));
}

/* Its tunnel, then its files, which others may read until then. */
static int remove_one(const struct ctl *ctl, struct server *server,
		      const struct dump_list *tunnels, const char *name)
{
	int status;

	if (signals_noted())
		return report_fail("interrupted by a signal before client %s was removed",
				   name);
	status = server_down(ctl, tunnels, name);
	if (!status)
		status = server_lock(server);
	if (!status)
		status = client_remove(server, name);
	server_unlock(server);
	return status;
}

/* All of them are known, or none is removed. */
static int remove_all(const struct ctl *ctl, struct server *server,
		      int argc, char **argv)
{
	struct dump_list tunnels = { .count = 0 };
	struct client_list list;
	int status = STATUS_OK;

	client_names(server, &list);
	for (int i = 0; !status && i < argc; i++)
		if (!client_find(&list, argv[i]))
			status = client_missing(argv[i]);
	if (!status)
		status = server_tunnels(&list, &tunnels);
	client_free(&list);
	server_unlock(server);
	for (int i = 0; !status && i < argc; i++)
		status = remove_one(ctl, server, &tunnels, argv[i]);
	dump_free(&tunnels);
	return status;
}

static int remove_run(const struct ctl *ctl, int argc, char **argv)
{
	struct server *server;
	int status;

	if (!argc)
		return report_usage("server remove needs names of clients");
	for (int i = 1; i < argc; i++)
		for (int j = 0; j < i; j++)
			if (!strcmp(argv[i], argv[j]))
				return report_usage("%s is given twice",
						    argv[i]);
	status = server_open(&server, SERVER_END);
	if (status)
		return status;
	run_prepare();
	run_catch();
	client_recover(server);
	status = remove_all(ctl, server, argc, argv);
	server_close(server);
	return status;
}

static int export_one(struct server *server, const char *name, bool qr)
{
	struct conf_file *file;
	int status = STATUS_OK;
	char final[NAME_ROOM];
	struct stat st;
	size_t len;

	snprintf(final, sizeof(final), "%.40s" FILE_END, name);
	if (!file_name_valid(name, strlen(name)) || server->clients < 0 ||
	    !store_exists(server->clients, final))
		return client_missing(name);
	file = client_file(name);
	if (!file)
		return STATUS_USAGE;
	status = file_text(file, &len, &st);
	/* Printing may take as long as the reader likes. */
	server_unlock(server);
	if (!status && qr)
		status = qr_print(file->text, len);
	else if (!status)
		status = keyfile_print(file->text, len);
	file_free(file);
	return status;
}

static int export_run(const struct ctl *ctl, int argc, char **argv)
{
	struct server_words words;
	struct server *server;
	int status;

	(void)ctl;
	status = server_words(&keyword_export, argc, argv, &words);
	if (status)
		return status;
	if (words.count != 1)
		return report_usage("server export needs the name of one client");
	status = server_open(&server, SERVER_READ);
	if (status)
		return status;
	status = export_one(server, words.word[0],
			    words.res.value[KEYWORD_EXPORT_QR].set);
	server_close(server);
	return status;
}

const struct command server_add_verb = {
	.name = "add-client", .args = "NAME...|- [-address ADDR[,ADDR]] [-qr]",
	.brief = "add clients, and print the names of their files",
	.details = "Copy the file to /etc/mptun of the client, where \"mptunctl up NAME\" or\n"
		   "\"systemctl enable --now mptun@NAME\" takes it as it is.  - reads names from\n"
		   "standard input.  If the server is running the tunnels are created at once.",
	.table = &keyword_client, .run = add_run,
};

const struct command server_remove_verb = {
	.name = "remove", .other = "del", .least = 2, .args = "NAME...",
	.brief = "delete clients with their tunnels and files",
	.details = "Their addresses are free then.",
	.words = { CTL_CLIENTS }, .run = remove_run,
};

const struct command server_export_verb = {
	.name = "export", .args = "NAME [-qr]",
	.brief = "print the file of a client again",
	.words = { CTL_CLIENT }, .table = &keyword_export, .run = export_run,
};
