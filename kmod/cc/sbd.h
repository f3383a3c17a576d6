/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Shared bottlenecks: which paths have their delays in common.
 */
#ifndef _MPTUN_SBD_H
#define _MPTUN_SBD_H

#include <linux/list.h>
#include <linux/types.h>

/* Delays are means of intervals of this length, and so many are remembered. */
#define MPTUN_SBD_INTERVAL_US	200000U
#define MPTUN_SBD_INTERVALS	64U

/**
 * struct mptun_sbd_series - how the delay of a path changed
 * @known: bit i is set if @change of the interval i before @number is known
 * @sum: delays in the interval @number beyond @first, in us
 * @number: the interval that is being measured
 * @count: delays in it, 0 if nothing is known at all
 * @first: first of them
 * @mean: mean delay of the interval before, if @follows
 * @follows: there is one
 * @change: difference of the means of an interval and the one before, in
 *	16 us; a ring
 */
struct mptun_sbd_series {
	u64 known;
	s64 sum;
	u32 number;
	u32 count;
	u32 first;
	u32 mean;
	bool follows;
	s16 change[MPTUN_SBD_INTERVALS];
};

/**
 * struct mptun_bottleneck - one path
 * @list: entry in mptun_bottlenecks.paths
 * @sent: delays of what was sent in an interval
 * @arrived: delays of what arrived in an interval
 * @number: no other path has or had it
 * @group: paths with the same one share a bottleneck; the @number of one of
 *	them, or of one that has left
 * @found: what the last look said
 * @wanted: the same, if it differs from @group
 * @streak: looks in a row that said so
 * @compared: it has been compared with another path
 * @compared_ns: when it was, last
 */
struct mptun_bottleneck {
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
 * struct mptun_bottlenecks - the paths of a tunnel that are compared
 * @paths: list of them
 * @next_ns: when to look at them again
 * @numbers: numbers given so far
 * @zero: a delay, from which the others are counted
 * @measured: there is one
 */
struct mptun_bottlenecks {
	struct list_head paths;
	u64 next_ns;
	u32 numbers;
	u32 zero;
	bool measured;
};

void mptun_bottleneck_init(struct mptun_bottlenecks *all);
void mptun_bottleneck_reset(struct mptun_bottlenecks *all,
			    struct mptun_bottleneck *b);
void mptun_bottleneck_sample(struct mptun_bottlenecks *all,
			     struct mptun_bottleneck *b, u64 sent_ns,
			     u32 arrival_us);
bool mptun_bottleneck_run(struct mptun_bottlenecks *all, u64 now);

#endif /* _MPTUN_SBD_H */
