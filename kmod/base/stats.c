// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Drops: counted by our own reason, which the tracepoint reports as well, and
 * freed with the nearest reason of the stack.
 */
#include <linux/instruction_pointer.h>

#include "base/stats.h"
#include "base/trace.h"

static enum skb_drop_reason mptun_drop_reason(unsigned int reason)
{
	switch (reason) {
	case MPTUN_A_DROP_STATS_TX_NO_MEMORY:
	case MPTUN_A_DROP_STATS_RX_NO_MEMORY:
		return SKB_DROP_REASON_NOMEM;
	case MPTUN_A_DROP_STATS_TX_TOO_BIG:
		return SKB_DROP_REASON_PKT_TOO_BIG;
	case MPTUN_A_DROP_STATS_TX_NO_ROUTE:
		return SKB_DROP_REASON_IP_OUTNOROUTES;
	case MPTUN_A_DROP_STATS_TX_NOT_IP:
	case MPTUN_A_DROP_STATS_RX_NOT_IP:
		return SKB_DROP_REASON_UNHANDLED_PROTO;
	case MPTUN_A_DROP_STATS_RX_SHORT:
		return SKB_DROP_REASON_PKT_TOO_SMALL;
	case MPTUN_A_DROP_STATS_RX_OVERRUN:
		return SKB_DROP_REASON_FULL_RING;
	default:
		return SKB_DROP_REASON_NOT_SPECIFIED;
	}
}

/**
 * mptun_drop_add() - count packets that no longer exist
 * @drops: counters of the tunnel or port that dropped them
 * @reason: MPTUN_A_DROP_STATS_*
 * @n: number of packets
 */
void mptun_drop_add(struct mptun_drops *drops, unsigned int reason,
		    unsigned int n)
{
	atomic64_add(n, &drops->count[reason]);
	trace_mptun_drop(reason, n, _RET_IP_);
}

/**
 * mptun_drop_free() - free a packet that has been counted
 * @skb: the packet, or NULL
 * @reason: MPTUN_A_DROP_STATS_*
 */
void mptun_drop_free(struct sk_buff *skb, unsigned int reason)
{
	kfree_skb_reason(skb, mptun_drop_reason(reason));
}

/**
 * mptun_drop() - free and count a packet
 * @drops: counters of the tunnel or port that drops it
 * @skb: the packet
 * @reason: MPTUN_A_DROP_STATS_*
 */
void mptun_drop(struct mptun_drops *drops, struct sk_buff *skb,
		unsigned int reason)
{
	atomic64_inc(&drops->count[reason]);
	trace_mptun_drop(reason, 1, _RET_IP_);
	mptun_drop_free(skb, reason);
}
