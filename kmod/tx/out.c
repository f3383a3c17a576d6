// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * The last step of a packet: out into the stack, or dropped.
 *
 * The route of each packet that leaves reports its MTU, in case that no
 * notifier does; it is the upper bound of the path's packets.  What the path
 * carries is proved by probes (recovery/pmtu.c).
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"
#include "tx/tx.h"

/**
 * mptun_out_dropped() - count data packets dropped on the transmit side
 * @tunnel: the tunnel
 * @reason: MPTUN_A_DROP_STATS_*
 * @n: number of packets
 *
 * All such drops are counted here, by reason and in tx_dropped of the device.
 */
void mptun_out_dropped(struct mptun_tunnel *tunnel, unsigned int reason,
		       unsigned int n)
{
	mptun_drop_add(&tunnel->drops, reason, n);
	DEV_STATS_ADD(tunnel->dev, tx_dropped, n);
}

/**
 * mptun_out_resize() - adapt a path to a new size of a full packet
 * @path: the path, whose size or whose search for it may have changed
 *
 * The worker adapts the MTU of the device.
 */
void mptun_out_resize(struct mptun_path *path)
{
	u32 sized = mptun_path_inner_mtu(path) << 1 |
		    mptun_path_size_settled(path);
	u32 mss = mptun_path_mss(path);

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (sized != path->sized) {
		/* The MTU of the device may follow (mptun_mtu_follow()). */
		path->sized = sized;
		if (READ_ONCE(path->tunnel->config.mtu_auto))
			mptun_tunnel_kick(path->tunnel);
	}
	if (mss == path->tx.cc.mss)
		return;
	mptun_cc_set_mss(&path->tx.cc, mss);
	mptun_timer_update(path, mptun_now());
}

/**
 * mptun_out_bound() - apply the upper bound of the packets of a path
 * @path: the path
 *
 * The bound is the MTU of its route, or a smaller one that is configured.
 */
void mptun_out_bound(struct mptun_path *path)
{
	u32 bound = path->route_mtu ?: MPTUN_PATH_MTU_GUESS;
	u64 now = mptun_now();

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (path->config.mtu)
		bound = min(bound, path->config.mtu);
	if (!mptun_pmtu_route(&path->pmtu, bound, now))
		return;
	mptun_out_resize(path);
	mptun_timer_update(path, now);
}

/**
 * mptun_out_mtu() - store the MTU of a path's route
 * @path: the path
 * @mtu: the MTU
 *
 * Called without a spinlock of ours.
 */
void mptun_out_mtu(struct mptun_path *path, u32 mtu)
{
	struct mptun_tx *tx = &path->tunnel->tx;

	if (mtu == READ_ONCE(path->route_mtu))
		return;
	spin_lock_bh(&tx->lock);
	WRITE_ONCE(path->route_mtu, mtu);
	mptun_out_bound(path);
	spin_unlock_bh(&tx->lock);
}

/**
 * mptun_out_control() - send a control or handshake packet
 * @path: the path
 * @skb: the packet from its outer header on; consumed
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 *
 * Return: 0, or a negative error of the route.
 */
int mptun_out_control(struct mptun_path *path, struct sk_buff *skb, u8 ds)
{
	u32 mtu;
	int err;

	err = mptun_output(path, skb, ds, &mtu);
	if (err == -EMLINK) {
		mptun_drop_add(&path->tunnel->drops,
			       MPTUN_A_DROP_STATS_TX_NESTED, 1);
		return 0;
	}
	if (err)
		return err;
	mptun_out_mtu(path, mtu);
	return 0;
}

/**
 * mptun_out_data() - send data
 * @path: the path
 * @skb: a packet from its outer header on, or several as UDP segments; consumed
 * @ds: DS field of the outer header
 *
 * Called between mptun_enter() and mptun_leave(), without a spinlock of ours.
 * Counts drops.
 *
 * Return: 0, or a negative error of the route.
 */
int mptun_out_data(struct mptun_path *path, struct sk_buff *skb, u8 ds)
{
	unsigned int packets = skb_shinfo(skb)->gso_segs ?: 1;
	u32 mtu;
	int err;

	err = mptun_output(path, skb, ds, &mtu);
	if (err == -EMLINK) {
		mptun_out_dropped(path->tunnel, MPTUN_A_DROP_STATS_TX_NESTED,
				  packets);
		return 0;
	}
	if (err) {
		mptun_out_dropped(path->tunnel, err == -ENOMEM ?
				  MPTUN_A_DROP_STATS_TX_NO_MEMORY :
				  MPTUN_A_DROP_STATS_TX_NO_ROUTE, packets);
		return err;
	}
	/* An IPsec policy may change it, without a notification. */
	mptun_out_mtu(path, mtu);
	return 0;
}
