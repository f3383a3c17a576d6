/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Data cap of one path: the volume that counts against it, and its state.
 */
#ifndef _MPTUN_CAP_H
#define _MPTUN_CAP_H

#include <linux/mptun.h>
#include <linux/types.h>

/**
 * struct mptun_cap_count - counters of a path since its creation
 * @bytes: bytes in both directions, without outer IP headers
 * @packets: number of these packets
 */
struct mptun_cap_count {
	u64 bytes;
	u64 packets;
};

/**
 * struct mptun_cap - use of the data cap of one path
 * @used: bytes that count against the cap, outer IP headers included
 * @seen: counters at the last update
 * @state: &enum mptun_cap_state
 *
 * All zero is a path that has carried nothing and has no cap.
 */
struct mptun_cap {
	u64 used;
	struct mptun_cap_count seen;
	u8 state;
};

u64 mptun_cap_used(const struct mptun_cap *c,
		   const struct mptun_cap_count *count, u32 header);
void mptun_cap_update(struct mptun_cap *c,
		      const struct mptun_cap_count *count, u32 header);
void mptun_cap_set(struct mptun_cap *c, const struct mptun_cap_count *count,
		   u64 used);
bool mptun_cap_judge(struct mptun_cap *c, u64 cap);

#endif /* _MPTUN_CAP_H */
