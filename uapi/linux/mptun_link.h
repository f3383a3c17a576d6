/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of a tunnel at creation: the attributes inside IFLA_INFO_DATA of
 * link kind "mptun".  Those that may change later are also attributes of the
 * generic netlink family (MPTUN_CMD_TUNNEL_SET).
 *
 * Generated from Documentation/netlink/specs/mptun-link.yaml by
 * tools/spec/regen.sh, do not edit.
 */
#ifndef _UAPI_LINUX_MPTUN_LINK_H
#define _UAPI_LINUX_MPTUN_LINK_H

#include <linux/mptun.h>

/**
 * enum mptun_link_attrs - attributes of link kind "mptun"
 * @IFLA_MPTUN_UNSPEC: unused
 * @IFLA_MPTUN_PORT: u16, local UDP port, shared by any number of
 *	tunnels; 1..65535, default 4725; fixed
 * @IFLA_MPTUN_ID: u32, number by which the peer addresses this tunnel,
 *	with cipher clear only; 1..4294967295; fixed
 * @IFLA_MPTUN_PEER_ID: u32, number by which this tunnel addresses its
 *	peer, with cipher clear only; 1..4294967295, default same as id; fixed
 * @IFLA_MPTUN_CIPHER: u32, &enum mptun_cipher, how packets are
 *	protected, default chacha20-poly1305; fixed
 * @IFLA_MPTUN_SCHED: string, name of the scheduler, which places packets
 *	on paths, default auto
 * @IFLA_MPTUN_CC: string, name of the congestion controller of all paths
 *	that do not name one, default bbr
 * @IFLA_MPTUN_REORDER: u32, &enum mptun_reorder_mode, how received
 *	packets are put in order, default adaptive
 * @IFLA_MPTUN_HOLD: u32, longest time that a packet waits for a missing
 *	one, in microseconds; the hold time of mode fixed, the upper limit of
 *	mode adaptive; 0..1000000, default 500000
 * @IFLA_MPTUN_BUFFER: u32, memory limit of the reorder buffer, in bytes;
 *	65536..268435456, default 16777216
 * @IFLA_MPTUN_LEARN: u8, 1 to accept paths that the peer opens, 0 to
 *	refuse them; 0..1, default 1, with cipher clear 0
 * @IFLA_MPTUN_REKEY: u32, time after its first data when a session gets
 *	new keys, in seconds; 1..86400, default 120
 * @IFLA_MPTUN_DSCP: u32, DSCP of outer packets, dscp-inherit to copy
 *	that of the inner packet; the DSCP of inner packets never changes;
 *	0..64, default 0
 * @IFLA_MPTUN_PARK: u32, suspend a path that carries less than 1/park of
 *	the mean of the other paths, except for trials; 0 for never, which
 *	also keeps high-latency paths in use; 0..1000, default 20
 * @IFLA_MPTUN_AUTO_GROUP: u8, 1 to detect which paths of group 0 share a
 *	bottleneck, 0 to treat them as one group; 0..1, default 0
 * @IFLA_MPTUN_FWMARK: u32, firewall mark of outer packets, also for
 *	their routes; 0 for none; 0..4294967295, default off
 * @IFLA_MPTUN_FRAG: u32, &enum mptun_frag_mode, when packets that are
 *	larger than a path carries are cut, default auto
 * @IFLA_MPTUN_MSS_CLAMP: u32, &enum mptun_mss_clamp_mode, whether the
 *	MSS of TCP inside is lowered to what fits, default off
 * @IFLA_MPTUN_FOLLOW: u8, 1 to use paths that the peer opened as it
 *	says, and by the names it gives them; 0..1, default 1
 * @IFLA_MPTUN_PSMC_FACTOR: u32, number of held packets at which reorder
 *	psmc gives up, in percent of its lower bound; 100..10000, default 200
 * @IFLA_MPTUN_PSMC_PERIOD: u32, time after which reorder psmc measures
 *	its bounds again, in microseconds; 10000..600000000, default 100000
 */
enum mptun_link_attrs {
	IFLA_MPTUN_UNSPEC,
	IFLA_MPTUN_PORT,
	IFLA_MPTUN_ID,
	IFLA_MPTUN_PEER_ID,
	IFLA_MPTUN_CIPHER,
	IFLA_MPTUN_SCHED,
	IFLA_MPTUN_CC,
	IFLA_MPTUN_REORDER,
	IFLA_MPTUN_HOLD,
	IFLA_MPTUN_BUFFER,
	IFLA_MPTUN_LEARN,
	IFLA_MPTUN_REKEY,
	IFLA_MPTUN_DSCP,
	IFLA_MPTUN_PARK,
	IFLA_MPTUN_AUTO_GROUP,
	IFLA_MPTUN_FWMARK,
	IFLA_MPTUN_FRAG,
	IFLA_MPTUN_MSS_CLAMP,
	IFLA_MPTUN_FOLLOW,
	IFLA_MPTUN_PSMC_FACTOR,
	IFLA_MPTUN_PSMC_PERIOD,

	/* private: add attributes above, and to the policy of the device */
	__IFLA_MPTUN_MAX,
	IFLA_MPTUN_MAX = __IFLA_MPTUN_MAX - 1,
};

#endif /* _UAPI_LINUX_MPTUN_LINK_H */
