// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Placing: a path for what waits, run by run.
 *
 * A packet walks in one direction:
 *
 *	mptun_xmit()	one GSO packet of the stack: class, lane, segments
 *	  "rest"	what has no number yet
 *	mptun_place()	a path with room for the next run of segments
 *	mptun_stamp()	dsn, predecessor, packet number, header
 *	  "out"		numbered packets and runs, in the order of their numbers
 *	mptun_send_flush()	without the lock: cut, sealed, and into the stack
 *				(tx/send.c)
 *
 * The tunnel is a link with a rate: when no path has room the device's queue
 * stops and its qdisc holds and manages what follows.  Behind it waits at most
 * the rest of one GSO packet, and what was lost and is to be retransmitted
 * (tx/rtx.c), which comes first.
 *
 * That holds for each of the device's queues.  Class 0 has the first one; the
 * others are for the other classes, which wait only for their own paths and for
 * each other.  Where several queues have something for a path they take turns,
 * run by run.
 */
#include "core/path.h"
#include "core/tunnel.h"
#include "tx/run.h"
#include "tx/tx.h"

static u32 mptun_place_bytes(const struct mptun_tunnel *tunnel,
				 const struct sk_buff *skb)
{
	return mptun_run_next(skb) + tunnel->overhead;
}

/**
 * mptun_place_need() - room that the next packet needs, of whatever queue
 * @tunnel: the tunnel
 *
 * Return: bytes, 0 if none waits.
 */
u32 mptun_place_need(const struct mptun_tunnel *tunnel)
{
	const struct mptun_tx *tx = &tunnel->tx;
	const struct sk_buff *skb;
	unsigned int q;
	u32 need = 0;

	lockdep_assert_held(&tx->lock);
	for (q = 0; q < tx->n_queues; q++) {
		skb = skb_peek(&tx->queues[q].rest);
		if (skb)
			need = max(need, mptun_place_bytes(tunnel, skb));
	}
	return need;
}

/* What did not fit was sent by a sender limited by its windows, which is what
 * lets the windows grow.  A path that has room for it and is left out has less
 * to send than it could.
 */
static void mptun_place_limited(struct mptun_tunnel *tunnel, unsigned int n,
			       u32 need, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct mptun_path_tx *ptx = &tx->cand_path[i]->tx;

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

/* Before a packet of the stack is placed: which paths could have sent more?
 *
 * Those with room in their windows whose pacers have been ready for it.  That
 * the queue holds no more now says little: it is handed over packet by packet.
 * For the same reason it has some time to follow after it was woken.
 */
void mptun_place_app_limited(struct mptun_tunnel *tunnel, u64 now)
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

/* May the next segment follow on the path that was chosen for the first? */
static bool mptun_place_fits(const struct mptun_tunnel *tunnel,
			    const struct sk_buff *skb, unsigned int chosen,
			    u32 bytes)
{
	const struct mptun_sched_cand *cand = &tunnel->tx.cand[chosen];
	struct mptun_path *path = tunnel->tx.cand_path[chosen];

	return mptun_run_next(skb) <= cand->mtu &&
	       bytes + mptun_place_bytes(tunnel, skb) <= cand->room &&
	       mptun_sent_can_add(&path->tx.sent);
}

/* What was placed on the path chosen is on its way, on others as well if its
 * class or the scheduler wants copies or a path is tried, and may have to be
 * sent again.
 */
static void mptun_place_done(struct mptun_tunnel *tunnel, struct sk_buff *skb,
			      u32 packets, unsigned int n, unsigned int chosen,
			      u64 now)
{
	const struct mptun_class *class = mptun_classify_of(tunnel, skb);

	mptun_avoid_flow(&tunnel->tx.avoid, mptun_tx_cb(skb)->lane);
	mptun_stamp_out(tunnel->tx.cand_path[chosen], skb, packets);
	if (mptun_tx_cb(skb)->repair)
		mptun_rtx_keep(tunnel->tx.cand_path[chosen], skb, packets,
				  now);
	if (mptun_class_copies(class, &tunnel->tx.sched) ||
	    tunnel->tx.park.tries || tunnel->tx.avoid.tries ||
	    tunnel->tx.sched.tries)
		mptun_duplicate(tunnel, skb, n, chosen, now);
}

/* Places a run of a GSO packet, which waits first. Returns its bytes. */
static u32 mptun_place_run(struct mptun_tunnel *tunnel,
				struct sk_buff_head *rest, unsigned int n,
				unsigned int chosen, u32 most, u64 now)
{
	struct sk_buff *gso = skb_peek(rest), *run;
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_tx_cb *cb = mptun_tx_cb(gso);
	struct mptun_packet *hdr;
	u32 bytes = 0, count = 0;

	run = mptun_run_new(gso);
	if (!run) {
		__skb_unlink(gso, rest);
		mptun_classify_drop(tunnel, gso,
				    MPTUN_A_DROP_STATS_TX_NO_MEMORY);
		return 0;
	}
	hdr = skb_push(run, sizeof(*hdr));
	most = min(most, mptun_run_most(gso));
	do {
		bytes += mptun_stamp(tx->cand_path[chosen], gso,
					   count ? NULL : hdr, now);
		count++;
		cb->offset += mptun_segment_payload(&cb->cut, cb->offset);
	} while (cb->offset < cb->cut.payload && count < most &&
		 mptun_place_fits(tunnel, gso, chosen, bytes));
	mptun_tx_cb(run)->count = count;
	mptun_place_done(tunnel, run, count, n, chosen, now);
	if (cb->offset == cb->cut.payload) {
		__skb_unlink(gso, rest);
		if (cb->repair)
			mptun_run_release(gso);
		consume_skb(gso);
	}
	return bytes;
}

/* The same with packets that are none. */
static u32 mptun_place_packets(struct mptun_tunnel *tunnel,
				    struct sk_buff_head *rest, unsigned int n,
				    unsigned int chosen, u32 most, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct mptun_path *path = tx->cand_path[chosen];
	u8 class = mptun_tx_cb(skb_peek(rest))->class;
	struct mptun_packet hdr;
	struct sk_buff *skb;
	u32 bytes = 0;

	do {
		skb = __skb_dequeue(rest);
		bytes += mptun_stamp(path, skb, &hdr, now);
		memcpy(skb_push(skb, sizeof(hdr)), &hdr, sizeof(hdr));
		mptun_place_done(tunnel, skb, 1, n, chosen, now);
		skb = skb_peek(rest);
	} while (--most && skb && !skb_is_gso(skb) &&
		 mptun_tx_cb(skb)->class == class &&
		 mptun_place_fits(tunnel, skb, chosen, bytes));
	return bytes;
}

/* Places what waits first in a queue on a path, and what can follow it there.
 * Returns whether to look at the queue again.
 *
 * Where the same path has room for another full packet, and nothing waits, the
 * queue need not stop: that takes no second choice.
 */
static bool mptun_place_on(struct mptun_tunnel *tunnel, unsigned int q,
				unsigned int n, unsigned int chosen, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	struct sk_buff_head *rest = &tx->queues[q].rest;
	struct mptun_path *path = tx->cand_path[chosen];
	const struct mptun_class *class;
	u32 bytes, most;

	class = mptun_classify_of(tunnel, skb_peek(rest));
	most = mptun_sched_run_length(path->tx.cc.pacing_rate,
				      path->tx.cc.mss);
	if (skb_is_gso(skb_peek(rest)))
		bytes = mptun_place_run(tunnel, rest, n, chosen, most,
					     now);
	else
		bytes = mptun_place_packets(tunnel, rest, n, chosen, most,
						 now);
	if (!bytes)
		return true;
	if (mptun_class_scheduled(class, n))
		mptun_sched_sent(&tx->sched, tx->cand, n, chosen, bytes);
	tx->active_ns = now;
	mptun_timer_update(path, now);
	if (!skb_queue_empty(rest) || !mptun_cand_room(path, 0, now))
		return true;
	mptun_queue_wake(tunnel, q, now);
	return false;
}

/* No path that is to be used carries a packet of this size.  Others, a backup
 * say, do not count: an MTU that the packet does not exceed tells its sender
 * nothing.  The sender is told later: that may lead back here, and the lock is
 * held now.
 */
static void mptun_place_reject(struct mptun_tunnel *tunnel,
			      struct sk_buff *skb, unsigned int n)
{
	u32 mtu = 0;

	tunnel->tx.classes[mptun_tx_cb(skb)->class].drops +=
		mptun_run_packets(skb);
	while (n--)
		if (tunnel->tx.cand[n].best)
			mtu = max(mtu, tunnel->tx.cand[n].mtu);
	mptun_tx_cb(skb)->wire_id = MPTUN_WIRE_ID_NONE;
	mptun_tx_cb(skb)->mtu = mtu;
	__skb_queue_tail(&tunnel->tx.out, skb);
}

/* Places a run of what waits first in a queue, or drops it if no path will ever
 * take it.  Returns false if there is nothing to place, or no room.
 *
 * Queue 0 stops before it is given a packet that has no room.  The class of the
 * next packet of another queue is not known, so that queue has to be given it.
 */
static bool mptun_place_next(struct mptun_tunnel *tunnel, unsigned int q,
				  u64 now)
{
	struct sk_buff_head *rest = &tunnel->tx.queues[q].rest;
	struct sk_buff *skb = skb_peek(rest);
	u32 need = skb ? mptun_place_bytes(tunnel, skb) : 0;
	u32 len = skb ? mptun_run_next(skb) : 1;
	int chosen = 0;
	unsigned int n;

	if (skb || !q) {
		n = mptun_cand_list(tunnel, q, need, now);
		n = mptun_classify_cands(tunnel, skb, n, len);
		chosen = mptun_classify_pick(tunnel, skb, n, need ?: 1, len);
	}
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_place_limited(tunnel, n, need, now);
		return false;
	}
	if (!skb) {
		mptun_queue_wake(tunnel, q, now);
		return false;
	}
	if (chosen >= 0)
		return mptun_place_on(tunnel, q, n, chosen, now);
	__skb_unlink(skb, rest);
	if (chosen == -EMSGSIZE)
		mptun_place_reject(tunnel, skb, n);
	else
		mptun_classify_drop(tunnel, skb,
				    MPTUN_A_DROP_STATS_TX_NO_PATH);
	return true;
}

/* The same with what was lost of a queue. */
static bool mptun_place_lost(struct mptun_tunnel *tunnel, unsigned int q,
				  struct sk_buff *skb, u64 now)
{
	u32 len = mptun_run_placed(skb, 0);
	u32 need = len + tunnel->overhead;
	unsigned int n;
	int chosen;

	n = mptun_cand_list(tunnel, q, need, now);
	n = mptun_classify_cands(tunnel, skb, n, len);
	chosen = mptun_rtx_pick(tunnel, skb, n, need, len);
	if (chosen == -EAGAIN) {
		mptun_queue_stop(tunnel, q, now);
		mptun_place_limited(tunnel, n, need, now);
		return false;
	}
	mptun_rtx_place(tunnel, q, skb, chosen, now);
	return true;
}

/**
 * mptun_place() - place what can be placed
 * @tunnel: the tunnel
 * @now: time in ns
 *
 * Stops or wakes the queues accordingly.  Windows open under the same lock, so
 * no wake-up is lost.
 */
void mptun_place(struct mptun_tunnel *tunnel, u64 now)
{
	struct mptun_tx *tx = &tunnel->tx;
	unsigned int done = 0;
	struct sk_buff *lost;

	lockdep_assert_held(&tx->lock);
	while (done < tx->n_queues) {
		if (mptun_send_behind(tunnel)) {
			mptun_queue_stop_all(tunnel, now);
			return;
		}
		lost = mptun_rtx_first(tunnel, tx->turn, now);
		if (lost ? mptun_place_lost(tunnel, tx->turn, lost, now) :
			   mptun_place_next(tunnel, tx->turn, now))
			done = 0;
		else
			done++;
		if (++tx->turn == tx->n_queues)
			tx->turn = 0;
	}
}

/**
 * mptun_place_finish() - windows may have opened, and losses may be settled
 * @tunnel: the tunnel, its mptun_tx.lock held; let go of
 * @now: time in ns
 *
 * Places and sends what there is room for, and tells the peer what it need not
 * wait for.  Called between mptun_enter() and mptun_leave().
 */
void mptun_place_finish(struct mptun_tunnel *tunnel, u64 now)
	__releases(&tunnel->tx.lock)
{
	struct mptun_tx *tx = &tunnel->tx;
	bool tell;
	u32 dsn;

	tell = mptun_notify_take(tunnel, now, &dsn);
	if (tx->stopped || mptun_rtx_waits(&tx->repair)) {
		mptun_place(tunnel, now);
		mptun_send_flush(tunnel);
	}
	spin_unlock(&tx->lock);
	if (tell)
		mptun_notify_send(tunnel, dsn);
}

/**
 * mptun_place_ready() - a window may have opened
 * @tunnel: the tunnel
 *
 * Called between mptun_enter() and mptun_leave() without a spinlock of ours.
 */
void mptun_place_ready(struct mptun_tunnel *tunnel)
{
	spin_lock(&tunnel->tx.lock);
	mptun_place_finish(tunnel, mptun_now());
}
