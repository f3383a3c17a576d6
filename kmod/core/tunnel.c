// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: when one was used last, and work for its worker.
 */
#include "core/tunnel.h"

/**
 * mptun_tunnel_active() - has there been data lately?
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: true if there has.
 */
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now)
{
	u64 last = max(READ_ONCE(tunnel->tx.active_ns),
		       READ_ONCE(tunnel->rx.active_ns));

	/* Who asks may have read the clock before another CPU wrote. */
	return last && (s64)(now - last) < (s64)MPTUN_ACTIVE_NS;
}

/**
 * mptun_tunnel_kick() - have the worker look at everything
 * @tunnel: the tunnel
 */
void mptun_tunnel_kick(struct mptun_tunnel *tunnel)
{
	mod_delayed_work(mptun_wq, &tunnel->work, 0);
}

/**
 * mptun_tunnel_queue_work() - leave a packet to the worker
 * @tunnel: the tunnel
 * @skb: the packet, at its outer header, headers before it in place; consumed
 */
void mptun_tunnel_queue_work(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	if (skb_queue_len_lockless(&tunnel->work_queue) >= MPTUN_WORK_QUEUE) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_OVERRUN);
		return;
	}
	/* It outlives the context that lent it route and device. */
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	skb_queue_tail(&tunnel->work_queue, skb);
	mptun_tunnel_kick(tunnel);
}
