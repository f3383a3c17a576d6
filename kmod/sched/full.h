/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Full: had the tunnel more to send than its paths could carry?
 *
 * It has while the queue of class 0 is stopped, which waits for all of them.
 */
#ifndef _MPTUN_FULL_H
#define _MPTUN_FULL_H

#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct mptun_full - an interval, and how long a queue was stopped in it
 * @begin_ns: when it began
 * @stop_ns: when the queue was stopped last
 * @full_ns: for how long it was stopped, up to @stop_ns
 */
struct mptun_full {
	u64 begin_ns;
	u64 stop_ns;
	u64 full_ns;
};

/**
 * mptun_full_begin() - the next interval begins
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_begin(struct mptun_full *f, u64 now)
{
	f->begin_ns = now;
	f->full_ns = 0;
}

/**
 * mptun_full_stop() - the queue is stopped
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_stop(struct mptun_full *f, u64 now)
{
	f->stop_ns = now;
}

/**
 * mptun_full_reset() - begin anew, whatever was before
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_reset(struct mptun_full *f, u64 now)
{
	mptun_full_begin(f, now);
	mptun_full_stop(f, now);
}

/**
 * mptun_full_wake() - the queue is woken
 * @f: the interval
 * @now: time in ns
 */
static inline void mptun_full_wake(struct mptun_full *f, u64 now)
{
	f->full_ns += now - max(f->stop_ns, f->begin_ns);
}

/**
 * mptun_full_mostly() - was the queue stopped half of the time?
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

#endif /* _MPTUN_FULL_H */
