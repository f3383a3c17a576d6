// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of a configuration file that are no settings of the kernel's tunnel.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "conf/plan.h"
#include "conf/server.h"
#include "lib/keyword.h"

/* What the messages of parse_word() call a key. */
static const struct parse_key host_kill_switch = {
	.word = "KillSwitch", .type = PARSE_BOOL, .max = 1,
};

static const struct parse_key host_enabled = {
	.word = "Enabled", .type = PARSE_BOOL, .max = 1,
};

static const struct parse_key host_gateway = {
	.word = "Gateway", .type = PARSE_ADDR, .none = "none",
};

static const struct parse_key host_reset = {
	.word = "CapReset", .type = PARSE_U16, .min = 1, .max = 31,
};

static const struct parse_key host_spare = {
	.word = "Spare", .type = PARSE_BOOL, .max = 1,
};

static const struct parse_key host_min_paths = {
	.word = "MinPaths", .type = PARSE_U16, .min = 1,
	.max = MPTUN_PATHS_MAX,
};

static const struct parse_key host_min_rate = {
	.word = "MinRate", .type = PARSE_RATE, .max = UINT64_MAX,
};

static const struct parse_key host_table = {
	.word = "Table", .type = PARSE_U32, .min = 1, .max = UINT32_MAX,
};

static int host_word(struct plan *plan, const struct parse_key *key, int line,
		     const char *word, struct parse_value *val)
{
	if (!parse_word(key, word, val, plan->error.text))
		return 0;
	plan->error.line = line;
	return -1;
}

static bool host_full(struct plan *plan, int line, size_t count,
		      const char *name)
{
	if (count < PLAN_LIST_MAX)
		return false;
	conf_fail(&plan->error, line, "there are more than %d entries of %s",
		  PLAN_LIST_MAX, name);
	return true;
}

static int host_add(struct plan *plan, struct plan_texts *texts, int line,
		    const char *text, const char *name)
{
	if (host_full(plan, line, texts->count, name))
		return -1;
	texts->list[texts->count].line = line;
	texts->list[texts->count++].text = text;
	return 0;
}

static int host_prefix(struct plan *plan, struct plan_prefixes *prefixes,
		       int line, const unsigned char *entry, const char *name,
		       const char *word)
{
	for (size_t i = 0; i < prefixes->count; i++)
		if (!memcmp(prefixes->list[i].entry, entry, PARSE_PREFIX_LEN))
			return conf_fail(&plan->error, line,
					 "%s %s is already in line %d",
					 name, word, prefixes->list[i].line);
	if (host_full(plan, line, prefixes->count, name))
		return -1;
	prefixes->list[prefixes->count].line = line;
	memcpy(prefixes->list[prefixes->count++].entry, entry,
	       PARSE_PREFIX_LEN);
	return 0;
}

static int host_no_prefix(struct plan *plan, int line, const char *name,
			  const char *word, const char *others)
{
	char quoted[64];

	return conf_fail(&plan->error, line, "%s \"%s\" is no address prefix%s",
			 name, conf_quote(word, quoted, sizeof(quoted)),
			 others);
}

static int host_address(struct plan *plan, int line, char *list)
{
	unsigned char entry[PARSE_PREFIX_LEN];

	while (list) {
		const char *item = conf_next(&list);

		if (!parse_prefix(item, strlen(item), entry))
			return host_no_prefix(plan, line, "Address", item, "");
		if (host_prefix(plan, &plan->host.address, line, entry,
				"Address", item))
			return -1;
	}
	return 0;
}

/* Bits behind the prefix, which the kernel does not take. */
static bool host_masked(const unsigned char *entry)
{
	for (int bit = entry[1]; bit < (entry[0] == 4 ? 32 : 128); bit++)
		if (entry[4 + bit / 8] & (0x80 >> bit % 8))
			return false;
	return true;
}

static int host_route(struct plan *plan, int line, const char *item)
{
	unsigned char entry[PARSE_PREFIX_LEN];
	struct plan_host *host = &plan->host;
	int *all;

	if (!strcmp(item, "default")) {
		host->all = line;
		return 0;
	}
	if (!parse_prefix(item, strlen(item), entry))
		return host_no_prefix(plan, line, "Routes", item,
				      " and not \"default\"");
	if (!host_masked(entry))
		return conf_fail(&plan->error, line,
				 "Routes %s has bits behind the prefix, an address alone is written without /%u",
				 item, entry[1]);
	if (entry[1])
		return host_prefix(plan, &host->route, line, entry, "Routes",
				   item);
	all = entry[0] == 4 ? &host->all4 : &host->all6;
	*all = line;
	return 0;
}

static int host_routes(struct plan *plan, int line, char *list)
{
	while (list)
		if (host_route(plan, line, conf_next(&list)))
			return -1;
	return 0;
}

static int host_dns(struct plan *plan, int line, char *list)
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
	unsigned char addr[16];
	char quoted[64];

	while (list) {
		char *item = conf_next(&list);
		bool number = inet_pton(AF_INET, item, addr) == 1 ||
			      inet_pton(AF_INET6, item, addr) == 1;

		if (!number && (!*item || *item == '-' ||
				strspn(item, valid) != strlen(item) ||
				strspn(item, "0123456789.") == strlen(item)))
			return conf_fail(&plan->error, line,
					 "DNS \"%s\" is neither an address nor a domain",
					 conf_quote(item, quoted,
						    sizeof(quoted)));
		if (host_add(plan, number ? &plan->host.dns :
					    &plan->host.domain, line, item,
			     "DNS"))
			return -1;
	}
	return 0;
}

static int host_uplinks(struct plan *plan, int line, char *list)
{
	while (list) {
		const char *item = conf_next(&list);

		if (!strcmp(item, "none"))
			continue;
		if (!strcmp(item, "auto"))
			item = "*";
		if (parse_dev_name(item + (*item == '!'), plan->error.text)) {
			plan->error.line = line;
			return -1;
		}
		if (host_add(plan, &plan->host.uplink, line, item, "Uplinks"))
			return -1;
	}
	return 0;
}

/* An address of a link has its device. */
static bool host_is_resolver(const char *item)
{
	char text[INET6_ADDRSTRLEN], error[PARSE_ERROR_MAX];
	size_t len = strcspn(item, "%");
	unsigned char addr[16];

	if (inet_pton(AF_INET, item, addr) == 1)
		return true;
	snprintf(text, sizeof(text), "%.*s", (int)len, item);
	return inet_pton(AF_INET6, text, addr) == 1 &&
	       (!item[len] || !parse_dev_name(item + len + 1, error));
}

static int host_resolver(struct plan *plan, int line, char *list)
{
	char quoted[64];

	while (list) {
		const char *item = conf_next(&list);

		if (!host_is_resolver(item))
			return conf_fail(&plan->error, line,
					 "Resolver \"%s\" is no address",
					 conf_quote(item, quoted,
						    sizeof(quoted)));
		if (host_add(plan, &plan->host.resolver, line, item,
			     "Resolver"))
			return -1;
	}
	return 0;
}

static int host_table_of(struct plan *plan, int line, const char *word)
{
	struct plan_host *host = &plan->host;
	struct parse_value val;

	host->routed = strcmp(word, "off");
	host->table = PLAN_TABLE_AUTO;
	if (!host->routed || !strcmp(word, "auto"))
		return 0;
	host->table = PLAN_TABLE_MAIN;
	if (!strcmp(word, "main"))
		return 0;
	if (word[0] >= 'a' && word[0] <= 'z')
		return conf_fail(&plan->error, line,
				 "Table must be auto, main, off or a number");
	if (host_word(plan, &host_table, line, word, &val))
		return -1;
	host->table = (uint32_t)val.num;
	return 0;
}

static int host_masquerade(struct plan *plan, int line, const char *word)
{
	char quoted[32];

	if (!strcmp(word, "off"))
		plan->host.masquerade = MASQUERADE_OFF;
	else if (!strcmp(word, "tunnel"))
		plan->host.masquerade = MASQUERADE_TUNNEL;
	else if (!strcmp(word, "uplink"))
		plan->host.masquerade = MASQUERADE_UPLINK;
	else
		return conf_fail(&plan->error, line,
				 "Masquerade must be off, tunnel or uplink, not \"%s\"",
				 conf_quote(word, quoted, sizeof(quoted)));
	return 0;
}

/* The message does not repeat the value, and a key is kept once only. */
static int host_key(struct plan *plan, int line, char *word)
{
	const char *wrong = secret_parse(word, strlen(word), plan->key);

	if (wrong)
		return conf_fail(&plan->error, line,
				 "Key %s; a file is given by KeyFile",
				 wrong);
	secret_wipe(word, strlen(word));
	plan->keyed = true;
	return 0;
}

static int host_key_file(struct plan *plan, int line, const char *word)
{
	if (secret_like(word))
		return conf_fail(&plan->error, line,
				 "KeyFile is the name of a file, a key is given by Key");
	plan->set.line[KEYWORD_SET_KEY] = line;
	plan->set.res.value[KEYWORD_SET_KEY].set = true;
	plan->set.res.value[KEYWORD_SET_KEY].word = word;
	return 0;
}

/* "on" and "off" of the command line. */
static int host_enable(struct plan *plan, struct plan_path *path, int line,
		       const char *word)
{
	struct parse_value val;
	int index;

	if (host_word(plan, &host_enabled, line, word, &val))
		return -1;
	index = parse_find(&keyword_path, val.num ? "on" : "off");
	path->set.res.value[index].set = true;
	path->set.res.value[index].num = val.num;
	path->set.line[index] = line;
	path->enabled = line;
	return 0;
}

static int host_cap_reset(struct plan *plan, struct plan_path *path, int line,
			  const char *word)
{
	struct parse_value val;

	if (host_word(plan, &host_reset, line, word, &val))
		return -1;
	path->reset = (int)val.num;
	path->reset_line = line;
	return 0;
}

static int host_is_spare(struct plan *plan, struct plan_path *path, int line,
			 const char *word)
{
	struct parse_value val;

	if (host_word(plan, &host_spare, line, word, &val))
		return -1;
	path->spare = val.num;
	path->spare_line = line;
	return 0;
}

/* Where a key of a path has been before. */
static int *host_path_line(struct plan_path *path, enum conf_option option)
{
	switch (option) {
	case OPTION_ENABLED:
		return &path->enabled;
	case OPTION_GATEWAY:
		return &path->gateway;
	case OPTION_SPARE:
		return &path->spare_line;
	default:
		return &path->reset_line;
	}
}

static int host_path_key(struct plan *plan, enum conf_option option, int line,
			 const char *value)
{
	struct plan_path *path = plan->reading;
	int *before = host_path_line(path, option);

	if (*before)
		return conf_fail(&plan->error, line, "%s is already in line %d",
				 conf_options[option].name, *before);
	if (option == OPTION_ENABLED)
		return host_enable(plan, path, line, value);
	if (option == OPTION_CAP_RESET)
		return host_cap_reset(plan, path, line, value);
	if (option == OPTION_SPARE)
		return host_is_spare(plan, path, line, value);
	path->gateway = line;
	if (host_word(plan, &host_gateway, line, value, &path->via))
		return -1;
	path->direct = !path->via.family;
	return 0;
}

static int host_bound(struct plan *plan, enum conf_option option, int line,
		      const char *word)
{
	bool rate = option == OPTION_MIN_RATE;
	struct parse_value val;

	if (host_word(plan, rate ? &host_min_rate : &host_min_paths, line,
		      word, &val))
		return -1;
	if (rate && !val.num)
		return conf_fail(&plan->error, line,
				 "MinRate has to be larger than 0");
	if (rate)
		plan->host.min_rate = val.num;
	else
		plan->host.min_paths = (size_t)val.num;
	return 0;
}

int plan_host_key(struct plan *plan, enum conf_option option, int line,
		  char *value)
{
	struct plan_host *host = &plan->host;
	const char *name = conf_options[option].name;
	struct parse_value val;

	if (conf_options[option].section == CONF_PATH)
		return host_path_key(plan, option, line, value);
	if (host->line[option] && !conf_options[option].repeat)
		return conf_fail(&plan->error, line, "%s is already in line %d",
				 name, host->line[option]);
	host->line[option] = line;
	switch (option) {
	case OPTION_KEY:
		return host_key(plan, line, value);
	case OPTION_KEY_FILE:
		return host_key_file(plan, line, value);
	case OPTION_ADDRESS:
		return host_address(plan, line, value);
	case OPTION_DNS:
		return host_dns(plan, line, value);
	case OPTION_ROUTES:
		return host_routes(plan, line, value);
	case OPTION_UPLINKS:
		return host_uplinks(plan, line, value);
	case OPTION_RESOLVER:
		return host_resolver(plan, line, value);
	case OPTION_SERVER:
		return server_read(plan, line, value);
	case OPTION_METRICS:
		return server_metrics(plan, line, value);
	case OPTION_MIN_PATHS:
	case OPTION_MIN_RATE:
		return host_bound(plan, option, line, value);
	case OPTION_TABLE:
		return host_table_of(plan, line, value);
	case OPTION_MASQUERADE:
		return host_masquerade(plan, line, value);
	case OPTION_KILL_SWITCH:
		if (host_word(plan, &host_kill_switch, line, value, &val))
			return -1;
		host->kill_switch = val.num;
		return 0;
	default:
		return host_add(plan, &host->hook[option - OPTION_PRE_UP],
				line, value, name);
	}
}
