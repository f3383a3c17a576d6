/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parsing of command line words into values, by tables of keywords.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no memory, no look-up in the system.  Used by
 * mptunctl, by the plugin of ip-link and by the fuzzers alike.
 */
#ifndef MPTUN_TOOLS_PARSE_H
#define MPTUN_TOOLS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"

/* Largest number of keywords in a table. */
#define PARSE_KEYS_MAX 24
/* Longest string value: a name or the scope of an address. */
#define PARSE_TEXT_MAX 15
/* Length of a prefix in a list of them. */
#define PARSE_PREFIX_LEN 20
/* Longest error sentence. */
#define PARSE_ERROR_MAX 400

/**
 * enum parse_type - how the value of a keyword is written
 * @PARSE_U16: whole number, sent as u16
 * @PARSE_U32: whole number, sent as u32
 * @PARSE_TIME: time with unit us, ms, s, m, h or d, sent as u32 in microseconds
 * @PARSE_SPAN: time in seconds, or with such a unit, sent as u64 in microseconds
 * @PARSE_SECONDS: as PARSE_SPAN, but whole seconds, sent as u32
 * @PARSE_SIZE: bytes, with k, m, g or t in powers of 1024, or kb, mb, gb or tb in
 *	powers of 1000, sent as u32
 * @PARSE_VOLUME: as PARSE_SIZE, sent as u64
 * @PARSE_RATE: bits per second, with bit, kbit, mbit, gbit or tbit, sent as u64
 * @PARSE_BOOL: on or off, sent as u8
 * @PARSE_FLAG: a word without value, stands for &parse_key.min, sent as u8
 * @PARSE_ENUM: one of &parse_key.names, sent as u32
 * @PARSE_NAME: a name, sent as string
 * @PARSE_ADDR: IPv4 or IPv6 address, IPv6 with an optional %SCOPE
 * @PARSE_PREFIXES: address prefixes with commas between them, sent as entries
 *	of PARSE_PREFIX_LEN bytes, at most &parse_key.max bytes
 * @PARSE_FILE: name of a file, whose contents are sent as &parse_key.max bytes
 */
enum parse_type {
	PARSE_U16,
	PARSE_U32,
	PARSE_TIME,
	PARSE_SPAN,
	PARSE_SECONDS,
	PARSE_SIZE,
	PARSE_VOLUME,
	PARSE_RATE,
	PARSE_BOOL,
	PARSE_FLAG,
	PARSE_ENUM,
	PARSE_NAME,
	PARSE_ADDR,
	PARSE_PREFIXES,
	PARSE_FILE,
};

/**
 * struct parse_key - a keyword and the value it takes
 * @word: the keyword
 * @type: how its value is written
 * @attr: attribute that carries the value; for an address its IPv4 form
 * @attr6: attribute that carries an IPv6 address
 * @attr_scope: attribute that carries the scope of an IPv6 address, 0: no
 *	scope can be given
 * @host: a host name may take the place of the address
 * @min: smallest value, for names smallest length
 * @max: largest value, for names largest length
 * @least: smallest number besides 0, if 0 has the meaning of @none
 * @highest: largest number besides @max, if @max has the meaning of @most and
 *	those between are refused; 0 if none are
 * @names: PARSE_ENUM: names by value; PARSE_U32: names of some values; others:
 *	suggestions for completion
 * @none: word that stands for zero, the empty name or the unspecified address
 * @most: word that stands for @max, which cannot be given as a number then
 * @value: what the help calls the value
 * @standard: the default, for the help, or NULL
 * @help: one line about the keyword
 */
struct parse_key {
	const char *word;
	enum parse_type type;
	uint16_t attr;
	uint16_t attr6;
	uint16_t attr_scope;
	bool host;
	uint64_t min;
	uint64_t max;
	uint64_t least;
	uint64_t highest;
	const struct names *names;
	const char *none;
	const char *most;
	const char *value;
	const char *standard;
	const char *help;
};

/**
 * struct parse_table - the keywords of a command
 * @keys: the keywords
 * @count: their number, at most PARSE_KEYS_MAX
 */
struct parse_table {
	const struct parse_key *keys;
	size_t count;
};

/**
 * struct parse_value - value given to a keyword
 * @set: the keyword was given
 * @num: numbers, times, sizes, rates, switches and enums
 * @text: names, and the scope of an address
 * @family: of an address: 4, 6, or 0 for @none of the keyword or a host name
 * @addr: the address in network byte order
 * @word: of a file: its name, as it was given; of prefixes: the list, NULL for
 *	@none of the keyword; a host name that has not been looked up
 * @data: of a file: its contents, filled in by the caller
 */
struct parse_value {
	bool set;
	uint64_t num;
	char text[PARSE_TEXT_MAX + 1];
	int family;
	unsigned char addr[16];
	const char *word;
	const unsigned char *data;
};

/**
 * struct parse_result - values given to a table of keywords
 * @value: by index of the keyword
 * @error: a sentence, if parsing failed
 */
struct parse_result {
	struct parse_value value[PARSE_KEYS_MAX];
	char error[PARSE_ERROR_MAX];
};

/**
 * parse_words() - parse pairs of keyword and value
 * @table: the keywords that are known
 * @argc: number of words
 * @argv: the words
 * @res: filled in
 *
 * Return: 0, or -1 with a sentence in @res->error.
 */
int parse_words(const struct parse_table *table, int argc, char *const *argv,
		struct parse_result *res);

/**
 * parse_word() - parse the value of one keyword
 * @key: the keyword
 * @word: its value
 * @val: filled in
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int parse_word(const struct parse_key *key, const char *word,
	       struct parse_value *val, char *error);

/**
 * parse_dev_name() - check the name of a network device
 * @word: the name
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int parse_dev_name(const char *word, char *error);

/**
 * parse_kept_name() - refuse names that sysctl keeps for all devices
 * @word: the name
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int parse_kept_name(const char *word, char *error);

/**
 * parse_path_name() - check the name of a path
 * @word: the name
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int parse_path_name(const char *word, char *error);

/**
 * parse_prefix() - parse an address prefix
 * @word: the prefix; an address alone has all of its bits
 * @len: its length in characters
 * @entry: filled in with PARSE_PREFIX_LEN bytes: the version of IP, the length
 *	of the prefix, two zeros, and the address
 *
 * Return: true if it is one.
 */
bool parse_prefix(const char *word, size_t len, unsigned char *entry);

/**
 * parse_prefixes() - parse a list of address prefixes
 * @key: its keyword
 * @list: the list, with commas between the prefixes
 * @data: buffer of @key->max bytes, or NULL to only check the list
 * @len: set to the length of the entries in bytes
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int parse_prefixes(const struct parse_key *key, const char *list,
		   unsigned char *data, size_t *len, char *error);

/**
 * parse_find() - find a keyword
 * @table: the keywords that are known
 * @word: the word to find
 *
 * Return: its index, or -1.
 */
int parse_find(const struct parse_table *table, const char *word);

/**
 * parse_match() - find a keyword that may be abbreviated
 * @table: the keywords that are known
 * @word: the word to find
 *
 * Return: the index of the keyword, or of the only one that begins with the
 * word; -1 if there is none. Options are not abbreviated.
 */
int parse_match(const struct parse_table *table, const char *word);

/**
 * parse_range() - describe the values a keyword takes
 * @key: the keyword
 * @buf: buffer for the description
 * @size: size of @buf
 *
 * Return: @buf, for instance "0..1s" or "off, fixed, adaptive or psmc"; empty
 * if there is no range.
 */
const char *parse_range(const struct parse_key *key, char *buf, size_t size);

/**
 * parse_about() - describe a keyword for the help
 * @key: the keyword
 * @buf: buffer for the description
 * @size: size of @buf
 *
 * Return: @buf, for instance "longest wait (0..1s; default 500ms)".
 */
const char *parse_about(const struct parse_key *key, char *buf, size_t size);

#endif /* MPTUN_TOOLS_PARSE_H */
