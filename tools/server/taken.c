// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses that files of tunnels have.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include "lib/keyword.h"
#include "lib/report.h"
#include "server/taken.h"

/**
 * struct taken_search - the search of a folder
 * @server: the server
 * @taken: what was found
 * @room: how many fit
 * @status: the exit status
 */
struct taken_search {
	const struct server *server;
	struct taken_list *taken;
	size_t room;
	int status;
};

static void taken_add(struct taken_search *search, const char *name, bool own,
		      const unsigned char *entry)
{
	const struct pool_net *of = &search->server->pool.of[entry[0] == 6];
	struct taken_list *taken = search->taken;
	struct taken one = { .own = own };

	/* What has the pool in it says nothing about its addresses. */
	if (!of->net[0] || entry[1] <= of->net[1] ||
	    !pool_within(of->net, entry))
		return;
	if (taken->count == search->room) {
		search->room = 2 * search->room + 16;
		taken->list = realloc(taken->list,
				      search->room * sizeof(one));
		if (!taken->list)
			exit(report_fail("out of memory"));
	}
	strcpy(one.name, name);
	memcpy(one.entry, entry, sizeof(one.entry));
	taken->list[taken->count++] = one;
}

/* An address of this machine may have the length of its network. */
static void taken_plan(struct taken_search *search, const char *name,
		       const struct plan *plan)
{
	unsigned char data[MPTUN_ALLOWED_IPS_MAX * PARSE_PREFIX_LEN];
	int index = parse_find(&keyword_set, "allowed-ips");
	const struct plan_host *host = &plan->host;
	char error[PARSE_ERROR_MAX];
	size_t len = 0;

	for (size_t i = 0; i < host->address.count; i++) {
		unsigned char entry[PARSE_PREFIX_LEN];

		memcpy(entry, host->address.list[i].entry, sizeof(entry));
		entry[1] = entry[0] == 6 ? 128 : 32;
		taken_add(search, name, true, entry);
	}
	for (size_t i = 0; i < host->route.count; i++)
		taken_add(search, name, false, host->route.list[i].entry);
	if (*plan->allowed &&
	    parse_prefixes(&keyword_set.keys[index], plan->allowed, data, &len,
			   error))
		len = 0;
	for (size_t i = 0; i < len; i += PARSE_PREFIX_LEN)
		taken_add(search, name, false, data + i);
}

static int taken_load(struct conf_file *file)
{
	struct stat st;
	size_t len;
	int status;

	status = file_text(file, &len, &st);
	if (status || !plan_read(&file->plan, file->text, len))
		return status;
	file_at(file, file->plan.error.line);
	status = report_usage("%s", file->plan.error.text);
	report_at(NULL, 0);
	return status;
}

static void taken_file(void *arg, const char *name)
{
	size_t len = strlen(name), end = strlen(FILE_END);
	struct taken_search *search = arg;
	struct conf_file *file;
	int status;
	char *path;

	if (len <= end || strcmp(name + len - end, FILE_END) ||
	    !file_name_valid(name, len - end) || !strcmp(name, SERVER_FILE))
		return;
	if (asprintf(&path, "%s/%s", file_folder(), name) < 0)
		exit(report_fail("out of memory"));
	file = file_named(path, NULL);
	free(path);
	status = file ? taken_load(file) : STATUS_USAGE;
	if (status)
		search->status = status;
	else
		taken_plan(search, file->name, &file->plan);
	file_free(file);
}

int taken_read(const struct server *server, struct taken_list *taken)
{
	struct taken_search search = { .server = server, .taken = taken };

	memset(taken, 0, sizeof(*taken));
	store_each(server->folder, taken_file, &search);
	return search.status;
}

const struct taken *taken_find(const struct taken_list *taken,
			       const unsigned char *entry)
{
	for (size_t i = 0; i < taken->count; i++)
		if (pool_within(taken->list[i].entry, entry))
			return &taken->list[i];
	return NULL;
}

void taken_free(struct taken_list *taken)
{
	free(taken->list);
	memset(taken, 0, sizeof(*taken));
}
