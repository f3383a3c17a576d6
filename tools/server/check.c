// SPDX-License-Identifier: GPL-2.0
/*
 * Check of the file of a server.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "lib/keyword.h"
#include "server/check.h"
#include "server/draft.h"

static int check_missing(struct server *server, int index)
{
	char name[OPTION_NAME_MAX];

	return conf_fail(&server->error, server->head, "[Server] lacks %s",
			 option_name(keyword_server.keys[index].word, name));
}

static int check_pool(struct server *server)
{
	const struct parse_value *val = server->res.value;
	char error[PARSE_ERROR_MAX];

	if (!pool_read(&server->pool, val[KEYWORD_SERVER_POOL].word, error))
		return 0;
	return conf_fail(&server->error, server->line[KEYWORD_SERVER_POOL],
			 "%s", error);
}

/* What the tables of keywords cannot say. */
static int check_dns(struct server *server)
{
	const struct parse_value *val =
		&server->res.value[KEYWORD_SERVER_DNS];
	const char *item = val->word;

	while (val->set && item) {
		size_t len = strcspn(item, ",");

		if (memchr(item, '/', len))
			return conf_fail(&server->error,
					 server->line[KEYWORD_SERVER_DNS],
					 "dns takes addresses, not the prefix %.*s",
					 (int)len, item);
		item = item[len] ? item + len + 1 : NULL;
	}
	return 0;
}

static int check_routes(struct server *server)
{
	const struct parse_key *key =
		&keyword_server.keys[KEYWORD_SERVER_ROUTES];
	const char *list = server->res.value[KEYWORD_SERVER_ROUTES].word;
	unsigned char data[SERVER_ROUTES];
	char error[PARSE_ERROR_MAX], text[POOL_TEXT];
	int line = server->line[KEYWORD_SERVER_ROUTES];
	size_t len = 0;

	if (list && parse_prefixes(key, list, data, &len, error))
		return conf_fail(&server->error, line, "%s", error);
	for (size_t i = 0; i < len; i += PARSE_PREFIX_LEN)
		for (size_t j = 0; j < i; j += PARSE_PREFIX_LEN)
			if (!memcmp(data + i, data + j, PARSE_PREFIX_LEN))
				return conf_fail(&server->error, line,
						 "routes has %s twice",
						 pool_entry_text(data + i, true,
								 text));
	return 0;
}

/* Whatever else the files of clients cannot have. */
static int check_sample(struct server *server)
{
	struct client client = { .name = "sample" };
	struct pool_used used;
	int err;

	pool_begin(&used);
	err = pool_next(&server->pool, &used, &client.pair);
	pool_end(&used);
	if (err)
		return conf_fail(&server->error,
				 server->line[KEYWORD_SERVER_POOL],
				 "the pool has no address for a client");
	return draft_check(server, &client, &server->error) < 0 ? -1 : 0;
}

int server_check(struct server *server)
{
	const struct parse_value *val = server->res.value;

	if (!server->head)
		return conf_fail(&server->error, 0,
				 "there is no section [Server]");
	if (!val[KEYWORD_SERVER_ENDPOINT].set)
		return check_missing(server, KEYWORD_SERVER_ENDPOINT);
	if (!val[KEYWORD_SERVER_POOL].set)
		return check_missing(server, KEYWORD_SERVER_POOL);
	if (check_pool(server) || check_dns(server) || check_routes(server))
		return -1;
	return check_sample(server);
}
