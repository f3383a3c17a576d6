// SPDX-License-Identifier: GPL-2.0
/*
 * Look-up of host names over an uplink, without waiting.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <ares.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "agent/lookup.h"

/* Each resolver is asked that often, and first given that long. */
#define LOOKUP_TRIES 2
#define LOOKUP_TIMEOUT_MS 1500

/**
 * struct lookup - a look-up
 * @channel: that of the library
 * @mark: firewall mark of its queries
 * @done: @answer is complete
 * @answer: what it has found
 */
struct lookup {
	ares_channel channel;
	uint32_t mark;
	bool done;
	struct lookup_answer answer;
};

static int lookup_socket(ares_socket_t fd, int type, void *arg)
{
	const struct lookup *lookup = arg;

	(void)type;
	if (lookup->mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &lookup->mark,
				       sizeof(lookup->mark)))
		return -1;
	return 0;
}

static void lookup_add(struct lookup_answer *answer,
		       const struct ares_addrinfo_node *node)
{
	const struct sockaddr_in6 *sin6 = (const void *)node->ai_addr;
	const struct sockaddr_in *sin = (const void *)node->ai_addr;
	struct parse_value *addr = &answer->addr[answer->count];

	if (answer->count == AGAIN_ADDRS)
		return;
	memset(addr, 0, sizeof(*addr));
	addr->set = true;
	if (node->ai_family == AF_INET6) {
		addr->family = 6;
		memcpy(addr->addr, &sin6->sin6_addr, 16);
	} else {
		addr->family = 4;
		memcpy(addr->addr, &sin->sin_addr, 4);
	}
	answer->count += again_useful(addr);
}

static void lookup_take(struct lookup_answer *answer,
			const struct ares_addrinfo *info, int family)
{
	const struct ares_addrinfo_node *node;

	for (node = info->nodes; node; node = node->ai_next)
		if (node->ai_family == family)
			lookup_add(answer, node);
}

static void lookup_done(void *arg, int status, int timeouts,
			struct ares_addrinfo *info)
{
	struct lookup *lookup = arg;

	(void)timeouts;
	lookup->done = true;
	if (status == ARES_SUCCESS) {
		lookup_take(&lookup->answer, info, AF_INET6);
		lookup_take(&lookup->answer, info, AF_INET);
	}
	if (status != ARES_SUCCESS)
		lookup->answer.error = ares_strerror(status);
	else if (!info->nodes)
		lookup->answer.error = ares_strerror(ARES_ENODATA);
	else if (!lookup->answer.count)
		lookup->answer.error = "no host has such an address";
	ares_freeaddrinfo(info);
}

/* Older versions of the library know no scopes; as the sockets are bound to the
 * device they do without.
 */
static int lookup_servers(struct lookup *lookup, const char *servers)
{
	char plain[sizeof(((struct lookup_way *)NULL)->servers)], *to = plain;
	int err = ares_set_servers_csv(lookup->channel, servers);

	if (err == ARES_SUCCESS)
		return err;
	while (*servers) {
		if (*servers == '%')
			servers += strcspn(servers, ",");
		else
			*to++ = *servers++;
	}
	*to = '\0';
	return ares_set_servers_csv(lookup->channel, plain);
}

static int lookup_open(struct lookup *lookup, const struct lookup_way *way)
{
	/* No domains: ares_getaddrinfo() does not know ARES_FLAG_NOSEARCH. */
	struct ares_options options = {
		.tries = LOOKUP_TRIES, .timeout = LOOKUP_TIMEOUT_MS,
	};
	int err;

	err = ares_init_options(&lookup->channel, &options,
				ARES_OPT_DOMAINS | ARES_OPT_TRIES |
				ARES_OPT_TIMEOUTMS);
	if (err != ARES_SUCCESS) {
		lookup->channel = NULL;
		return err;
	}
	ares_set_socket_configure_callback(lookup->channel, lookup_socket,
					   lookup);
	if (way->dev[0])
		ares_set_local_dev(lookup->channel, way->dev);
	if (way->servers[0])
		err = lookup_servers(lookup, way->servers);
	return err;
}

struct lookup *lookup_start(const char *host, bool four, bool six,
			    const struct lookup_way *way)
{
	const struct ares_addrinfo_hints hints = {
		.ai_family = four && six ? AF_UNSPEC : four ? AF_INET :
							      AF_INET6,
		.ai_flags = ARES_AI_NOSORT, .ai_socktype = SOCK_DGRAM,
	};
	struct lookup *lookup = calloc(1, sizeof(*lookup));
	int err;

	if (!lookup)
		return NULL;
	lookup->mark = way->mark;
	err = lookup_open(lookup, way);
	if (err == ARES_SUCCESS)
		ares_getaddrinfo(lookup->channel, host, NULL, &hints,
				 lookup_done, lookup);
	else
		lookup_done(lookup, err, 0, NULL);
	return lookup;
}

size_t lookup_fds(struct lookup *lookup, struct pollfd *fds)
{
	ares_socket_t socks[ARES_GETSOCK_MAXNUM];
	size_t count = 0;
	int mask = 0;

	if (lookup->channel)
		mask = ares_getsock(lookup->channel, socks,
				    ARES_GETSOCK_MAXNUM);
	for (int i = 0; i < ARES_GETSOCK_MAXNUM && count < LOOKUP_FDS; i++) {
		short events = 0;

		if (ARES_GETSOCK_READABLE(mask, i))
			events |= POLLIN;
		if (ARES_GETSOCK_WRITABLE(mask, i))
			events |= POLLOUT;
		if (events)
			fds[count++] = (struct pollfd) {
				.fd = socks[i], .events = events,
			};
	}
	return count;
}

int lookup_wait(struct lookup *lookup)
{
	struct timeval most = { .tv_sec = 1 }, left, *when;

	if (lookup->done || !lookup->channel)
		return 0;
	when = ares_timeout(lookup->channel, &most, &left);
	/* Rounded up, or the last millisecond would be spent in a loop. */
	return (int)(when->tv_sec * 1000 + (when->tv_usec + 999) / 1000);
}

const struct lookup_answer *lookup_run(struct lookup *lookup,
				       const struct pollfd *fds, size_t count)
{
	bool any = false;

	for (size_t i = 0; !lookup->done && i < count; i++) {
		short got = fds[i].revents;

		if (!got)
			continue;
		any = true;
		ares_process_fd(lookup->channel, got & ~POLLOUT ? fds[i].fd :
						 ARES_SOCKET_BAD,
				got & POLLOUT ? fds[i].fd : ARES_SOCKET_BAD);
	}
	if (!lookup->done && !any)
		ares_process_fd(lookup->channel, ARES_SOCKET_BAD,
				ARES_SOCKET_BAD);
	return lookup->done ? &lookup->answer : NULL;
}

void lookup_end(struct lookup *lookup)
{
	if (!lookup)
		return;
	if (lookup->channel)
		ares_destroy(lookup->channel);
	free(lookup);
}
