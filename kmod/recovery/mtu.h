/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * MTU of the device, which follows the sizes of the paths.
 */
#ifndef _MPTUN_MTU_H
#define _MPTUN_MTU_H

#include <linux/types.h>

/* IPv6 inside needs this much, and a packet of the least costs only 1 % more
 * than one of 1428 bytes; what does not fit a path is sent in fragments.
 */
#define MPTUN_MTU_MIN		1280U

/* Larger packets do not come from the Internet. */
#define MPTUN_MTU_MAX		1500U

/* How long a larger size must hold before the MTU rises. */
#define MPTUN_MTU_RAISE_NS	10000000000ULL

/* How long nothing larger must have been sent before the MTU falls below what
 * can be sent in fragments.  Hosts keep the MTU of a path for that long.
 */
#define MPTUN_MTU_KEEP_NS	600000000000ULL

/**
 * struct mptun_mtu - choice of the MTU of a device
 * @chosen: it was chosen once since the device came up
 * @again_ns: when to choose again, U64_MAX for not before something changes
 * @raise_to: what it rises to then, 0 if it does not want to rise
 * @since_ns: when @largest began
 * @before: largest inner packet that was sent before that
 * @largest: and since; written where packets are sent, without a lock
 * @whole: size up to which connections of TCP that begin stay, read without a
 *	lock; 0 for any
 */
struct mptun_mtu {
	bool chosen;
	u64 again_ns;
	u32 raise_to;
	u64 since_ns;
	u32 before;
	u32 largest;
	u32 whole;
};

void mptun_mtu_start(struct mptun_mtu *m);
u32 mptun_mtu_choose(struct mptun_mtu *m, u32 mtu, u32 smallest,
		     bool searching, bool frag, u64 now);

#endif /* _MPTUN_MTU_H */
