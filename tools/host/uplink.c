// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of uplinks that a configuration does not ask for any more.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/fib_rules.h>
#include <string.h>

#include "conf/number.h"
#include "host/host.h"
#include "host/message.h"
#include "host/rule.h"

/* The path whose routes are in a table of an uplink, NULL if none has it. */
static const struct plan_path *rule_path(const struct plan *plan,
					 uint32_t number, int version)
{
	for (size_t i = 0; i < plan->paths; i++) {
		const struct plan_path *path = &plan->path[i];

		if (path->number == number && path->gateway &&
		    plan_value(&path->set, "remote")->family == version)
			return path;
	}
	return NULL;
}

static bool rule_is_from(struct nlattr *from, const unsigned char *addr,
			 int version)
{
	return nla_len(from) == (int)message_length(version) &&
	       !memcmp(nla_data(from), addr, message_length(version));
}

/* Whether a rule of an uplink is one that the file asks for. */
static bool rule_wanted(const struct plan *plan, struct nlmsghdr *msg,
			const struct plan_path *path, int version)
{
	const int head = sizeof(struct fib_rule_hdr);
	struct nlattr *oif = nlmsg_find_attr(msg, head, FRA_OIFNAME);
	struct nlattr *from = nlmsg_find_attr(msg, head, FRA_SRC);
	const struct parse_value *local;

	if (!path)
		return false;
	if (oif)
		return rule_by_device(plan, path) &&
		       !strcmp(nla_data(oif),
			       plan_value(&path->set, "dev")->text);
	local = plan_value(&path->set, "local");
	if (from && local && local->family == version &&
	    rule_is_from(from, local->addr, version))
		return true;
	for (size_t i = 0; from && i < path->owns; i++)
		if (rule_is_from(from, path->own[i], version))
			return true;
	return false;
}

/* The agent looks after the rules of the uplinks that it has found alone. */
static bool rule_left(const struct host *host, uint32_t number)
{
	if (host->agent)
		return number < NUMBER_UPLINKS || host->held >> number & 1;
	return number >= NUMBER_UPLINKS && host->file->plan.host.uplink.count;
}

static void rule_drop(const struct host *host, int version)
{
	const struct plan *plan = &host->file->plan;
	uint32_t block = number_block(host->file->name);
	struct message_list list;

	rule_dump(host->route, version, &list);
	for (size_t i = 0; i < list.count; i++) {
		uint32_t table = rule_u32(list.msg[i], FRA_TABLE);
		const struct plan_path *path;

		path = rule_path(plan, table - block, version);
		if (table == block || !rule_ours(list.msg[i], block) ||
		    rule_left(host, table - block) ||
		    rule_wanted(plan, list.msg[i], path, version))
			continue;
		rule_delete(host->route, &list, i);
		if (!path)
			rule_routes(host->route, version, table, true);
	}
	message_free(&list);
}

/* Routes first, then rules that lead to them, so that there is always a way. */
int host_uplinks_add(const struct host *host)
{
	host_uplinks_set(host);
	return rule_uplinks(host);
}

void host_uplinks_drop(const struct host *host)
{
	rule_drop(host, 4);
	rule_drop(host, 6);
}

int host_uplinks_sync(const struct host *host)
{
	int status = host_uplinks_add(host);

	host_uplinks_drop(host);
	return status;
}
