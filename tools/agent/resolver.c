// SPDX-License-Identifier: GPL-2.0
/*
 * Which resolvers are asked over an uplink.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/resolver.h"
#include "host/message.h"

/* Files in the format of resolv.conf(5): of a device, and of the machine. */
#define RESOLVER_OF "/run/resolvconf/interface*/{%s,%s.*}"

/* The resolvers that the last peer of pppd(8) has given. */
#define RESOLVER_PPP "/etc/ppp/resolv.conf"

static const char *const resolver_all[] = {
	"/run/systemd/resolve/resolv.conf",
	"/run/NetworkManager/no-stub-resolv.conf", "/etc/resolv.conf",
};

/**
 * struct resolver - a list of resolvers
 * @plan: the plan of the file
 * @dev: device of the uplink, or ""
 * @index: its index, 0 if it is not there
 * @text: the list
 * @size: its size
 */
struct resolver {
	const struct plan *plan;
	const char *dev;
	int index;
	char *text;
	size_t size;
};

static bool resolver_has(const struct resolver *list, const char *addr)
{
	size_t len = strlen(addr);
	const char *at = list->text;

	while ((at = strstr(at, addr))) {
		if ((at == list->text || at[-1] == ',') &&
		    (!at[len] || at[len] == ','))
			return true;
		at += len;
	}
	return false;
}

static void resolver_add(struct resolver *list, const char *addr)
{
	size_t len = strlen(list->text);

	if (!resolver_has(list, addr) && len + strlen(addr) + 2 < list->size)
		sprintf(list->text + len, "%s%s", len ? "," : "", addr);
}

/* Whether a scope, which is a name or a number, is that of the uplink. */
static bool resolver_scope(const struct resolver *list, const char *scope)
{
	return *list->dev && (!strcmp(scope, list->dev) ||
			      (list->index && atoi(scope) == list->index));
}

/* A link-local resolver is asked only over its own link. */
static void resolver_take(struct resolver *list, const char *text)
{
	char addr[64], scoped[sizeof(addr) + PARSE_TEXT_MAX + 1];
	size_t len = strcspn(text, "%");
	unsigned char bytes[16];

	snprintf(addr, sizeof(addr), "%.*s", (int)len, text);
	if (text[len] && !resolver_scope(list, text + len + 1))
		return;
	if (inet_pton(AF_INET6, addr, bytes) != 1 || bytes[0] != 0xfe ||
	    (bytes[1] & 0xc0) != 0x80) {
		resolver_add(list, addr);
	} else if (*list->dev) {
		snprintf(scoped, sizeof(scoped), "%s%%%s", addr, list->dev);
		resolver_add(list, scoped);
	}
}

/* Whether a resolver is this machine or the tunnel's, which may ask through the
 * tunnel.
 */
static bool resolver_local(const struct resolver *list, const char *addr)
{
	const struct plan_texts *dns = &list->plan->host.dns;
	unsigned char bytes[16];
	char plain[64];

	for (size_t i = 0; i < dns->count; i++)
		if (!strcmp(dns->list[i].text, addr))
			return true;
	/* The scope is that of a device. */
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(addr, "%"), addr);
	addr = plain;
	if (inet_pton(AF_INET, addr, bytes) == 1)
		return bytes[0] == 127 || !bytes[0];
	return inet_pton(AF_INET6, addr, bytes) != 1 || !strcmp(addr, "::1");
}

static void resolver_read(struct resolver *list, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256], addr[64];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " nameserver %63s", addr) == 1 &&
		    !resolver_local(list, addr))
			resolver_take(list, addr);
	fclose(file);
}

static void resolver_device(struct resolver *list, const char *dev)
{
	char pattern[sizeof(RESOLVER_OF) + 2 * PARSE_TEXT_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), RESOLVER_OF, dev, dev);
	if (glob(pattern, GLOB_BRACE, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		resolver_read(list, found.gl_pathv[i]);
	globfree(&found);
}

static void resolver_gateway(struct resolver *list, const struct world *world,
			     const char *dev)
{
	const struct world_link *link = world_link(world, dev);
	char addr[INET6_ADDRSTRLEN];

	for (size_t i = 0; link && i < world->routes; i++) {
		const struct world_route *route = &world->route[i];

		if (route->index != link->index || !route->via)
			continue;
		inet_ntop(message_family(route->version), route->gateway, addr,
			  sizeof(addr));
		resolver_take(list, addr);
	}
}

void resolver_list(const struct plan *plan, const struct world *world,
		   const char *dev, char *list, size_t size)
{
	const struct plan_texts *given = &plan->host.resolver;
	const struct world_link *link = world_link(world, dev);
	struct resolver to = {
		.plan = plan, .dev = dev, .index = link ? link->index : 0,
		.text = list, .size = size,
	};

	*list = '\0';
	for (size_t i = 0; i < given->count; i++)
		resolver_take(&to, given->list[i].text);
	if (given->count)
		return;
	if (*dev)
		resolver_device(&to, dev);
	if (link && !strcmp(link->kind, "ppp"))
		resolver_read(&to, RESOLVER_PPP);
	for (size_t i = 0; i < sizeof(resolver_all) / sizeof(*resolver_all);
	     i++)
		resolver_read(&to, resolver_all[i]);
	resolver_gateway(&to, world, dev);
}
