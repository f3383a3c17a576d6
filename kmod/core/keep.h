/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Keep: whether the mapping of a NAT outlives the silence of an idle path.
 *
 * The ends take turns at probing (path/liveness.c).  A probe of the peer that
 * arrives after the interval shows that the mapping still exists.  If the peer
 * does not probe in its turn, but right after this end has probed, it had lost
 * this end or sees it at another port: the mapping was gone.  An outage that
 * ends between the two turns looks the same, so that has to happen twice, and
 * meanwhile no probe of the peer may show the mapping.
 */
#ifndef _MPTUN_KEEP_H
#define _MPTUN_KEEP_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "base/limits.h"

/* The end whose probe was answered waits longer than its interval by this
 * share, so that the other one probes next; the end with the smaller instance
 * by twice the share, so that they do not probe at the same time again.
 */
#define MPTUN_KEEPALIVE_TURN_SHIFT	4

/* The share of the interval of an idle path. */
#define MPTUN_KEEPALIVE_TURN_NS \
	((s64)(MPTUN_KEEPALIVE_IDLE_NS >> MPTUN_KEEPALIVE_TURN_SHIFT))

/**
 * struct mptun_keep - mapping of a path that this end opened, under
 *	mptun_tx.lock
 * @until_ns: until when a probe of the peer shows that it had lost this end; 0
 *	if it did not miss its turn before the last probe of this end
 * @heard_ns: when the peer last probed
 * @doubt: the mapping was gone once
 * @short_lived: it was gone twice in a row
 */
struct mptun_keep {
	u64 until_ns;
	u64 heard_ns;
	bool doubt;
	bool short_lived;
};

/* Returns how much longer than the interval the path has been silent. */
static inline s64 mptun_keep_late(const struct mptun_keep *keep, u64 proved_ns,
				  u64 now)
{
	return (s64)(now - max(proved_ns, keep->heard_ns)) -
	       (s64)MPTUN_KEEPALIVE_IDLE_NS;
}

/**
 * mptun_keep_asked() - note a probe of this end
 * @keep: what is known of the mapping
 * @proved_ns: when the path was last proved
 * @pto_ns: probe timeout
 * @now: time in ns
 *
 * A suspect peer probes again when its longest timeout has expired.
 */
static inline void mptun_keep_asked(struct mptun_keep *keep, u64 proved_ns,
				    u64 pto_ns, u64 now)
{
	u64 wait = (pto_ns << (MPTUN_DOWN_TIMEOUTS - 1)) +
		   MPTUN_KEEPALIVE_TURN_NS;
	s64 late = mptun_keep_late(keep, proved_ns, now);

	keep->until_ns = 0;
	if (late > MPTUN_KEEPALIVE_TURN_NS / 2 &&
	    late < 3 * MPTUN_KEEPALIVE_TURN_NS)
		keep->until_ns = now + min(wait, MPTUN_KEEPALIVE_IDLE_NS / 2);
}

/**
 * mptun_keep_heard() - judge a probe of the peer on a path that works
 * @keep: what is known of the mapping
 * @proved_ns: when the path was last proved
 * @now: time in ns
 *
 * Return: true if it has just been found to be short-lived.
 */
static inline bool mptun_keep_heard(struct mptun_keep *keep, u64 proved_ns,
				    u64 now)
{
	s64 late = mptun_keep_late(keep, proved_ns, now);
	bool found = false;

	if (now < keep->until_ns) {
		found = keep->doubt && !keep->short_lived;
		keep->short_lived |= found;
		keep->doubt = true;
	} else if (late > -MPTUN_KEEPALIVE_TURN_NS / 2) {
		keep->doubt = false;
	}
	keep->until_ns = 0;
	keep->heard_ns = now;
	return found;
}

#endif /* _MPTUN_KEEP_H */
