// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mptun.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/spec/regen.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "ctl/policy-gen.h"

/* Integer value ranges */
static struct netlink_range_validation mptun_a_tunnel_hold_range = {
	.max	= MPTUN_HOLD_MAX_US,
};

static struct netlink_range_validation mptun_a_tunnel_buffer_range = {
	.min	= MPTUN_BUFFER_MIN,
	.max	= MPTUN_BUFFER_MAX,
};

static struct netlink_range_validation mptun_a_tunnel_key_grace_range = {
	.max	= MPTUN_REKEY_MAX_S,
};

static struct netlink_range_validation mptun_a_tunnel_rekey_range = {
	.min	= MPTUN_REKEY_MIN_S,
	.max	= MPTUN_REKEY_MAX_S,
};

static struct netlink_range_validation mptun_a_tunnel_psmc_period_range = {
	.min	= MPTUN_PSMC_PERIOD_MIN_US,
	.max	= MPTUN_PSMC_PERIOD_MAX_US,
};

static struct netlink_range_validation mptun_a_path_weight_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static struct netlink_range_validation mptun_a_path_mtu_range = {
	.max	= 65535ULL,
};

static struct netlink_range_validation mptun_a_path_keepalive_range = {
	.max	= MPTUN_KEEPALIVE_OFF,
};

/* MPTUN_CMD_TUNNEL_GET - do */
const struct nla_policy mptun_tunnel_get_nl_policy[MPTUN_A_TUNNEL_IFNAME + 1] = {
	[MPTUN_A_TUNNEL_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_TUNNEL_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* MPTUN_CMD_TUNNEL_SET - do */
const struct nla_policy mptun_tunnel_set_nl_policy[MPTUN_A_TUNNEL_MSS_CLAMP + 1] = {
	[MPTUN_A_TUNNEL_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_TUNNEL_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_TUNNEL_SCHED] = { .type = NLA_NUL_STRING, .len = MPTUN_ALGO_NAME_MAX, },
	[MPTUN_A_TUNNEL_CC] = { .type = NLA_NUL_STRING, .len = MPTUN_ALGO_NAME_MAX, },
	[MPTUN_A_TUNNEL_REORDER] = NLA_POLICY_MAX(NLA_U32, 3),
	[MPTUN_A_TUNNEL_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_tunnel_hold_range),
	[MPTUN_A_TUNNEL_BUFFER] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_tunnel_buffer_range),
	[MPTUN_A_TUNNEL_LEARN] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_TUNNEL_KEY] = NLA_POLICY_EXACT_LEN(MPTUN_KEY_LEN),
	[MPTUN_A_TUNNEL_KEY_GRACE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_tunnel_key_grace_range),
	[MPTUN_A_TUNNEL_REKEY] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_tunnel_rekey_range),
	[MPTUN_A_TUNNEL_DSCP] = NLA_POLICY_MAX(NLA_U32, MPTUN_DSCP_INHERIT),
	[MPTUN_A_TUNNEL_PARK] = NLA_POLICY_MAX(NLA_U32, MPTUN_PARK_MAX),
	[MPTUN_A_TUNNEL_AUTO_GROUP] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_TUNNEL_ALLOWED_IPS] = { .type = NLA_BINARY, .len = 1280, },
	[MPTUN_A_TUNNEL_FWMARK] = { .type = NLA_U32, },
	[MPTUN_A_TUNNEL_FOLLOW] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_TUNNEL_PSMC_FACTOR] = NLA_POLICY_RANGE(NLA_U32, 100, 10000),
	[MPTUN_A_TUNNEL_PSMC_PERIOD] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_tunnel_psmc_period_range),
	[MPTUN_A_TUNNEL_MTU] = { .type = NLA_U32, },
	[MPTUN_A_TUNNEL_FRAG] = NLA_POLICY_MAX(NLA_U32, 2),
	[MPTUN_A_TUNNEL_MSS_CLAMP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MPTUN_CMD_PATH_NEW - do */
const struct nla_policy mptun_path_new_nl_policy[MPTUN_A_PATH_RATE_DOWN + 1] = {
	[MPTUN_A_PATH_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_NAME] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
	[MPTUN_A_PATH_REMOTE4] = NLA_POLICY_EXACT_LEN(4),
	[MPTUN_A_PATH_REMOTE6] = NLA_POLICY_EXACT_LEN(16),
	[MPTUN_A_PATH_REMOTE_SCOPE] = { .type = NLA_U32, },
	[MPTUN_A_PATH_REMOTE_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[MPTUN_A_PATH_LOCAL4] = NLA_POLICY_EXACT_LEN(4),
	[MPTUN_A_PATH_LOCAL6] = NLA_POLICY_EXACT_LEN(16),
	[MPTUN_A_PATH_LOCAL_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[MPTUN_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_WEIGHT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_weight_range),
	[MPTUN_A_PATH_PRIORITY] = NLA_POLICY_MAX(NLA_U32, 255),
	[MPTUN_A_PATH_SPILL] = { .type = NLA_U32, },
	[MPTUN_A_PATH_BACKUP] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_PATH_CAP] = { .type = NLA_U64, },
	[MPTUN_A_PATH_CAP_ACTION] = NLA_POLICY_MAX(NLA_U32, 2),
	[MPTUN_A_PATH_USED] = { .type = NLA_U64, },
	[MPTUN_A_PATH_MTU] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_mtu_range),
	[MPTUN_A_PATH_CC] = { .type = NLA_NUL_STRING, .len = MPTUN_ALGO_NAME_MAX, },
	[MPTUN_A_PATH_RATE] = { .type = NLA_U64, },
	[MPTUN_A_PATH_ENABLED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_PATH_KEEPALIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_keepalive_range),
	[MPTUN_A_PATH_GROUP] = { .type = NLA_U32, },
	[MPTUN_A_PATH_FWMARK] = { .type = NLA_U32, },
	[MPTUN_A_PATH_RATE_DOWN] = { .type = NLA_U64, },
};

/* MPTUN_CMD_PATH_SET - do */
const struct nla_policy mptun_path_set_nl_policy[MPTUN_A_PATH_RATE_DOWN + 1] = {
	[MPTUN_A_PATH_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_NAME] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
	[MPTUN_A_PATH_REMOTE4] = NLA_POLICY_EXACT_LEN(4),
	[MPTUN_A_PATH_REMOTE6] = NLA_POLICY_EXACT_LEN(16),
	[MPTUN_A_PATH_REMOTE_SCOPE] = { .type = NLA_U32, },
	[MPTUN_A_PATH_REMOTE_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[MPTUN_A_PATH_LOCAL4] = NLA_POLICY_EXACT_LEN(4),
	[MPTUN_A_PATH_LOCAL6] = NLA_POLICY_EXACT_LEN(16),
	[MPTUN_A_PATH_LOCAL_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[MPTUN_A_PATH_DEV] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_WEIGHT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_weight_range),
	[MPTUN_A_PATH_PRIORITY] = NLA_POLICY_MAX(NLA_U32, 255),
	[MPTUN_A_PATH_SPILL] = { .type = NLA_U32, },
	[MPTUN_A_PATH_BACKUP] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_PATH_CAP] = { .type = NLA_U64, },
	[MPTUN_A_PATH_CAP_ACTION] = NLA_POLICY_MAX(NLA_U32, 2),
	[MPTUN_A_PATH_USED] = { .type = NLA_U64, },
	[MPTUN_A_PATH_MTU] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_mtu_range),
	[MPTUN_A_PATH_CC] = { .type = NLA_NUL_STRING, .len = MPTUN_ALGO_NAME_MAX, },
	[MPTUN_A_PATH_RATE] = { .type = NLA_U64, },
	[MPTUN_A_PATH_ENABLED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_PATH_KEEPALIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mptun_a_path_keepalive_range),
	[MPTUN_A_PATH_GROUP] = { .type = NLA_U32, },
	[MPTUN_A_PATH_FWMARK] = { .type = NLA_U32, },
	[MPTUN_A_PATH_RATE_DOWN] = { .type = NLA_U64, },
};

/* MPTUN_CMD_PATH_DEL - do */
const struct nla_policy mptun_path_del_nl_policy[MPTUN_A_PATH_NAME + 1] = {
	[MPTUN_A_PATH_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_NAME] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
};

/* MPTUN_CMD_PATH_GET - do */
const struct nla_policy mptun_path_get_nl_policy[MPTUN_A_PATH_NAME + 1] = {
	[MPTUN_A_PATH_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_PATH_NAME] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
};

/* MPTUN_CMD_CLASS_NEW - do */
const struct nla_policy mptun_class_new_nl_policy[MPTUN_A_CLASS_CODE + 1] = {
	[MPTUN_A_CLASS_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_CLASS_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_CLASS_ID] = NLA_POLICY_MAX(NLA_U32, 15),
	[MPTUN_A_CLASS_MARK] = { .type = NLA_U32, },
	[MPTUN_A_CLASS_MASK] = { .type = NLA_U32, },
	[MPTUN_A_CLASS_DSCP] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_ANY_DSCP),
	[MPTUN_A_CLASS_PROTOCOL] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_ANY_PROTOCOL),
	[MPTUN_A_CLASS_PORT] = { .type = NLA_U16, },
	[MPTUN_A_CLASS_POLICY] = NLA_POLICY_MAX(NLA_U32, 3),
	[MPTUN_A_CLASS_PATH] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
	[MPTUN_A_CLASS_STRICT] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_PATHS] = NLA_POLICY_RANGE(NLA_U32, 1, MPTUN_PATHS_MAX),
	[MPTUN_A_CLASS_ORDER] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_REPAIR] = NLA_POLICY_MAX(NLA_U32, 2),
	[MPTUN_A_CLASS_PLAYOUT] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_CODE] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_CODE_OFF),
	[MPTUN_A_CLASS_RATE] = { .type = NLA_U64, },
};

/* MPTUN_CMD_CLASS_SET - do */
const struct nla_policy mptun_class_set_nl_policy[MPTUN_A_CLASS_CODE + 1] = {
	[MPTUN_A_CLASS_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_CLASS_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_CLASS_ID] = NLA_POLICY_MAX(NLA_U32, 15),
	[MPTUN_A_CLASS_MARK] = { .type = NLA_U32, },
	[MPTUN_A_CLASS_MASK] = { .type = NLA_U32, },
	[MPTUN_A_CLASS_DSCP] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_ANY_DSCP),
	[MPTUN_A_CLASS_PROTOCOL] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_ANY_PROTOCOL),
	[MPTUN_A_CLASS_PORT] = { .type = NLA_U16, },
	[MPTUN_A_CLASS_POLICY] = NLA_POLICY_MAX(NLA_U32, 3),
	[MPTUN_A_CLASS_PATH] = { .type = NLA_NUL_STRING, .len = MPTUN_PATH_NAME_MAX, },
	[MPTUN_A_CLASS_STRICT] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_PATHS] = NLA_POLICY_RANGE(NLA_U32, 1, MPTUN_PATHS_MAX),
	[MPTUN_A_CLASS_ORDER] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_REPAIR] = NLA_POLICY_MAX(NLA_U32, 2),
	[MPTUN_A_CLASS_PLAYOUT] = NLA_POLICY_MAX(NLA_U8, 1),
	[MPTUN_A_CLASS_CODE] = NLA_POLICY_MAX(NLA_U32, MPTUN_CLASS_CODE_OFF),
	[MPTUN_A_CLASS_RATE] = { .type = NLA_U64, },
};

/* MPTUN_CMD_CLASS_DEL - do */
const struct nla_policy mptun_class_del_nl_policy[MPTUN_A_CLASS_ID + 1] = {
	[MPTUN_A_CLASS_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_CLASS_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_CLASS_ID] = NLA_POLICY_MAX(NLA_U32, 15),
};

/* MPTUN_CMD_CLASS_GET - do */
const struct nla_policy mptun_class_get_nl_policy[MPTUN_A_CLASS_ID + 1] = {
	[MPTUN_A_CLASS_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MPTUN_A_CLASS_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MPTUN_A_CLASS_ID] = NLA_POLICY_MAX(NLA_U32, 15),
};

/* Ops table for mptun */
const struct genl_ops mptun_nl_ops[10] = {
	{
		.cmd		= MPTUN_CMD_TUNNEL_GET,
		.doit		= mptun_nl_tunnel_get_doit,
		.dumpit		= mptun_nl_tunnel_get_dumpit,
		.policy		= mptun_tunnel_get_nl_policy,
		.maxattr	= MPTUN_A_TUNNEL_IFNAME,
	},
	{
		.cmd		= MPTUN_CMD_TUNNEL_SET,
		.doit		= mptun_nl_tunnel_set_doit,
		.policy		= mptun_tunnel_set_nl_policy,
		.maxattr	= MPTUN_A_TUNNEL_MSS_CLAMP,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_PATH_NEW,
		.doit		= mptun_nl_path_new_doit,
		.policy		= mptun_path_new_nl_policy,
		.maxattr	= MPTUN_A_PATH_RATE_DOWN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_PATH_SET,
		.doit		= mptun_nl_path_set_doit,
		.policy		= mptun_path_set_nl_policy,
		.maxattr	= MPTUN_A_PATH_RATE_DOWN,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_PATH_DEL,
		.doit		= mptun_nl_path_del_doit,
		.policy		= mptun_path_del_nl_policy,
		.maxattr	= MPTUN_A_PATH_NAME,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_PATH_GET,
		.doit		= mptun_nl_path_get_doit,
		.dumpit		= mptun_nl_path_get_dumpit,
		.policy		= mptun_path_get_nl_policy,
		.maxattr	= MPTUN_A_PATH_NAME,
	},
	{
		.cmd		= MPTUN_CMD_CLASS_NEW,
		.doit		= mptun_nl_class_new_doit,
		.policy		= mptun_class_new_nl_policy,
		.maxattr	= MPTUN_A_CLASS_CODE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_CLASS_SET,
		.doit		= mptun_nl_class_set_doit,
		.policy		= mptun_class_set_nl_policy,
		.maxattr	= MPTUN_A_CLASS_CODE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_CLASS_DEL,
		.doit		= mptun_nl_class_del_doit,
		.policy		= mptun_class_del_nl_policy,
		.maxattr	= MPTUN_A_CLASS_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= MPTUN_CMD_CLASS_GET,
		.doit		= mptun_nl_class_get_doit,
		.dumpit		= mptun_nl_class_get_dumpit,
		.policy		= mptun_class_get_nl_policy,
		.maxattr	= MPTUN_A_CLASS_ID,
	},
};

const struct genl_multicast_group mptun_nl_mcgrps[2] = {
	[MPTUN_NLGRP_TUNNELS] = { "tunnels", .flags = GENL_MCAST_CAP_NET_ADMIN, },
	[MPTUN_NLGRP_PATHS] = { "paths", .flags = GENL_MCAST_CAP_NET_ADMIN, },
};
