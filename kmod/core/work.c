// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Tunnels: activity, and requests to the worker.
 */
#include "base/backoff.h"
#include "core/tunnel.h"

/* Bytes of the longest message for the worker, without padding */
#define MPTUN_WORK_LEN	sizeof(struct mptun_init)

static_assert(sizeof(struct mptun_response) <= MPTUN_WORK_LEN);
static_assert(sizeof(struct mptun_cookie) <= MPTUN_WORK_LEN);
static_assert(sizeof(struct mptun_packet) + sizeof(struct mptun_probe) <=
	      MPTUN_WORK_LEN);
static_assert(sizeof(struct mptun_packet) + sizeof(struct mptun_bye) <=
	      MPTUN_WORK_LEN);

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
	if (attempt->wait > MPTUN_INIT_MAX_MS) {
		attempt->at -= msecs_to_jiffies(attempt->wait -
						MPTUN_INIT_MAX_MS);
		attempt->wait = MPTUN_INIT_MAX_MS;
	}
	mptun_tunnel_kick(tunnel);
}

/**
 * mptun_tunnel_queue() - pass a packet to the worker
 * @tunnel: the tunnel
 * @queue: mptun_tunnel.work_queue for a handshake, or mptun_tunnel.work_probes
 *	for a decrypted probe of an unknown path or a BYE
 * @skb: the packet at its mptun header, outer headers in place; consumed
 * @full: reason to drop it if the queue is full
 *
 * The peer may send probes without end, so they have a queue of their own.  A
 * BYE stays behind the probe that begins its association.
 *
 * Queues a copy of outer headers and message, without padding: the buffers in
 * which they arrived may be as large as a datagram, or belong to a device.
 */
void mptun_tunnel_queue(struct mptun_tunnel *tunnel,
			struct sk_buff_head *queue, struct sk_buff *skb,
			unsigned int full)
{
	unsigned int reason = full, head = -skb_network_offset(skb);
	struct sk_buff *copy;

	if (skb_queue_len_lockless(queue) >= MPTUN_WORK_QUEUE)
		goto drop;
	reason = MPTUN_A_DROP_STATS_RX_MALFORMED;
	if (head > MPTUN_WORK_HEAD)
		goto drop;

	/* Its route and device are valid only in softirq. */
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	reason = MPTUN_A_DROP_STATS_RX_NO_MEMORY;
	if (pskb_trim(skb, min_t(u32, skb->len, MPTUN_WORK_LEN)))
		goto drop;
	copy = skb_copy_expand(skb, head, 0, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		goto drop;
	consume_skb(skb);
	skb_queue_tail(queue, copy);
	mptun_tunnel_kick(tunnel);
	return;

drop:
	mptun_drop(&tunnel->drops, skb, reason);
}
