// SPDX-License-Identifier: GPL-2.0
/*
 * Which resolvers are asked over an uplink.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <arpa/inet.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "agent/resolver.h"
#include "host/message.h"

/* Files in the format of resolv.conf(5): of a device, and of the machine. */
#define RESOLVER_OF "/run/resolvconf/interface*/{%s,%s.*}"

/* Those that the last peer of pppd(8) has given. */
#define RESOLVER_PPP "/etc/ppp/resolv.conf"

static const char *const resolver_all[] = {
	"/run/systemd/resolve/resolv.conf",
	"/run/NetworkManager/no-stub-resolv.conf", "/etc/resolv.conf",
};

/**
 * struct resolver - a list of resolvers
 * @plan: the plan of the file
 * @text: the list
 * @size: its size
 */
struct resolver {
	const struct plan *plan;
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

/* What it says about others may have come through the tunnel. */
static bool resolver_local(const struct resolver *list, const char *addr)
{
	const struct plan_texts *dns = &list->plan->host.dns;
	unsigned char bytes[16];

	for (size_t i = 0; i < dns->count; i++)
		if (!strcmp(dns->list[i].text, addr))
			return true;
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
			resolver_add(list, addr);
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

		/* An address of the link would need the device in its text. */
		if (route->index != link->index || !route->via ||
		    (route->version == 6 && route->gateway[0] == 0xfe))
			continue;
		inet_ntop(message_family(route->version), route->gateway, addr,
			  sizeof(addr));
		resolver_add(list, addr);
	}
}

void resolver_list(const struct plan *plan, const struct world *world,
		   const char *dev, char *list, size_t size)
{
	const struct plan_texts *given = &plan->host.resolver;
	const struct world_link *link = world_link(world, dev);
	struct resolver to = { plan, list, size };

	*list = '\0';
	for (size_t i = 0; i < given->count; i++)
		resolver_add(&to, given->list[i].text);
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
