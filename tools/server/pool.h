/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of a server and its clients.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Pure: no input or output, no look-up in the system.  An address of a pool is
 * known by its offset: 1 is the server, clients follow, 0 is none.
 */
#ifndef MPTUN_TOOLS_POOL_H
#define MPTUN_TOOLS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse.h"

/* Versions of IP: index 0 is IPv4, 1 is IPv6. */
#define POOL_VERSIONS 2
/* Offset of the server. */
#define POOL_SERVER 1
/* Longest text of addresses, see pool_text(). */
#define POOL_TEXT 128

/**
 * struct pool_net - the addresses of one version of IP
 * @net: the prefix as PARSE_PREFIXES has it, all zero if there is none
 * @last: offset of the last address for clients
 */
struct pool_net {
	unsigned char net[PARSE_PREFIX_LEN];
	uint64_t last;
};

/**
 * struct pool - the addresses of a server
 * @of: by version of IP
 */
struct pool {
	struct pool_net of[POOL_VERSIONS];
};

/**
 * struct pool_pair - the addresses of a client
 * @entry: by version of IP, with all bits; all zero if there is none
 */
struct pool_pair {
	unsigned char entry[POOL_VERSIONS][PARSE_PREFIX_LEN];
};

/**
 * struct pool_range - offsets of addresses
 * @first: the first one
 * @last: the last one
 */
struct pool_range {
	uint64_t first;
	uint64_t last;
};

/**
 * struct pool_used - which addresses are taken
 * @range: by version of IP, in their order and with gaps between them
 * @count: how many there are
 * @at: no offset below is free in all versions
 */
struct pool_used {
	struct pool_range *range[POOL_VERSIONS];
	size_t count[POOL_VERSIONS];
	uint64_t at;
};

/**
 * pool_read() - make a pool of its prefixes
 * @pool: filled in
 * @list: their text
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int pool_read(struct pool *pool, const char *list, char *error);

/**
 * pool_pair_read() - read the addresses of a client
 * @pair: filled in
 * @list: their text, at most one of each version of IP
 * @error: buffer for a sentence, of PARSE_ERROR_MAX characters
 *
 * Return: 0, or -1 with a sentence in @error.
 */
int pool_pair_read(struct pool_pair *pair, const char *list, char *error);

/**
 * pool_has() - whether an address is one for clients
 * @pool: the pool
 * @entry: the address
 *
 * Return: true if so.
 */
bool pool_has(const struct pool *pool, const unsigned char *entry);

/**
 * pool_within() - whether a prefix is part of another one
 * @net: that one
 * @entry: the prefix
 *
 * Return: true if so, or if both are the same.
 */
bool pool_within(const unsigned char *net, const unsigned char *entry);

/**
 * pool_server() - the addresses of the server
 * @pool: the pool
 * @pair: filled in
 */
void pool_server(const struct pool *pool, struct pool_pair *pair);

/**
 * pool_begin() - begin to look for free addresses
 * @used: filled in
 */
void pool_begin(struct pool_used *used);

/**
 * pool_use() - note that addresses are taken
 * @pool: the pool
 * @used: where to note it
 * @entry: the address, or the prefix of the addresses; it need not be of the
 *	pool
 */
void pool_use(const struct pool *pool, struct pool_used *used,
	      const unsigned char *entry);

/**
 * pool_use_pair() - note that the addresses of a client are taken
 * @pool: the pool
 * @used: where to note it
 * @pair: the addresses
 */
void pool_use_pair(const struct pool *pool, struct pool_used *used,
		   const struct pool_pair *pair);

/**
 * pool_next() - take the next free addresses
 * @pool: the pool
 * @used: those that are taken, to which they are added
 * @pair: filled in, where it has none
 *
 * The first ones that are free with the same offset, or if there are none, the
 * first of each version of IP.
 *
 * Return: 0, or -1 if there are none.
 */
int pool_next(const struct pool *pool, struct pool_used *used,
	      struct pool_pair *pair);

/**
 * pool_end() - end the search
 * @used: what is taken; it is freed
 */
void pool_end(struct pool_used *used);

/**
 * pool_entry_text() - an address or prefix as text
 * @entry: the address
 * @length: with the length of the prefix
 * @buf: buffer of POOL_TEXT characters
 *
 * Return: @buf.
 */
const char *pool_entry_text(const unsigned char *entry, bool length, char *buf);

/**
 * pool_text() - addresses as text, with commas between them
 * @pair: the addresses
 * @length: with the lengths of the prefixes
 * @buf: buffer of POOL_TEXT characters
 *
 * Return: @buf.
 */
const char *pool_text(const struct pool_pair *pair, bool length, char *buf);

#endif /* MPTUN_TOOLS_POOL_H */
