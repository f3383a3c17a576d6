// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Candidates: what the scheduler is told of the paths.
 */
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

/* Room for so many paths is made at least.  Most tunnels have no more; room for
 * all that there may be would make a tunnel twice as large.
 */
#define MPTUN_CAND_MIN	4U

/**
 * mptun_cand_reserve() - make room to list paths
 * @tunnel: the tunnel
 * @n: how many there will be
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int mptun_cand_reserve(struct mptun_tunnel *tunnel, unsigned int n)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_sched_cand *cand;
	struct mptun_path **path;

	lockdep_assert_held(&tunnel->lock);
	if (n <= tx->cands)
		return 0;
	n = max(roundup_pow_of_two(n), MPTUN_CAND_MIN + 0UL);
	cand = kcalloc(n, sizeof(*cand), GFP_KERNEL);
	path = kcalloc(n, sizeof(*path), GFP_KERNEL);
	if (cand && path) {
		spin_lock_bh(&tx->lock);
		swap(tx->cand, cand);
		swap(tx->cand_path, path);
		tx->cands = n;
		spin_unlock_bh(&tx->lock);
	}
	kfree(cand);
	kfree(path);
	return tx->cands == n ? 0 : -ENOMEM;
}

/**
 * mptun_cand_free() - undo mptun_cand_reserve()
 * @tunnel: the tunnel, which sends nothing any more
 */
void mptun_cand_free(struct mptun_tunnel *tunnel)
{
	kfree(tunnel->tx.cand);
	kfree(tunnel->tx.cand_path);
}

/* Bytes that wait for a path: the rest of a GSO packet, and the queue of the
 * device.  That changes meanwhile, under locks that are not ours.
 */
static u64 mptun_cand_backlog(const struct mptun_tunnel *tunnel,
			      unsigned int q)
{
	struct netdev_queue *queue = netdev_get_tx_queue(tunnel->dev, q);
	const struct sk_buff *skb;
	u32 packets, backlog;
	u64 rest = 0;

	skb_queue_walk(&tunnel->tx.queues[q].rest, skb)
		rest += (u64)mptun_run_packets(skb) *
			(mptun_run_next(skb) + tunnel->overhead);
	qdisc_qstats_qlen_backlog(rcu_dereference_bh(queue->qdisc), &packets,
				  &backlog);
	return rest + backlog;
}

/**
 * mptun_cand_room() - room of a path
 * @path: the path
 * @need: bytes that the next packet needs, 0 if none waits
 * @now: time in ns
 *
 * Windows and allowances are at least two full packets, but a packet may be
 * larger than that while an MTU is changed.  It must not wait for what never
 * comes, so the allowance grows with it, and an idle path takes one in any
 * case.  If no packet waits, less than a full one is no room.
 *
 * Return: bytes.
 */
u32 mptun_cand_room(struct mptun_path *path, u32 need, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	u32 full = max(ptx->cc.mss, need);
	u32 window, paced;

	if (!mptun_sent_can_add(&ptx->sent))
		return 0;
	window = mptun_cc_room(&ptx->cc, ptx->sent.in_flight);
	if (!ptx->sent.in_flight)
		window = max(window, full);
	paced = mptun_pacer_room(&ptx->pacer, ptx->cc.pacing_rate, full, now);
	window = min(window, paced);
	return need || window >= full ? window : 0;
}

/* What the scheduler is told of all paths, and of the packet. */
static void mptun_cand_packet(struct mptun_tunnel *tunnel, unsigned int q,
			      bool spills, bool helps, u64 now)
{
	const struct sk_buff *skb = skb_peek(&tunnel->tx.queues[q].rest);
	struct mptun_sched *sched = &tunnel->tx.sched;

	sched->now = now;
	if (skb)
		sched->lane = mptun_tx_cb(skb)->lane;
	sched->flows = tunnel->tx.avoid.flows_before;
	sched->spills = spills;
	if (sched->ops->looks_back || spills ||
	    (helps && sched->ops->thick_first))
		sched->backlog = mptun_cand_backlog(tunnel, q);
}

/* A path keeps its lanes when it gets another number, or is added again. */
static u32 mptun_cand_id(const struct mptun_path *path)
{
	return jhash(path->config.name, strlen(path->config.name), 0);
}

/**
 * mptun_cand_list() - list the usable paths for the scheduler
 * @tunnel: the tunnel, in whose mptun_tx.cand and sched this is put
 * @q: which of the device's queues the packet is from
 * @need: room that it needs in bytes, 0 if none waits
 * @now: time in ns
 *
 * Return: how many there are.
 */
unsigned int mptun_cand_list(struct mptun_tunnel *tunnel, unsigned int q,
			     u32 need, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	u32 nearest_us = U32_MAX, farthest_us = 0;
	u64 least = U64_MAX, most = 0;
	bool spills = false, helps;
	unsigned int n = 0;

	lockdep_assert_held(&tx->lock);
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_path_tx *ptx = &path->tx;
		struct mptun_sched_cand *cand;

		if (!mptun_path_takes_data(path) || n == tx->cands)
			continue;
		tx->cand_path[n] = path;
		cand = &tx->cand[n++];
		cand->rate = mptun_cc_rate(&ptx->cc,
					   mptun_rate_get(&ptx->rate));
		cand->pacing_rate = ptx->cc.pacing_rate;
		cand->paced_ns = ptx->pacer.next_ns;
		cand->room = mptun_cand_room(path, need, now);
		cand->srtt_us = ptx->rtt.valid ? ptx->rtt.srtt_us : 0;
		cand->min_rtt_us = ptx->rtt.valid ? ptx->rtt.min_us : 0;
		cand->rttvar_us = ptx->rtt.var_us;
		if (tx->sched.ops->pins)
			cand->id = mptun_cand_id(path);
		cand->weight = path->config.weight;
		cand->priority = path->config.priority;
		cand->spill_us = path->config.spill_us;
		cand->in_flight = ptx->sent.in_flight;
		cand->cwnd = ptx->cc.cwnd;
		cand->mtu = mptun_path_inner_mtu(path);
		cand->up = mptun_path_up(path);
		cand->backup = mptun_path_backup(path);
		cand->parked = mptun_bad_parked(&ptx->bad);
		cand->rests = mptun_path_rests(path);
		cand->tried = ptx->bad.state == MPTUN_BAD_TRIED ||
			      ptx->lossy.tried;
		cand->found = mptun_cc_found(&ptx->cc);
		cand->mem = &ptx->mem;
		cand->spill = &ptx->spill;
		cand->thin = &ptx->thin;
		spills |= cand->spill_us != MPTUN_SPILL_OFF;
		if (cand->found && cand->pacing_rate)
			least = min(least, cand->pacing_rate);
		most = max(most, cand->pacing_rate);
		if (cand->min_rtt_us)
			nearest_us = min(nearest_us, cand->min_rtt_us);
		farthest_us = max(farthest_us, cand->min_rtt_us);
	}
	helps = mptun_sched_thinner(least, most) ||
		(tx->sched.ops->near_first &&
		 mptun_sched_farther(farthest_us, nearest_us));
	mptun_cand_packet(tunnel, q, spills, helps, now);
	return n;
}
