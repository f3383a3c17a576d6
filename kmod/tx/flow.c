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
 *
 * Sparse flows (sched/sparse.c) do not wait.  Their packets are in the same
 * queue of the device as those of bulk flows, as otherwise they could overtake
 * packets of their own flow.  While that queue is stopped, a packet of a sparse
 * flow opens it for one packet.  fq_codel hands over that one, as it serves
 * flows without a queue first.
 */
#include <linux/slab.h>
#include <net/flow_dissector.h>

#include "base/limits.h"
#include "core/path.h"
#include "core/tunnel.h"
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

/**
 * mptun_flow_init() - allocate the state of the flows of a tunnel
 * @tunnel: the tunnel
 *
 * Return: 0 or -ENOMEM.
 */
int mptun_flow_init(struct mptun_tunnel *tunnel)
{
	struct mptun_flows *flows;

	flows = kzalloc(sizeof(*flows), GFP_KERNEL_ACCOUNT);
	if (!flows)
		return -ENOMEM;
	rcu_assign_pointer(tunnel->tx.flows, flows);
	return 0;
}

/**
 * mptun_flow_destroy() - undo mptun_flow_init()
 * @tunnel: the tunnel, no longer sending
 *
 * As for mptun_classify_destroy(), mptun_queue_select() may still be called.
 */
void mptun_flow_destroy(struct mptun_tunnel *tunnel)
{
	struct mptun_flows *flows;

	flows = rcu_replace_pointer(tunnel->tx.flows, NULL, true);
	if (flows)
		kfree_rcu(flows, rcu);
}

/**
 * mptun_flow_state() - flows of a tunnel
 * @tunnel: the tunnel, not being destroyed; under mptun_tx.lock
 *
 * Return: their state.
 */
struct mptun_flows *mptun_flow_state(const struct mptun_tunnel *tunnel)
{
	return rcu_dereference_protected(tunnel->tx.flows,
					 lockdep_is_held(&tunnel->tx.lock));
}

/**
 * mptun_flow_passes() - test whether a packet passes the stopped first queue
 * @tunnel: the tunnel
 * @skb: a packet of class 0
 *
 * Needs no lock.
 *
 * Return: true if it is one of a sparse flow.
 */
bool mptun_flow_passes(const struct mptun_tunnel *tunnel,
		       const struct sk_buff *skb)
{
	const struct mptun_flows *flows;
	bool passes;

	rcu_read_lock();
	flows = rcu_dereference(tunnel->tx.flows);
	passes = flows && READ_ONCE(flows->open) &&
		 mptun_sparse_may(&flows->sparse, mptun_flow_lane(skb),
				  mptun_now());
	rcu_read_unlock();
	return passes;
}
