/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mptun.yaml */
/* YNL-GEN uapi header */
/* To regenerate run: tools/spec/regen.sh */

#ifndef _UAPI_LINUX_MPTUN_H
#define _UAPI_LINUX_MPTUN_H

#define MPTUN_FAMILY_NAME	"mptun"
#define MPTUN_FAMILY_VERSION	1

#define MPTUN_PATH_NAME_MAX		15
#define MPTUN_PATHS_MAX			32
#define MPTUN_PORT_DEFAULT		4725
#define MPTUN_ALGO_NAME_MAX		15
#define MPTUN_HOLD_MAX_US		1000000
#define MPTUN_HISTOGRAM_SLOTS		16
#define MPTUN_KEY_LEN			32
#define MPTUN_REKEY_DEFAULT_S		120
#define MPTUN_KEY_GRACE_DEFAULT_S	60
#define MPTUN_KEEPALIVE_OFF		65535
#define MPTUN_DSCP_INHERIT		64
#define MPTUN_SPILL_OFF			4294967295
#define MPTUN_PARK_MAX			1000
#define MPTUN_CLASSES_MAX		16
#define MPTUN_ALLOWED_IPS_MAX		64
#define MPTUN_ALLOWED_IP_LEN		20
#define MPTUN_CLASS_ANY_DSCP		64
#define MPTUN_CLASS_ANY_PROTOCOL	256

/**
 * enum mptun_cipher - how packets are protected
 * @MPTUN_CIPHER_CLEAR: no protection; anyone with the ids can join
 * @MPTUN_CIPHER_CHACHA20_POLY1305: encrypted and authenticated, fast on every
 *   processor
 * @MPTUN_CIPHER_AES_GCM: encrypted and authenticated, fast on processors with
 *   AES instructions
 * @MPTUN_CIPHER_AUTH_ONLY: authenticated but not encrypted, so that anyone can
 *   read the contents; for a tunnel inside another one that encrypts
 */
enum mptun_cipher {
	MPTUN_CIPHER_CLEAR = 1,
	MPTUN_CIPHER_CHACHA20_POLY1305,
	MPTUN_CIPHER_AES_GCM,
	MPTUN_CIPHER_AUTH_ONLY,
};

/**
 * enum mptun_assoc_state - state of the association with the peer
 * @MPTUN_ASSOC_STATE_CLOSED: no peer, and no path to look for one
 * @MPTUN_ASSOC_STATE_OPENING: INIT has been sent and not been answered yet
 * @MPTUN_ASSOC_STATE_ESTABLISHED: both instance ids are known and confirmed
 */
enum mptun_assoc_state {
	MPTUN_ASSOC_STATE_CLOSED,
	MPTUN_ASSOC_STATE_OPENING,
	MPTUN_ASSOC_STATE_ESTABLISHED,
};

/**
 * enum mptun_path_state - whether a path can carry data, see also path-reason
 * @MPTUN_PATH_STATE_NEW: added, the peer is not known yet
 * @MPTUN_PATH_STATE_PROBING: waits for answers to its first probes
 * @MPTUN_PATH_STATE_UP: carries data
 * @MPTUN_PATH_STATE_SUSPECT: answers are overdue; avoided while another path
 *   is up
 * @MPTUN_PATH_STATE_DOWN: carries no data, probed with back-off
 * @MPTUN_PATH_STATE_NOROUTE: no route to the remote address
 * @MPTUN_PATH_STATE_OFF: switched off by the administrator
 * @MPTUN_PATH_STATE_DRAINING: deleted, waits until its packets in flight are
 *   acknowledged
 */
enum mptun_path_state {
	MPTUN_PATH_STATE_NEW,
	MPTUN_PATH_STATE_PROBING,
	MPTUN_PATH_STATE_UP,
	MPTUN_PATH_STATE_SUSPECT,
	MPTUN_PATH_STATE_DOWN,
	MPTUN_PATH_STATE_NOROUTE,
	MPTUN_PATH_STATE_OFF,
	MPTUN_PATH_STATE_DRAINING,
};

/**
 * enum mptun_pmtu_state - state of the search for the largest outer packet
 *   (RFC 8899)
 * @MPTUN_PMTU_STATE_BASE: the path uses the base size, 1280 bytes, which is
 *   being proved
 * @MPTUN_PMTU_STATE_SEARCH: larger sizes are being probed
 * @MPTUN_PMTU_STATE_COMPLETE: the largest size has been found
 * @MPTUN_PMTU_STATE_ERROR: packets of the base size get lost; the path uses
 *   the largest smaller size that was proved
 */
enum mptun_pmtu_state {
	MPTUN_PMTU_STATE_BASE,
	MPTUN_PMTU_STATE_SEARCH,
	MPTUN_PMTU_STATE_COMPLETE,
	MPTUN_PMTU_STATE_ERROR,
};

/**
 * enum mptun_path_reason - why a path is in its state
 * @MPTUN_PATH_REASON_NONE: no reason recorded
 * @MPTUN_PATH_REASON_ADDED: the path was added
 * @MPTUN_PATH_REASON_LEARNED: the path was learned from a probe of the peer
 * @MPTUN_PATH_REASON_ASSOCIATED: a new association with the peer has begun
 * @MPTUN_PATH_REASON_ANSWERED: probes were answered
 * @MPTUN_PATH_REASON_ACKNOWLEDGED: the peer acknowledged packets of this path
 * @MPTUN_PATH_REASON_TIMEOUT: neither a probe nor data was answered in time
 * @MPTUN_PATH_REASON_CARRIER: the device of the path has no carrier or is down
 * @MPTUN_PATH_REASON_DEVICE: the device the path is bound to does not exist
 * @MPTUN_PATH_REASON_ADDRESS: the local address does not exist
 * @MPTUN_PATH_REASON_ROUTE: there is no route, or none over the device that
 *   the path is bound to
 * @MPTUN_PATH_REASON_LOOP: the route to the remote address leads through the
 *   tunnel itself
 * @MPTUN_PATH_REASON_ADMIN: set by the administrator
 * @MPTUN_PATH_REASON_PEER: requested by the peer
 */
enum mptun_path_reason {
	MPTUN_PATH_REASON_NONE,
	MPTUN_PATH_REASON_ADDED,
	MPTUN_PATH_REASON_LEARNED,
	MPTUN_PATH_REASON_ASSOCIATED,
	MPTUN_PATH_REASON_ANSWERED,
	MPTUN_PATH_REASON_ACKNOWLEDGED,
	MPTUN_PATH_REASON_TIMEOUT,
	MPTUN_PATH_REASON_CARRIER,
	MPTUN_PATH_REASON_DEVICE,
	MPTUN_PATH_REASON_ADDRESS,
	MPTUN_PATH_REASON_ROUTE,
	MPTUN_PATH_REASON_LOOP,
	MPTUN_PATH_REASON_ADMIN,
	MPTUN_PATH_REASON_PEER,
};

/**
 * enum mptun_frag_mode - when inner packets that are larger than a path
 *   carries are sent over it in fragments, which the peer joins
 * @MPTUN_FRAG_MODE_AUTO: on paths that carry less than IPv6 needs, 1280 bytes,
 *   while the size of a path is being searched, and on a path that is too
 *   small for a packet that another path takes whole
 * @MPTUN_FRAG_MODE_ON: on all paths, packets of up to 1500 bytes
 * @MPTUN_FRAG_MODE_OFF: never
 */
enum mptun_frag_mode {
	MPTUN_FRAG_MODE_AUTO,
	MPTUN_FRAG_MODE_ON,
	MPTUN_FRAG_MODE_OFF,
};

/**
 * enum mptun_mss_clamp_mode - whether the MSS in SYN and SYN/ACK of inner TCP
 *   is lowered
 * @MPTUN_MSS_CLAMP_MODE_OFF: it stays
 * @MPTUN_MSS_CLAMP_MODE_AUTO: to what the MTU of the device allows, in both
 *   directions
 */
enum mptun_mss_clamp_mode {
	MPTUN_MSS_CLAMP_MODE_OFF,
	MPTUN_MSS_CLAMP_MODE_AUTO,
};

/**
 * enum mptun_reorder_mode - how received packets are put in order
 * @MPTUN_REORDER_MODE_OFF: no packet waits; duplicates are still removed
 * @MPTUN_REORDER_MODE_FIXED: a packet waits at most the hold time for a
 *   missing one, and less if the missing one is proved lost
 * @MPTUN_REORDER_MODE_ADAPTIVE: like fixed, with a hold time that follows the
 *   measured skew of the paths in use
 * @MPTUN_REORDER_MODE_PSMC: a packet waits until as many packets are held as
 *   the bounds of the PSMC double buffer allow
 */
enum mptun_reorder_mode {
	MPTUN_REORDER_MODE_OFF,
	MPTUN_REORDER_MODE_FIXED,
	MPTUN_REORDER_MODE_ADAPTIVE,
	MPTUN_REORDER_MODE_PSMC,
};

/**
 * enum mptun_cap_action - what happens when a path reaches its data cap
 * @MPTUN_CAP_ACTION_STOP: the path carries no more data and is probed every 25
 *   s
 * @MPTUN_CAP_ACTION_BACKUP: the path is used only while no other path is
 *   usable
 * @MPTUN_CAP_ACTION_NOTIFY: only a notification is sent
 */
enum mptun_cap_action {
	MPTUN_CAP_ACTION_STOP,
	MPTUN_CAP_ACTION_BACKUP,
	MPTUN_CAP_ACTION_NOTIFY,
};

/**
 * enum mptun_cap_state - how much of its data cap a path has used
 * @MPTUN_CAP_STATE_NONE: there is no cap
 * @MPTUN_CAP_STATE_OPEN: less than four fifths of the cap
 * @MPTUN_CAP_STATE_NEAR: four fifths of the cap or more
 * @MPTUN_CAP_STATE_REACHED: all of the cap or more
 */
enum mptun_cap_state {
	MPTUN_CAP_STATE_NONE,
	MPTUN_CAP_STATE_OPEN,
	MPTUN_CAP_STATE_NEAR,
	MPTUN_CAP_STATE_REACHED,
};

/**
 * enum mptun_policy_state - whether both ends use a path as the end that
 *   opened it says
 * @MPTUN_POLICY_STATE_UNKNOWN: the peer has not said it, or has not answered;
 *   an older one never does
 * @MPTUN_POLICY_STATE_FOLLOWED: the end that did not open the path follows the
 *   other one
 * @MPTUN_POLICY_STATE_IGNORED: follow is off there, or both ends have opened
 *   the path
 */
enum mptun_policy_state {
	MPTUN_POLICY_STATE_UNKNOWN,
	MPTUN_POLICY_STATE_FOLLOWED,
	MPTUN_POLICY_STATE_IGNORED,
};

/**
 * enum mptun_class_policy - which paths the packets of a class take
 * @MPTUN_CLASS_POLICY_AGGREGATE: all paths, as the scheduler of the tunnel
 *   places them
 * @MPTUN_CLASS_POLICY_DUPLICATE: each packet takes several paths, the ones
 *   with the earliest arrival first
 * @MPTUN_CLASS_POLICY_PIN: one path, given by its name
 * @MPTUN_CLASS_POLICY_NEAREST: the path with the earliest arrival
 */
enum mptun_class_policy {
	MPTUN_CLASS_POLICY_AGGREGATE,
	MPTUN_CLASS_POLICY_DUPLICATE,
	MPTUN_CLASS_POLICY_PIN,
	MPTUN_CLASS_POLICY_NEAREST,
};

/**
 * enum mptun_repair_mode - which packets of a class are retransmitted when
 *   they are lost
 * @MPTUN_REPAIR_MODE_OFF: none
 * @MPTUN_REPAIR_MODE_ON: all
 * @MPTUN_REPAIR_MODE_AUTO: TCP except bare acknowledgments. From other bulk
 *   flows: segments of large packets, and all packets for 10 s after a loss on
 *   their path. No packet if the class is without order, if its policy is
 *   duplicate or nearest, or if a copy leaves on another path
 */
enum mptun_repair_mode {
	MPTUN_REPAIR_MODE_OFF,
	MPTUN_REPAIR_MODE_ON,
	MPTUN_REPAIR_MODE_AUTO,
};

enum {
	MPTUN_A_TUNNEL_IFINDEX = 1,
	MPTUN_A_TUNNEL_IFNAME,
	MPTUN_A_TUNNEL_PAD,
	MPTUN_A_TUNNEL_PORT,
	MPTUN_A_TUNNEL_ID,
	MPTUN_A_TUNNEL_PEER_ID,
	MPTUN_A_TUNNEL_SCHED,
	MPTUN_A_TUNNEL_CC,
	MPTUN_A_TUNNEL_REORDER,
	MPTUN_A_TUNNEL_HOLD,
	MPTUN_A_TUNNEL_BUFFER,
	MPTUN_A_TUNNEL_LEARN,
	MPTUN_A_TUNNEL_CIPHER,
	MPTUN_A_TUNNEL_KEY,
	MPTUN_A_TUNNEL_KEY_GRACE,
	MPTUN_A_TUNNEL_KEY_FINGERPRINT,
	MPTUN_A_TUNNEL_REKEY,
	MPTUN_A_TUNNEL_DSCP,
	MPTUN_A_TUNNEL_SESSIONS,
	MPTUN_A_TUNNEL_SESSION_AGE,
	MPTUN_A_TUNNEL_STATE,
	MPTUN_A_TUNNEL_INSTANCE,
	MPTUN_A_TUNNEL_PEER_INSTANCE,
	MPTUN_A_TUNNEL_PATHS,
	MPTUN_A_TUNNEL_PATHS_UP,
	MPTUN_A_TUNNEL_ASSOCIATIONS,
	MPTUN_A_TUNNEL_HOLD_NOW,
	MPTUN_A_TUNNEL_REORDERING,
	MPTUN_A_TUNNEL_DROPS,
	MPTUN_A_TUNNEL_PORT_DROPS,
	MPTUN_A_TUNNEL_SPREAD_SEALED,
	MPTUN_A_TUNNEL_SPREAD_OPENED,
	MPTUN_A_TUNNEL_PARK,
	MPTUN_A_TUNNEL_AUTO_GROUP,
	MPTUN_A_TUNNEL_ALLOWED_IPS,
	MPTUN_A_TUNNEL_FWMARK,
	MPTUN_A_TUNNEL_FOLLOW,
	MPTUN_A_TUNNEL_PSMC_FACTOR,
	MPTUN_A_TUNNEL_PSMC_PERIOD,
	MPTUN_A_TUNNEL_MTU,
	MPTUN_A_TUNNEL_MTU_NOW,
	MPTUN_A_TUNNEL_FRAG,
	MPTUN_A_TUNNEL_MSS_CLAMP,
	MPTUN_A_TUNNEL_SCHED_NOW,

	__MPTUN_A_TUNNEL_MAX
};
#define MPTUN_A_TUNNEL_MAX (__MPTUN_A_TUNNEL_MAX - 1)

enum {
	MPTUN_A_REORDER_STATS_PAD = 1,
	MPTUN_A_REORDER_STATS_HELD_PACKETS,
	MPTUN_A_REORDER_STATS_HELD_BYTES,
	MPTUN_A_REORDER_STATS_SLOTS,
	MPTUN_A_REORDER_STATS_IN_ORDER,
	MPTUN_A_REORDER_STATS_HELD,
	MPTUN_A_REORDER_STATS_RELEASED,
	MPTUN_A_REORDER_STATS_GIVEN_UP_EVIDENCE,
	MPTUN_A_REORDER_STATS_GIVEN_UP_FLOOR,
	MPTUN_A_REORDER_STATS_GIVEN_UP_TIME,
	MPTUN_A_REORDER_STATS_GIVEN_UP_SIZE,
	MPTUN_A_REORDER_STATS_GIVEN_UP_PSMC,
	MPTUN_A_REORDER_STATS_LATE,
	MPTUN_A_REORDER_STATS_DUPLICATES,
	MPTUN_A_REORDER_STATS_TOO_OLD,
	MPTUN_A_REORDER_STATS_THROUGH,
	MPTUN_A_REORDER_STATS_RESETS,
	MPTUN_A_REORDER_STATS_TARGET,
	MPTUN_A_REORDER_STATS_HOLD_HISTOGRAM,
	MPTUN_A_REORDER_STATS_PLAYOUT_DELAY,
	MPTUN_A_REORDER_STATS_PLAYOUT_PACKETS,
	MPTUN_A_REORDER_STATS_PLAYED_OUT,
	MPTUN_A_REORDER_STATS_PLAYED_OUT_EARLY,

	__MPTUN_A_REORDER_STATS_MAX
};
#define MPTUN_A_REORDER_STATS_MAX (__MPTUN_A_REORDER_STATS_MAX - 1)

enum {
	MPTUN_A_DROP_STATS_PAD = 1,
	MPTUN_A_DROP_STATS_TX_NOT_IP,
	MPTUN_A_DROP_STATS_TX_NO_PATH,
	MPTUN_A_DROP_STATS_TX_TOO_BIG,
	MPTUN_A_DROP_STATS_TX_NO_MEMORY,
	MPTUN_A_DROP_STATS_TX_NO_SESSION,
	MPTUN_A_DROP_STATS_TX_NO_ROUTE,
	MPTUN_A_DROP_STATS_RX_SHORT,
	MPTUN_A_DROP_STATS_RX_VERSION,
	MPTUN_A_DROP_STATS_RX_KIND,
	MPTUN_A_DROP_STATS_RX_NO_ASSOCIATION,
	MPTUN_A_DROP_STATS_RX_NO_PATH,
	MPTUN_A_DROP_STATS_RX_SOURCE,
	MPTUN_A_DROP_STATS_RX_REPLAY,
	MPTUN_A_DROP_STATS_RX_MALFORMED,
	MPTUN_A_DROP_STATS_RX_NOT_IP,
	MPTUN_A_DROP_STATS_RX_NO_MEMORY,
	MPTUN_A_DROP_STATS_RX_REFLECTED,
	MPTUN_A_DROP_STATS_RX_HANDSHAKE,
	MPTUN_A_DROP_STATS_RX_PATH_LIMIT,
	MPTUN_A_DROP_STATS_RX_UNKNOWN,
	MPTUN_A_DROP_STATS_RX_OVERRUN,
	MPTUN_A_DROP_STATS_RX_JUMP,
	MPTUN_A_DROP_STATS_RX_AUTH,
	MPTUN_A_DROP_STATS_RX_MAC,
	MPTUN_A_DROP_STATS_RX_RATE,
	MPTUN_A_DROP_STATS_RX_ECN,
	MPTUN_A_DROP_STATS_TX_NESTED,
	MPTUN_A_DROP_STATS_RX_NOT_ALLOWED,
	MPTUN_A_DROP_STATS_TX_CLASS_RATE,
	MPTUN_A_DROP_STATS_RX_FRAGMENT,
	MPTUN_A_DROP_STATS_RX_PROBE_LIMIT,

	__MPTUN_A_DROP_STATS_MAX
};
#define MPTUN_A_DROP_STATS_MAX (__MPTUN_A_DROP_STATS_MAX - 1)

enum {
	MPTUN_A_PATH_IFINDEX = 1,
	MPTUN_A_PATH_IFNAME,
	MPTUN_A_PATH_PAD,
	MPTUN_A_PATH_NAME,
	MPTUN_A_PATH_ID,
	MPTUN_A_PATH_REMOTE4,
	MPTUN_A_PATH_REMOTE6,
	MPTUN_A_PATH_REMOTE_SCOPE,
	MPTUN_A_PATH_REMOTE_PORT,
	MPTUN_A_PATH_LOCAL4,
	MPTUN_A_PATH_LOCAL6,
	MPTUN_A_PATH_LOCAL_PORT,
	MPTUN_A_PATH_DEV,
	MPTUN_A_PATH_WEIGHT,
	MPTUN_A_PATH_PRIORITY,
	MPTUN_A_PATH_BACKUP,
	MPTUN_A_PATH_MTU,
	MPTUN_A_PATH_CC,
	MPTUN_A_PATH_RATE,
	MPTUN_A_PATH_ENABLED,
	MPTUN_A_PATH_KEEPALIVE,
	MPTUN_A_PATH_GROUP,
	MPTUN_A_PATH_LEARNED,
	MPTUN_A_PATH_STATE,
	MPTUN_A_PATH_OLD_STATE,
	MPTUN_A_PATH_REASON,
	MPTUN_A_PATH_STATE_AGE,
	MPTUN_A_PATH_SRTT,
	MPTUN_A_PATH_RTTVAR,
	MPTUN_A_PATH_MIN_RTT,
	MPTUN_A_PATH_SKEW,
	MPTUN_A_PATH_CWND,
	MPTUN_A_PATH_SSTHRESH,
	MPTUN_A_PATH_IN_FLIGHT,
	MPTUN_A_PATH_PACING_RATE,
	MPTUN_A_PATH_REORDER_WINDOW,
	MPTUN_A_PATH_STATS,
	MPTUN_A_PATH_SPILL,
	MPTUN_A_PATH_CAP,
	MPTUN_A_PATH_CAP_ACTION,
	MPTUN_A_PATH_USED,
	MPTUN_A_PATH_CAP_STATE,
	MPTUN_A_PATH_PARKED,
	MPTUN_A_PATH_GROUP_NOW,
	MPTUN_A_PATH_DETOUR,
	MPTUN_A_PATH_PMTU,
	MPTUN_A_PATH_PMTU_STATE,
	MPTUN_A_PATH_FWMARK,
	MPTUN_A_PATH_RATE_DOWN,
	MPTUN_A_PATH_POLICY,
	MPTUN_A_PATH_OVERRIDDEN,
	MPTUN_A_PATH_RECENT_PACKETS,
	MPTUN_A_PATH_RECENT_LOST,
	MPTUN_A_PATH_LOCAL_PORT_NOW,
	MPTUN_A_PATH_INNER_MTU,

	__MPTUN_A_PATH_MAX
};
#define MPTUN_A_PATH_MAX (__MPTUN_A_PATH_MAX - 1)

enum {
	MPTUN_A_PATH_STATS_PAD = 1,
	MPTUN_A_PATH_STATS_TX_PACKETS,
	MPTUN_A_PATH_STATS_TX_BYTES,
	MPTUN_A_PATH_STATS_RX_PACKETS,
	MPTUN_A_PATH_STATS_RX_BYTES,
	MPTUN_A_PATH_STATS_ACKED_PACKETS,
	MPTUN_A_PATH_STATS_ACKED_BYTES,
	MPTUN_A_PATH_STATS_LOST_PACKETS,
	MPTUN_A_PATH_STATS_LOST_BYTES,
	MPTUN_A_PATH_STATS_SPURIOUS,
	MPTUN_A_PATH_STATS_MARKED_PACKETS,
	MPTUN_A_PATH_STATS_LOSS_EVENTS,
	MPTUN_A_PATH_STATS_TIMEOUTS,
	MPTUN_A_PATH_STATS_TX_CONTROL,
	MPTUN_A_PATH_STATS_RX_CONTROL,
	MPTUN_A_PATH_STATS_TX_ERRORS,
	MPTUN_A_PATH_STATS_ECN_CE,
	MPTUN_A_PATH_STATS_ECN_FAULTS,
	MPTUN_A_PATH_STATS_STATE_CHANGES,
	MPTUN_A_PATH_STATS_TX_COPIES,
	MPTUN_A_PATH_STATS_ECN_IGNORED,
	MPTUN_A_PATH_STATS_DS_CLEARED,

	__MPTUN_A_PATH_STATS_MAX
};
#define MPTUN_A_PATH_STATS_MAX (__MPTUN_A_PATH_STATS_MAX - 1)

enum {
	MPTUN_A_CLASS_IFINDEX = 1,
	MPTUN_A_CLASS_IFNAME,
	MPTUN_A_CLASS_PAD,
	MPTUN_A_CLASS_ID,
	MPTUN_A_CLASS_MARK,
	MPTUN_A_CLASS_MASK,
	MPTUN_A_CLASS_DSCP,
	MPTUN_A_CLASS_PROTOCOL,
	MPTUN_A_CLASS_PORT,
	MPTUN_A_CLASS_POLICY,
	MPTUN_A_CLASS_PATH,
	MPTUN_A_CLASS_STRICT,
	MPTUN_A_CLASS_PATHS,
	MPTUN_A_CLASS_ORDER,
	MPTUN_A_CLASS_STATS,
	MPTUN_A_CLASS_REPAIR,
	MPTUN_A_CLASS_PLAYOUT,
	MPTUN_A_CLASS_RATE,

	__MPTUN_A_CLASS_MAX
};
#define MPTUN_A_CLASS_MAX (__MPTUN_A_CLASS_MAX - 1)

enum {
	MPTUN_A_CLASS_STATS_PAD = 1,
	MPTUN_A_CLASS_STATS_TX_PACKETS,
	MPTUN_A_CLASS_STATS_TX_BYTES,
	MPTUN_A_CLASS_STATS_TX_COPIES,
	MPTUN_A_CLASS_STATS_DROPS,
	MPTUN_A_CLASS_STATS_TX_RESENT,
	MPTUN_A_CLASS_STATS_LAPSED,
	MPTUN_A_CLASS_STATS_TX_SPARSE,

	__MPTUN_A_CLASS_STATS_MAX
};
#define MPTUN_A_CLASS_STATS_MAX (__MPTUN_A_CLASS_STATS_MAX - 1)

enum {
	MPTUN_CMD_TUNNEL_GET = 1,
	MPTUN_CMD_TUNNEL_SET,
	MPTUN_CMD_TUNNEL_NTF,
	MPTUN_CMD_PATH_NEW,
	MPTUN_CMD_PATH_SET,
	MPTUN_CMD_PATH_DEL,
	MPTUN_CMD_PATH_GET,
	MPTUN_CMD_PATH_NTF,
	MPTUN_CMD_PATH_DEL_NTF,
	MPTUN_CMD_PATH_CAP_NTF,
	MPTUN_CMD_CLASS_NEW,
	MPTUN_CMD_CLASS_SET,
	MPTUN_CMD_CLASS_DEL,
	MPTUN_CMD_CLASS_GET,

	__MPTUN_CMD_MAX
};
#define MPTUN_CMD_MAX (__MPTUN_CMD_MAX - 1)

#define MPTUN_MCGRP_TUNNELS	"tunnels"
#define MPTUN_MCGRP_PATHS	"paths"

#endif /* _UAPI_LINUX_MPTUN_H */
