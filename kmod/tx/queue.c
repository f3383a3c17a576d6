// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Queues of the device, stopped and woken independently.
 *
 * Class 0 uses the first one, in which packets of sparse flows pass the others
 * (tx/flow.c).  The other classes share the rest, by their numbers: a packet
 * that waits for the path its class is pinned to delays only the classes of the
 * same queue.  mptun_tx.lock protects their state.
 *
 * mptun_xmit() learns the class of a packet from its queue.  Only where several
 * classes share one it has to look again.
 */
#include <linux/slab.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/tx.h"

/**
 * mptun_queue_of() - map a class to its queue
 * @tunnel: the tunnel
 * @class: number of the class
 *
 * Return: number of the queue.
 */
unsigned int mptun_queue_of(const struct mptun_tunnel *tunnel, u8 class)
{
	unsigned int others = tunnel->tx.n_queues - 1;

	return class && others ? 1 + (class - 1) % others : 0;
}

/**
 * mptun_queue_init() - allocate the queues of a tunnel
 * @tunnel: the tunnel
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_queue_init(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int q, class;

	__skb_queue_head_init(&tx->spare);
	tx->n_queues = tunnel->dev->real_num_tx_queues;
	tx->queues = kcalloc(tx->n_queues, sizeof(*tx->queues),
			     GFP_KERNEL_ACCOUNT);
	if (!tx->queues)
		return -ENOMEM;
	for (q = 0; q < tx->n_queues; q++) {
		__skb_queue_head_init(&tx->queues[q].rest);
		__skb_queue_head_init(&tx->queues[q].lost);
	}
	for (class = 0; class < MPTUN_CLASSES_MAX; class++)
		tx->queues[mptun_queue_of(tunnel, class)].classes |= BIT(class);
	return 0;
}

/**
 * mptun_queue_free() - undo mptun_queue_init()
 * @tunnel: the tunnel, no longer sending; its queues are empty
 */
void mptun_queue_free(struct mptun_tunnel *tunnel)
{
	kfree(tunnel->tx.queues);
}

/**
 * mptun_queue_purge() - free all packets without a number, and spare buffers
 * @tunnel: the tunnel, no longer sending or under mptun_tx.lock
 */
void mptun_queue_purge(struct mptun_tunnel *tunnel)
{
	unsigned int q;

	for (q = 0; q < tunnel->tx.n_queues; q++)
		__skb_queue_purge(&tunnel->tx.queues[q].rest);
	__skb_queue_purge(&tunnel->tx.spare);
}

/**
 * mptun_queue_wake() - wake a queue, if it is stopped
 * @tunnel: the tunnel
 * @q: number of the queue
 * @now: time in ns
 */
void mptun_queue_wake(struct mptun_tunnel *tunnel, unsigned int q, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;

	lockdep_assert_held(&tx->lock);
	if (!tx->queues[q].stopped)
		return;
	tx->queues[q].stopped = false;
	tx->stopped--;
	if (!q) {
		tx->wake_ns = now;
		mptun_full_wake(&tx->park.full, now);
		mptun_full_wake(&tx->avoid.full, now);
	}
	if (!q)
		WRITE_ONCE(mptun_flow_state(tunnel)->open, false);
	/* A packet of a sparse flow may have started the queue of the device
	 * while this one was stopped; starting it again does no harm.
	 */
	netif_start_subqueue(tunnel->dev, q);
	netif_schedule_queue(netdev_get_tx_queue(tunnel->dev, q));
}

/**
 * mptun_queue_stop() - stop a queue, if it is running
 * @tunnel: the tunnel
 * @q: number of the queue
 * @now: time in ns
 *
 * A passing sparse packet has restarted the device queue, so stop that again.
 * Once two packets wait, no other may pass.
 */
void mptun_queue_stop(struct mptun_tunnel *tunnel, unsigned int q, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	if (!q)
		WRITE_ONCE(mptun_flow_state(tunnel)->open,
			   skb_queue_len(&tx->queues[q].rest) < 2);
	if (tx->queues[q].stopped) {
		netif_stop_subqueue(tunnel->dev, q);
		return;
	}
	tx->queues[q].stopped = true;
	tx->stopped++;
	if (!q) {
		mptun_full_stop(&tx->park.full, now);
		mptun_full_stop(&tx->avoid.full, now);
	}
	netif_stop_subqueue(tunnel->dev, q);
	/* From now on the timers include pacing. */
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		mptun_timer_update(path, now);
}

/**
 * mptun_queue_stop_all() - stop all of the device's queues
 * @tunnel: the tunnel
 * @now: time in ns
 */
void mptun_queue_stop_all(struct mptun_tunnel *tunnel, u64 now)
{
	unsigned int q;

	lockdep_assert_held(&tunnel->tx.lock);
	for (q = 0; q < tunnel->tx.n_queues; q++)
		mptun_queue_stop(tunnel, q, now);
}

/**
 * mptun_queue_select() - ndo_select_queue of a tunnel
 * @dev: the device
 * @skb: a packet of the stack
 * @sb_dev: not used
 *
 * A packet of a sparse flow starts a stopped queue, which stops again when it
 * has been handed over.
 *
 * Return: the queue of the packet's class.
 */
u16 mptun_queue_select(struct net_device *dev, struct sk_buff *skb,
		       struct net_device *sb_dev)
{
	const struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct netdev_queue *first = netdev_get_tx_queue(dev, 0);
	u16 q;

	q = mptun_queue_of(tunnel, mptun_classify(tunnel, skb));
	if (!q && netif_tx_queue_stopped(first) &&
	    mptun_flow_passes(tunnel, skb))
		netif_tx_start_queue(first);
	return q;
}
