/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Counters of dropped packets by reason.  The reasons are the attributes of
 * "drop-stats" in the netlink specification.
 */
#ifndef _MPTUN_STATS_H
#define _MPTUN_STATS_H

#include <linux/atomic.h>
#include <linux/instruction_pointer.h>
#include <linux/mptun.h>
#include <linux/skbuff.h>

#include "base/trace.h"

/**
 * struct mptun_drops - packets dropped, by reason
 * @count: number of packets, by MPTUN_A_DROP_STATS_*
 */
struct mptun_drops {
	atomic64_t count[MPTUN_A_DROP_STATS_MAX + 1];
};

/**
 * mptun_drop_add() - count packets that no longer exist
 * @drops: counters of the tunnel or port that dropped them
 * @reason: MPTUN_A_DROP_STATS_*
 * @n: number of packets
 */
static inline void mptun_drop_add(struct mptun_drops *drops,
				  unsigned int reason, unsigned int n)
{
	atomic64_add(n, &drops->count[reason]);
	trace_mptun_drop(reason, n, _THIS_IP_);
}

/**
 * mptun_drop_count() - count a packet that no longer exists
 * @drops: counters of the tunnel or port that dropped it
 * @reason: MPTUN_A_DROP_STATS_*
 */
static inline void mptun_drop_count(struct mptun_drops *drops,
				    unsigned int reason)
{
	mptun_drop_add(drops, reason, 1);
}

/**
 * mptun_drop() - free and count a packet
 * @drops: counters of the tunnel or port that drops it
 * @skb: the packet
 * @reason: MPTUN_A_DROP_STATS_*
 */
static inline void mptun_drop(struct mptun_drops *drops, struct sk_buff *skb,
			      unsigned int reason)
{
	mptun_drop_count(drops, reason);
	kfree_skb(skb);
}

#endif /* _MPTUN_STATS_H */
