// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Candidates: the state of the paths, as the schedulers see it.
 *
 * The list is built for each scheduling pass, under mptun_tx.lock.
 */
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "core/path.h"
#include "core/session.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"
#include "wire/frag.h"

/* Minimum number of candidates to allocate.  Most tunnels have no more paths;
 * MPTUN_PATHS_MAX would double the size of a tunnel.
 */
#define MPTUN_CAND_MIN	4U

/**
 * mptun_cand_reserve() - allocate candidates
 * @tunnel: the tunnel
 * @n: number of paths
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
	cand = kcalloc(n, sizeof(*cand), GFP_KERNEL_ACCOUNT);
	path = kcalloc(n, sizeof(*path), GFP_KERNEL_ACCOUNT);
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
 * mptun_cand_room() - room of a path in its window and pacer
 * @path: the path
 * @need: size of the next packet in bytes, 0 if none waits
 * @now: time in ns
 *
 * Windows and pacing allowances are at least two full packets, but during a
 * change of the MTU a packet may be larger.  So that it does not wait forever,
 * the allowance grows to its size, and an idle path takes any packet.  A path
 * that is down takes none: they wait until it answers.
 *
 * Return: bytes; if no packet waits, 0 if a full one does not fit.
 */
u32 mptun_cand_room(struct mptun_path *path, u32 need, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	u32 full = max(ptx->cc.mss, need);
	u32 window, burst, paced;

	lockdep_assert_held(&path->tunnel->tx.lock);
	if (mptun_path_stalled(path) || !mptun_sent_can_add(&ptx->sent))
		return 0;
	window = mptun_cc_room(&ptx->cc, ptx->sent.in_flight);
	if (!ptx->sent.in_flight)
		window = max(window, full);
	burst = mptun_pacer_burst(ptx->cc.pacing_rate, full, ptx->cc.tick_ns);
	paced = mptun_pacer_room(&ptx->pacer, ptx->cc.pacing_rate, burst, now);
	window = min(window, paced);
	return need || window >= full ? window : 0;
}

/* Fills in what the scheduler needs to know about the packet. */
static void mptun_cand_packet(struct mptun_tunnel *tunnel, unsigned int q,
			      bool spills, bool uneven, u64 now)
{
	struct netdev_queue *queue = netdev_get_tx_queue(tunnel->dev, q);
	const struct sk_buff_head *rest = &tunnel->tx.queues[q].rest;
	struct mptun_sched *sched = &tunnel->tx.sched;
	const struct sk_buff *skb = skb_peek(rest);
	u32 packets, backlog;
	u64 bytes = 0;

	sched->now = now;
	if (skb)
		sched->lane = mptun_tx_cb(skb)->lane;
	sched->flows = tunnel->tx.avoid.flows_before;
	sched->spills = spills;
	if (!sched->ops->wants_backlog && !spills &&
	    !(uneven && sched->ops->high_rate_first))
		return;

	/* The backlog is the rest of a GSO packet and the qdisc.  The latter is
	 * a snapshot, as the qdisc has locks of its own.
	 */
	skb_queue_walk(rest, skb)
		bytes += (u64)mptun_run_packets(skb) *
			 (mptun_run_next(skb) + tunnel->overhead);
	qdisc_qstats_qlen_backlog(rcu_dereference_bh(queue->qdisc), &packets,
				  &backlog);
	sched->backlog = bytes + backlog;
}

/* Fills in what the scheduler needs to know about a path, but its room. */
static void mptun_cand_path(struct mptun_sched_cand *cand,
			    struct mptun_path *path, bool frag, u64 now)
{
	struct mptun_path_tx *ptx = &path->tx;
	struct mptun_oneway_delays delays;
	bool known;

	if (unlikely(ptx->low_rate.neglected)) {
		ptx->low_rate.neglected = false;
		mptun_cc_on_neglect(&ptx->cc);
	}
	cand->rate = mptun_cc_rate(&ptx->cc, mptun_rate_get(&ptx->rate));
	cand->shown = ptx->cc.shown;
	cand->pacing_rate = ptx->cc.pacing_rate;
	cand->paced_ns = ptx->pacer.next_ns;
	cand->srtt_us = ptx->rtt.valid ? ptx->rtt.srtt_us : 0;
	cand->min_rtt_us = ptx->rtt.valid ? ptx->rtt.min_us : 0;
	cand->rttvar_us = ptx->rtt.var_us;
	/* The smallest one still has the offset of the clocks. */
	known = mptun_oneway_get(&ptx->sample.oneway, now, &delays);
	cand->oneway_us = known && ptx->rtt.valid ? delays.least_us : 0;
	cand->oneway_queue_us = delays.queue_us;
	cand->since_us = delays.since_us;
	/* Stays if the path gets a new id or is added again. */
	if (path->tunnel->tx.sched.ops->pins)
		cand->id = jhash(path->config.name, strlen(path->config.name),
				 0);
	cand->weight = path->config.weight;
	cand->priority = path->config.priority;
	cand->spill_us = path->config.spill_us;
	cand->in_flight = ptx->sent.in_flight;
	cand->cwnd = ptx->cc.cwnd;
	cand->whole = mptun_path_inner_mtu(path);
	cand->mtu = mptun_path_takes(path, frag);
	cand->cut = frag ? mptun_frag_most(cand->whole) : 0;
	cand->up = mptun_path_up(path);
	cand->backup = mptun_path_backup(path);
	cand->parked = mptun_bad_parked(&ptx->bad);
	cand->suspended = mptun_path_suspended(path);
	cand->loses = now < ptx->loses_ns;
	cand->tried = ptx->bad.state == MPTUN_BAD_TRIED;
	cand->found = mptun_cc_found(&ptx->cc);
	cand->mem = &ptx->mem;
	cand->spill = &ptx->spill;
	cand->low_rate = &ptx->low_rate;
}

/* Tests whether paths are so unlike that one of them may be better left out. */
static bool mptun_cand_uneven(const struct mptun_tx *tx, unsigned int n)
{
	u32 shortest_us = U32_MAX, longest_us = 0, latency_us;
	const struct mptun_sched_cand *cand;
	u64 slowest = U64_MAX, fastest = 0;

	for (cand = tx->cand; cand < tx->cand + n; cand++) {
		if (cand->found && cand->pacing_rate)
			slowest = min(slowest, cand->pacing_rate);
		fastest = max(fastest, cand->pacing_rate);
		latency_us = mptun_sched_latency_us(cand);
		if (latency_us)
			shortest_us = min(shortest_us, latency_us);
		longest_us = max(longest_us, latency_us);
	}
	return mptun_sched_is_low_rate(slowest, fastest) ||
	       (tx->sched.ops->low_latency_first &&
		mptun_sched_is_high_latency(longest_us, shortest_us));
}

/**
 * mptun_cand_list() - list the paths that take data for the scheduler
 * @tunnel: the tunnel; fills in its mptun_tx.cand, cand_path and sched
 * @q: the device's queue that the packet is from
 * @need: room it needs in bytes, 0 if none waits
 * @now: time in ns
 *
 * Return: number of candidates.
 */
unsigned int mptun_cand_list(struct mptun_tunnel *tunnel, unsigned int q,
			     u32 need, u64 now)
{
	const struct mptun_session *session;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;
	bool spills = false, frag;
	unsigned int n = 0;

	lockdep_assert_held(&tx->lock);
	session = rcu_dereference(tx->session);
	frag = session && session->peer_frag &&
	       READ_ONCE(tunnel->config.frag) != MPTUN_FRAG_MODE_OFF;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		if (!mptun_path_takes_data(path) || n == tx->cands)
			continue;
		tx->cand_path[n] = path;
		tx->cand[n].room = mptun_cand_room(path, need, now);
		mptun_cand_path(&tx->cand[n++], path, frag, now);
		spills |= path->config.spill_us != MPTUN_SPILL_OFF;
	}
	mptun_sched_clock_offset(tx->cand, n);
	mptun_cand_packet(tunnel, q, spills, mptun_cand_uneven(tx, n), now);
	return n;
}

/**
 * mptun_cand_update() - bring the candidates up to date after a run
 * @tunnel: the tunnel, its candidates as mptun_cand_list() listed them
 * @skb: the next packet of the queue, NULL if none waits
 * @n: number of candidates
 * @need: room that it needs in bytes, 0 if none waits
 * @now: time in ns
 *
 * Only their room has changed: the run took it, and copies of the run.
 */
void mptun_cand_update(struct mptun_tunnel *tunnel, const struct sk_buff *skb,
		       unsigned int n, u32 need, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int i;

	lockdep_assert_held(&tx->lock);
	for (i = 0; i < n; i++) {
		struct mptun_path_tx *ptx = &tx->cand_path[i]->tx;

		tx->cand[i].room = mptun_cand_room(tx->cand_path[i], need, now);
		tx->cand[i].in_flight = ptx->sent.in_flight;
		tx->cand[i].paced_ns = ptx->pacer.next_ns;
	}
	if (skb)
		tx->sched.lane = mptun_tx_cb(skb)->lane;
}

/**
 * mptun_cand_app_limited() - mark the paths that the application left idle
 * @tunnel: the tunnel, about to place a packet of the stack
 * @now: time in ns
 *
 * Those are paths with room in their windows and a pacer that has been ready
 * before.  An empty queue alone proves nothing, because the stack hands over
 * packet by packet; for the same reason a queue woken less than MPTUN_WAKE_NS
 * ago does not count.
 */
void mptun_cand_app_limited(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path;

	lockdep_assert_held(&tx->lock);
	if (tx->queues[0].stopped || now < tx->wake_ns + MPTUN_WAKE_NS)
		return;
	list_for_each_entry_rcu(path, &tunnel->paths, list) {
		struct mptun_path_tx *ptx = &path->tx;

		if (ptx->pacer.next_ns >= now ||
		    mptun_cc_room(&ptx->cc, ptx->sent.in_flight) < ptx->cc.mss)
			continue;
		mptun_sample_limited(&ptx->sample, ptx->sent.next);
		if (!ptx->sent.in_flight)
			mptun_cc_on_restart(&ptx->cc, now);
	}
}

/**
 * mptun_cand_limited() - note what limits the paths, as none takes a packet
 * @tunnel: the tunnel
 * @q: the device's queue that has stopped
 * @n: number of candidates
 * @need: room that the packet needs in bytes, 0 if none waits
 * @now: time in ns
 *
 * Paths with full windows are window-limited, which lets their windows grow;
 * paths with room that were not chosen are application-limited.  The first
 * queue waits for those that would have been chosen if they had room.
 */
void mptun_cand_limited(struct mptun_tunnel *tunnel, unsigned int q,
			unsigned int n, u32 need, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int i;

	lockdep_assert_held(&tx->lock);
	if (!q)
		tx->stop_ns = now;
	for (i = 0; i < n; i++) {
		struct mptun_path_tx *ptx = &tx->cand_path[i]->tx;

		if (!q && tx->cand[i].eligible &&
		    tx->cand[i].room < (need ?: 1))
			ptx->awaited_ns = now;

		if (mptun_cc_room(&ptx->cc, ptx->sent.in_flight) < ptx->cc.mss)
			mptun_sent_limited(&ptx->sent);
		else if (tx->cand[i].room >= (need ?: 1))
			mptun_sample_limited(&ptx->sample, ptx->sent.next);
		if (!ptx->sent.in_flight)
			ptx->bad.idle = true;
		if (tx->sched.wake_ns != U64_MAX)
			mptun_timer_update(tx->cand_path[i], now);
	}
}
