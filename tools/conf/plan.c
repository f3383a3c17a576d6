// SPDX-License-Identifier: GPL-2.0
/*
 * A tunnel as a configuration file describes it.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdio.h>
#include <string.h>

#include "conf/plan.h"
#include "lib/keyword.h"

static const char *const plan_sections[CONF_SECTIONS] = {
	[CONF_INTERFACE] = "[Interface]",
	[CONF_PATH] = "[Path NAME]",
	[CONF_CLASS] = "[Class N]",
};

void plan_init(struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->link.table = &keyword_link;
	plan->set.table = &keyword_set;
	plan->host.routed = true;
}

struct plan_path *plan_add_path(struct plan *plan)
{
	struct plan_path *path = &plan->path[plan->paths++];

	path->set.table = &keyword_path;
	path->number = (uint32_t)plan->paths;
	return path;
}

struct plan_class *plan_add_class(struct plan *plan)
{
	struct plan_class *class = &plan->class[plan->classes++];

	class->set.table = &keyword_class;
	return class;
}

const struct parse_value *plan_value(const struct plan_set *set,
				     const char *word)
{
	int index = parse_find(set->table, word);

	return index >= 0 && set->res.value[index].set ?
	       &set->res.value[index] : NULL;
}

const struct plan_path *plan_spare(const struct plan *plan)
{
	for (size_t i = 0; i < plan->paths; i++)
		if (plan->path[i].spare)
			return &plan->path[i];
	for (size_t i = 0; i < plan->models; i++)
		if (plan->model[i].spare)
			return &plan->model[i];
	return NULL;
}

int plan_line(const struct plan_set *set, const char *word)
{
	int index = parse_find(set->table, word);

	return index >= 0 ? set->line[index] : 0;
}

/* A section for uplinks that are found: [Path PATTERN] */
static int plan_model_section(struct plan *plan, int line, const char *name)
{
	struct plan_path *path = &plan->model[plan->models];

	for (size_t i = 0; i < plan->models; i++)
		if (!strcmp(plan->model[i].name, name))
			return conf_fail(&plan->error, line,
					 "path %s is already in line %d",
					 name, plan->model[i].line);
	if (plan->models == PLAN_MODELS_MAX)
		return conf_fail(&plan->error, line,
				 "there are more than %d sections of uplinks",
				 PLAN_MODELS_MAX);
	plan->models++;
	path->set.table = &keyword_path;
	path->line = line;
	strcpy(path->name, name);
	plan->reading = path;
	return 0;
}

static int plan_path_section(struct plan *plan, int line, const char *name)
{
	struct plan_path *path;

	if (!*name)
		return conf_fail(&plan->error, line,
				 "a path needs a name: [Path NAME]");
	if (parse_path_name(name, plan->error.text)) {
		plan->error.line = line;
		return -1;
	}
	if (strpbrk(name, "*?"))
		return plan_model_section(plan, line, name);
	for (size_t i = 0; i < plan->paths; i++)
		if (!strcmp(plan->path[i].name, name))
			return conf_fail(&plan->error, line,
					 "path %s is already in line %d",
					 name, plan->path[i].line);
	if (plan->paths == MPTUN_PATHS_MAX)
		return conf_fail(&plan->error, line,
				 "a tunnel has at most %d paths",
				 MPTUN_PATHS_MAX);
	path = plan_add_path(plan);
	path->line = line;
	strcpy(path->name, name);
	plan->reading = path;
	return 0;
}

static int plan_class_section(struct plan *plan, int line, const char *name)
{
	struct plan_class *class;
	struct parse_value id;

	if (!*name)
		return conf_fail(&plan->error, line,
				 "a class needs a number: [Class N]");
	if (parse_word(&keyword_class_id, name, &id, plan->error.text)) {
		plan->error.line = line;
		return -1;
	}
	for (size_t i = 0; i < plan->classes; i++)
		if (plan->class[i].id == id.num)
			return conf_fail(&plan->error, line,
					 "class %u is already in line %d",
					 plan->class[i].id, plan->class[i].line);
	class = plan_add_class(plan);
	class->line = line;
	class->id = (uint32_t)id.num;
	return 0;
}

static int plan_section(void *arg, int line, char *kind, char *name)
{
	struct plan *plan = arg;
	char quoted[32];

	plan->section = option_section(kind);
	switch (plan->section) {
	case CONF_INTERFACE:
		if (*name)
			return conf_fail(&plan->error, line,
					 "[Interface] has no name, the file is named after the tunnel");
		if (!plan->line)
			plan->line = line;
		return 0;
	case CONF_PATH:
		return plan_path_section(plan, line, name);
	case CONF_CLASS:
		return plan_class_section(plan, line, name);
	default:
		if (option_same(kind, "Server"))
			return conf_fail(&plan->error, line,
					 "[Server] is for a server of clients, see mptunctl-server(8)");
		return conf_fail(&plan->error, line,
				 "unknown section [%s], known are [Interface], [Path NAME] and [Class N]",
				 conf_quote(kind, quoted, sizeof(quoted)));
	}
}

/* Settings of the section; of a tunnel those that may change, or not. */
static struct plan_set *plan_settings(struct plan *plan, const char *key)
{
	switch (plan->section) {
	case CONF_PATH:
		return &plan->reading->set;
	case CONF_CLASS:
		return &plan->class[plan->classes - 1].set;
	default:
		return option_keyword(&keyword_set, key) >= 0 ? &plan->set :
								&plan->link;
	}
}

/* Adds the prefixes of another line. */
static int plan_allowed(struct plan *plan, int line, char *list)
{
	size_t len = strlen(plan->allowed);

	while (list) {
		const char *item = conf_next(&list);
		size_t more = strlen(item);

		if (len + more + 2 > sizeof(plan->allowed))
			return conf_fail(&plan->error, line,
					 "AllowedIPs is too long");
		len += (size_t)sprintf(plan->allowed + len, "%s%s",
				       len ? "," : "", item);
	}
	return 0;
}

static int plan_setting(struct plan *plan, struct plan_set *set, int index,
			int line, char *value)
{
	const struct parse_key *key = &set->table->keys[index];
	char name[OPTION_NAME_MAX];
	bool prefixes = key->type == PARSE_PREFIXES;

	if (set->line[index] && !prefixes)
		return conf_fail(&plan->error, line, "%s is already in line %d",
				 option_name(key->word, name),
				 set->line[index]);
	if (prefixes && plan_allowed(plan, line, value))
		return -1;
	if (parse_word(key, prefixes ? plan->allowed : value,
		       &set->res.value[index], plan->error.text)) {
		plan->error.line = line;
		return -1;
	}
	set->line[index] = line;
	return 0;
}

static int plan_unknown(struct plan *plan, int line, const char *key)
{
	char quoted[32], name[OPTION_NAME_MAX];

	conf_quote(key, quoted, sizeof(quoted));
	for (int i = CONF_INTERFACE; i < CONF_SECTIONS; i++) {
		if (i == (int)plan->section)
			continue;
		for (size_t j = 0; option_each(i, j, name); j++)
			if (option_same(key, name))
				return conf_fail(&plan->error, line,
						 "%s belongs in %s, not in %s",
						 name, plan_sections[i],
						 plan_sections[plan->section]);
	}
	if (option_guess(plan->section, key, name))
		return conf_fail(&plan->error, line,
				 "unknown key \"%s\" in %s, did you mean %s?",
				 quoted, plan_sections[plan->section], name);
	return conf_fail(&plan->error, line,
			 "unknown key \"%s\" in %s, see mptun.conf(5)",
			 quoted, plan_sections[plan->section]);
}

static int plan_key(void *arg, int line, char *key, char *value)
{
	struct plan *plan = arg;
	struct plan_set *set;
	int index;

	if (!plan->section)
		return conf_fail(&plan->error, line,
				 "there is no section before this line, begin with [Interface]");
	index = option_find(plan->section, key);
	if (index >= 0)
		return plan_host_key(plan, (enum conf_option)index, line,
				     value);
	set = plan_settings(plan, key);
	index = option_keyword(set->table, key);
	if (index < 0)
		return plan_unknown(plan, line, key);
	return plan_setting(plan, set, index, line, value);
}

int plan_read(struct plan *plan, char *text, size_t len)
{
	const struct conf_handler handler = {
		.section = plan_section, .key = plan_key, .arg = plan,
	};

	plan_init(plan);
	return conf_read(text, len, &handler, &plan->error);
}
