/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Detours: which paths are so much farther that flows are better off without.
 */
#ifndef _MPTUN_DETOUR_H
#define _MPTUN_DETOUR_H

#include <linux/types.h>

/* With less than one part in so many of all that was delivered, far paths are
 * none that a flow waits for; and who gets less than one part in so many of
 * what the near ones carry does not want more.
 */
#define MPTUN_DETOUR_SHARE	16U
#define MPTUN_DETOUR_LITTLE	8U

/* They are farther by more than this. */
#define MPTUN_DETOUR_FAR_US	4000U

/* For so long flows may be slower before the far ones rest, so many times as
 * long if they are slower by little; and so much is remembered of the time in
 * which they were not.
 */
#define MPTUN_DETOUR_DEBT_MS	1000
#define MPTUN_DETOUR_CREDIT_MS	500
#define MPTUN_DETOUR_PATIENCE	4U

/* By then the near ones have to have been busy for so long, or the far ones
 * rest in vain: they are used again and do not rest again so soon.
 */
#define MPTUN_DETOUR_TEST_MS	4000U
#define MPTUN_DETOUR_BUSY_MS	1000U
#define MPTUN_DETOUR_QUIET_MS	60000U

/* Time until far paths are used again while the near ones are busy, doubled
 * each time that is in vain; that is not if they have been used for so long.
 */
#define MPTUN_DETOUR_RETRY_MIN_MS	32000U
#define MPTUN_DETOUR_RETRY_MAX_MS	256000U
#define MPTUN_DETOUR_LASTS_MS	8000U

/* They are used again if the near ones were not busy for so long, or if there
 * are twice as many flows, and so many more, as there were then.
 */
#define MPTUN_DETOUR_IDLE_MS	10000U
#define MPTUN_DETOUR_FLOWS	2U

/**
 * struct mptun_detour - one path
 * @acked: bytes it had delivered at the end of the last interval
 * @far: it was farther than the nearest one in that
 * @rests: the same, and not used for what depends on order
 */
struct mptun_detour {
	u64 acked;
	bool far;
	bool rests;
};

/**
 * struct mptun_detour_path - what is to be known of a path, at the end of an
 *	interval
 * @min_rtt_us: its smallest round-trip time, 0 if unknown
 * @srtt_us: its round-trip time as it is, 0 if unknown
 * @rate: what it carries in bytes per second, 0 if unknown
 * @acked: bytes it has delivered so far
 */
struct mptun_detour_path {
	u32 min_rtt_us;
	u32 srtt_us;
	u64 rate;
	u64 acked;
};

/**
 * struct mptun_detour_sum - what the paths did in an interval
 * @least_us: smallest round-trip time of all paths, U32_MAX if unknown
 * @nearest_us: that of the nearest one as it is, likewise
 * @near: bytes that those delivered that are not far
 * @far: bytes that far ones delivered
 * @rate: what the near ones carry in bytes per second
 * @unknown: of one of these that is not known
 * @farther: there is a far one
 * @full: the tunnel had more to send than it could, most of the time
 * @flows: how many flows sent something
 */
struct mptun_detour_sum {
	u32 least_us;
	u32 nearest_us;
	u64 near;
	u64 far;
	u64 rate;
	bool unknown;
	bool farther;
	bool full;
	u32 flows;
};

/**
 * struct mptun_detour_group - the paths that are used together
 * @rests: the far ones rest
 * @proven: that was right
 * @since_ns: when they began to rest, or to be used
 * @busy_ns: when the near ones were busy last
 * @busy_ms: for how long they were since the far ones rest
 * @quiet_ns: the far ones do not rest before
 * @peak: most bytes per second since flows are slow, 0 if they are not
 * @balance_ms: for how long they are, negative, or were not
 * @flows: how many flows there were when the far ones began to rest
 * @retry_ms: for how long these rest
 */
struct mptun_detour_group {
	bool rests;
	bool proven;
	u64 since_ns;
	u64 busy_ns;
	u32 busy_ms;
	u64 quiet_ns;
	u64 peak;
	s32 balance_ms;
	u32 flows;
	u32 retry_ms;
};

void mptun_detour_reset(struct mptun_detour *d, u64 acked);
void mptun_detour_compare(const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum);
void mptun_detour_measure(struct mptun_detour *d,
			  const struct mptun_detour_path *path,
			  struct mptun_detour_sum *sum);
void mptun_detour_group_reset(struct mptun_detour_group *g, u64 now);
bool mptun_detour_judge(struct mptun_detour_group *g,
			const struct mptun_detour_sum *sum, u32 ms, u64 now);

#endif /* _MPTUN_DETOUR_H */
