// SPDX-License-Identifier: GPL-2.0
/*
 * Clients of a server, and their files.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Files are written under hidden names first.  A client exists from the moment
 * at which the file of its tunnel has its name, and to the moment at which its
 * own file has the name of an old one.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/keyfile.h"
#include "lib/report.h"
#include "lib/secret.h"
#include "lib/signals.h"
#include "server/client.h"
#include "server/draft.h"

#define CLIENT_NEW ".new"
#define CLIENT_OLD ".old"

/* Longest name of a file. */
#define CLIENT_NAME (PARSE_TEXT_MAX + 8)

static const char *client_final(const char *name, char *buf)
{
	snprintf(buf, CLIENT_NAME, "%s" FILE_END, name);
	return buf;
}

static const char *client_hidden(const char *name, const char *end, char *buf)
{
	snprintf(buf, CLIENT_NAME, ".%s%s", name, end);
	return buf;
}

/* The name of the client if a file is called like this. */
static bool client_named(const char *file, bool hidden, const char *end,
			 char *name)
{
	size_t len = strlen(file), tail = strlen(end);

	if (hidden && *file != '.')
		return false;
	file += hidden;
	len -= hidden;
	if (len <= tail || strcmp(file + len - tail, end) ||
	    !file_name_valid(file, len - tail))
		return false;
	memcpy(name, file, len - tail);
	name[len - tail] = '\0';
	return true;
}

struct conf_file *client_file(const char *name)
{
	struct conf_file *file;
	char *path;

	if (asprintf(&path, "%s/" SERVER_CLIENTS "/%s" FILE_END, file_folder(),
		     name) < 0)
		exit(report_fail("out of memory"));
	file = file_named(path, NULL);
	free(path);
	return file;
}

/**
 * struct client_names - names that are collected
 * @list: the clients
 * @room: how many fit
 */
struct client_names {
	struct client_list *list;
	size_t room;
};

static void client_take(void *arg, const char *name)
{
	struct client_names *names = arg;
	struct client_list *list = names->list;
	struct client client = { .name = "" };

	if (!client_named(name, false, FILE_END, client.name))
		return;
	if (list->count == names->room) {
		names->room = 2 * names->room + 16;
		list->client = realloc(list->client,
				       names->room * sizeof(client));
		if (!list->client)
			exit(report_fail("out of memory"));
	}
	list->client[list->count++] = client;
}

/* Numbers in names count as numbers: c2 precedes c10. */
static int client_order(const void *a, const void *b)
{
	return strverscmp(((const struct client *)a)->name,
			  ((const struct client *)b)->name);
}

static int client_load(struct conf_file *file, bool quiet)
{
	struct plan *plan = &file->plan;
	struct stat st;
	size_t len;

	if (!quiet)
		return file_load(file, true);
	return file_exists(file) && !file_text(file, &len, &st) &&
	       !plan_read(plan, file->text, len) && !plan_check(plan, true) ?
	       STATUS_OK : STATUS_USAGE;
}

static int client_addresses(struct client *client, bool quiet)
{
	struct conf_file *file = client_file(client->name);
	const struct plan_prefixes *address;
	int status;

	if (!file)
		return STATUS_USAGE;
	status = client_load(file, quiet);
	address = &file->plan.host.address;
	for (size_t i = 0; !status && i < address->count; i++) {
		const unsigned char *entry = address->list[i].entry;

		unsigned char *to = client->pair.entry[entry[0] == 6];

		/* The length of the network may have been written there. */
		memcpy(to, entry, PARSE_PREFIX_LEN);
		to[1] = entry[0] == 6 ? 128 : 32;
	}
	file_free(file);
	return status;
}

void client_names(const struct server *server, struct client_list *list)
{
	struct client_names names = { .list = list };

	memset(list, 0, sizeof(*list));
	if (server->clients >= 0)
		store_each(server->clients, client_take, &names);
	if (list->count)
		qsort(list->client, list->count, sizeof(*list->client),
		      client_order);
}

int client_read(const struct server *server, struct client_list *list)
{
	int status = STATUS_OK;

	client_names(server, list);
	for (size_t i = 0; i < list->count; i++)
		if (client_addresses(&list->client[i], false))
			status = STATUS_USAGE;
	return status;
}

void client_look(const struct server *server, struct client_list *list)
{
	client_names(server, list);
	for (size_t i = 0; i < list->count; i++)
		client_addresses(&list->client[i], true);
}

void client_free(struct client_list *list)
{
	free(list->client);
	memset(list, 0, sizeof(*list));
}

const struct client *client_find(const struct client_list *list,
				 const char *name)
{
	struct client key = { .name = "" };

	if (!list->count || strlen(name) > PARSE_TEXT_MAX)
		return NULL;
	strcpy(key.name, name);
	return bsearch(&key, list->client, list->count, sizeof(key),
		       client_order);
}

int client_new(const struct server *server, const struct client_list *list,
	       const char *name)
{
	char error[PARSE_ERROR_MAX], final[CLIENT_NAME], quoted[40];

	if (parse_kept_name(name, error))
		return report_usage("%s", error);
	if (!file_name_valid(name, strlen(name)))
		return report_usage("the name of a client has 1 to 15 letters, digits, \"_\", \"-\" and \".\", not \"%s\"",
				    secret_quote(name, quoted, sizeof(quoted)));
	if (parse_dev_name(name, error))
		return report_usage("%s", error);
	if (!strcmp(name, SERVER_NAME))
		return report_usage("no client can be called \"" SERVER_NAME "\", the file of the server is");
	if (client_find(list, name))
		return report_usage("there is a client %s already", name);
	client_final(name, final);
	if (store_exists(server->folder, final))
		return report_usage("%s/%s exists already, so no client can be called %s",
				    file_folder(), final, name);
	if (if_nametoindex(name))
		return report_usage("this machine has a device %s, so no client can be called that",
				    name);
	return STATUS_OK;
}

/* The one that the server needs comes first, see client_recover(). */
static int client_begin(const struct server *server,
			const struct client *client)
{
	unsigned char secret[SECRET_LEN];
	char name[CLIENT_NAME];
	struct draft draft;
	int status;

	status = keyfile_draw(secret);
	if (status)
		return status;
	draft_write(&draft, server, client, secret);
	client_hidden(client->name, CLIENT_NEW, name);
	status = store_write(server->folder, name, &draft.mine);
	if (!status)
		status = store_write(server->clients, name, &draft.its);
	secret_wipe(secret, sizeof(secret));
	secret_wipe(&draft, sizeof(draft));
	return status;
}

static int client_commit(const struct server *server,
			 const struct client *client)
{
	char new[CLIENT_NAME], final[CLIENT_NAME];
	int status;

	client_hidden(client->name, CLIENT_NEW, new);
	client_final(client->name, final);
	status = store_rename(server->folder, new, final);
	if (status)
		return status;
	status = store_rename(server->clients, new, final);
	if (status)
		renameat(server->folder, final, server->folder, new);
	return status;
}

static int client_interrupted(void)
{
	if (!signals_noted())
		return STATUS_OK;
	return report_fail("interrupted by a signal, no client is added");
}

/* Either all of them get their names, or those that have one lose it. */
static int client_commit_all(const struct server *server,
			     const struct client_list *more)
{
	int status = STATUS_OK;
	size_t done = 0;

	for (; !status && done < more->count; done++)
		status = client_commit(server, &more->client[done]);
	if (!status)
		return STATUS_OK;
	/* The last one has failed. */
	while (done > 1)
		client_remove(server, more->client[--done - 1].name);
	return status;
}

/* All files are on the disk before the first one gets its name. */
int client_add(const struct server *server, const struct client_list *more)
{
	int status = STATUS_OK;
	sigset_t mask;

	for (size_t i = 0; !status && i < more->count; i++) {
		status = client_interrupted();
		if (!status)
			status = client_begin(server, &more->client[i]);
	}
	if (!status && syncfs(server->folder))
		status = report_fail("%s cannot be written: %s", file_folder(),
				     strerror(errno));
	signals_block(&mask);
	if (!status)
		status = client_interrupted();
	if (!status)
		status = client_commit_all(server, more);
	if (status)
		client_recover(server);
	signals_unblock(&mask);
	fsync(server->clients);
	fsync(server->folder);
	return status;
}

static int client_remove_files(const struct server *server, const char *name)
{
	char final[CLIENT_NAME], old[CLIENT_NAME];

	client_final(name, final);
	client_hidden(name, CLIENT_OLD, old);
	if (renameat(server->clients, final, server->clients, old))
		return report_fail("%s/" SERVER_CLIENTS "/%s cannot be removed: %s",
				   file_folder(), final, strerror(errno));
	fsync(server->clients);
	if (unlinkat(server->folder, final, 0) && errno != ENOENT)
		return report_fail("%s/%s cannot be removed: %s",
				   file_folder(), final, strerror(errno));
	fsync(server->folder);
	unlinkat(server->clients, old, 0);
	return STATUS_OK;
}

int client_remove(const struct server *server, const char *name)
{
	sigset_t mask;
	int status;

	signals_block(&mask);
	status = client_remove_files(server, name);
	signals_unblock(&mask);
	return status;
}

/* The key in a file of a folder below that of the server, or in it. */
static bool client_key_of(const char *folder, const char *name,
			  const char *client, unsigned char *key)
{
	struct conf_file *file;
	bool found = false;
	struct stat st;
	char *path;
	size_t len;

	if (asprintf(&path, "%s%s/%s", file_folder(), folder, name) < 0)
		exit(report_fail("out of memory"));
	file = file_named(path, client);
	if (file && file_exists(file) && !file_text(file, &len, &st) &&
	    !plan_read(&file->plan, file->text, len) && file->plan.keyed) {
		memcpy(key, file->plan.key, SECRET_LEN);
		found = true;
	}
	file_free(file);
	free(path);
	return found;
}

/* Whether a hidden file of a client belongs to the tunnel of this name.  The
 * tunnel may have been made by hand since.
 */
static bool client_same(const char *hidden, const char *client)
{
	unsigned char its[SECRET_LEN], mine[SECRET_LEN];
	char final[CLIENT_NAME];
	bool same;

	same = client_key_of("/" SERVER_CLIENTS, hidden, client, its) &&
	       client_key_of("", client_final(client, final), client, mine) &&
	       !memcmp(its, mine, SECRET_LEN);
	secret_wipe(its, sizeof(its));
	secret_wipe(mine, sizeof(mine));
	return same;
}

/* The file of the tunnel is written before that of the client, and gets its
 * name before it.  While it has the new one the client does not exist.
 */
static void client_recover_one(void *arg, const char *name)
{
	const struct server *server = arg;
	char client[PARSE_TEXT_MAX + 1], final[CLIENT_NAME];

	if (client_named(name, true, CLIENT_NEW, client)) {
		client_final(client, final);
		if (store_exists(server->folder, name) ||
		    !client_same(name, client))
			unlinkat(server->clients, name, 0);
		else
			store_rename(server->clients, name, final);
	} else if (client_named(name, true, CLIENT_OLD, client)) {
		if (client_same(name, client))
			unlinkat(server->folder, client_final(client, final),
				 0);
		unlinkat(server->clients, name, 0);
	}
}

static void client_recover_end(void *arg, const char *name)
{
	const struct server *server = arg;
	char client[PARSE_TEXT_MAX + 1];

	if (client_named(name, true, CLIENT_NEW, client))
		unlinkat(server->folder, name, 0);
}

void client_recover(const struct server *server)
{
	store_each(server->clients, client_recover_one, (void *)server);
	store_each(server->folder, client_recover_end, (void *)server);
}
