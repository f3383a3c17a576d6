/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Settings of a tunnel at creation: the attributes inside IFLA_INFO_DATA of
 * link kind "mptun".  Those that may change later are also attributes of the
 * generic netlink family (MPTUN_CMD_TUNNEL_SET).
 */
#ifndef _UAPI_LINUX_MPTUN_LINK_H
#define _UAPI_LINUX_MPTUN_LINK_H

#include <linux/mptun.h>

/**
 * enum mptun_link_attrs - attributes of link kind "mptun"
 * @IFLA_MPTUN_UNSPEC: unused
 * @IFLA_MPTUN_PORT: u16, local UDP port, 1..65535, default 4725; fixed
 * @IFLA_MPTUN_ID: u32, number by which the peer addresses this tunnel in
 *	clear mode, 1..0xffffffff, unique on its port; fixed
 * @IFLA_MPTUN_PEER_ID: u32, number by which this tunnel addresses its peer in
 *	clear mode, 1..0xffffffff, default the same as @IFLA_MPTUN_ID; fixed
 * @IFLA_MPTUN_CIPHER: u32, &enum mptun_cipher, default chacha20-poly1305;
 *	fixed
 * @IFLA_MPTUN_SCHED: string, name of the scheduler, default "greedy"
 * @IFLA_MPTUN_CC: string, default congestion controller, default "bbr"
 * @IFLA_MPTUN_REORDER: u32, &enum mptun_reorder_mode, default adaptive
 * @IFLA_MPTUN_HOLD: u32, hold time (fixed) or its cap (adaptive) in
 *	microseconds, 0..1000000, default 200000
 * @IFLA_MPTUN_BUFFER: u32, memory limit of the reordering buffer in bytes,
 *	65536..268435456, default 16777216
 * @IFLA_MPTUN_LEARN: u8, 1 to accept paths that the peer opens, default 1,
 *	and 0 in clear mode
 * @IFLA_MPTUN_REKEY: u32, time after which a session gets new keys in
 *	seconds, 1..86400, default 120
 * @IFLA_MPTUN_DSCP: u32, DSCP of outer packets, 0..63, or MPTUN_DSCP_INHERIT
 *	for that of the inner packet, default 0
 * @IFLA_MPTUN_PARK: u32, a path that carries less than one part in so many of
 *	the mean of the others is not used, 0..1000, 0 for never, nor are lossy
 *	and far paths left alone then, default 20
 * @IFLA_MPTUN_AUTO_GROUP: u8, 1 to find out which of the paths of group 0
 *	share a bottleneck, default 0
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

	/* private: add attributes above, and to the policy in device.c */
	__IFLA_MPTUN_MAX,
	IFLA_MPTUN_MAX = __IFLA_MPTUN_MAX - 1,
};

#endif /* _UAPI_LINUX_MPTUN_LINK_H */
