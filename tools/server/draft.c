// SPDX-License-Identifier: GPL-2.0
/*
 * The texts of both files of a client.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include "conf/text.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "server/draft.h"

/* Longest text of a setting. */
#define DRAFT_VALUE 4096

static void draft_value(struct store_text *text, const struct server *server,
			int index, const char *name)
{
	const struct parse_key *key = &keyword_server.keys[index];
	const struct parse_value *val = &server->res.value[index];
	char buf[DRAFT_VALUE];

	if (val->set)
		store_print(text, "%s = %s\n", name,
			    text_value(key, val, buf, sizeof(buf)));
	else if (key->standard)
		store_print(text, "%s = %s\n", name, key->standard);
}

/* Whether one of the networks is the pool, or has it in it. */
static bool draft_routed(const struct pool_net *of, const char *routes)
{
	const struct parse_key *key =
		&keyword_server.keys[KEYWORD_SERVER_ROUTES];
	unsigned char data[SERVER_ROUTES];
	char error[PARSE_ERROR_MAX];
	size_t len;

	if (parse_prefixes(key, routes, data, &len, error))
		return false;
	for (size_t i = 0; i < len; i += PARSE_PREFIX_LEN)
		if (pool_within(data + i, of->net))
			return true;
	return false;
}

/* With a list of networks the server and other clients need a route, too. */
static void draft_routes(struct store_text *text, const struct server *server)
{
	const struct parse_value *val =
		&server->res.value[KEYWORD_SERVER_ROUTES];
	char net[POOL_TEXT];

	if (!val->word) {
		store_print(text, "Routes = default\n");
		return;
	}
	store_print(text, "Routes = %s", val->word);
	for (int i = 0; i < POOL_VERSIONS; i++) {
		const struct pool_net *of = &server->pool.of[i];

		if (of->net[0] && !draft_routed(of, val->word))
			store_print(text, ",%s",
				    pool_entry_text(of->net, true, net));
	}
	store_print(text, "\n");
}

static void draft_key(struct store_text *text, const char *key)
{
	store_print(text, "[Interface]\nKey = %.*s\n", SECRET_BASE64, key);
}

/* What is copied to the client. */
static void draft_its(struct store_text *text, const struct server *server,
		      const struct client *client, const char *key)
{
	char addresses[POOL_TEXT];

	text->len = 0;
	store_print(text, "# Keep this file secret: it is the identity of client %s.\n",
		    client->name);
	draft_key(text, key);
	store_print(text, "Address = %s\n",
		    pool_text(&client->pair, true, addresses));
	draft_routes(text, server);
	draft_value(text, server, KEYWORD_SERVER_DNS, "DNS");
	store_print(text, "Masquerade = tunnel\nMssClamp = auto\n"
		    "Uplinks = auto\n\n[Path *]\n");
	draft_value(text, server, KEYWORD_SERVER_ENDPOINT, "Remote");
	draft_value(text, server, KEYWORD_SERVER_PORT, "Port");
}

/* Its tunnel at the server, which accepts its own addresses alone. */
static void draft_mine(struct store_text *text, const struct server *server,
		       const struct client *client, const char *key)
{
	char addresses[POOL_TEXT], own[POOL_TEXT];
	struct pool_pair pair;

	text->len = 0;
	pool_server(&server->pool, &pair);
	pool_text(&client->pair, true, addresses);
	store_print(text, "# The tunnel of the client %s, see mptunctl-server(8).\n",
		    client->name);
	draft_key(text, key);
	store_print(text, "Port = %u\nAddress = %s\n", server_port(server),
		    pool_text(&pair, true, own));
	store_print(text, "Routes = %s\nAllowedIPs = %s\nMssClamp = auto\n",
		    addresses, addresses);
}

void draft_write(struct draft *draft, const struct server *server,
		 const struct client *client, const unsigned char *secret)
{
	char key[SECRET_BASE64];

	secret_print(secret, key);
	draft_its(&draft->its, server, client, key);
	draft_mine(&draft->mine, server, client, key);
	secret_wipe(key, sizeof(key));
}

/* The line of the server's file that a line of a client's file comes from. */
static int draft_line(const struct server *server,
		      const struct store_text *text, int line)
{
	const char *at = text->buf;
	char name[OPTION_NAME_MAX];
	size_t len;
	int index;

	if (!line)
		return 0;
	while (--line > 0)
		at = strchr(at, '\n') + 1;
	len = strcspn(at, " ");
	if (len >= sizeof(name))
		return 0;
	memcpy(name, at, len);
	name[len] = '\0';
	index = option_same(name, "Remote") ? KEYWORD_SERVER_ENDPOINT :
		option_keyword(&keyword_server, name);
	return index < 0 ? 0 : server->line[index];
}

static int draft_check_one(const struct server *server,
			   const struct store_text *text,
			   struct conf_error *error)
{
	struct plan *plan = malloc(sizeof(*plan));
	struct store_text copy = *text;
	int err;

	if (!plan)
		exit(report_fail("out of memory"));
	err = plan_read(plan, copy.buf, copy.len) || plan_check(plan, true);
	if (err)
		*error = plan->error;
	free(plan);
	if (!err)
		return 0;
	error->line = draft_line(server, text, error->line);
	return -1;
}

int draft_check(const struct server *server, const struct client *client,
		struct conf_error *error)
{
	const unsigned char any[SECRET_LEN] = { 1 };
	struct draft draft;

	draft_write(&draft, server, client, any);
	if (draft_check_one(server, &draft.its, error) ||
	    draft_check_one(server, &draft.mine, error))
		return -1;
	return (int)draft.its.len;
}
