// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "conf/option.h"
#include "lib/guess.h"
#include "lib/keyword.h"

const struct option conf_options[OPTIONS] = {
	[OPTION_KEY] = { "Key", CONF_INTERFACE, false },
	[OPTION_KEY_FILE] = { "KeyFile", CONF_INTERFACE, false },
	[OPTION_ADDRESS] = { "Address", CONF_INTERFACE, true },
	[OPTION_DNS] = { "DNS", CONF_INTERFACE, true },
	[OPTION_ROUTES] = { "Routes", CONF_INTERFACE, true },
	[OPTION_TABLE] = { "Table", CONF_INTERFACE, false },
	[OPTION_MASQUERADE] = { "Masquerade", CONF_INTERFACE, false },
	[OPTION_KILL_SWITCH] = { "KillSwitch", CONF_INTERFACE, false },
	[OPTION_PRE_UP] = { "PreUp", CONF_INTERFACE, true },
	[OPTION_POST_UP] = { "PostUp", CONF_INTERFACE, true },
	[OPTION_PRE_DOWN] = { "PreDown", CONF_INTERFACE, true },
	[OPTION_POST_DOWN] = { "PostDown", CONF_INTERFACE, true },
	[OPTION_ON_PATH_UP] = { "OnPathUp", CONF_INTERFACE, true },
	[OPTION_ON_PATH_DOWN] = { "OnPathDown", CONF_INTERFACE, true },
	[OPTION_ON_SERVER] = { "OnServer", CONF_INTERFACE, true },
	[OPTION_ON_CAP] = { "OnCap", CONF_INTERFACE, true },
	[OPTION_UPLINKS] = { "Uplinks", CONF_INTERFACE, true },
	[OPTION_RESOLVER] = { "Resolver", CONF_INTERFACE, true },
	[OPTION_SERVER] = { "Server", CONF_INTERFACE, true },
	[OPTION_METRICS] = { "Metrics", CONF_INTERFACE, false },
	[OPTION_MIN_PATHS] = { "MinPaths", CONF_INTERFACE, false },
	[OPTION_MIN_RATE] = { "MinRate", CONF_INTERFACE, false },
	[OPTION_ENABLED] = { "Enabled", CONF_PATH, false },
	[OPTION_GATEWAY] = { "Gateway", CONF_PATH, false },
	[OPTION_CAP_RESET] = { "CapReset", CONF_PATH, false },
	[OPTION_SPARE] = { "Spare", CONF_PATH, false },
};

/* Keywords whose name in a file is not made by the rule. */
static const struct {
	const char *word;
	const char *name;
} option_names[] = {
	{ "allowed-ips", "AllowedIPs" }, { "cc", "CC" }, { "dns", "DNS" },
	{ "dscp", "DSCP" }, { "fwmark", "FwMark" }, { "id", "ID" },
	{ "mtu", "MTU" }, { "peer-id", "PeerID" },
};

/* Keys of wg-quick, and those here that do the same. */
static const struct {
	enum conf_section section;
	const char *key;
	const char *name;
} option_others[] = {
	{ CONF_INTERFACE, "ListenPort", "Port" },
	{ CONF_INTERFACE, "PrivateKey", "Key" },
	{ CONF_INTERFACE, "PresharedKey", "Key" },
	{ CONF_PATH, "Endpoint", "Remote" },
	{ CONF_PATH, "PersistentKeepalive", "Keepalive" },
};

bool option_same(const char *key, const char *name)
{
	for (;; key++, name++) {
		key += *key == '-';
		name += *name == '-';
		if (tolower((unsigned char)*key) !=
		    tolower((unsigned char)*name))
			return false;
		if (!*key)
			return true;
	}
}

int option_find(enum conf_section section, const char *key)
{
	for (int i = 0; i < OPTIONS; i++)
		if (conf_options[i].section == section &&
		    option_same(key, conf_options[i].name))
			return i;
	return -1;
}

/* A flag has no value, and a file with a key is given as KeyFile. */
static bool option_usable(const struct parse_key *key)
{
	return key->type != PARSE_FLAG && key->type != PARSE_FILE;
}

int option_keyword(const struct parse_table *table, const char *key)
{
	for (size_t i = 0; i < table->count; i++)
		if (option_usable(&table->keys[i]) &&
		    option_same(key, table->keys[i].word))
			return (int)i;
	return -1;
}

const char *option_name(const char *word, char *buf)
{
	bool first = true;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(option_names) / sizeof(*option_names);
	     i++)
		if (!strcmp(option_names[i].word, word))
			return strcpy(buf, option_names[i].name);
	for (; *word && len + 1 < OPTION_NAME_MAX; word++) {
		if (*word != '-')
			buf[len++] = (char)(first ? toupper((unsigned char)*word)
						  : *word);
		first = *word == '-';
	}
	buf[len] = '\0';
	return buf;
}

/* The tables of a section; a setting of both is changed like any other. */
static const struct parse_table *option_table(enum conf_section section,
					      int number)
{
	if (section == CONF_INTERFACE)
		return number == 0 ? &keyword_set :
		       number == 1 ? &keyword_link : NULL;
	if (number)
		return NULL;
	return section == CONF_PATH ? &keyword_path :
	       section == CONF_CLASS ? &keyword_class : NULL;
}

const char *option_each(enum conf_section section, size_t index, char *buf)
{
	const struct parse_table *table;

	for (int i = 0; i < OPTIONS; i++)
		if (conf_options[i].section == section && !index--)
			return strcpy(buf, conf_options[i].name);
	for (int n = 0; (table = option_table(section, n)); n++) {
		for (size_t i = 0; i < table->count; i++) {
			const char *word = table->keys[i].word;

			if (!option_usable(&table->keys[i]) ||
			    (n && parse_find(&keyword_set, word) >= 0))
				continue;
			if (!index--)
				return option_name(word, buf);
		}
	}
	return NULL;
}

const char *option_guess(enum conf_section section, const char *key, char *buf)
{
	struct guess guess = { .word = key };
	char name[OPTION_NAME_MAX];

	for (size_t i = 0; i < sizeof(option_others) / sizeof(*option_others);
	     i++)
		if (option_others[i].section == section &&
		    option_same(key, option_others[i].key))
			return strcpy(buf, option_others[i].name);
	for (size_t i = 0; option_each(section, i, name); i++) {
		guess_try(&guess, name);
		/* The name is overwritten by the next one. */
		if (guess.best == name)
			guess.best = strcpy(buf, name);
	}
	return guess.best;
}

enum conf_section option_section(const char *kind)
{
	if (option_same(kind, "Interface"))
		return CONF_INTERFACE;
	if (option_same(kind, "Path"))
		return CONF_PATH;
	return option_same(kind, "Class") ? CONF_CLASS : CONF_NONE;
}
