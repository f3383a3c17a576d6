// SPDX-License-Identifier: GPL-2.0
/*
 * Rules and routes of uplinks as they were before a change.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "conf/number.h"
#include "host/before.h"
#include "host/rule.h"

static uint32_t before_table(const struct host *host,
			     const struct plan_path *path)
{
	return number_block(host->file->name) + path->number;
}

/* The routes in the table of a path. */
static void before_routes(const struct host *host,
			  const struct plan_path *path,
			  struct message_list *list)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct rtmsg all = {
		.rtm_family = (unsigned char)message_family(remote->family),
	};
	struct nl_msg *msg = message_new(RTM_GETROUTE, NLM_F_DUMP, &all,
					 sizeof(all));
	uint32_t table = before_table(host, path);
	struct message_list found;

	nla_put_u32(msg, RTA_TABLE, table);
	message_dump(host->route, msg, &found);
	list->count = 0;
	list->msg = found.msg;
	for (size_t i = 0; i < found.count; i++) {
		if (message_u32(found.msg[i], sizeof(all), RTA_TABLE) == table)
			list->msg[list->count++] = found.msg[i];
		else
			free(found.msg[i]);
	}
}

void host_before_take(const struct host *host, struct host_before *before)
{
	const struct plan *plan = &host->file->plan;

	rule_dump(host->route, 4, &before->rule[0]);
	rule_dump(host->route, 6, &before->rule[1]);
	for (size_t i = 0; i < plan->paths; i++)
		if (plan->path[i].gateway)
			before_routes(host, &plan->path[i], &before->route[i]);
}

static bool before_same_route(struct nlmsghdr *a, struct nlmsghdr *b)
{
	const struct rtmsg *one = nlmsg_data(a), *two = nlmsg_data(b);
	struct nlattr *x = nlmsg_find_attr(a, sizeof(*one), RTA_DST);
	struct nlattr *y = nlmsg_find_attr(b, sizeof(*two), RTA_DST);

	if (one->rtm_dst_len != two->rtm_dst_len || !x != !y)
		return false;
	return !x || (nla_len(x) == nla_len(y) &&
		      !memcmp(nla_data(x), nla_data(y), (size_t)nla_len(x)));
}

static bool before_same_rule(struct nlmsghdr *a, struct nlmsghdr *b)
{
	return rule_u32(a, FRA_PRIORITY) == rule_u32(b, FRA_PRIORITY) &&
	       rule_u32(a, FRA_TABLE) == rule_u32(b, FRA_TABLE) &&
	       rule_alike(a, b);
}

static bool before_had(const struct message_list *list, struct nlmsghdr *msg,
		       bool (*same)(struct nlmsghdr *a, struct nlmsghdr *b))
{
	for (size_t i = 0; i < list->count; i++)
		if (same(list->msg[i], msg))
			return true;
	return false;
}

/* Replaced routes first, so that there is always one. */
static void before_set_routes(const struct host *host,
			      const struct plan_path *path,
			      struct message_list *was)
{
	struct message_list list;

	for (size_t i = 0; i < was->count; i++) {
		size_t len = (size_t)nlmsg_datalen(was->msg[i]);
		struct rtmsg *head = nlmsg_data(was->msg[i]);
		struct nl_msg *msg;

		/* The others are states of the device. */
		head->rtm_flags &= RTNH_F_ONLINK;
		msg = message_new(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE,
				  head, len);
		conn_do(host->route, msg, NULL, NULL);
	}
	before_routes(host, path, &list);
	for (size_t i = 0; i < list.count; i++)
		if (!before_had(was, list.msg[i], before_same_route))
			message_delete(host->route, list.msg[i], RTM_DELROUTE);
	message_free(&list);
}

/* Those of uplinks that were found are the concern of the agent. */
static void before_set_rules(const struct host *host, int version,
			     const struct message_list *was)
{
	uint32_t block = number_block(host->file->name);
	struct message_list list;

	rule_dump(host->route, version, &list);
	for (size_t i = 0; i < list.count; i++)
		if (rule_ours(list.msg[i], block) &&
		    rule_u32(list.msg[i], FRA_TABLE) - block < NUMBER_UPLINKS &&
		    !before_had(was, list.msg[i], before_same_rule))
			rule_delete(host->route, &list, i);
	message_free(&list);
}

/* Rules first, as they lead to the routes. */
void host_before_set(const struct host *host, struct host_before *before)
{
	const struct plan *plan = &host->file->plan;

	before_set_rules(host, 4, &before->rule[0]);
	before_set_rules(host, 6, &before->rule[1]);
	for (size_t i = 0; i < plan->paths; i++)
		if (plan->path[i].gateway)
			before_set_routes(host, &plan->path[i],
					  &before->route[i]);
}

void host_before_free(struct host_before *before)
{
	message_free(&before->rule[0]);
	message_free(&before->rule[1]);
	for (size_t i = 0; i < MPTUN_PATHS_MAX; i++)
		message_free(&before->route[i]);
}
