// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * NAPI: one instance per tunnel puts packets in order and passes them to the
 * stack.
 *
 * A single instance keeps the order; anything per CPU would lose it again.
 * rx.arrived is its input queue, rx.taken its own list of packets in order.
 * mptun_rx.running, under mptun_rx.lock and the lock of rx.arrived, keeps both
 * empty while the device is down.
 */
#include <net/gro.h>

#include "core/tunnel.h"
#include "rx/rx.h"

/* The budget bounds what arrived as well as what is delivered: a poll in which
 * all packets are dropped ends, too.
 */
static int mptun_napi_poll(struct napi_struct *napi, int budget)
{
	struct mptun_tunnel *tunnel;
	int work = 0, arrived = 0;
	struct sk_buff *skb;
	unsigned int n = 1;

	tunnel = container_of(napi, struct mptun_tunnel, rx.napi);
	while (work < budget) {
		skb = __skb_dequeue(&tunnel->rx.taken);
		if (skb) {
			work++;
			dev_sw_netstats_rx_add(tunnel->dev, skb->len);
			napi_gro_receive(napi, skb);
			n = 1;
			continue;
		}
		if (!n) {
			napi_complete_done(napi, work);
			return work;
		}
		if (arrived >= budget)
			return budget;
		mptun_enter();
		n = mptun_order_arrived(tunnel);
		mptun_leave();
		arrived += n;
	}
	return work;
}

/**
 * mptun_rx_init() - initialize the receiving side of a tunnel
 * @tunnel: the tunnel, its ring initialized
 */
void mptun_rx_init(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	skb_queue_head_init(&rx->arrived);
	mptun_playout_init(&rx->playout);
	__skb_queue_head_init(&rx->ready);
	__skb_queue_head_init(&rx->taken);
	spin_lock_init(&rx->code.lock);
	__skb_queue_head_init(&rx->code.ready);
	rx->timer_ns = U64_MAX;
	hrtimer_setup(&rx->timer, mptun_rx_timer_fired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	set_bit(NAPI_STATE_NO_BUSY_POLL, &rx->napi.state);
	netif_napi_add(tunnel->dev, &rx->napi, mptun_napi_poll);
}

static void mptun_napi_set_running(struct mptun_rx *rx, bool running)
{
	lockdep_assert_held(&rx->lock);
	spin_lock(&rx->arrived.lock);
	rx->running = running;
	spin_unlock(&rx->arrived.lock);
}

/**
 * mptun_rx_start() - start receiving when the device comes up
 * @tunnel: the tunnel
 */
void mptun_rx_start(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	napi_enable(&rx->napi);
	spin_lock_bh(&rx->lock);
	mptun_napi_set_running(rx, true);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_rx_stop() - stop receiving and drop all packets that wait
 * @tunnel: the tunnel
 *
 * A device below that goes away needs the pages of its packets back.
 */
void mptun_rx_stop(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_napi_set_running(rx, false);
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	mptun_code_rx_reset(tunnel);
	mptun_playout_flush(&rx->playout, &out);
	mptun_reassemble_expire(tunnel, U64_MAX);
	rx->ready_bytes = 0;
	WRITE_ONCE(rx->taken_bytes, 0);
	mptun_rx_settle(rx);
	spin_unlock_bh(&rx->lock);
	hrtimer_cancel(&rx->timer);
	spin_lock_bh(&rx->lock);
	rx->timer_ns = U64_MAX;
	spin_unlock_bh(&rx->lock);
	napi_disable(&rx->napi);
	skb_queue_purge(&rx->arrived);
	rx->arrived_bytes = 0;
	mptun_pool_left(&rx->arrived_share, 0);
	__skb_queue_purge(&rx->ready);
	__skb_queue_purge(&rx->taken);
	__skb_queue_purge(&out);
}
