// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl server list: clients of a server, and what their tunnels do.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <linux/mptun.h>

#include "cmd/server.h"
#include "lib/dump.h"
#include "lib/format.h"
#include "lib/print.h"
#include "lib/report.h"

/* Nothing was ever received. */
#define LIST_NEVER UINT64_MAX

/**
 * struct list_line - what is shown of a client
 * @state: state of its tunnel
 * @up: a path carries data
 * @ms: time since a path did, 0 if one does, or LIST_NEVER
 * @rx: bytes received
 * @tx: bytes sent
 */
struct list_line {
	const char *state;
	bool up;
	uint64_t ms;
	uint64_t rx;
	uint64_t tx;
};

static const struct record *list_tunnel(const struct dump_sample *sample,
					const char *name)
{
	for (size_t i = 0; i < sample->tunnels.count; i++)
		if (!strcmp(record_text(sample->tunnels.rec[i], "ifname"),
			    name))
			return sample->tunnels.rec[i];
	return NULL;
}

static void list_path(const struct record *path, struct list_line *line)
{
	const struct record *stats = record_nest(path, "stats");
	uint64_t rx = record_num(stats, "rx-bytes");
	uint64_t ms = record_num(path, "state-age");
	uint64_t state = record_num(path, "state");

	line->rx += rx;
	line->tx += record_num(stats, "tx-bytes");
	if (state == MPTUN_PATH_STATE_UP)
		ms = 0;
	else if (state == MPTUN_PATH_STATE_NEW ||
		 state == MPTUN_PATH_STATE_PROBING)
		return;
	if (ms < line->ms)
		line->ms = ms;
}

/* Paths are forgotten; the age of the session is left then. */
static void list_fill(const struct dump_sample *sample, const char *name,
		      struct list_line *line)
{
	const struct record *tunnel = list_tunnel(sample, name);
	uint64_t state;

	*line = (struct list_line){ .state = "down", .ms = LIST_NEVER };
	if (!tunnel)
		return;
	for (size_t i = 0; i < sample->paths.count; i++)
		if (dump_of(sample->paths.rec[i], tunnel))
			list_path(sample->paths.rec[i], line);
	line->up = record_num(tunnel, "paths-up");
	state = record_num(tunnel, "state");
	if (line->up)
		line->state = "up";
	else if (state == MPTUN_ASSOC_STATE_ESTABLISHED)
		line->state = "lost";
	else
		line->state = "waiting";
	if (line->ms == LIST_NEVER && state == MPTUN_ASSOC_STATE_ESTABLISHED)
		line->ms = record_num(tunnel, "session-age");
}

static void list_head(int name, int address)
{
	printf("%-*s  %-*s  %-7s  %7s  %8s  %8s\n", name, "NAME", address,
	       "ADDRESS", "STATE", "SEEN", "RECEIVED", "SENT");
}

/* One whose file is wrong has none. */
static const char *list_address(const struct client *client, char *buf)
{
	for (int v = 0; v < POOL_VERSIONS; v++)
		if (client->pair.entry[v][0])
			return pool_entry_text(client->pair.entry[v], false,
					       buf);
	return "-";
}

static void list_print(const struct client *client,
		       const struct list_line *line, int name, int address,
		       bool all)
{
	char seen[FORMAT_MAX] = "never", rx[FORMAT_MAX], tx[FORMAT_MAX];
	const struct pool_pair *pair = &client->pair;
	bool first = pair->entry[0][0];
	char text[POOL_TEXT];

	if (!line->ms)
		strcpy(seen, "now");
	else if (line->ms != LIST_NEVER)
		format_age(line->ms, seen);
	printf("%-*s  %-*s  %-7s  %7s  %8s  %8s\n", name, client->name, address,
	       list_address(client, text), line->state,
	       seen, format_size_short(line->rx, rx),
	       format_size_short(line->tx, tx));
	if (all && first && pair->entry[1][0])
		printf("%-*s  %s\n", name, "",
		       pool_entry_text(pair->entry[1], false, text));
}

static int list_text(const struct client_list *list,
		     const struct dump_sample *sample, bool all)
{
	int name = (int)strlen("NAME"), address = (int)strlen("ADDRESS");
	char text[POOL_TEXT];

	for (size_t i = 0; i < list->count; i++) {
		const struct client *client = &list->client[i];
		int len = (int)strlen(client->name);

		name = len > name ? len : name;
		len = (int)strlen(list_address(client, text));
		address = len > address ? len : address;
	}
	if (list->count)
		list_head(name, address);
	for (size_t i = 0; i < list->count; i++) {
		struct list_line line;

		list_fill(sample, list->client[i].name, &line);
		list_print(&list->client[i], &line, name, address, all);
	}
	return STATUS_OK;
}

static json_t *list_json_client(const struct client *client,
				const struct list_line *line)
{
	struct conf_file *file = client_file(client->name);
	json_t *json = json_object(), *addresses = json_array();
	char text[POOL_TEXT];

	for (int v = 0; v < POOL_VERSIONS; v++) {
		if (!client->pair.entry[v][0])
			continue;
		pool_entry_text(client->pair.entry[v], false, text);
		json_array_append_new(addresses, json_string(text));
	}
	json_object_set_new(json, "name", json_string(client->name));
	json_object_set_new(json, "addresses", addresses);
	json_object_set_new(json, "state", json_string(line->state));
	json_object_set_new(json, "seen", line->ms == LIST_NEVER ?
			    json_null() : json_integer((json_int_t)line->ms));
	json_object_set_new(json, "rx_bytes",
			    json_integer((json_int_t)line->rx));
	json_object_set_new(json, "tx_bytes",
			    json_integer((json_int_t)line->tx));
	json_object_set_new(json, "file", json_string(file->path));
	file_free(file);
	return json;
}

static int list_json(const struct client_list *list,
		     const struct dump_sample *sample)
{
	json_t *json = json_array();

	for (size_t i = 0; i < list->count; i++) {
		struct list_line line;

		list_fill(sample, list->client[i].name, &line);
		json_array_append_new(json, list_json_client(&list->client[i],
							     &line));
	}
	return print_json_print(json);
}

/* Without one of the tunnels the module need not be there. */
static int list_sample(const struct client_list *list,
		       struct dump_sample *sample)
{
	struct conn *conn;
	bool any = false;
	int status;

	memset(sample, 0, sizeof(*sample));
	for (size_t i = 0; !any && i < list->count; i++)
		any = if_nametoindex(list->client[i].name);
	if (!any)
		return STATUS_OK;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_all(conn, NULL, sample);
	conn_close(conn);
	return status;
}

static int list_run(const struct ctl *ctl, int argc, char **argv)
{
	struct dump_sample sample;
	struct client_list list;
	struct server *server;
	int status, wrong;

	if (argc)
		return command_unexpected(argv[0]);
	status = server_open(&server, SERVER_READ);
	if (status)
		return status;
	/* The others are shown nevertheless. */
	wrong = client_read(server, &list);
	/* Printing may take as long as the reader likes. */
	server_unlock(server);
	status = list_sample(&list, &sample);
	if (!status) {
		status = ctl->json ? list_json(&list, &sample) :
				     list_text(&list, &sample, ctl->details);
		dump_sample_free(&sample);
	}
	client_free(&list);
	server_close(server);
	return status ? status : wrong;
}

const struct command server_list_verb = {
	.name = "list", .other = "show", .args = "[-d] [-j]",
	.brief = "list the clients, and what their tunnels do",
	.details = "SEEN is \"now\" while a path is up, else the time since one was.  -d shows all\n"
		   "addresses.",
	.run = list_run,
};
