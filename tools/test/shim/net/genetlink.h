/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of the kernel's <net/genetlink.h> as policy-gen.c needs.
 *
 * Copyright (C) 2026 The mptun authors
 */
#ifndef MPTUN_TOOLS_SHIM_GENETLINK_H
#define MPTUN_TOOLS_SHIM_GENETLINK_H

#include <net/netlink.h>

#define GENL_UNS_ADMIN_PERM 0x10
#define GENL_MCAST_CAP_NET_ADMIN 0x01

struct genl_info;

struct genl_ops {
	uint8_t cmd;
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct nla_policy *policy;
	unsigned int maxattr;
	unsigned int flags;
};

struct genl_multicast_group {
	char name[16];
	unsigned char flags;
};

#endif /* MPTUN_TOOLS_SHIM_GENETLINK_H */
