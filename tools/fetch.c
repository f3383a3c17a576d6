// SPDX-License-Identifier: GPL-2.0
/*
 * Tunnels and paths, read from the kernel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mptun.h>

#include "ctl.h"
#include "fetch.h"

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
 * @list: the answer
 */
struct fetch {
	uint8_t cmd;
	const struct schema *schema;
	uint16_t attr_dev;
	const char *dev;
	uint16_t attr_name;
	const char *name;
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

/* Share of the packets that were lost, of all whose fate is known. */
static void fetch_loss(struct record *path)
{
	const struct record *stats = record_nest(path, "stats");
	uint64_t lost = record_num(stats, "lost-packets");
	uint64_t wrong = record_num(stats, "spurious");
	uint64_t total = lost + record_num(stats, "acked-packets");

	lost -= wrong < lost ? wrong : lost;
	if (total)
		record_set(path, "loss",
			   (uint64_t)((double)lost / (double)total * 1e6));
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

static bool fetch_same(const struct record *a, const struct record *b)
{
	return record_num(a, "ifindex") == record_num(b, "ifindex") &&
	       !strcmp(record_text(a, "name"), record_text(b, "name"));
}

/* A path that was deleted and added again starts from zero. */
static void fetch_rate(struct record *now, const struct record *before,
		       const char *counter, const char *rate, uint64_t us)
{
	uint64_t end = record_num(record_nest(now, "stats"), counter);
	uint64_t start = record_num(record_nest(before, "stats"), counter);

	if (end < start)
		start = 0;
	record_set(now, rate, (uint64_t)((double)(end - start) * 8e6 /
					 (double)us));
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
