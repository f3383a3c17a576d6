// SPDX-License-Identifier: GPL-2.0
/*
 * Rules that choose the routing table of a packet.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * First come those of uplinks: packets that are sent from the address of a
 * path, or bound to its device, take its gateway, unless the main table has a
 * route for them that is no default route.  Then, for default routes into the
 * tunnel, what wg-quick(8) does: packets without the firewall mark of the
 * tunnel look for routes other than default routes in the main table, and after
 * that in the table of the tunnel.  Packets with its mark, or that of a path,
 * which the tunnel sends, skip these rules; those of others follow.
 *
 * Rules of a tunnel have a table of its block, by which they are found again;
 * those that look up nothing have it as well.  Rules that look up the main
 * table are shared by all tunnels that have a rule of the same selector.
 */
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "conf/number.h"
#include "host/host.h"
#include "host/message.h"
#include "host/rule.h"
#include "lib/report.h"

/* Priorities; those of the kernel's own rules are 0, 32766 and 32767. */
enum {
	RULE_LOCAL = 4723,
	RULE_FROM,
	RULE_DEVICE,
	RULE_MARKED,
	RULE_MAIN,
	RULE_TUNNEL,
	RULE_END,
};

/**
 * struct rule - a rule
 * @version: 4 or 6
 * @priority: its place
 * @action: what it does, FR_ACT_*; a jump leads to RULE_END
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
	unsigned char action;
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
		.action = rule->action,
		.flags = rule->other ? FIB_RULE_INVERT : 0,
	};
	struct nl_msg *msg = message_new(RTM_NEWRULE,
					 NLM_F_CREATE | NLM_F_EXCL, &head,
					 sizeof(head));

	nla_put_u32(msg, FRA_PRIORITY, rule->priority);
	nla_put_u32(msg, FRA_TABLE, rule->table);
	nla_put_u8(msg, FRA_PROTOCOL, HOST_PROTOCOL);
	if (rule->action == FR_ACT_GOTO)
		nla_put_u32(msg, FRA_GOTO, RULE_END);
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
	return conn_error(host->route, NULL, NULL, "a rule cannot be set");
}

bool rule_by_device(const struct plan *plan, const struct plan_path *path)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *dev = plan_value(&path->set, "dev");

	if (!dev || !dev->text[0])
		return false;
	if (!local || !local->family)
		return true;
	for (size_t i = 0; i < plan->paths; i++) {
		const struct plan_set *set = &plan->path[i].set;
		const struct parse_value *other = plan_value(set, "dev");

		if (&plan->path[i] != path && plan->path[i].gateway && other &&
		    plan_value(set, "remote")->family == remote->family &&
		    !strcmp(other->text, dev->text))
			return false;
	}
	return true;
}

/* The rule for local networks comes last, as the other one finds it. */
static int rule_pair(const struct host *host, int line, struct rule *rule,
		     uint32_t local)
{
	int status = rule_add(host, line, rule);

	if (status)
		return status;
	rule->priority = local;
	rule->table = PLAN_TABLE_MAIN;
	rule->specific = true;
	return rule_add(host, line, rule);
}

/* Packets from an address of the uplink. */
static int rule_from(const struct host *host, const struct plan_path *path,
		     const struct rule *uplink, const unsigned char *addr)
{
	struct rule from = *uplink;

	from.priority = RULE_FROM;
	from.from = addr;
	return rule_pair(host, path->gateway, &from, RULE_LOCAL);
}

static int rule_uplink(const struct host *host, const struct plan_path *path,
		       uint32_t table)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct parse_value *local = plan_value(&path->set, "local");
	struct rule device = {
		.version = remote->family, .priority = RULE_DEVICE,
		.action = FR_ACT_TO_TBL, .table = table,
	};
	int status = STATUS_OK;

	if (local && local->family)
		status = rule_from(host, path, &device, local->addr);
	for (size_t i = 0; !status && i < path->owns; i++)
		status = rule_from(host, path, &device, path->own[i]);
	if (!status && rule_by_device(&host->file->plan, path)) {
		device.oif = plan_value(&path->set, "dev")->text;
		status = rule_pair(host, path->gateway, &device, RULE_LOCAL);
	}
	return status;
}

static uint32_t rule_mark(const struct plan_set *set)
{
	const struct parse_value *mark = plan_value(set, "fwmark");

	return mark ? (uint32_t)mark->num : 0;
}

/* Packets of a path with a mark of its own are not those of the tunnel. */
static int rule_marked(const struct host *host, const struct plan_path *path)
{
	struct rule rule = {
		.version = plan_value(&path->set, "remote")->family,
		.priority = RULE_END, .action = FR_ACT_NOP,
		.table = number_block(host->file->name),
	};
	int line = plan_line(&path->set, "fwmark"), status;

	if (!rule_mark(&path->set))
		return STATUS_OK;
	status = rule_add(host, line, &rule);
	if (status)
		return status;
	rule.priority = RULE_MARKED;
	rule.action = FR_ACT_GOTO;
	rule.mark = rule_mark(&path->set);
	return rule_add(host, line, &rule);
}

static int rule_tunnel(const struct host *host, int version, int line)
{
	struct rule rule = {
		.version = version, .priority = RULE_TUNNEL,
		.action = FR_ACT_TO_TBL,
		.table = number_block(host->file->name), .other = true,
		.mark = rule_mark(&host->file->plan.set),
	};

	return rule_pair(host, line, &rule, RULE_MAIN);
}

int rule_uplinks(const struct host *host)
{
	const struct plan *plan = &host->file->plan;
	uint32_t block = number_block(host->file->name);
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < plan->paths; i++)
		if (plan->path[i].gateway)
			status = rule_uplink(host, &plan->path[i], block +
					     plan->path[i].number);
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

static void rule_take_mark(struct host_marks *marks, uint32_t mark)
{
	if (mark && marks->count < sizeof(marks->mark) / sizeof(*marks->mark))
		marks->mark[marks->count++] = mark;
}

void host_marks_plan(struct host_marks *marks, const struct plan *plan)
{
	rule_take_mark(marks, rule_mark(&plan->set));
	for (size_t i = 0; i < plan->paths; i++)
		rule_take_mark(marks, rule_mark(&plan->path[i].set));
}

size_t rule_routes(struct conn *conn, int version, uint32_t table, bool flush)
{
	const struct rtmsg all = {
		.rtm_family = (unsigned char)message_family(version),
	};
	struct nl_msg *msg = message_new(RTM_GETROUTE, NLM_F_DUMP, &all,
					 sizeof(all));
	struct message_list list;
	size_t count = 0;

	nla_put_u32(msg, RTA_TABLE, table);
	message_dump(conn, msg, &list);
	for (size_t i = 0; i < list.count; i++) {
		if (message_u32(list.msg[i], sizeof(all), RTA_TABLE) != table)
			continue;
		if (flush)
			message_delete(conn, list.msg[i], RTM_DELROUTE);
		count++;
	}
	message_free(&list);
	return count;
}

void rule_dump(struct conn *conn, int version, struct message_list *list)
{
	const struct fib_rule_hdr all = {
		.family = (unsigned char)message_family(version),
	};

	message_dump(conn, message_new(RTM_GETRULE, NLM_F_DUMP, &all,
				       sizeof(all)), list);
}

uint32_t rule_u32(struct nlmsghdr *msg, int attr)
{
	return message_u32(msg, sizeof(struct fib_rule_hdr), attr);
}

/* Whether mptunctl has set a rule, of any tunnel. */
static bool rule_known(struct nlmsghdr *msg)
{
	struct nlattr *protocol;

	protocol = nlmsg_find_attr(msg, (int)sizeof(struct fib_rule_hdr),
				   FRA_PROTOCOL);
	return protocol && nla_get_u8(protocol) == HOST_PROTOCOL;
}

bool rule_ours(struct nlmsghdr *msg, uint32_t block)
{
	return rule_known(msg) &&
	       rule_u32(msg, FRA_TABLE) - block < NUMBER_BLOCK;
}

bool rule_alike(struct nlmsghdr *a, struct nlmsghdr *b)
{
	static const int selectors[] = { FRA_FWMARK, FRA_OIFNAME, FRA_SRC };
	const struct fib_rule_hdr *one = nlmsg_data(a), *two = nlmsg_data(b);
	const int head = sizeof(*one);

	if ((one->flags ^ two->flags) & FIB_RULE_INVERT ||
	    one->action != two->action)
		return false;
	for (size_t i = 0; i < sizeof(selectors) / sizeof(*selectors); i++) {
		struct nlattr *x = nlmsg_find_attr(a, head, selectors[i]);
		struct nlattr *y = nlmsg_find_attr(b, head, selectors[i]);

		if (!x != !y || (x && (nla_len(x) != nla_len(y) ||
				       memcmp(nla_data(x), nla_data(y),
					      (size_t)nla_len(x)))))
			return false;
	}
	return true;
}

/* Those that it shares with other rules go with the last of these. */
void rule_delete(struct conn *conn, struct message_list *list, size_t index)
{
	struct nlmsghdr *msg = list->msg[index], *other;
	bool last = true;

	list->msg[index] = NULL;
	for (int shared = 0; shared < 2; shared++) {
		for (size_t i = 0; last && i < list->count; i++) {
			other = list->msg[i];
			if (!other || !rule_known(other) ||
			    !rule_alike(other, msg) || shared !=
			    (rule_u32(other, FRA_TABLE) == PLAN_TABLE_MAIN))
				continue;
			if (shared)
				message_delete(conn, other, RTM_DELRULE);
			else
				last = false;
		}
	}
	message_delete(conn, msg, RTM_DELRULE);
	free(msg);
}

int host_rules_remove(struct conn *conn, const char *name)
{
	uint32_t block = number_block(name);
	int count = 0;

	for (int version = 4; version <= 6; version += 2) {
		struct message_list list;

		rule_dump(conn, version, &list);
		for (size_t i = 0; i < list.count; i++) {
			if (!rule_ours(list.msg[i], block))
				continue;
			rule_routes(conn, version,
				    rule_u32(list.msg[i], FRA_TABLE), true);
			rule_delete(conn, &list, i);
			count++;
		}
		message_free(&list);
	}
	return count;
}

/* A rule of a tunnel, of those that default routes into it need. */
static struct nlmsghdr *rule_find(const struct message_list *list,
				  uint32_t block, uint32_t priority,
				  uint32_t mark)
{
	for (size_t i = 0; i < list->count; i++)
		if (rule_ours(list->msg[i], block) &&
		    rule_u32(list->msg[i], FRA_PRIORITY) == priority &&
		    (!mark || rule_u32(list->msg[i], FRA_FWMARK) == mark))
			return list->msg[i];
	return NULL;
}

/* Others may delete all rules, as "ip rule flush" does; the routes stay. */
static int rule_again(const struct host *host, int version,
		      const struct message_list *list)
{
	const struct plan *plan = &host->file->plan;
	int line = version == 4 ? plan->host.all4 : plan->host.all6;
	uint32_t block = number_block(host->file->name);
	int status = STATUS_OK;

	if (host->agent || !line || !number_rules(plan) ||
	    rule_find(list, block, RULE_TUNNEL, 0) ||
	    !rule_routes(host->route, version, block, false))
		return STATUS_OK;
	for (size_t i = 0; !status && i < plan->paths; i++)
		if (plan_value(&plan->path[i].set, "remote")->family == version)
			status = rule_marked(host, &plan->path[i]);
	return status ? status : rule_tunnel(host, version, line);
}

/* A rule of a tunnel lacks the one of the main table that comes before it. */
static bool rule_lacks(const struct message_list *list, struct nlmsghdr *msg,
		       uint32_t block)
{
	const struct fib_rule_hdr *head = nlmsg_data(msg);

	if (head->action != FR_ACT_TO_TBL || !rule_ours(msg, block))
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (rule_known(list->msg[i]) &&
		    rule_u32(list->msg[i], FRA_TABLE) == PLAN_TABLE_MAIN &&
		    rule_alike(list->msg[i], msg))
			return false;
	return true;
}

static int rule_mend(const struct host *host, int version, struct nlmsghdr *msg)
{
	const struct fib_rule_hdr *head = nlmsg_data(msg);
	struct nlattr *oif = nlmsg_find_attr(msg, sizeof(*head), FRA_OIFNAME);
	struct nlattr *from = nlmsg_find_attr(msg, sizeof(*head), FRA_SRC);
	const struct rule rule = {
		.version = version, .action = FR_ACT_TO_TBL,
		.priority = rule_u32(msg, FRA_PRIORITY) == RULE_TUNNEL ?
			    RULE_MAIN : RULE_LOCAL,
		.table = PLAN_TABLE_MAIN, .specific = true,
		.mark = rule_u32(msg, FRA_FWMARK),
		.other = head->flags & FIB_RULE_INVERT,
		.oif = oif ? nla_data(oif) : NULL,
		.from = from ? nla_data(from) : NULL,
	};

	return rule_add(host, 0, &rule);
}

int host_rules_mend(const struct host *host)
{
	uint32_t block = number_block(host->file->name);
	int status = STATUS_OK;

	for (int version = 4; !status && version <= 6; version += 2) {
		struct message_list list;

		rule_dump(host->route, version, &list);
		status = rule_again(host, version, &list);
		for (size_t i = 0; !status && i < list.count; i++)
			if (rule_lacks(&list, list.msg[i], block))
				status = rule_mend(host, version, list.msg[i]);
		message_free(&list);
	}
	return status;
}

bool host_rules_lack(struct conn *conn, const char *name)
{
	uint32_t block = number_block(name);
	bool lack = false;

	for (int version = 4; version <= 6; version += 2) {
		struct message_list list;

		rule_dump(conn, version, &list);
		for (size_t i = 0; i < list.count; i++)
			lack |= rule_lacks(&list, list.msg[i], block);
		message_free(&list);
	}
	return lack;
}

static int rule_refuse(const struct host *host, int line, const char *what)
{
	const struct conf_file *file = host->file;

	file_at(file, line ? line : file->plan.line);
	return report_usage("%s cannot change while default routes lead into %s, see mptunctl down and up",
			    what, file->name);
}

static int rule_fixed(const struct host *host, int version,
		      const struct message_list *list)
{
	const struct plan *plan = &host->file->plan;
	uint32_t block = number_block(host->file->name);
	int all = version == 4 ? plan->host.all4 : plan->host.all6;

	if (!rule_find(list, block, RULE_TUNNEL, 0) !=
	    !(all && number_rules(plan)))
		return rule_refuse(host, all, "Routes");
	if (all && !rule_find(list, block, RULE_TUNNEL, rule_mark(&plan->set)))
		return rule_refuse(host, plan_line(&plan->set, "fwmark"),
				   "FwMark");
	for (size_t i = 0; i < plan->paths; i++) {
		const struct plan_set *set = &plan->path[i].set;
		uint32_t mark = rule_mark(set);

		if (mark && plan_value(set, "remote")->family == version &&
		    !rule_find(list, block, RULE_MARKED, mark))
			return rule_refuse(host, plan_line(set, "fwmark"),
					   "FwMark");
	}
	return STATUS_OK;
}

int host_rules_fixed(const struct host *host)
{
	uint32_t block = number_block(host->file->name);
	struct message_list four, six;
	int status = STATUS_OK;

	rule_dump(host->route, 4, &four);
	rule_dump(host->route, 6, &six);
	if (rule_find(&four, block, RULE_TUNNEL, 0) ||
	    rule_find(&six, block, RULE_TUNNEL, 0)) {
		status = rule_fixed(host, 4, &four);
		if (!status)
			status = rule_fixed(host, 6, &six);
	}
	message_free(&four);
	message_free(&six);
	return status;
}
