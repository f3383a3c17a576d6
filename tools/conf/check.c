// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of what concerns several keys of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <string.h>

#include "conf/plan.h"
#include "conf/server.h"

/* Smallest MTU of a link that carries IPv6 */
#define CHECK_MTU6 1280

/* What names of devices in nftables may have: others end them, or stand for
 * several names.
 */
static const char check_plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

static int check_key(struct plan *plan, bool create)
{
	const struct parse_value *cipher = plan_value(&plan->link, "cipher");
	bool clear = cipher && cipher->num == MPTUN_CIPHER_CLEAR;
	const int *line = plan->host.line;
	int key = line[OPTION_KEY] ? line[OPTION_KEY] : line[OPTION_KEY_FILE];

	if (line[OPTION_KEY] && line[OPTION_KEY_FILE])
		return conf_fail(&plan->error, line[OPTION_KEY_FILE],
				 "KeyFile contradicts Key in line %d",
				 line[OPTION_KEY]);
	if (key && clear)
		return conf_fail(&plan->error, key,
				 "with Cipher = clear a tunnel has no key");
	if (clear && create && !plan_value(&plan->link, "id"))
		return conf_fail(&plan->error, plan_line(&plan->link, "cipher"),
				 "with Cipher = clear a tunnel needs an ID");
	if (!clear && plan_value(&plan->link, "id"))
		return conf_fail(&plan->error, plan_line(&plan->link, "id"),
				 "ID is for Cipher = clear only");
	if (!clear && plan_value(&plan->link, "peer-id"))
		return conf_fail(&plan->error, plan_line(&plan->link,
				 "peer-id"),
				 "PeerID is for Cipher = clear only");
	if (!key && plan_value(&plan->set, "key-grace"))
		return conf_fail(&plan->error, plan_line(&plan->set,
				 "key-grace"),
				 "KeyGrace needs Key or KeyFile");
	if (!key && !clear && create)
		return conf_fail(&plan->error, plan->line,
				 "the tunnel needs Key or KeyFile, or Cipher = clear");
	return 0;
}

static bool check_address6(const struct plan *plan)
{
	for (size_t i = 0; i < plan->host.address.count; i++)
		if (plan->host.address.list[i].entry[0] == 6)
			return true;
	return false;
}

static bool check_address4(const struct plan *plan)
{
	for (size_t i = 0; i < plan->host.address.count; i++)
		if (plan->host.address.list[i].entry[0] == 4)
			return true;
	return false;
}

/* "default" is for the families that the interface has addresses of. */
static int check_routes(struct plan *plan)
{
	bool four = check_address4(plan), six = check_address6(plan);
	struct plan_host *host = &plan->host;

	if (!host->routed && host->line[OPTION_ROUTES])
		return conf_fail(&plan->error, host->line[OPTION_TABLE],
				 "with Table = off no routes are made, but Routes in line %d asks for some",
				 host->line[OPTION_ROUTES]);
	if (host->all && !host->all4 && (four || !six))
		host->all4 = host->all;
	if (host->all && !host->all6 && (six || !four))
		host->all6 = host->all;
	return 0;
}

/* nftables knows patterns only at the end of a name. */
static int check_guarded(struct plan *plan)
{
	const struct plan_texts *list = &plan->host.uplink;

	for (size_t i = 0; i < list->count; i++) {
		const char *text = list->list[i].text;
		size_t plain;

		text += *text == '!';
		plain = strspn(text, check_plain);
		if (!plain)
			return conf_fail(&plan->error, list->list[i].line,
					 "KillSwitch in line %d needs names of uplinks, not all of them",
					 plan->host.line[OPTION_KILL_SWITCH]);
		if (strcmp(text + plain, "*") && text[plain])
			return conf_fail(&plan->error, list->list[i].line,
					 "KillSwitch in line %d takes Uplinks of letters, digits, \"_\", \"-\" and \".\" only, and a \"*\" at the end",
					 plan->host.line[OPTION_KILL_SWITCH]);
	}
	return 0;
}

/* The agent counts, so the file does not. */
static int check_cap(struct plan *plan, const struct plan_path *path)
{
	const struct parse_value *cap = plan_value(&path->set, "cap");

	if (!path->reset)
		return 0;
	if (!cap || !cap->num)
		return conf_fail(&plan->error, path->reset_line,
				 "CapReset needs Cap");
	if (plan_value(&path->set, "used"))
		return conf_fail(&plan->error, plan_line(&path->set, "used"),
				 "Used contradicts CapReset in line %d, with which the agent counts",
				 path->reset_line);
	return 0;
}

/* Their peer is given; device and gateway are found. */
static int check_model(struct plan *plan, const struct plan_path *path)
{
	static const char *const fixed[] = {
		"local", "dev", "fwmark",
	};
	const struct parse_value *remote = plan_value(&path->set, "remote");
	char name[OPTION_NAME_MAX];

	if (!plan->host.uplink.count)
		return conf_fail(&plan->error, path->line,
				 "path %s is for uplinks that are found, which Uplinks asks for",
				 path->name);
	if (!remote)
		return conf_fail(&plan->error, path->line,
				 "path %s needs Remote, or Server in [Interface]",
				 path->name);
	if (remote->text[0])
		return conf_fail(&plan->error, plan_line(&path->set, "remote"),
				 "Remote of path %s cannot have a device",
				 path->name);
	if (path->gateway)
		return conf_fail(&plan->error, path->gateway,
				 "path %s cannot have Gateway, which is found",
				 path->name);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (plan_value(&path->set, fixed[i]))
			return conf_fail(&plan->error,
					 plan_line(&path->set, fixed[i]),
					 "path %s cannot have %s, as it is for any uplink",
					 path->name,
					 option_name(fixed[i], name));
	return 0;
}

static int check_uplinks(struct plan *plan)
{
	if (plan->host.uplink.count && !plan->models)
		return conf_fail(&plan->error, plan->host.line[OPTION_UPLINKS],
				 "Uplinks needs a section [Path *], for the settings of their paths");
	for (size_t i = 0; i < plan->models; i++)
		if (check_model(plan, &plan->model[i]) ||
		    check_cap(plan, &plan->model[i]))
			return -1;
	return plan->host.kill_switch ? check_guarded(plan) : 0;
}

/* A bound alone does nothing, nor does a spare. */
static int check_spares(struct plan *plan)
{
	const int *line = plan->host.line;
	int bound = line[OPTION_MIN_PATHS] ? line[OPTION_MIN_PATHS] :
					     line[OPTION_MIN_RATE];
	const struct plan_path *spare = plan_spare(plan);

	if (bound && !spare)
		return conf_fail(&plan->error, bound,
				 "%s needs a path with Spare = on",
				 line[OPTION_MIN_PATHS] ? "MinPaths" :
							  "MinRate");
	if (spare && !bound)
		return conf_fail(&plan->error, spare->spare_line,
				 "Spare needs MinPaths or MinRate in [Interface], below which path %s joins",
				 spare->name);
	return 0;
}

static int check_host(struct plan *plan)
{
	const struct parse_value *mtu = plan_value(&plan->set, "mtu");
	struct plan_host *host = &plan->host;

	if (mtu && mtu->num && mtu->num < CHECK_MTU6 && check_address6(plan))
		return conf_fail(&plan->error, plan_line(&plan->set, "mtu"),
				 "IPv6 needs an MTU of at least %d", CHECK_MTU6);
	if (host->domain.count && !host->dns.count)
		return conf_fail(&plan->error, host->domain.list[0].line,
				 "DNS has a domain but no address of a resolver");
	if (host->kill_switch && !plan->paths && !host->uplink.count)
		return conf_fail(&plan->error, host->line[OPTION_KILL_SWITCH],
				 "KillSwitch needs a path, whose Dev it guards");
	return check_routes(plan);
}

/* A path switched off is a path, too. */
static int check_path(struct plan *plan, const struct plan_path *path)
{
	const struct parse_value *remote = plan_value(&path->set, "remote");
	const struct parse_value *local = plan_value(&path->set, "local");
	const struct parse_value *dev = plan_value(&path->set, "dev");
	int family = remote ? remote->family : 0, via = path->via.family;
	struct conf_error *error = &plan->error;

	if (!remote)
		return conf_fail(error, path->line,
				 "path %s needs Remote, or Server in [Interface]",
				 path->name);
	if (family && local && local->family && local->family != family)
		return conf_fail(error, plan_line(&path->set, "local"),
				 "Local and Remote must be of one family");
	if (plan->host.kill_switch && !(dev && dev->text[0]))
		return conf_fail(error, path->line,
				 "path %s needs Dev, for KillSwitch in line %d",
				 path->name,
				 plan->host.line[OPTION_KILL_SWITCH]);
	if (plan->host.kill_switch && strspn(dev->text, check_plain) <
	    strlen(dev->text))
		return conf_fail(error, plan_line(&path->set, "dev"),
				 "KillSwitch in line %d takes a Dev of letters, digits, \"_\", \"-\" and \".\" only",
				 plan->host.line[OPTION_KILL_SWITCH]);
	if (!path->gateway)
		return 0;
	if (!(dev && dev->text[0]) && !(local && local->family))
		return conf_fail(error, path->gateway,
				 "Gateway needs Dev or Local, by which packets are known");
	if (path->direct && !(dev && dev->text[0]))
		return conf_fail(error, path->gateway,
				 "Gateway = none needs Dev");
	if (via && ((family && via != family) ||
		    (local && local->family && via != local->family)))
		return conf_fail(error, path->gateway,
				 "Gateway must be of the family of Remote and Local");
	return 0;
}

static int check_class(struct plan *plan, const struct plan_class *class)
{
	static const char *const match[] = {
		"mark", "mask", "dscp", "protocol", "port",
	};
	const struct parse_value *policy = plan_value(&class->set, "policy");
	bool any = !class->id;

	for (size_t i = 0; i < sizeof(match) / sizeof(*match); i++)
		any |= !!plan_value(&class->set, match[i]);
	if (!any)
		return conf_fail(&plan->error, class->line,
				 "class %u needs a Mark, DSCP, Protocol or Port",
				 class->id);
	if (policy && policy->num == MPTUN_CLASS_POLICY_PIN &&
	    !plan_value(&class->set, "path"))
		return conf_fail(&plan->error, plan_line(&class->set, "policy"),
				 "Policy = pin needs Path");
	return 0;
}

/* Each server has to fit the paths; they begin with the first one. */
static int check_servers(struct plan *plan)
{
	int line = plan->host.line[OPTION_ON_SERVER];

	if (line && !server_moves(plan))
		return conf_fail(&plan->error, line,
				 "OnServer needs several entries of Server");
	if (plan->host.servers)
		server_use(plan, 0);
	return 0;
}

/* Every server that has an address has one that its Local and Gateway take. */
static int check_families(struct plan *plan, const struct plan_path *path)
{
	const struct plan_host *host = &plan->host;
	struct plan_path other = *path;
	int index = parse_find(path->set.table, "remote");

	for (size_t i = 1; i < host->servers; i++) {
		other.set.res.value[index] = host->server[i].remote;
		other.set.line[index] = host->server[i].line;
		if (check_path(plan, &other))
			return -1;
	}
	return 0;
}

int plan_check(struct plan *plan, bool create)
{
	if (!plan->line)
		return conf_fail(&plan->error, 0,
				 "there is no section [Interface]");
	if (check_key(plan, create) || check_host(plan) ||
	    check_servers(plan) || check_uplinks(plan) || check_spares(plan))
		return -1;
	for (size_t i = 0; i < plan->paths; i++)
		if (check_path(plan, &plan->path[i]) ||
		    check_cap(plan, &plan->path[i]) ||
		    check_families(plan, &plan->path[i]))
			return -1;
	for (size_t i = 0; i < plan->classes; i++)
		if (check_class(plan, &plan->class[i]))
			return -1;
	return 0;
}
