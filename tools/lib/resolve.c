// SPDX-License-Identifier: GPL-2.0
/*
 * Host names of peers.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/resolve.h"

/* Largest part of a name in a message; a longer one is no valid name. */
#define RESOLVE_NAME_MAX 255

static int resolve_number(int family)
{
	return family == AF_INET6 ? 6 : 4;
}

/* Takes over an address; false if its scope has no device. */
static bool resolve_take(struct parse_value *val, const struct addrinfo *ai)
{
	const struct sockaddr_in6 *sin6 = (const void *)ai->ai_addr;
	const struct sockaddr_in *sin = (const void *)ai->ai_addr;
	char scope[IF_NAMESIZE] = "";

	if (ai->ai_family == AF_INET) {
		memcpy(val->addr, &sin->sin_addr, sizeof(sin->sin_addr));
	} else {
		if (sin6->sin6_scope_id &&
		    !if_indextoname(sin6->sin6_scope_id, scope))
			return false;
		memcpy(val->addr, &sin6->sin6_addr, sizeof(sin6->sin6_addr));
	}
	snprintf(val->text, sizeof(val->text), "%s", scope);
	val->family = resolve_number(ai->ai_family);
	return true;
}

/* The first address of a family, 0 for any. */
static bool resolve_first(struct parse_value *val, const struct addrinfo *list,
			  int family)
{
	for (; list; list = list->ai_next)
		if ((list->ai_family == AF_INET ||
		     list->ai_family == AF_INET6) &&
		    (!family || resolve_number(list->ai_family) == family) &&
		    resolve_take(val, list))
			return true;
	return false;
}

static bool resolve_same(struct parse_value *val, const struct addrinfo *list,
			 const struct parse_value *have)
{
	for (; list; list = list->ai_next)
		if (resolve_first(val, list, have->family) &&
		    !memcmp(val->addr, have->addr, have->family == 4 ? 4 : 16) &&
		    !strcmp(val->text, have->text))
			return true;
	return false;
}

static bool resolve_choose(struct parse_value *val,
			   const struct addrinfo *list, int need, int prefer,
			   const struct parse_value *have)
{
	if (have && (!need || have->family == need)) {
		if (resolve_same(val, list, have))
			return true;
		prefer = have->family;
	}
	return (!need && prefer && resolve_first(val, list, prefer)) ||
	       resolve_first(val, list, need);
}

static int resolve_name(struct parse_value *val, int need, int prefer,
			const struct parse_value *have, char *error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *list;
	int err;

	err = getaddrinfo(val->word, NULL, &hints, &list);
	if (err) {
		snprintf(error, PARSE_ERROR_MAX, "cannot resolve %.*s: %s",
			 RESOLVE_NAME_MAX, val->word, gai_strerror(err));
		return -1;
	}
	if (resolve_choose(val, list, need, prefer, have)) {
		freeaddrinfo(list);
		val->word = NULL;
		return 0;
	}
	freeaddrinfo(list);
	snprintf(error, PARSE_ERROR_MAX, "cannot resolve %.*s: it has no %s",
		 RESOLVE_NAME_MAX, val->word, need == 4 ? "IPv4 address" :
		 need == 6 ? "IPv6 address" : "usable address");
	return -1;
}

int resolve_host(struct parse_value *val, int need, int prefer, char *error)
{
	return resolve_name(val, need, prefer, NULL, error);
}

int resolve_again(struct parse_value *val, int need,
		  const struct parse_value *have, char *error)
{
	return resolve_name(val, need, 0, have, error);
}
