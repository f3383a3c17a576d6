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

/**
 * struct mptun_mtu - choice of the MTU of a device
 * @chosen: it was chosen once since the device came up
 * @raise_ns: when it may rise, U64_MAX if it does not want to
 * @raise_to: to this
 */
struct mptun_mtu {
	bool chosen;
	u64 raise_ns;
	u32 raise_to;
};

void mptun_mtu_start(struct mptun_mtu *m);
u32 mptun_mtu_choose(struct mptun_mtu *m, u32 mtu, u32 smallest,
		     bool searching, u64 now);

#endif /* _MPTUN_MTU_H */
