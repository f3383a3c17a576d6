/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Replay windows (RFC 6479), one for each number space of a path.
 */
#ifndef _MPTUN_REPLAY_H
#define _MPTUN_REPLAY_H

#include <linux/time64.h>
#include <linux/types.h>

#define MPTUN_REPLAY_WORD_BITS		64

/* A space belongs to one path, so a window only has to cover the reordering of
 * that path.  The one for data grows until it covers MPTUN_REPLAY_SKEW_NS, as
 * radio links and hand-overs delay packets by less, or what can be in flight on
 * a path (MPTUN_SENT_MAX).
 */
#define MPTUN_REPLAY_DATA_BITS		2048
#define MPTUN_REPLAY_DATA_BITS_MAX	65536
#define MPTUN_REPLAY_CONTROL_BITS	256
#define MPTUN_REPLAY_SKEW_NS		(250 * NSEC_PER_MSEC)

/* Consecutive numbers that make a jump credible. */
#define MPTUN_REPLAY_JUMPS		4

/* Numbers that lag by more count as jumps, too.  Smaller lags fit into one
 * report, even if other packets took some of the numbers.
 */
#define MPTUN_REPLAY_LAG		64

/**
 * struct mptun_replay - window over one number space
 * @next: one above the largest number accepted, 0 if there is none
 * @words: number of words of @map, a power of two
 * @map: one bit per number, set if it was accepted
 * @jump: last implausible number
 * @jumps: consecutive implausible numbers
 * @taken: numbers accepted since @since_ns
 * @since_ns: when the first of these was
 */
struct mptun_replay {
	u64 next;
	u32 words;
	u64 *map;
	u64 jump;
	u32 jumps;
	u32 taken;
	u64 since_ns;
};

/**
 * enum mptun_replay_credit - plausibility of an unauthenticated number
 * @MPTUN_REPLAY_DROP: ignore the packet
 * @MPTUN_REPLAY_TAKE: process it
 * @MPTUN_REPLAY_RESTART: process it; the window was restarted
 */
enum mptun_replay_credit {
	MPTUN_REPLAY_DROP,
	MPTUN_REPLAY_TAKE,
	MPTUN_REPLAY_RESTART,
};

/**
 * struct mptun_replay_data - window over the data space of a path
 * @window: the window
 * @map: its bits at first
 * @grown: its bits since it grew; NULL before
 */
struct mptun_replay_data {
	struct mptun_replay window;
	u64 map[MPTUN_REPLAY_DATA_BITS / MPTUN_REPLAY_WORD_BITS];
	u64 *grown;
};

/**
 * struct mptun_replay_control - window over the control space of a path
 * @window: the window
 * @map: its bits
 */
struct mptun_replay_control {
	struct mptun_replay window;
	u64 map[MPTUN_REPLAY_CONTROL_BITS / MPTUN_REPLAY_WORD_BITS];
};

void mptun_replay_init(struct mptun_replay *w, u64 *map, unsigned int bits);
void mptun_replay_begin(struct mptun_replay *w, u64 number);
bool mptun_replay_check(const struct mptun_replay *w, u64 number);
enum mptun_replay_credit mptun_replay_filter(struct mptun_replay *w,
					     u64 number);
bool mptun_replay_update(struct mptun_replay *w, u64 number);
bool mptun_replay_short(struct mptun_replay *w, u64 now);
void mptun_replay_grow(struct mptun_replay *w, u64 *map);
void mptun_replay_data_start(struct mptun_replay_data *d);
void mptun_replay_data_free(struct mptun_replay_data *d);
void mptun_replay_data_follow(struct mptun_replay_data *d, u64 now);

#endif /* _MPTUN_REPLAY_H */
