// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl check: what is wrong, and what to do about it.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "conf/file.h"
#include "doctor/doctor.h"
#include "lib/print.h"
#include "lib/report.h"

/* Paths of a tunnel, and their uplinks together. */
static void check_tunnel(struct doctor *doc, const struct record *tunnel,
			 const struct dump_list *paths)
{
	int uplink[MPTUN_PATHS_MAX];
	size_t count = 0;

	doc->ifname = record_text(tunnel, "ifname");
	doctor_tunnel(doc, tunnel, paths);
	for (size_t i = 0; i < paths->count; i++) {
		bool known = false;
		int index;

		if (!dump_of(paths->rec[i], tunnel))
			continue;
		index = doctor_path(doc, tunnel, paths->rec[i]);
		for (size_t j = 0; j < i; j++)
			if (dump_of(paths->rec[j], tunnel))
				doctor_nat_shared(doc, paths->rec[i],
						  paths->rec[j]);
		for (size_t j = 0; j < count; j++)
			known |= uplink[j] == index;
		if (index && !known && count < MPTUN_PATHS_MAX)
			uplink[count++] = index;
	}
	doctor_uplinks(doc, uplink, count);
	doc->ifname = NULL;
}

/* Returns how many tunnels have been looked at, or -1 after a message. */
static int check_tunnels(struct doctor *doc, const char *name)
{
	struct conn *conn = conn_open();
	struct dump_sample sample;
	int count = 0, status;

	if (!conn)
		return -1;
	status = dump_all(conn, NULL, &sample);
	for (size_t i = 0; !status && i < sample.tunnels.count; i++) {
		const struct record *tunnel = sample.tunnels.rec[i];

		if (name && strcmp(name, record_text(tunnel, "ifname")))
			continue;
		check_tunnel(doc, tunnel, &sample.paths);
		count++;
	}
	dump_sample_free(&sample);
	conn_close(conn);
	return status ? -1 : count;
}

/* A file that is wrong has been reported, with its line. */
static int check_file(struct doctor *doc, struct conf_file *file)
{
	int status = file_load(file, true);

	if (!status)
		status = file_key(file);
	report_at(NULL, 0);
	doc->uplinks = file->plan.host.uplink.count;
	if (!status)
		doctor_say(doc, DOCTOR_OK, "file", "%s is in order",
			   file->path);
	return status;
}

/* As file_named() sees it. */
static bool check_is_file(const char *name)
{
	size_t len = strlen(name), end = strlen(FILE_END);

	return strchr(name, '/') ||
	       (len > end && !strcmp(name + len - end, FILE_END));
}

static int check_missing(struct doctor *doc, const char *name,
			 const struct conf_file *file)
{
	if (file && file_exists(file))
		doctor_say(doc, DOCTOR_WRONG, "tunnel",
			   "there is no tunnel %s yet: run \"mptunctl up %s\"",
			   file->name, file->path);
	else if (name)
		doctor_say(doc, DOCTOR_WRONG, "tunnel",
			   "there is no tunnel %s, and no file %s", name,
			   file ? file->path : "for it");
	else
		doctor_say(doc, DOCTOR_NOTE, "tunnel",
			   "there is no tunnel: \"mptunctl up NAME\" makes one from its file, \"mptunctl add NAME\" without");
	return STATUS_OK;
}

static int check_all(struct doctor *doc, const char *name,
		     struct conf_file *file)
{
	int count, status = STATUS_OK;

	if (file && (file_exists(file) || check_is_file(name)))
		status = check_file(doc, file);
	if (status || !doctor_machine(doc))
		return status;
	status = doctor_net(doc);
	if (status)
		return status;
	count = check_tunnels(doc, file ? file->name : name);
	if (count < 0)
		return STATUS_KERNEL;
	return count ? STATUS_OK : check_missing(doc, name, file);
}

/* What is advised is run by a shell outside of the namespace. */
static void check_netns(struct doctor *doc, const char *netns)
{
	if (netns && doc->wrong)
		doctor_say(doc, DOCTOR_NOTE, "netns",
			   strchr(netns, '/') ?
			   "run commands for these faults in the network namespace: \"nsenter --net=%s COMMAND\"" :
			   "run commands for these faults in the network namespace: \"ip netns exec %s COMMAND\"",
			   netns);
}

/* Without findings an error is no sound machine. */
static int check_end(struct doctor *doc, int status)
{
	if (doc->list && (!status || json_array_size(doc->list)))
		print_json_print(doc->list);
	else if (doc->list)
		json_decref(doc->list);
	else if (!status && !doc->wrong)
		puts("Nothing is wrong.");
	if (status)
		return status;
	return doc->wrong ? STATUS_WRONG : STATUS_OK;
}

static int check_command(const struct ctl *ctl, int argc, char **argv)
{
	struct conf_file *file = NULL;
	struct doctor *doc;
	int status;

	if (argc > 1)
		return command_unexpected(argv[1]);
	if (argc) {
		file = file_named(argv[0], NULL);
		if (!file)
			return STATUS_USAGE;
	}
	doc = calloc(1, sizeof(*doc));
	if (!doc)
		return report_fail("out of memory");
	doc->details = ctl->details;
	doc->list = ctl->json ? json_array() : NULL;
	status = check_all(doc, argc ? argv[0] : NULL, file);
	check_netns(doc, ctl->netns);
	status = check_end(doc, status);
	conn_close(doc->route);
	doctor_net_free(doc);
	file_free(file);
	free(doc);
	return status;
}

const struct command cmd_check = {
	.name = "check", .args = "[NAME|FILE] [-d] [-j]",
	.brief = "find out what is wrong, and what to do about it",
	.details = "Module, key, cipher, handshake, devices, routes, filters, NAT, ARP and MTU of a\n"
		   "tunnel, or of all of them.  -d shows also what is in order.",
	.words = { CTL_EITHER }, .run = check_command,
};
