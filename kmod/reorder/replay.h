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

struct mptun_pool;

#define MPTUN_REPLAY_WORD_BITS		64

/* A window covers the numbers of MPTUN_REPLAY_SKEW_NS, the time that the
 * reorder buffer waits by default: a packet that is later is of no use.  At
 * first that is 4000 numbers per second, as many control packets as one path
 * takes.  The largest is 10 Gbit/s of full packets for 250 ms, longer than
 * radio links and hand-overs delay single packets; it has 32 KiB.
 */
#define MPTUN_REPLAY_BITS		2048U
#define MPTUN_REPLAY_BITS_MAX		262144U
#define MPTUN_REPLAY_SKEW_NS		(500 * NSEC_PER_MSEC)

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
 */
struct mptun_replay {
	u64 next;
	u32 words;
	u64 *map;
	u64 jump;
	u32 jumps;
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
 * struct mptun_replay_rate - how fast the numbers of a counter pass
 * @bits: size of a window that covers MPTUN_REPLAY_SKEW_NS
 * @first: number at which the measurement began
 * @since_ns: when it arrived
 */
struct mptun_replay_rate {
	u32 bits;
	u64 first;
	u64 since_ns;
};

/**
 * struct mptun_replay_space - window that grows
 * @window: the window
 * @map: its bits at first
 * @grown: its bits since it grew; NULL before
 * @pool: they are charged to it; may be NULL
 */
struct mptun_replay_space {
	struct mptun_replay window;
	u64 map[MPTUN_REPLAY_BITS / MPTUN_REPLAY_WORD_BITS];
	u64 *grown;
	struct mptun_pool *pool;
};

void mptun_replay_init(struct mptun_replay *w, u64 *map, unsigned int bits);
bool mptun_replay_check(const struct mptun_replay *w, u64 number);
enum mptun_replay_credit mptun_replay_filter(struct mptun_replay *w,
					     u64 number);
bool mptun_replay_update(struct mptun_replay *w, u64 number);
void mptun_replay_grow(struct mptun_replay *w, u64 *map, u32 words);
void mptun_replay_continue(struct mptun_replay *w,
			   const struct mptun_replay *from);
void mptun_replay_limit(struct mptun_replay_space *s, struct mptun_pool *pool);
void mptun_replay_start(struct mptun_replay_space *s);
void mptun_replay_free(struct mptun_replay_space *s);
bool mptun_replay_take(struct mptun_replay_space *s,
		       struct mptun_replay_rate *rate, u64 number, u64 now);

/**
 * mptun_replay_rate_init() - begin to measure a counter
 * @rate: the measurement
 */
static inline void mptun_replay_rate_init(struct mptun_replay_rate *rate)
{
	*rate = (struct mptun_replay_rate){ .bits = MPTUN_REPLAY_BITS };
}

#endif /* _MPTUN_REPLAY_H */
