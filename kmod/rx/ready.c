// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Delivery: from the ring to the stack, in order.
 *
 * One NAPI instance per tunnel puts what has arrived in order (rx/order.c) and
 * hands what the ring releases to the stack.  The ring also releases packets
 * when a time is over or the sender says so, on whatever CPU that happens.  All
 * of them pass one list, because anything per CPU would bring them out of order
 * again.
 *
 * What came early of a class that wants an even delay waits once more on this
 * way (reorder/playout.c).
 *
 * Here is also what ends such waits but time (rx/timer.c) and floors of the
 * sender (rx/blocks.c): the end of an association, other settings.
 */
#include <net/gro.h>

#include "base/skb_cb.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "rx/rx.h"
#include "tx/tx.h"
#include "wire/wire.h"

/* All that waits may leave at once, with a batch, and find room. */
static_assert(MPTUN_PLAYOUT_MAX + MPTUN_ORDER_BATCH <= MPTUN_READY_MAX);

/* Why a packet in order does not get to the stack, 0 if it does. */
static unsigned int mptun_deliver_refuse(const struct mptun_rx *rx,
					 const struct sk_buff *skb)
{
	if (mptun_rxcb(skb)->drop)
		return MPTUN_A_DROP_STATS_RX_ECN;
	if (!rx->running || skb_queue_len(&rx->ready) >= MPTUN_READY_MAX)
		return MPTUN_A_DROP_STATS_RX_OVERRUN;
	return 0;
}

/**
 * mptun_deliver_add() - packets have been released, NAPI will look
 * @tunnel: the tunnel
 * @out: the packets in order; empty afterwards
 * @now: time in ns
 *
 * Some may have to wait: the timer is to be planned anew.
 */
void mptun_deliver_add(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
		       u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;
	unsigned int reason;
	struct sk_buff *skb;

	lockdep_assert_held(&rx->lock);
	while ((skb = __skb_dequeue(out))) {
		reason = mptun_deliver_refuse(rx, skb);
		if (reason) {
			mptun_drop(&tunnel->drops, skb, reason);
			DEV_STATS_INC(tunnel->dev, rx_dropped);
			continue;
		}
		if (mptun_playout_wants(&rx->playout, skb) &&
		    mptun_playout_wait(&rx->playout, skb, skb_get_hash(skb),
				       now))
			continue;
		__skb_queue_tail(&rx->ready, skb);
	}
}

/**
 * mptun_deliver_ready() - the same where nobody has told NAPI
 * @tunnel: the tunnel
 * @out: the packets in order; empty afterwards
 * @now: time in ns
 *
 * Some may have to wait: see to the timer.
 */
void mptun_deliver_ready(struct mptun_tunnel *tunnel, struct sk_buff_head *out,
			 u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (skb_queue_empty(out))
		return;
	mptun_deliver_add(tunnel, out, now);
	if (rx->running)
		napi_schedule(&rx->napi);
}

/**
 * mptun_deliver_due() - what came early has waited long enough, says the timer
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_deliver_due(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	lockdep_assert_held(&rx->lock);
	if (mptun_playout_release(&rx->playout, now, &rx->ready))
		napi_schedule(&rx->napi);
}

/* The next packet for the stack, or NULL. */
static struct sk_buff *mptun_deliver_next(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	bool more = true;

	while (skb_queue_empty(&rx->taken) && more) {
		mptun_enter();
		more = mptun_order_arrived(tunnel);
		mptun_leave();
	}
	return __skb_dequeue(&rx->taken);
}

static int mptun_deliver_poll(struct napi_struct *napi, int budget)
{
	struct mptun_tunnel *tunnel;
	struct sk_buff *skb;
	int work = 0;

	tunnel = container_of(napi, struct mptun_tunnel, rx.napi);
	while (work < budget && (skb = mptun_deliver_next(tunnel))) {
		work++;
		dev_sw_netstats_rx_add(tunnel->dev, skb->len);
		napi_gro_receive(napi, skb);
	}
	if (work < budget)
		napi_complete_done(napi, work);
	return work;
}

/**
 * mptun_deliver_configure() - change how packets are put in order
 * @tunnel: the tunnel
 * @config: new settings
 */
void mptun_deliver_configure(struct mptun_tunnel *tunnel,
			     const struct mptun_reorder_config *config)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;
	u64 now = mptun_now();

	__skb_queue_head_init(&out);
	mptun_enter();
	spin_lock(&rx->lock);
	mptun_reorder_configure(&rx->reorder, config, now, &out);
	mptun_hold_update(tunnel, now);
	mptun_deliver_ready(tunnel, &out, now);
	mptun_rx_timer_update(tunnel);
	spin_unlock(&rx->lock);
	mptun_leave();
}

/* Lets all go that waits if a class does not want it any more. */
static bool mptun_deliver_playout(struct mptun_tunnel *tunnel, u16 classes)
{
	struct mptun_rx *rx = &tunnel->rx;
	bool other;

	spin_lock_bh(&rx->lock);
	other = rx->playout.classes != classes;
	if (rx->playout.classes & ~classes) {
		mptun_playout_flush(&rx->playout, &rx->ready);
		if (rx->running)
			napi_schedule(&rx->napi);
	}
	rx->playout.classes = classes;
	spin_unlock_bh(&rx->lock);
	return other;
}

/**
 * mptun_deliver_classes() - classes have changed
 * @tunnel: the tunnel, its mutex held
 *
 * Return: true if others are to have an even delay than before.
 */
bool mptun_deliver_classes(struct mptun_tunnel *tunnel)
{
	const struct mptun_class_list *list = mptun_classify_list(tunnel);
	unsigned int id;
	u16 classes = 0;

	lockdep_assert_held(&tunnel->lock);
	for (id = 0; id < MPTUN_CLASSES_MAX; id++)
		if (list->class[id].playout)
			classes |= BIT(id);
	return mptun_deliver_playout(tunnel, classes);
}

/**
 * mptun_deliver_associate() - a new association begins
 * @tunnel: the tunnel
 * @first_dsn: first data sequence number of the peer
 */
void mptun_deliver_associate(struct mptun_tunnel *tunnel, u32 first_dsn)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, first_dsn, &out);
	mptun_deliver_ready(tunnel, &out, mptun_now());
	mptun_rx_timer_update(tunnel);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_end() - an association has ended
 * @tunnel: the tunnel
 *
 * What is missing does not come any more.
 */
void mptun_deliver_end(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	mptun_reorder_idle(&rx->reorder);
	mptun_deliver_ready(tunnel, &out, mptun_now());
	mptun_rx_timer_update(tunnel);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_rest() - give memory back if nothing has come for a while
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 */
void mptun_deliver_rest(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_rx *rx = &tunnel->rx;

	if (now < READ_ONCE(rx->active_ns) + MPTUN_IDLE_NS)
		return;
	spin_lock(&rx->lock);
	/* A packet may have come just now. */
	if (now >= rx->active_ns + MPTUN_IDLE_NS)
		mptun_reorder_idle(&rx->reorder);
	spin_unlock(&rx->lock);
}

/**
 * mptun_deliver_init() - make the receiving side of a tunnel
 * @tunnel: the tunnel, its ring made
 */
void mptun_deliver_init(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	skb_queue_head_init(&rx->arrived);
	mptun_playout_init(&rx->playout);
	__skb_queue_head_init(&rx->ready);
	__skb_queue_head_init(&rx->taken);
	mptun_rx_timer_init(rx);
	set_bit(NAPI_STATE_NO_BUSY_POLL, &rx->napi.state);
	netif_napi_add(tunnel->dev, &rx->napi, mptun_deliver_poll);
}

/**
 * mptun_deliver_destroy() - free what the receiving side holds
 * @tunnel: the tunnel, stopped
 */
void mptun_deliver_destroy(struct mptun_tunnel *tunnel)
{
	netif_napi_del(&tunnel->rx.napi);
}

static void mptun_deliver_running(struct mptun_rx *rx, bool running)
{
	lockdep_assert_held(&rx->lock);
	spin_lock(&rx->arrived.lock);
	rx->running = running;
	spin_unlock(&rx->arrived.lock);
}

/**
 * mptun_deliver_start() - the device comes up
 * @tunnel: the tunnel
 */
void mptun_deliver_start(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;

	napi_enable(&rx->napi);
	spin_lock_bh(&rx->lock);
	mptun_deliver_running(rx, true);
	spin_unlock_bh(&rx->lock);
}

/**
 * mptun_deliver_stop() - the device goes down
 * @tunnel: the tunnel
 */
void mptun_deliver_stop(struct mptun_tunnel *tunnel)
{
	struct mptun_rx *rx = &tunnel->rx;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	spin_lock_bh(&rx->lock);
	mptun_deliver_running(rx, false);
	/* The driver below wants its pages back. */
	mptun_reorder_start(&rx->reorder, rx->reorder.next, &out);
	mptun_playout_flush(&rx->playout, &out);
	spin_unlock_bh(&rx->lock);
	mptun_rx_timer_stop(rx);
	napi_disable(&rx->napi);
	skb_queue_purge(&rx->arrived);
	__skb_queue_purge(&rx->ready);
	__skb_queue_purge(&rx->taken);
	__skb_queue_purge(&out);
}
