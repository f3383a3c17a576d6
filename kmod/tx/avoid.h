/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Avoiding: lossy and far paths rest where others do better without them.
 */
#ifndef _MPTUN_AVOID_H
#define _MPTUN_AVOID_H

#include <linux/bitmap.h>

#include "base/limits.h"
#include "sched/trial.h"

struct mptun_path;
struct mptun_sent_result;
struct mptun_tunnel;

/**
 * struct mptun_avoid - the interval in which paths are judged
 * @full: for how long the queue of class 0 was stopped in it
 * @lanes: those of the flows that sent something in it
 * @flows: how many these are
 * @flows_before: how many they were in the one before, 0 if there was none
 * @tries: a path that rests is being tried with copies
 * @group: the paths that are used together, as to their losses
 * @detours: the same, as to how far they are
 */
struct mptun_avoid {
	struct mptun_full full;
	DECLARE_BITMAP(lanes, MPTUN_LANES);
	u32 flows;
	u32 flows_before;
	bool tries;
	struct mptun_lossy_group group;
	struct mptun_detour_group detours;
};

void mptun_avoid_news(struct mptun_path *path,
		      const struct mptun_sent_result *res, u64 now);
void mptun_avoid_run(struct mptun_tunnel *tunnel, u64 now);
void mptun_avoid_forget(struct mptun_tunnel *tunnel, u64 now);

/**
 * mptun_avoid_flow() - a flow sends something
 * @avoid: the interval
 * @lane: lane of the flow
 */
static inline void mptun_avoid_flow(struct mptun_avoid *avoid, u16 lane)
{
	avoid->flows += !__test_and_set_bit(lane, avoid->lanes);
}

#endif /* _MPTUN_AVOID_H */
