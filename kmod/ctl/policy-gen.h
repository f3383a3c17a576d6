/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mptun.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/spec/regen.sh */

#ifndef _LINUX_MPTUN_GEN_H
#define _LINUX_MPTUN_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <linux/mptun.h>

#define MPTUN_HOLD_DEFAULT_US		500000
#define MPTUN_BUFFER_MIN		65536
#define MPTUN_BUFFER_MAX		268435456
#define MPTUN_BUFFER_DEFAULT		16777216
#define MPTUN_REKEY_MIN_S		1
#define MPTUN_REKEY_MAX_S		86400
#define MPTUN_PARK_DEFAULT		20
#define MPTUN_PSMC_FACTOR_DEFAULT	200
#define MPTUN_PSMC_PERIOD_DEFAULT_US	100000
#define MPTUN_PSMC_PERIOD_MIN_US	10000
#define MPTUN_PSMC_PERIOD_MAX_US	600000000
#define MPTUN_WEIGHT_DEFAULT		1
#define MPTUN_CLASS_PATHS_DEFAULT	2

extern const struct nla_policy mptun_tunnel_get_nl_policy[MPTUN_A_TUNNEL_IFNAME + 1];

extern const struct nla_policy mptun_tunnel_set_nl_policy[MPTUN_A_TUNNEL_MSS_CLAMP + 1];

extern const struct nla_policy mptun_path_new_nl_policy[MPTUN_A_PATH_RATE_DOWN + 1];

extern const struct nla_policy mptun_path_set_nl_policy[MPTUN_A_PATH_RATE_DOWN + 1];

extern const struct nla_policy mptun_path_del_nl_policy[MPTUN_A_PATH_NAME + 1];

extern const struct nla_policy mptun_path_get_nl_policy[MPTUN_A_PATH_NAME + 1];

extern const struct nla_policy mptun_class_new_nl_policy[MPTUN_A_CLASS_CODE + 1];

extern const struct nla_policy mptun_class_set_nl_policy[MPTUN_A_CLASS_CODE + 1];

extern const struct nla_policy mptun_class_del_nl_policy[MPTUN_A_CLASS_ID + 1];

extern const struct nla_policy mptun_class_get_nl_policy[MPTUN_A_CLASS_ID + 1];

/* Ops table for mptun */
extern const struct genl_ops mptun_nl_ops[10];

int mptun_nl_tunnel_get_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_tunnel_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int mptun_nl_tunnel_set_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_path_new_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mptun_nl_class_new_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_class_set_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_class_del_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_class_get_doit(struct sk_buff *skb, struct genl_info *info);
int mptun_nl_class_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

extern const struct genl_multicast_group mptun_nl_mcgrps[2];

enum {
	MPTUN_NLGRP_TUNNELS,
	MPTUN_NLGRP_PATHS,
};

#endif /* _LINUX_MPTUN_GEN_H */
