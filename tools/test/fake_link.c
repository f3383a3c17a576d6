// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated kernel: links, which are tunnels.
 *
 * Copyright (C) 2026 The mptun authors
 */
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <string.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "test/fake.h"
#include "test/fake_state.h"

/* Attributes of a link, as attributes of a tunnel. */
static const uint16_t fake_link_attr[IFLA_MPTUN_MAX + 1] = {
	[IFLA_MPTUN_PORT] = MPTUN_A_TUNNEL_PORT,
	[IFLA_MPTUN_ID] = MPTUN_A_TUNNEL_ID,
	[IFLA_MPTUN_PEER_ID] = MPTUN_A_TUNNEL_PEER_ID,
	[IFLA_MPTUN_SCHED] = MPTUN_A_TUNNEL_SCHED,
	[IFLA_MPTUN_CC] = MPTUN_A_TUNNEL_CC,
	[IFLA_MPTUN_REORDER] = MPTUN_A_TUNNEL_REORDER,
	[IFLA_MPTUN_HOLD] = MPTUN_A_TUNNEL_HOLD,
	[IFLA_MPTUN_BUFFER] = MPTUN_A_TUNNEL_BUFFER,
	[IFLA_MPTUN_LEARN] = MPTUN_A_TUNNEL_LEARN,
	[IFLA_MPTUN_CIPHER] = MPTUN_A_TUNNEL_CIPHER,
	[IFLA_MPTUN_REKEY] = MPTUN_A_TUNNEL_REKEY,
	[IFLA_MPTUN_DSCP] = MPTUN_A_TUNNEL_DSCP,
	[IFLA_MPTUN_PARK] = MPTUN_A_TUNNEL_PARK,
	[IFLA_MPTUN_AUTO_GROUP] = MPTUN_A_TUNNEL_AUTO_GROUP,
	[IFLA_MPTUN_FWMARK] = MPTUN_A_TUNNEL_FWMARK,
	[IFLA_MPTUN_FRAG] = MPTUN_A_TUNNEL_FRAG,
	[IFLA_MPTUN_MSS_CLAMP] = MPTUN_A_TUNNEL_MSS_CLAMP,
	[IFLA_MPTUN_FOLLOW] = MPTUN_A_TUNNEL_FOLLOW,
	[IFLA_MPTUN_PSMC_FACTOR] = MPTUN_A_TUNNEL_PSMC_FACTOR,
	[IFLA_MPTUN_PSMC_PERIOD] = MPTUN_A_TUNNEL_PSMC_PERIOD,
};

/* Defaults as in the kernel, where tests check them. */
static void fake_link_make(struct fake_object *tunnel, uint32_t ifindex,
			   const struct nlattr *name, struct nlattr *opts)
{
	uint32_t cipher = MPTUN_CIPHER_CHACHA20_POLY1305;
	uint32_t rekey = MPTUN_REKEY_DEFAULT_S;
	uint32_t dscp = 0;
	struct nlattr *attr;
	int rem;

	tunnel->used = true;
	tunnel->ifindex = ifindex;
	fake_store(tunnel, MPTUN_A_TUNNEL_IFINDEX, &ifindex, sizeof(ifindex));
	fake_store(tunnel, MPTUN_A_TUNNEL_IFNAME, nla_data(name),
		   (size_t)nla_len(name));
	fake_store(tunnel, MPTUN_A_TUNNEL_CIPHER, &cipher, sizeof(cipher));
	fake_store(tunnel, MPTUN_A_TUNNEL_REKEY, &rekey, sizeof(rekey));
	fake_store(tunnel, MPTUN_A_TUNNEL_DSCP, &dscp, sizeof(dscp));
	if (!opts)
		return;
	nla_for_each_nested(attr, opts, rem)
		if (nla_type(attr) <= IFLA_MPTUN_MAX &&
		    fake_link_attr[nla_type(attr)])
			fake_store(tunnel, fake_link_attr[nla_type(attr)],
				   nla_data(attr), (size_t)nla_len(attr));
}

void fake_newlink(const void *data, size_t len, struct fake_reply *reply)
{
	const struct nlattr *name = fake_find(data, len, IFLA_IFNAME);
	struct nlattr *info = nla_find(data, (int)len, IFLA_LINKINFO);
	struct nlattr *kind = nla_find(nla_data(info), nla_len(info),
				       IFLA_INFO_KIND);
	struct nlattr *opts = nla_find(nla_data(info), nla_len(info),
				       IFLA_INFO_DATA);
	int i = 0;

	if (!kind || strcmp(nla_data(kind), "mptun")) {
		fake_fail(reply, EOPNOTSUPP, "Unknown device type", NULL);
		return;
	}
	while (i < FAKE_TUNNELS && fake_tunnel[i].used)
		i++;
	if (i == FAKE_TUNNELS) {
		fake_fail(reply, ENOMEM, NULL, NULL);
		return;
	}
	for (int j = 0; j < FAKE_TUNNELS; j++) {
		if (fake_equal(&fake_tunnel[j], MPTUN_A_TUNNEL_IFNAME, name)) {
			fake_fail(reply, EEXIST, NULL, NULL);
			return;
		}
	}
	fake_link_make(&fake_tunnel[i], (uint32_t)(100 + i), name, opts);
}

static struct fake_object *fake_link_by(uint32_t index,
					struct fake_reply *reply)
{
	for (int i = 0; i < FAKE_TUNNELS; i++)
		if (fake_tunnel[i].used && fake_tunnel[i].ifindex == index)
			return &fake_tunnel[i];
	fake_fail(reply, ENODEV, NULL, NULL);
	return NULL;
}

void fake_setlink(uint32_t index, unsigned int flags, struct fake_reply *reply)
{
	struct fake_object *tunnel = fake_link_by(index, reply);

	if (tunnel)
		tunnel->up = flags & IFF_UP;
}

/* An address of the test network 203.0.113.0/24 belongs to another device. */
void fake_newaddr(uint32_t index, const void *data, size_t len,
		  struct fake_reply *reply)
{
	static const unsigned char taken[] = { 203, 0, 113 };
	const struct nlattr *addr = fake_find(data, len, IFA_LOCAL);
	struct fake_object *tunnel = fake_link_by(index, reply);

	if (!tunnel)
		return;
	if (!addr || !memcmp(nla_data(addr), taken, sizeof(taken))) {
		fake_fail(reply, EADDRINUSE, NULL, addr);
		return;
	}
	for (int i = 0; i < FAKE_ADDRESSES; i++) {
		if (tunnel->addr[i].len)
			continue;
		tunnel->addr[i].len = (size_t)nla_len(addr);
		memcpy(tunnel->addr[i].data, nla_data(addr),
		       tunnel->addr[i].len);
		return;
	}
	fake_fail(reply, ENOSPC, NULL, NULL);
}

void fake_dellink(uint32_t index, const struct nlattr *name,
		  struct fake_reply *reply)
{
	bool found = false;

	for (int i = 0; i < FAKE_TUNNELS && !index && name; i++)
		if (fake_equal(&fake_tunnel[i], MPTUN_A_TUNNEL_IFNAME, name))
			index = fake_tunnel[i].ifindex;
	for (int i = 0; i < FAKE_TUNNELS; i++) {
		if (fake_tunnel[i].used && fake_tunnel[i].ifindex == index) {
			memset(&fake_tunnel[i], 0, sizeof(fake_tunnel[i]));
			found = true;
		}
	}
	for (int i = 0; i < FAKE_PATHS; i++)
		if (fake_path[i].ifindex == index)
			memset(&fake_path[i], 0, sizeof(fake_path[i]));
	if (!found)
		fake_fail(reply, ENODEV, NULL, NULL);
}
