// SPDX-License-Identifier: GPL-2.0
/*
 * Rules that choose the routing table of a packet.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * First come those of uplinks: packets that are bound to the device of a path,
 * or sent from its address, take its gateway.  Then, for default routes into
 * the tunnel, what wg-quick(8) does: packets without the firewall mark of the
 * tunnel look for routes other than default routes in the main table, and after
 * that in the table of the tunnel.  Packets with the mark, which the tunnel
 * sends, skip these rules.
 */
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "conf/number.h"
#include "host/host.h"
#include "host/message.h"
#include "lib/report.h"

/* Priorities; those of the kernel's own rules are 0, 32766 and 32767. */
enum {
	RULE_UPLINK = 4725,
	RULE_MARKED,
	RULE_MAIN,
	RULE_TUNNEL,
};

/**
 * struct rule - a rule
 * @version: 4 or 6
 * @priority: its place
 * @table: where routes are looked up
 * @mark: firewall mark of packets, 0 for any
 * @other: packets with any other mark
 * @specific: no default routes
 * @oif: device that packets are bound to, or NULL
 * @from: address that packets are sent from, or NULL
 */
struct rule {
	int version;
	uint32_t priority;
	uint32_t table;
	uint32_t mark;
	bool other;
	bool specific;
	const char *oif;
	const unsigned char *from;
};

static int rule_add(const struct host *host, int line, const struct rule *rule)
{
	size_t len = message_length(rule->version);
	const struct fib_rule_hdr head = {
		.family = (unsigned char)message_family(rule->version),
		.src_len = (unsigned char)(rule->from ? len * 8 : 0),
		.action = FR_ACT_TO_TBL,
		.flags = rule->other ? FIB_RULE_INVERT : 0,
	};
	struct nl_msg *msg = message_new(RTM_NEWRULE,
					 NLM_F_CREATE | NLM_F_EXCL, &head,
					 sizeof(head));

	nla_put_u32(msg, FRA_PRIORITY, rule->priority);
	nla_put_u32(msg, FRA_TABLE, rule->table);
	nla_put_u8(msg, FRA_PROTOCOL, HOST_PROTOCOL);
	if (rule->mark)
		nla_put_u32(msg, FRA_FWMARK, rule->mark);
	if (rule->specific)
		nla_put_u32(msg, FRA_SUPPRESS_PREFIXLEN, 0);
	if (rule->oif)
		nla_put_string(msg, FRA_OIFNAME, rule->oif);
	if (rule->from)
		nla_put(msg, FRA_SRC, (int)len, rule->from);
	file_at(host->file, line);
	if (!conn_do(host->route, msg, NULL, NULL) ||
	    host->route->errnum == EEXIST)
		return STATUS_OK;
	return conn_error(host->route, NULL, "a rule cannot be set");
}

static int rule_uplink(const struct host *host, const struct plan_path *path,
		       uint32_t table)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *dev = plan_value(&path->set, "dev");
	struct rule rule = {
		.version = remote->family, .priority = RULE_UPLINK,
		.table = table,
	};
	int status = STATUS_OK;

	if (dev && dev->text[0]) {
		rule.oif = dev->text;
		status = rule_add(host, path->gateway, &rule);
		rule.oif = NULL;
	}
	if (!status && local && local->family) {
		rule.from = local->addr;
		status = rule_add(host, path->gateway, &rule);
	}
	return status;
}

/* Packets of a path with a mark of its own are not those of the tunnel. */
static int rule_marked(const struct host *host, const struct plan_path *path)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct parse_value *mark = plan_value(&path->set, "fwmark");
	const struct rule rule = {
		.version = remote->family, .priority = RULE_MARKED,
		.table = PLAN_TABLE_MAIN, .mark = mark ? (uint32_t)mark->num : 0,
	};
	int line = plan_line(&path->set, "fwmark");

	/* Several paths may have the same. */
	for (const struct plan_path *p = host->file->plan.path; p < path; p++) {
		const struct parse_value *m = plan_value(&p->set, "fwmark");

		if (m && mark && m->num == mark->num &&
		    plan_value(&p->set, "remote")->family == remote->family)
			return STATUS_OK;
	}
	return rule.mark ? rule_add(host, line, &rule) : STATUS_OK;
}

static int rule_tunnel(const struct host *host, int version, int line)
{
	const struct plan *plan = &host->file->plan;
	struct rule rule = {
		.version = version, .priority = RULE_MAIN,
		.table = PLAN_TABLE_MAIN, .other = true, .specific = true,
		.mark = (uint32_t)plan_value(&plan->set, "fwmark")->num,
	};
	int status;

	status = rule_add(host, line, &rule);
	if (status)
		return status;
	rule.specific = false;
	rule.priority = RULE_TUNNEL;
	rule.table = number_block(host->file->name);
	return rule_add(host, line, &rule);
}

static int rule_uplinks(const struct host *host)
{
	const struct plan *plan = &host->file->plan;
	uint32_t block = number_block(host->file->name);
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < plan->paths; i++)
		if (plan->path[i].gateway)
			status = rule_uplink(host, &plan->path[i],
					     block + 1 + (uint32_t)i);
	return status;
}

int host_rules_add(const struct host *host)
{
	const struct plan *plan = &host->file->plan;
	int status = rule_uplinks(host);

	if (status || !number_rules(plan))
		return status;
	for (size_t i = 0; !status && i < plan->paths; i++)
		status = rule_marked(host, &plan->path[i]);
	if (!status && plan->host.all4)
		status = rule_tunnel(host, 4, plan->host.all4);
	if (!status && plan->host.all6)
		status = rule_tunnel(host, 6, plan->host.all6);
	return status;
}

void host_marks_add(struct host_marks *marks, uint32_t mark)
{
	if (mark && marks->count < sizeof(marks->mark) / sizeof(*marks->mark))
		marks->mark[marks->count++] = mark;
}

void host_marks_plan(struct host_marks *marks, const struct plan *plan)
{
	const struct parse_value *mark = plan_value(&plan->set, "fwmark");

	host_marks_add(marks, mark ? (uint32_t)mark->num : 0);
	for (size_t i = 0; i < plan->paths; i++) {
		mark = plan_value(&plan->path[i].set, "fwmark");
		host_marks_add(marks, mark ? (uint32_t)mark->num : 0);
	}
}

static void rule_flush(struct conn *conn, int family, uint32_t table)
{
	const struct rtmsg all = { .rtm_family = (unsigned char)family };
	struct nl_msg *msg = message_new(RTM_GETROUTE, NLM_F_DUMP, &all,
					 sizeof(all));
	struct message_list list;

	nla_put_u32(msg, RTA_TABLE, table);
	message_dump(conn, msg, &list);
	for (size_t i = 0; i < list.count; i++)
		if (message_u32(list.msg[i], sizeof(all), RTA_TABLE) == table)
			message_delete(conn, list.msg[i], RTM_DELROUTE);
	message_free(&list);
}

static bool rule_ours(struct nlmsghdr *msg, uint32_t block,
		      const struct host_marks *marks)
{
	const size_t head = sizeof(struct fib_rule_hdr);
	struct nlattr *protocol = nlmsg_find_attr(msg, (int)head, FRA_PROTOCOL);
	uint32_t table = message_u32(msg, head, FRA_TABLE);
	uint32_t mark = message_u32(msg, head, FRA_FWMARK);

	if (!protocol || nla_get_u8(protocol) != HOST_PROTOCOL)
		return false;
	if (table - block < NUMBER_BLOCK || mark == block)
		return true;
	for (size_t i = 0; i < marks->count; i++)
		if (mark && mark == marks->mark[i])
			return true;
	return false;
}

int host_rules_remove(struct conn *conn, const char *name,
		      const struct host_marks *marks)
{
	const size_t head = sizeof(struct fib_rule_hdr);
	uint32_t block = number_block(name);
	int count = 0;

	for (int version = 4; version <= 6; version += 2) {
		const struct fib_rule_hdr all = {
			.family = (unsigned char)message_family(version),
		};
		struct message_list list;

		message_dump(conn, message_new(RTM_GETRULE, NLM_F_DUMP, &all,
					       sizeof(all)), &list);
		for (size_t i = 0; i < list.count; i++) {
			uint32_t table = message_u32(list.msg[i], head,
						     FRA_TABLE);

			if (!rule_ours(list.msg[i], block, marks))
				continue;
			if (table - block < NUMBER_BLOCK)
				rule_flush(conn, all.family, table);
			message_delete(conn, list.msg[i], RTM_DELRULE);
			count++;
		}
		message_free(&list);
	}
	return count;
}

/* Whether a rule of an uplink is one that the file asks for. */
static bool rule_wanted(const struct host *host, struct nlmsghdr *msg,
			uint32_t number)
{
	const struct plan *plan = &host->file->plan;
	const int head = sizeof(struct fib_rule_hdr);
	struct nlattr *oif = nlmsg_find_attr(msg, head, FRA_OIFNAME);
	struct nlattr *from = nlmsg_find_attr(msg, head, FRA_SRC);
	const struct plan_path *path = &plan->path[number];
	const struct parse_value *local, *dev;

	if (number >= plan->paths || !path->gateway)
		return false;
	local = plan_value(&path->set, "local");
	dev = plan_value(&path->set, "dev");
	if (oif)
		return dev && !strcmp(nla_data(oif), dev->text);
	return from && local &&
	       nla_len(from) == (int)message_length(local->family) &&
	       !memcmp(nla_data(from), local->addr, (size_t)nla_len(from));
}

/* Whether the file asks for routes in a table of an uplink. */
static bool rule_table(const struct host *host, uint32_t number, int version)
{
	const struct plan *plan = &host->file->plan;

	return number < plan->paths && plan->path[number].gateway &&
	       plan_value(&plan->path[number].set, "remote")->family == version;
}

static void rule_drop(const struct host *host, int version)
{
	const struct fib_rule_hdr all = {
		.family = (unsigned char)message_family(version),
	};
	uint32_t first = number_block(host->file->name) + 1;
	const struct host_marks none = { .count = 0 };
	struct message_list list;

	message_dump(host->route, message_new(RTM_GETRULE, NLM_F_DUMP, &all,
					      sizeof(all)), &list);
	for (size_t i = 0; i < list.count; i++) {
		uint32_t number = message_u32(list.msg[i], sizeof(all),
					      FRA_TABLE) - first;

		if (number >= NUMBER_BLOCK - 1 ||
		    !rule_ours(list.msg[i], first - 1, &none) ||
		    rule_wanted(host, list.msg[i], number))
			continue;
		message_delete(host->route, list.msg[i], RTM_DELRULE);
		if (!rule_table(host, number, version))
			rule_flush(host->route, all.family, first + number);
	}
	message_free(&list);
}

/* Routes first, then rules that lead to them, so that there is always a way. */
int host_uplinks_sync(const struct host *host)
{
	int status;

	host_uplinks_set(host);
	status = rule_uplinks(host);
	rule_drop(host, 4);
	rule_drop(host, 6);
	return status;
}
