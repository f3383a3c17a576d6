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
#include <linux/mptun.h>
#include <linux/skbuff.h>

/**
 * struct mptun_drops - packets dropped, by reason
 * @count: number of packets, by MPTUN_A_DROP_STATS_*
 */
struct mptun_drops {
	atomic64_t count[MPTUN_A_DROP_STATS_MAX + 1];
};

void mptun_drop_add(struct mptun_drops *drops, unsigned int reason,
		    unsigned int n);
void mptun_drop_free(struct sk_buff *skb, unsigned int reason);
void mptun_drop(struct mptun_drops *drops, struct sk_buff *skb,
		unsigned int reason);

#endif /* _MPTUN_STATS_H */
