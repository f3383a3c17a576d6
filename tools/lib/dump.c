// SPDX-License-Identifier: GPL-2.0
/*
 * Tunnels, paths and classes, read from the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/mptun.h>

#include "cmd/command.h"
#include "lib/dump.h"
#include "lib/meter.h"

/* Times a dump is tried that was changed while it was read. */
#define FETCH_TRIES 20

/**
 * struct fetch - what is to be read
 * @cmd: command, MPTUN_CMD_*_GET
 * @schema: schema of the answer
 * @attr_dev: attribute of the tunnel's name
 * @dev: name of the tunnel, or NULL
 * @attr_name: attribute of the path's name
 * @name: name of the path, or NULL
 * @id: number of the class, or NULL
 * @list: the answer
 */
struct fetch {
	uint8_t cmd;
	const struct schema *schema;
	uint16_t attr_dev;
	const char *dev;
	uint16_t attr_name;
	const char *name;
	const uint32_t *id;
	struct fetch_list *list;
};

struct record *fetch_message(const struct schema *schema, struct nlmsghdr *msg)
{
	size_t head = NLMSG_HDRLEN + GENL_HDRLEN;

	if (msg->nlmsg_len < head)
		return NULL;
	return record_parse(schema, (char *)msg + head, msg->nlmsg_len - head);
}

static int fetch_reply(struct nlmsghdr *msg, void *arg)
{
	struct fetch *fetch = arg;
	struct fetch_list *list = fetch->list;
	struct record *rec = fetch_message(fetch->schema, msg);
	struct record **grown;

	if (!rec)
		return -1;
	grown = realloc(list->rec, (list->count + 1) * sizeof(*grown));
	if (!grown) {
		record_free(rec);
		return -1;
	}
	list->rec = grown;
	list->rec[list->count++] = rec;
	return 0;
}

void fetch_free(struct fetch_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_free(list->rec[i]);
	free(list->rec);
	list->rec = NULL;
	list->count = 0;
}

/* One of them is a "do", all of them a dump. */
static int fetch_run(struct conn *conn, struct fetch *fetch, bool dump)
{
	char what[96];

	for (int i = 0; i < FETCH_TRIES; i++) {
		struct nl_msg *msg = conn_message(conn, fetch->cmd,
						  dump ? NLM_F_DUMP : 0);

		fetch->list->rec = NULL;
		fetch->list->count = 0;
		if (fetch->dev)
			conn_put(msg, fetch->attr_dev, fetch->dev,
				 strlen(fetch->dev) + 1);
		if (fetch->name)
			conn_put(msg, fetch->attr_name, fetch->name,
				 strlen(fetch->name) + 1);
		if (fetch->id)
			conn_put(msg, MPTUN_A_CLASS_ID, fetch->id,
				 sizeof(*fetch->id));
		if (!conn_do(conn, msg, fetch_reply, fetch) &&
		    !conn->interrupted)
			return 0;
		fetch_free(fetch->list);
		if (conn->errnum)
			break;
	}
	if (!conn->errnum)
		return ctl_fail("the list kept changing while it was read");
	snprintf(what, sizeof(what), "%s%s%s cannot be read",
		 fetch->dev ? fetch->dev : "the list of tunnels",
		 fetch->name ? " path " : "", fetch->name ? fetch->name : "");
	return conn_error(conn, NULL, what);
}

int fetch_tunnels(struct conn *conn, const char *dev, struct fetch_list *list)
{
	struct fetch fetch = {
		.cmd = MPTUN_CMD_TUNNEL_GET, .schema = &schema_tunnel,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME, .dev = dev, .list = list,
	};

	return fetch_run(conn, &fetch, !dev);
}

static void fetch_loss(struct record *path)
{
	const struct record *stats = record_nest(path, "stats");
	uint64_t loss = meter_loss(record_num(stats, "lost-packets"),
				   record_num(stats, "spurious"),
				   record_num(stats, "acked-packets"));

	if (loss != METER_UNKNOWN)
		record_set(path, "loss", loss);
}

int fetch_paths(struct conn *conn, const char *dev, const char *name,
		struct fetch_list *list)
{
	struct fetch fetch = {
		.cmd = MPTUN_CMD_PATH_GET, .schema = &schema_path,
		.attr_dev = MPTUN_A_PATH_IFNAME, .dev = dev,
		.attr_name = MPTUN_A_PATH_NAME, .name = name, .list = list,
	};
	int err = fetch_run(conn, &fetch, !name);

	for (size_t i = 0; !err && i < list->count; i++)
		fetch_loss(list->rec[i]);
	return err;
}

int fetch_classes(struct conn *conn, const char *dev, const uint32_t *id,
		  struct fetch_list *list)
{
	struct fetch fetch = {
		.cmd = MPTUN_CMD_CLASS_GET, .schema = &schema_class,
		.attr_dev = MPTUN_A_CLASS_IFNAME, .dev = dev, .id = id,
		.list = list,
	};

	return fetch_run(conn, &fetch, !id);
}

int fetch_look(struct conn *conn, const char *dev, struct fetch_look *look)
{
	struct timespec ts;
	int status;

	memset(look, 0, sizeof(*look));
	status = fetch_tunnels(conn, dev, &look->tunnels);
	if (status)
		return status;
	status = fetch_paths(conn, dev, NULL, &look->paths);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	look->us = (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
	if (status)
		fetch_free(&look->tunnels);
	return status;
}

void fetch_look_free(struct fetch_look *look)
{
	fetch_free(&look->tunnels);
	fetch_free(&look->paths);
}

bool fetch_same(const struct record *a, const struct record *b)
{
	return record_num(a, "ifindex") == record_num(b, "ifindex") &&
	       !strcmp(record_text(a, "name"), record_text(b, "name"));
}

bool fetch_of(const struct record *path, const struct record *tunnel)
{
	return record_num(path, "ifindex") == record_num(tunnel, "ifindex");
}

/* A path that was deleted and added again starts from zero. */
static void fetch_rate(struct record *now, const struct record *before,
		       const char *counter, const char *rate, uint64_t us)
{
	uint64_t end = record_num(record_nest(now, "stats"), counter);
	uint64_t start = record_num(record_nest(before, "stats"), counter);

	if (end < start)
		start = 0;
	record_set(now, rate, meter_rate(end - start, us));
}

void fetch_rates(struct fetch_list *now, const struct fetch_list *before,
		 uint64_t us)
{
	for (size_t i = 0; i < now->count; i++) {
		for (size_t j = 0; us && j < before->count; j++) {
			if (!fetch_same(now->rec[i], before->rec[j]))
				continue;
			fetch_rate(now->rec[i], before->rec[j], "tx-bytes",
				   "tx-rate", us);
			fetch_rate(now->rec[i], before->rec[j], "rx-bytes",
				   "rx-rate", us);
		}
	}
}
