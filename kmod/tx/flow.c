// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lanes: which packets have to stay in order with each other.
 *
 * The model: the inner flows are hashed into a fixed number of lanes, and a
 * lane remembers the last dsn that was sent in it.  Each packet tells how far
 * back its predecessor in the lane is, so the receiver needs to know nothing
 * of flows: a packet may be delivered as soon as that one dsn is settled.  A
 * loss delays its own lane only.
 *
 * The hash is made from the inner packet itself.  skb->hash would not do: a
 * socket changes it when it suspects its path, and a packet that has left
 * another tunnel may carry the hash of the outer packet.
 */
#include <net/flow_dissector.h>

#include "base/seq.h"
#include "core/tunnel.h"
#include "tx/tx.h"
#include "wire/wire.h"

/**
 * mptun_lane_of() - lane of an inner packet
 * @skb: the packet, at its network header
 *
 * Return: number of the lane, below MPTUN_LANES.
 */
u16 mptun_lane_of(const struct sk_buff *skb)
{
	struct flow_keys keys;

	if (!skb_flow_dissect_flow_keys(skb, &keys, 0))
		return 0;
	return flow_hash_from_keys(&keys) % MPTUN_LANES;
}

/**
 * mptun_lane_start() - nothing has been sent in any lane
 * @tx: sending side, its next dsn set
 */
void mptun_lane_start(struct mptun_tx *tx)
{
	unsigned int i;

	lockdep_assert_held(&tx->lock);
	for (i = 0; i < MPTUN_LANES; i++)
		tx->lanes[i] = tx->next_dsn - 1;
}

/**
 * mptun_lane_prev() - enter a packet into its lane
 * @tx: sending side
 * @lane: lane of the packet
 * @dsn: its data sequence number
 *
 * That the predecessor is settled does not spare the packet to name it.  What
 * was acknowledged may still be held by the receiver, behind a loss that it
 * does not know of yet.  One from long ago is not held any more.
 *
 * Return: distance to its predecessor, 0 if that is far and settled,
 * MPTUN_PREV_FAR if it is that far or farther.
 */
u16 mptun_lane_prev(struct mptun_tx *tx, u16 lane, u32 dsn)
{
	u32 last = tx->lanes[lane];

	lockdep_assert_held(&tx->lock);
	tx->lanes[lane] = dsn;
	if (dsn - last < MPTUN_PREV_FAR)
		return dsn - last;
	return mptun_seq_before(last, tx->settled) ? 0 : MPTUN_PREV_FAR;
}
