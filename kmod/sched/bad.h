/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Bad paths: which paths carry so little that they are better left alone.
 */
#ifndef _MPTUN_BAD_H
#define _MPTUN_BAD_H

#include <linux/types.h>

/* Paths are judged by what they delivered in intervals of this length. */
#define MPTUN_BAD_INTERVAL_MS	1000U

/* So many intervals in a row make a path bad. */
#define MPTUN_BAD_STRIKES	3U

/* A path that is tried has to be so many times as good as one that is not
 * parked, in so many intervals in a row.
 */
#define MPTUN_BAD_MARGIN	2U
#define MPTUN_BAD_GOOD		2U

/* A trial ends after so many intervals in which the path was bad and did not
 * get better, and after so many in any case.
 */
#define MPTUN_BAD_FAILS		2U
#define MPTUN_BAD_ROUNDS	10U

/* Time until a parked path is tried, doubled each time this is in vain.  It
 * begins anew when the path has been used for so long.
 */
#define MPTUN_BAD_RETRY_MIN_MS	5000U
#define MPTUN_BAD_RETRY_MAX_MS	160000U
#define MPTUN_BAD_FORGET_MS	60000U

/**
 * enum mptun_bad_state - what a path may carry
 * @MPTUN_BAD_USED: anything
 * @MPTUN_BAD_PARKED: nothing
 * @MPTUN_BAD_TRIED: copies
 */
enum mptun_bad_state {
	MPTUN_BAD_USED,
	MPTUN_BAD_PARKED,
	MPTUN_BAD_TRIED,
};

/**
 * struct mptun_bad - one path
 * @acked: bytes it had delivered at the end of the last interval
 * @got: bytes it delivered in that interval
 * @growing: those were clearly more than in the interval before
 * @idle: it had nothing in flight at some time while others were full
 * @state: &enum mptun_bad_state
 * @strikes: intervals in a row in which it was bad
 * @good: intervals in a row in which it was good, while it is tried
 * @rounds: intervals of this trial
 * @retry_ms: how long it waits for the next trial
 * @since_ns: when @state began
 */
struct mptun_bad {
	u64 acked;
	u64 got;
	bool growing;
	bool idle;
	u8 state;
	u8 strikes;
	u8 good;
	u8 rounds;
	u32 retry_ms;
	u64 since_ns;
};

/**
 * struct mptun_bad_sum - what the paths in use delivered in an interval
 * @bytes: all together
 * @paths: how many these are
 */
struct mptun_bad_sum {
	u64 bytes;
	u32 paths;
};

void mptun_bad_reset(struct mptun_bad *b, u64 acked, u64 now);
void mptun_bad_measure(struct mptun_bad *b, u64 acked,
		       struct mptun_bad_sum *sum);
bool mptun_bad_judge(struct mptun_bad *b, const struct mptun_bad_sum *sum,
		     u32 part, u64 now);
void mptun_bad_rest(struct mptun_bad *b, u64 now);

/**
 * mptun_bad_parked() - is a path to be left alone?
 * @b: the path
 *
 * Return: true if it is, tried or not.
 */
static inline bool mptun_bad_parked(const struct mptun_bad *b)
{
	return b->state != MPTUN_BAD_USED;
}

#endif /* _MPTUN_BAD_H */
