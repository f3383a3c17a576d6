/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared bottleneck detection: groups paths whose one-way delays change
 * together.
 */
#ifndef _MPTUN_SHARED_BOTTLENECK_H
#define _MPTUN_SHARED_BOTTLENECK_H

#include <linux/list.h>
#include <linux/types.h>

/* Length of an interval, and number of intervals kept. */
#define MPTUN_SBD_INTERVAL_US	100000U
#define MPTUN_SBD_INTERVALS	128U

/**
 * struct mptun_sbd_series - delays of a path
 * @sum: sum of the delays in the interval @number above @first, in us
 * @number: the current interval
 * @count: delays in it, 0 if there was no sample yet
 * @first: the first of them
 * @delay: mean delays of the intervals before @number, in us and 0 if unknown;
 *	a ring
 */
struct mptun_sbd_series {
	s64 sum;
	u32 number;
	u32 count;
	u32 first;
	u32 delay[MPTUN_SBD_INTERVALS];
};

/**
 * struct mptun_sbd_path - one path
 * @list: entry in mptun_sbd.paths
 * @sent: delays by send interval
 * @arrived: delays by arrival interval
 * @number: unique number, never reused
 * @group: paths with the same one share a bottleneck; the @number of one of
 *	them, or of one that has left
 * @found: last result
 * @wanted: the same, if it differs from @group
 * @streak: consecutive results equal to @wanted
 * @compared: it has been compared with another path
 * @compared_ns: time of the last comparison
 */
struct mptun_sbd_path {
	struct list_head list;
	struct mptun_sbd_series sent;
	struct mptun_sbd_series arrived;
	u32 number;
	u32 group;
	u32 found;
	u32 wanted;
	u32 streak;
	bool compared;
	u64 compared_ns;
};

/**
 * struct mptun_sbd - the paths of a tunnel
 * @paths: list of them
 * @next_ns: time of the next comparison
 * @numbers: numbers assigned so far
 * @zero: reference delay
 * @measured: @zero is set
 */
struct mptun_sbd {
	struct list_head paths;
	u64 next_ns;
	u32 numbers;
	u32 zero;
	bool measured;
};

void mptun_sbd_init(struct mptun_sbd *all);
void mptun_sbd_reset(struct mptun_sbd *all,
		     struct mptun_sbd_path *b);
void mptun_sbd_sample(struct mptun_sbd *all,
		      struct mptun_sbd_path *b, u64 sent_ns,
		      u32 arrival_us);
bool mptun_sbd_run(struct mptun_sbd *all, u64 now);

/**
 * enum mptun_sbd_verdict - relation of two paths
 * @MPTUN_SBD_UNKNOWN: too few data
 * @MPTUN_SBD_SEPARATE: separate bottlenecks
 * @MPTUN_SBD_UNCLEAR: in between
 * @MPTUN_SBD_SHARED: one shared bottleneck
 */
enum mptun_sbd_verdict {
	MPTUN_SBD_UNKNOWN,
	MPTUN_SBD_SEPARATE,
	MPTUN_SBD_UNCLEAR,
	MPTUN_SBD_SHARED,
};

#if IS_ENABLED(CONFIG_KUNIT)
enum mptun_sbd_verdict mptun_sbd_compare(const struct mptun_sbd_series *x,
					 const struct mptun_sbd_series *y);
#endif

#endif /* _MPTUN_SHARED_BOTTLENECK_H */
