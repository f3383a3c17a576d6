// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of a server and its clients.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/keyword.h"
#include "lib/report.h"
#include "server/pool.h"

/* Shortest and longest prefixes.  Offsets have 64 bits. */
static const struct {
	int version;
	int bits;
	int shortest;
	int longest;
} pool_of[POOL_VERSIONS] = {
	{ 4, 32, 8, 30 },
	{ 6, 128, 64, 126 },
};

__attribute__((format(printf, 2, 3)))
static int pool_fail(char *error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, PARSE_ERROR_MAX, fmt, ap);
	va_end(ap);
	return -1;
}

static int pool_index(const unsigned char *entry)
{
	return entry[0] == 6;
}

/* The address of an offset, with all bits. */
static void pool_address(const struct pool_net *of, uint64_t offset,
			 unsigned char *entry)
{
	int index = pool_index(of->net), bytes = pool_of[index].bits / 8;

	memcpy(entry, of->net, PARSE_PREFIX_LEN);
	entry[1] = (unsigned char)pool_of[index].bits;
	for (int i = bytes - 1; i >= 0 && offset; i--, offset >>= 8)
		entry[4 + i] |= (unsigned char)offset;
}

/* The offset of an address, 0 if it is none of the network. */
static uint64_t pool_offset(const struct pool_net *of,
			    const unsigned char *entry)
{
	int index = pool_index(entry), length = of->net[1];
	uint64_t offset = 0;

	if (!of->net[0] || entry[0] != of->net[0] ||
	    entry[1] != pool_of[index].bits)
		return 0;
	for (int bit = 0; bit < pool_of[index].bits; bit++) {
		unsigned char mask = (unsigned char)(0x80 >> bit % 8);
		bool is = entry[4 + bit / 8] & mask;

		if (bit >= length)
			offset = offset << 1 | is;
		else if (is != !!(of->net[4 + bit / 8] & mask))
			return 0;
	}
	return offset;
}

static int pool_take_net(struct pool *pool, const unsigned char *entry,
			 char *error)
{
	int index = pool_index(entry), bits = pool_of[index].bits;
	struct pool_net *of = &pool->of[index];
	char text[POOL_TEXT];

	pool_entry_text(entry, true, text);
	if (of->net[0])
		return pool_fail(error, "pool takes one IPv%d prefix, not %s as well",
				 entry[0], text);
	if (entry[1] < pool_of[index].shortest ||
	    entry[1] > pool_of[index].longest)
		return pool_fail(error, "an IPv%d pool has %d to %d bits, unlike %s",
				 entry[0], pool_of[index].shortest,
				 pool_of[index].longest, text);
	memcpy(of->net, entry, PARSE_PREFIX_LEN);
	for (int bit = entry[1]; bit < bits; bit++)
		of->net[4 + bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
	/* The last address of IPv4 is that of broadcasts. */
	of->last = bits - entry[1] == 64 ? UINT64_MAX :
		   (UINT64_C(1) << (bits - entry[1])) - 1 - (index == 0);
	return 0;
}

int pool_read(struct pool *pool, const char *list, char *error)
{
	const struct parse_key *key = &keyword_server.keys[KEYWORD_SERVER_POOL];
	unsigned char data[POOL_VERSIONS * PARSE_PREFIX_LEN];
	size_t len;

	memset(pool, 0, sizeof(*pool));
	if (parse_prefixes(key, list, data, &len, error))
		return -1;
	for (size_t i = 0; i < len; i += PARSE_PREFIX_LEN)
		if (pool_take_net(pool, data + i, error))
			return -1;
	return 0;
}

int pool_pair_read(struct pool_pair *pair, const char *list, char *error)
{
	const struct parse_key *key =
		&keyword_client.keys[KEYWORD_CLIENT_ADDRESS];
	unsigned char data[POOL_VERSIONS * PARSE_PREFIX_LEN];
	char text[POOL_TEXT];
	size_t len;

	memset(pair, 0, sizeof(*pair));
	if (parse_prefixes(key, list, data, &len, error))
		return -1;
	for (size_t i = 0; i < len; i += PARSE_PREFIX_LEN) {
		int index = pool_index(data + i);

		if (data[i + 1] != pool_of[index].bits)
			return pool_fail(error, "a client has addresses, not the prefix %s",
					 pool_entry_text(data + i, true, text));
		if (pair->entry[index][0])
			return pool_fail(error, "a client has one IPv%d address, not %s as well",
					 data[i],
					 pool_entry_text(data + i, false, text));
		memcpy(pair->entry[index], data + i, PARSE_PREFIX_LEN);
	}
	return 0;
}

bool pool_within(const unsigned char *net, const unsigned char *entry)
{
	if (net[0] != entry[0] || net[1] > entry[1])
		return false;
	for (int bit = 0; bit < net[1]; bit++)
		if ((net[4 + bit / 8] ^ entry[4 + bit / 8]) & (0x80 >> bit % 8))
			return false;
	return true;
}

bool pool_has(const struct pool *pool, const unsigned char *entry)
{
	const struct pool_net *of = &pool->of[pool_index(entry)];
	uint64_t offset = pool_offset(of, entry);

	return offset > POOL_SERVER && offset <= of->last;
}

void pool_server(const struct pool *pool, struct pool_pair *pair)
{
	memset(pair, 0, sizeof(*pair));
	for (int i = 0; i < POOL_VERSIONS; i++)
		if (pool->of[i].net[0])
			pool_address(&pool->of[i], POOL_SERVER,
				     pair->entry[i]);
}

/* Clients with addresses of different offsets take two of them. */
void pool_begin(struct pool_used *used, size_t clients)
{
	used->size = POOL_VERSIONS * clients + POOL_SERVER + 1;
	used->at = POOL_SERVER + 1;
	for (int i = 0; i < POOL_VERSIONS; i++) {
		used->taken[i] = calloc(used->size, sizeof(bool));
		if (!used->taken[i])
			exit(report_fail("out of memory"));
	}
}

void pool_end(struct pool_used *used)
{
	for (int i = 0; i < POOL_VERSIONS; i++)
		free(used->taken[i]);
}

void pool_use(const struct pool *pool, struct pool_used *used,
	      const struct pool_pair *pair)
{
	for (int i = 0; i < POOL_VERSIONS; i++) {
		uint64_t offset = pool_offset(&pool->of[i], pair->entry[i]);

		if (offset < used->size)
			used->taken[i][offset] = true;
	}
}

/* The first offset that is free in some versions of IP, 0 if none is. */
static uint64_t pool_find(const struct pool *pool, const struct pool_used *used,
			  const bool *of, uint64_t from)
{
	for (uint64_t at = from; at < used->size; at++) {
		bool free = true, there = true;

		for (int i = 0; i < POOL_VERSIONS; i++) {
			if (!of[i])
				continue;
			there &= at <= pool->of[i].last;
			free &= !used->taken[i][at];
		}
		if (!there)
			return 0;
		if (free)
			return at;
	}
	return 0;
}

static int pool_each(const struct pool *pool, const struct pool_used *used,
		     const bool *wanted, struct pool_pair *pair)
{
	for (int i = 0; i < POOL_VERSIONS; i++) {
		bool of[POOL_VERSIONS] = { false };
		uint64_t at;

		if (!wanted[i])
			continue;
		of[i] = true;
		at = pool_find(pool, used, of, POOL_SERVER + 1);
		if (!at)
			return -1;
		pool_address(&pool->of[i], at, pair->entry[i]);
	}
	return 0;
}

int pool_next(const struct pool *pool, struct pool_used *used,
	      struct pool_pair *pair)
{
	bool wanted[POOL_VERSIONS], any = false, all = true;
	uint64_t at = 0;

	for (int i = 0; i < POOL_VERSIONS; i++) {
		bool given = pair->entry[i][0];

		wanted[i] = pool->of[i].net[0] && !given;
		any |= wanted[i];
		all &= !given;
	}
	if (any && all)
		at = pool_find(pool, used, wanted, used->at);
	if (at)
		used->at = at + 1;
	for (int i = 0; at && i < POOL_VERSIONS; i++)
		if (wanted[i])
			pool_address(&pool->of[i], at, pair->entry[i]);
	if (!at && pool_each(pool, used, wanted, pair))
		return -1;
	pool_use(pool, used, pair);
	return 0;
}

const char *pool_entry_text(const unsigned char *entry, bool length, char *buf)
{
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(entry[0] == 4 ? AF_INET : AF_INET6, entry + 4, addr,
		  sizeof(addr));
	snprintf(buf, POOL_TEXT, length ? "%s/%d" : "%s", addr, entry[1]);
	return buf;
}

const char *pool_text(const struct pool_pair *pair, bool length, char *buf)
{
	char one[POOL_TEXT];
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < POOL_VERSIONS; i++)
		if (pair->entry[i][0])
			len += (size_t)snprintf(buf + len, POOL_TEXT - len,
						"%s%s", len ? ", " : "",
						pool_entry_text(pair->entry[i],
								length, one));
	return buf;
}
