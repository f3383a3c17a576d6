// SPDX-License-Identifier: GPL-2.0
/*
 * The keywords of all commands and of ip-link, with ranges and units.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Ranges are those of the spec; "make check" compares them with the kernel's
 * policies.  Names of schedulers and controllers are suggestions: the kernel
 * knows which there are.
 */
#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/keyword.h"
#include "lib/names.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BUFFER_MIN 65536
#define BUFFER_MAX 268435456
#define SECONDS_MAX 86400

/* Settings that exist at creation and later, with different attributes. */
#define KEY_SCHED(a) {							\
	.word = "sched", .type = PARSE_NAME, .attr = (a), .min = 1,	\
	.max = MPTUN_ALGO_NAME_MAX, .names = &names_sched,		\
	.value = "NAME",						\
	.help = "scheduler that places packets on paths, default greedy", \
}
#define KEY_CC(a) {							\
	.word = "cc", .type = PARSE_NAME, .attr = (a), .min = 1,	\
	.max = MPTUN_ALGO_NAME_MAX, .names = &names_cc,			\
	.value = "NAME",						\
	.help = "congestion controller of paths that name none, default bbr", \
}
#define KEY_REORDER(a) {						\
	.word = "reorder", .type = PARSE_ENUM, .attr = (a),		\
	.max = MPTUN_REORDER_MODE_PSMC, .names = &names_reorder_mode,	\
	.value = "MODE",						\
	.help = "how received packets are put in order, default adaptive", \
}
#define KEY_HOLD(a) {							\
	.word = "hold", .type = PARSE_TIME, .attr = (a),		\
	.max = MPTUN_HOLD_MAX_US, .value = "TIME",			\
	.help = "longest wait for a missing packet, or its cap, default 500ms", \
}
#define KEY_BUFFER(a) {							\
	.word = "buffer", .type = PARSE_SIZE, .attr = (a),		\
	.min = BUFFER_MIN, .max = BUFFER_MAX, .value = "SIZE",		\
	.help = "memory limit of packets that wait, default 16m",	\
}
#define KEY_LEARN(a) {							\
	.word = "learn", .type = PARSE_BOOL, .attr = (a), .max = 1,	\
	.value = "on|off",						\
	.help = "accept paths that the peer opens, default on unless clear", \
}
#define KEY_REKEY(a) {							\
	.word = "rekey", .type = PARSE_SECONDS, .attr = (a), .min = 1,	\
	.max = SECONDS_MAX, .value = "SECONDS",				\
	.help = "time after which a session gets new keys, default 120s", \
}
#define KEY_DSCP(a) {							\
	.word = "dscp", .type = PARSE_U32, .attr = (a),			\
	.max = MPTUN_DSCP_INHERIT, .most = "inherit",			\
	.value = "N|inherit",						\
	.help = "DSCP of outer packets, inherit: that of the inner one, default 0", \
}
#define KEY_PARK(a) {							\
	.word = "park", .type = PARSE_U32, .attr = (a),			\
	.max = MPTUN_PARK_MAX, .none = "off", .value = "N|off",		\
	.help = "use no path that carries less than 1/N of the mean of the others, nor one that loses too much; default 20", \
}

#define KEY_AUTO_GROUP(a) {						\
	.word = "auto-group", .type = PARSE_BOOL, .attr = (a), .max = 1, \
	.value = "on|off",						\
	.help = "find out which paths of group 0 share a bottleneck (cc lia, residual), default off", \
}

/* The same under a shorter name, where it is about a key anyway. */
#define KEY_GRACE(w) {							\
	.word = (w), .type = PARSE_SECONDS,				\
	.attr = MPTUN_A_TUNNEL_KEY_GRACE, .max = SECONDS_MAX,		\
	.value = "SECONDS",						\
	.help = "how long the key before is accepted, default 60s",	\
}

static const struct parse_key link_keys[] = {
	{
		.word = "port", .type = PARSE_U16, .attr = IFLA_MPTUN_PORT,
		.min = 1, .max = 65535, .value = "N",
		.help = "local UDP port, shared by any number of tunnels, default 4725",
	},
	{
		.word = "id", .type = PARSE_U32, .attr = IFLA_MPTUN_ID,
		.min = 1, .max = UINT32_MAX, .value = "N",
		.help = "only if clear: number by which the peer addresses this tunnel",
	},
	{
		.word = "peer-id", .type = PARSE_U32,
		.attr = IFLA_MPTUN_PEER_ID,
		.min = 1, .max = UINT32_MAX, .value = "N",
		.help = "only if clear: number by which this tunnel addresses its peer, default as id",
	},
	{
		.word = "cipher", .type = PARSE_ENUM,
		.attr = IFLA_MPTUN_CIPHER,
		.min = MPTUN_CIPHER_CLEAR, .max = MPTUN_CIPHER_AUTH_ONLY,
		.names = &names_cipher, .value = "NAME",
		.help = "how packets are protected, default chacha20-poly1305",
	},
	KEY_SCHED(IFLA_MPTUN_SCHED),
	KEY_CC(IFLA_MPTUN_CC),
	KEY_REORDER(IFLA_MPTUN_REORDER),
	KEY_HOLD(IFLA_MPTUN_HOLD),
	KEY_BUFFER(IFLA_MPTUN_BUFFER),
	KEY_LEARN(IFLA_MPTUN_LEARN),
	KEY_REKEY(IFLA_MPTUN_REKEY),
	KEY_DSCP(IFLA_MPTUN_DSCP),
	KEY_PARK(IFLA_MPTUN_PARK),
	KEY_AUTO_GROUP(IFLA_MPTUN_AUTO_GROUP),
};

static const struct parse_key set_keys[] = {
	[KEYWORD_SET_KEY] = {
		.word = "key", .type = PARSE_FILE, .attr = MPTUN_A_TUNNEL_KEY,
		.min = MPTUN_KEY_LEN, .max = MPTUN_KEY_LEN, .value = "FILE|-",
		.help = "secret that both ends share, from a file or standard input",
	},
	[KEYWORD_SET_KEY_GRACE] = KEY_GRACE("key-grace"),
	KEY_SCHED(MPTUN_A_TUNNEL_SCHED),
	KEY_CC(MPTUN_A_TUNNEL_CC),
	KEY_REORDER(MPTUN_A_TUNNEL_REORDER),
	KEY_HOLD(MPTUN_A_TUNNEL_HOLD),
	KEY_BUFFER(MPTUN_A_TUNNEL_BUFFER),
	KEY_LEARN(MPTUN_A_TUNNEL_LEARN),
	KEY_REKEY(MPTUN_A_TUNNEL_REKEY),
	KEY_DSCP(MPTUN_A_TUNNEL_DSCP),
	KEY_PARK(MPTUN_A_TUNNEL_PARK),
	KEY_AUTO_GROUP(MPTUN_A_TUNNEL_AUTO_GROUP),
};

static const struct parse_key key_keys[] = {
	[KEYWORD_KEY_GRACE] = KEY_GRACE("grace"),
};

static const struct parse_key path_keys[] = {
	{
		.word = "remote", .type = PARSE_ADDR,
		.attr = MPTUN_A_PATH_REMOTE4, .attr6 = MPTUN_A_PATH_REMOTE6,
		.attr_scope = MPTUN_A_PATH_REMOTE_SCOPE, .value = "ADDR",
		.help = "address of the peer, link-local ones as ADDR%DEV",
	},
	{
		.word = "port", .type = PARSE_U16,
		.attr = MPTUN_A_PATH_REMOTE_PORT, .min = 1, .max = 65535,
		.value = "N", .help = "UDP port of the peer, default 4725",
	},
	{
		.word = "local", .type = PARSE_ADDR,
		.attr = MPTUN_A_PATH_LOCAL4, .attr6 = MPTUN_A_PATH_LOCAL6,
		.none = "any", .value = "ADDR|any",
		.help = "local address, any: the route's choice (default)",
	},
	{
		.word = "local-port", .type = PARSE_U16,
		.attr = MPTUN_A_PATH_LOCAL_PORT, .min = 1, .max = 65535,
		.value = "N", .help = "local UDP port, default the tunnel's",
	},
	{
		.word = "dev", .type = PARSE_NAME, .attr = MPTUN_A_PATH_DEV,
		.max = 15, .none = "none", .value = "DEV|none",
		.help = "device the path is bound to, which need not exist yet",
	},
	{
		.word = "weight", .type = PARSE_U32,
		.attr = MPTUN_A_PATH_WEIGHT, .min = 1, .max = 65535,
		.value = "N",
		.help = "share of the path with scheduler wrr, default 1",
	},
	{
		.word = "priority", .type = PARSE_U32,
		.attr = MPTUN_A_PATH_PRIORITY, .max = 255, .value = "N",
		.help = "used only while no usable path has a lower number, default 0",
	},
	{
		.word = "spill", .type = PARSE_TIME,
		.attr = MPTUN_A_PATH_SPILL, .max = MPTUN_SPILL_OFF,
		.most = "off", .value = "TIME|off",
		.help = "take what paths of lower priority numbers have no room for, if they were full for TIME; off (default): do not",
	},
	{
		.word = "backup", .type = PARSE_BOOL,
		.attr = MPTUN_A_PATH_BACKUP, .max = 1, .value = "on|off",
		.help = "used only while no other path is usable, default off",
	},
	{
		.word = "cap", .type = PARSE_VOLUME, .attr = MPTUN_A_PATH_CAP,
		.max = UINT64_MAX, .none = "none", .value = "SIZE|none",
		.help = "bytes in both directions that the path may carry until \"used\" is set back, default none",
	},
	{
		.word = "cap-action", .type = PARSE_ENUM,
		.attr = MPTUN_A_PATH_CAP_ACTION,
		.max = MPTUN_CAP_ACTION_NOTIFY, .names = &names_cap_action,
		.value = "WHAT",
		.help = "what happens when \"used\" reaches the cap: no data (stop, default), only in need (backup), an event (notify)",
	},
	{
		.word = "used", .type = PARSE_VOLUME,
		.attr = MPTUN_A_PATH_USED, .max = UINT64_MAX,
		.value = "SIZE",
		.help = "say what counts against the cap, 0 when a new period begins",
	},
	{
		.word = "mtu", .type = PARSE_U32, .attr = MPTUN_A_PATH_MTU,
		.max = 65535, .none = "auto", .value = "N|auto",
		.help = "largest outer packet in bytes, auto: follow the route (default)",
	},
	{
		.word = "rate", .type = PARSE_RATE, .attr = MPTUN_A_PATH_RATE,
		.max = UINT64_MAX, .none = "none",
		.value = "RATE|none",
		.help = "rate for controller fixed, a limit for all others, default none",
	},
	{
		.word = "cc", .type = PARSE_NAME, .attr = MPTUN_A_PATH_CC,
		.max = MPTUN_ALGO_NAME_MAX, .names = &names_cc, .none = "default",
		.value = "NAME|default",
		.help = "congestion controller, default: the tunnel's",
	},
	{
		.word = "group", .type = PARSE_U32, .attr = MPTUN_A_PATH_GROUP,
		.max = UINT32_MAX, .value = "N",
		.help = "paths of the same group share a bottleneck (cc lia, residual), default 0",
	},
	{
		.word = "keepalive", .type = PARSE_SECONDS,
		.attr = MPTUN_A_PATH_KEEPALIVE, .max = MPTUN_KEEPALIVE_OFF,
		.none = "auto", .most = "off", .value = "SECONDS|auto|off",
		.help = "time between probes of an idle path, auto (default): 1s, 10s while the tunnel is idle; off: none then",
	},
	{
		.word = "on", .type = PARSE_FLAG, .attr = MPTUN_A_PATH_ENABLED,
		.min = 1, .max = 1, .help = "switch the path on (default)",
	},
	{
		.word = "off", .type = PARSE_FLAG, .attr = MPTUN_A_PATH_ENABLED,
		.help = "switch the path off",
	},
};

static const struct parse_key class_keys[] = {
	{
		.word = "mark", .type = PARSE_U32, .attr = MPTUN_A_CLASS_MARK,
		.max = UINT32_MAX, .value = "N",
		.help = "firewall mark of its packets, in the bits of mask",
	},
	{
		.word = "mask", .type = PARSE_U32, .attr = MPTUN_A_CLASS_MASK,
		.max = UINT32_MAX, .none = "any", .value = "N|any",
		.help = "bits of the mark that are looked at, default all if a mark is given",
	},
	{
		.word = "dscp", .type = PARSE_U32, .attr = MPTUN_A_CLASS_DSCP,
		.max = MPTUN_CLASS_ANY_DSCP, .most = "any",
		.names = &names_dscp, .value = "N|any",
		.help = "DSCP of its packets, number or name, default any",
	},
	{
		.word = "protocol", .type = PARSE_U32,
		.attr = MPTUN_A_CLASS_PROTOCOL,
		.max = MPTUN_CLASS_ANY_PROTOCOL, .most = "any",
		.names = &names_protocol, .value = "N|any",
		.help = "IP protocol of its packets, number or name, default any",
	},
	{
		.word = "port", .type = PARSE_U16, .attr = MPTUN_A_CLASS_PORT,
		.max = 65535, .none = "any", .value = "N|any",
		.help = "source or destination port of its packets, default any",
	},
	{
		.word = "policy", .type = PARSE_ENUM,
		.attr = MPTUN_A_CLASS_POLICY,
		.max = MPTUN_CLASS_POLICY_NEAREST,
		.names = &names_class_policy, .value = "NAME",
		.help = "on which paths its packets leave, default aggregate",
	},
	{
		.word = "path", .type = PARSE_NAME, .attr = MPTUN_A_CLASS_PATH,
		.min = 1, .max = MPTUN_PATH_NAME_MAX, .value = "NAME",
		.help = "path for policy pin, which need not exist yet",
	},
	{
		.word = "strict", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_STRICT, .max = 1, .value = "on|off",
		.help = "policy pin: drop the packets while the path does not work, default off",
	},
	{
		.word = "paths", .type = PARSE_U32,
		.attr = MPTUN_A_CLASS_PATHS, .min = 1,
		.max = MPTUN_PATHS_MAX, .most = "all", .value = "N|all",
		.help = "policy duplicate: paths that each packet leaves on, default 2",
	},
	{
		.word = "order", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_ORDER, .max = 1, .value = "on|off",
		.help = "the receiver puts the packets in order, default on",
	},
	{
		.word = "repair", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_REPAIR, .max = 1, .value = "on|off",
		.help = "what was lost is sent again, default off; class 0 takes it too",
	},
	{
		.word = "playout", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_PLAYOUT, .max = 1, .value = "on|off",
		.help = "received with the delay of the slowest path, default off; class 0 takes it too",
	},
};

const struct parse_key keyword_class_id = {
	.word = "the number of a class", .type = PARSE_U32,
	.attr = MPTUN_A_CLASS_ID, .max = MPTUN_CLASSES_MAX - 1,
};

static const struct parse_key show_keys[] = {
	[KEYWORD_SHOW_EVERY] = {
		.word = "every", .type = PARSE_TIME, .min = 10000,
		.max = 3600000000u, .attr = 1, .value = "TIME",
		.help = "show again and again, with rates measured in between",
	},
	[KEYWORD_SHOW_COUNT] = {
		.word = "count", .type = PARSE_U32, .min = 1,
		.max = UINT32_MAX, .attr = 2, .value = "N",
		.help = "stop after that many times, default never",
	},
};

static const struct parse_key top_keys[] = {
	[KEYWORD_TOP_INTERVAL] = {
		.word = "-i", .type = PARSE_SPAN, .min = 100000,
		.max = 3600000000u, .attr = 1, .value = "SPAN",
		.help = "time between two looks, default 1s",
	},
	[KEYWORD_TOP_COUNT] = {
		.word = "-n", .type = PARSE_U32, .min = 1,
		.max = UINT32_MAX, .attr = 2, .value = "N",
		.help = "print that many looks as text, also on a terminal",
	},
};

static const struct parse_key record_keys[] = {
	[KEYWORD_RECORD_INTERVAL] = {
		.word = "-i", .type = PARSE_SPAN, .min = 10000,
		.max = 3600000000u, .attr = 1, .value = "SPAN",
		.help = "time between two looks, default 1s",
	},
	[KEYWORD_RECORD_TIME] = {
		.word = "-t", .type = PARSE_SPAN, .min = 10000,
		.max = 31536000000000u, .attr = 2, .value = "SPAN",
		.help = "stop after this time, default when interrupted",
	},
	[KEYWORD_RECORD_FILE] = {
		.word = "-o", .type = PARSE_FILE, .attr = 3, .value = "FILE|-",
		.help = "write to this file, default standard output",
	},
};

const struct parse_table keyword_link = { link_keys, ARRAY_SIZE(link_keys) };
const struct parse_table keyword_set = { set_keys, ARRAY_SIZE(set_keys) };
const struct parse_table keyword_key = { key_keys, ARRAY_SIZE(key_keys) };
const struct parse_table keyword_path = { path_keys, ARRAY_SIZE(path_keys) };
const struct parse_table keyword_class = { class_keys, ARRAY_SIZE(class_keys) };
const struct parse_table keyword_show = { show_keys, ARRAY_SIZE(show_keys) };
const struct parse_table keyword_top = { top_keys, ARRAY_SIZE(top_keys) };
const struct parse_table keyword_record = {
	record_keys, ARRAY_SIZE(record_keys)
};
