// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes that the kernel sends: names, units, meaning.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Generated from the netlink specs by tools/spec/regen.sh, do not edit.
 */
#include <stdint.h>

#include <linux/mptun.h>
#include <linux/mptun_link.h>

#include "lib/field.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const cipher_names[] = {
	[MPTUN_CIPHER_CLEAR] = "clear",
	[MPTUN_CIPHER_CHACHA20_POLY1305] = "chacha20-poly1305",
	[MPTUN_CIPHER_AES_GCM] = "aes-gcm",
	[MPTUN_CIPHER_AUTH_ONLY] = "auth-only",
};

const struct names names_cipher = {
	cipher_names, ARRAY_SIZE(cipher_names)
};

static const char *const assoc_state_names[] = {
	[MPTUN_ASSOC_STATE_CLOSED] = "closed",
	[MPTUN_ASSOC_STATE_OPENING] = "opening",
	[MPTUN_ASSOC_STATE_ESTABLISHED] = "established",
};

const struct names names_assoc_state = {
	assoc_state_names, ARRAY_SIZE(assoc_state_names)
};

static const char *const path_state_names[] = {
	[MPTUN_PATH_STATE_NEW] = "new",
	[MPTUN_PATH_STATE_PROBING] = "probing",
	[MPTUN_PATH_STATE_UP] = "up",
	[MPTUN_PATH_STATE_SUSPECT] = "suspect",
	[MPTUN_PATH_STATE_DOWN] = "down",
	[MPTUN_PATH_STATE_NOROUTE] = "noroute",
	[MPTUN_PATH_STATE_OFF] = "off",
	[MPTUN_PATH_STATE_DRAINING] = "draining",
};

const struct names names_path_state = {
	path_state_names, ARRAY_SIZE(path_state_names)
};

static const char *const pmtu_state_names[] = {
	[MPTUN_PMTU_STATE_BASE] = "base",
	[MPTUN_PMTU_STATE_SEARCH] = "search",
	[MPTUN_PMTU_STATE_COMPLETE] = "complete",
	[MPTUN_PMTU_STATE_ERROR] = "error",
};

const struct names names_pmtu_state = {
	pmtu_state_names, ARRAY_SIZE(pmtu_state_names)
};

static const char *const path_reason_names[] = {
	[MPTUN_PATH_REASON_NONE] = "none",
	[MPTUN_PATH_REASON_ADDED] = "added",
	[MPTUN_PATH_REASON_LEARNED] = "learned",
	[MPTUN_PATH_REASON_ASSOCIATED] = "associated",
	[MPTUN_PATH_REASON_ANSWERED] = "answered",
	[MPTUN_PATH_REASON_ACKNOWLEDGED] = "acknowledged",
	[MPTUN_PATH_REASON_TIMEOUT] = "timeout",
	[MPTUN_PATH_REASON_CARRIER] = "carrier",
	[MPTUN_PATH_REASON_DEVICE] = "device",
	[MPTUN_PATH_REASON_ADDRESS] = "address",
	[MPTUN_PATH_REASON_ROUTE] = "route",
	[MPTUN_PATH_REASON_LOOP] = "loop",
	[MPTUN_PATH_REASON_ADMIN] = "admin",
	[MPTUN_PATH_REASON_PEER] = "peer",
};

const struct names names_path_reason = {
	path_reason_names, ARRAY_SIZE(path_reason_names)
};

static const char *const frag_mode_names[] = {
	[MPTUN_FRAG_MODE_AUTO] = "auto",
	[MPTUN_FRAG_MODE_ON] = "on",
	[MPTUN_FRAG_MODE_OFF] = "off",
};

const struct names names_frag_mode = {
	frag_mode_names, ARRAY_SIZE(frag_mode_names)
};

static const char *const mss_clamp_mode_names[] = {
	[MPTUN_MSS_CLAMP_MODE_OFF] = "off",
	[MPTUN_MSS_CLAMP_MODE_AUTO] = "auto",
};

const struct names names_mss_clamp_mode = {
	mss_clamp_mode_names, ARRAY_SIZE(mss_clamp_mode_names)
};

static const char *const reorder_mode_names[] = {
	[MPTUN_REORDER_MODE_OFF] = "off",
	[MPTUN_REORDER_MODE_FIXED] = "fixed",
	[MPTUN_REORDER_MODE_ADAPTIVE] = "adaptive",
	[MPTUN_REORDER_MODE_PSMC] = "psmc",
};

const struct names names_reorder_mode = {
	reorder_mode_names, ARRAY_SIZE(reorder_mode_names)
};

static const char *const cap_action_names[] = {
	[MPTUN_CAP_ACTION_STOP] = "stop",
	[MPTUN_CAP_ACTION_BACKUP] = "backup",
	[MPTUN_CAP_ACTION_NOTIFY] = "notify",
};

const struct names names_cap_action = {
	cap_action_names, ARRAY_SIZE(cap_action_names)
};

static const char *const cap_state_names[] = {
	[MPTUN_CAP_STATE_NONE] = "none",
	[MPTUN_CAP_STATE_OPEN] = "open",
	[MPTUN_CAP_STATE_NEAR] = "near",
	[MPTUN_CAP_STATE_REACHED] = "reached",
};

const struct names names_cap_state = {
	cap_state_names, ARRAY_SIZE(cap_state_names)
};

static const char *const policy_state_names[] = {
	[MPTUN_POLICY_STATE_UNKNOWN] = "unknown",
	[MPTUN_POLICY_STATE_FOLLOWED] = "followed",
	[MPTUN_POLICY_STATE_IGNORED] = "ignored",
};

const struct names names_policy_state = {
	policy_state_names, ARRAY_SIZE(policy_state_names)
};

static const char *const class_policy_names[] = {
	[MPTUN_CLASS_POLICY_AGGREGATE] = "aggregate",
	[MPTUN_CLASS_POLICY_DUPLICATE] = "duplicate",
	[MPTUN_CLASS_POLICY_PIN] = "pin",
	[MPTUN_CLASS_POLICY_NEAREST] = "nearest",
};

const struct names names_class_policy = {
	class_policy_names, ARRAY_SIZE(class_policy_names)
};

static const char *const repair_mode_names[] = {
	[MPTUN_REPAIR_MODE_OFF] = "off",
	[MPTUN_REPAIR_MODE_ON] = "on",
	[MPTUN_REPAIR_MODE_AUTO] = "auto",
};

const struct names names_repair_mode = {
	repair_mode_names, ARRAY_SIZE(repair_mode_names)
};

static const char *const scheduler_names[] = {
	"auto",
	"greedy",
	"ecf",
	"flow",
	"redundant",
	"wrr",
	"wrr-auto",
};

const struct names names_scheduler = {
	scheduler_names, ARRAY_SIZE(scheduler_names)
};

static const char *const controller_names[] = {
	"newreno",
	"cubic",
	"lia",
	"residual",
	"delay",
	"bbr",
	"fixed",
	"none",
};

const struct names names_controller = {
	controller_names, ARRAY_SIZE(controller_names)
};

static const struct field tunnel_fields[] = {
	{
		.name = "ifindex", .attr = MPTUN_A_TUNNEL_IFINDEX,
		.type = FIELD_U32, .doc = "index of the tunnel's interface",
	},
	{
		.name = "ifname", .attr = MPTUN_A_TUNNEL_IFNAME,
		.type = FIELD_STRING,
		.doc = "name of the tunnel's interface, an alternative to ifindex",
	},
	{
		.name = "pad", .attr = MPTUN_A_TUNNEL_PAD, .type = FIELD_PAD,
	},
	{
		.name = "port", .attr = MPTUN_A_TUNNEL_PORT, .type = FIELD_U16,
		.setting = true,
		.doc = "local UDP port, shared by any number of tunnels",
	},
	{
		.name = "id", .attr = MPTUN_A_TUNNEL_ID, .type = FIELD_U32,
		.setting = true,
		.doc = "number by which the peer addresses this tunnel, with cipher clear only",
	},
	{
		.name = "peer-id", .attr = MPTUN_A_TUNNEL_PEER_ID,
		.type = FIELD_U32, .setting = true,
		.doc = "number by which this tunnel addresses its peer, with cipher clear only",
	},
	{
		.name = "sched", .attr = MPTUN_A_TUNNEL_SCHED,
		.type = FIELD_STRING, .setting = true,
		.doc = "name of the scheduler, which places packets on paths",
	},
	{
		.name = "cc", .attr = MPTUN_A_TUNNEL_CC, .type = FIELD_STRING,
		.setting = true,
		.doc = "name of the congestion controller of all paths that do not name one",
	},
	{
		.name = "reorder", .attr = MPTUN_A_TUNNEL_REORDER,
		.type = FIELD_U32, .setting = true,
		.names = &names_reorder_mode,
		.doc = "how received packets are put in order",
	},
	{
		.name = "hold", .attr = MPTUN_A_TUNNEL_HOLD, .type = FIELD_U32,
		.unit = UNIT_US, .setting = true,
		.doc = "longest time that a packet waits for a missing one, in microseconds; the hold time of mode fixed, the upper limit of mode adaptive",
	},
	{
		.name = "buffer", .attr = MPTUN_A_TUNNEL_BUFFER,
		.type = FIELD_U32, .unit = UNIT_BYTES, .setting = true,
		.doc = "memory limit of the reorder buffer, in bytes",
	},
	{
		.name = "learn", .attr = MPTUN_A_TUNNEL_LEARN, .type = FIELD_U8,
		.unit = UNIT_BOOL, .setting = true,
		.doc = "1 to accept paths that the peer opens, 0 to refuse them",
	},
	{
		.name = "cipher", .attr = MPTUN_A_TUNNEL_CIPHER,
		.type = FIELD_U32, .setting = true, .names = &names_cipher,
		.doc = "how packets are protected",
	},
	{
		.name = "key-grace", .attr = MPTUN_A_TUNNEL_KEY_GRACE,
		.type = FIELD_U32, .unit = UNIT_S, .none = "none",
		.doc = "time for which the previous key is still accepted, in seconds; when read, the time left",
	},
	{
		.name = "key-fingerprint",
		.attr = MPTUN_A_TUNNEL_KEY_FINGERPRINT, .type = FIELD_U64,
		.unit = UNIT_HEX, .none = "none",
		.doc = "hash that distinguishes keys without revealing them, 0 while no key is set",
	},
	{
		.name = "rekey", .attr = MPTUN_A_TUNNEL_REKEY,
		.type = FIELD_U32, .unit = UNIT_S, .setting = true,
		.doc = "time after its first data when a session gets new keys, in seconds",
	},
	{
		.name = "dscp", .attr = MPTUN_A_TUNNEL_DSCP, .type = FIELD_U32,
		.setting = true, .other = "inherit",
		.other_value = MPTUN_DSCP_INHERIT,
		.doc = "DSCP of outer packets, dscp-inherit to copy that of the inner packet; the DSCP of inner packets never changes",
	},
	{
		.name = "sessions", .attr = MPTUN_A_TUNNEL_SESSIONS,
		.type = FIELD_U32,
		.doc = "number of sessions (sets of keys) since the tunnel was created",
	},
	{
		.name = "session-age", .attr = MPTUN_A_TUNNEL_SESSION_AGE,
		.type = FIELD_U32, .unit = UNIT_MS,
		.doc = "age of the session used for sending, in milliseconds",
	},
	{
		.name = "state", .attr = MPTUN_A_TUNNEL_STATE,
		.type = FIELD_U32, .names = &names_assoc_state,
		.doc = "state of the association with the peer",
	},
	{
		.name = "instance", .attr = MPTUN_A_TUNNEL_INSTANCE,
		.type = FIELD_U64, .unit = UNIT_HEX,
		.doc = "our instance id, new whenever the tunnel is created or reset",
	},
	{
		.name = "peer-instance", .attr = MPTUN_A_TUNNEL_PEER_INSTANCE,
		.type = FIELD_U64, .unit = UNIT_HEX, .none = "unknown",
		.doc = "the peer's instance id, 0 while unknown",
	},
	{
		.name = "paths", .attr = MPTUN_A_TUNNEL_PATHS,
		.type = FIELD_U32, .key = "path_count",
		.doc = "number of paths",
	},
	{
		.name = "paths-up", .attr = MPTUN_A_TUNNEL_PATHS_UP,
		.type = FIELD_U32, .doc = "number of paths that carry data",
	},
	{
		.name = "associations", .attr = MPTUN_A_TUNNEL_ASSOCIATIONS,
		.type = FIELD_U32,
		.doc = "number of associations since the tunnel was created",
	},
	{
		.name = "hold-now", .attr = MPTUN_A_TUNNEL_HOLD_NOW,
		.type = FIELD_U32, .unit = UNIT_US,
		.doc = "hold time in force, in microseconds",
	},
	{
		.name = "reordering", .attr = MPTUN_A_TUNNEL_REORDERING,
		.type = FIELD_NEST, .nest = &schema_reorder_stats,
		.doc = "figures of the reorder buffer",
	},
	{
		.name = "drops", .attr = MPTUN_A_TUNNEL_DROPS,
		.type = FIELD_NEST, .nest = &schema_drop_stats,
		.doc = "packets dropped, by reason",
	},
	{
		.name = "port-drops", .attr = MPTUN_A_TUNNEL_PORT_DROPS,
		.type = FIELD_NEST, .nest = &schema_drop_stats,
		.doc = "packets dropped on the ports of the tunnel and its paths before their tunnel was known, by reason",
	},
	{
		.name = "spread-sealed", .attr = MPTUN_A_TUNNEL_SPREAD_SEALED,
		.type = FIELD_U64,
		.doc = "packets and runs of packets that helper processors encrypted",
	},
	{
		.name = "spread-opened", .attr = MPTUN_A_TUNNEL_SPREAD_OPENED,
		.type = FIELD_U64,
		.doc = "packets that helper processors decrypted",
	},
	{
		.name = "park", .attr = MPTUN_A_TUNNEL_PARK, .type = FIELD_U32,
		.setting = true, .none = "off",
		.doc = "suspend a path that carries less than 1/park of the mean of the other paths, except for trials; 0 for never, which also keeps high-latency paths in use",
	},
	{
		.name = "auto-group", .attr = MPTUN_A_TUNNEL_AUTO_GROUP,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "1 to detect which paths of group 0 share a bottleneck, 0 to treat them as one group",
	},
	{
		.name = "allowed-ips", .attr = MPTUN_A_TUNNEL_ALLOWED_IPS,
		.type = FIELD_PREFIXES, .setting = true,
		.doc = "prefixes that the inner source addresses of received packets must belong to, empty for any; each entry has one byte with the version of IP, one with the length of the prefix, two zeros, and 16 bytes with the address, of IPv4 in the first four",
	},
	{
		.name = "fwmark", .attr = MPTUN_A_TUNNEL_FWMARK,
		.type = FIELD_U32, .setting = true, .none = "off",
		.doc = "firewall mark of outer packets, also for their routes; 0 for none",
	},
	{
		.name = "follow", .attr = MPTUN_A_TUNNEL_FOLLOW,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "1 to use paths that the peer opened as it says, and by the names it gives them",
	},
	{
		.name = "psmc-factor", .attr = MPTUN_A_TUNNEL_PSMC_FACTOR,
		.type = FIELD_U32, .setting = true,
		.doc = "number of held packets at which reorder psmc gives up, in percent of its lower bound",
	},
	{
		.name = "psmc-period", .attr = MPTUN_A_TUNNEL_PSMC_PERIOD,
		.type = FIELD_U32, .unit = UNIT_US, .setting = true,
		.doc = "time after which reorder psmc measures its bounds again, in microseconds",
	},
	{
		.name = "mtu", .attr = MPTUN_A_TUNNEL_MTU, .type = FIELD_U32,
		.unit = UNIT_BYTES, .setting = true, .none = "auto",
		.doc = "MTU of the device as it was set, in bytes; 0 to follow what the paths carry, with the usual message about each change",
	},
	{
		.name = "mtu-now", .attr = MPTUN_A_TUNNEL_MTU_NOW,
		.type = FIELD_U32, .unit = UNIT_BYTES, .setting = true,
		.doc = "MTU of the device now, in bytes",
	},
	{
		.name = "frag", .attr = MPTUN_A_TUNNEL_FRAG, .type = FIELD_U32,
		.setting = true, .names = &names_frag_mode,
		.doc = "when packets that are larger than a path carries are cut",
	},
	{
		.name = "mss-clamp", .attr = MPTUN_A_TUNNEL_MSS_CLAMP,
		.type = FIELD_U32, .setting = true,
		.names = &names_mss_clamp_mode,
		.doc = "whether the MSS of TCP inside is lowered to what fits",
	},
	{
		.name = "sched-now", .attr = MPTUN_A_TUNNEL_SCHED_NOW,
		.type = FIELD_STRING, .doc = "name of the scheduler in force",
	},
};

const struct schema schema_tunnel = {
	"tunnel", tunnel_fields, ARRAY_SIZE(tunnel_fields)
};

static const struct field reorder_stats_fields[] = {
	{
		.name = "pad", .attr = MPTUN_A_REORDER_STATS_PAD,
		.type = FIELD_PAD,
	},
	{
		.name = "held-packets",
		.attr = MPTUN_A_REORDER_STATS_HELD_PACKETS, .type = FIELD_U32,
		.doc = "packets waiting now",
	},
	{
		.name = "held-bytes", .attr = MPTUN_A_REORDER_STATS_HELD_BYTES,
		.type = FIELD_U32, .unit = UNIT_BYTES,
		.doc = "memory of the packets waiting now, in bytes",
	},
	{
		.name = "slots", .attr = MPTUN_A_REORDER_STATS_SLOTS,
		.type = FIELD_U32, .doc = "size of the buffer, in packets",
	},
	{
		.name = "in-order", .attr = MPTUN_A_REORDER_STATS_IN_ORDER,
		.type = FIELD_U64, .doc = "packets delivered without waiting",
	},
	{
		.name = "held", .attr = MPTUN_A_REORDER_STATS_HELD,
		.type = FIELD_U64, .doc = "packets that had to wait",
	},
	{
		.name = "released", .attr = MPTUN_A_REORDER_STATS_RELEASED,
		.type = FIELD_U64,
		.doc = "packets released because the missing one arrived",
	},
	{
		.name = "given-up-evidence",
		.attr = MPTUN_A_REORDER_STATS_GIVEN_UP_EVIDENCE,
		.type = FIELD_U64,
		.doc = "missing packets given up because their path proved the loss",
	},
	{
		.name = "given-up-floor",
		.attr = MPTUN_A_REORDER_STATS_GIVEN_UP_FLOOR, .type = FIELD_U64,
		.doc = "missing packets given up because the sender reported them lost",
	},
	{
		.name = "given-up-time",
		.attr = MPTUN_A_REORDER_STATS_GIVEN_UP_TIME, .type = FIELD_U64,
		.doc = "missing packets given up because the hold time expired",
	},
	{
		.name = "given-up-size",
		.attr = MPTUN_A_REORDER_STATS_GIVEN_UP_SIZE, .type = FIELD_U64,
		.doc = "missing packets given up because the buffer or its memory was full",
	},
	{
		.name = "given-up-psmc",
		.attr = MPTUN_A_REORDER_STATS_GIVEN_UP_PSMC, .type = FIELD_U64,
		.doc = "missing packets given up by the rule of mode psmc",
	},
	{
		.name = "late", .attr = MPTUN_A_REORDER_STATS_LATE,
		.type = FIELD_U64,
		.doc = "packets delivered after they had been given up",
	},
	{
		.name = "duplicates", .attr = MPTUN_A_REORDER_STATS_DUPLICATES,
		.type = FIELD_U64,
		.doc = "packets dropped because they had been received before",
	},
	{
		.name = "too-old", .attr = MPTUN_A_REORDER_STATS_TOO_OLD,
		.type = FIELD_U64,
		.doc = "packets dropped because they were older than the buffer",
	},
	{
		.name = "through", .attr = MPTUN_A_REORDER_STATS_THROUGH,
		.type = FIELD_U64,
		.doc = "packets passed on because another packet already waits for their predecessor",
	},
	{
		.name = "resets", .attr = MPTUN_A_REORDER_STATS_RESETS,
		.type = FIELD_U64,
		.doc = "times the buffer was reset by a jump of the sequence number",
	},
	{
		.name = "target", .attr = MPTUN_A_REORDER_STATS_TARGET,
		.type = FIELD_U32,
		.doc = "number of held packets at which mode psmc gives up",
	},
	{
		.name = "hold-histogram",
		.attr = MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM,
		.type = FIELD_LIST,
		.doc = "histogram of the times that packets waited, histogram-slots u64 values",
	},
	{
		.name = "playout-delay",
		.attr = MPTUN_A_REORDER_STATS_PLAYOUT_DELAY, .type = FIELD_U32,
		.unit = UNIT_US,
		.doc = "delay of classes with playout above the smallest delay of any path, in microseconds",
	},
	{
		.name = "playout-packets",
		.attr = MPTUN_A_REORDER_STATS_PLAYOUT_PACKETS,
		.type = FIELD_U32,
		.doc = "packets in order that wait for this delay now",
	},
	{
		.name = "played-out", .attr = MPTUN_A_REORDER_STATS_PLAYED_OUT,
		.type = FIELD_U64,
		.doc = "packets in order that waited for this delay",
	},
	{
		.name = "played-out-early",
		.attr = MPTUN_A_REORDER_STATS_PLAYED_OUT_EARLY,
		.type = FIELD_U64,
		.doc = "packets delivered before this delay because too many waited",
	},
	{
		.name = "symbols", .attr = MPTUN_A_REORDER_STATS_SYMBOLS,
		.type = FIELD_U64, .doc = "repair symbols that arrived",
	},
	{
		.name = "symbols-useless",
		.attr = MPTUN_A_REORDER_STATS_SYMBOLS_USELESS,
		.type = FIELD_U64, .doc = "those of packets that had arrived",
	},
	{
		.name = "symbols-late",
		.attr = MPTUN_A_REORDER_STATS_SYMBOLS_LATE, .type = FIELD_U64,
		.doc = "those of packets no longer known, too far ahead or too long",
	},
	{
		.name = "symbols-missed",
		.attr = MPTUN_A_REORDER_STATS_SYMBOLS_MISSED, .type = FIELD_U64,
		.doc = "those for which there was no decoder yet, or no memory",
	},
	{
		.name = "symbols-wrong",
		.attr = MPTUN_A_REORDER_STATS_SYMBOLS_WRONG, .type = FIELD_U64,
		.doc = "times that symbols contradicted packets or each other",
	},
	{
		.name = "decoded", .attr = MPTUN_A_REORDER_STATS_DECODED,
		.type = FIELD_U64,
		.doc = "lost packets computed from repair symbols",
	},
	{
		.name = "undecoded", .attr = MPTUN_A_REORDER_STATS_UNDECODED,
		.type = FIELD_U64,
		.doc = "lost packets for which too few repair symbols arrived",
	},
};

const struct schema schema_reorder_stats = {
	"reorder-stats", reorder_stats_fields, ARRAY_SIZE(reorder_stats_fields)
};

static const struct field drop_stats_fields[] = {
	{
		.name = "pad", .attr = MPTUN_A_DROP_STATS_PAD,
		.type = FIELD_PAD,
	},
	{
		.name = "tx-not-ip", .attr = MPTUN_A_DROP_STATS_TX_NOT_IP,
		.type = FIELD_U64,
		.doc = "packet to send was neither IPv4 nor IPv6",
	},
	{
		.name = "tx-no-path", .attr = MPTUN_A_DROP_STATS_TX_NO_PATH,
		.type = FIELD_U64, .doc = "no path was usable",
	},
	{
		.name = "tx-too-big", .attr = MPTUN_A_DROP_STATS_TX_TOO_BIG,
		.type = FIELD_U64, .doc = "larger than any usable path carries",
	},
	{
		.name = "tx-no-memory", .attr = MPTUN_A_DROP_STATS_TX_NO_MEMORY,
		.type = FIELD_U64, .doc = "out of memory on transmission",
	},
	{
		.name = "tx-no-session",
		.attr = MPTUN_A_DROP_STATS_TX_NO_SESSION, .type = FIELD_U64,
		.doc = "no keys to encrypt it with",
	},
	{
		.name = "tx-no-route", .attr = MPTUN_A_DROP_STATS_TX_NO_ROUTE,
		.type = FIELD_U64,
		.doc = "the route to the remote was lost after the path was chosen",
	},
	{
		.name = "rx-short", .attr = MPTUN_A_DROP_STATS_RX_SHORT,
		.type = FIELD_U64, .doc = "shorter than its headers",
	},
	{
		.name = "rx-version", .attr = MPTUN_A_DROP_STATS_RX_VERSION,
		.type = FIELD_U64, .doc = "unknown version, type or flags",
	},
	{
		.name = "rx-kind", .attr = MPTUN_A_DROP_STATS_RX_KIND,
		.type = FIELD_U64, .doc = "unknown kind of packet",
	},
	{
		.name = "rx-no-association",
		.attr = MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION, .type = FIELD_U64,
		.doc = "arrived before the association was established",
	},
	{
		.name = "rx-no-path", .attr = MPTUN_A_DROP_STATS_RX_NO_PATH,
		.type = FIELD_U64, .doc = "belongs to no known path",
	},
	{
		.name = "rx-source", .attr = MPTUN_A_DROP_STATS_RX_SOURCE,
		.type = FIELD_U64,
		.doc = "came from another address than the remote of its path",
	},
	{
		.name = "rx-replay", .attr = MPTUN_A_DROP_STATS_RX_REPLAY,
		.type = FIELD_U64,
		.doc = "its packet number was received before or is too old",
	},
	{
		.name = "rx-malformed", .attr = MPTUN_A_DROP_STATS_RX_MALFORMED,
		.type = FIELD_U64, .doc = "the body does not parse",
	},
	{
		.name = "rx-not-ip", .attr = MPTUN_A_DROP_STATS_RX_NOT_IP,
		.type = FIELD_U64,
		.doc = "the inner packet is neither IPv4 nor IPv6",
	},
	{
		.name = "rx-no-memory", .attr = MPTUN_A_DROP_STATS_RX_NO_MEMORY,
		.type = FIELD_U64, .doc = "out of memory on reception",
	},
	{
		.name = "rx-reflected", .attr = MPTUN_A_DROP_STATS_RX_REFLECTED,
		.type = FIELD_U64, .doc = "carries our own instance id",
	},
	{
		.name = "rx-handshake", .attr = MPTUN_A_DROP_STATS_RX_HANDSHAKE,
		.type = FIELD_U64,
		.doc = "handshake message (INIT, RESPONSE or COOKIE) that does not fit the state",
	},
	{
		.name = "rx-path-limit",
		.attr = MPTUN_A_DROP_STATS_RX_PATH_LIMIT, .type = FIELD_U64,
		.doc = "the peer opened more paths than are allowed",
	},
	{
		.name = "rx-unknown", .attr = MPTUN_A_DROP_STATS_RX_UNKNOWN,
		.type = FIELD_U64,
		.doc = "names no tunnel (counted for the port)",
	},
	{
		.name = "rx-overrun", .attr = MPTUN_A_DROP_STATS_RX_OVERRUN,
		.type = FIELD_U64,
		.doc = "arrived faster than the host could process it",
	},
	{
		.name = "rx-jump", .attr = MPTUN_A_DROP_STATS_RX_JUMP,
		.type = FIELD_U64,
		.doc = "its number is out of sequence and the following packets do not confirm it yet",
	},
	{
		.name = "rx-auth", .attr = MPTUN_A_DROP_STATS_RX_AUTH,
		.type = FIELD_U64, .doc = "wrong authentication tag",
	},
	{
		.name = "rx-mac", .attr = MPTUN_A_DROP_STATS_RX_MAC,
		.type = FIELD_U64,
		.doc = "handshake whose sender does not know the key",
	},
	{
		.name = "rx-rate", .attr = MPTUN_A_DROP_STATS_RX_RATE,
		.type = FIELD_U64,
		.doc = "too many handshakes from one source, or under load",
	},
	{
		.name = "rx-ecn", .attr = MPTUN_A_DROP_STATS_RX_ECN,
		.type = FIELD_U64,
		.doc = "marked CE though its flow does not support ECN",
	},
	{
		.name = "tx-nested", .attr = MPTUN_A_DROP_STATS_TX_NESTED,
		.type = FIELD_U64,
		.doc = "packet of a tunnel inside too many others",
	},
	{
		.name = "rx-not-allowed",
		.attr = MPTUN_A_DROP_STATS_RX_NOT_ALLOWED, .type = FIELD_U64,
		.doc = "the inner source address is not in allowed-ips",
	},
	{
		.name = "tx-class-rate",
		.attr = MPTUN_A_DROP_STATS_TX_CLASS_RATE, .type = FIELD_U64,
		.doc = "above the rate of its class",
	},
	{
		.name = "rx-fragment", .attr = MPTUN_A_DROP_STATS_RX_FRAGMENT,
		.type = FIELD_U64,
		.doc = "fragment of a packet that never became complete",
	},
	{
		.name = "rx-probe-limit",
		.attr = MPTUN_A_DROP_STATS_RX_PROBE_LIMIT, .type = FIELD_U64,
		.doc = "the peer probes too many unknown paths at once",
	},
};

const struct schema schema_drop_stats = {
	"drop-stats", drop_stats_fields, ARRAY_SIZE(drop_stats_fields)
};

static const struct field path_fields[] = {
	{
		.name = "ifindex", .attr = MPTUN_A_PATH_IFINDEX,
		.type = FIELD_U32, .doc = "index of the tunnel's interface",
	},
	{
		.name = "ifname", .attr = MPTUN_A_PATH_IFNAME,
		.type = FIELD_STRING,
		.doc = "name of the tunnel's interface, an alternative to ifindex",
	},
	{
		.name = "pad", .attr = MPTUN_A_PATH_PAD, .type = FIELD_PAD,
	},
	{
		.name = "name", .attr = MPTUN_A_PATH_NAME, .type = FIELD_STRING,
		.doc = "name of the path, unique within its tunnel",
	},
	{
		.name = "id", .attr = MPTUN_A_PATH_ID, .type = FIELD_U32,
		.none = "none",
		.doc = "number of the path on the wire, 0 while there is none",
	},
	{
		.name = "remote4", .attr = MPTUN_A_PATH_REMOTE4,
		.type = FIELD_BINARY4, .key = "remote",
		.doc = "IPv4 address of the peer, network byte order",
	},
	{
		.name = "remote6", .attr = MPTUN_A_PATH_REMOTE6,
		.type = FIELD_BINARY6, .key = "remote",
		.doc = "IPv6 address of the peer, network byte order",
	},
	{
		.name = "remote-scope", .attr = MPTUN_A_PATH_REMOTE_SCOPE,
		.type = FIELD_U32,
		.doc = "interface index of a link-local IPv6 remote, or of the VRF through which the peer opened the path",
	},
	{
		.name = "remote-port", .attr = MPTUN_A_PATH_REMOTE_PORT,
		.type = FIELD_U16, .setting = true,
		.doc = "UDP port of the peer",
	},
	{
		.name = "local4", .attr = MPTUN_A_PATH_LOCAL4,
		.type = FIELD_BINARY4, .key = "local",
		.doc = "local IPv4 address, chosen by the route if not given",
	},
	{
		.name = "local6", .attr = MPTUN_A_PATH_LOCAL6,
		.type = FIELD_BINARY6, .key = "local",
		.doc = "local IPv6 address, chosen by the route if not given",
	},
	{
		.name = "local-port", .attr = MPTUN_A_PATH_LOCAL_PORT,
		.type = FIELD_U16, .setting = true,
		.doc = "local UDP port, by default that of the tunnel",
	},
	{
		.name = "dev", .attr = MPTUN_A_PATH_DEV, .type = FIELD_STRING,
		.setting = true,
		.doc = "name of the device that the path is bound to, which need not exist yet; empty for none",
	},
	{
		.name = "weight", .attr = MPTUN_A_PATH_WEIGHT,
		.type = FIELD_U32, .setting = true,
		.doc = "share of the path with schedulers wrr, wrr-auto and flow",
	},
	{
		.name = "priority", .attr = MPTUN_A_PATH_PRIORITY,
		.type = FIELD_U32, .setting = true,
		.doc = "the path is used only while no usable path has a lower number, see also spill",
	},
	{
		.name = "backup", .attr = MPTUN_A_PATH_BACKUP, .type = FIELD_U8,
		.unit = UNIT_BOOL, .setting = true,
		.doc = "1 to use the path only while no other path is usable",
	},
	{
		.name = "mtu", .attr = MPTUN_A_PATH_MTU, .type = FIELD_U32,
		.unit = UNIT_BYTES, .setting = true, .none = "auto",
		.doc = "upper bound of the outer packets, in bytes: 1280 or more, or 0 for that of the route; as a reply without a bound, the size in use",
	},
	{
		.name = "cc", .attr = MPTUN_A_PATH_CC, .type = FIELD_STRING,
		.setting = true,
		.doc = "congestion controller of this path, empty for the tunnel's",
	},
	{
		.name = "rate", .attr = MPTUN_A_PATH_RATE, .type = FIELD_U64,
		.unit = UNIT_BPS, .setting = true, .none = "none",
		.doc = "rate of controller fixed, upper limit of all other controllers, in bits per second; 0 for none",
	},
	{
		.name = "enabled", .attr = MPTUN_A_PATH_ENABLED,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "0 to switch the path off, 1 to switch it on",
	},
	{
		.name = "keepalive", .attr = MPTUN_A_PATH_KEEPALIVE,
		.type = FIELD_U32, .unit = UNIT_S, .setting = true,
		.none = "auto", .other = "off",
		.other_value = MPTUN_KEEPALIVE_OFF,
		.doc = "time between probes of an idle path, in seconds; 0 to adapt it (1 s in use, 5 s at rest, 25 s while the tunnel is idle, or 10 s then behind a NAT that forgets mappings sooner), keepalive-off to send none while the tunnel is idle",
	},
	{
		.name = "group", .attr = MPTUN_A_PATH_GROUP, .type = FIELD_U32,
		.doc = "paths of a tunnel with the same number share a bottleneck, for controllers that couple their windows",
	},
	{
		.name = "learned", .attr = MPTUN_A_PATH_LEARNED,
		.type = FIELD_U8, .unit = UNIT_BOOL,
		.doc = "1 if the peer opened the path",
	},
	{
		.name = "state", .attr = MPTUN_A_PATH_STATE, .type = FIELD_U32,
		.names = &names_path_state, .doc = "state of the path",
	},
	{
		.name = "old-state", .attr = MPTUN_A_PATH_OLD_STATE,
		.type = FIELD_U32, .names = &names_path_state,
		.doc = "state before the change, in notifications",
	},
	{
		.name = "reason", .attr = MPTUN_A_PATH_REASON,
		.type = FIELD_U32, .names = &names_path_reason,
		.doc = "why the path is in its state",
	},
	{
		.name = "state-age", .attr = MPTUN_A_PATH_STATE_AGE,
		.type = FIELD_U32, .unit = UNIT_MS,
		.doc = "time in the current state, in milliseconds",
	},
	{
		.name = "srtt", .attr = MPTUN_A_PATH_SRTT, .type = FIELD_U32,
		.unit = UNIT_US, .none = "-",
		.doc = "smoothed round-trip time in microseconds, 0 if unknown",
	},
	{
		.name = "rttvar", .attr = MPTUN_A_PATH_RTTVAR,
		.type = FIELD_U32, .unit = UNIT_US, .none = "-",
		.doc = "mean deviation of the round-trip time in microseconds",
	},
	{
		.name = "min-rtt", .attr = MPTUN_A_PATH_MIN_RTT,
		.type = FIELD_U32, .unit = UNIT_US, .none = "-",
		.doc = "smallest round-trip time seen, in microseconds",
	},
	{
		.name = "skew", .attr = MPTUN_A_PATH_SKEW, .type = FIELD_U32,
		.unit = UNIT_US,
		.doc = "one-way delay of received packets above that of the fastest path, in microseconds",
	},
	{
		.name = "cwnd", .attr = MPTUN_A_PATH_CWND, .type = FIELD_U32,
		.unit = UNIT_BYTES, .doc = "congestion window in bytes",
	},
	{
		.name = "ssthresh", .attr = MPTUN_A_PATH_SSTHRESH,
		.type = FIELD_U32, .unit = UNIT_BYTES, .none = "none",
		.none_value = UINT32_MAX,
		.doc = "slow start threshold in bytes, 0xffffffff if none",
	},
	{
		.name = "in-flight", .attr = MPTUN_A_PATH_IN_FLIGHT,
		.type = FIELD_U32, .unit = UNIT_BYTES,
		.doc = "bytes sent and neither acknowledged nor lost",
	},
	{
		.name = "pacing-rate", .attr = MPTUN_A_PATH_PACING_RATE,
		.type = FIELD_U64, .unit = UNIT_BPS, .none = "-",
		.doc = "pacing rate in bits per second, 0 if not paced",
	},
	{
		.name = "reorder-window", .attr = MPTUN_A_PATH_REORDER_WINDOW,
		.type = FIELD_U32,
		.doc = "packet threshold of loss detection, in packets",
	},
	{
		.name = "stats", .attr = MPTUN_A_PATH_STATS, .type = FIELD_NEST,
		.nest = &schema_path_stats,
		.doc = "counters since the path was added",
	},
	{
		.name = "spill", .attr = MPTUN_A_PATH_SPILL, .type = FIELD_U32,
		.unit = UNIT_US, .setting = true, .other = "off",
		.other_value = MPTUN_SPILL_OFF,
		.doc = "how long the paths of lower priority numbers must have been full before the path takes their excess traffic, in microseconds; 0 for at once, spill-off to use the path only while none of them is up",
	},
	{
		.name = "cap", .attr = MPTUN_A_PATH_CAP, .type = FIELD_U64,
		.unit = UNIT_VOLUME, .setting = true, .none = "none",
		.doc = "data cap: bytes that the path may carry in both directions until used is reset, outer IP headers included; 0 for no cap",
	},
	{
		.name = "cap-action", .attr = MPTUN_A_PATH_CAP_ACTION,
		.type = FIELD_U32, .setting = true, .names = &names_cap_action,
		.doc = "what happens when used reaches cap",
	},
	{
		.name = "used", .attr = MPTUN_A_PATH_USED, .type = FIELD_U64,
		.unit = UNIT_VOLUME,
		.doc = "bytes that the path has carried since it was added or since used was set; to be reset when a new billing period begins",
	},
	{
		.name = "cap-state", .attr = MPTUN_A_PATH_CAP_STATE,
		.type = FIELD_U32, .names = &names_cap_state,
		.doc = "how much of the cap has been used",
	},
	{
		.name = "parked", .attr = MPTUN_A_PATH_PARKED, .type = FIELD_U8,
		.unit = UNIT_BOOL,
		.doc = "1 while the path is suspended because it carries too little",
	},
	{
		.name = "group-now", .attr = MPTUN_A_PATH_GROUP_NOW,
		.type = FIELD_U32,
		.doc = "group detected for a path of group 0 if auto-group is on; paths with the same number share a bottleneck",
	},
	{
		.name = "detour", .attr = MPTUN_A_PATH_DETOUR, .type = FIELD_U8,
		.unit = UNIT_BOOL,
		.doc = "1 while the path is suspended for ordered traffic because of its latency",
	},
	{
		.name = "pmtu", .attr = MPTUN_A_PATH_PMTU, .type = FIELD_U32,
		.doc = "size of the largest outer packet that probes have proved",
	},
	{
		.name = "pmtu-state", .attr = MPTUN_A_PATH_PMTU_STATE,
		.type = FIELD_U32, .names = &names_pmtu_state,
		.doc = "state of the search for it",
	},
	{
		.name = "fwmark", .attr = MPTUN_A_PATH_FWMARK,
		.type = FIELD_U32, .setting = true, .none = "default",
		.doc = "firewall mark of outer packets of the path; 0 for that of the tunnel",
	},
	{
		.name = "rate-down", .attr = MPTUN_A_PATH_RATE_DOWN,
		.type = FIELD_U64, .unit = UNIT_BPS, .setting = true,
		.none = "none",
		.doc = "upper limit of the rate at which the peer sends on the path, in bits per second; 0 for none",
	},
	{
		.name = "policy", .attr = MPTUN_A_PATH_POLICY,
		.type = FIELD_U32, .names = &names_policy_state,
		.doc = "whether both ends use the path as the one that opened it says",
	},
	{
		.name = "overridden", .attr = MPTUN_A_PATH_OVERRIDDEN,
		.type = FIELD_U8, .unit = UNIT_BOOL,
		.doc = "1 if the administrator has changed settings of a path that the peer opened",
	},
	{
		.name = "recent-packets", .attr = MPTUN_A_PATH_RECENT_PACKETS,
		.type = FIELD_U32,
		.doc = "data packets acknowledged or declared lost in the last minute",
	},
	{
		.name = "recent-lost", .attr = MPTUN_A_PATH_RECENT_LOST,
		.type = FIELD_U32,
		.doc = "those of them declared lost and not acknowledged since",
	},
	{
		.name = "local-port-now", .attr = MPTUN_A_PATH_LOCAL_PORT_NOW,
		.type = FIELD_U16,
		.doc = "source port in use, which differs from local-port after attempts of the path to get through with another one",
	},
	{
		.name = "inner-mtu", .attr = MPTUN_A_PATH_INNER_MTU,
		.type = FIELD_U32,
		.doc = "size of the largest inner packet that the path carries without fragments",
	},
	{
		.name = "loss", .type = FIELD_U64, .unit = UNIT_PPM,
		.doc = "share of the packets sent that were lost, in percent",
	},
	{
		.name = "recent-loss", .type = FIELD_U64, .unit = UNIT_PPM,
		.doc = "the same in the last minute",
	},
	{
		.name = "tx-rate", .type = FIELD_U64, .unit = UNIT_BPS,
		.doc = "rate of data packets sent between two samples, in bits per second",
	},
	{
		.name = "rx-rate", .type = FIELD_U64, .unit = UNIT_BPS,
		.doc = "rate of data packets received between two samples, in bits per second",
	},
};

const struct schema schema_path = {
	"path", path_fields, ARRAY_SIZE(path_fields)
};

static const struct field path_stats_fields[] = {
	{
		.name = "pad", .attr = MPTUN_A_PATH_STATS_PAD,
		.type = FIELD_PAD,
	},
	{
		.name = "tx-packets", .attr = MPTUN_A_PATH_STATS_TX_PACKETS,
		.type = FIELD_U64, .doc = "data packets sent",
	},
	{
		.name = "tx-bytes", .attr = MPTUN_A_PATH_STATS_TX_BYTES,
		.type = FIELD_U64, .unit = UNIT_BYTES,
		.doc = "bytes of data packets sent, outer headers from UDP on included",
	},
	{
		.name = "rx-packets", .attr = MPTUN_A_PATH_STATS_RX_PACKETS,
		.type = FIELD_U64, .doc = "data packets received",
	},
	{
		.name = "rx-bytes", .attr = MPTUN_A_PATH_STATS_RX_BYTES,
		.type = FIELD_U64, .unit = UNIT_BYTES,
		.doc = "bytes of data packets received, outer headers from UDP on included",
	},
	{
		.name = "acked-packets",
		.attr = MPTUN_A_PATH_STATS_ACKED_PACKETS, .type = FIELD_U64,
		.doc = "data packets acknowledged by the peer",
	},
	{
		.name = "acked-bytes", .attr = MPTUN_A_PATH_STATS_ACKED_BYTES,
		.type = FIELD_U64, .unit = UNIT_BYTES,
		.doc = "bytes acknowledged by the peer",
	},
	{
		.name = "lost-packets", .attr = MPTUN_A_PATH_STATS_LOST_PACKETS,
		.type = FIELD_U64, .doc = "data packets declared lost",
	},
	{
		.name = "lost-bytes", .attr = MPTUN_A_PATH_STATS_LOST_BYTES,
		.type = FIELD_U64, .unit = UNIT_BYTES,
		.doc = "bytes declared lost",
	},
	{
		.name = "spurious", .attr = MPTUN_A_PATH_STATS_SPURIOUS,
		.type = FIELD_U64,
		.doc = "packets declared lost that were acknowledged later",
	},
	{
		.name = "marked-packets",
		.attr = MPTUN_A_PATH_STATS_MARKED_PACKETS, .type = FIELD_U64,
		.doc = "data packets that the peer received with a CE mark",
	},
	{
		.name = "loss-events", .attr = MPTUN_A_PATH_STATS_LOSS_EVENTS,
		.type = FIELD_U64,
		.doc = "times the congestion window was reduced",
	},
	{
		.name = "timeouts", .attr = MPTUN_A_PATH_STATS_TIMEOUTS,
		.type = FIELD_U64, .doc = "probe timeouts (PTO)",
	},
	{
		.name = "tx-control", .attr = MPTUN_A_PATH_STATS_TX_CONTROL,
		.type = FIELD_U64, .doc = "control packets sent",
	},
	{
		.name = "rx-control", .attr = MPTUN_A_PATH_STATS_RX_CONTROL,
		.type = FIELD_U64, .doc = "control packets received",
	},
	{
		.name = "tx-errors", .attr = MPTUN_A_PATH_STATS_TX_ERRORS,
		.type = FIELD_U64,
		.doc = "packets that the network stack refused",
	},
	{
		.name = "ecn-ce", .attr = MPTUN_A_PATH_STATS_ECN_CE,
		.type = FIELD_U64,
		.doc = "packets received that got a CE mark on this path",
	},
	{
		.name = "ecn-faults", .attr = MPTUN_A_PATH_STATS_ECN_FAULTS,
		.type = FIELD_U64,
		.doc = "packets received whose outer ECN field was changed in a way that no router may, or that the other end sent without it (ds-cleared)",
	},
	{
		.name = "state-changes",
		.attr = MPTUN_A_PATH_STATS_STATE_CHANGES, .type = FIELD_U64,
		.doc = "number of changes of state",
	},
	{
		.name = "tx-copies", .attr = MPTUN_A_PATH_STATS_TX_COPIES,
		.type = FIELD_U64,
		.doc = "data packets sent that were first sent on another path",
	},
	{
		.name = "ecn-ignored", .attr = MPTUN_A_PATH_STATS_ECN_IGNORED,
		.type = FIELD_U64,
		.doc = "packets received whose CE mark was ignored, as this path marks every packet",
	},
	{
		.name = "ds-cleared", .attr = MPTUN_A_PATH_STATS_DS_CLEARED,
		.type = FIELD_U64,
		.doc = "data packets sent without ECN or DSCP, as this path drops packets that have them",
	},
	{
		.name = "tx-symbols", .attr = MPTUN_A_PATH_STATS_TX_SYMBOLS,
		.type = FIELD_U64, .doc = "repair symbols sent",
	},
};

const struct schema schema_path_stats = {
	"path-stats", path_stats_fields, ARRAY_SIZE(path_stats_fields)
};

static const struct field class_fields[] = {
	{
		.name = "ifindex", .attr = MPTUN_A_CLASS_IFINDEX,
		.type = FIELD_U32, .doc = "index of the tunnel's interface",
	},
	{
		.name = "ifname", .attr = MPTUN_A_CLASS_IFNAME,
		.type = FIELD_STRING,
		.doc = "name of the tunnel's interface, an alternative to ifindex",
	},
	{
		.name = "pad", .attr = MPTUN_A_CLASS_PAD, .type = FIELD_PAD,
	},
	{
		.name = "id", .attr = MPTUN_A_CLASS_ID, .type = FIELD_U32,
		.setting = true,
		.doc = "number of the class, also on the wire; class 0 holds all packets that fit no other class",
	},
	{
		.name = "mark", .attr = MPTUN_A_CLASS_MARK, .type = FIELD_U32,
		.setting = true,
		.doc = "firewall mark of its packets, compared in the bits of mask",
	},
	{
		.name = "mask", .attr = MPTUN_A_CLASS_MASK, .type = FIELD_U32,
		.setting = true, .none = "any",
		.doc = "bits of the firewall mark to compare, 0 for every mark",
	},
	{
		.name = "dscp", .attr = MPTUN_A_CLASS_DSCP, .type = FIELD_U32,
		.setting = true, .none = "any",
		.none_value = MPTUN_CLASS_ANY_DSCP,
		.doc = "DSCP of its packets, class-any-dscp for every DSCP",
	},
	{
		.name = "protocol", .attr = MPTUN_A_CLASS_PROTOCOL,
		.type = FIELD_U32, .setting = true, .none = "any",
		.none_value = MPTUN_CLASS_ANY_PROTOCOL,
		.doc = "IP protocol of its packets, class-any-protocol for every protocol",
	},
	{
		.name = "port", .attr = MPTUN_A_CLASS_PORT, .type = FIELD_U16,
		.setting = true, .none = "any",
		.doc = "source or destination port of its packets, 0 for every port",
	},
	{
		.name = "policy", .attr = MPTUN_A_CLASS_POLICY,
		.type = FIELD_U32, .setting = true,
		.names = &names_class_policy,
		.doc = "which paths its packets take",
	},
	{
		.name = "path", .attr = MPTUN_A_CLASS_PATH,
		.type = FIELD_STRING, .setting = true,
		.doc = "name of the path for policy pin, which need not exist; empty for none",
	},
	{
		.name = "strict", .attr = MPTUN_A_CLASS_STRICT,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "what policy pin does while its path is not usable: 1 to drop the packets, 0 to send them on other paths",
	},
	{
		.name = "paths", .attr = MPTUN_A_CLASS_PATHS, .type = FIELD_U32,
		.setting = true, .other = "all", .other_value = MPTUN_PATHS_MAX,
		.doc = "number of paths that each packet takes with policy duplicate, paths-max for all paths",
	},
	{
		.name = "order", .attr = MPTUN_A_CLASS_ORDER, .type = FIELD_U8,
		.unit = UNIT_BOOL, .setting = true,
		.doc = "1 if the receiver puts the packets in order, 0 if no packet waits for another",
	},
	{
		.name = "stats", .attr = MPTUN_A_CLASS_STATS,
		.type = FIELD_NEST, .nest = &schema_class_stats,
		.doc = "counters since the class was added",
	},
	{
		.name = "repair", .attr = MPTUN_A_CLASS_REPAIR,
		.type = FIELD_U32, .setting = true, .names = &names_repair_mode,
		.doc = "which lost packets are retransmitted; also for class 0",
	},
	{
		.name = "playout", .attr = MPTUN_A_CLASS_PLAYOUT,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "1 to deliver received packets of this class with the delay of the slowest path in use; also for class 0",
	},
	{
		.name = "rate", .attr = MPTUN_A_CLASS_RATE, .type = FIELD_U64,
		.unit = UNIT_BPS, .setting = true, .none = "none",
		.doc = "rate in bits per second above which its packets are dropped, 0 for none; outer headers do not count",
	},
	{
		.name = "code", .attr = MPTUN_A_CLASS_CODE, .type = FIELD_U32,
		.setting = true, .none = "auto", .other = "off",
		.other_value = MPTUN_CLASS_CODE_OFF,
		.doc = "repair symbols per 100 packets, 0 to follow the losses, class-code-off for none; also for class 0",
	},
};

const struct schema schema_class = {
	"class", class_fields, ARRAY_SIZE(class_fields)
};

static const struct field class_stats_fields[] = {
	{
		.name = "pad", .attr = MPTUN_A_CLASS_STATS_PAD,
		.type = FIELD_PAD,
	},
	{
		.name = "tx-packets", .attr = MPTUN_A_CLASS_STATS_TX_PACKETS,
		.type = FIELD_U64,
		.doc = "packets placed on paths, copies not included",
	},
	{
		.name = "tx-bytes", .attr = MPTUN_A_CLASS_STATS_TX_BYTES,
		.type = FIELD_U64, .unit = UNIT_BYTES,
		.doc = "bytes of these packets, without outer headers",
	},
	{
		.name = "tx-copies", .attr = MPTUN_A_CLASS_STATS_TX_COPIES,
		.type = FIELD_U64, .doc = "copies placed on further paths",
	},
	{
		.name = "drops", .attr = MPTUN_A_CLASS_STATS_DROPS,
		.type = FIELD_U64,
		.doc = "packets dropped before they were placed on a path",
	},
	{
		.name = "tx-resent", .attr = MPTUN_A_CLASS_STATS_TX_RESENT,
		.type = FIELD_U64,
		.doc = "retransmissions of lost packets (repair)",
	},
	{
		.name = "lapsed", .attr = MPTUN_A_CLASS_STATS_LAPSED,
		.type = FIELD_U64,
		.doc = "lost packets not retransmitted because it was too late or no path had room (repair)",
	},
	{
		.name = "tx-sparse", .attr = MPTUN_A_CLASS_STATS_TX_SPARSE,
		.type = FIELD_U64,
		.doc = "packets of sparse flows, which took the path of the earliest arrival and waited for nothing",
	},
	{
		.name = "tx-coded", .attr = MPTUN_A_CLASS_STATS_TX_CODED,
		.type = FIELD_U64,
		.doc = "packets that repair symbols protect (code)",
	},
	{
		.name = "tx-symbols", .attr = MPTUN_A_CLASS_STATS_TX_SYMBOLS,
		.type = FIELD_U64, .doc = "repair symbols sent for them",
	},
	{
		.name = "tx-uncoded", .attr = MPTUN_A_CLASS_STATS_TX_UNCODED,
		.type = FIELD_U64,
		.doc = "packets without repair symbols, as one would be too long for their path (code)",
	},
	{
		.name = "symbols-now", .attr = MPTUN_A_CLASS_STATS_SYMBOLS_NOW,
		.type = FIELD_U32,
		.doc = "repair symbols per 1000 packets now, those of sparse flows not included (code)",
	},
};

const struct schema schema_class_stats = {
	"class-stats", class_stats_fields, ARRAY_SIZE(class_stats_fields)
};

static const struct field link_fields[] = {
	{
		.name = "port", .attr = IFLA_MPTUN_PORT, .type = FIELD_U16,
		.setting = true,
		.doc = "local UDP port, shared by any number of tunnels",
	},
	{
		.name = "id", .attr = IFLA_MPTUN_ID, .type = FIELD_U32,
		.setting = true,
		.doc = "number by which the peer addresses this tunnel, with cipher clear only",
	},
	{
		.name = "peer-id", .attr = IFLA_MPTUN_PEER_ID,
		.type = FIELD_U32, .setting = true,
		.doc = "number by which this tunnel addresses its peer, with cipher clear only",
		.key = "peer_id",
	},
	{
		.name = "cipher", .attr = IFLA_MPTUN_CIPHER, .type = FIELD_U32,
		.setting = true, .names = &names_cipher,
		.doc = "how packets are protected",
	},
	{
		.name = "sched", .attr = IFLA_MPTUN_SCHED, .type = FIELD_STRING,
		.setting = true,
		.doc = "name of the scheduler, which places packets on paths",
	},
	{
		.name = "cc", .attr = IFLA_MPTUN_CC, .type = FIELD_STRING,
		.setting = true,
		.doc = "name of the congestion controller of all paths that do not name one",
	},
	{
		.name = "reorder", .attr = IFLA_MPTUN_REORDER,
		.type = FIELD_U32, .setting = true,
		.names = &names_reorder_mode,
		.doc = "how received packets are put in order",
	},
	{
		.name = "hold", .attr = IFLA_MPTUN_HOLD, .type = FIELD_U32,
		.unit = UNIT_US, .setting = true,
		.doc = "longest time that a packet waits for a missing one, in microseconds; the hold time of mode fixed, the upper limit of mode adaptive",
	},
	{
		.name = "buffer", .attr = IFLA_MPTUN_BUFFER, .type = FIELD_U32,
		.unit = UNIT_BYTES, .setting = true,
		.doc = "memory limit of the reorder buffer, in bytes",
	},
	{
		.name = "learn", .attr = IFLA_MPTUN_LEARN, .type = FIELD_U8,
		.unit = UNIT_BOOL, .setting = true,
		.doc = "1 to accept paths that the peer opens, 0 to refuse them",
	},
	{
		.name = "rekey", .attr = IFLA_MPTUN_REKEY, .type = FIELD_U32,
		.unit = UNIT_S, .setting = true,
		.doc = "time after its first data when a session gets new keys, in seconds",
	},
	{
		.name = "dscp", .attr = IFLA_MPTUN_DSCP, .type = FIELD_U32,
		.setting = true, .other = "inherit",
		.other_value = MPTUN_DSCP_INHERIT,
		.doc = "DSCP of outer packets, dscp-inherit to copy that of the inner packet; the DSCP of inner packets never changes",
	},
	{
		.name = "park", .attr = IFLA_MPTUN_PARK, .type = FIELD_U32,
		.setting = true, .none = "off",
		.doc = "suspend a path that carries less than 1/park of the mean of the other paths, except for trials; 0 for never, which also keeps high-latency paths in use",
	},
	{
		.name = "auto-group", .attr = IFLA_MPTUN_AUTO_GROUP,
		.type = FIELD_U8, .unit = UNIT_BOOL, .setting = true,
		.doc = "1 to detect which paths of group 0 share a bottleneck, 0 to treat them as one group",
		.key = "auto_group",
	},
	{
		.name = "fwmark", .attr = IFLA_MPTUN_FWMARK, .type = FIELD_U32,
		.setting = true, .none = "off",
		.doc = "firewall mark of outer packets, also for their routes; 0 for none",
	},
	{
		.name = "frag", .attr = IFLA_MPTUN_FRAG, .type = FIELD_U32,
		.setting = true, .names = &names_frag_mode,
		.doc = "when packets that are larger than a path carries are cut",
	},
	{
		.name = "mss-clamp", .attr = IFLA_MPTUN_MSS_CLAMP,
		.type = FIELD_U32, .setting = true,
		.names = &names_mss_clamp_mode,
		.doc = "whether the MSS of TCP inside is lowered to what fits",
		.key = "mss_clamp",
	},
	{
		.name = "follow", .attr = IFLA_MPTUN_FOLLOW, .type = FIELD_U8,
		.unit = UNIT_BOOL, .setting = true,
		.doc = "1 to use paths that the peer opened as it says, and by the names it gives them",
	},
	{
		.name = "psmc-factor", .attr = IFLA_MPTUN_PSMC_FACTOR,
		.type = FIELD_U32, .setting = true,
		.doc = "number of held packets at which reorder psmc gives up, in percent of its lower bound",
		.key = "psmc_factor",
	},
	{
		.name = "psmc-period", .attr = IFLA_MPTUN_PSMC_PERIOD,
		.type = FIELD_U32, .unit = UNIT_US, .setting = true,
		.doc = "time after which reorder psmc measures its bounds again, in microseconds",
		.key = "psmc_period",
	},
};

const struct schema schema_link = {
	"link", link_fields, ARRAY_SIZE(link_fields)
};
