/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Budget of one path: the volume it has carried of its cap.
 */
#ifndef _MPTUN_BUDGET_H
#define _MPTUN_BUDGET_H

#include <linux/mptun.h>
#include <linux/types.h>

/**
 * struct mptun_budget_count - counters of a path since its creation
 * @bytes: bytes in both directions, without outer IP headers
 * @packets: number of these packets
 */
struct mptun_budget_count {
	u64 bytes;
	u64 packets;
};

/**
 * struct mptun_budget - budget of one path
 * @used: bytes that count against the cap, outer IP headers included
 * @seen: counters at the last update
 * @state: &enum mptun_cap_state
 *
 * All zero is a path that has carried nothing and has no cap.
 */
struct mptun_budget {
	u64 used;
	struct mptun_budget_count seen;
	u8 state;
};

u64 mptun_budget_used(const struct mptun_budget *b,
		      const struct mptun_budget_count *count, u32 header);
void mptun_budget_update(struct mptun_budget *b,
			 const struct mptun_budget_count *count, u32 header);
void mptun_budget_set(struct mptun_budget *b,
		      const struct mptun_budget_count *count, u64 used);
bool mptun_budget_judge(struct mptun_budget *b, u64 cap);

#endif /* _MPTUN_BUDGET_H */
