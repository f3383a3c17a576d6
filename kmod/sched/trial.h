/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Paths that are suspended for a time and tried again.
 */
#ifndef _MPTUN_TRIAL_H
#define _MPTUN_TRIAL_H

#include <linux/minmax.h>
#include <linux/types.h>

/*
 * Saturation: how long the tunnel had more to send than its paths could carry.
 * That is while the queue of class 0 is stopped, as it waits for all paths.
 */

/**
 * struct mptun_full - time for which a queue was stopped in an interval
 * @begin_ns: start of the interval
 * @stop_ns: when the queue was last stopped
 * @full_ns: total time stopped, up to @stop_ns
 */
struct mptun_full {
	u64 begin_ns;
	u64 stop_ns;
	u64 full_ns;
};

/**
 * mptun_full_begin() - start the next interval
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_begin(struct mptun_full *f, u64 now)
{
	f->begin_ns = now;
	f->full_ns = 0;
}

/**
 * mptun_full_stop() - record that the queue was stopped
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_stop(struct mptun_full *f, u64 now)
{
	f->stop_ns = now;
}

/**
 * mptun_full_reset() - start over
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_reset(struct mptun_full *f, u64 now)
{
	mptun_full_begin(f, now);
	mptun_full_stop(f, now);
}

/**
 * mptun_full_wake() - record that the queue was woken
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_wake(struct mptun_full *f, u64 now)
{
	f->full_ns += now - max(f->stop_ns, f->begin_ns);
}

/**
 * mptun_full_mostly() - test whether the queue was stopped half of the time
 * @f: the interval
 * @stopped: the queue is stopped now
 * @now: time in ns
 *
 * Return: true if it was.
 */
static inline bool mptun_full_mostly(const struct mptun_full *f, bool stopped,
				     u64 now)
{
	u64 full = f->full_ns;

	if (stopped)
		full += now - max(f->stop_ns, f->begin_ns);
	return full >= (now - f->begin_ns) / 2;
}

/*
 * Bad paths: paths that carry so little that they are not worth using
 */

/* Length of the intervals in which paths are judged */
#define MPTUN_BAD_INTERVAL_MS	1000U

/* Bad intervals in a row that suspend a path */
#define MPTUN_BAD_STRIKES	3U

/* A path on trial has to be this many times as good as a bad one, in this many
 * intervals in a row.
 */
#define MPTUN_BAD_MARGIN	2U
#define MPTUN_BAD_GOOD		2U

/* A trial ends after this many intervals in which the path was bad without
 * getting better, and after this many in any case.
 */
#define MPTUN_BAD_FAILS		2U
#define MPTUN_BAD_ROUNDS	10U

/* Time until a suspended path is tried, doubled with each failure. It starts
 * from the minimum again once the path has been used for the last of these
 * times.
 */
#define MPTUN_BAD_RETRY_MIN_MS	5000U
#define MPTUN_BAD_RETRY_MAX_MS	160000U
#define MPTUN_BAD_FORGET_MS	60000U

/**
 * enum mptun_bad_state - what a path may carry
 * @MPTUN_BAD_USED: everything
 * @MPTUN_BAD_PARKED: nothing
 * @MPTUN_BAD_TRIED: copies
 */
enum mptun_bad_state {
	MPTUN_BAD_USED,
	MPTUN_BAD_PARKED,
	MPTUN_BAD_TRIED,
};

/**
 * struct mptun_bad - judgement of one path
 * @acked: bytes delivered by the end of the last interval
 * @got: bytes delivered in that interval
 * @growing: @got was clearly more than in the interval before
 * @idle: it had nothing in flight at some time while others were full
 * @state: &enum mptun_bad_state
 * @strikes: bad intervals in a row
 * @good: good intervals in a row, on trial
 * @rounds: intervals of this trial
 * @retry_ms: time until the next trial
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
 * @bytes: total
 * @paths: number of these paths
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
void mptun_bad_skip(struct mptun_bad *b, u64 now);

/**
 * mptun_bad_parked() - test whether a path is suspended, or on trial
 * @b: the path
 *
 * Return: true if it is, on trial or not.
 */
static inline bool mptun_bad_parked(const struct mptun_bad *b)
{
	return b->state != MPTUN_BAD_USED;
}

/*
 * Detours: high-latency paths that make flows slower than they are without them
 */

/* No flow waits for high-latency paths that deliver less than 1/SHARE of all.
 * Traffic below 1/LOAD_PART of what the low-latency paths carry needs no more.
 */
#define MPTUN_DETOUR_SHARE	16U
#define MPTUN_DETOUR_LOAD_PART	8U

/* A detour has at least this much more latency. */
#define MPTUN_DETOUR_EXCESS_US	4000U

/* Time flows may be slower before detours are suspended, PATIENCE times as long
 * if slightly slower, and the time without slowdown that is credited.
 */
#define MPTUN_DETOUR_DEBT_MS	1000
#define MPTUN_DETOUR_CREDIT_MS	500
#define MPTUN_DETOUR_PATIENCE	4U

/* A suspension is tested over TEST: if the low-latency paths were busy for less
 * than BUSY of it, detours are used again and not suspended for QUIET.
 */
#define MPTUN_DETOUR_TEST_MS	4000U
#define MPTUN_DETOUR_BUSY_MS	1000U
#define MPTUN_DETOUR_QUIET_MS	60000U

/* Time until detours are used again while the low-latency paths are busy,
 * doubled each time that fails; it did not fail if they were used for LASTS.
 */
#define MPTUN_DETOUR_RETRY_MIN_MS	32000U
#define MPTUN_DETOUR_RETRY_MAX_MS	256000U
#define MPTUN_DETOUR_LASTS_MS	8000U

/* Detours are used again when the others were not busy for IDLE, or when there
 * are twice as many flows, plus FLOWS, as at the suspension.
 */
#define MPTUN_DETOUR_IDLE_MS	10000U
#define MPTUN_DETOUR_FLOWS	2U

/**
 * struct mptun_detour - detour state of one path
 * @acked: bytes delivered by the end of the last interval
 * @high_latency: it had high latency in that interval
 * @suspended: it has, and is suspended for traffic that depends on order
 */
struct mptun_detour {
	u64 acked;
	bool high_latency;
	bool suspended;
};

/**
 * struct mptun_detour_path - figures of a path at the end of an interval
 * @min_rtt_us: smallest round-trip time, 0 if unknown
 * @srtt_us: smoothed round-trip time, 0 if unknown
 * @rate: its capacity in bytes per second, 0 if unknown
 * @acked: bytes delivered so far
 */
struct mptun_detour_path {
	u32 min_rtt_us;
	u32 srtt_us;
	u64 rate;
	u64 acked;
};

/**
 * struct mptun_detour_sum - what all paths did in an interval
 * @min_rtt_us: smallest round-trip time of all paths, U32_MAX if unknown
 * @srtt_us: smallest smoothed round-trip time, U32_MAX if unknown
 * @low: bytes delivered by low-latency paths
 * @high: bytes delivered by high-latency paths
 * @rate: capacity of the low-latency paths in bytes per second
 * @unknown: the capacity of one of them is unknown
 * @any_high: there is a high-latency path
 * @full: the tunnel had more to send than it could, most of the time
 * @flows: number of flows that sent something
 */
struct mptun_detour_sum {
	u32 min_rtt_us;
	u32 srtt_us;
	u64 low;
	u64 high;
	u64 rate;
	bool unknown;
	bool any_high;
	bool full;
	u32 flows;
};

/**
 * struct mptun_detour_group - the paths that are used together
 * @suspended: high-latency paths are suspended
 * @proven: the suspension proved right
 * @grown: flows have grown since they are slow
 * @since_ns: when the suspension or the use began
 * @busy_ns: when the low-latency paths were last busy
 * @busy_ms: how long they were since the suspension
 * @quiet_ns: no suspension before this time
 * @base: rate that growth is measured by, in bytes per second, 0 if flows are
 *	not slow: their lowest until they have grown, then their highest
 * @balance_ms: time they were slow, negative, or were not
 * @flows: number of flows at the suspension
 * @retry_ms: length of the suspension
 */
struct mptun_detour_group {
	bool suspended;
	bool proven;
	bool grown;
	u64 since_ns;
	u64 busy_ns;
	u32 busy_ms;
	u64 quiet_ns;
	u64 base;
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

#endif /* _MPTUN_TRIAL_H */
