// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of a server and its clients.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <stdlib.h>
#include <string.h>

#include "server/pool.h"
#include "test/ktap.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct pool pool;
static char error[PARSE_ERROR_MAX];

static void check_wrong(const char *list, const char *sentence)
{
	ktap_checkf(pool_read(&pool, list, error), "no error for %s", list);
	ktap_checkf(!strcmp(error, sentence), "\"%s\", not \"%s\"", error,
		    sentence);
}

static void check_pair(const struct pool_pair *pair, const char *text)
{
	char buf[POOL_TEXT];

	pool_text(pair, false, buf);
	ktap_checkf(!strcmp(buf, text), "\"%s\", not \"%s\"", buf, text);
}

static void test_read(void)
{
	struct pool_pair pair;

	ktap_check(!pool_read(&pool, "10.47.3.9/16,fd00::9/64", error));
	pool_server(&pool, &pair);
	check_pair(&pair, "10.47.0.1, fd00::1");
	ktap_check(pool.of[0].last == 65534);
	ktap_check(pool.of[1].last == UINT64_MAX);
	ktap_check(!pool_read(&pool, "fd00::/126", error));
	pool_server(&pool, &pair);
	check_pair(&pair, "fd00::1");
	ktap_check(pool.of[1].last == 3);
	ktap_check(!pool_read(&pool, "192.0.2.8/30", error));
	pool_server(&pool, &pair);
	check_pair(&pair, "192.0.2.9");
	ktap_check(pool.of[0].last == 2);
}

static void test_wrong(void)
{
	check_wrong("10.0.0.0/31", "an IPv4 pool has 8 to 30 bits, unlike 10.0.0.0/31");
	check_wrong("10.0.0.0/7", "an IPv4 pool has 8 to 30 bits, unlike 10.0.0.0/7");
	check_wrong("fd00::/63", "an IPv6 pool has 64 to 126 bits, unlike fd00::/63");
	check_wrong("fd00::/127", "an IPv6 pool has 64 to 126 bits, unlike fd00::/127");
	check_wrong("10.0.0.0/8,10.1.0.0/16", "pool takes one IPv4 prefix, not 10.1.0.0/16 as well");
	check_wrong("10.0.0.0/8,fd00::/64,fd01::/64", "pool takes at most 2 prefixes");
	check_wrong("pool", "pool \"pool\" does not begin with an address prefix");
}

static bool has(const char *address)
{
	struct pool_pair pair;

	ktap_checkf(!pool_pair_read(&pair, address, error), "%s", error);
	return pool_has(&pool, pair.entry[strchr(address, ':') ? 1 : 0]);
}

static void test_has(void)
{
	ktap_check(!pool_read(&pool, "10.47.0.0/24,fd00::/64", error));
	ktap_check(!has("10.47.0.0"));
	ktap_check(!has("10.47.0.1"));
	ktap_check(has("10.47.0.2"));
	ktap_check(has("10.47.0.254"));
	ktap_check(!has("10.47.0.255"));
	ktap_check(!has("10.47.1.2"));
	ktap_check(!has("fd00::"));
	ktap_check(!has("fd00::1"));
	ktap_check(has("fd00::2"));
	ktap_check(has("fd00::ffff:ffff:ffff:ffff"));
	ktap_check(!has("fd00:0:0:1::2"));
	ktap_check(!pool_read(&pool, "10.47.0.0/24", error));
	ktap_check(!has("fd00::2"));
}

static void test_pair(void)
{
	static const struct {
		const char *list;
		const char *sentence;
	} wrong[] = {
		{ "10.0.0.0/24", "a client has addresses, not the prefix 10.0.0.0/24" },
		{ "10.0.0.2,10.0.0.3", "a client has one IPv4 address, not 10.0.0.3 as well" },
		{ "x", "-address \"x\" does not begin with an address prefix" },
	};
	struct pool_pair pair;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		ktap_check(pool_pair_read(&pair, wrong[i].list, error));
		ktap_checkf(!strcmp(error, wrong[i].sentence), "\"%s\"", error);
	}
	ktap_check(!pool_pair_read(&pair, "fd00::7,10.0.0.7", error));
	check_pair(&pair, "10.0.0.7, fd00::7");
}

/* The next addresses, with some of them given. */
static int next(struct pool_used *used, const char *given, const char *text)
{
	struct pool_pair pair = { 0 };
	int err;

	if (given)
		ktap_check(!pool_pair_read(&pair, given, error));
	err = pool_next(&pool, used, &pair);
	if (!err)
		check_pair(&pair, text);
	return err;
}

static void test_next(void)
{
	struct pool_used used;
	struct pool_pair pair;

	ktap_check(!pool_read(&pool, "10.47.0.0/16,fd00::/64", error));
	pool_begin(&used);
	ktap_check(!pool_pair_read(&pair, "10.47.0.2,fd00::3", error));
	pool_use_pair(&pool, &used, &pair);
	/* Both have the same end, as long as there are such ones. */
	ktap_check(!next(&used, NULL, "10.47.0.4, fd00::4"));
	ktap_check(!next(&used, NULL, "10.47.0.5, fd00::5"));
	ktap_check(!next(&used, "10.47.9.9", "10.47.9.9, fd00::2"));
	ktap_check(!next(&used, "fd00::99", "10.47.0.3, fd00::99"));
	ktap_check(!next(&used, "10.47.9.8,fd00::98", "10.47.9.8, fd00::98"));
	ktap_check(!next(&used, NULL, "10.47.0.6, fd00::6"));
	pool_end(&used);
}

static void test_full(void)
{
	struct pool_used used;
	struct pool_pair pair;

	ktap_check(!pool_read(&pool, "10.47.0.0/29,fd00::/64", error));
	pool_begin(&used);
	ktap_check(!pool_pair_read(&pair, "10.47.0.2,fd00::6", error));
	pool_use_pair(&pool, &used, &pair);
	ktap_check(!next(&used, NULL, "10.47.0.3, fd00::3"));
	ktap_check(!next(&used, NULL, "10.47.0.4, fd00::4"));
	ktap_check(!next(&used, NULL, "10.47.0.5, fd00::5"));
	/* Of IPv4 only .6 is left, whose pair is taken. */
	ktap_check(!next(&used, NULL, "10.47.0.6, fd00::2"));
	ktap_check(next(&used, NULL, ""));
	pool_end(&used);
	ktap_check(!pool_read(&pool, "10.47.0.0/30", error));
	pool_begin(&used);
	ktap_check(!next(&used, NULL, "10.47.0.2"));
	ktap_check(next(&used, NULL, ""));
	pool_end(&used);
}

static void take(struct pool_used *used, const char *text)
{
	unsigned char entry[PARSE_PREFIX_LEN];

	ktap_check(parse_prefix(text, strlen(text), entry));
	pool_use(&pool, used, entry);
}

/* Networks that other tunnels have. */
static void test_networks(void)
{
	struct pool_used used;

	ktap_check(!pool_read(&pool, "10.47.0.0/24,fd00::/64", error));
	pool_begin(&used);
	take(&used, "10.47.0.0/24");
	take(&used, "0.0.0.0/0");
	take(&used, "10.47.1.3");
	take(&used, "fd00:0:0:1::3");
	take(&used, "::/0");
	ktap_check(!next(&used, NULL, "10.47.0.2, fd00::2"));
	take(&used, "10.47.0.5");
	take(&used, "10.47.0.9/30");
	take(&used, "10.47.0.4");
	take(&used, "fd00::10/125");
	ktap_check(!next(&used, NULL, "10.47.0.3, fd00::3"));
	ktap_check(!next(&used, NULL, "10.47.0.6, fd00::6"));
	ktap_check(!next(&used, NULL, "10.47.0.7, fd00::7"));
	ktap_check(!next(&used, NULL, "10.47.0.12, fd00::c"));
	take(&used, "10.47.0.0/25");
	take(&used, "fd00::80/121");
	ktap_check(!next(&used, NULL, "10.47.0.128, fd00::4"));
	take(&used, "10.47.0.128/25");
	ktap_check(next(&used, NULL, ""));
	pool_end(&used);
	/* All of the upper half, to the last offset that there is. */
	ktap_check(!pool_read(&pool, "fd00::/64", error));
	pool_begin(&used);
	take(&used, "fd00::8000:0:0:0/65");
	take(&used, "fd00::/65");
	ktap_check(next(&used, NULL, ""));
	ktap_check(!next(&used, "fd00::7", "fd00::7"));
	pool_end(&used);
}

static int order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct pool_pair));
}

/* Each address once, with a tenth of them taken before. */
static void test_many(void)
{
	size_t count = 60000, before = count / 10;
	struct pool_pair *list = calloc(count, sizeof(*list));
	struct pool_used used;

	ktap_check(!pool_read(&pool, "10.47.0.0/16,fd00::/64", error));
	pool_begin(&used);
	for (size_t i = 0; i < before; i++) {
		char text[POOL_TEXT];

		snprintf(text, sizeof(text), "10.47.%zu.%zu", 3 + i / 200,
			 2 + i % 200);
		ktap_check(!pool_pair_read(&list[i], text, error));
		ktap_check(!pool_next(&pool, &used, &list[i]));
	}
	for (size_t i = before; i < count; i++)
		if (pool_next(&pool, &used, &list[i]))
			ktap_checkf(false, "no address for %zu", i);
	pool_end(&used);
	/* By IPv4 address, then by that of IPv6. */
	for (int v = 0; v < POOL_VERSIONS; v++) {
		qsort(list, count, sizeof(*list), order);
		for (size_t i = 1; i < count; i++)
			ktap_check(memcmp(list[i - 1].entry[0],
					  list[i].entry[0], PARSE_PREFIX_LEN));
		for (size_t i = 0; i < count; i++)
			memcpy(list[i].entry[0], list[i].entry[1],
			       PARSE_PREFIX_LEN);
	}
	free(list);
}

int main(void)
{
	static const struct ktap_test tests[] = {
		{ "pool: prefixes", test_read },
		{ "pool: wrong prefixes", test_wrong },
		{ "pool: which addresses are for clients", test_has },
		{ "pool: addresses of a client", test_pair },
		{ "pool: the next addresses", test_next },
		{ "pool: the last addresses", test_full },
		{ "pool: networks that are taken", test_networks },
		{ "pool: 60000 clients", test_many },
	};

	return ktap_run(tests, COUNT(tests));
}
