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

#include "lib/dump.h"
#include "lib/meter.h"
#include "lib/report.h"

/* Attempts to read a dump that changes meanwhile. */
#define DUMP_TRIES 20

/* The least MTU of a device, which IPv6 needs. */
#define DUMP_MTU_MIN 1280

/**
 * struct dump - a request to read
 * @cmd: command, MPTUN_CMD_*_GET
 * @schema: schema of the answer
 * @attr_dev: attribute of the tunnel's name
 * @dev: name of the tunnel, or NULL
 * @attr_name: attribute of the path's name
 * @name: name of the path, or NULL
 * @id: number of the class, or NULL
 * @list: the answer
 */
struct dump {
	uint8_t cmd;
	const struct schema *schema;
	uint16_t attr_dev;
	const char *dev;
	uint16_t attr_name;
	const char *name;
	const uint32_t *id;
	struct dump_list *list;
};

uint64_t dump_small(const struct record *path, const struct record *tunnel)
{
	uint64_t inner = record_num(path, "inner-mtu");

	if (record_num(path, "state") != MPTUN_PATH_STATE_UP ||
	    record_num(path, "pmtu-state") != MPTUN_PMTU_STATE_COMPLETE ||
	    !inner)
		return 0;
	if (inner < DUMP_MTU_MIN)
		inner = DUMP_MTU_MIN;
	return inner < record_num(tunnel, "mtu-now") ? inner : 0;
}

struct record *dump_message(const struct schema *schema, struct nlmsghdr *msg)
{
	size_t head = NLMSG_HDRLEN + GENL_HDRLEN;

	if (msg->nlmsg_len < head)
		return NULL;
	return record_parse(schema, (char *)msg + head, msg->nlmsg_len - head);
}

static int dump_reply(struct nlmsghdr *msg, void *arg)
{
	struct dump *dump = arg;
	struct dump_list *list = dump->list;
	struct record *rec = dump_message(dump->schema, msg);
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

void dump_free(struct dump_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_free(list->rec[i]);
	free(list->rec);
	list->rec = NULL;
	list->count = 0;
}

/* One object is a "do", all objects are a dump. */
static int dump_run(struct conn *conn, struct dump *dump, bool all)
{
	char object[48];

	for (int i = 0; i < DUMP_TRIES; i++) {
		struct nl_msg *msg = conn_message(conn, dump->cmd,
						  all ? NLM_F_DUMP : 0);

		dump->list->rec = NULL;
		dump->list->count = 0;
		if (dump->dev)
			conn_put(msg, dump->attr_dev, dump->dev,
				 strlen(dump->dev) + 1);
		if (dump->name)
			conn_put(msg, dump->attr_name, dump->name,
				 strlen(dump->name) + 1);
		if (dump->id)
			conn_put(msg, MPTUN_A_CLASS_ID, dump->id,
				 sizeof(*dump->id));
		if (!conn_do(conn, msg, dump_reply, dump) &&
		    !conn->interrupted)
			return 0;
		dump_free(dump->list);
		if (conn->errnum)
			break;
	}
	if (!conn->errnum)
		return report_fail("the list kept changing while it was read");
	if (dump->id)
		snprintf(object, sizeof(object), "%s class %u", dump->dev,
			 *dump->id);
	else if (dump->dev)
		snprintf(object, sizeof(object), "%s%s%s", dump->dev,
			 dump->name ? " path " : "",
			 dump->name ? dump->name : "");
	return conn_error(conn, NULL,
			  dump->dev ? object : "the list of tunnels",
			  "cannot be read");
}

int dump_tunnels(struct conn *conn, const char *dev, struct dump_list *list)
{
	struct dump dump = {
		.cmd = MPTUN_CMD_TUNNEL_GET, .schema = &schema_tunnel,
		.attr_dev = MPTUN_A_TUNNEL_IFNAME, .dev = dev, .list = list,
	};

	return dump_run(conn, &dump, !dev);
}

static void dump_loss(struct record *path)
{
	const struct record *stats = record_nest(path, "stats");
	uint64_t loss = meter_loss(record_num(stats, "lost-packets"),
				   record_num(stats, "spurious"),
				   record_num(stats, "acked-packets"));

	if (loss != METER_UNKNOWN)
		record_set(path, "loss", loss);
	/* Losses that proved spurious are not among these. */
	loss = meter_loss(record_num(path, "recent-lost"), 0,
			  record_num(path, "recent-packets") -
			  record_num(path, "recent-lost"));
	if (loss != METER_UNKNOWN)
		record_set(path, "recent-loss", loss);
}

int dump_paths(struct conn *conn, const char *dev, const char *name,
	       struct dump_list *list)
{
	struct dump dump = {
		.cmd = MPTUN_CMD_PATH_GET, .schema = &schema_path,
		.attr_dev = MPTUN_A_PATH_IFNAME, .dev = dev,
		.attr_name = MPTUN_A_PATH_NAME, .name = name, .list = list,
	};
	int err = dump_run(conn, &dump, !name);

	for (size_t i = 0; !err && i < list->count; i++)
		dump_loss(list->rec[i]);
	return err;
}

int dump_classes(struct conn *conn, const char *dev, const uint32_t *id,
		 struct dump_list *list)
{
	struct dump dump = {
		.cmd = MPTUN_CMD_CLASS_GET, .schema = &schema_class,
		.attr_dev = MPTUN_A_CLASS_IFNAME, .dev = dev, .id = id,
		.list = list,
	};

	return dump_run(conn, &dump, !id);
}

int dump_all(struct conn *conn, const char *dev, struct dump_sample *sample)
{
	struct timespec ts;
	int status;

	memset(sample, 0, sizeof(*sample));
	status = dump_tunnels(conn, dev, &sample->tunnels);
	if (status)
		return status;
	status = dump_paths(conn, dev, NULL, &sample->paths);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	sample->us = (uint64_t)ts.tv_sec * 1000000 +
		     (uint64_t)ts.tv_nsec / 1000;
	if (status)
		dump_free(&sample->tunnels);
	return status;
}

void dump_sample_free(struct dump_sample *sample)
{
	dump_free(&sample->tunnels);
	dump_free(&sample->paths);
}

bool dump_same(const struct record *a, const struct record *b)
{
	return record_num(a, "ifindex") == record_num(b, "ifindex") &&
	       !strcmp(record_text(a, "name"), record_text(b, "name"));
}

bool dump_of(const struct record *path, const struct record *tunnel)
{
	return record_num(path, "ifindex") == record_num(tunnel, "ifindex");
}

/* A path that was deleted and added again starts from zero. */
static void dump_rate(struct record *now, const struct record *before,
		      const char *counter, const char *rate, uint64_t us)
{
	uint64_t end = record_num(record_nest(now, "stats"), counter);
	uint64_t start = record_num(record_nest(before, "stats"), counter);

	if (end < start)
		start = 0;
	record_set(now, rate, meter_rate(end - start, us));
}

void dump_rates(struct dump_list *now, const struct dump_list *before,
		uint64_t us)
{
	for (size_t i = 0; i < now->count; i++) {
		for (size_t j = 0; us && j < before->count; j++) {
			if (!dump_same(now->rec[i], before->rec[j]))
				continue;
			dump_rate(now->rec[i], before->rec[j], "tx-bytes",
				  "tx-rate", us);
			dump_rate(now->rec[i], before->rec[j], "rx-bytes",
				  "rx-rate", us);
		}
	}
}
