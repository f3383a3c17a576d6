// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl server: a server of many clients.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/server.h"
#include "cmd/up.h"
#include "doctor/doctor.h"
#include "host/host.h"
#include "host/run.h"
#include "lib/keyword.h"
#include "lib/report.h"
#include "lib/signals.h"
#include "server/mark.h"

int server_words(const struct parse_table *table, int argc, char **argv,
		 struct server_words *words)
{
	char **option = calloc((size_t)argc + 1, sizeof(*option));
	int count = 0, err;

	if (!option)
		return report_fail("out of memory");
	words->word = argv;
	words->count = 0;
	for (int i = 0; i < argc; i++) {
		int index = parse_find(table, argv[i]);

		if (index < 0) {
			argv[words->count++] = argv[i];
			continue;
		}
		option[count++] = argv[i];
		if (table->keys[index].type != PARSE_FLAG && i + 1 < argc)
			option[count++] = argv[++i];
	}
	err = parse_words(table, count, option, &words->res);
	free(option);
	return err ? report_usage("%s", words->res.error) : STATUS_OK;
}

/* Clients of another pool than that of today keep what they have. */
int server_firewall(const struct server *server, const struct client_list *list)
{
	size_t room = POOL_VERSIONS * (list->count + 1), count = 0;
	unsigned char (*nets)[PARSE_PREFIX_LEN];
	int status;

	if (!server_masquerade(server))
		return host_server_remove();
	nets = calloc(room, sizeof(*nets));
	if (!nets)
		return report_fail("out of memory");
	for (int v = 0; v < POOL_VERSIONS; v++) {
		const unsigned char *net = server->pool.of[v].net;

		if (net[0])
			memcpy(nets[count++], net, sizeof(*nets));
		for (size_t i = 0; i < list->count; i++) {
			const unsigned char *entry =
				list->client[i].pair.entry[v];

			if (entry[0] && !(net[0] && pool_within(net, entry)))
				memcpy(nets[count++], entry, sizeof(*nets));
		}
	}
	status = host_server_add(nets[0], count);
	free(nets);
	return status;
}

int server_up(const char *name)
{
	struct conf_file *file = file_named(name, NULL);
	int status;

	if (!file)
		return STATUS_USAGE;
	status = file_load(file, true);
	if (!status)
		status = file_key(file);
	if (!status)
		status = up_file(file);
	report_at(NULL, 0);
	file_free(file);
	return status;
}

/* Without a device of a client the module need not be there. */
int server_tunnels(const struct client_list *list, struct dump_list *tunnels)
{
	struct conn *conn;
	bool any = false;
	int status;

	memset(tunnels, 0, sizeof(*tunnels));
	for (size_t i = 0; !any && i < list->count; i++)
		any = if_nametoindex(list->client[i].name);
	if (!any)
		return STATUS_OK;
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, NULL, tunnels);
	conn_close(conn);
	return status;
}

/* A device of the same name may not be ours to delete. */
static bool server_there(const struct dump_list *tunnels, const char *name)
{
	for (size_t i = 0; i < tunnels->count; i++)
		if (!strcmp(record_text(tunnels->rec[i], "ifname"), name))
			return true;
	return false;
}

bool server_running(const struct dump_list *tunnels,
		    const struct client_list *list)
{
	bool any = mark_there();

	for (size_t i = 0; !any && i < list->count; i++)
		any = server_there(tunnels, list->client[i].name);
	return any;
}

int server_down(const struct ctl *ctl, const struct dump_list *tunnels,
		const char *name)
{
	struct conf_file *file;
	int status;

	if (!server_there(tunnels, name))
		return STATUS_OK;
	file = file_named(name, NULL);
	if (!file)
		return STATUS_USAGE;
	run_prepare();
	run_catch();
	status = down_file(ctl, file,
			   file_exists(file) && !file_load(file, false));
	report_at(NULL, 0);
	file_free(file);
	return status;
}

static void server_next(const struct server *server)
{
	const struct pool_net *of = server->pool.of;

	printf("Wrote %s.\n\n"
	       "Next:\n"
	       "1. Let this machine forward packets, now and at boot: put\n",
	       server->file.path);
	if (of[0].net[0])
		printf("       net.ipv4.ip_forward = 1\n");
	if (of[1].net[0])
		printf("       net.ipv6.conf.all.forwarding = 1\n");
	printf("   into /etc/sysctl.d/mptun.conf, and run \"sysctl --system\".\n");
	if (of[1].net[0])
		printf("   Then the kernel ignores router advertisements.  An uplink DEV that has its\n"
		       "   IPv6 route from them also needs net.ipv6.conf.DEV.accept_ra = 2.\n");
	printf("2. Let UDP port %u pass the firewall of this machine.\n"
	       "3. Start the server, now and at boot:\n"
	       "       systemctl enable --now mptun-server\n"
	       "4. Add a client:\n"
	       "       mptunctl server add-client home\n"
	       "   Copy the file that it names to /etc/mptun/home.conf of the client, where\n"
	       "       systemctl enable --now mptun@home\n"
	       "   starts the tunnel.\n", server_port(server));
}

static int server_init_run(const struct ctl *ctl, int argc, char **argv)
{
	struct parse_result res;
	struct server *server;
	int status;

	(void)ctl;
	if (parse_words(&keyword_server, argc, argv, &res))
		return report_usage("%s", res.error);
	if (!res.value[KEYWORD_SERVER_ENDPOINT].set)
		return report_usage("server init needs \"endpoint\" and the address or host name of this server");
	status = server_init(&res);
	if (!status)
		status = server_open(&server, SERVER_READ);
	if (status)
		return status;
	server_next(server);
	server_close(server);
	return STATUS_OK;
}

/* Clients would reach the server only, without a word about why. */
static void server_warn(const struct server *server)
{
	static const char *const names[POOL_VERSIONS] = {
		"ipv4.ip_forward", "ipv6.conf.all.forwarding",
	};
	static const char *const files[POOL_VERSIONS] = {
		"/proc/sys/net/ipv4/ip_forward",
		"/proc/sys/net/ipv6/conf/all/forwarding",
	};
	char text[16];

	for (int i = 0; i < POOL_VERSIONS; i++)
		if (server->pool.of[i].net[0] &&
		    fact_text(files[i], text, sizeof(text)) &&
		    !strcmp(text, "0"))
			report_warn("this machine forwards no IPv%d packets of clients, see sysctl(8): net.%s",
				    i ? 6 : 4, names[i]);
}

static int server_up_one(const char *name)
{
	if (!if_nametoindex(name))
		return server_up(name);
	return report_fail("client %s has no tunnel, as another device has its name",
			   name);
}

/* One that fails does not keep the others, a signal does. */
int server_up_each(const struct dump_list *tunnels,
		   const struct client_list *list, size_t *up)
{
	int status = STATUS_OK;

	*up = 0;
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->client[i].name;

		if (signals_noted())
			return report_fail("interrupted by a signal, \"mptunctl server up\" creates the tunnels that are missing");
		if (server_there(tunnels, name) || !server_up_one(name))
			(*up)++;
		else
			status = STATUS_KERNEL;
	}
	return status;
}

/* If there is no tunnel nothing is left. */
static int server_up_all(const struct server *server,
			 const struct client_list *list)
{
	struct dump_list tunnels;
	int status, firewall;
	size_t up;

	status = server_tunnels(list, &tunnels);
	if (status)
		return status;
	firewall = server_firewall(server, list);
	status = server_up_each(&tunnels, list, &up);
	dump_free(&tunnels);
	if (firewall && !status)
		status = firewall;
	if ((!status || up) && mark_set())
		status = STATUS_KERNEL;
	if (!status || up)
		return status ? STATUS_PART : STATUS_OK;
	mark_clear();
	host_server_remove();
	return status;
}

static int server_up_run(const struct ctl *ctl, int argc, char **argv)
{
	struct client_list list;
	struct server *server;
	int status;

	(void)ctl;
	if (argc)
		return command_unexpected(argv[0]);
	status = server_open(&server, SERVER_CHANGE);
	if (status)
		return status;
	client_recover(server);
	run_prepare();
	run_catch();
	client_look(server, &list);
	server_unlock(server);
	server_warn(server);
	status = server_up_all(server, &list);
	client_free(&list);
	server_close(server);
	return status;
}

static int server_down_run(const struct ctl *ctl, int argc, char **argv)
{
	struct dump_list tunnels = { .count = 0 };
	struct client_list list;
	struct server *server;
	int status;

	if (argc)
		return command_unexpected(argv[0]);
	status = server_open(&server, SERVER_END);
	if (status)
		return status;
	run_prepare();
	run_catch();
	client_names(server, &list);
	server_unlock(server);
	/* What is there has to be known: without the tunnels the rest may go. */
	status = server_tunnels(&list, &tunnels);
	if (status)
		goto out;
	for (size_t i = 0; i < list.count; i++)
		if (server_down(ctl, &tunnels, list.client[i].name))
			status = STATUS_KERNEL;
	if (host_server_remove())
		status = STATUS_KERNEL;
	mark_clear();
	dump_free(&tunnels);
out:
	client_free(&list);
	server_close(server);
	return status;
}

static const struct command server_init_verb = {
	.name = "init", .args = "endpoint ADDR|HOST [KEYWORD VALUE]...",
	.brief = "write the file of a new server",
	.details = "It is /etc/mptun/server.conf, and is never replaced.",
	.table = &keyword_server, .run = server_init_run,
};

static const struct command server_up_verb = {
	.name = "up", .args = "",
	.brief = "create the tunnels of all clients, and the firewall",
	.details = "Those that exist are left alone.  If only some of them can be created the status\n"
		   "is 4.",
	.run = server_up_run,
};

static const struct command server_down_verb = {
	.name = "down", .args = "",
	.least = 2,
	.brief = "delete the tunnels of all clients, and the firewall",
	.run = server_down_run,
};

static const struct command *const server_verbs[] = {
	&server_init_verb, &server_add_verb, &server_list_verb,
	&server_export_verb, &server_remove_verb, &server_up_verb,
	&server_down_verb, NULL
};

const struct command cmd_server = {
	.name = "server", .args = "init|add-client|list|export|remove|up|down ...",
	.brief = "serve many clients, each with a tunnel of its own",
	.details = "See mptunctl-server(8).",
	.verbs = server_verbs,
};
