// SPDX-License-Identifier: GPL-2.0
/*
 * mptunctl add, del: create and delete tunnels, also without the plugin of
 * ip-link.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include "cmd/command.h"
#include "host/host.h"
#include "lib/conn.h"
#include "lib/dump.h"
#include "lib/keyfile.h"
#include "lib/keyword.h"
#include "lib/link.h"
#include "lib/report.h"
#include "lib/request.h"
#include "lib/secret.h"

/* Most addresses of a new tunnel. */
#define LINK_ADDRESSES 64

static int link_addresses(struct conn *conn, int index, const char *list)
{
	const struct parse_key *key = &keyword_add.keys[KEYWORD_ADD_ADDRESS];
	unsigned char data[LINK_ADDRESSES * PARSE_PREFIX_LEN];
	char error[PARSE_ERROR_MAX];
	int status = STATUS_OK;
	size_t len = 0;

	if (!list)
		return STATUS_OK;
	if (key->max > sizeof(data) ||
	    parse_prefixes(key, list, data, &len, error))
		return report_usage("%s", error);
	for (size_t i = 0; !status && i < len; i += PARSE_PREFIX_LEN)
		status = host_address_add(conn, index, data + i);
	return status;
}

/* The index of a tunnel, 0 after a message. */
static int link_index(const char *dev)
{
	struct conn *conn = conn_open();
	struct dump_list list;
	int index = 0;

	if (!conn)
		return 0;
	if (!dump_tunnels(conn, dev, &list)) {
		index = (int)record_num(list.rec[0], "ifindex");
		dump_free(&list);
	}
	conn_close(conn);
	return index;
}

/* Key, addresses and up, in this order: it is complete once it is up. */
static int link_finish(struct conn *conn, const char *dev,
		       const struct parse_result *res,
		       const unsigned char *secret)
{
	const struct parse_value *key = &res->value[KEYWORD_ADD_KEY];
	const struct parse_value *up = &res->value[KEYWORD_ADD_UP];
	struct parse_result set = { .error = "" };
	int index, status = STATUS_OK;

	if (!key->set && !up->set && !res->value[KEYWORD_ADD_ADDRESS].set)
		return STATUS_OK;
	index = link_index(dev);
	if (!index)
		status = STATUS_KERNEL;
	set.value[KEYWORD_SET_KEY] = *key;
	set.value[KEYWORD_SET_KEY].data = secret;
	if (!status && key->set)
		status = request_set(dev, &set);
	report_at(dev, 0);
	if (!status)
		status = link_addresses(conn, index,
					res->value[KEYWORD_ADD_ADDRESS].word);
	report_at(NULL, 0);
	if (!status && up->set)
		status = link_up(conn, dev, index);
	if (status)
		link_delete(conn, dev, index);
	return status;
}

static int link_make(const char *dev, struct parse_result *res,
		     const unsigned char *secret)
{
	struct conn *conn = conn_open_route();
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = link_create(conn, dev, res);
	if (!status)
		status = link_finish(conn, dev, res, secret);
	conn_close(conn);
	return status;
}

static int link_add_run(const struct ctl *ctl, int argc, char **argv)
{
	unsigned char secret[SECRET_LEN];
	const struct parse_value *key;
	struct parse_result res;
	int status = STATUS_OK;

	(void)ctl;
	if (!argc)
		return report_usage("add needs the name of the new tunnel");
	if (parse_kept_name(argv[0], res.error) ||
	    parse_dev_name(argv[0], res.error) ||
	    parse_words(&keyword_add, argc - 1, argv + 1, &res))
		return report_usage("%s", res.error);
	key = &res.value[KEYWORD_ADD_KEY];
	if (key->set)
		status = keyfile_read(key->word, secret);
	if (!status)
		status = link_make(argv[0], &res, secret);
	secret_wipe(secret, sizeof(secret));
	return status;
}

/* By index, after the kernel has confirmed that it is a tunnel. */
static int link_del(const char *dev, int index)
{
	struct conn *conn = conn_open_route();
	int status;

	if (!conn)
		return STATUS_KERNEL;
	status = link_delete(conn, dev, index);
	conn_close(conn);
	return status;
}

static int link_del_run(const struct ctl *ctl, int argc, char **argv)
{
	char error[PARSE_ERROR_MAX];
	struct dump_list list;
	struct conn *conn;
	int status, index;

	(void)ctl;
	if (argc != 1)
		return report_usage("del needs the name of a tunnel");
	if (parse_dev_name(argv[0], error))
		return report_usage("%s", error);
	conn = conn_open();
	if (!conn)
		return STATUS_KERNEL;
	status = dump_tunnels(conn, argv[0], &list);
	conn_close(conn);
	if (status)
		return status;
	index = list.count ? (int)record_num(list.rec[0], "ifindex") : 0;
	dump_free(&list);
	if (!index)
		return report_fail("%s: the kernel does not report its index",
				   argv[0]);
	return link_del(argv[0], index);
}

const struct command cmd_add = {
	.name = "add", .args = "DEV [KEYWORD VALUE]...",
	.brief = "create a tunnel, as \"ip link add DEV type mptun\" does",
	.details = "Of key, address and up all are done, or nothing is left.",
	.words = { CTL_NEW }, .table = &keyword_add, .run = link_add_run,
};

const struct command cmd_del = {
	.name = "del", .other = "delete", .least = 2, .args = "DEV",
	.brief = "delete a tunnel, as \"ip link del DEV\" does",
	.words = { CTL_TUNNEL }, .run = link_del_run,
};
