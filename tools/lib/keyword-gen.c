// SPDX-License-Identifier: GPL-2.0
/*
 * The keywords of all commands and of ip-link, with ranges and defaults.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Generated from the netlink specs and tools/spec/options.yaml by
 * tools/spec/regen.sh, do not edit.
 */
#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/keyword.h"
#include "lib/names.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct parse_key link_keys[] = {
	{
		.word = "port", .type = PARSE_U16, .attr = IFLA_MPTUN_PORT,
		.min = 1, .max = 65535, .value = "N", .standard = "4725",
		.help = "local UDP port",
	},
	{
		.word = "id", .type = PARSE_U32, .attr = IFLA_MPTUN_ID,
		.min = 1, .max = UINT32_MAX, .value = "N",
		.help = "number by which the peer addresses this tunnel, only with cipher clear",
	},
	{
		.word = "peer-id", .type = PARSE_U32,
		.attr = IFLA_MPTUN_PEER_ID, .min = 1, .max = UINT32_MAX,
		.value = "N", .standard = "same as id",
		.help = "number by which this tunnel addresses its peer, only with cipher clear",
	},
	{
		.word = "cipher", .type = PARSE_ENUM, .attr = IFLA_MPTUN_CIPHER,
		.min = 1, .max = 4, .names = &names_cipher, .value = "NAME",
		.standard = "chacha20-poly1305",
		.help = "how packets are protected",
	},
	{
		.word = "sched", .type = PARSE_NAME, .attr = IFLA_MPTUN_SCHED,
		.min = 1, .max = 15, .names = &names_scheduler, .value = "NAME",
		.standard = "auto",
		.help = "scheduler that places packets on paths",
	},
	{
		.word = "cc", .type = PARSE_NAME, .attr = IFLA_MPTUN_CC,
		.min = 1, .max = 15, .names = &names_controller,
		.value = "NAME", .standard = "bbr",
		.help = "congestion controller of all paths that do not name one",
	},
	{
		.word = "reorder", .type = PARSE_ENUM,
		.attr = IFLA_MPTUN_REORDER, .max = 3,
		.names = &names_reorder_mode, .value = "MODE",
		.standard = "adaptive",
		.help = "how received packets are put in order",
	},
	{
		.word = "hold", .type = PARSE_TIME, .attr = IFLA_MPTUN_HOLD,
		.max = 1000000, .value = "TIME", .standard = "500ms",
		.help = "longest wait for a missing packet; with adaptive its upper limit",
	},
	{
		.word = "buffer", .type = PARSE_SIZE, .attr = IFLA_MPTUN_BUFFER,
		.min = 65536, .max = 268435456, .value = "SIZE",
		.standard = "16m", .help = "memory limit of the reorder buffer",
	},
	{
		.word = "psmc-factor", .type = PARSE_U32,
		.attr = IFLA_MPTUN_PSMC_FACTOR, .min = 100, .max = 10000,
		.value = "PERCENT", .standard = "200",
		.help = "reorder psmc: packets held at most, in percent of the lower bound",
	},
	{
		.word = "psmc-period", .type = PARSE_TIME,
		.attr = IFLA_MPTUN_PSMC_PERIOD, .min = 10000, .max = 600000000,
		.value = "TIME", .standard = "100ms",
		.help = "reorder psmc: time after which the bounds are measured again",
	},
	{
		.word = "learn", .type = PARSE_BOOL, .attr = IFLA_MPTUN_LEARN,
		.max = 1, .value = "on|off",
		.standard = "on, with cipher clear off",
		.help = "accept paths that the peer opens",
	},
	{
		.word = "follow", .type = PARSE_BOOL, .attr = IFLA_MPTUN_FOLLOW,
		.max = 1, .value = "on|off", .standard = "on",
		.help = "use paths that the peer opened as the peer says",
	},
	{
		.word = "rekey", .type = PARSE_SECONDS,
		.attr = IFLA_MPTUN_REKEY, .min = 1, .max = 86400,
		.value = "SECONDS", .standard = "120s",
		.help = "time after which a session gets new keys",
	},
	{
		.word = "dscp", .type = PARSE_U32, .attr = IFLA_MPTUN_DSCP,
		.max = 64, .names = &names_dscp, .most = "inherit",
		.value = "N|inherit", .standard = "0",
		.help = "DSCP of outer packets, number or name, or inherit that of the inner packet",
	},
	{
		.word = "park", .type = PARSE_U32, .attr = IFLA_MPTUN_PARK,
		.max = 1000, .least = 1, .none = "off", .value = "N|off",
		.standard = "20",
		.help = "suspend paths that carry less than 1/N of the mean of the others",
	},
	{
		.word = "auto-group", .type = PARSE_BOOL,
		.attr = IFLA_MPTUN_AUTO_GROUP, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "detect which paths of group 0 share a bottleneck, for cc lia and residual",
	},
	{
		.word = "fwmark", .type = PARSE_U32, .attr = IFLA_MPTUN_FWMARK,
		.max = UINT32_MAX, .least = 1, .none = "off", .value = "N|off",
		.standard = "off", .help = "firewall mark of outer packets",
	},
	{
		.word = "frag", .type = PARSE_ENUM, .attr = IFLA_MPTUN_FRAG,
		.max = 2, .names = &names_frag_mode, .value = "MODE",
		.standard = "auto",
		.help = "when packets larger than a path carries are cut for it",
	},
	{
		.word = "mss-clamp", .type = PARSE_ENUM,
		.attr = IFLA_MPTUN_MSS_CLAMP, .max = 1,
		.names = &names_mss_clamp_mode, .value = "MODE",
		.standard = "off",
		.help = "lower the MSS of inner TCP connections to what the MTU allows",
	},
};

const struct parse_table keyword_link = {
	link_keys, ARRAY_SIZE(link_keys)
};

static const struct parse_key add_keys[] = {
	{
		.word = "port", .type = PARSE_U16, .attr = IFLA_MPTUN_PORT,
		.min = 1, .max = 65535, .value = "N", .standard = "4725",
		.help = "local UDP port",
	},
	{
		.word = "id", .type = PARSE_U32, .attr = IFLA_MPTUN_ID,
		.min = 1, .max = UINT32_MAX, .value = "N",
		.help = "number by which the peer addresses this tunnel, only with cipher clear",
	},
	{
		.word = "peer-id", .type = PARSE_U32,
		.attr = IFLA_MPTUN_PEER_ID, .min = 1, .max = UINT32_MAX,
		.value = "N", .standard = "same as id",
		.help = "number by which this tunnel addresses its peer, only with cipher clear",
	},
	{
		.word = "cipher", .type = PARSE_ENUM, .attr = IFLA_MPTUN_CIPHER,
		.min = 1, .max = 4, .names = &names_cipher, .value = "NAME",
		.standard = "chacha20-poly1305",
		.help = "how packets are protected",
	},
	{
		.word = "sched", .type = PARSE_NAME, .attr = IFLA_MPTUN_SCHED,
		.min = 1, .max = 15, .names = &names_scheduler, .value = "NAME",
		.standard = "auto",
		.help = "scheduler that places packets on paths",
	},
	{
		.word = "cc", .type = PARSE_NAME, .attr = IFLA_MPTUN_CC,
		.min = 1, .max = 15, .names = &names_controller,
		.value = "NAME", .standard = "bbr",
		.help = "congestion controller of all paths that do not name one",
	},
	{
		.word = "reorder", .type = PARSE_ENUM,
		.attr = IFLA_MPTUN_REORDER, .max = 3,
		.names = &names_reorder_mode, .value = "MODE",
		.standard = "adaptive",
		.help = "how received packets are put in order",
	},
	{
		.word = "hold", .type = PARSE_TIME, .attr = IFLA_MPTUN_HOLD,
		.max = 1000000, .value = "TIME", .standard = "500ms",
		.help = "longest wait for a missing packet; with adaptive its upper limit",
	},
	{
		.word = "buffer", .type = PARSE_SIZE, .attr = IFLA_MPTUN_BUFFER,
		.min = 65536, .max = 268435456, .value = "SIZE",
		.standard = "16m", .help = "memory limit of the reorder buffer",
	},
	{
		.word = "psmc-factor", .type = PARSE_U32,
		.attr = IFLA_MPTUN_PSMC_FACTOR, .min = 100, .max = 10000,
		.value = "PERCENT", .standard = "200",
		.help = "reorder psmc: packets held at most, in percent of the lower bound",
	},
	{
		.word = "psmc-period", .type = PARSE_TIME,
		.attr = IFLA_MPTUN_PSMC_PERIOD, .min = 10000, .max = 600000000,
		.value = "TIME", .standard = "100ms",
		.help = "reorder psmc: time after which the bounds are measured again",
	},
	{
		.word = "learn", .type = PARSE_BOOL, .attr = IFLA_MPTUN_LEARN,
		.max = 1, .value = "on|off",
		.standard = "on, with cipher clear off",
		.help = "accept paths that the peer opens",
	},
	{
		.word = "follow", .type = PARSE_BOOL, .attr = IFLA_MPTUN_FOLLOW,
		.max = 1, .value = "on|off", .standard = "on",
		.help = "use paths that the peer opened as the peer says",
	},
	{
		.word = "rekey", .type = PARSE_SECONDS,
		.attr = IFLA_MPTUN_REKEY, .min = 1, .max = 86400,
		.value = "SECONDS", .standard = "120s",
		.help = "time after which a session gets new keys",
	},
	{
		.word = "dscp", .type = PARSE_U32, .attr = IFLA_MPTUN_DSCP,
		.max = 64, .names = &names_dscp, .most = "inherit",
		.value = "N|inherit", .standard = "0",
		.help = "DSCP of outer packets, number or name, or inherit that of the inner packet",
	},
	{
		.word = "park", .type = PARSE_U32, .attr = IFLA_MPTUN_PARK,
		.max = 1000, .least = 1, .none = "off", .value = "N|off",
		.standard = "20",
		.help = "suspend paths that carry less than 1/N of the mean of the others",
	},
	{
		.word = "auto-group", .type = PARSE_BOOL,
		.attr = IFLA_MPTUN_AUTO_GROUP, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "detect which paths of group 0 share a bottleneck, for cc lia and residual",
	},
	{
		.word = "fwmark", .type = PARSE_U32, .attr = IFLA_MPTUN_FWMARK,
		.max = UINT32_MAX, .least = 1, .none = "off", .value = "N|off",
		.standard = "off", .help = "firewall mark of outer packets",
	},
	{
		.word = "frag", .type = PARSE_ENUM, .attr = IFLA_MPTUN_FRAG,
		.max = 2, .names = &names_frag_mode, .value = "MODE",
		.standard = "auto",
		.help = "when packets larger than a path carries are cut for it",
	},
	{
		.word = "mss-clamp", .type = PARSE_ENUM,
		.attr = IFLA_MPTUN_MSS_CLAMP, .max = 1,
		.names = &names_mss_clamp_mode, .value = "MODE",
		.standard = "off",
		.help = "lower the MSS of inner TCP connections to what the MTU allows",
	},
	[KEYWORD_ADD_KEY] = {
		.word = "key", .type = PARSE_FILE, .attr = 1020,
		.value = "FILE|-",
		.help = "secret that both ends share, from a file or standard input",
	},
	[KEYWORD_ADD_ADDRESS] = {
		.word = "address", .type = PARSE_PREFIXES, .attr = 1021,
		.max = 1280, .value = "PREFIX[,PREFIX...]",
		.help = "addresses of the interface, with the length of their network",
	},
	[KEYWORD_ADD_UP] = {
		.word = "up", .type = PARSE_FLAG, .attr = 1022,
		.help = "set the interface up",
	},
};

const struct parse_table keyword_add = {
	add_keys, ARRAY_SIZE(add_keys)
};

static const struct parse_key set_keys[] = {
	[KEYWORD_SET_KEY] = {
		.word = "key", .type = PARSE_FILE, .attr = MPTUN_A_TUNNEL_KEY,
		.min = 32, .max = 32, .value = "FILE|-",
		.help = "secret that both ends share, from a file or standard input",
	},
	[KEYWORD_SET_KEY_GRACE] = {
		.word = "key-grace", .type = PARSE_SECONDS,
		.attr = MPTUN_A_TUNNEL_KEY_GRACE, .max = 86400,
		.value = "SECONDS", .standard = "60s",
		.help = "time for which the previous key is still accepted",
	},
	{
		.word = "sched", .type = PARSE_NAME,
		.attr = MPTUN_A_TUNNEL_SCHED, .min = 1, .max = 15,
		.names = &names_scheduler, .value = "NAME", .standard = "auto",
		.help = "scheduler that places packets on paths",
	},
	{
		.word = "cc", .type = PARSE_NAME, .attr = MPTUN_A_TUNNEL_CC,
		.min = 1, .max = 15, .names = &names_controller,
		.value = "NAME", .standard = "bbr",
		.help = "congestion controller of all paths that do not name one",
	},
	{
		.word = "reorder", .type = PARSE_ENUM,
		.attr = MPTUN_A_TUNNEL_REORDER, .max = 3,
		.names = &names_reorder_mode, .value = "MODE",
		.standard = "adaptive",
		.help = "how received packets are put in order",
	},
	{
		.word = "hold", .type = PARSE_TIME, .attr = MPTUN_A_TUNNEL_HOLD,
		.max = 1000000, .value = "TIME", .standard = "500ms",
		.help = "longest wait for a missing packet; with adaptive its upper limit",
	},
	{
		.word = "buffer", .type = PARSE_SIZE,
		.attr = MPTUN_A_TUNNEL_BUFFER, .min = 65536, .max = 268435456,
		.value = "SIZE", .standard = "16m",
		.help = "memory limit of the reorder buffer",
	},
	{
		.word = "psmc-factor", .type = PARSE_U32,
		.attr = MPTUN_A_TUNNEL_PSMC_FACTOR, .min = 100, .max = 10000,
		.value = "PERCENT", .standard = "200",
		.help = "reorder psmc: packets held at most, in percent of the lower bound",
	},
	{
		.word = "psmc-period", .type = PARSE_TIME,
		.attr = MPTUN_A_TUNNEL_PSMC_PERIOD, .min = 10000,
		.max = 600000000, .value = "TIME", .standard = "100ms",
		.help = "reorder psmc: time after which the bounds are measured again",
	},
	{
		.word = "learn", .type = PARSE_BOOL,
		.attr = MPTUN_A_TUNNEL_LEARN, .max = 1, .value = "on|off",
		.standard = "on, with cipher clear off",
		.help = "accept paths that the peer opens",
	},
	{
		.word = "follow", .type = PARSE_BOOL,
		.attr = MPTUN_A_TUNNEL_FOLLOW, .max = 1, .value = "on|off",
		.standard = "on",
		.help = "use paths that the peer opened as the peer says",
	},
	{
		.word = "rekey", .type = PARSE_SECONDS,
		.attr = MPTUN_A_TUNNEL_REKEY, .min = 1, .max = 86400,
		.value = "SECONDS", .standard = "120s",
		.help = "time after which a session gets new keys",
	},
	{
		.word = "dscp", .type = PARSE_U32, .attr = MPTUN_A_TUNNEL_DSCP,
		.max = 64, .names = &names_dscp, .most = "inherit",
		.value = "N|inherit", .standard = "0",
		.help = "DSCP of outer packets, number or name, or inherit that of the inner packet",
	},
	{
		.word = "park", .type = PARSE_U32, .attr = MPTUN_A_TUNNEL_PARK,
		.max = 1000, .least = 1, .none = "off", .value = "N|off",
		.standard = "20",
		.help = "suspend paths that carry less than 1/N of the mean of the others",
	},
	{
		.word = "auto-group", .type = PARSE_BOOL,
		.attr = MPTUN_A_TUNNEL_AUTO_GROUP, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "detect which paths of group 0 share a bottleneck, for cc lia and residual",
	},
	{
		.word = "fwmark", .type = PARSE_U32,
		.attr = MPTUN_A_TUNNEL_FWMARK, .max = UINT32_MAX, .least = 1,
		.none = "off", .value = "N|off", .standard = "off",
		.help = "firewall mark of outer packets",
	},
	{
		.word = "allowed-ips", .type = PARSE_PREFIXES,
		.attr = MPTUN_A_TUNNEL_ALLOWED_IPS, .max = 1280, .none = "any",
		.value = "PREFIX[,PREFIX...]|any", .standard = "any",
		.help = "source addresses that packets of the peer may have",
	},
	{
		.word = "mtu", .type = PARSE_SIZE, .attr = MPTUN_A_TUNNEL_MTU,
		.max = UINT32_MAX, .none = "auto", .value = "BYTES|auto",
		.standard = "auto",
		.help = "MTU of the interface; auto follows what the paths carry",
	},
	{
		.word = "frag", .type = PARSE_ENUM, .attr = MPTUN_A_TUNNEL_FRAG,
		.max = 2, .names = &names_frag_mode, .value = "MODE",
		.standard = "auto",
		.help = "when packets larger than a path carries are cut for it",
	},
	{
		.word = "mss-clamp", .type = PARSE_ENUM,
		.attr = MPTUN_A_TUNNEL_MSS_CLAMP, .max = 1,
		.names = &names_mss_clamp_mode, .value = "MODE",
		.standard = "off",
		.help = "lower the MSS of inner TCP connections to what the MTU allows",
	},
};

const struct parse_table keyword_set = {
	set_keys, ARRAY_SIZE(set_keys)
};

static const struct parse_key key_keys[] = {
	[KEYWORD_KEY_GRACE] = {
		.word = "grace", .type = PARSE_SECONDS,
		.attr = MPTUN_A_TUNNEL_KEY_GRACE, .max = 86400,
		.value = "SECONDS", .standard = "60s",
		.help = "time for which the previous key is still accepted",
	},
};

const struct parse_table keyword_key = {
	key_keys, ARRAY_SIZE(key_keys)
};

static const struct parse_key path_keys[] = {
	{
		.word = "remote", .type = PARSE_ADDR,
		.attr = MPTUN_A_PATH_REMOTE4, .attr6 = MPTUN_A_PATH_REMOTE6,
		.attr_scope = MPTUN_A_PATH_REMOTE_SCOPE, .host = true,
		.value = "ADDR|HOST",
		.help = "address or host name of the peer; a link-local address as ADDR%DEV",
	},
	{
		.word = "port", .type = PARSE_U16,
		.attr = MPTUN_A_PATH_REMOTE_PORT, .min = 1, .max = 65535,
		.value = "N", .standard = "4725",
		.help = "UDP port of the peer",
	},
	{
		.word = "local", .type = PARSE_ADDR,
		.attr = MPTUN_A_PATH_LOCAL4, .attr6 = MPTUN_A_PATH_LOCAL6,
		.none = "any", .value = "ADDR|any", .standard = "any",
		.help = "local address, or any for the choice of the route",
	},
	{
		.word = "local-port", .type = PARSE_U16,
		.attr = MPTUN_A_PATH_LOCAL_PORT, .min = 1, .max = 65535,
		.value = "N", .standard = "port of the tunnel",
		.help = "local UDP port",
	},
	{
		.word = "dev", .type = PARSE_NAME, .attr = MPTUN_A_PATH_DEV,
		.max = 15, .none = "none", .value = "DEV|none",
		.standard = "none",
		.help = "device that the path is bound to, which need not exist yet",
	},
	{
		.word = "weight", .type = PARSE_U32,
		.attr = MPTUN_A_PATH_WEIGHT, .min = 1, .max = 65535,
		.value = "N", .standard = "1",
		.help = "share of the path with schedulers wrr, wrr-auto and flow",
	},
	{
		.word = "priority", .type = PARSE_U32,
		.attr = MPTUN_A_PATH_PRIORITY, .max = 255, .value = "N",
		.standard = "0",
		.help = "the path is used only while no usable path has a lower number",
	},
	{
		.word = "spill", .type = PARSE_TIME, .attr = MPTUN_A_PATH_SPILL,
		.max = UINT32_MAX, .most = "off", .value = "TIME|off",
		.standard = "off",
		.help = "take excess traffic of lower priority numbers once they were full for TIME",
	},
	{
		.word = "backup", .type = PARSE_BOOL,
		.attr = MPTUN_A_PATH_BACKUP, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "use the path only while no other path is usable",
	},
	{
		.word = "cap", .type = PARSE_VOLUME, .attr = MPTUN_A_PATH_CAP,
		.max = UINT64_MAX, .none = "none", .value = "SIZE|none",
		.standard = "none",
		.help = "data cap in both directions, until used is reset",
	},
	{
		.word = "cap-action", .type = PARSE_ENUM,
		.attr = MPTUN_A_PATH_CAP_ACTION, .max = 2,
		.names = &names_cap_action, .value = "ACTION",
		.standard = "stop",
		.help = "what happens when used reaches the cap",
	},
	{
		.word = "used", .type = PARSE_VOLUME, .attr = MPTUN_A_PATH_USED,
		.max = UINT64_MAX, .value = "SIZE", .standard = "0",
		.help = "volume that counts against the cap, 0 when a new period begins",
	},
	{
		.word = "mtu", .type = PARSE_U32, .attr = MPTUN_A_PATH_MTU,
		.max = 65535, .least = 1280, .none = "auto", .value = "N|auto",
		.standard = "auto",
		.help = "upper bound of outer packets in bytes, or auto for the route's MTU",
	},
	{
		.word = "rate", .type = PARSE_RATE, .attr = MPTUN_A_PATH_RATE,
		.max = UINT64_MAX, .none = "none", .value = "RATE|none",
		.standard = "none",
		.help = "rate of controller fixed, upper limit of all other controllers",
	},
	{
		.word = "rate-down", .type = PARSE_RATE,
		.attr = MPTUN_A_PATH_RATE_DOWN, .max = UINT64_MAX,
		.none = "none", .value = "RATE|none", .standard = "none",
		.help = "upper limit of the rate at which the peer sends on the path",
	},
	{
		.word = "cc", .type = PARSE_NAME, .attr = MPTUN_A_PATH_CC,
		.max = 15, .names = &names_controller, .none = "default",
		.value = "NAME|default", .standard = "controller of the tunnel",
		.help = "congestion controller of the path",
	},
	{
		.word = "group", .type = PARSE_U32, .attr = MPTUN_A_PATH_GROUP,
		.max = UINT32_MAX, .value = "N", .standard = "0",
		.help = "paths of a group share a bottleneck, for cc lia and residual",
	},
	{
		.word = "keepalive", .type = PARSE_SECONDS,
		.attr = MPTUN_A_PATH_KEEPALIVE, .max = 65535, .least = 1,
		.none = "auto", .most = "off", .value = "SECONDS|auto|off",
		.standard = "auto",
		.help = "time between probes of an idle path",
	},
	{
		.word = "fwmark", .type = PARSE_U32,
		.attr = MPTUN_A_PATH_FWMARK, .max = UINT32_MAX, .least = 1,
		.none = "default", .value = "N|default", .standard = "default",
		.help = "firewall mark of outer packets of the path",
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

const struct parse_table keyword_path = {
	path_keys, ARRAY_SIZE(path_keys)
};

static const struct parse_key class_keys[] = {
	{
		.word = "mark", .type = PARSE_U32, .attr = MPTUN_A_CLASS_MARK,
		.max = UINT32_MAX, .value = "N",
		.help = "firewall mark of its packets, compared in the bits of mask",
	},
	{
		.word = "mask", .type = PARSE_U32, .attr = MPTUN_A_CLASS_MASK,
		.max = UINT32_MAX, .least = 1, .none = "any", .value = "N|any",
		.standard = "all bits if a mark is given, else any",
		.help = "bits of the mark to compare",
	},
	{
		.word = "dscp", .type = PARSE_U32, .attr = MPTUN_A_CLASS_DSCP,
		.max = 64, .names = &names_dscp, .most = "any",
		.value = "N|any", .standard = "any",
		.help = "DSCP of its packets, number or name",
	},
	{
		.word = "protocol", .type = PARSE_U32,
		.attr = MPTUN_A_CLASS_PROTOCOL, .max = 256,
		.names = &names_protocol, .most = "any", .value = "N|any",
		.standard = "any",
		.help = "IP protocol of its packets, number or name",
	},
	{
		.word = "port", .type = PARSE_U16, .attr = MPTUN_A_CLASS_PORT,
		.max = 65535, .least = 1, .none = "any", .value = "N|any",
		.standard = "any",
		.help = "source or destination port of its packets",
	},
	{
		.word = "policy", .type = PARSE_ENUM,
		.attr = MPTUN_A_CLASS_POLICY, .max = 3,
		.names = &names_class_policy, .value = "NAME",
		.standard = "aggregate", .help = "which paths its packets take",
	},
	{
		.word = "path", .type = PARSE_NAME, .attr = MPTUN_A_CLASS_PATH,
		.min = 1, .max = 15, .value = "NAME",
		.help = "path for policy pin, which need not exist yet",
	},
	{
		.word = "strict", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_STRICT, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "policy pin, drop packets while the path is not usable",
	},
	{
		.word = "paths", .type = PARSE_U32, .attr = MPTUN_A_CLASS_PATHS,
		.min = 1, .max = 32, .most = "all", .value = "N|all",
		.standard = "2",
		.help = "policy duplicate, number of paths that each packet takes",
	},
	{
		.word = "order", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_ORDER, .max = 1, .value = "on|off",
		.standard = "on",
		.help = "the receiver puts the packets in order",
	},
	{
		.word = "repair", .type = PARSE_ENUM,
		.attr = MPTUN_A_CLASS_REPAIR, .max = 2,
		.names = &names_repair_mode, .value = "MODE",
		.standard = "auto",
		.help = "retransmit lost packets; also for class 0",
	},
	{
		.word = "playout", .type = PARSE_BOOL,
		.attr = MPTUN_A_CLASS_PLAYOUT, .max = 1, .value = "on|off",
		.standard = "off",
		.help = "deliver with the delay of the slowest path; also for class 0",
	},
	{
		.word = "code", .type = PARSE_U32, .attr = MPTUN_A_CLASS_CODE,
		.max = 255, .least = 1, .highest = 100, .none = "auto",
		.most = "off", .value = "PERCENT|auto|off", .standard = "auto",
		.help = "send repair symbols; also for class 0",
	},
	{
		.word = "rate", .type = PARSE_RATE, .attr = MPTUN_A_CLASS_RATE,
		.max = UINT64_MAX, .none = "none", .value = "RATE|none",
		.standard = "none",
		.help = "drop packets of the class above this rate",
	},
};

const struct parse_table keyword_class = {
	class_keys, ARRAY_SIZE(class_keys)
};

static const struct parse_key show_keys[] = {
	[KEYWORD_SHOW_EVERY] = {
		.word = "every", .type = PARSE_TIME, .attr = 1000, .min = 10000,
		.max = 3600000000u, .value = "TIME",
		.help = "repeat, with rates measured in between",
	},
	[KEYWORD_SHOW_COUNT] = {
		.word = "count", .type = PARSE_U32, .attr = 1001, .min = 1,
		.max = UINT32_MAX, .value = "N", .standard = "no limit",
		.help = "stop after N repetitions",
	},
};

const struct parse_table keyword_show = {
	show_keys, ARRAY_SIZE(show_keys)
};

static const struct parse_key top_keys[] = {
	[KEYWORD_TOP_INTERVAL] = {
		.word = "-i", .type = PARSE_SPAN, .attr = 1000, .min = 100000,
		.max = 3600000000u, .value = "SPAN", .standard = "1s",
		.help = "interval between samples",
	},
	[KEYWORD_TOP_COUNT] = {
		.word = "-n", .type = PARSE_U32, .attr = 1001, .min = 1,
		.max = UINT32_MAX, .value = "N", .standard = "no limit",
		.help = "print N samples as text, also on a terminal",
	},
};

const struct parse_table keyword_top = {
	top_keys, ARRAY_SIZE(top_keys)
};

static const struct parse_key record_keys[] = {
	[KEYWORD_RECORD_INTERVAL] = {
		.word = "-i", .type = PARSE_SPAN, .attr = 1000, .min = 10000,
		.max = 3600000000u, .value = "SPAN", .standard = "1s",
		.help = "interval between samples",
	},
	[KEYWORD_RECORD_TIME] = {
		.word = "-t", .type = PARSE_SPAN, .attr = 1001, .min = 10000,
		.max = 31536000000000u, .value = "SPAN",
		.standard = "until interrupted", .help = "stop after this time",
	},
	[KEYWORD_RECORD_FILE] = {
		.word = "-o", .type = PARSE_FILE, .attr = 1002,
		.value = "FILE|-", .standard = "standard output",
		.help = "write to this file",
	},
};

const struct parse_table keyword_record = {
	record_keys, ARRAY_SIZE(record_keys)
};

static const struct parse_key test_keys[] = {
	[KEYWORD_TEST_TIME] = {
		.word = "-t", .type = PARSE_SPAN, .attr = 1000, .min = 1000000,
		.max = 3600000000u, .value = "SPAN", .standard = "5s",
		.help = "load each path for this time",
	},
};

const struct parse_table keyword_test = {
	test_keys, ARRAY_SIZE(test_keys)
};

static const struct parse_key server_keys[] = {
	[KEYWORD_SERVER_ENDPOINT] = {
		.word = "endpoint", .type = PARSE_ADDR, .attr = 1000,
		.host = true, .value = "ADDR|HOST",
		.help = "address or host name under which clients reach the server",
	},
	[KEYWORD_SERVER_PORT] = {
		.word = "port", .type = PARSE_U16, .attr = 1001, .min = 1,
		.max = 65535, .value = "N", .standard = "4725",
		.help = "UDP port of the server",
	},
	[KEYWORD_SERVER_POOL] = {
		.word = "pool", .type = PARSE_PREFIXES, .attr = 1002, .max = 40,
		.value = "PREFIX[,PREFIX]",
		.standard = "10.47.0.0/16 and a random /64 of fd00::/8",
		.help = "addresses inside the tunnels, an IPv4 and an IPv6 prefix or one of them",
	},
	[KEYWORD_SERVER_ROUTES] = {
		.word = "routes", .type = PARSE_PREFIXES, .attr = 1003,
		.max = 1280, .none = "default", .value = "PREFIX[,PREFIX...]",
		.standard = "default",
		.help = "what clients send through the tunnel",
	},
	[KEYWORD_SERVER_DNS] = {
		.word = "dns", .type = PARSE_PREFIXES, .attr = 1004, .max = 160,
		.value = "ADDR[,ADDR...]", .help = "resolvers of the clients",
	},
	[KEYWORD_SERVER_MASQUERADE] = {
		.word = "masquerade", .type = PARSE_BOOL, .attr = 1005,
		.value = "on|off", .standard = "on",
		.help = "clients reach other networks with the address of the server",
	},
};

const struct parse_table keyword_server = {
	server_keys, ARRAY_SIZE(server_keys)
};

static const struct parse_key client_keys[] = {
	[KEYWORD_CLIENT_ADDRESS] = {
		.word = "-address", .type = PARSE_PREFIXES, .attr = 1000,
		.max = 40, .value = "ADDR[,ADDR]",
		.standard = "the next that are free",
		.help = "addresses of the client out of the pool, one of each version of IP",
	},
	[KEYWORD_CLIENT_QR] = {
		.word = "-qr", .type = PARSE_FLAG, .attr = 1001, .min = 1,
		.max = 1, .help = "print the file of the client as a QR code",
	},
};

const struct parse_table keyword_client = {
	client_keys, ARRAY_SIZE(client_keys)
};

static const struct parse_key export_keys[] = {
	[KEYWORD_EXPORT_QR] = {
		.word = "-qr", .type = PARSE_FLAG, .attr = 1000, .min = 1,
		.max = 1, .help = "print the file as a QR code",
	},
};

const struct parse_table keyword_export = {
	export_keys, ARRAY_SIZE(export_keys)
};

const struct parse_key keyword_class_id = {
	.word = "the number of a class", .type = PARSE_U32,
	.attr = MPTUN_A_CLASS_ID, .min = 0, .max = 15,
};
