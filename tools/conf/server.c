// SPDX-License-Identifier: GPL-2.0
/*
 * Servers of a tunnel, of which one is in use.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "conf/server.h"
#include "lib/keyword.h"

/* What the messages of parse_word() call a key. */
static const struct parse_key server_host = {
	.word = "Server", .type = PARSE_ADDR, .host = true,
};

static const struct parse_key server_addr = {
	.word = "Metrics", .type = PARSE_ADDR,
};

static const struct parse_key server_port = {
	.word = "port of Server", .type = PARSE_U16, .min = 1, .max = 65535,
};

static int server_fail(struct plan *plan, int line, const char *item)
{
	char quoted[64];

	return conf_fail(&plan->error, line,
			 "Server \"%s\" is not HOST, HOST:PORT or [ADDR]:PORT",
			 conf_quote(item, quoted, sizeof(quoted)));
}

/* Splits HOST:PORT and [ADDR]:PORT; an IPv6 address alone has no port. */
static bool server_split(char *item, char **host, char **port)
{
	char *colon = strchr(item, ':'), *end;

	*host = item;
	*port = NULL;
	if (*item == '[') {
		end = strchr(item, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		*host = item + 1;
		*port = end[1] ? end + 2 : NULL;
		*end = '\0';
	} else if (colon && !strchr(colon + 1, ':')) {
		*port = colon + 1;
		*colon = '\0';
	}
	return **host && !(*port && !**port);
}

static int server_parse(struct plan *plan, struct plan_server *server,
			char *item)
{
	char copy[sizeof(server->text)], *host, *port;

	if (strlen(item) >= sizeof(copy))
		return conf_fail(&plan->error, server->line,
				 "Server has more than %zu characters",
				 sizeof(copy) - 1);
	strcpy(server->text, item);
	strcpy(copy, item);
	/* The name stays in the text of the file. */
	if (!server_split(item, &host, &port))
		return server_fail(plan, server->line, copy);
	if (parse_word(&server_host, host, &server->remote,
		       plan->error.text) ||
	    parse_word(&server_port, port ? port : "4725", &server->port,
		       plan->error.text)) {
		plan->error.line = server->line;
		return -1;
	}
	return 0;
}

int server_read(struct plan *plan, int line, char *list)
{
	struct plan_host *host = &plan->host;

	while (list) {
		struct plan_server *server = &host->server[host->servers];
		char *item = conf_next(&list);

		for (size_t i = 0; i < host->servers; i++)
			if (!strcmp(host->server[i].text, item))
				return conf_fail(&plan->error, line,
						 "Server %s is already in line %d",
						 item, host->server[i].line);
		if (host->servers == PLAN_SERVERS_MAX)
			return conf_fail(&plan->error, line,
					 "a tunnel has at most %d servers",
					 PLAN_SERVERS_MAX);
		server->line = line;
		if (server_parse(plan, server, item))
			return -1;
		host->servers++;
	}
	return 0;
}

static int server_no_metrics(struct plan *plan, int line)
{
	const char *text = plan->host.metrics.text;
	char quoted[64];

	return conf_fail(&plan->error, line,
			 "Metrics \"%s\" is not PORT, ADDR:PORT, [ADDR]:PORT or the path of a socket",
			 conf_quote(text, quoted, sizeof(quoted)));
}

int server_metrics(struct plan *plan, int line, char *value)
{
	struct plan_metrics *metrics = &plan->host.metrics;
	char error[PARSE_ERROR_MAX], loopback[] = "127.0.0.1";
	char *host, *port;
	struct parse_value val;

	if (strlen(value) >= sizeof(metrics->text))
		return conf_fail(&plan->error, line,
				 "Metrics has more than %d characters",
				 PLAN_METRICS_MAX);
	strcpy(metrics->text, value);
	if (*value == '/')
		return 0;
	if (!server_split(value, &host, &port))
		return server_no_metrics(plan, line);
	if (!port) {
		port = host;
		host = loopback;
	}
	if (parse_word(&server_addr, host, &metrics->addr, error) ||
	    parse_word(&server_port, port, &val, error))
		return server_no_metrics(plan, line);
	metrics->port = val.num;
	return 0;
}

static void server_value(struct plan_path *path, const char *word,
			 const struct parse_value *val, int line)
{
	int index = parse_find(path->set.table, word);

	path->set.res.value[index] = *val;
	path->set.line[index] = line;
}

void server_lead(struct plan_path *path, const struct plan *plan, size_t index)
{
	const struct plan_server *server = &plan->host.server[index];

	/* Another address of the preferred server. */
	if (!index && plan_value(&path->set, "remote"))
		return;
	server_value(path, "remote", &server->remote, server->line);
	server_value(path, "port", &server->port, server->line);
}

void server_use(struct plan *plan, size_t index)
{
	for (size_t i = 0; i < plan->paths; i++)
		server_lead(&plan->path[i], plan, index);
	for (size_t i = 0; i < plan->models; i++)
		server_lead(&plan->model[i], plan, index);
}

bool server_moves(const struct plan *plan)
{
	return plan->host.servers > 1;
}
