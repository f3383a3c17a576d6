// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated resolver, in the place of that of the C library.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Literal addresses must not get here: the resolver would be asked for nothing.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct fake_host {
	const char *name;
	const char *addr[2];
};

static const struct fake_host fake_hosts[] = {
	{ "four.test", { "192.0.2.7" } },
	{ "six.test", { "2001:db8::7" } },
	{ "both.test", { "2001:db8::9", "192.0.2.9" } },
	{ "link.test", { "fe80::9" } },
	{ "Both-2.test.", { "192.0.2.9", "2001:db8::9" } },
};

static struct addrinfo *fake_info(const char *addr, struct addrinfo *next)
{
	struct addrinfo *ai = calloc(1, sizeof(*ai));
	struct sockaddr_in6 *sin6 = calloc(1, sizeof(*sin6));
	struct sockaddr_in *sin = (void *)sin6;

	if (!ai || !sin6)
		abort();
	ai->ai_next = next;
	ai->ai_addr = (void *)sin6;
	ai->ai_family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	ai->ai_addr->sa_family = (sa_family_t)ai->ai_family;
	if (ai->ai_family == AF_INET)
		inet_pton(AF_INET, addr, &sin->sin_addr);
	else
		inet_pton(AF_INET6, addr, &sin6->sin6_addr);
	if (!strncmp(addr, "fe80", 4))
		sin6->sin6_scope_id = 1;
	return ai;
}

int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **res)
{
	const struct fake_host *host = fake_hosts;
	unsigned char addr[16];

	(void)service;
	if (hints->ai_socktype != SOCK_DGRAM ||
	    inet_pton(AF_INET, node, addr) == 1 ||
	    inet_pton(AF_INET6, node, addr) == 1) {
		fprintf(stderr, "fake resolver: \"%s\" is an address\n", node);
		abort();
	}
	if (!strcmp(node, "again.test"))
		return EAI_AGAIN;
	for (; strcmp(host->name, node); host++)
		if (host + 1 == fake_hosts + sizeof(fake_hosts) /
				sizeof(fake_hosts[0]))
			return EAI_NONAME;
	*res = host->addr[1] ? fake_info(host->addr[1], NULL) : NULL;
	*res = fake_info(host->addr[0], *res);
	return 0;
}

void freeaddrinfo(struct addrinfo *res)
{
	struct addrinfo *next;

	for (; res; res = next) {
		next = res->ai_next;
		free(res->ai_addr);
		free(res);
	}
}
