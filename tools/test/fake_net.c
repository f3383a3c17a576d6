// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: devices, addresses and routes, from a file.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * The file "net" in the folder MPTUN_FAKE_ROOT, which stands for / in all other
 * respects, has lines
 *   link INDEX NAME STATE		down, up (without carrier), carrier or noarp
 *   addr INDEX ADDRESS BITS
 *   route TO FROM OIF INDEX SOURCE	"*" stands for everything; the first route
 *					that fits is taken
 * Tunnels and their addresses follow.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/mptun.h>

#include "conf/file.h"
#include "doctor/doctor.h"
#include "server/mark.h"
#include "test/fake.h"
#include "test/fake_state.h"

#define FAKE_LOWER_UP (1 << 16)

const char *fact_root(void)
{
	const char *root = getenv("MPTUN_FAKE_ROOT");

	return root ? root : "/nonexistent";
}

/* Where configuration files are. */
const char *file_folder(void)
{
	const char *folder = getenv("MPTUN_FAKE_FOLDER");

	return folder ? folder : "/etc/mptun";
}

/* Where the mark of a server is. */
const char *mark_folder(void)
{
	const char *folder = getenv("MPTUN_FAKE_RUN");

	return folder ? folder : "/nonexistent";
}

static FILE *fake_net_open(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/net", fact_root());
	return fopen(path, "r");
}

unsigned int __real_if_nametoindex(const char *name);
unsigned int __wrap_if_nametoindex(const char *name);

/* A tunnel, a device of the file, or one of the machine. */
unsigned int __wrap_if_nametoindex(const char *name)
{
	char line[160], device[64];
	unsigned int index;
	FILE *file;

	fake_replay();
	for (int i = 0; i < FAKE_TUNNELS; i++)
		if (fake_tunnel[i].used &&
		    !strcmp(fake_tunnel[i].blob[MPTUN_A_TUNNEL_IFNAME].data,
			    name))
			return fake_tunnel[i].ifindex;
	file = fake_net_open();
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "link %u %63s", &index, device) != 2 ||
		    strcmp(device, name))
			continue;
		fclose(file);
		return index;
	}
	if (file)
		fclose(file);
	return __real_if_nametoindex(name);
}

static size_t fake_net_address(const char *text, unsigned char *addr,
			       unsigned char *family)
{
	if (inet_pton(AF_INET, text, addr) == 1) {
		*family = AF_INET;
		return 4;
	}
	*family = AF_INET6;
	return inet_pton(AF_INET6, text, addr) == 1 ? 16 : 0;
}

static void fake_net_link(int index, const char *name, const char *state)
{
	struct ifinfomsg head = { .ifi_index = index };

	if (strcmp(state, "down"))
		head.ifi_flags = IFF_UP;
	if (!strcmp(state, "noarp"))
		head.ifi_flags |= IFF_NOARP;
	if (!strcmp(state, "carrier") || !strcmp(state, "noarp"))
		head.ifi_flags |= FAKE_LOWER_UP;
	fake_begin_head(RTM_NEWLINK, NLM_F_MULTI, &head, sizeof(head));
	fake_put(IFLA_IFNAME, name, strlen(name) + 1);
	fake_end();
}

static void fake_net_addr(int index, const char *text, const char *bits)
{
	struct ifaddrmsg head = {
		.ifa_index = (unsigned int)index,
		.ifa_prefixlen = (unsigned char)atoi(bits),
	};
	unsigned char addr[16];
	size_t len = fake_net_address(text, addr, &head.ifa_family);

	fake_begin_head(RTM_NEWADDR, NLM_F_MULTI, &head, sizeof(head));
	fake_put(head.ifa_family == AF_INET ? IFA_LOCAL : IFA_ADDRESS, addr,
		 len);
	fake_end();
}

/* A tunnel, and its addresses */
static void fake_net_tunnel(const struct fake_object *tunnel, uint16_t type)
{
	char text[INET6_ADDRSTRLEN];

	if (type == RTM_GETLINK && tunnel->used)
		fake_net_link((int)tunnel->ifindex,
			      tunnel->blob[MPTUN_A_TUNNEL_IFNAME].data,
			      tunnel->up ? "carrier" : "down");
	for (int i = 0; type == RTM_GETADDR && i < FAKE_ADDRESSES; i++) {
		if (!tunnel->addr[i].len)
			continue;
		inet_ntop(tunnel->addr[i].len == 4 ? AF_INET : AF_INET6,
			  tunnel->addr[i].data, text, sizeof(text));
		fake_net_addr((int)tunnel->ifindex, text, "24");
	}
}

void fake_net_dump(uint16_t type)
{
	FILE *file = fake_net_open();
	char line[160], what[8], name[64], more[16];
	int index;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%7s %d %63s %15s", what, &index, name,
			   more) != 4)
			continue;
		if (!strcmp(what, "link") && type == RTM_GETLINK)
			fake_net_link(index, name, more);
		else if (!strcmp(what, "addr") && type == RTM_GETADDR)
			fake_net_addr(index, name, more);
	}
	if (file)
		fclose(file);
	for (int i = 0; i < FAKE_TUNNELS; i++)
		fake_net_tunnel(&fake_tunnel[i], type);
}

/* Whether a word of the file stands for what a request asks for. */
static bool fake_net_fits(const char *word, const struct nlattr *attr)
{
	unsigned char addr[16], family;
	uint32_t number = (uint32_t)atoi(word);
	size_t len;

	if (!strcmp(word, "*"))
		return true;
	len = fake_net_address(word, addr, &family);
	return attr && !memcmp((const char *)attr + NLA_HDRLEN,
			       len ? (void *)addr : (void *)&number,
			       len ? len : sizeof(number));
}

void fake_net_route(const void *data, size_t len, struct fake_reply *reply)
{
	char line[200], to[48], from[48], oif[16], source[48];
	struct rtmsg head = { .rtm_type = RTN_UNICAST };
	FILE *file = fake_net_open();
	unsigned char addr[16];
	bool found = false;
	uint32_t index;
	size_t size;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "route %47s %47s %15s %u %47s", to, from,
			       oif, &index, source) == 5 &&
			fake_net_fits(to, fake_find(data, len, RTA_DST)) &&
			fake_net_fits(from, fake_find(data, len, RTA_SRC)) &&
			fake_net_fits(oif, fake_find(data, len, RTA_OIF));
	if (file)
		fclose(file);
	if (!found) {
		fake_fail(reply, ENETUNREACH, NULL, NULL);
		return;
	}
	size = fake_net_address(source, addr, &head.rtm_family);
	fake_begin_head(RTM_NEWROUTE, 0, &head, sizeof(head));
	fake_put(RTA_OIF, &index, sizeof(index));
	fake_put(RTA_PREFSRC, addr, size);
	fake_end();
}
