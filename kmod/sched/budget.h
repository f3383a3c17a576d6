/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Budget of one path: what it has carried of what it may carry.
 */
#ifndef _MPTUN_BUDGET_H
#define _MPTUN_BUDGET_H

#include <linux/mptun.h>
#include <linux/types.h>

/**
 * struct mptun_budget_count - what a path carried since it was made
 * @bytes: of packets in both directions, without their outer IP headers
 * @packets: how many those are
 */
struct mptun_budget_count {
	u64 bytes;
	u64 packets;
};

/**
 * struct mptun_budget - budget of one path
 * @used: bytes that count against the cap, outer IP headers included
 * @seen: what had been carried when it was looked at last
 * @state: &enum mptun_quota_state
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
