// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: activity, and requests to the worker.
 */
#include "base/backoff.h"
#include "core/tunnel.h"

/**
 * mptun_tunnel_active() - check whether a tunnel carries data
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Return: true if there was data within MPTUN_ACTIVE_NS.
 */
bool mptun_tunnel_active(const struct mptun_tunnel *tunnel, u64 now)
{
	u64 last = max_t(u64, atomic64_read(&tunnel->tx.active_ns),
			 atomic64_read(&tunnel->rx.active_ns));

	/* Another CPU may have written a time later than @now. */
	return last && (s64)(now - last) < (s64)MPTUN_ACTIVE_NS;
}

/**
 * mptun_tunnel_kick() - run the worker now
 * @tunnel: the tunnel
 */
void mptun_tunnel_kick(struct mptun_tunnel *tunnel)
{
	mod_delayed_work(mptun_wq, &tunnel->work, 0);
}

/**
 * mptun_tunnel_retry() - run the worker; a rare INIT is repeated within 1 s
 * @tunnel: the tunnel
 *
 * Something has changed that may let the peer answer.
 */
void mptun_tunnel_retry(struct mptun_tunnel *tunnel)
{
	struct mptun_initiator *attempt = &tunnel->initiator;

	lockdep_assert_held(&tunnel->lock);
	attempt->rare_ns = mptun_backoff_again(attempt->rare_ns, mptun_now());
	if (attempt->wait > MPTUN_HELLO_MAX_MS) {
		attempt->at -= msecs_to_jiffies(attempt->wait -
						MPTUN_HELLO_MAX_MS);
		attempt->wait = MPTUN_HELLO_MAX_MS;
	}
	mptun_tunnel_kick(tunnel);
}

/**
 * mptun_tunnel_queue_work() - pass a packet to the worker
 * @tunnel: the tunnel
 * @skb: the packet at its mptun header, outer headers in place; consumed
 */
void mptun_tunnel_queue_work(struct mptun_tunnel *tunnel, struct sk_buff *skb)
{
	if (skb_queue_len_lockless(&tunnel->work_queue) >= MPTUN_WORK_QUEUE) {
		mptun_drop(&tunnel->drops, skb, MPTUN_A_DROP_STATS_RX_OVERRUN);
		return;
	}
	/* Its route and device are valid only in softirq. */
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	skb_queue_tail(&tunnel->work_queue, skb);
	mptun_tunnel_kick(tunnel);
}
