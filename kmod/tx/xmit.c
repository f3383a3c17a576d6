// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Transmission: ndo_start_xmit of the tunnel.
 *
 * Classifies a packet, segments it if tx/segment.c cannot do so later, and
 * queues it for placement.  Only the last step takes mptun_tx.lock.
 */
#include <net/gso.h>
#include <net/ip_tunnels.h>

#include "base/ecn.h"
#include "core/session.h"
#include "core/path.h"
#include "core/tunnel.h"
#include "transport/transport.h"
#include "tx/run.h"
#include "tx/tx.h"
#include "wire/mss.h"
#include "wire/tcp.h"

/* Lowers the MSS of a SYN or SYN/ACK, if that is wanted. */
static int mptun_xmit_clamp(const struct mptun_tunnel *tunnel,
			    struct sk_buff *skb)
{
	unsigned int at, len = min_t(unsigned int, skb->len,
				     MPTUN_TCP_HEADERS);
	u32 mtu = mptun_tunnel_mss_mtu(tunnel);

	if (!mtu || skb_is_gso(skb))
		return 0;
	if (!pskb_may_pull(skb, len) ||
	    !mptun_mss_find(skb->data, len, &at))
		return 0;
	if (skb_ensure_writable(skb, len))
		return -ENOMEM;
	mptun_mss_clamp(skb->data, len, mtu,
			skb->ip_summed == CHECKSUM_PARTIAL);
	return 0;
}

/* Leaves a GSO packet whole if runs can be cut from it.  Any other packet is
 * segmented and gets its checksum here.
 */
static int mptun_xmit_segment(const struct mptun_tunnel *tunnel, u16 q,
			      struct sk_buff *skb, struct sk_buff_head *segs,
			      int *peer_rate)
{
	struct mptun_tx_cb cb = {
		.lane = mptun_flow_lane(skb),
		.ds = mptun_ecn_outer(READ_ONCE(tunnel->config.dscp), skb),
	};
	struct sk_buff *list = skb, *next;

	if (mptun_xmit_clamp(tunnel, skb))
		return -ENOMEM;
	*peer_rate = mptun_classify_queued(tunnel, q, skb, &cb);
	/* A packet socket reuses its ring buffer once the skb is freed. */
	if (skb->sk && skb->sk->sk_family == AF_PACKET)
		cb.keep = MPTUN_CLASS_KEEP_NEVER;
	/* A tunnel inside this one retransmits by itself.  And a packet that
	 * was dropped as too deeply nested must not be sent again from here.
	 */
	if (cb.keep != MPTUN_CLASS_KEEP_ALWAYS && mptun_output_nested())
		cb.keep = MPTUN_CLASS_KEEP_NEVER;
	if (skb_is_gso(skb) &&
	    (READ_ONCE(tunnel->tx.code.cuts) &
	     MPTUN_CODE_CUT(cb.class, skb_is_gso_tcp(skb)) ||
	     !mptun_segment_init(&cb.cut, skb))) {
		list = skb_gso_segment(skb, 0);
		if (IS_ERR_OR_NULL(list))
			return -ENOMEM;
		consume_skb(skb);
	} else if (!skb_is_gso(skb) && skb->ip_summed == CHECKSUM_PARTIAL &&
		   skb_checksum_help(skb)) {
		return -ENOMEM;
	}
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		skb->tstamp = 0; /* see mptun_run_memory() */
		*mptun_tx_cb(skb) = cb;
		__skb_queue_tail(segs, skb);
	}
	return 0;
}

/* Makes room for our headers, counts the segments and notes the largest.  Runs
 * get buffers of their own.
 */
static int mptun_xmit_prepare(struct net_device *dev,
			      const struct sk_buff_head *segs)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	u32 bytes = 0, packets = 0, n;
	struct sk_buff *skb;

	skb_queue_walk(segs, skb) {
		if (!skb_is_gso(skb) &&
		    skb_cow_head(skb, MPTUN_HEADROOM + LL_MAX_HEADER))
			return -ENOMEM;
		n = mptun_run_packets(skb);
		packets += n;
		bytes += skb->len + (n - 1) * mptun_tx_cb(skb)->cut.head;
		if (mptun_run_next(skb) > READ_ONCE(tunnel->mtu.largest))
			WRITE_ONCE(tunnel->mtu.largest, mptun_run_next(skb));
	}
	dev_sw_netstats_tx_add(dev, packets, bytes);
	return 0;
}

/**
 * mptun_xmit() - ndo_start_xmit of a tunnel
 * @skb: a packet of the stack, possibly GSO
 * @dev: the device
 *
 * Return: always NETDEV_TX_OK: a packet that cannot be sent is dropped and
 * counted, and one that has to wait for room is queued.
 */
netdev_tx_t mptun_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct mptun_tunnel *tunnel = netdev_priv(dev);
	struct mptun_tx *tx = &tunnel->tx;
	u16 q = skb_get_queue_mapping(skb);
	unsigned int reason = MPTUN_A_DROP_STATS_TX_NOT_IP;
	struct sk_buff_head segs, fresh;
	int peer_rate;
	u64 now;

	/* A packet socket may choose a queue that does not exist. */
	if (q >= tx->n_queues)
		q = 0;
	__skb_queue_head_init(&segs);
	if (skb->protocol != ip_tunnel_parse_protocol(skb))
		goto drop;
	reason = MPTUN_A_DROP_STATS_TX_NO_MEMORY;
	if (mptun_xmit_segment(tunnel, q, skb, &segs, &peer_rate))
		goto drop;
	skb = NULL;
	if (mptun_xmit_prepare(dev, &segs))
		goto drop;

	mptun_run_spares(tx, &fresh);
	mptun_enter();
	spin_lock(&tx->lock);
	skb_queue_splice(&fresh, &tx->spare);
	now = mptun_now();
	if (mptun_classify_admits(tunnel, &segs, peer_rate, now)) {
		mptun_cand_app_limited(tunnel, now);
		if (mptun_place_new(tunnel, q, &segs, now))
			mptun_place(tunnel, false, now);
		mptun_send_flush(tunnel);
	}
	spin_unlock(&tx->lock);
	mptun_leave();
	return NETDEV_TX_OK;
drop:
	mptun_out_dropped(tunnel, reason, skb_queue_len(&segs) ?: 1);
	__skb_queue_purge(&segs);
	mptun_drop_free(skb, reason);
	return NETDEV_TX_OK;
}
