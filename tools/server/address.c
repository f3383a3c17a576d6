// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses for clients that are added.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "lib/report.h"
#include "server/address.h"
#include "server/taken.h"

static const struct client *address_client(const struct client_list *have,
					   const unsigned char *entry)
{
	for (size_t i = 0; i < have->count; i++)
		for (int v = 0; v < POOL_VERSIONS; v++)
			if (!memcmp(have->client[i].pair.entry[v], entry,
				    PARSE_PREFIX_LEN))
				return &have->client[i];
	return NULL;
}

/* The tunnel to an address. */
static const char *address_behind(const struct client_list *have,
				  const struct taken_list *taken,
				  const unsigned char *entry)
{
	const struct client *client = address_client(have, entry);

	for (size_t i = 0; !client && i < taken->count; i++)
		if (!taken->list[i].own &&
		    !memcmp(taken->list[i].entry, entry, PARSE_PREFIX_LEN))
			return taken->list[i].name;
	return client ? client->name : NULL;
}

/* The first address of another pool than before may be that of a client. */
static int address_server(const struct server *server,
			  const struct client_list *have,
			  const struct taken_list *taken)
{
	struct pool_pair own;
	char text[POOL_TEXT];
	const char *name;

	pool_server(&server->pool, &own);
	for (int v = 0; v < POOL_VERSIONS; v++) {
		if (!own.entry[v][0])
			continue;
		name = address_behind(have, taken, own.entry[v]);
		if (name)
			return report_usage("%s is the first address of Pool in %s, which the server gets, but tunnel %s leads to it",
					    pool_entry_text(own.entry[v], false,
							    text),
					    server->file.path, name);
	}
	return STATUS_OK;
}

static int address_one(const struct server *server,
		       const struct client_list *have,
		       const struct taken_list *taken,
		       const unsigned char *entry)
{
	const struct client *client = address_client(have, entry);
	const struct taken *other = taken_find(taken, entry);
	char text[POOL_TEXT];

	pool_entry_text(entry, false, text);
	if (!pool_has(&server->pool, entry))
		return report_usage("%s is no address for clients, see Pool in %s",
				    text, server->file.path);
	if (client)
		return report_usage("%s is an address of client %s", text,
				    client->name);
	if (other)
		return report_usage("%s is an address of tunnel %s, see %s/%s"
				    FILE_END, text, other->name, file_folder(),
				    other->name);
	return STATUS_OK;
}

/* Those of -address have to be of the pool, and free. */
static int address_given(const struct server *server,
			 const struct client_list *have,
			 const struct taken_list *taken, struct client *client,
			 const char *given)
{
	char error[PARSE_ERROR_MAX];
	int status = STATUS_OK;

	if (pool_pair_read(&client->pair, given, error))
		return report_usage("%s", error);
	for (int v = 0; !status && v < POOL_VERSIONS; v++)
		if (client->pair.entry[v][0])
			status = address_one(server, have, taken,
					     client->pair.entry[v]);
	return status;
}

static int address_next(const struct server *server,
			const struct client_list *have,
			const struct taken_list *taken,
			struct client_list *more)
{
	struct pool_used used;
	int err = 0;

	pool_begin(&used);
	for (size_t i = 0; i < have->count; i++)
		pool_use_pair(&server->pool, &used, &have->client[i].pair);
	for (size_t i = 0; i < taken->count; i++)
		pool_use(&server->pool, &used, taken->list[i].entry);
	for (size_t i = 0; !err && i < more->count; i++)
		err = pool_next(&server->pool, &used, &more->client[i].pair);
	pool_end(&used);
	if (!err)
		return STATUS_OK;
	return report_usage("the pool has too few free addresses for %zu more client%s, see Pool in %s",
			    more->count, more->count == 1 ? "" : "s",
			    server->file.path);
}

int address_take(const struct server *server, const struct client_list *have,
		 struct client_list *more, const char *given)
{
	struct taken_list taken;
	int status;

	status = taken_read(server, &taken);
	if (!status)
		status = address_server(server, have, &taken);
	if (!status && given)
		status = address_given(server, have, &taken, more->client,
				       given);
	if (!status)
		status = address_next(server, have, &taken, more);
	taken_free(&taken);
	return status;
}
