// SPDX-License-Identifier: GPL-2.0
/*
 * A trial whether another server answers.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/mptun.h>

#include "agent/agent.h"
#include "agent/resolver.h"
#include "agent/state.h"
#include "conf/apply.h"
#include "conf/number.h"
#include "conf/server.h"
#include "conf/uplink.h"
#include "lib/keyword.h"
#include "lib/link.h"
#include "lib/report.h"

#define TRIAL_PATH "trial"

/* No packet has such a source, so the server can send nothing through it. */
#define TRIAL_ALLOWED "255.255.255.255/32"

void trial_init(struct trial *trial, const char *name)
{
	snprintf(trial->dev, sizeof(trial->dev), "mptry%u",
		 number_block(name));
	trial->due = AGAIN_NEVER;
}

bool trial_there(struct trial *trial)
{
	trial->made = trial->made && if_nametoindex(trial->dev);
	return trial->made;
}

/* Finds a free UDP port: two tunnels on one port need different keys. */
static uint16_t trial_port(void)
{
	struct sockaddr_in6 addr = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint16_t port = 0;

	if (fd < 0) {
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		len = sizeof(four);
		if (fd >= 0 && !bind(fd, (void *)&four, len) &&
		    !getsockname(fd, (void *)&four, &len))
			port = ntohs(four.sin_port);
	} else if (!bind(fd, (void *)&addr, len) &&
		   !getsockname(fd, (void *)&addr, &len)) {
		port = ntohs(addr.sin6_port);
	}
	if (fd >= 0)
		close(fd);
	return port;
}

/* Keeps key and mark, which the tunnel of the trial shares with the real one,
 * and allows no source address.
 */
static void trial_keep(struct plan_set *set)
{
	int allowed = parse_find(&keyword_set, "allowed-ips");
	int mark = parse_find(&keyword_set, "fwmark");

	for (int i = 0; i < (int)set->table->count; i++)
		set->res.value[i].set &= i == KEYWORD_SET_KEY || i == mark;
	set->res.value[allowed].set = true;
	set->res.value[allowed].word = TRIAL_ALLOWED;
}

static int trial_create(struct agent *agent, struct conf_file *file)
{
	struct plan *plan = &file->plan;
	int port = parse_find(&keyword_link, "port");
	int status;

	strcpy(file->name, agent->trial.dev);
	plan->link.res.value[port].set = true;
	plan->link.res.value[port].num = trial_port();
	trial_keep(&plan->set);
	status = link_create(agent->host.route, file->name, &plan->link.res);
	if (status)
		return status;
	agent->trial.made = true;
	status = apply_tunnel(agent->family, file, &plan->set);
	if (!status)
		status = link_up(agent->host.route, file->name,
				 (int)if_nametoindex(file->name));
	return status;
}

/* The key is read again, as the agent does not keep it. */
static int trial_make(struct agent *agent)
{
	struct conf_file *file = file_named(agent->file->path,
					    agent->file->name);
	int status = file ? file_load(file, true) : STATUS_USAGE;

	if (!status)
		status = file_key(file);
	if (!status)
		status = trial_create(agent, file);
	report_at(NULL, 0);
	file_free(file);
	return status;
}

static void trial_delete(struct agent *agent)
{
	struct trial *trial = &agent->trial;
	const struct world_link *link = world_link(&agent->world, trial->dev);

	lookup_end(trial->lookup);
	trial->lookup = NULL;
	if (trial->made || (link && !strcmp(link->kind, "mptun")))
		if (if_nametoindex(trial->dev))
			link_delete(agent->host.route, trial->dev, 0);
	trial->made = false;
	trial->up = false;
	trial->path.name[0] = '\0';
}

static void trial_wait(struct trial *trial, uint64_t ms)
{
	trial->due = agent_clock() + ms;
}

/* One after the other, as the kernel replaces a path of the same name. */
static void trial_path(struct agent *agent)
{
	struct trial *trial = &agent->trial;
	struct conf_file *file = agent->now;
	const struct plan_server *server;
	char name[PARSE_TEXT_MAX + 1];
	int status;

	trial_wait(trial, trial->most);
	if (!trial_there(trial) && trial_make(agent)) {
		server = &agent->file->plan.host.server[trial->server];
		if (!trial->failed)
			report_warn("server %s cannot be tried by a tunnel of its own",
				    server->text);
		trial_delete(agent);
		trial->failed = true;
		return;
	}
	strcpy(name, file->name);
	strcpy(file->name, trial->dev);
	status = apply_path(agent->family, file, MPTUN_CMD_PATH_NEW,
			    &trial->path);
	strcpy(file->name, name);
	report_at(NULL, 0);
	trial->failed = status;
}

static void trial_unpath(struct agent *agent)
{
	struct trial *trial = &agent->trial;
	struct conf_file *file = agent->now;
	char name[PARSE_TEXT_MAX + 1];

	lookup_end(trial->lookup);
	trial->lookup = NULL;
	trial->up = false;
	if (!trial_there(trial) || !trial->path.name[0])
		return;
	strcpy(name, file->name);
	strcpy(file->name, trial->dev);
	apply_path(agent->family, file, MPTUN_CMD_PATH_DEL, &trial->path);
	strcpy(file->name, name);
	trial->path.name[0] = '\0';
}

/* Settings of a path that matter for where it leads. */
static void trial_copy(struct plan_path *to, const struct plan_path *from)
{
	static const char *const words[] = {
		"remote", "port", "local", "dev", "fwmark",
	};

	memset(to, 0, sizeof(*to));
	strcpy(to->name, TRIAL_PATH);
	to->line = from->line;
	to->set.table = from->set.table;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		int index = parse_find(from->set.table, words[i]);

		to->set.res.value[index] = from->set.res.value[index];
		to->set.line[index] = from->set.line[index];
	}
}

/* What the file says about a path: its own section, that of an uplink, or none
 * if somebody else has added it.
 */
static const struct plan_path *trial_model(const struct agent *agent,
					   const char *name)
{
	const struct plan *plan = &agent->file->plan;

	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return &plan->path[i];
	for (size_t i = 0; i < WANT_NOTES; i++)
		if (agent->notes.note[i].number &&
		    !strcmp(agent->notes.note[i].name, name))
			return uplink_model(plan, name);
	return NULL;
}

/* Makes the path of a trial from the path of that name. */
static bool trial_of(struct agent *agent, const char *name)
{
	const struct plan_path *model = trial_model(agent, name);
	struct plan_path *to = &agent->trial.path;
	int dev;

	if (!model)
		return false;
	trial_copy(to, model);
	if (!strcmp(model->name, name))
		return true;
	dev = parse_find(to->set.table, "dev");
	to->set.res.value[dev].set = true;
	strcpy(to->set.res.value[dev].text, name);
	return true;
}

/* Whether the uplink of a path may serve for a trial. */
static bool trial_way(const struct agent *agent, const char *name)
{
	const struct state_seen *seen = &agent->seen;

	if (!trial_model(agent, name))
		return false;
	return agent->turn.fails ? state_asks(seen, name) :
				   state_up(seen, name);
}

/* Lists the paths whose uplinks a trial may take: those that are up; if none
 * is, those that get no answer, and those whose peer has no address yet.
 */
static size_t trial_ways(const struct agent *agent, const char **name)
{
	const struct plan *have = agent->have;
	size_t count = 0;

	for (size_t i = 0; i < have->paths; i++)
		if (trial_way(agent, have->path[i].name))
			name[count++] = have->path[i].name;
	for (size_t i = 0; agent->turn.fails && i < WANT_NOTES; i++)
		if (server_unknown(agent, &agent->notes.note[i]))
			name[count++] = agent->notes.note[i].name;
	return count;
}

size_t trial_count(const struct agent *agent)
{
	const char *name[TRIAL_WAYS];

	return trial_ways(agent, name);
}

/* The path of the last trial again, or the one after it. */
static const char *trial_next(const struct agent *agent, bool same)
{
	const char *name[TRIAL_WAYS];
	size_t count = trial_ways(agent, name), from = 0;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(name[i], agent->trial.of))
			from = i + !same;
	return count ? name[from % count] : NULL;
}

static void trial_search(struct agent *agent, const char *host)
{
	const struct parse_value *dev, *local, *mark;
	struct trial *trial = &agent->trial;
	struct lookup_way way;
	int family;

	memset(&way, 0, sizeof(way));
	mark = plan_value(&agent->file->plan.set, "fwmark");
	dev = plan_value(&trial->path.set, "dev");
	local = plan_value(&trial->path.set, "local");
	family = local ? local->family : 0;
	way.mark = mark ? (uint32_t)mark->num : 0;
	if (dev)
		strcpy(way.dev, dev->text);
	resolver_list(&agent->file->plan, &agent->world, way.dev, way.servers,
		      sizeof(way.servers));
	trial_wait(trial, trial->most);
	if (way.dev[0] && !way.servers[0])
		return;
	trial->lookup = lookup_start(host, family != 6, family != 4, &way);
	if (!trial->lookup)
		exit(report_fail("out of memory"));
}

void trial_begin(struct agent *agent, size_t server, bool same, uint64_t ms)
{
	const char *name = trial_next(agent, same);
	struct trial *trial = &agent->trial;
	const struct parse_value *remote;

	trial_unpath(agent);
	/* Packets of a tunnel are for one server. */
	if (trial->server != server)
		trial_delete(agent);
	trial->server = server;
	trial->most = ms;
	/* Without an uplink, the time begins when one comes up. */
	if (!name || !trial_of(agent, name)) {
		trial->due = name ? agent_clock() + ms : AGAIN_NEVER;
		return;
	}
	strcpy(trial->of, name);
	if (server)
		server_lead(&trial->path, &agent->file->plan, server);
	remote = plan_value(&trial->path.set, "remote");
	if (remote->word)
		trial_search(agent, remote->word);
	else
		trial_path(agent);
}

/* Chooses an address of the version of IP that the path of the uplink uses. */
static const struct parse_value *
trial_choose(const struct agent *agent, const struct lookup_answer *answer)
{
	const struct parse_value *now = NULL;

	for (size_t i = 0; i < agent->have->paths; i++)
		if (!strcmp(agent->have->path[i].name, agent->trial.of))
			now = plan_value(&agent->have->path[i].set, "remote");
	for (size_t i = 0; now && i < answer->count; i++)
		if (answer->addr[i].family == now->family)
			return &answer->addr[i];
	return answer->count ? &answer->addr[0] : NULL;
}

void trial_answer(struct agent *agent, const struct lookup_answer *answer)
{
	const struct parse_value *addr = trial_choose(agent, answer);
	struct trial *trial = &agent->trial;
	struct parse_value *remote;
	int index;

	if (addr) {
		index = parse_find(trial->path.set.table, "remote");
		remote = &trial->path.set.res.value[index];
		remote->set = true;
		remote->family = addr->family;
		memcpy(remote->addr, addr->addr, sizeof(remote->addr));
		trial_path(agent);
	}
	lookup_end(trial->lookup);
	trial->lookup = NULL;
}

bool trial_record(struct trial *trial, const struct record *path, uint64_t ms)
{
	bool up = record_num(path, "state") == MPTUN_PATH_STATE_UP;

	if (!trial->made || strcmp(record_text(path, "ifname"), trial->dev) ||
	    record_num(path, "state") == MPTUN_PATH_STATE_DRAINING ||
	    up == trial->up)
		return false;
	trial->up = up;
	trial_wait(trial, up ? ms : trial->most);
	return up;
}

void trial_end(struct agent *agent)
{
	struct trial *trial = &agent->trial;

	trial_delete(agent);
	trial->failed = false;
	trial->of[0] = '\0';
	trial->due = AGAIN_NEVER;
}
