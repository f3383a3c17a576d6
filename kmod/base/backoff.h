/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Backoff: attempts without an answer become rarer.
 *
 * A network may be dead for days, and its packets may cost money.  For five
 * minutes attempts are as frequent as before.  Then their interval is an eighth
 * of the time since, up to a limit: a path is noticed late only if it was away
 * for much longer.
 */
#ifndef _MPTUN_BACKOFF_H
#define _MPTUN_BACKOFF_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "base/limits.h"

/**
 * mptun_backoff_begin() - begin to wait for an answer
 * @now: time in ns
 *
 * Return: time in ns from which on attempts become rarer.
 */
static inline u64 mptun_backoff_begin(u64 now)
{
	return now + MPTUN_BACKOFF_AFTER_NS;
}

/**
 * mptun_backoff_again() - count again, after what may let an answer come
 * @rare_ns: when attempts began to become rarer, or will
 * @now: time in ns
 *
 * Return: its new value.
 */
static inline u64 mptun_backoff_again(u64 rare_ns, u64 now)
{
	return max(rare_ns, now);
}

/**
 * mptun_backoff_limit() - find the largest interval between attempts
 * @usual_ns: that of the first minutes
 * @most_ns: the upper limit
 * @rare_ns: when attempts began to become rarer, or will
 * @now: time in ns
 *
 * Return: the interval in ns.
 */
static inline u64 mptun_backoff_limit(u64 usual_ns, u64 most_ns, u64 rare_ns,
				      u64 now)
{
	if (now <= rare_ns)
		return usual_ns;
	return clamp((now - rare_ns) >> MPTUN_BACKOFF_SHIFT, usual_ns, most_ns);
}

#endif /* _MPTUN_BACKOFF_H */
