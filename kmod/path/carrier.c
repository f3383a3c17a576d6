// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The carrier of the device, and what waits while there is none.
 *
 * mptun_tx.lock protects everything here.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "path/path.h"
#include "tx/tx.h"

/* Drops packets that wait for room: they would be stale when a path returns. */
static void mptun_carrier_purge(struct mptun_tunnel *tunnel)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff *skb;
	unsigned int q;

	for (q = 0; q < tx->n_queues; q++)
		while ((skb = __skb_dequeue(&tx->queues[q].rest)))
			mptun_classify_drop(tunnel, skb,
					    MPTUN_A_DROP_STATS_TX_NO_PATH);
}

/**
 * mptun_carrier_update() - set the carrier of the device
 * @tunnel: the tunnel
 *
 * It reports to routing and to the qdisc whether there is a usable path, or one
 * that packets wait for.  The qdisc drops its packets when there is none.  What
 * waits for a path does not when another one is usable.
 */
void mptun_carrier_update(struct mptun_tunnel *tunnel)
{
	bool usable = false, waits = false, up = false;
	struct mptun_path *path;

	lockdep_assert_held(&tunnel->tx.lock);
	rcu_read_lock();
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		up |= mptun_path_up(path);
		if (mptun_path_stalled(path))
			waits |= mptun_path_takes_data(path);
		else
			usable |= mptun_path_takes_data(path);
	}
	list_for_each_entry_rcu(path, &tunnel->paths, list)
		if (usable && mptun_path_stalled(path))
			mptun_stall_end(path, mptun_now());
	rcu_read_unlock();

	if ((usable || waits) && netif_running(tunnel->dev)) {
		netif_carrier_on(tunnel->dev);
	} else {
		netif_carrier_off(tunnel->dev);
		mptun_carrier_purge(tunnel);
	}
	/* The peer may have restarted. */
	if (!up)
		mptun_tunnel_kick(tunnel);
}
