// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Lanes: each inner packet belongs to one of MPTUN_LANES, by a hash of its
 * flow.
 *
 * The hash is computed from the inner packet.  skb->hash would not do: a socket
 * changes it when it suspects its path, and a packet received through another
 * tunnel may carry the hash of the outer packet.
 */
#include <net/flow_dissector.h>

#include "base/limits.h"
#include "tx/tx.h"

/**
 * mptun_flow_lane() - find the lane of an inner packet
 * @skb: the packet, at its network header
 *
 * Return: number of the lane, below MPTUN_LANES.
 */
u16 mptun_flow_lane(const struct sk_buff *skb)
{
	struct flow_keys keys;

	if (!skb_flow_dissect_flow_keys(skb, &keys, 0))
		return 0;
	return flow_hash_from_keys(&keys) % MPTUN_LANES;
}

