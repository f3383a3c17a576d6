/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys of a configuration file.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of tunnel, paths and classes have the names that they have on the
 * command line, and come from the same tables.  Capitals and dashes do not
 * count: PsmcFactor is psmc-factor.
 */
#ifndef MPTUN_TOOLS_OPTION_H
#define MPTUN_TOOLS_OPTION_H

#include <stdbool.h>

#include "lib/parse.h"

/* Longest name of a key. */
#define OPTION_NAME_MAX 24

enum conf_section {
	CONF_NONE,
	CONF_INTERFACE,
	CONF_PATH,
	CONF_CLASS,
	CONF_SECTIONS,
};

/* Keys that are no settings of the kernel's tunnel. */
enum conf_option {
	OPTION_KEY,
	OPTION_KEY_FILE,
	OPTION_ADDRESS,
	OPTION_DNS,
	OPTION_ROUTES,
	OPTION_TABLE,
	OPTION_MASQUERADE,
	OPTION_KILL_SWITCH,
	OPTION_PRE_UP,
	OPTION_POST_UP,
	OPTION_PRE_DOWN,
	OPTION_POST_DOWN,
	OPTION_ON_PATH_UP,
	OPTION_ON_PATH_DOWN,
	OPTION_ON_SERVER,
	OPTION_ON_CAP,
	OPTION_UPLINKS,
	OPTION_RESOLVER,
	OPTION_SERVER,
	OPTION_METRICS,
	OPTION_MIN_PATHS,
	OPTION_MIN_RATE,
	OPTION_ENABLED,
	OPTION_GATEWAY,
	OPTION_CAP_RESET,
	OPTION_SPARE,
	OPTIONS,
};

/**
 * struct option - a key that is no keyword of the command line
 * @name: its name
 * @section: where it belongs
 * @repeat: it may be given several times
 */
struct option {
	const char *name;
	enum conf_section section;
	bool repeat;
};

extern const struct option conf_options[OPTIONS];

/**
 * option_same() - whether a key has a name, without capitals and dashes
 * @key: the key
 * @name: the name, or a keyword
 *
 * Return: true if so.
 */
bool option_same(const char *key, const char *name);

/**
 * option_find() - find a key that is no keyword
 * @section: the section it is in
 * @key: the key
 *
 * Return: its number, or -1.
 */
int option_find(enum conf_section section, const char *key);

/**
 * option_keyword() - find a keyword that is a key of a file
 * @table: the keywords
 * @key: the key
 *
 * Return: its index, or -1.
 */
int option_keyword(const struct parse_table *table, const char *key);

/**
 * option_name() - the name that a keyword has in a file
 * @word: the keyword
 * @buf: buffer of OPTION_NAME_MAX characters
 *
 * Return: @buf, for instance "PsmcFactor".
 */
const char *option_name(const char *word, char *buf);

/**
 * option_each() - go through the names of the keys of a section
 * @section: the section
 * @index: which one
 * @buf: buffer of OPTION_NAME_MAX characters
 *
 * Return: the name, NULL after the last one.
 */
const char *option_each(enum conf_section section, size_t index, char *buf);

/**
 * option_guess() - find the key that may have been meant
 * @section: the section it is in
 * @key: an unknown key
 * @buf: buffer of OPTION_NAME_MAX characters
 *
 * Return: @buf, or NULL.
 */
const char *option_guess(enum conf_section section, const char *key,
			 char *buf);

/**
 * option_section() - find a section
 * @kind: its name
 *
 * Return: the section, CONF_NONE if it is unknown.
 */
enum conf_section option_section(const char *kind);

#endif /* MPTUN_TOOLS_OPTION_H */
