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

/* The offset of an address of the network, or of the first one of a prefix. */
static uint64_t pool_offset(const struct pool_net *of,
			    const unsigned char *entry)
{
	int bits = pool_of[pool_index(entry)].bits;
	uint64_t offset = 0;

	for (int bit = of->net[1]; bit < bits; bit++)
		offset = offset << 1 |
			 (bit < entry[1] &&
			  entry[4 + bit / 8] & (0x80 >> bit % 8));
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
					 pool_entry_text(data + i, false,
							 text));
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
	uint64_t offset;

	if (!of->net[0] || !pool_within(of->net, entry))
		return false;
	offset = pool_offset(of, entry);
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

void pool_begin(struct pool_used *used)
{
	memset(used, 0, sizeof(*used));
	used->at = POOL_SERVER + 1;
}

void pool_end(struct pool_used *used)
{
	for (int i = 0; i < POOL_VERSIONS; i++)
		free(used->range[i]);
}

/* The first range that does not end before an offset, maybe behind the last. */
static size_t pool_seek(const struct pool_used *used, int version,
			uint64_t offset)
{
	size_t from = 0, to = used->count[version];

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (used->range[version][middle].last < offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Ranges that overlap or touch the new one become part of it. */
static void pool_mark(struct pool_used *used, int version,
		      struct pool_range new)
{
	size_t at = pool_seek(used, version, new.first - !!new.first);
	size_t count = used->count[version], end = at;
	struct pool_range *list;

	list = realloc(used->range[version], (count + 1) * sizeof(*list));
	if (!list)
		exit(report_fail("out of memory"));
	for (; end < count && (new.last == UINT64_MAX ||
			       list[end].first <= new.last + 1); end++) {
		if (list[end].first < new.first)
			new.first = list[end].first;
		if (list[end].last > new.last)
			new.last = list[end].last;
	}
	memmove(list + at + 1, list + end, (count - end) * sizeof(*list));
	list[at] = new;
	used->range[version] = list;
	used->count[version] = count - (end - at) + 1;
}

/* What has the pool in it says nothing about its addresses. */
void pool_use(const struct pool *pool, struct pool_used *used,
	      const unsigned char *entry)
{
	int index = pool_index(entry), host = pool_of[index].bits - entry[1];
	const struct pool_net *of = &pool->of[index];
	struct pool_range range;

	if (!of->net[0] || entry[1] <= of->net[1] ||
	    !pool_within(of->net, entry))
		return;
	range.first = pool_offset(of, entry);
	range.last = range.first + ((UINT64_C(1) << host) - 1);
	pool_mark(used, index, range);
}

void pool_use_pair(const struct pool *pool, struct pool_used *used,
		   const struct pool_pair *pair)
{
	for (int i = 0; i < POOL_VERSIONS; i++)
		if (pair->entry[i][0])
			pool_use(pool, used, pair->entry[i]);
}

/* The next free offset of a version of IP, 0 if there is none. */
static uint64_t pool_free(const struct pool_used *used, int version,
			  uint64_t from)
{
	size_t at = pool_seek(used, version, from);

	if (at == used->count[version] || used->range[version][at].first > from)
		return from;
	/* 0 after the last one of all. */
	return used->range[version][at].last + 1;
}

/* The first offset that is free in some versions of IP, 0 if none is. */
static uint64_t pool_find(const struct pool *pool, const struct pool_used *used,
			  const bool *of, uint64_t from)
{
	uint64_t at = from, begin;

	do {
		begin = at;
		for (int i = 0; at && i < POOL_VERSIONS; i++) {
			if (!of[i])
				continue;
			at = pool_free(used, i, at);
			if (at > pool->of[i].last)
				at = 0;
		}
	} while (at && at != begin);
	return at;
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
	pool_use_pair(pool, used, pair);
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
