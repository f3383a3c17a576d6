/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Packets of one path that were lost in the last minute.
 */
#ifndef _MPTUN_RECENT_H
#define _MPTUN_RECENT_H

#include <linux/time64.h>
#include <linux/types.h>

#include "recovery/sent.h"

/* The last minute is this number of steps, the present one included. */
#define MPTUN_RECENT_STEPS	12U
#define MPTUN_RECENT_STEP_NS	(5ULL * NSEC_PER_SEC)

/**
 * struct mptun_recent_count - packets whose end became known
 * @packets: packets acknowledged or declared lost
 * @lost: those declared lost, without those that proved spurious
 */
struct mptun_recent_count {
	u32 packets;
	u32 lost;
};

/**
 * struct mptun_recent - packets of the last minute, in steps
 * @begin_ns: when the present step began
 * @now: its index in @steps
 * @steps: the steps, a ring
 *
 * All zero is a path without packets.
 */
struct mptun_recent {
	u64 begin_ns;
	u32 now;
	struct mptun_recent_count steps[MPTUN_RECENT_STEPS];
};

void mptun_recent_add(struct mptun_recent *r,
		      const struct mptun_sent_result *res, u64 now);
struct mptun_recent_count mptun_recent_sum(const struct mptun_recent *r,
					   u64 now);

#endif /* _MPTUN_RECENT_H */
